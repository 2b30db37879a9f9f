"""The least-squares support vector regressor that selects its kernel and ridge.

Notation as in machines/lssvm/full.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from kernelect.estimators._elsewhere import as_parts, measured_parts
from kernelect.estimators._groups import encode_groups
from kernelect.estimators._jackknife import check_coverage, jackknife_ends, jackknife_reach
from kernelect.estimators._lssvm_base import LSSVMBase
from kernelect.estimators._training import measured
from kernelect.machines import LSSVM, Groups, LSSVMState
from kernelect.machines.lssvm.landmarks import Frame
from kernelect.machines.lssvm.left_out import LeftOut
from kernelect.machines.lssvm.spread import LandmarkSpread, left_out_precision
from kernelect.numerics import binary_unit
from kernelect.selection import LeastSquaresObjective, Rows, left_out, without_outweighing
from kernelect.selection.landmarks import LandmarkFit, Parts, Table, interval_rows
from kernelect.typing import Array, Indices

#: Numbers that a block of new rows takes at once.
_BLOCK_NUMBERS = 1 << 23


class LSSVR(RegressorMixin, LSSVMBase):
    """Least-squares support vector regressor (kernel ridge with intercept) that selects itself.

    Works like :class:`LSSVC`, for one or several real targets that share kernel and ridge. Standard deviations and
    intervals come from the closed-form leave-one-out, without refits.

    Parameters
    ----------
    kernel, regularization, landmarks, criterion, prior, search, n_restarts, max_iter, tol, time_limit, \
random_state, n_jobs, verbose
        As for :class:`LSSVC`.

    Attributes
    ----------
    kernel_ : Kernel
    regularization_ : float
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
    intercept_ : float or ndarray of shape (n_targets,)
    landmarks_ : ndarray of shape (m, n_features) or None
        None for the exact machine.
    X_fit_ : ndarray of shape (n_samples, n_features)
        The rows that the coefficients belong to: all rows of positive weight, or the landmarks.
    loo_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Exact leave-one-out predictions.
    loo_rows_ : ndarray of int or None
        Numbers of the rows that ``loo_prediction_`` covers, if a Dask collection has more than 100 000 rows; None if
        it covers all rows.
    feature_importances_ : ndarray of shape (n_features,)
    selection_ : Selection
    n_iter_ : int

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from kernelect import LSSVR
    >>> X, y = make_friedman1(200, noise=1.0, random_state=0)
    >>> model = LSSVR().fit(X, y)
    >>> lower, upper = model.predict_interval(X, coverage=0.9)
    >>> bool((lower < upper).all())
    True
    """

    loo_prediction_: Array
    _single: bool
    _diagonal: Array
    _residuals: Array
    _spread: LandmarkSpread
    _interval_rows: Indices

    def __init__(
        self,
        kernel: Any = "ard",
        *,
        regularization: Any = "auto",
        landmarks: Any = "auto",
        criterion: Any = "press",
        prior: Any = "auto",
        search: Any = "lbfgs",
        n_restarts: int = 0,
        max_iter: int = 200,
        tol: float = 1e-5,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: Any = 0,
    ) -> None:
        self.kernel = kernel
        self.regularization = regularization
        self.landmarks = landmarks
        self.criterion = criterion
        self.prior = prior
        self.search = search
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Select the hyper-parameters and fit the machine.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features)
            With ``kernel="precomputed"``, the kernel values between all rows. The rows of a Dask array or DataFrame
            stay where they are (docs/large-data.md).
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            If ``X`` is a Dask collection, ``y`` has the same partitions.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight 2 pulls as much as two equal rows. Leave-one-out removes it with its whole weight (see the
            example "What does a weight of two mean?"), so scikit-learn's check that compares weights with copies
            fails.
        groups : array-like of shape (n_samples,), optional
            Rows with the same label, such as the visits of one patient, are left out together: in the selection, in
            ``loo_prediction_``, in standard deviations and in intervals.
        """
        return self._fit_anew(X, y, sample_weight, groups)

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        parts = as_parts(X, y, sample_weight, groups)
        if parts is not None:
            self._fit_parts(parts)
            return
        data = measured(self, X, y, sample_weight, several=True, counts=False, as_it_is=True)
        data = replace(data, groups=encode_groups(groups, data.kept))
        self._single = data.single
        # In a unit of their own, so that nothing depends on the user's.
        kept = data.targets[data.kept]
        unit = binary_unit((kept - kept.mean(axis=0)).ravel()) if self._criterion().rescales else 1.0
        self._keep_predictions(self._fit_machine(replace(data, targets=data.targets / unit), unit), unit)

    def _fit_parts(self, parts: Parts) -> None:
        """Fit rows that stay where they are."""
        data = measured_parts(self, parts, own_unit=self._criterion().rescales)
        self._single = data.single
        self._keep_predictions(self._fit_in_parts(data), data.unit)

    def _keep_predictions(self, loo: Array, unit: float) -> None:
        """Keep leave-one-out predictions, and everything in the unit of the targets as they were given."""
        self.dual_coef_, self.intercept_ = unit * self.dual_coef_, unit * self.intercept_
        if self.landmarks_ is None:
            self._residuals = unit * self._residuals
        else:
            self._spread, self._sampled = self._spread.times(unit), self._sampled.times(unit)
        self.loo_prediction_ = self._shaped(unit * loo)

    def _unweighted(self, X: Array, y: Array) -> Rows:
        return Rows(
            X=X, targets=y.astype(float).reshape(len(y), -1), weights=np.ones(len(y)), groups=self._known_groups()
        )

    def _keep_leave_one_out(self, objective: LeastSquaresObjective, theta: Array, state: LSSVMState) -> Array:
        self._diagonal, self._residuals = left_out(state, objective.criterion.groups)
        return self._residuals

    def _keep_spread(self, fit: LandmarkFit, table: Table) -> None:
        left_out, places = fit.left_out, table.figures()
        counted = np.flatnonzero(table.kept_weights > 0.0)
        precision, unspanned = np.zeros(len(table.kept_weights)), fit.landmarks.unspanned_without_own(table.kept)
        precision[counted] = left_out_precision(
            left_out.state, unspanned[counted], left_out.room[counted], table.kept_weights[counted]
        )
        part, groups = interval_rows(fit, table)
        self._interval_rows = part if table.kept is None else table.kept[part]
        self._spread = LandmarkSpread(
            state=left_out.state,
            epsilon=fit.landmarks.frame.epsilon,
            noise=left_out.state.regularization / _usual_weight(table.kept_weights[places]),
            inputs=table.rows(self._interval_rows).X,
            residuals=left_out.residuals[part],
            weights=table.kept_weights[part],
            precision=precision[counted],
            scale=_scale(left_out.residuals[places], precision[places], table.kept_weights[places]),
            groups=groups,
        )

    def _reorder_spread(self, order: Indices, counted: Indices) -> None:
        self._interval_rows = order[self._interval_rows]
        precision = self._spread.precision[np.argsort(order[counted], kind="stable")]
        self._spread = replace(self._spread, precision=precision)

    def _keep_sampled(self, out: LeftOut, cross: Array) -> None:
        rows, spread = self._sampled, self._spread
        frame = Frame.of(self.kernel_.gram(self.X_fit_), rows.state.target_mean, spread.epsilon)
        unspanned = rows.unspanned(frame, self.kernel_.diagonal(rows.inputs), cross)
        precision = left_out_precision(rows.state, unspanned, out.room, rows.weights)
        scale = _scale(out.residuals, precision, rows.weights)
        self._spread, self._interval_rows = spread.among(rows, cross, out, precision, scale), rows.numbers
        self.loo_prediction_ = self._shaped(rows.targets - out.residuals)

    def _as_sampled(self) -> Self:
        """Return the machine as it is, with the rows that are kept for smaller models behind all it says of others."""
        return self._among_landmarks(np.arange(len(self._sampled.places)))

    def _shaped(self, values: Array) -> Array:
        """Return (m, k) values as ``y`` was given."""
        return values[:, 0] if self._single else values

    def predict(self, X: Any, return_std: bool = False) -> Array | tuple[Array, Array]:
        """Return predictions; with ``return_std``, also return the standard deviation of a new observation.

        The deviation comes from the Gaussian process with the same mean. The scale of the process is set so that the
        leave-one-out residuals have the variance it claims. This costs one Cholesky factorisation.
        """
        if self._is_lazy(X):
            columns = None if self._single else len(np.atleast_1d(self.intercept_))
            mean = self._lazily("predict", X, float, columns)
            return (mean, self._lazily("_deviations", X, float, columns)) if return_std else mean
        X = self._validated(X)
        mean = self._shaped(self._decide(X))
        if not return_std:
            return mean
        return mean, self._deviations(X)

    def _deviations(self, X: Array) -> Array:
        """Return the standard deviations of new observations, in blocks of rows."""
        return self._shaped(np.concatenate([self._deviation(part) for part in _blocks(X, len(self.dual_coef_))]))

    def _deviation(self, X: Array) -> Array:
        prior = self.kernel_.diagonal(X)
        if self.landmarks_ is not None:
            gram = self.kernel_.gram(self.landmarks_)
            return np.sqrt(self._spread.variance(gram, prior, self._cross(X)))
        state, cross = self._resolved(), self._cross(X)
        half = state.factor.half_solve(cross)
        bias = (1.0 - state.ones_solution @ cross) ** 2 / state.ones_total
        noise = self.regularization_ / _usual_weight(self._weights)
        variance = prior + noise - np.einsum("ij,ij->j", half, half) + bias
        return np.outer(np.sqrt(np.maximum(variance, noise)), self._root_scale())

    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[Array, Array]:
        """Return lower and upper ends of prediction intervals by jackknife+.

        The leave-one-out predictions at a new row need no refit: with h = P k(x) (extended by
        the intercept) they are f(x) - r_i h_i(x). Over many data sets the intervals cover at
        least 2 * coverage - 1 of new observations, and in practice about ``coverage`` (Barber, Candes, Ramdas &
        Tibshirani 2021). This ignores that the selected kernel and ridge saw all rows.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        coverage : float in (0, 1)

        Returns
        -------
        lower, upper : ndarray of the shape of ``predict(X)``
        """
        check_coverage(coverage)
        residuals = self._jackknife_residuals
        ends = [
            jackknife_ends(self._predicted_without(part), residuals, coverage)
            for part in _blocks(self._validated(X), len(residuals))
        ]
        lower, upper = (np.concatenate(each) for each in zip(*ends, strict=True))
        return self._shaped(lower), self._shaped(upper)

    @property
    def _jackknife_rows(self) -> Indices:
        """The rows that intervals are made of: all of positive weight, or with landmarks a part of them."""
        return self._rows if self.landmarks_ is None else self._interval_rows

    @property
    def _jackknife_residuals(self) -> Array:
        """Leave-one-out residuals of the rows that intervals are made of: all, or with landmarks a part of them."""
        return self._residuals if self.landmarks_ is None else self._spread.residuals

    def _reach(self, coverage: float) -> Array:
        """Return how far (k,) from what is said of rows left out such a share of them lies."""
        return jackknife_reach(self._jackknife_residuals, coverage)

    def _left_out_ends(self, coverage: float) -> tuple[Array, Array]:
        """Return lower and upper ends around what is said of the training rows where they are left out."""
        reach = self._shaped(self._reach(coverage)[None])
        return self.loo_prediction_ - reach, self.loo_prediction_ + reach

    def _predicted_without(self, X: Array) -> Array:
        """Return what machines without one of these rows each predict, (n, m, k)."""
        if self.landmarks_ is not None:
            return self._spread.decided_without(self._cross(self._spread.inputs), self._cross(X))
        state, cross = self._resolved(), self._cross(X)
        bordered = (
            LSSVM.bordered_solve(state, cross)
            + np.outer(state.ones_solution, np.ones(cross.shape[1])) / state.ones_total
        )
        moved = self._residuals[:, None] * bordered[..., None]
        if self._groups is not None:
            moved = Groups(self._groups[self._rows]).sums(moved)
        return np.asarray(self._decide(X)[None] - moved, dtype=float)

    def _left_out_variance(self) -> Array:
        """Return the variance (n, k) that is claimed for each training row where it is left out."""
        if self.landmarks_ is not None:
            return np.outer(1.0 / self._spread.precision, self._spread.scale)
        return np.outer(1.0 / self._diagonal, self._root_scale() ** 2)

    def _root_scale(self) -> Array:
        """Return the root (k,) of the scale that makes variances of rows left out, scale / c_i, fit their residuals."""
        unit = np.abs(self._residuals).max(axis=0)
        unit = np.where(unit > 0.0, unit, 1.0)  # squares of tiny residuals vanish
        squares = (self._residuals / unit) ** 2 * self._diagonal[:, None]
        return np.asarray(unit * np.sqrt(np.average(squares, axis=0, weights=without_outweighing(self._weights))))


def _scale(residuals: Array, precision: Array, weights: Array) -> Array:
    """Return the unit (k,) in which residuals of rows left out have the variance that their precision claims."""
    squares = residuals**2 * precision[:, None]
    return np.asarray(np.average(squares, axis=0, weights=without_outweighing(weights)), dtype=float)


def _usual_weight(weights: Array) -> float:
    """Return what a new observation weighs, in whatever unit weights are given."""
    return float(np.median(weights))


def _blocks(X: Array, numbers: int) -> Iterator[Array]:
    """Yield the rows in blocks, of which each row takes so many numbers."""
    size = max(_BLOCK_NUMBERS // numbers, 1)
    return (np.asarray(X[first : first + size], dtype=float) for first in range(0, len(X), size))
