"""Two moves, add-best and remove-worst, with a memory of the subsets they reached.

Strategies decide which move comes next. The walk keeps the factorised model, values every subset
once (subsets come back often), records each step and watches the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from kernelect.numerics import NEVER, Deadline, first_of_best
from kernelect.subsets.evidence import EvidenceCriterion, QuadratureEvidence, Scored, occam_factor
from kernelect.subsets.factored import FactoredModel
from kernelect.subsets.holdout import Holdout
from kernelect.subsets.moments import SubsetMoments
from kernelect.subsets.reestimation import Precisions
from kernelect.subsets.results import Step, SubsetModel
from kernelect.typing import Array, Indices

#: A value has to be better by this many nats to count as better: less is rounding.
GAIN = 1e-7

#: The factored model's lambda is kept above this share of the trace of G_ss.
_REGULARIZATION_FLOOR = 1e-11

#: Steps after which the model is factorised anew, however still lambda stands.
_REFRESH = 500


@dataclass(frozen=True, kw_only=True)
class WalkOptions:
    """How far a search goes.

    Attributes
    ----------
    criterion : EvidenceCriterion
    max_size : int, optional
        Number of functions in the largest model.
    patience : int or "auto"
        k of the paper: the search ends when the model has over k functions more than the best one;
        ``"auto"`` is max(15, 0.3 times the size of the best one).
    slack : float
        lambda may be this many widths of its peak away from its best while candidates are
        ranked, which costs at most slack^2 / 2 nats. Values are always those at the best lambda.
    ranking : "likelihood" or "evidence"
        What orders the candidates of a step: the ln likelihood with beta at its best, or MacKay's ln evidence at the
        present alpha and beta.
    epsilon : float, optional
        If given, alpha and beta are followed as in the paper and stop this many deviations short
        (:mod:`kernelect.subsets.reestimation`); otherwise every subset is valued at its best lambda.
    deadline : Deadline
        When to stop with the best subset so far.
    observe : callable, optional
        Called with every :class:`Step`.
    """

    criterion: EvidenceCriterion = field(default_factory=QuadratureEvidence)
    max_size: int | None = None
    patience: int | Literal["auto"] = "auto"
    slack: float = 0.3
    ranking: Literal["likelihood", "evidence"] = "likelihood"
    epsilon: float | None = None
    deadline: Deadline = NEVER
    observe: Callable[[Step], None] | None = None


class Walk:
    """A walk through the subsets of a dictionary, from the empty one.

    Attributes
    ----------
    factored : FactoredModel
    best : SubsetModel
        The best model so far, the null model at first.
    best_of_size : dict of int to SubsetModel
    steps : list of Step
    """

    def __init__(
        self, moments: SubsetMoments, options: WalkOptions | None = None, holdout: Holdout | None = None
    ) -> None:
        self.moments, self.options, self.holdout = moments, options or WalkOptions(), holdout
        self.factored = FactoredModel(moments)
        self.steps: list[Step] = []
        self._memory: dict[bytes, Scored] = {}
        self._precisions = Precisions.first(moments)
        self._began = time.monotonic()
        self._since_refresh = 0
        self.current = self.score([])
        self.best = SubsetModel(-self.current.value, ())
        self.best_of_size = {0: self.best}

    def __len__(self) -> int:
        return len(self.factored)

    @property
    def max_size(self) -> int:
        """Functions in the largest model allowed: as asked for, and so many that residuals are left."""
        limits = (self.options.max_size, self.moments.most_functions, len(self.moments))
        return min(limit for limit in limits if limit is not None)

    def short_of(self, best_size: int) -> bool:
        """Whether the model is smaller than the best one by more than the patience."""
        return self.exceeds(best_size, len(self))

    def beyond(self, best_size: int) -> bool:
        """Whether the model is larger than the best one by more than the patience."""
        return self.exceeds(len(self), best_size)

    def exceeds(self, size: int, best_size: int) -> bool:
        """Whether ``size`` exceeds ``best_size`` by more than the patience."""
        patience = self.options.patience
        k = max(15, round(0.3 * best_size)) if patience == "auto" else patience
        return size > best_size + k

    def add_best(self) -> bool:
        """Add the function that gains most; return False if none can be added."""
        gains = self._addition_gains()
        best = first_of_best(gains)
        if len(self) >= self.max_size or not np.isfinite(gains[best]):
            return False
        self.add(best)
        return True

    def remove_worst(self) -> bool:
        """Remove the function that costs least; return False if the model is empty."""
        position = self.worst()
        if position is None:
            return False
        self.remove(position)
        return True

    def worst(self) -> int | None:
        """Return the position in the model of the function that costs least, None if it is empty."""
        self.check_clock()
        return int(np.argmax(self._removal_gains())) if len(self) else None

    def _addition_gains(self) -> Array:
        if self.options.ranking == "likelihood" or not len(self):
            return self.factored.addition_gains()
        return self.factored.addition_evidence_gains(self._beta(), self._occam)

    def _removal_gains(self) -> Array:
        if self.options.ranking == "likelihood":
            return self.factored.removal_gains()
        return self.factored.removal_evidence_gains(self._beta(), self._occam)

    def _beta(self) -> float:
        """Return the present beta: the one that is followed, or the best for lambda."""
        if self.options.epsilon is not None:
            return self._precisions.beta
        return float(self.moments.n_rows / self.factored.misfit[0])

    def _occam(self, gamma: Array) -> Array:
        return occam_factor(gamma, self.moments.n_rows)

    def add(self, column: int) -> None:
        """Add a function by its column."""
        self.check_clock()
        self.factored.add(column)
        self._arrived("add", column)

    def remove(self, position: int) -> None:
        """Remove the function at a position of the model."""
        column = self.factored.chosen[position]
        self.factored.remove(position)
        self._arrived("remove", column)

    def go_to(self, model: SubsetModel) -> None:
        """Jump to a subset; this does not count as a step of the search."""
        columns = self.columns(model)
        self.current = self._followed(columns)
        self.factored.reset(columns, self._ranking_regularization(columns))
        self._remember()

    def go_to_all(self) -> None:
        """Jump to the subset of all functions."""
        self.go_to(SubsetModel(0.0, tuple(self.moments.candidates.tolist())))

    def model(self, columns: list[int], value: float | None = None) -> SubsetModel:
        """Return the subset of some columns, with its value."""
        functions = tuple(sorted(self.moments.candidates[columns].tolist()))
        return SubsetModel(-self.score(columns).value if value is None else value, functions)

    def columns(self, model: SubsetModel) -> Indices:
        """Return the columns of a model's functions."""
        return np.searchsorted(self.moments.candidates, np.array(model.functions, dtype=np.intp))

    def without(self, position: int) -> Scored:
        """Return the score of the model without the function at ``position``."""
        chosen = self.factored.chosen
        return self.score(chosen[:position] + chosen[position + 1 :])

    def score(self, chosen: list[int]) -> Scored:
        """Return a subset's value, from memory if it has been seen before and has only one."""
        if self.options.epsilon is not None and chosen:
            columns = np.array(sorted(chosen), dtype=np.intp)
            return self._precisions.settled(self.moments, columns, self.options.epsilon)[1]
        mask = np.zeros(len(self.moments), dtype=bool)
        mask[chosen] = True
        key = np.packbits(mask).tobytes()
        if key not in self._memory:
            self._memory[key] = self.options.criterion.score(self.moments, np.flatnonzero(mask))
        return self._memory[key]

    def _followed(self, columns: Indices) -> Scored:
        """Return the value of a subset that the walk goes to, where alpha and beta follow."""
        if self.options.epsilon is None or not len(columns):
            return self.score(columns.tolist())
        self._precisions, scored = self._precisions.settled(self.moments, np.sort(columns), self.options.epsilon)
        return scored

    def _arrived(self, action: str, column: int) -> None:
        """Score the new model, follow its lambda, record the step."""
        self.current = self._followed(np.array(self.factored.chosen, dtype=np.intp))
        self._since_refresh += 1
        columns = np.array(self.factored.chosen, dtype=np.intp)
        lam = self._ranking_regularization(columns)
        distance = abs(np.log(lam / self.factored.regularization))
        slack = self.options.slack if self.options.epsilon is None else 0.0
        if distance > slack * self.current.deviation or self._since_refresh >= _REFRESH:
            self.factored.reset(columns, lam)
            self._since_refresh = 0
        self._remember()
        self._record(action, column)

    def _ranking_regularization(self, columns: Indices) -> float:
        """Return the best lambda, kept where the Gram matrix still has digits."""
        trace = float(np.diagonal(self.moments.gram)[columns].sum())
        return max(self.current.regularization, _REGULARIZATION_FLOOR * trace)

    def _remember(self) -> None:
        model = self.model(self.factored.chosen, -self.current.value)
        known = self.best_of_size.get(len(model))
        if known is None or model.value < known.value - GAIN:
            self.best_of_size[len(model)] = model
        if model.value < self.best.value - GAIN and len(model) <= self.max_size:
            self.best = model

    def _record(self, action: str, column: int) -> None:
        step = Step(
            number=len(self.steps) + 1,
            seconds=time.monotonic() - self._began,
            action=action,
            function=int(self.moments.candidates[column]),
            size=len(self),
            value=-self.current.value,
            best_value=self.best.value,
            regularization=self.current.regularization,
        )
        self.steps.append(step)
        if self.options.observe is not None:
            self.options.observe(step)

    def check_clock(self) -> None:
        """End the search when its time is up, but not before the first step."""
        if self.steps:
            self.options.deadline.check()

    def out_of_time(self) -> bool:
        """Whether the deadline has passed."""
        return self.options.deadline.passed
