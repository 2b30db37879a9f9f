"""What estimators of targets known up to an interval share: selection, posterior and leave-one-out.

Notation as in machines/ep/intervals.py. Numbers are modelled as (t - m)/u with m and u mean and standard deviation of
all limits that are known, so that nothing depends on their unit.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic

import numpy as np

from kernelect.criteria import Criterion, EPEvidence
from kernelect.estimators._attributes import ReadsMachine
from kernelect.estimators._base import SelfSelecting
from kernelect.estimators._latent import (
    FEW_ROWS,
    FINAL_TOL,
    in_own_units,
    latent_squares,
    log_evidence_of,
    posterior_component,
    search_tolerance,
    solver_doubt,
)
from kernelect.estimators._latent_landmarks import latent_landmarks, selected_on_landmarks
from kernelect.estimators._relevance import relevances
from kernelect.estimators._training import Data, Training
from kernelect.exceptions import MissingCapability
from kernelect.machines import EP, EPState, Fitted, Interval
from kernelect.machines.ep.groups import without_groups
from kernelect.model import Component, Link, NumberHead, PosteriorSpread, TargetScale
from kernelect.numerics import best_blas_threads, exact_mean, require_memory
from kernelect.parameters import ParameterSpace
from kernelect.priors import as_prior, normal_lengths
from kernelect.results import Selection
from kernelect.selection import (
    IntervalObjective,
    Rows,
    Scales,
    SelectionObjective,
    join_intervals,
    noise_space,
    select,
    started_as_given,
    started_in_full,
    with_first_step,
)
from kernelect.selection.landmarks import LandmarkEvidence
from kernelect.typing import Array


@dataclass(frozen=True, kw_only=True)
class SolvedIntervals(Generic[Data]):
    """What a selection ends in.

    Attributes
    ----------
    data : Training
        All rows; those that there was no time for are no longer kept.
    objective : IntervalObjective
        On all rows, or on landmarks.
    theta : ndarray
    fitted : Fitted
        The posterior; its targets are the limits.
    """

    data: Data
    objective: IntervalObjective
    theta: Array
    fitted: Fitted

    @property
    def state(self) -> EPState:
        """The posterior itself."""
        state: EPState = self.fitted.state
        return state

    def component(self, link: Link | None = None) -> Component:
        """Return the posterior as a component of a model."""
        return posterior_component(self.objective.kernel_at(self.theta), self.vectors, self.state, link)

    @property
    def vectors(self) -> Array:
        """The rows, or the landmarks."""
        objective = self.objective
        return objective.landmarks if isinstance(objective, LandmarkEvidence) else objective.X

    def left_out(self, component: Component) -> tuple[Array, Array]:
        """Return mean and variance (n, 1) of every row's latent value when the row, or its group, is left out."""
        spread, data = component.spread, self.data
        assert isinstance(spread, PosteriorSpread)
        own, (column,) = np.empty((2, len(data.X), 1)), self.state.columns
        if data.groups is None:
            without = column.without_row()
        else:
            without = without_groups(column, self.fitted.gram, data.groups[data.kept])
        own[0, data.kept, 0] = component.constant[0] + spread.unit * without[0]
        own[1, data.kept, 0] = spread.unit**2 * without[1]
        if not data.kept.all():  # a row of weight 0 was left out all along
            own[:, ~data.kept] = component.latent(data.X[~data.kept])
        return data.expanded(own[0]), data.expanded(own[1])


class IntervalMachine(ReadsMachine, SelfSelecting):
    """A Gaussian process whose targets are known up to an interval, by expectation propagation."""

    _machines = ("ep",)
    criterion: Any = EPEvidence()
    landmarks: Any

    log_marginal_likelihood_value_: float
    loo_log_likelihood_: Array
    _on_landmarks: bool

    @property
    def landmarks_(self) -> Array | None:
        """The landmarks, None if all rows have coefficients."""
        return self._vectors() if self._on_landmarks else None

    @classmethod
    def criteria(cls) -> Mapping[str, type[Criterion]]:
        """Return none: the evidence is the only criterion of such targets."""
        return {}

    @abstractmethod
    def _own_space(self, rows: Rows) -> ParameterSpace:
        """Return the space of what is selected beside the kernel's parameters."""

    def _problem(self, rows: Rows) -> IntervalObjective:
        if isinstance(self.kernel, str):
            started = started_in_full(self.kernel, rows.X, Scales())
        else:
            started = started_as_given(self._kernel(), rows.X, pairwise=False)
        prior = as_prior(self.prior, started.space, normal_lengths)
        led = self._lead is not None
        machine = EP(Interval(), tol=search_tolerance(len(rows.X), self._criterion(), led=led))
        return join_intervals(rows, started, machine, self._criterion(), prior, self._own_space(rows))

    def _solved(self, data: Data) -> SolvedIntervals[Data]:
        """Select all parameters, set what every such estimator learns, and return the posterior."""
        if self._is_precomputed:
            raise MissingCapability(
                f"kernel='precomputed' does not tell k(x, x) of new rows, which {type(self).__name__} needs: give a "
                "kernel of the inputs instead."
            )
        data = data if self._whole else data.merged(counts=True)
        needs_all = "groups=" if data.groups is not None else ""
        request = latent_landmarks(self, self._criterion(), int(data.kept.sum()), needs_all)
        if request is not None:
            objective = self._problem(data.rows())
            options = with_first_step(self._options(), objective)
            with best_blas_threads(self._deadline):
                selection, whole = selected_on_landmarks(objective, request, options, self._lead, self._seed())
                return self._kept(data, selection, whole)
        data, searching = data.in_time(EP(Interval()), self._deadline, whole=self._whole, spreads=True)
        kept = data.n_weighted
        squares = latent_squares(1, self._criterion()) + self._kernel().squares
        require_memory(kept, squares * self._n_searches_at_once())
        objective = self._problem(data.rows())
        with best_blas_threads(self._deadline):
            options = with_first_step(self._options(deadline=searching), objective)
            options = replace(options, thorough=kept <= FEW_ROWS and self._lead is None)
            selection, selected = select(objective, options, self._lead)
            with self._deadline.watched(firmly=False):
                found = self._kept(data, selection, selected)
        self.selection_ = data.described(self.selection_)
        return found

    def _kept(self, data: Data, selection: Selection, selected: SelectionObjective) -> SolvedIntervals[Data]:
        """Set what every such estimator learns, and return the posterior."""
        assert isinstance(selected, IntervalObjective)
        # One of many, or of many rows: moments need not match to the last digit.
        self._on_landmarks = isinstance(selected, LandmarkEvidence)
        led = self._lead is not None or self._on_landmarks
        machine = EP(Interval(), tol=EP().tol if led else FINAL_TOL)
        fitted = selected.solved_by(machine, selection.theta, warm=led)
        self.selection_ = in_own_units(selection, selected).with_doubts([solver_doubt(machine, fitted.state)])
        self.n_iter_ = selection.n_evaluations
        self.log_marginal_likelihood_value_ = log_evidence_of(selected.criterion, fitted)
        found = SolvedIntervals(data=data, objective=selected, theta=selection.theta, fitted=fitted)
        points = found.vectors if self._on_landmarks else None
        kernel = selected.kernel_at(found.theta)
        self.feature_importances_ = relevances(kernel, found.vectors, found.state.dual_coef, points)
        return found


class IntervalNumbers(IntervalMachine):
    """The same for targets that are numbers on some scale."""

    noise_: float

    def _own_space(self, rows: Rows) -> ParameterSpace:
        return noise_space(1.0)

    def _fit_limits(self, data: Training, scale: TargetScale) -> None:
        """Learn from limits (n, 2) on the scale."""
        centre, unit = _centre_and_unit(data.targets[data.kept], data.weights[data.kept])
        found = self._solved(replace(data, targets=(data.targets - centre) / unit))
        numbers = data.targets[:, 0] == data.targets[:, 1]
        self.log_marginal_likelihood_value_ -= float(found.data.weights[numbers].sum() * np.log(unit))
        self.noise_ = unit * float(np.sqrt(found.fitted.regularization))
        plain = found.component()
        assert isinstance(plain.spread, PosteriorSpread)
        component = replace(
            plain,
            parts=tuple(part.times(unit) for part in plain.parts),
            constant=np.array([centre]),
            spread=replace(plain.spread, unit=unit, noise=self.noise_),
        )
        mean, variance = found.left_out(component)
        self.loo_log_likelihood_ = _log_likelihood(data.targets, mean[:, 0], variance[:, 0], self.noise_**2)
        component = replace(component, left_out=mean, claimed=np.sqrt(variance + self.noise_**2))
        self.model_ = self._record((component,), NumberHead(weights=np.ones(1), scale=scale))

    def _unweighted_limits(self, X: Array, limits: Array) -> Rows:
        weights = np.ones(len(X))
        centre, unit = _centre_and_unit(limits, weights)
        return Rows(X=X, targets=(limits - centre) / unit, weights=weights)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[Array, Array]:
        """Return lower and upper ends of intervals that hold a new observation with the probability ``coverage``."""
        return self.model_.intervals(self._validated(X), coverage)


def _log_likelihood(limits: Array, mean: Array, variance: Array, noise: float) -> Array:
    """Return ln P(a <= t <= b), or the log density of numbers, for f ~ N(mean, variance)."""
    return Interval(limits).tilted(mean, variance, noise, np.ones_like(mean)).log_z


def _centre_and_unit(limits: Array, weights: Array) -> tuple[float, float]:
    """Return mean and standard deviation of the limits that are known, each row with its share; 1 for a deviation of 0.

    With many limits they are off; what the data say of mean and spread is selected in their unit.
    """
    finite = np.isfinite(limits)
    known = finite.any(axis=1)
    values = np.where(finite, limits, 0.0)[known].sum(axis=1) / finite[known].sum(axis=1)
    centre = exact_mean(values, weights[known])
    largest = float(np.abs(values - centre).max())
    if largest <= 1e-12 * float(np.abs(values).max()):  # constant, up to the rounding of its mean
        return centre, 1.0
    return centre, largest * float(np.sqrt(exact_mean(((values - centre) / largest) ** 2, weights[known])))
