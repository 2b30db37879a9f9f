"""The step before a machine that codes columns by itself: each column with the type the schema found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

_MICROSECONDS_PER_DAY = 86_400_000_000

#: Days from 1970 to the ends of a calendar counted in microseconds, rounded inwards.
_MOST_DAYS = 1e8


class HandOver(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Hands over columns without coding them: numbers, dates and categories as pandas types.

    Days since 1970 become dates again, of which the machine can make season and weekday; texts
    become categories, so that the machine does not judge a second time what they are.

    Parameters
    ----------
    kinds : sequence of "number", "date" or "category"
        Of every column, in order.
    """

    #: What exports may rely on: cells stay what they are.
    changes_types_only = True

    n_features_in_: int
    feature_names_in_: np.ndarray

    def __init__(self, kinds: Sequence[str]) -> None:
        self.kinds = kinds

    def fit(self, X: pd.DataFrame, y: Any = None) -> Self:
        """Remember the columns' names; ``y`` is what a pipeline hands to every step."""
        self.n_features_in_ = X.shape[1]
        self.feature_names_in_ = np.array(X.columns, dtype=object)
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return the columns with their types."""
        typed = {name: _typed(X[name], kind) for name, kind in zip(self.feature_names_in_, self.kinds, strict=True)}
        return pd.DataFrame(typed, index=X.index)


def _typed(column: pd.Series, kind: str) -> pd.Series:
    if kind == "category":
        return column.astype("category")
    return _dates(column) if kind == "date" else column.astype(float)


def _dates(days: pd.Series) -> pd.Series:
    known = (days.abs() <= _MOST_DAYS).to_numpy()
    steps = np.where(known, days.to_numpy(dtype=float), 0.0) * _MICROSECONDS_PER_DAY
    stamps = np.round(steps).astype(np.int64).astype("datetime64[us]")
    return pd.Series(np.where(known, stamps, np.datetime64("NaT")), index=days.index)
