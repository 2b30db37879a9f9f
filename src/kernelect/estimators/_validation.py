"""Rows set aside for early stopping."""

from __future__ import annotations

from numbers import Real

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from kernelect.exceptions import InvalidArgument
from kernelect.typing import Indices


def validation_split(index: Indices, fraction: object, seed: int) -> tuple[Indices, Indices]:
    """Return rows to search on and rows to set aside, each class in both in its share.

    ``index`` has the class of every row, and the rows are in an order of the data's own: places among them are drawn.
    """
    if not isinstance(fraction, Real) or isinstance(fraction, bool) or not 0.0 < float(fraction) < 1.0:
        raise InvalidArgument(f"validation_fraction={fraction!r} must be a number between 0 and 1, such as 0.2.")
    # By first appearance, so that names of classes decide nothing.
    _, first, index = np.unique(index, return_index=True, return_inverse=True)
    index = np.argsort(np.argsort(first))[index]
    split = StratifiedShuffleSplit(1, test_size=float(fraction), random_state=seed)
    try:
        searched, aside = next(split.split(np.zeros(len(index)), index))
    except ValueError as problem:
        raise InvalidArgument(
            f"validation_fraction={fraction!r} of {len(index)} rows leaves a class without rows to search on or to "
            "validate: change it, or use early_stopping=False."
        ) from problem
    return np.sort(searched), np.sort(aside)
