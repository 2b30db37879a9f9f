"""Intervals in the operations of a graph: how far from a prediction a new observation may lie.

Jackknife+ takes what every machine without one of the rows says: a matrix of all rows for each member of a mixture. The
plain jackknife takes one number and the spread at the row, and is what an export carries.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from scipy.stats import norm

from kernelect.estimators import LSSVR, RVR, BasisSearchRegressor
from kernelect.exceptions import MissingCapability
from kernelect.export.functions import function_values
from kernelect.export.graph import Node, apply, clipped, const, join, reduced, times
from kernelect.export.machines import outputs_of, weighed
from kernelect.export.mixtures import on_scale
from kernelect.mixture import KernelRegressor
from kernelect.mixture.regressor import WHOLE
from kernelect.mixture.scales import ANSCOMBE, SpreadModel, TargetScale


@singledispatch
def ends_of(machine: Any, x: Node, coverage: float) -> Node:
    """Return lower and upper end (2,) of the interval at inputs ``x`` of a machine that predicts one number."""
    raise MissingCapability(f"{type(machine).__name__} has no intervals that could be exported: leave interval= out.")


@ends_of.register
def _(machine: LSSVR, x: Node, coverage: float) -> Node:
    return _around(outputs_of(machine, x).result, machine._reach(coverage))


@ends_of.register
def _(machine: KernelRegressor, x: Node, coverage: float) -> Node:
    reach = const(machine._reach(coverage))
    if machine._noise is not None:
        reach = reach * _spread(machine._noise, x)
    return _on_target(machine.target_scale_, _around(on_scale(machine, x), reach))


@ends_of.register
def _(machine: RVR, x: Node, coverage: float) -> Node:
    _, variance = weighed(machine, x)
    deviation = machine._unit * apply("sqrt", variance + (machine.noise_ / machine._unit) ** 2)
    return _around(outputs_of(machine, x).result, _normal_reach(coverage) * deviation)


@ends_of.register
def _(machine: BasisSearchRegressor, x: Node, coverage: float) -> Node:
    spread = const(1.0 + machine._intercept_variance)
    if len(machine.support_):
        values = function_values(machine.functions_, x) - machine._means
        spread = spread + reduced("sum", apply("square", times(values, machine._root)))
    deviation = apply("sqrt", spread) * np.atleast_1d(machine.noise_)
    return _around(outputs_of(machine, x).result, _normal_reach(coverage) * deviation)


def _normal_reach(coverage: float) -> float:
    return float(norm.ppf(0.5 + 0.5 * coverage))


def _around(middle: Node, reach: Any) -> Node:
    if middle.shape != (1,):
        raise MissingCapability(
            f"interval= is for one target, and this model predicts {middle.shape[0]}: leave it out."
        )
    return join([middle - reach, middle + reach])


def _spread(noise: SpreadModel, x: Node) -> Node:
    """Return the spread at a row in units of the usual one, as SpreadModel does."""
    logs = outputs_of(noise.estimator, x).result
    return apply("exp", clipped(logs, noise.low, noise.high)) / noise.usual


def _on_target(scale: TargetScale, ends: Node) -> Node:
    """Return ends on the target's own scale, as KernelRegressor does; those of counts are whole."""
    if not scale.is_identity:
        ends = clipped(ends, scale.low, scale.high)
    if scale.name == "sqrt":
        root = apply("max", ends, 0.0)
        ends = root * root - ANSCOMBE
    elif scale.name in ("log", "log1p"):
        ends = apply("exp", ends) - (1.0 if scale.name == "log1p" else 0.0)
    if not scale.bounded:
        return ends
    # Down for the lower end, up for the upper one: -floor(-u).
    ends, way = apply("max", ends, 0.0), np.array([1.0, -1.0])
    return apply("floor", ends * way + WHOLE) * way
