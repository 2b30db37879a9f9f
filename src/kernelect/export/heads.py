"""From latent values to decision values and probabilities, in the operations of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from kernelect.export.graph import Node, added, apply, concatenated, reduced
from kernelect.export.special import log_sigmoid


def softmax(logs: Node) -> Node:
    """Return e^l / sum e^l."""
    shares = apply("exp", logs - reduced("max", logs))
    return shares / reduced("sum", shares)


def both_way_nodes(decision: Node) -> Node:
    """Return decision values of two classes from one, or all those of more."""
    return concatenated([-decision, decision]) if decision.shape == (1,) else decision


def tempered(decision: Node, inverse_temperature: float) -> Node:
    """Return probabilities by one temperature, as criteria/calibration.py does."""
    return softmax(both_way_nodes(0.5 * decision if decision.shape == (1,) else decision) * inverse_temperature)


def mixed_log_odds(log_odds: Sequence[Node]) -> Node:
    """Return the log-odds of the mean probability of several machines."""
    if len(log_odds) == 1:
        return log_odds[0]
    sides = ([log_sigmoid(sign * each) for each in log_odds] for sign in (1.0, -1.0))
    plus, minus = (_log_total(side) for side in sides)
    return plus - minus


def _log_total(logs: Sequence[Node]) -> Node:
    """Return ln sum e^l over nodes."""
    top = reduce(lambda a, b: apply("max", a, b), logs)
    return top + apply("log", added([apply("exp", each - top) for each in logs]))
