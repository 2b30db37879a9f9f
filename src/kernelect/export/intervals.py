"""Intervals in the operations of a graph: how far from a prediction a new observation may lie.

Jackknife+ takes what every machine without one of the rows says: a matrix of all rows for each component. The plain
jackknife takes one number and the spread at the row, and is what an export carries.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtri

from kernelect.exceptions import MissingCapability
from kernelect.export.components import latent_of, mean_of, on_scale, viewed, weighed
from kernelect.export.functions import function_values
from kernelect.export.graph import Node, apply, clipped, concatenated, const, reduced, times
from kernelect.export.tracing import traced
from kernelect.model import (
    Component,
    FunctionPart,
    Model,
    NoiseModel,
    PosteriorSpread,
    SubsetSpread,
    TargetScale,
    WeightSpread,
)
from kernelect.model.heads import WHOLE


def ends_of(model: Model, x: Node, coverage: float) -> Node:
    """Return lower and upper end (2,) of the interval at inputs ``x`` of a model that predicts one number."""
    if model.is_classifier:
        raise MissingCapability("A model of labels has no intervals that could be exported: leave interval= out.")
    head = model.numbers
    if model.jackknife is None:
        (component,) = model.components
        reach: Any = float(ndtri(0.5 + 0.5 * coverage)) * _deviation(component, viewed(component.view, x))
    else:
        reach = const(model.reach(coverage))
    if head.noise is not None:
        reach = reach * _spread(head.noise, x)
    return _on_target(head.scale, _around(on_scale(model, x), reach))


def _deviation(component: Component, V: Node) -> Node:
    spread = component.spread
    if isinstance(spread, WeightSpread):
        _, variance = weighed(component, V)
        return spread.unit * apply("sqrt", variance + (spread.noise / spread.unit) ** 2)
    if isinstance(spread, PosteriorSpread):
        _, variance = latent_of(component.kernel_part, spread, V)
        return apply("sqrt", spread.unit**2 * variance + spread.noise**2)
    if isinstance(spread, SubsetSpread):
        total: Any = const(1.0 + spread.constant)
        part = component.parts[0]
        assert isinstance(part, FunctionPart)
        if len(part.functions):
            values = function_values(part.functions, V) - spread.means
            total = total + reduced("sum", apply("square", times(values, spread.root)))
        return apply("sqrt", total) * np.atleast_1d(spread.noise)
    raise MissingCapability("The model has no intervals that could be exported: leave interval= out.")


def _around(middle: Node, reach: Any) -> Node:
    if middle.shape != (1,):
        raise MissingCapability(
            f"interval= is for one target, and this model predicts {middle.shape[0]}: leave it out."
        )
    return concatenated([middle - reach, middle + reach])


def _spread(noise: NoiseModel, x: Node) -> Node:
    """Return the spread at a row in units of the usual one, as NoiseModel does."""
    logs = mean_of(noise.component, viewed(noise.component.view, x))
    return apply("exp", clipped(logs, noise.low, noise.high)) / noise.usual


def _on_target(scale: TargetScale, ends: Node) -> Node:
    """Return ends on the target's own scale, as NumberHead does; those of counts are whole."""
    ends = traced(scale.backward, ends, "The scale of the target")
    if not scale.bounded:
        return ends
    # Down for the lower end, up for the upper one: -floor(-u).
    way = np.array([1.0, -1.0])
    return apply("floor", ends * way + WHOLE) * way
