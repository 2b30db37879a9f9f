"""Groups of rows as ``fit`` is given them: any labels, as many as there are rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.typing import Indices, Mask


def encode_groups(groups: Any, kept: Mask) -> Indices | None:
    """Return the number of every row's group, None if no groups are given.

    Parameters
    ----------
    groups : array-like of shape (n,) or None
        Labels of any kind; rows with the same label leave together.
    kept : ndarray of bool
        The rows of positive weight, which have to be of at least two groups.
    """
    if groups is None:
        return None
    labels = np.asarray(groups, dtype=object)
    if labels.shape != kept.shape:
        raise InvalidArgument(
            f"groups has the shape {labels.shape}, but {kept.shape} is expected: give one group per row of X."
        )
    numbers: dict[Any, int] = {}
    for place, label in enumerate(labels.tolist()):
        if label is None or label != label:  # NaN is not itself
            raise InvalidArgument(f"groups[{place}] is {label!r}: give every row a group, or leave the row out.")
        numbers.setdefault(label, len(numbers))
    index = np.array([numbers[label] for label in labels.tolist()], dtype=np.intp)
    if len(np.unique(index[kept])) < 2:
        raise InvalidArgument(
            f"groups has one group only ({labels[0]!r}): give at least two, or leave groups out if rows are "
            "independent."
        )
    return index
