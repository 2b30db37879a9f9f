"""Forests in the operations of a graph."""

from __future__ import annotations

from dataclasses import replace

from kernelect.export.fall import Fall
from kernelect.export.graph import Node, narrowed
from kernelect.export.heads import tempered
from kernelect.export.inputs import indicated
from kernelect.export.machines import Outputs, outputs_of
from kernelect.mixture.partitions import Partitions

__all__ = ["outputs_of"]


@outputs_of.register
def _(machine: Partitions, x: Node) -> Outputs:
    trees = machine._trees
    fall = Fall((indicated(machine._indicators, x),), replace(trees, boxes=trees.boxes / len(trees)))
    decision = narrowed(fall) + machine._intercept
    if machine.n_classes is None:
        return Outputs(decision)
    return Outputs(tempered(decision, machine._inverse_temperature), decision)
