"""Heads of a mixture: what is learned of rows left out, once components are fitted.

Notation: n training rows with weights s, c components, k outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kernelect.criteria.calibration import fit_temperature
from kernelect.kernels import Linear
from kernelect.kernels.composite import OnColumns, Sum
from kernelect.mixture.weights import probability_weights, residual_weights
from kernelect.model import Component, Jackknife, KernelPart, LabelHead, NoiseModel, NumberHead, TargetScale
from kernelect.model.heads import LEAST, mixed
from kernelect.typing import Array, Indices

#: Rows of doubt in each of two classes, and deviation of the logarithm of the sharpness. Members are calibrated: what
#: is left to find is near 1, and where they tell all rows apart their probabilities say more than a count of rows. With
#: Platt's row of doubt and no prior the log-loss of new rows was 12 % higher on 23 small sets of which most classes are
#: nearly separable, and higher on 25 of 43 tables of up to 400 rows (lower on 15).
_DOUBT, _SHARPNESS = 0.03, 0.5

#: Shares of the variance that may be the same for all rows; never all of it, because new rows may be far away.
_EVEN = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)

#: A straight line goes beyond the limits if its error is at most this share of the targets' deviation, and this many
#: times that of the mixture.
_STRAIGHT, _AS_GOOD = 0.2, 2.0

#: No row claims less than this share of the usual variance.
_LEAST_SHARE = 1e-12


def left_out_of(components: Sequence[Component]) -> list[Array]:
    """Return what every component answers for rows left out, (n, k) each."""
    return [component.left_out_answers() for component in components]


def label_shares(components: Sequence[Component], index: Indices, weights: Array) -> Array:
    """Return the weights of components by the probabilities of rows left out; arguments as in :func:`label_head`."""
    kept, values = weights > 0, left_out_of(components)
    own = np.column_stack([each[np.arange(len(index)), index] for each in values])
    return probability_weights(own[kept], weights[kept], _widths(components))


def number_shares(components: Sequence[Component], targets: Array, weights: Array) -> Array:
    """Return the weights of components by the residuals of rows left out; arguments as in :func:`number_head`."""
    kept, values = weights > 0, left_out_of(components)
    spread = targets[kept].std(axis=0)
    spread[spread == 0.0] = 1.0
    residuals = np.stack([(targets - each) / spread for each in values], axis=-1)
    return residual_weights(residuals[kept], weights[kept], _widths(components))


def label_head(
    components: Sequence[Component], classes: Any, index: Indices, weights: Array, folds: Indices | None = None
) -> tuple[LabelHead, Array]:
    """Return the head of labels, and the probabilities (n, n_classes) of rows left out.

    Parameters
    ----------
    components : sequence of Component
        With left-out values.
    classes : ndarray
    index : ndarray of shape (n,)
        Numbers of classes.
    weights : ndarray of shape (n,)
    folds : ndarray of shape (n,), optional
        What is said of the rows of a fold is learned from those of the others; -1 for rows in none.
    """
    values = left_out_of(components)

    def learned(known: Array) -> tuple[LabelHead, Array]:
        shares = label_shares(components, index, known)
        pooled = mixed(shares, values)
        logs = np.log(np.maximum(pooled, LEAST))
        sharpness = fit_temperature(logs, index, known, doubt=_DOUBT, deviation=_SHARPNESS)
        head = LabelHead(classes=classes, weights=shares, sharpness=sharpness)
        return head, head.sharpened(pooled, sharpness)

    head, left_out = learned(weights)
    return head, crossed(left_out, weights, folds, lambda known: learned(known)[1])


def crossed(left_out: Array, weights: Array, folds: Indices | None, said: Callable[[Array], Array]) -> Array:
    """Return what is said of rows left out (n, k) by heads that have not seen them either.

    Weights, temperature and all else that a head learns fit the very rows that it is judged by, if these are few:
    with 100 rows, errors on new ones were 8 % above what its own rows say of it, of which this is a third.

    Parameters
    ----------
    left_out : ndarray of shape (n, k)
        What the head of all rows says.
    weights : ndarray of shape (n,)
    folds : ndarray of shape (n,) or None
        As for :func:`label_head`.
    said : callable
        Returns the same by a head that knows rows with these weights, 0 for those that it does not know.
    """
    if folds is None:
        return left_out
    found = left_out.copy()
    for fold in np.unique(folds[folds >= 0]):
        outside = folds == fold
        known = np.where(outside, 0.0, weights)
        if known.any():
            found[outside] = said(known)[outside]
    return found


def limits_of(targets: Array, beyond: float) -> Array:
    """Return the lowest and highest prediction (2, k): a share of the targets' range beyond them."""
    low, high = targets.min(axis=0), targets.max(axis=0)
    return np.array([low - beyond * (high - low), high + beyond * (high - low)])


def number_head(
    components: Sequence[Component],
    targets: Array,
    weights: Array,
    *,
    scale: TargetScale,
    limits: Array,
    single: bool,
    folds: Indices | None = None,
) -> tuple[NumberHead, Array]:
    """Return the head of numbers, and the predictions (n, k) of rows left out, on the scale.

    Parameters
    ----------
    components : sequence of Component
        With left-out values within the limits.
    targets : ndarray of shape (n, k)
        On the scale.
    weights : ndarray of shape (n,)
    scale : TargetScale
    limits : ndarray of shape (2, k)
    single : bool
        Whether predictions have one dimension.
    folds : ndarray of shape (n,), optional
        As for :func:`label_head`.
    """
    kept = weights > 0
    shares, left_out = number_mix(components, targets, weights, folds)
    residuals = targets - left_out
    if not scale.is_identity:
        scale = scale.calibrated(residuals[kept, 0], weights[kept])
    head = NumberHead(
        weights=shares,
        single=single,
        limits=limits,
        straight=_straight(components, targets[kept], residuals[kept]) if scale.is_identity else None,
        scale=scale,
    )
    return with_deviations(head, components, targets, left_out, weights), left_out


def number_mix(
    components: Sequence[Component], targets: Array, weights: Array, folds: Indices | None = None
) -> tuple[Array, Array]:
    """Return the weights of the components, and the predictions (n, k) of rows left out, on the scale."""
    values, shares = left_out_of(components), number_shares(components, targets, weights)
    left_out = crossed(
        mixed(shares, values), weights, folds, lambda known: mixed(number_shares(components, targets, known), values)
    )
    return shares, left_out


def with_deviations(
    head: NumberHead,
    components: Sequence[Component],
    targets: Array,
    left_out: Array,
    weights: Array,
    noise: NoiseModel | None = None,
) -> NumberHead:
    """Return the head with deviations that the residuals (n, k) of rows left out have.

    Where the spread differs they are judged in units of it, so that rows of a large spread do not decide what the
    others are said to be.
    """
    kept, values = weights > 0, left_out_of(components)
    variance = mixed(
        head.weights, [_variance(c) + (v - left_out)[kept] ** 2 for c, v in zip(components, values, strict=True)]
    )
    unit = 1.0 if noise is None else noise.rows[kept]
    calibration, floor = calibrated_variance(((targets - left_out)[kept] / unit) ** 2, variance, weights[kept])
    return replace(head, calibration=calibration, floor=floor, noise=noise)


def _straight(components: Sequence[Component], targets: Array, residuals: Array) -> int | None:
    """Return the place of a straight line whose errors on rows left out, without limits, support going further."""
    most = np.minimum(_STRAIGHT * targets.std(axis=0), _AS_GOOD * np.sqrt(np.mean(residuals**2, axis=0)))
    for place, component in enumerate(components):
        if is_line(component):
            assert isinstance(component.spread, Jackknife)
            if np.all(np.sqrt(np.mean(component.spread.residuals**2, axis=0)) <= most):
                return place
    return None


def is_line(component: Component) -> bool:
    """Return whether a component is linear in its numbers."""
    part = component.parts[0]
    if component.view.warp is not None or not isinstance(part, KernelPart):
        return False
    kernel = part.kernel.parts[0] if isinstance(part.kernel, Sum) else part.kernel
    return isinstance(kernel.kernel if isinstance(kernel, OnColumns) else kernel, Linear)


def calibrated_variance(squares: Array, variance: Array, weights: Array) -> tuple[Array, Array]:
    """Return factor and floor (k,) with which the variances (n, k) of rows left out are right for squared residuals.

    Factor^2 v + floor^2 has the mean of the squares. How much of it is the same for all rows is what makes the squares
    most likely: at a tiny ridge machines claim to know the targets of inputs that they have seen.
    """
    square, usual = np.average(squares, axis=0, weights=weights), np.average(variance, axis=0, weights=weights)
    relative = variance / np.where(usual > 0.0, usual, 1.0)
    ratio = squares / np.where(square > 0.0, square, 1.0)
    claims = [np.maximum(even + (1.0 - even) * relative, _LEAST_SHARE) for even in _EVEN]
    nats = [np.average(np.log(each) + ratio / each, axis=0, weights=weights) for each in claims]
    even = np.array(_EVEN)[np.argmin(nats, axis=0)]
    unit = square / np.where(usual > 0.0, usual, 1.0)
    return np.sqrt((1.0 - even) * unit), np.sqrt(even * square)


def _variance(component: Component) -> Array:
    assert isinstance(component.spread, Jackknife)
    return component.spread.left_out_variance()


def _widths(components: Sequence[Component]) -> Array:
    return np.array([component.widths for component in components])
