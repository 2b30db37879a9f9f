"""What both doors share: inputs, candidates, weights and what they say of columns."""

from __future__ import annotations

import sys
import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kernelect.criteria import Criterion
from kernelect.estimators import Estimator, check_sample_weight, is_dask, validate_data
from kernelect.exceptions import InvalidArgument, LostCellsWarning
from kernelect.inputs import Frame, Wishes, as_frame, fit_coding, fit_warp, lost_cells
from kernelect.kernels.scale import spread_rows
from kernelect.mixture.candidates import Candidate, Candidates, candidates_for
from kernelect.mixture.members import Member, Task, Views, fit_members, posteriors_take_part, useful
from kernelect.mixture.weights import fitted_parameters
from kernelect.numerics import Deadline, canonical_order
from kernelect.results import ModelSize
from kernelect.typing import Array, Indices

#: Predictions that the relevance of all columns together may cost, and of one column at least and at most: its root
#: mean square is then known to some seven per cent.
_RELEVANCE_ROWS, _FEWEST_ROWS, _MOST_ROWS = 6_000, 20, 120

#: Rows without which nothing can be left out.
_LEAST_ROWS = 2

#: Status of a candidate that time_limit left no time for.
_NOT_FITTED = "not fitted: no time was left"

#: Share of a time limit for the candidates; weights and relevance come after them.
_FITTING = 0.85

#: Columns up to which each is tried by itself.
_MOST_COLUMNS = 300

#: Members that weigh less than this share of the mean weight have no say in the relevance.
_SAY = 0.7


class Door(Estimator):
    """Several views, kernels and machines, mixed by leave-one-out."""

    effort: Any
    columns: Any
    n_jobs: int | None
    verbose: Any

    candidates_: Candidates
    feature_importances_: Array
    _members: tuple[Member, ...]
    _views: Views
    _weights: Array
    _n_dropped: int = 0

    #: Whether targets are labels.
    _labels: bool

    @classmethod
    def criteria(cls) -> Mapping[str, type[Criterion]]:
        """Return no criteria: every candidate has the criterion of its machine."""
        return {}

    @property
    def members(self) -> tuple[Member, ...]:
        """The fitted candidates, the one that goes the whole way first."""
        return self._members

    @property
    def shares(self) -> Array:
        """Weights of the members, which sum to 1."""
        return self._weights

    @property
    def views(self) -> Views:
        """How columns become inputs, and how members see them."""
        return self._views

    def by_weight(self) -> list[Member]:
        """Return the members, the heaviest first."""
        return [self._members[place] for place in np.argsort(-self._weights, kind="stable")]

    def doubt(self) -> str:
        """Return what the fit had no time for, or where it stopped early; nothing if all went well."""
        return self._doubt()

    def model_size(self) -> ModelSize:
        """Return how many rows predictions use, in all members together."""
        rows = len(self._members[0].left_out)
        return ModelSize(count=rows * len(self._members), what="row", everything=True)

    def left_out_losses(self, y: Any) -> tuple[Array, list[Array]]:
        """Return the loss of every training row when it is left out: under the mixture, and under each member.

        Parameters
        ----------
        y : array-like
            What the mixture was fitted on.
        """
        values, targets = self._left_out_of(np.asarray(y))
        return self._scores(values, targets), [self._scores(each.left_out, targets) for each in self._members]

    @abstractmethod
    def _left_out_of(self, y: Any) -> tuple[Array, Any]:
        """Return leave-one-out values of the mixture, and ``y`` as losses take it."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _repr_html_inner(self) -> str:
        """Return scikit-learn's diagram, with the candidates below it where they are fitted."""
        diagram = str(super()._repr_html_inner())
        return diagram + self.candidates_._repr_html_() if hasattr(self, "candidates_") else diagram

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**options)
        return {**bundle, "text/html": self._repr_html_inner()} if "text/html" in bundle else bundle

    def _frame(self, X: Any, *, reset: bool) -> Frame:
        """Return the table's columns, checked against those of the fit."""
        if not reset:
            check_is_fitted(self)
        if is_dask(X):
            raise InvalidArgument(
                f"X is a Dask collection, and {type(self).__name__} mixes machines in memory: use LSSVC or LSSVR, "
                "whose rows stay where they are, or give X.compute()."
            )
        frame = as_frame(X)
        validate_data(self, X, skip_check_array=True, reset=reset)
        shape, least = (len(frame), len(frame.names)), _LEAST_ROWS if reset else 1
        if not shape[1]:
            raise InvalidArgument(f"X has 0 feature(s) (shape={shape}) while a minimum of 1 is required: give columns.")
        if shape[0] < least:
            raise InvalidArgument(
                f"X has n_samples = {shape[0]} (shape={shape}) while a minimum of {least} is required: give more rows."
            )
        return frame

    def _coded(self, X: Any) -> Array:
        """Return the inputs of rows to predict."""
        frame, coding = self._frame(X, reset=False), self._views.coding
        lost = lost_cells(coding.roles, frame, codes=False)
        if lost:
            warnings.warn(f"{type(self).__name__}: {' '.join(lost)}", LostCellsWarning, stacklevel=3)
        return coding(frame)

    def _sample_weight(self, sample_weight: Any, frame: Frame) -> Array:
        weights = check_sample_weight(sample_weight, np.zeros((len(frame), 1)), dtype=np.float64)
        if not np.all(weights >= 0.0):
            raise InvalidArgument("sample_weight holds negative numbers: every weight must be at least 0.")
        # Some machines count rows, and weights may be in any unit; equal ones are then 1 to the last digit.
        weights = np.asarray(weights / weights.max(), dtype=float)
        return weights / weights[weights > 0].mean()

    def _fit_mixture(self, frame: Frame, y: Any, weights: Array, groups: Indices | None) -> None:
        """Fit the candidates and weigh them; sets everything but what is special to labels or numbers."""
        kept = weights > 0  # a row of no weight has no say in anything
        coding = fit_coding(frame.take(kept), Wishes(kinds=self._kinds()))
        Z, self._lost = coding(frame), tuple(lost_cells(coding.roles, frame.take(kept), codes=True))
        self._views = Views(coding, fit_warp(Z[kept], coding.numeric))
        # Without a random_state every fit is the same one: nobody should have to ask for that.
        options = {"random_state": 0 if self.random_state is None else self._seed()}
        deadline = self._deadline.part(_FITTING)
        task = Task(
            views=self._views,
            Z=Z,
            y=y,
            weights=weights,
            groups=groups,
            labels=self._labels,
            effort=self.effort,
            options=options,
        )
        wanted, task = useful(self._wanted(task), task), task.in_time(deadline)
        weights, self._n_dropped = task.weights, int(np.sum((weights > 0) & (task.weights == 0)))
        task = self._on_scale(task, deadline)
        observe = _observer(self.verbose, len(wanted))
        members = fit_members(task, wanted, deadline, n_jobs=self.n_jobs, observe=observe)
        self._members = tuple(self._limited(members, task))
        self._weights = self._weigh(task.y, weights)
        self.candidates_ = self._record(wanted, task.y, weights)
        self._learn(task, deadline)
        self.feature_importances_ = self._relevance(Z[kept], len(frame.names))

    def _wanted(self, task: Task) -> tuple[Candidate, ...]:
        """Return the candidates: labels without posteriors have the many machines of numbers."""
        grouped = task.groups is not None
        posteriors = task.labels and posteriors_take_part(task.n_rows, task.n_outputs, grouped=grouped)
        n_classes = int(task.y.max()) + 1 if task.refits or posteriors else None
        return candidates_for(self.effort, n_classes, on_landmarks=task.refits)

    def _kinds(self) -> Mapping[str, str]:
        if self.columns is not None and not isinstance(self.columns, Mapping):
            raise InvalidArgument(f"columns={self.columns!r} must be a dict such as {{'race': 'category'}}, or None.")
        return {} if self.columns is None else {str(name): kind for name, kind in self.columns.items()}

    def _on_scale(self, task: Task, deadline: Deadline) -> Task:
        """Return the task with targets on the scale on which they are modelled; labels have none."""
        return task

    def _limited(self, members: list[Member], task: Task) -> list[Member]:
        """Return the members, with limits to what they may say; probabilities have them by nature."""
        return members

    def _within(self, values: Array) -> Array:
        """Return what members say, within these limits."""
        return values

    @abstractmethod
    def _learn(self, task: Task, deadline: Deadline) -> None:
        """Set what is learned of rows left out, once candidates are weighed."""

    @abstractmethod
    def _weigh(self, y: Any, weights: Array) -> Array:
        """Return the members' weights, from what they say of rows left out."""

    @abstractmethod
    def _scores(self, left_out: Array, y: Any) -> Array:
        """Return the loss of every row under leave-one-out values."""

    @abstractmethod
    def _values(self, member: Member, V: Array) -> Array:
        """Return what a member says of rows of its view, (m, k), on the scale on which relevance is measured."""

    def _mixed(self, values: list[Array]) -> Array:
        """Return the weighted sum of the members' values."""
        return np.asarray(np.tensordot(self._weights, np.array(values), axes=1), dtype=float)

    def _said(self, what: Callable[[Member, Array], Array], Z: Array) -> list[Array]:
        """Return what every member says of coded rows, each in its own view."""
        return [what(member, self._views(member.candidate.view, Z)) for member in self._members]

    def _fitted_parameters(self) -> Array:
        """Return how many widths every member has fitted."""
        return np.array([fitted_parameters(member.shape) for member in self._members])

    def _record(self, wanted: tuple[Candidate, ...], y: Any, weights: Array) -> Candidates:
        places = [wanted.index(member.candidate) for member in self._members]
        score, error = np.full(len(wanted), np.nan), np.full(len(wanted), np.nan)
        weight, seconds = np.zeros(len(wanted)), np.zeros(len(wanted))
        status, kept = [_NOT_FITTED] * len(wanted), weights > 0
        for place, member, share in zip(places, self._members, self._weights, strict=True):
            losses = self._scores(member.left_out[kept], y[kept])
            score[place] = np.average(losses, weights=weights[kept])
            error[place] = losses.std() / np.sqrt(len(losses))
            weight[place], seconds[place], status[place] = share, member.seconds, member.status
        return Candidates(
            candidate=wanted, score=score, standard_error=error, weight=weight, seconds=seconds, status=tuple(status)
        )

    def _relevance(self, Z: Array, n_columns: int) -> Array:
        """Return how much predictions change when a column takes the values of other rows; sums to 1.

        For a linear function this is its coefficient times the column's deviation, as for the single
        machines; it also holds for categories, which have no derivative, and for all inputs of a
        column together.
        """
        owners = self._views.coding.owners
        columns = np.unique(owners)
        if len(columns) > _MOST_COLUMNS:
            return self._relevance_by_slopes(owners, n_columns)
        count = int(np.clip(_RELEVANCE_ROWS // len(columns), _FEWEST_ROWS, _MOST_ROWS))
        rows = Z[spread_rows(Z, count)]
        rows = rows[canonical_order(rows)]  # which row lends its values to which is decided below
        others = rows[np.random.default_rng(0).permutation(len(rows))]
        here, strength = self._say(rows), np.zeros(n_columns)
        for column in columns:
            moved = np.where(owners == column, others, rows)
            strength[column] = np.sqrt(0.5 * np.mean((self._say(moved) - here) ** 2))
        total = strength.sum()
        return strength / total if total > 0 else np.full(n_columns, 1.0 / n_columns)

    def _relevance_by_slopes(self, owners: Indices, n_columns: int) -> Array:
        """Return the members' own relevances, summed over the inputs of a column: no prediction per column."""
        by_input = self._mixed([member.estimator.feature_importances_ for member in self._members])
        return np.asarray(np.bincount(owners, by_input, minlength=n_columns), dtype=float)

    def _say(self, Z: Array) -> Array:
        """Return the mixture's values on the scale of relevance, by the members that matter."""
        least = _SAY / len(self._members)
        heavy = [(m, w) for m, w in zip(self._members, self._weights, strict=True) if w >= least]
        values = [w * self._values(m, self._views(m.candidate.view, Z)) for m, w in heavy]
        return np.asarray(np.sum(values, axis=0), dtype=float)

    def _doubt(self) -> str:
        missing, dropped = self.candidates_.status.count(_NOT_FITTED), self._n_dropped
        short = [f"{missing} of {len(self.candidates_)} candidates"] if missing else []
        short += [f"{dropped} rows"] if dropped else []
        if short:
            return (
                f"time_limit={self.time_limit:.3g} left no time for {' and '.join(short)}: "
                "give more time, or effort='fast'"
            )
        leader = self._members[0]
        return "" if leader.estimator.selection_.converged else f"{leader.candidate}: {leader.status}"


def _observer(verbose: object, total: int) -> Any:
    """Return what is called with every fitted member: ``verbose`` itself, a line on standard error, or nothing."""
    if callable(verbose):
        return verbose
    if not verbose:
        return None
    count = iter(range(1, total + 1))

    def write(member: Member) -> None:
        sys.stderr.write(f"[{next(count)}/{total}] {member.candidate}: {member.seconds:.1f} s, {member.status}\n")

    return write
