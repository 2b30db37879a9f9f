"""Many rows: select on a part of them with few landmarks, then fit all rows with as many as leave-one-out needs."""

from kernelect.selection.landmarks.fit import LandmarkFit, classes_of, fit_on_landmarks
from kernelect.selection.landmarks.intervals import interval_rows, kept_rows
from kernelect.selection.landmarks.number import rows_within
from kernelect.selection.landmarks.objective import lacking_on_landmarks
from kernelect.selection.landmarks.parts import PartTable, RowPart, RowParts, added_terms
from kernelect.selection.landmarks.request import EXACT_ROWS, LandmarkRequest, as_request
from kernelect.selection.landmarks.table import (
    BLOCK_ROWS,
    FIGURE_ROWS,
    ArrayTable,
    Block,
    GroupedTable,
    RowTable,
    Sample,
)
from kernelect.selection.landmarks.whole import CANDIDATES

__all__ = [
    "BLOCK_ROWS",
    "CANDIDATES",
    "EXACT_ROWS",
    "FIGURE_ROWS",
    "ArrayTable",
    "Block",
    "GroupedTable",
    "LandmarkFit",
    "LandmarkRequest",
    "PartTable",
    "RowPart",
    "RowParts",
    "RowTable",
    "Sample",
    "added_terms",
    "as_request",
    "classes_of",
    "fit_on_landmarks",
    "interval_rows",
    "kept_rows",
    "lacking_on_landmarks",
    "rows_within",
]
