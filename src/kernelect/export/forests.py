"""Forests in the operations of a graph."""

from __future__ import annotations

from dataclasses import replace

from kernelect.export.fall import Fall
from kernelect.export.graph import Node, apply, join, narrowed, take
from kernelect.export.heads import tempered
from kernelect.export.machines import Outputs, outputs_of
from kernelect.mixture.forest import Forest
from kernelect.mixture.trees import Indicators

__all__ = ["indicated", "outputs_of"]


def indicated(indicators: Indicators, x: Node) -> Node:
    """Return what trees take: numbers, and whether categories have a level."""
    numbers = take(x, indicators.numeric)
    if not len(indicators.column):
        return numbers
    return join([numbers, apply("equal", take(x, indicators.column), indicators.level)])


@outputs_of.register
def _(machine: Forest, x: Node) -> Outputs:
    trees = machine._trees
    fall = Fall((indicated(machine._indicators, x),), replace(trees, boxes=trees.boxes / len(trees)))
    decision = narrowed(fall) + machine._intercept
    if machine.n_classes is None:
        return Outputs(decision)
    return Outputs(tempered(decision, machine._inverse_temperature), decision)
