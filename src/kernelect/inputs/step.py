"""A pipeline step for machines that take numbers only: it codes columns and turns categories into indicators."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from kernelect.exceptions import InvalidArgument, LostCellsWarning
from kernelect.inputs.coding import Coding, fit_coding
from kernelect.inputs.frame import Frame, as_frame
from kernelect.inputs.indicators import Indicators
from kernelect.inputs.lost import lost_cells
from kernelect.inputs.roles import Wishes
from kernelect.typing import Array, Indices


class CodedColumns(TransformerMixin, BaseEstimator):
    """Codes columns as a mixture does, with an indicator for every level of a category.

    Parameters
    ----------
    columns : dict of str to "number", "category" or "date", optional
        The kinds of columns, if known.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_columns,)
    """

    n_features_in_: int
    feature_names_in_: np.ndarray
    _coding: Coding
    _indicators: Indicators

    def __init__(self, columns: Mapping[str, str] | None = None) -> None:
        self.columns = columns

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the coding of a training table; ``y`` is ignored, a pipeline passes it to every step."""
        frame = as_frame(X)
        coding = fit_coding(frame, Wishes(kinds=self.columns or {}))
        indicators = Indicators.of(coding(frame), coding.numeric, coding.categorical)
        if not len(indicators.inputs):
            raise InvalidArgument(
                f"X has {len(frame)} rows, too few for any of its categories, which need 3 rows each: give more rows."
            )
        self.n_features_in_ = len(frame.names)
        self.feature_names_in_ = np.array(frame.names, dtype=object)
        self._coding, self._indicators = coding, indicators
        self._warn(frame, codes=True)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Learn the coding, and return the inputs of the same rows without a second warning."""
        frame = as_frame(X)
        return self.fit(frame)._inputs(frame)

    def transform(self, X: Any) -> Array:
        """Return the inputs (n, e) of rows."""
        check_is_fitted(self)
        frame = as_frame(X)
        self._warn(frame, codes=False)
        return self._inputs(frame)

    def _inputs(self, frame: Frame) -> Array:
        return self._indicators(self._coding(frame))

    def _warn(self, frame: Frame, *, codes: bool) -> None:
        lost = lost_cells(self._coding.roles, frame, codes=codes)
        if lost:
            warnings.warn(f"{type(self).__name__}: {' '.join(lost)}", LostCellsWarning, stacklevel=3)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the name of every input, such as ``age``, ``age is missing`` or ``sex = male``."""
        check_is_fitted(self)
        codes = self._coding.categories
        first = len(self._coding.numbers)
        names = [
            codes[column - first].name_of(level)
            for column, level in zip(self._indicators.column.tolist(), self._indicators.level.tolist(), strict=True)
        ]
        return np.array([*self._coding.names[:first], *names], dtype=object)

    @property
    def coding(self) -> Coding:
        """How columns become numbers and codes."""
        return self._coding

    @property
    def indicators(self) -> Indicators:
        """How codes become indicators."""
        return self._indicators

    @property
    def owners(self) -> Indices:
        """The column from which every input was made."""
        return self._coding.owners[self._indicators.inputs]
