"""Candidates of numbers if some targets are limits only.

Posteriors take limits for what they say. All other machines need a number for every row: a limit is replaced by what is
expected of the target, given the limit and what the leader says of the row when it is left out. What a member is worth
is then told by the limits themselves, as for all others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernelect.machines import Interval
from kernelect.mixture.base import LIMITS, Member, MixtureCandidate, MixtureTask
from kernelect.mixture.partly import known
from kernelect.model import Component, EvenSpread, Jackknife
from kernelect.typing import Array


@dataclass(frozen=True)
class Filled(MixtureCandidate):
    """A candidate of numbers, on targets of which limits have been replaced.

    Parameters
    ----------
    inner : MixtureCandidate
    """

    inner: MixtureCandidate

    @property
    def view(self) -> str:  # type: ignore[override]
        """That of the candidate itself."""
        return self.inner.view

    @property
    def kernel(self) -> str:  # type: ignore[override]
        """That of the candidate itself."""
        return self.inner.kernel

    @property
    def machine(self) -> str:  # type: ignore[override]
        """That of the candidate itself."""
        return self.inner.machine

    @property
    def tied(self) -> bool:  # type: ignore[override]
        """Whether the candidate itself has one width."""
        return self.inner.tied

    def takes_part(self, task: MixtureTask) -> bool:
        return task.situation == LIMITS and self.inner.takes_part(_numbers(task, task.y[:, 0]))

    def adapted(self, task: MixtureTask) -> MixtureCandidate:
        return Filled(self.inner.adapted(task))

    def seconds(self, task: MixtureTask) -> float:
        return self.inner.seconds(_numbers(task, task.y[:, 0]))

    def fit(self, task: MixtureTask) -> Member:
        assert task.leader is not None
        member = self.inner.fit(_numbers(task, expected(task.y, known(task.leader.component))))
        component = member.component
        assert isinstance(component.spread, Jackknife)
        # It has seen what is expected of limits, and does not know how far that may be off: the leader does. It claims
        # what the leader claims, in the size of its own residuals of numbers.
        size = np.sqrt(component.spread.left_out_variance().mean(axis=0))
        claimed = np.sqrt(_square_ratio(component, task)) * known(task.leader.component)[:, 1:]
        component = replace(component, claimed=claimed, spread=EvenSpread(size=size), sampled=None)
        return replace(member, candidate=self, component=component)


def _square_ratio(component: Component, task: MixtureTask) -> float:
    """Return how much larger squared residuals of numbers left out are than what the leader claims; 1 for no number."""
    assert task.leader is not None
    numbers = (task.y[:, 0] == task.y[:, 1]) & (task.weights > 0)
    residuals = (task.y[:, :1] - component.left_out_answers())[numbers] / known(task.leader.component)[numbers, 1:]
    return float(np.average(residuals[:, 0] ** 2, weights=task.weights[numbers])) if numbers.any() else 1.0


def expected(limits: Array, said: Array) -> Array:
    """Return the mean of every target, given its limits and location and deviation ``said`` (n, 2); numbers stay."""
    mean, variance = said[:, 0], said[:, 1] ** 2
    slope = Interval(limits).tilted(mean, variance, 0.0, np.ones_like(mean)).slope
    return np.where(limits[:, 0] == limits[:, 1], limits[:, 0], mean + variance * slope)


def _numbers(task: MixtureTask, y: Array) -> MixtureTask:
    return replace(task, partly="", y=y)
