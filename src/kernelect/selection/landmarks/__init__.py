"""Many rows: selection on a part of them with few landmarks, then all rows with as many as leave-one-out asks for."""

from kernelect.selection.landmarks.fit import LandmarkFit, fit_on_landmarks
from kernelect.selection.landmarks.number import rows_within
from kernelect.selection.landmarks.request import LandmarkRequest, as_request
from kernelect.selection.landmarks.table import BLOCK_ROWS, ArrayTable, Block, Sample, Table
from kernelect.selection.landmarks.whole import CANDIDATES

__all__ = [
    "BLOCK_ROWS",
    "CANDIDATES",
    "ArrayTable",
    "Block",
    "LandmarkFit",
    "LandmarkRequest",
    "Sample",
    "Table",
    "as_request",
    "fit_on_landmarks",
    "rows_within",
]
