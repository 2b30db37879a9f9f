"""What both doors share: inputs, candidates, weights and what they say of columns."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kernelect.criteria import Criterion
from kernelect.estimators import (
    Estimator,
    ReadsModel,
    Surveyed,
    as_parts,
    surveyed_labels,
    surveyed_numbers,
    validate_data,
)
from kernelect.exceptions import InvalidArgument, LostCellsWarning
from kernelect.inputs import Coding, Frame, Wishes, as_frame, lost_cells
from kernelect.mixture._judging import Judging
from kernelect.mixture.base import Member, MixtureCandidate, MixtureTask
from kernelect.mixture.copies import expanded
from kernelect.mixture.efforts import taking_part
from kernelect.mixture.elsewhere import columns_of_part, itself, joined_parts
from kernelect.mixture.fitting import Field, fit_members, progress_of
from kernelect.mixture.record import CandidateTable
from kernelect.mixture.relevance import column_relevances
from kernelect.mixture.rows import MixtureRows, rows_elsewhere
from kernelect.model import LabelHead, Model, NumberHead, TrainingRows
from kernelect.numerics import Deadline
from kernelect.results import ModelSize, Status
from kernelect.selection.landmarks import as_request
from kernelect.typing import Array, Indices

#: Rows without which nothing can be left out.
_LEAST_ROWS = 2

#: Share of a time limit for the candidates; weights and relevance come after them.
_FITTING = 0.85

#: What a notebook says above the candidates.
_HOW_GOOD = "<p>How good it is: <code>kernelect.report.show(model, X, y)</code>. How it was found:</p>"


@dataclass(eq=False, repr=False)
class DoorArguments:
    """The arguments that all doors have, in a class of their own: its annotations are all fields."""

    effort: Any = "balanced"
    _: KW_ONLY
    columns: Any = None
    time_limit: float | None = None
    random_state: Any = None
    n_jobs: int | None = None
    verbose: Any = 0


class Door(DoorArguments, ReadsModel, Judging, Estimator):
    """Several views, kernels and machines, mixed by leave-one-out."""

    #: Whether it has several selections, one of each machine in it.
    is_mixture: ClassVar[bool] = True

    #: What the score of candidates is called: a mean over rows that were left out, smaller is better.
    loss_name: str = "log-loss"

    candidates_: CandidateTable
    feature_importances_: Array
    loo_rows_: Indices | None
    _members: tuple[Member, ...]
    _origin: Indices
    _n_dropped: int = 0
    _copies: str = ""

    #: Whether targets are labels, whether these have an order, and which targets known in part there are.
    _labels: bool
    _ordered: bool = False
    _partly: str = ""

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
        return self.model_.head.weights

    @property
    def coding(self) -> Coding:
        """How columns become inputs."""
        assert self.model_.coding is not None
        return self.model_.coding

    @property
    def effort_in_words(self) -> str:
        """The name of the effort, or that the candidates are a list of the user's own."""
        return self.effort if isinstance(self.effort, str) else "its own list of candidates"

    def with_model(self, model: Model, kept: Indices | None = None) -> Self:
        """Return the mixture with a model of some of its components."""
        other = super().with_model(model, kept)
        members = self._members if kept is None else tuple(self._members[place] for place in kept)
        pairs = zip(members, model.components, strict=True)
        other._members = tuple(replace(member, component=component) for member, component in pairs)
        return other

    def by_weight(self) -> list[Member]:
        """Return the members, the heaviest first."""
        return [self._members[place] for place in np.argsort(-self.shares, kind="stable")]

    def doubt(self) -> str:
        """Return what the fit had no time for, or where it stopped early; nothing if all went well."""
        return self._doubt()

    @property
    def n_without_time(self) -> int:
        """How many candidates there was no time for; those that left a race had some."""
        return int(np.sum(~self.candidates_.tried))

    @property
    def short_of_time(self) -> bool:
        """Whether the last fit left out candidates or rows for its time limit, or stopped the heaviest member there."""
        late = self._members[0].outcome is Status.TIME_LIMIT
        return late or self.n_without_time > 0 or self._n_dropped > 0

    def remark(self) -> str:
        """Return how many rows are copies of others; nothing if none is."""
        return self._copies

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
        targets, training = self._targets_of(np.asarray(y)), self.model_.training
        assert training is not None
        values = [training.left_out, *(self._said(member.component) for member in self._members)]
        whole, *each = (self._scores(left_out, targets) for left_out in values)
        return whole, each

    @abstractmethod
    def _targets_of(self, y: Any) -> Any:
        """Return ``y`` as losses take it."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _repr_html_inner(self) -> str:
        """Return scikit-learn's diagram, with the candidates below it if they are fitted."""
        diagram = str(super()._repr_html_inner())
        return diagram + _HOW_GOOD + self.candidates_._repr_html_() if hasattr(self, "candidates_") else diagram

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**options)
        return {**bundle, "text/html": self._repr_html_inner()} if "text/html" in bundle else bundle

    def _frame(self, X: Any, *, reset: bool) -> Frame:
        """Return the table's columns, checked against those of the fit."""
        if not reset:
            check_is_fitted(self)
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

    def _validated(self, X: Any) -> Array:
        """Return the inputs of rows to predict."""
        frame, coding = self._frame(X, reset=False), self.coding
        lost = lost_cells(coding.roles, frame, codes=False)
        if lost:
            warnings.warn(f"{type(self).__name__}: {' '.join(lost)}", LostCellsWarning, stacklevel=3)
        return coding(frame)

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        parts, wishes = as_parts(X, y, sample_weight, groups), Wishes(kinds=self._kinds())
        if parts is None:
            self._fit_mixture(self._rows(X, y, sample_weight, groups, wishes))
            return
        found = (surveyed_labels if self._labels else surveyed_numbers)(self, parts, columns_of_part)
        if as_request("auto", found.facts.weights.count, found.n_columns) is None:  # few rows, for exact machines
            self._fit_mixture(self._rows(*joined_parts(parts.each(itself)), None, wishes))
            return
        self._fit_mixture(rows_elsewhere(found, wishes, self._weight_by_class(found)))

    @abstractmethod
    def _rows(self, X: Any, y: Any, sample_weight: Any, groups: Any, wishes: Wishes) -> MixtureRows:
        """Return what ``fit`` was given, checked and coded in memory."""

    def _weight_by_class(self, found: Surveyed) -> Array | None:
        """Return what the weights of each class are multiplied by, None for nothing."""
        return None

    def _fit_mixture(self, rows: MixtureRows) -> None:
        """Fit the candidates and weight them; sets everything but what is special to labels or numbers."""
        self._lost, self._copies, Z = rows.lost, rows.remark, rows.Z
        self.loo_rows_ = rows.numbers if rows.are_some else None
        deadline = self._deadline.part(_FITTING)
        task = MixtureTask(
            views=rows.views,
            Z=Z,
            y=rows.y,
            weights=rows.weights,
            groups=rows.groups,
            labels=self._labels,
            ordered=self._ordered and len(rows.classes) > 2,
            partly=self._partly,
            classes=rows.classes,
            seed=self._seed(),
            elsewhere=rows.elsewhere,
        )
        wanted, task = taking_part(self.effort, task), task.in_time(deadline)
        self._n_dropped = int(np.sum((rows.weights > 0) & (task.weights == 0)))
        task = self._on_scale(task, deadline)
        judge = lambda member: self._left_out_loss((member.within(task.limits),), task)  # noqa: E731
        observe = progress_of(self.verbose, judge, self._loss_in_words)
        found = fit_members(task, wanted, deadline, stay=self._staying, n_jobs=self.n_jobs, observe=observe)
        fitted = tuple(expanded(member, rows.origin).within(task.limits) for member in found.members)
        self._members, self._origin = self._with_a_say(fitted, task), rows.origin
        head, left_out = self._head(task, deadline)
        training = TrainingRows(
            numbers=rows.numbers, targets=task.y, weights=task.weights, left_out=left_out, groups=rows.groups
        )
        components = tuple(member.component for member in self._members)
        self.model_ = replace(self._record(components, head, training), coding=rows.views.coding)
        self.candidates_ = self._table(wanted, replace(found, members=fitted), task)
        self.feature_importances_ = column_relevances(self.model_, self._members, self._values, Z[rows.weights > 0])

    def _kinds(self) -> Mapping[str, str]:
        if self.columns is not None and not isinstance(self.columns, Mapping):
            raise InvalidArgument(f"columns={self.columns!r} must be a dict such as {{'race': 'category'}}, or None.")
        return {} if self.columns is None else {str(name): kind for name, kind in self.columns.items()}

    def _on_scale(self, task: MixtureTask, deadline: Deadline) -> MixtureTask:
        """Return the task with targets on the scale on which they are modelled; labels have none."""
        return task

    @abstractmethod
    def _head(self, task: MixtureTask, deadline: Deadline) -> tuple[LabelHead | NumberHead, Array]:
        """Return the head of the model, and what it answers for rows left out, on the scale of the task."""

    @abstractmethod
    def _values(self, answers: Array) -> Array:
        """Return what a component answers (m, k), on the scale on which relevance is measured."""

    def _table(self, wanted: tuple[MixtureCandidate, ...], found: Field, task: MixtureTask) -> CandidateTable:
        kept = task.weights > 0
        losses = [self._scores(self._said(member.component)[kept], task.y[kept]) for member in found.members]
        shares = {member.candidate: share for member, share in zip(self._members, self.shares, strict=True)}
        return CandidateTable.of(wanted, found, losses, task.weights[kept], shares)

    def _doubt(self) -> str:
        missing, dropped = self.n_without_time, self._n_dropped
        short = [f"{missing} of {len(self.candidates_)} candidates"] if missing else []
        short += [f"{dropped} rows, which the model has not seen"] if dropped else []
        if short:
            return (
                f"time_limit={self.time_limit:.3g} left no time for {' and '.join(short)}: "
                "give more time, or effort='fast'"
            )
        leader = self._members[0]
        return "" if leader.outcome.trustworthy else f"{leader.candidate.words}: {leader.ending}"
