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
    # With their types: True and 1 are different labels.
    places: dict[tuple[type, Any], int] = {}
    codes = [places.setdefault((type(label), label), len(places)) for label in values.tolist()]
    return Packed(levels=[label for _, label in places], codes=np.array(codes, dtype=np.intp))


def unpacked(values: Any) -> Any:
    """Return what :func:`packed` was given."""
    if not isinstance(values, dict):
        return values
    levels = np.empty(len(values["levels"]), dtype=object)
    levels[:] = values["levels"]
    return levels[np.asarray(values["codes"], dtype=np.intp)]
