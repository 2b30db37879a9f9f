"""Mixtures in the operations of a graph: members with views of their own, weighted and sharpened."""

from __future__ import annotations

import numpy as np

from kernelect.export.forests import outputs_of
from kernelect.export.graph import Node, added, apply, clipped
from kernelect.export.heads import softmax
from kernelect.export.inputs import warped
from kernelect.export.machines import Outputs
from kernelect.mixture import KernelClassifier, KernelRegressor
from kernelect.mixture.candidates import WARPED
from kernelect.mixture.classifier import LEAST
from kernelect.mixture.scales import ANSCOMBE, TargetScale

__all__ = ["Outputs", "outputs_of"]


def _answers(machine: KernelClassifier | KernelRegressor, x: Node) -> list[Node]:
    """Return what the members answer."""
    views = {False: x, True: warped(machine._views.warp, x)}
    return [outputs_of(m.estimator, views[m.candidate.view == WARPED]).result for m in machine._members]


def _pooled(machine: KernelClassifier | KernelRegressor, answers: list[Node]) -> Node:
    """Return the weighted sum of what the members answer."""
    return added([float(weight) * answer for weight, answer in zip(machine._weights, answers, strict=True)])


@outputs_of.register
def _(machine: KernelRegressor, x: Node) -> Outputs:
    return Outputs(_unscaled(machine.target_scale_, on_scale(machine, x)))


def on_scale(machine: KernelRegressor, x: Node) -> Node:
    """Return what a mixture says on the scale on which the target is modelled, (k,)."""
    return _pooled(machine, [clipped(answer, *machine._limits) for answer in _answers(machine, x)])


def _unscaled(scale: TargetScale, f: Node) -> Node:
    """Return the mean of the target at predictions on its scale, as TargetScale.mean does."""
    if not scale.is_identity:
        f = clipped(f, scale.low, scale.high)
    if scale.name == "sqrt":
        root = apply("max", f + scale.shift, 0.0)
        f = root * root + (scale.extra - ANSCOMBE)
    elif scale.name in ("log", "log1p"):
        f = scale.factor * apply("exp", f) - (1.0 if scale.name == "log1p" else 0.0)
    return apply("max", f, 0.0) if scale.bounded else f


@outputs_of.register
def _(machine: KernelClassifier, x: Node) -> Outputs:
    logs = apply("log", apply("max", _pooled(machine, _answers(machine, x)), LEAST))
    classes = tuple(np.asarray(machine.classes_).tolist())
    return Outputs(softmax(float(machine._sharpness) * logs), None, classes)
