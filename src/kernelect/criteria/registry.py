"""The criteria by name and by the machines they judge.

A name is unique among the criteria of one machine: ``"loo"`` is one thing for a support vector
machine and another for a relevance vector machine.

>>> from kernelect.criteria import CRITERIA
>>> "press" in CRITERIA.names_for(("lssvm",))
True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kernelect.criteria.base import Criterion
from kernelect.criteria.ep.ep_evidence import EPEvidence
from kernelect.criteria.ep.hmc_evidence import HMCEvidence
from kernelect.criteria.ep.leave_one_out import EPLeaveOneOut
from kernelect.criteria.lssvm.evidence import RestrictedEvidence
from kernelect.criteria.lssvm.gcv import GCV
from kernelect.criteria.lssvm.press import PRESS
from kernelect.criteria.rvm import (
    RVMCentreEvidence,
    RVMCrossValidation,
    RVMEvidence,
    RVMLeaveOneOut,
    RVMOccamEvidence,
)
from kernelect.criteria.svm.bounds import JaakkolaHaussler, RadiusMargin, SupportVectorCount
from kernelect.criteria.svm.gacv import GACV
from kernelect.criteria.svm.laplace_evidence import LaplaceEvidence
from kernelect.criteria.svm.retraining import LeaveOneOut
from kernelect.criteria.svm.span import Span, UnsmoothedSpan
from kernelect.exceptions import InvalidArgument, MissingCapability, unknown_name
from kernelect.registry import Entry, Registry


class CriterionRegistry(Registry[Criterion]):
    """Criteria, and which machines each of them judges."""

    def register(
        self, cls: type[Criterion], name: str | None = None, *, make: Callable[[], Criterion] | None = None
    ) -> type[Criterion]:
        """Declare a criterion; its class says by ``judges`` which machines it is for."""
        if isinstance(cls, type) and issubclass(cls, Criterion):
            _require_judges(cls)
            name = cls.name if name is None else name
        return super().register(cls, name, make=make)

    def judging(self, machines: Sequence[str]) -> dict[str, type[Criterion]]:
        """Return the criteria that judge one of the machines, by name."""
        fitting = [entry for entry in self if entry.name is not None and _fits(entry.cls, machines)]
        found: dict[str, type[Criterion]] = {}
        for entry in fitting:  # the first one of a name, as find has it
            found.setdefault(str(entry.name), entry.cls)
        return found

    def names_for(self, machines: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the criteria that judge one of the machines."""
        return tuple(self.judging(machines))

    def find(self, criterion: object, machines: Sequence[str], user: str) -> Criterion:
        """Return the criterion that ``criterion`` stands for, by name or as it is, for one of the machines.

        Parameters
        ----------
        criterion : str or Criterion
        machines : sequence of str
            Names of the machines at hand.
        user : str
            Who has these machines, as a message writes it: ``"SVC trains"``.
        """
        if not isinstance(criterion, str):
            found = self.resolve(criterion, self.names_for(machines))
            self.require(found, machines, user)
            return found
        named = [entry for entry in self._entries if entry.name == criterion]
        fitting = [entry for entry in named if _fits(entry.cls, machines)]
        if fitting:
            return fitting[0].make()
        if named:
            raise self._misfit(f"criterion={criterion!r}", named[0].cls, machines, user)
        raise unknown_name("criterion", criterion, list(self.names_for(machines)))

    def require(self, criterion: Criterion, machines: Sequence[str], user: str) -> None:
        """Raise :class:`MissingCapability` if the criterion judges none of the machines."""
        _require_judges(type(criterion))
        if not _fits(type(criterion), machines):
            raise self._misfit(f"criterion={criterion.name!r}", type(criterion), machines, user)

    def _misfit(self, what: str, criterion: type[Criterion], machines: Sequence[str], user: str) -> MissingCapability:
        fitting = _listed(self.names_for(machines)) or "one of your own"
        return MissingCapability(
            f"{what} judges the machine {_listed(criterion.judges)}, and {user} {_listed(machines)}: "
            f"use {fitting} instead."
        )

    def _taken(self, cls: type[Criterion], name: str) -> Entry[Criterion] | None:
        return next((entry for entry in self if entry.name == name and _fits(entry.cls, cls.judges)), None)


def _fits(criterion: type[Criterion], machines: Sequence[str]) -> bool:
    return bool(set(criterion.judges) & set(machines))


def _require_judges(cls: type[Criterion]) -> None:
    if not cls.judges:
        raise InvalidArgument(
            f"{cls.__name__} does not say which machines it judges: give the class a line such as judges = ('lssvm',)."
        )


def _listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them: 'a', 'b' or 'c'."""
    *others, last = map(repr, names or [""])
    return f"{', '.join(others)} or {last}" if others else last if names else ""


CRITERIA = CriterionRegistry("criterion", Criterion)  # type: ignore[type-abstract]

for _cls in (
    PRESS,
    GCV,
    RestrictedEvidence,
    EPEvidence,
    HMCEvidence,
    Span,
    LaplaceEvidence,
    GACV,
    RadiusMargin,
    LeaveOneOut,
    UnsmoothedSpan,
    JaakkolaHaussler,
    SupportVectorCount,
    RVMEvidence,
    RVMCentreEvidence,
    RVMOccamEvidence,
    RVMCrossValidation,
    RVMLeaveOneOut,
    EPLeaveOneOut,
):
    CRITERIA.register(_cls, _cls.name)
