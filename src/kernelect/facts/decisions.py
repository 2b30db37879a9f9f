"""The threshold of a model in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kernelect.facts.names import plain_name
from kernelect.facts.numbers import number, trimmed
from kernelect.facts.record import DecisionFacts
from kernelect.model.decisions import Decision


def describe_decision(decision: Decision, classes: Sequence[Any]) -> DecisionFacts:
    """Return rule, threshold and costs, and a sentence with them."""
    names = [plain_name(label) for label in classes]
    return DecisionFacts(
        rule=decision.rule,
        positive=names[decision.positive],
        threshold=decision.threshold,
        costs=None if decision.costs is None else [list(row) for row in decision.costs],
        sentence=_sentence(decision, names),
    )


def _sentence(decision: Decision, names: list[str]) -> str:
    positive = names[decision.positive]
    if decision.threshold is None:
        return "The class of least expected cost is predicted, not always the most probable one."
    cut = f"{positive} is predicted if its probability is above {number(decision.threshold)}"
    if decision.costs is None:
        return f"{cut}: there the F1 of {positive} is largest by leave-one-out."
    other = names[1 - decision.positive]
    missed = decision.costs[decision.positive][1 - decision.positive]
    alarm = decision.costs[1 - decision.positive][decision.positive]
    return (
        f"{cut}: to predict {other} when the truth is {positive} costs {_amount(missed)}, the other error "
        f"{_amount(alarm)}."
    )


def _amount(cost: float) -> str:
    """Return a cost as it was given; balanced weights have more digits than anyone wants."""
    return trimmed(float(f"{cost:.4g}"))
