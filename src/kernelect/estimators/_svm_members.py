"""The fitted models behind a support vector classifier: a plain machine, or a posterior.

An ensemble has several members of one kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from kernelect.criteria.svm.binary import binaries
from kernelect.criteria.svm.span import span_corrected_margins
from kernelect.estimators._columns import LabelOrder
from kernelect.estimators._latent import FINAL_TOL, posterior_component
from kernelect.estimators._relevance import relevances
from kernelect.kernels import Kernel
from kernelect.machines import EP, SVM, EPState, Fitted
from kernelect.machines.ep.likelihoods import hinge_for
from kernelect.model import Component, KernelPart, Predictive
from kernelect.selection import SelectionObjective
from kernelect.selection.landmarks import LandmarkEvidence
from kernelect.typing import Array, Indices


@dataclass(frozen=True, kw_only=True)
class SupportMember:
    """A solved machine, reduced to its support vectors."""

    kernel: Kernel
    C: float
    support: Indices  # among the rows of positive weight
    dual_coef: Array  # (n_support, k)
    inputs: Array  # support vectors; empty for a precomputed kernel
    loo: Array  # (n, k) span-corrected decision values of the training rows

    @staticmethod
    def machine_for(slack: str) -> SVM:
        """Return the machine that predicts."""
        return SVM(slack)

    @classmethod
    def of(cls, objective: SelectionObjective, theta: Array, fitted: Fitted) -> SupportMember:
        """Reduce the machine solved at ``theta``."""
        beta = fitted.state.dual_coef
        support = np.flatnonzero(np.any(beta != 0, axis=1))
        loo = np.column_stack([p.labels * span_corrected_margins(p) for p in binaries(fitted)])
        inputs = _inputs(objective, support)
        return cls(
            kernel=objective.kernel_at(theta),
            C=fitted.regularization,
            support=support,
            dual_coef=beta[support],
            inputs=inputs,
            loo=loo,
        )

    def as_given(self, order: LabelOrder) -> SupportMember:
        """Return the same machine for columns and outputs in the order in which they were given."""
        moved = _as_given(self, order)
        return replace(moved, loo=moved.loo[:, order.outputs])


@dataclass(frozen=True, kw_only=True)
class PosteriorMember:
    """The Gaussian posterior of the latent functions, which all rows carry, or landmarks."""

    kernel: Kernel
    C: float
    support: Indices
    dual_coef: Array  # (n, k)
    inputs: Array
    machine: EP
    state: EPState

    @staticmethod
    def machine_for(slack: str) -> EP:
        """Return the machine that predicts."""
        return EP(hinge_for(slack), tol=FINAL_TOL)

    @classmethod
    def of(cls, objective: SelectionObjective, theta: Array, fitted: Fitted) -> PosteriorMember:
        """Take the posterior found at ``theta``."""
        machine = fitted.machine
        assert isinstance(machine, EP)
        if isinstance(objective, LandmarkEvidence):
            support, inputs = objective.numbers, objective.landmarks
        else:
            support = np.arange(len(objective.X))
            inputs = _inputs(objective, support)
        kernel, C, state = objective.kernel_at(theta), fitted.regularization, fitted.state
        return cls(
            kernel=kernel,
            C=C,
            support=support,
            dual_coef=state.dual_coef,
            inputs=inputs,
            machine=machine,
            state=state,
        )

    def as_given(self, order: LabelOrder) -> PosteriorMember:
        """Return the same posterior for columns and outputs in the order in which they were given."""
        moved = _as_given(self, order)
        return replace(moved, state=replace(moved.state, columns=tuple(moved.state.columns[k] for k in order.outputs)))


MemberKind = TypeVar("MemberKind", SupportMember, PosteriorMember)


def _as_given(member: MemberKind, order: LabelOrder) -> MemberKind:
    inputs = member.inputs if not len(member.inputs) else np.take(member.inputs, order.given, axis=1)
    return replace(
        member, kernel=order.outside(member.kernel), inputs=inputs, dual_coef=member.dual_coef[:, order.outputs]
    )


def member_relevances(member: SupportMember | PosteriorMember, objective: SelectionObjective) -> Array:
    """Return how much every input matters to a member."""
    if isinstance(objective, LandmarkEvidence):
        return relevances(member.kernel, member.inputs, member.dual_coef)
    coefficients = np.zeros_like(objective.targets)
    coefficients[member.support] = member.dual_coef
    return relevances(member.kernel, objective.X, coefficients)


def support_component(members: Sequence[SupportMember | PosteriorMember], places: Indices | None) -> Component:
    """Return machines as one component, without its link: their mean; ``places`` are rows of kernel values."""
    parts = [
        KernelPart(
            kernel=member.kernel,
            vectors=member.inputs,
            coefficients=member.dual_coef / len(members),
            places=None if places is None else places[member.support],
        )
        for member in members
    ]
    return Component(parts=tuple(parts), constant=np.zeros(members[0].dual_coef.shape[1]))


def posterior_components(members: Sequence[PosteriorMember], places: Indices | None) -> tuple[Component, ...]:
    """Return one component for every posterior; kernel values do not tell k(x, x), so that means are averaged."""
    links = [Predictive(likelihood=member.machine.likelihood, constant=member.C) for member in members]
    if places is None:
        pairs = zip(members, links, strict=True)
        return tuple(posterior_component(m.kernel, m.inputs, m.state, link) for m, link in pairs)
    return (replace(support_component(members, places), link=links[0]),)


def _inputs(objective: SelectionObjective, support: Indices) -> Array:
    return np.zeros((0, objective.X.shape[1])) if objective.pairwise else objective.X[support]
