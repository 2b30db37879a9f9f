"""Mixtures in the operations of a graph: members with views of their own, weighted and sharpened."""

from __future__ import annotations

import numpy as np

from kernelect.export.forests import outputs_of
from kernelect.export.graph import Node, added, apply
from kernelect.export.heads import softmax
from kernelect.export.inputs import warped
from kernelect.export.machines import Outputs
from kernelect.mixture import KernelClassifier, KernelRegressor
from kernelect.mixture.candidates import WARPED
from kernelect.mixture.classifier import LEAST

__all__ = ["Outputs", "outputs_of"]


def _pooled(machine: KernelClassifier | KernelRegressor, x: Node) -> Node:
    """Return the weighted sum of what the members answer."""
    views = {False: x, True: warped(machine._views.warp, x)}
    answers = [outputs_of(m.estimator, views[m.candidate.view == WARPED]).result for m in machine._members]
    return added([float(weight) * answer for weight, answer in zip(machine._weights, answers, strict=True)])


@outputs_of.register
def _(machine: KernelRegressor, x: Node) -> Outputs:
    return Outputs(_pooled(machine, x))


@outputs_of.register
def _(machine: KernelClassifier, x: Node) -> Outputs:
    logs = apply("log", apply("max", _pooled(machine, x), LEAST))
    classes = tuple(np.asarray(machine.classes_).tolist())
    return Outputs(softmax(float(machine._sharpness) * logs), None, classes)
