"""Mixtures as expansions: the members' parts, each in its view of the table, times their weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelect.estimators import GPC
from kernelect.explain.adapters import machine_expansion
from kernelect.explain.expansion import BoxPart, Expansion, KernelPart, View
from kernelect.mixture import KernelClassifier, KernelRegressor
from kernelect.mixture.candidates import AS_IS
from kernelect.mixture.members import Member
from kernelect.mixture.partitions import Partitions
from kernelect.mixture.scales import ANSCOMBE, WORDS, TargetScale
from kernelect.typing import Array

#: Log-odds are about so many times a probit.
_LOGITS_PER_PROBIT = 1.702

_REMARK = (
    "A mixture's probabilities are no sum over columns: "
    "what is explained is the weighted mean of its members' log-odds."
)


#: What adds up where a target is modelled on another scale.
_EXPLAINED = {
    "log": "logarithm of the prediction",
    "log1p": "logarithm of one more than the prediction",
    "sqrt": "square root of the prediction",
}

_ON_SCALE = "The target is modelled by {}, and so are effects: they add up there, not on the target's own scale."


@dataclass(frozen=True, eq=False)
class Coded:
    """From a table's rows to the inputs of members with one view."""

    before: Any
    door: KernelClassifier | KernelRegressor
    view: str

    def transform(self, X: Any) -> Array:
        """Return the inputs of rows."""
        return self.door._views(self.view, self._rows(X))

    def answers(self, X: Any) -> Array:
        """Return what the mixture answers on the scale that is explained, every member within its limits."""
        door = self.door
        shift = _shift(door.target_scale_) if isinstance(door, KernelRegressor) else 0.0
        return door._mixed(door._said(door._values, self._rows(X))) + shift

    def _rows(self, X: Any) -> Array:
        return self.door._coded(X if self.before is None else self.before.transform(X))


@dataclass(frozen=True, eq=False)
class Indicated:
    """From a table's rows to the inputs of a forest."""

    coded: Coded
    forest: Partitions

    def transform(self, X: Any) -> Array:
        """Return the inputs of rows."""
        return self.forest._indicators(self.coded.transform(X))


def _members(door: KernelClassifier | KernelRegressor, view: View) -> list[Expansion]:
    """Return every member's expansion; all inputs of a column belong to its player."""
    owners = view.owners[door._views.coding.owners]
    names = dict.fromkeys([AS_IS, *(member.candidate.view for member in door._members)])
    views = {name: View(Coded(view.steps, door, name), owners) for name in names}
    machines = [member for member in door._members if not isinstance(member.estimator, Partitions)]
    found = {id(m): machine_expansion(m.estimator, views[m.candidate.view]) for m in machines}
    coded = [found[id(m)].parts[0] for m in machines if m.candidate.view == AS_IS]
    rows = next((part.training for part in coded if isinstance(part, KernelPart)), None)
    return [
        _of_forest(member.estimator, views[AS_IS], rows, found[id(machines[0])])
        if isinstance(member.estimator, Partitions)
        else found[id(member)]
        for member in door._members
    ]


def _of_forest(forest: Partitions, view: View, rows: Array | None, like: Expansion) -> Expansion:
    """Return a forest as boxes, with the training rows that another member has kept."""
    indicators, trees = forest._indicators, forest._trees
    part = BoxPart(
        trees,
        trees.boxes / len(trees),
        View(Indicated(view.steps, forest), view.owners[indicators.inputs]),
        None if rows is None else indicators(rows),
    )
    return replace(like, parts=(part,), intercept=forest._intercept, remarks=())


def _mixed(expansions: list[Expansion], scales: Array) -> Expansion:
    """Return the sum of expansions, each times a number."""
    parts = tuple(
        replace(part, coefficients=scale * part.coefficients)
        for found, scale in zip(expansions, scales, strict=True)
        for part in found.parts
    )
    intercept = np.sum([scale * found.intercept for found, scale in zip(expansions, scales, strict=True)], axis=0)
    return replace(expansions[0], parts=parts, intercept=intercept)


@machine_expansion.register
def _(machine: KernelRegressor, view: View) -> Expansion:
    coded = Coded(view.steps, machine, AS_IS)
    found = replace(_mixed(_members(machine, view), machine._weights), limited=coded.answers)
    if machine.target_scale_.is_identity:
        return found
    scale = machine.target_scale_
    remarks = [_ON_SCALE.format(WORDS[scale.name])]
    if scale.name == "sqrt":
        more = ANSCOMBE - scale.extra
        remarks.append(f"The square root is that of the prediction {'plus' if more >= 0 else 'less'} {abs(more):.3g}.")
    return replace(
        found,
        intercept=found.intercept + _shift(scale),
        explained=_EXPLAINED[scale.name],
        remarks=tuple(remarks),
    )


def _shift(scale: TargetScale) -> float:
    """Return what the mean of the targets adds to a prediction on the scale: it is factor e^f, or (f + shift)^2."""
    if scale.is_identity:
        return 0.0
    return scale.shift if scale.name == "sqrt" else float(np.log(scale.factor))


@machine_expansion.register
def _(machine: KernelClassifier, view: View) -> Expansion:
    scales = machine._weights * np.array([_log_odds_per_unit(member) for member in machine._members])
    classes = machine.classes_.tolist()
    return replace(
        _mixed(_members(machine, view), scales),
        outputs=(classes[1],) if len(classes) == 2 else tuple(classes),
        explained="log-odds",
        remarks=(_REMARK,),
    )


def _log_odds_per_unit(member: Member) -> float:
    """Return what a decision value (a latent mean, at the usual variance) of 1 is in log-odds."""
    if isinstance(member.estimator, GPC):
        variance = np.mean([column.variance.mean() for column in member.estimator._state.columns])
        return _LOGITS_PER_PROBIT / float(np.sqrt(1.0 + variance))
    return float(member.estimator._inverse_temperature)
