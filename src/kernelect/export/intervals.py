"""Intervals in the operations of a graph: how far from a prediction a new observation may lie.

Jackknife+ takes what every machine without one of the rows says: a matrix of all rows for each component. The plain
jackknife takes one number and the spread at the row, and is what an export carries.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.export.components import answer_of, latent_of, mean_of, on_scale, pooled, viewed, weighed
from kernelect.export.functions import function_values
from kernelect.export.graph import Node, apply, clipped, concatenated, const, reduced, times
from kernelect.export.special import log_normal
from kernelect.export.tracing import traced
from kernelect.model import (
    Component,
    EvenSpread,
    FunctionPart,
    Model,
    NoiseModel,
    PosteriorSpread,
    SubsetSpread,
    TargetScale,
    WeightSpread,
)
from kernelect.model.heads import WHOLE
from kernelect.numerics import skewed_quantile


def ends_of(model: Model, x: Node, coverage: float) -> Node:
    """Return lower and upper end (2,) of the interval at inputs ``x`` of a model that predicts one number."""
    if model.is_classifier:
        raise MissingCapability("A model of labels has no intervals that could be exported: leave interval= out.")
    head = model.numbers
    if model.jackknife is None:
        below, above = (skewed_quantile(p, head.skew) for p in (0.5 - 0.5 * coverage, 0.5 + 0.5 * coverage))
        deviation = _whole_deviation(model, x)
        return _on_target(head.scale, _around(on_scale(model, x), -below * deviation, above * deviation))
    reach: Any = const(model.reach(coverage))
    if head.noise is not None:
        reach = reach * _spread(head.noise, x)
    return _on_target(head.scale, _around(on_scale(model, x), reach, reach))


def _whole_deviation(model: Model, x: Node) -> Node:
    """Return the deviation (1,) of a model, as NumberHead does: that of components, and their disagreement."""
    head, components = model.numbers, model.components
    each = [_deviation(component, viewed(component.view, x)) for component in components]
    if head.calibration is None:
        return each[0]
    values = [answer_of(component, x) for component in components]
    if head.limits is not None:
        values = [clipped(value, *head.limits) for value in values]
        each = [apply("min", one, 0.5 * (head.limits[1] - head.limits[0])) for one in each]
    middle = pooled(head.weights, values)
    own = head.weights if head.spread_weights is None else head.spread_weights
    square = pooled(own, [apply("square", one) for one in each])
    square = square + pooled(head.weights, [apply("square", value - middle) for value in values])
    floor = np.zeros(1) if head.floor is None else head.floor
    found = apply("sqrt", head.calibration**2 * square + floor**2)
    beyond = [way * (middle - seen) for seen, way in ((head.seen_from, -1.0), (head.seen_to, 1.0)) if seen is not None]
    if not beyond:
        return found
    unseen = pooled(np.ones(len(beyond)), [apply("exp", log_normal(each / found)) for each in beyond])
    return found * apply("sqrt", 1.0 + (head.unseen**2 - 1.0) * unseen)


def _deviation(component: Component, V: Node) -> Node:
    spread = component.spread
    if isinstance(spread, WeightSpread):
        _, variance = weighed(component, V)
        return spread.unit * apply("sqrt", variance + (spread.noise / spread.unit) ** 2)
    if isinstance(spread, PosteriorSpread):
        _, variance = latent_of(component.kernel_part, spread, V)
        return apply("sqrt", spread.unit**2 * variance + spread.noise**2)
    if isinstance(spread, EvenSpread):
        return const(spread.size)
    if isinstance(spread, SubsetSpread):
        total: Any = const(1.0 + spread.constant)
        part = component.parts[0]
        assert isinstance(part, FunctionPart)
        if len(part.functions):
            values = function_values(part.functions, V) - spread.means
            total = total + reduced("sum", apply("square", times(values, spread.root)))
        return apply("sqrt", total) * np.atleast_1d(spread.noise)
    raise MissingCapability("The model has no intervals that could be exported: leave interval= out.")


def _around(middle: Node, below: Any, above: Any) -> Node:
    if middle.shape != (1,):
        raise MissingCapability(
            f"interval= is for one target, and this model predicts {middle.shape[0]}: leave it out."
        )
    return concatenated([middle - below, middle + above])


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
