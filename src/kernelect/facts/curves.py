"""Curves of a classifier of two classes over all thresholds: what is found, at what price."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.typing import Array

#: Points of a curve that are kept.
_POINTS = 200


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A curve, the point on it that the model's own threshold gives, and what guessing gives.

    Attributes
    ----------
    x, y : ndarray of shape (n_points,)
    at : ndarray of shape (2,)
    guessing : ndarray of shape (2,)
        Heights of the straight line of guessing at x = 0 and x = 1.
    x_label, y_label : str
    """

    x: Array
    y: Array
    at: Array
    guessing: Array
    x_label: str
    y_label: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Thresholds:
    """Rows sorted by probability, the largest first, cut behind every one that has another probability.

    Attributes
    ----------
    probability, flagged, hits : ndarray of shape (n_cuts,)
        The smallest probability that is flagged, the rows that are, and those of them that are positive; the
        first cut flags none.
    positives, rows : int
    threshold : float
        The model's own.
    """

    probability: Array
    flagged: Array
    hits: Array
    positives: int
    rows: int
    threshold: float = 0.5

    @classmethod
    def of(cls, positive: Any, probability: Any, threshold: float = 0.5) -> Thresholds:
        """Return the cuts of rows that are ``positive`` or not, with their probabilities."""
        positive, probability = np.asarray(positive, dtype=float), np.asarray(probability, dtype=float)
        order = np.argsort(-probability, kind="stable")
        ranked = probability[order]
        last = np.append(np.flatnonzero(np.diff(ranked)), len(ranked) - 1)
        hits = np.cumsum(positive[order])[last]
        return cls(
            probability=np.append(np.inf, ranked[last]),
            flagged=np.append(0.0, last + 1.0),
            hits=np.append(0.0, hits),
            positives=int(positive.sum()),
            rows=len(positive),
            threshold=threshold,
        )

    def place(self) -> int:
        """Return the cut that flags all rows of at least the model's threshold."""
        return int(np.sum(self.probability >= self.threshold)) - 1

    def roc(self, name: str) -> Curve:
        """Return the share of positives that is found against the share of others that is flagged."""
        x, y = (self.flagged - self.hits) / (self.rows - self.positives), self.hits / self.positives
        return self._curve(x, y, np.array([0.0, 1.0]), "other rows that are flagged", f"{name} that are found")

    def precision_recall(self, name: str) -> Curve:
        """Return the share of flagged rows that is positive against the share of positives that is found."""
        y = self.hits / np.maximum(self.flagged, 1.0)
        y[0] = y[min(1, len(y) - 1)]
        base = np.full(2, self.positives / self.rows)
        return self._curve(
            self.hits / self.positives, y, base, f"{name} that are found", f"flagged rows that are {name}"
        )

    def lift(self, name: str) -> Curve:
        """Return the share of positives that is found against the share of all rows that is flagged."""
        x, y = self.flagged / self.rows, self.hits / self.positives
        return self._curve(
            x, y, np.array([0.0, 1.0]), "rows that are looked at, likeliest first", f"{name} that are found"
        )

    def _curve(self, x: Array, y: Array, guessing: Array, x_label: str, y_label: str) -> Curve:
        kept = np.unique(np.linspace(0, len(x) - 1, min(_POINTS, len(x))).astype(np.intp))
        at = np.array([x[self.place()], y[self.place()]])
        return Curve(x=x[kept], y=y[kept], at=at, guessing=guessing, x_label=x_label, y_label=y_label)

    def found_in_first(self, share: float) -> float:
        """Return the share of positives among the likeliest ``share`` of the rows."""
        return float(np.interp(share, self.flagged / self.rows, self.hits / self.positives))


@dataclass(frozen=True, kw_only=True)
class Recalls:
    """How much of every class is found, and how often a row that is given it belongs to it.

    Attributes
    ----------
    classes : tuple of str
    found, found_error : ndarray of shape (n_classes,)
        Share of the class's rows that get its label, and the standard error.
    right : ndarray of shape (n_classes,)
        Share of the rows with its label that belong to it; NaN if none got it.
    """

    classes: tuple[str, ...]
    found: Array
    found_error: Array
    right: Array

    @classmethod
    def of(cls, classes: tuple[str, ...], counts: Array) -> Recalls:
        """Return the record of a confusion matrix, a row per true class."""
        rows, given, hits = counts.sum(axis=1), counts.sum(axis=0), np.diag(counts)
        found = hits / np.maximum(rows, 1.0)
        # Agresti and Coull (1998): never 0, also where all or none are found.
        centre = (hits + 2.0) / (rows + 4.0)
        error = np.sqrt(centre * (1.0 - centre) / (rows + 4.0))
        right = np.where(given > 0, hits / np.maximum(given, 1.0), np.nan)
        return cls(classes=classes, found=found, found_error=error, right=right)


@dataclass(frozen=True, kw_only=True)
class ResidualTrend:
    """Observed minus predicted against predicted values, with the middle and the spread along them.

    Attributes
    ----------
    predicted, residual : ndarray of shape (n,)
    at, middle, lower, upper : ndarray of shape (n_bins,)
        Mean prediction of groups of rows, and the 5 %, 50 % and 95 % quantiles of their residuals.
    """

    predicted: Array
    residual: Array
    at: Array
    middle: Array
    lower: Array
    upper: Array

    @classmethod
    def of(cls, y_true: Any, y_pred: Any, *, bins: int = 8, most: int = 600) -> ResidualTrend:
        """Return the record; of many rows, some are kept, evenly along the predictions."""
        predicted = np.asarray(y_pred, dtype=float)
        residual = np.asarray(y_true, dtype=float) - predicted
        order = np.argsort(predicted, kind="stable")
        groups = np.array_split(order, max(1, min(bins, len(order) // 15)))
        lower, middle, upper = np.array([np.quantile(residual[group], [0.05, 0.5, 0.95]) for group in groups]).T
        kept = order[np.unique(np.linspace(0, len(order) - 1, min(most, len(order))).astype(np.intp))]
        at = np.array([predicted[group].mean() for group in groups])
        return cls(predicted=predicted[kept], residual=residual[kept], at=at, middle=middle, lower=lower, upper=upper)
