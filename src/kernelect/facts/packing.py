"""Labels of many rows as numbers, for the disk: a file would hold every text of an array by itself."""

from __future__ import annotations

from typing import Any, TypedDict

import numpy as np

from kernelect.typing import Indices


class Packed(TypedDict):
    """Different labels in the order of their first row, and the place among them of every row's."""

    levels: list[Any]
    codes: Indices


def packed(values: Any) -> Any:
    """Return an array of labels as :class:`Packed`; anything else as it is."""
    if not isinstance(values, np.ndarray) or values.dtype != object or values.ndim != 1:
        return values
    labels = values.tolist()
    if len(set(map(type, labels))) > 1:  # True and 1 are different labels
        places = {each: place for place, each in enumerate(dict.fromkeys((type(label), label) for label in labels))}
        codes, levels = [places[type(label), label] for label in labels], [label for _, label in places]
    else:
        plain = {label: place for place, label in enumerate(dict.fromkeys(labels))}
        codes, levels = [plain[label] for label in labels], list(plain)
    return Packed(levels=levels, codes=np.array(codes, dtype=np.intp))


def unpacked(values: Any) -> Any:
    """Return what :func:`packed` was given."""
    if not isinstance(values, dict):
        return values
    levels = np.empty(len(values["levels"]), dtype=object)
    levels[:] = values["levels"]
    return levels[np.asarray(values["codes"], dtype=np.intp)]
