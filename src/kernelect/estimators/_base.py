"""What every self-selecting estimator shares: arguments, their checks, and the selection."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from kernelect.exceptions import InvalidArgument
from kernelect.kernels import Kernel, Precomputed, as_kernel
from kernelect.results import Evaluation, Selection
from kernelect.search import Search, as_search
from kernelect.selection import SelectionObjective, SelectionOptions
from kernelect.typing import Array, Indices


class SelfSelecting(BaseEstimator):
    """An estimator whose ``fit`` chooses its hyper-parameters.

    The concrete classes spell out the arguments, as scikit-learn asks; this one checks them.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed
        return tags

    @property
    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, Precomputed) or (isinstance(self.kernel, str) and self.kernel == "precomputed")

    def _kernel(self) -> Kernel:
        return as_kernel(self.kernel)

    def _options(self, search: Search | None = None) -> SelectionOptions:
        """Return the search options, checked; ``search`` stands in for the argument of that name."""
        check_number("n_restarts", self.n_restarts, Integral, 0, "a whole number of at least 0")
        check_number("max_iter", self.max_iter, Integral, 1, "a whole number of at least 1")
        check_number("tol", self.tol, Real, 0, "a number of at least 0")
        if self.time_limit is not None:
            check_number("time_limit", self.time_limit, Real, 0, "seconds as a number of at least 0, or None")
        # A Generator from scikit-learn's random_state: the same seed, the same starts.
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        return SelectionOptions(
            search=(search or self._search()).seeded(seed),
            n_restarts=self.n_restarts,
            max_iter=self.max_iter,
            tol=self.tol,
            time_limit=self.time_limit,
            n_jobs=self.n_jobs,
            generator=np.random.default_rng(seed),
            observe=_observer(self.verbose, type(self).__name__),
        )

    def _objective_on(self, X: Array, y: Array) -> SelectionObjective:
        """Return what ``fit`` would minimise on these rows, each of weight 1."""
        raise NotImplementedError

    def _search(self) -> Search:
        return as_search(self.search)

    def _warn_if_doubtful(self, selection: Selection) -> None:
        """Issue the one warning of a fit."""
        if not selection.converged:
            warnings.warn(
                f"{type(self).__name__}: model selection {selection.status}.", ConvergenceWarning, stacklevel=4
            )

    def _check_precomputed(self, X: Array) -> None:
        """Check a precomputed kernel's shape and symmetry."""
        if self._is_precomputed and X.shape[0] != X.shape[1]:
            raise InvalidArgument(
                f"kernel='precomputed' takes a square matrix of kernel values in fit, got shape {X.shape}: "
                "should be a square kernel matrix, k(x_i, x_j) between all training rows."
            )
        if self._is_precomputed and not np.allclose(X, X.T, rtol=1e-6, atol=1e-8 * np.abs(X).max(initial=0.0)):
            raise InvalidArgument(
                "kernel='precomputed' takes a symmetric matrix, and this one is not: give k(x_i, x_j) for all pairs, "
                "or symmetrise it as (K + K.T) / 2."
            )


def objective_of(estimator: SelfSelecting, X: Any, y: Any, rows: Indices) -> SelectionObjective:
    """Return what the estimator's ``fit`` minimises as a function of theta, on some of the rows.

    Parameters
    ----------
    estimator : fitted kernel machine
    X : array-like of shape (n_samples, n_features)
        The inputs of the machine itself, kernel values where they are precomputed.
    y : array-like of shape (n_samples,)
    rows : ndarray of int
    """
    X = np.asarray(X, dtype=float)
    # Bounds and priors speak of the scale of all rows.
    whole = estimator._objective_on(X, np.asarray(y))
    part = X[np.ix_(rows, rows)] if estimator._is_precomputed else X[rows]
    criterion = whole.criterion.on_rows(rows)
    return replace(whole, X=part, targets=whole.targets[rows], weights=whole.weights[rows], criterion=criterion)


def check_number(name: str, value: object, kind: type, least: float, expected: str) -> None:
    if not isinstance(value, kind) or isinstance(value, bool) or not value >= least:  # type: ignore[operator]
        raise InvalidArgument(f"{name}={value!r} is not possible: give {expected}.")


def _observer(verbose: object, name: str) -> Callable[[Evaluation], None] | None:
    """Return the observer that ``verbose`` asks for: itself if callable, a line per evaluation if true."""
    if callable(verbose):
        return verbose
    if not verbose:
        return None

    def write(row: Evaluation) -> None:
        sys.stderr.write(
            f"[{name}] evaluation {row.number}: {row.value:.6g} (best {row.best_value:.6g}, {row.seconds:.2f} s)\n"
        )

    return write
