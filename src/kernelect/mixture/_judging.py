"""What judges members by the rows they leave out, and says which of them stay."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from kernelect.mixture.base import Member, MixtureTask
from kernelect.mixture.heads import is_line
from kernelect.model import Component
from kernelect.model.heads import mixed
from kernelect.typing import Array

#: Members of less weight are left out of predictions if the loss of rows left out rises by no more than this share.
_LIGHT, _AS_WELL = 0.01, 0.002

#: Members of a race leave, the lightest first, as long as the loss of rows left out rises by no more than this share.
_AS_WELL_ON_PART = 0.005

#: Weight from which a member has a say in a race.
_SAY = 0.04


class Judging(ABC):
    """Weights of members, and the loss of rows left out under them."""

    @abstractmethod
    def _shares(self, components: Sequence[Component], task: MixtureTask) -> Array:
        """Return the weights of components by what they say of rows left out."""

    def _said(self, component: Component) -> Array:
        """Return what a component says of rows left out, as :meth:`_scores` takes it."""
        return component.left_out_answers()

    @abstractmethod
    def _scores(self, left_out: Array, y: Any) -> Array:
        """Return the loss of every row under leave-one-out values."""

    def _with_a_say(self, members: tuple[Member, ...], task: MixtureTask) -> tuple[Member, ...]:
        """Return the members without the lightest ones, if rows left out are predicted as well without them.

        What they would add to predictions costs as much time as what others do. The first one stays, and so does a
        straight line, which predictions may follow beyond the targets seen and which costs nothing.
        """
        shares = self._shares([member.component for member in members], task)
        heavy = tuple(
            member
            for member, share in zip(members, shares, strict=True)
            if share >= _LIGHT or member is members[0] or is_line(member.component)
        )
        loss, without = (self._left_out_loss(each, task) for each in (members, heavy))
        return heavy if without <= (1.0 + _AS_WELL) * loss else members

    def _staying(self, members: Sequence[Member], task: MixtureTask) -> tuple[Member, ...]:
        """Return the members of a race that go on to all rows.

        The lightest one leaves as long as rows left out are predicted as well without it. The first one and a straight
        line stay, as in :meth:`_with_a_say`, and so do members with a say that gain more by further rows; of those with
        the same kernel, the best one.
        """
        staying = tuple(member.within(task.limits) for member in members)
        leader, most = staying[0], (1.0 + _AS_WELL_ON_PART) * self._left_out_loss(staying, task)
        alone = [self._left_out_loss((each,), task) for each in staying]
        gaining = dict[str, int]()
        for place in np.argsort(alone, kind="stable"):
            if alone[place] <= staying[place].candidate.allowance(task) * min(alone):
                gaining.setdefault(staying[place].candidate.kernel, id(staying[place]))
        while True:
            shares = self._shares([member.component for member in staying], task)
            order = [(staying[place], shares[place]) for place in np.argsort(shares, kind="stable")]
            may_leave = (
                each
                for each, share in order
                if each is not leader
                and not is_line(each.component)
                and (share < _SAY or id(each) not in gaining.values())
            )
            lightest = next(may_leave, None)
            fewer = tuple(member for member in staying if member is not lightest)
            if lightest is None or self._left_out_loss(fewer, task) > most:
                return staying
            staying = fewer

    def _left_out_loss(self, members: tuple[Member, ...], task: MixtureTask) -> float:
        components = [member.component for member in members]
        left_out = mixed(self._shares(components, task), [self._said(each) for each in components])
        kept = task.weights > 0
        return float(np.average(self._scores(left_out[kept], task.y[kept]), weights=task.weights[kept]))

    def _loss_in_words(self, loss: float) -> str:
        """Return a mean of scores as a measure with its name; targets known in part have a likelihood."""
        return f"log score {-loss:.3f}"
