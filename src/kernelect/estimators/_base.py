"""What every estimator shares: its arguments' checks, a fit that is whole or not at all, and the selection."""

from __future__ import annotations

import inspect
import sys
import warnings
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from kernelect.criteria import CRITERIA, Criterion
from kernelect.estimators._bases import BaseEstimator
from kernelect.estimators._sklearn import validate_data
from kernelect.exceptions import InvalidArgument, LostCellsWarning, MissingCapability
from kernelect.inputs.frame import require_known
from kernelect.kernels import Kernel, Precomputed, as_kernel
from kernelect.numerics import NEVER, Deadline
from kernelect.results import Evaluation, ModelSize, Status
from kernelect.search import SEARCHES, Search
from kernelect.selection import Lead, Rows, SelectionObjective, SelectionOptions
from kernelect.subsets import SUBSET_CRITERIA, EvidenceCriterion
from kernelect.typing import Array, Indices, Observer

#: What to do about a selection that has not converged, by how it ended; and about any other.
_REMEDIES = {
    Status.MAX_ITER: "raise max_iter to go on",
    Status.TIME_LIMIT: "raise time_limit to go on",
    Status.CERTAIN: "give more rows, or a smaller max_size",
    Status.FAILED: "look for extreme values in X, or use another kernel",
}
_OTHERWISE = "see selection_.to_frame(), and try n_restarts=5 or another prior"


class Estimator(BaseEstimator):
    """An estimator whose ``fit`` changes it at its end or not at all."""

    criterion: Any
    random_state: Any
    time_limit: float | None

    #: What another selection found, while ``fit`` follows it; when ``fit`` has to end, and whether on all rows.
    _lead: Lead | None = None
    _deadline: Deadline = NEVER
    _whole: bool = False

    #: Sentences on cells of the training table that count as missing.
    _lost: tuple[str, ...] = ()

    n_features_in_: int
    n_iter_: int
    selection_: Any
    feature_importances_: Array

    #: Whether ``evidence_by_size`` shows what smaller models are worth.
    has_evidence_by_size: ClassVar[bool] = False

    #: Whether there may be several targets.
    _takes_several: ClassVar[bool] = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output |= self._takes_several
        return tags

    @abstractmethod
    def model_size(self) -> ModelSize:
        """Return what a prediction of the fitted model uses."""

    def selected_kernel(self) -> Kernel | None:
        """Return the kernel with its selected parameters, or None if functions of a dictionary replace it."""
        return None

    def selected_functions(self) -> list[tuple[str, float]]:
        """Return names and coefficients (of the first output) of a linear model's functions, none by default."""
        return []

    @classmethod
    @abstractmethod
    def criteria(cls) -> Mapping[str, type[Criterion] | type[EvidenceCriterion]]:
        """Return the criteria that fit this estimator, by name; empty if it takes none."""

    @classmethod
    def criterion_names(cls) -> tuple[str, ...]:
        """Return the names of the criteria that fit this estimator."""
        return tuple(cls.criteria())

    def _fit_anew(self, *data: Any, lead: Lead | None = None, whole: bool = False, quiet: bool = False) -> Self:
        """Fit a copy without its learned attributes, then take over what it learned in one step.

        A refused or interrupted fit leaves the estimator as it was. ``lead`` is what another
        selection on the same rows found; ``whole``: the rows are taken as they are, none is dropped for lack of time
        and copies have been merged; ``quiet``: without the
        warning. A filter of warnings belongs to the process, and threads that set one at the same time leave it there.
        """
        fresh = type(self).__new__(type(self))
        learned = _learned_names(type(self))
        fresh.__dict__ = {k: value for k, value in vars(self).items() if not (k.endswith("_") or k in learned)}
        self._check_limits()
        require_known(data[1])
        fresh._lead, fresh._deadline, fresh._whole = lead, Deadline.after(self.time_limit), whole
        fresh._fit(*data)
        del fresh._lead, fresh._deadline, fresh._whole
        self.__dict__ = fresh.__dict__
        if not quiet:
            self._warn()
        return self

    def _warn(self) -> None:
        """Give the one warning of a fit: what to doubt about the selection, then which cells were lost."""
        doubt = self._doubt()
        words = " ".join([*([f"{doubt}."] if doubt else []), *self._lost])
        if words:
            kind = ConvergenceWarning if doubt else LostCellsWarning
            warnings.warn(f"{type(self).__name__}: {words}", kind, stacklevel=4)

    def _doubt(self) -> str:
        """Return what the warning of a fit says about the selection, nothing if all went well."""
        if self.selection_.converged:
            return ""
        remedy = _REMEDIES.get(self.selection_.outcome, _OTHERWISE)
        return f"model selection {self.selection_.status}; {remedy}"

    @property
    def short_of_time(self) -> bool:
        """Whether the last fit ended at its time limit, or left out rows for it."""
        return bool(self.selection_.outcome is Status.TIME_LIMIT)

    @abstractmethod
    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Set all learned attributes."""

    def _validated(self, X: Any) -> Array:
        """Return the rows of a prediction, checked against those of the fit."""
        if self._needs_no_check(X):
            return np.asarray(X, dtype=float)
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, reset=False, dtype=np.float64), dtype=float)

    def _needs_no_check(self, X: Any) -> bool:
        """Return whether rows are what scikit-learn's checks, which take longer than one row does, would return."""
        learned = vars(self)
        return (
            type(X) is np.ndarray
            and X.dtype == np.float64
            and X.ndim == 2
            and len(X) > 0
            and X.shape[1] == learned.get("n_features_in_")
            and "feature_names_in_" not in learned
            and bool(np.isfinite(X).all())
        )

    def _seed(self) -> int:
        """Return a seed from scikit-learn's ``random_state``: the same argument, the same seed.

        None is 0: every fit of the same data is the same one, and nobody has to ask for that.
        """
        if self.random_state is None:
            return 0
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _check_limits(self) -> None:
        """Raise if seconds or jobs are no numbers of theirs."""
        if self.time_limit is not None:
            check_number("time_limit", self.time_limit, Real, 0, "seconds as a number of at least 0, or None")
        n_jobs = getattr(self, "n_jobs", None)  # not every estimator has several things to do at once
        if n_jobs is not None and (not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0):
            raise InvalidArgument(
                f"n_jobs={n_jobs!r} must be a whole number other than 0, such as 2 or -1 for all processors, or None."
            )


@dataclass(eq=False, repr=False)
class SelfSelecting(Estimator):
    """An estimator around a kernel machine whose ``fit`` chooses the hyper-parameters.

    The arguments that all of them have are declared here, and checked; the concrete classes add theirs. Learned
    attributes are not annotated in classes of arguments: dataclasses would take them for further ones.
    """

    #: Names of the machines that it can train; they tell which criteria fit.
    _machines: ClassVar[tuple[str, ...]]

    kernel: Any = "ard"
    _: KW_ONLY
    prior: Any = "auto"
    search: Any = "lbfgs"
    n_restarts: int = 0
    max_iter: int = 200
    tol: float = 1e-5
    time_limit: float | None = None
    random_state: Any = None
    n_jobs: int | None = None
    verbose: Any = 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed
        return tags

    @property
    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, Precomputed) or (isinstance(self.kernel, str) and self.kernel == "precomputed")

    def _kernel(self) -> Kernel:
        return as_kernel(self.kernel)

    @classmethod
    def criteria(cls) -> Mapping[str, type[Criterion]]:
        """Return the criteria that judge one of its machines, by name."""
        return CRITERIA.judging(cls._machines)

    def _criterion(self) -> Criterion:
        """Return the criterion, by name or as given, if it judges a machine of this estimator."""
        try:
            found = CRITERIA.find(self.criterion, self._machines, f"{type(self).__name__} trains")
        except InvalidArgument:
            if self.criterion not in SUBSET_CRITERIA and not isinstance(self.criterion, EvidenceCriterion):
                raise
            raise MissingCapability(
                f"criterion={self.criterion!r} values subsets of a dictionary, and {type(self).__name__} trains a "
                f"machine: use {', '.join(map(repr, self.criterion_names()))} instead, or BasisSearchRegressor."
            ) from None
        return found.seeded(self._seed()) if isinstance(self.criterion, str) else found

    def _search(self) -> Search:
        return SEARCHES.resolve(self.search)

    def _options(self, search: Search | None = None, deadline: Deadline | None = None) -> SelectionOptions:
        """Return the search options, checked; ``search`` stands in for the argument of that name.

        ``deadline`` is when the search has to end, if that is before the fit has to.
        """
        check_number("n_restarts", self.n_restarts, Integral, 0, "a whole number of at least 0")
        check_number("max_iter", self.max_iter, Integral, 1, "a whole number of at least 1")
        check_number("tol", self.tol, Real, 0, "a number of at least 0")
        seed = self._seed()
        return SelectionOptions(
            search=(search or self._search()).seeded(seed),
            n_restarts=self.n_restarts,
            max_iter=self.max_iter,
            tol=self.tol,
            deadline=deadline or self._deadline,
            n_jobs=self.n_jobs,
            generator=np.random.default_rng(seed),
            observe=_observer(self.verbose, type(self).__name__),
        )

    @abstractmethod
    def _problem(self, rows: Rows) -> SelectionObjective:
        """Return what ``fit`` minimises on these rows."""

    @abstractmethod
    def _unweighted(self, X: Array, y: Array) -> Rows:
        """Return all rows as ``fit`` would see them without sample weights."""

    def _n_searches_at_once(self) -> int:
        return min(abs(self.n_jobs or 1), self.n_restarts + 1)


def objective_of(estimator: SelfSelecting, X: Any, y: Any, rows: Indices) -> SelectionObjective:
    """Return what the estimator's ``fit`` minimises as a function of theta, on some of the rows.

    Parameters
    ----------
    estimator : fitted kernel machine
    X : array-like of shape (n_samples, n_features)
        The inputs of the machine itself, kernel values if they are precomputed.
    y : array-like of shape (n_samples,)
    rows : ndarray of int
    """
    # Bounds and priors speak of the scale of all rows.
    whole = estimator._unweighted(np.asarray(X, dtype=float), np.asarray(y))
    return estimator._problem(whole).on_rows(rows)


def check_number(name: str, value: object, kind: type, least: float, expected: str) -> None:
    """Raise if an argument is no number of its kind, or too small."""
    if not isinstance(value, kind) or isinstance(value, bool) or not value >= least:  # type: ignore[operator]
        raise InvalidArgument(f"{name}={value!r} must be {expected}.")


def _learned_names(cls: type) -> set[str]:
    """Return the private attributes that ``fit`` makes: those that our classes declare.

    Others are scikit-learn's settings, or what a user has attached, and stay.
    """
    ours = [base for base in cls.__mro__ if base.__module__.startswith(__package__)]
    return {name for base in ours for name in inspect.get_annotations(base) if name.startswith("_")}


def _observer(verbose: object, name: str) -> Observer | None:
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
