"""What to doubt: the contract of a rule, how rules are run, and the sentence of what was checked.

A rule is one class in one file of :mod:`kernelect.facts.rules` (it reads a fitted model) or of
:mod:`kernelect.tabular.rules` (it reads a table). Each run of a rule ends in a :class:`Check`: found, looked for and
not found, or not looked for and why. Sentences are written last, from the figures that a rule found.
"""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar, get_args, get_origin

from kernelect.facts.estimates import Assessment
from kernelect.facts.record import CheckFacts, Doubt, Facts
from kernelect.registry import Registry
from kernelect.typing import Indices

E = TypeVar("E")

#: How a check ended, as JSON has it.
FOUND, NOT_FOUND, NOT_LOOKED_FOR = "found", "not found", "not looked for"


class Severity(IntEnum):
    """What is at stake if a doubt is right; the gravest doubts are shown first."""

    DETAIL = 1  # some selected value should not be interpreted
    WEAKNESS = 2  # some part of the results is uncertain
    BIAS = 3  # the scores may not hold for new rows
    VOID = 4  # the model may be of no use, or its scores mean nothing


@dataclass(frozen=True, kw_only=True)
class Obstacle:
    """Why a rule was not run: a stable code, and a clause for readers (empty if there is nothing to tell them)."""

    code: str
    why: str = ""


#: The rule is about something that this model does not have, such as classes.
DOES_NOT_APPLY = Obstacle(code="does-not-apply")

#: Code of an obstacle: the time limit left no time to look.
NO_TIME = "time"

NOT_MEASURED = Obstacle(code="not-measured", why="no row was left out")


def few_rows(least: int) -> Obstacle:
    """Return the obstacle of a table that is too small."""
    return Obstacle(code="few-rows", why=f"this takes at least {least} rows")


class Words(NamedTuple):
    """A doubt for readers: one sentence with its figure, and what to do."""

    sentence: str
    advice: str


class DoubtRule(ABC, Generic[E]):
    """One thing to look for, and what to report if it is there.

    Attributes
    ----------
    name : str
        Stable code of the doubt.
    about : str
        What is looked for, as the sentence of what was checked lists it.
    severity : Severity
    evidence : type
        The record that :meth:`look` reads, the type in brackets behind the base. A rule runs whenever such a record
        is examined.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    severity: ClassVar[Severity]
    evidence: ClassVar[type]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        found = [base for base in getattr(cls, "__orig_bases__", ()) if get_origin(base) is DoubtRule]
        if found and "evidence" not in vars(cls):
            cls.evidence = get_args(found[0])[0]

    @abstractmethod
    def look(self, evidence: E) -> Mapping[str, Any] | Obstacle | None:
        """Return the figures of the doubt, None if there is no doubt, or why this cannot be looked for."""

    @abstractmethod
    def words(self, found: Mapping[str, Any]) -> Words:
        """Return what readers see, from the figures that :meth:`look` found."""


RULES: Registry[DoubtRule[Any]] = Registry("rule of doubt", DoubtRule)  # type: ignore[type-abstract]


@dataclass(frozen=True)
class ModelEvidence:
    """What rules about a fitted model read: its facts, its estimates, and where its rows stand in their table."""

    facts: Facts
    assessment: Assessment | None = None
    machine: Any = None
    places: Indices | None = None


@dataclass(frozen=True)
class Check:
    """One run of a rule: the figures it found, or the obstacle that kept it from looking; neither if all is well."""

    rule: DoubtRule[Any]
    figures: Mapping[str, Any] | None = None
    obstacle: Obstacle | None = None

    @property
    def outcome(self) -> str:
        """How it ended."""
        if self.obstacle is not None:
            return NOT_LOOKED_FOR
        return NOT_FOUND if self.figures is None else FOUND

    def describe(self) -> CheckFacts:
        """Return it as plain facts."""
        obstacle = self.obstacle or Obstacle(code="")
        return CheckFacts(
            code=self.rule.name, about=self.rule.about, outcome=self.outcome, obstacle=obstacle.code, why=obstacle.why
        )

    def doubt(self) -> Doubt:
        """Return the doubt that was found, in words."""
        figures = dict(self.figures or {})
        sentence, advice = self.rule.words(figures)
        return Doubt(
            code=self.rule.name,
            severity=int(self.rule.severity),
            sentence=sentence,
            advice=advice,
            figures=figures,
        )


def load_rules(package: str, path: Iterable[str]) -> None:
    """Import all modules of a package, so that each registers its rules: a new rule is one new file."""
    for module in sorted(found.name for found in pkgutil.iter_modules(list(path))):
        importlib.import_module(f"{package}.{module}")


def examine(evidence: Any) -> list[Check]:
    """Run all rules that read this kind of evidence."""
    return [_run(rule, evidence) for rule in _rules_on(type(evidence))]


def not_examined(kind: type, obstacle: Obstacle) -> list[Check]:
    """Return the checks of rules that read a kind of evidence which is not there."""
    return [Check(rule, obstacle=obstacle) for rule in _rules_on(kind)]


def _rules_on(kind: type) -> list[DoubtRule[Any]]:
    return [entry.make() for entry in RULES if entry.cls.evidence is kind]


def _run(rule: DoubtRule[Any], evidence: Any) -> Check:
    found = rule.look(evidence)
    return Check(rule, obstacle=found) if isinstance(found, Obstacle) else Check(rule, figures=found)


def doubts_of(checks: Iterable[Check]) -> list[Doubt]:
    """Return the doubts that were found, the gravest first."""
    found = [check for check in checks if check.outcome == FOUND]
    return [check.doubt() for check in sorted(found, key=lambda check: -check.rule.severity)]


def what_was_checked(facts: Facts) -> str:
    """Return what was looked for without a doubt, and what was not looked for and why."""
    checks, found = facts["checks"], {doubt["code"] for doubt in facts["doubts"]}
    subjects = {check["about"] for check in checks if check["outcome"] == FOUND or check["code"] in found}
    clear = _listed(
        check["about"] for check in checks if check["outcome"] == NOT_FOUND and check["about"] not in subjects
    )
    looked = {check["about"] for check in checks if check["outcome"] != NOT_LOOKED_FOR}
    not_looked = _listed(
        f"{check['about']} ({check['why']})" for check in checks if check["why"] and check["about"] not in looked
    )
    sentences = [] if facts["doubts"] else ["No doubts were found."]
    sentences += [f"{'Also checked' if facts['doubts'] else 'Checked'}: {clear}."] if clear else []
    sentences += [f"Not checked: {not_looked}."] if not_looked else []
    return " ".join(sentences)


def _listed(words: Iterable[str]) -> str:
    """Return a list in a sentence, each item once."""
    *first, last = dict.fromkeys(words) or [""]
    return f"{', '.join(first)} and {last}" if first else last
