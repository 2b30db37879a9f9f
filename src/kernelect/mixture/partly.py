"""Targets known in part: weights of members, and the noise around the mixture, from what is known of rows left out.

Notation: a <= t <= b what is known of a row's target on the scale (a = b: the number itself), m and s what a member
says of it when it is left out: location and deviation of a new observation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import minimize

from kernelect.mixture.base import Member
from kernelect.mixture.heads import limits_of
from kernelect.mixture.weights import probability_weights
from kernelect.model import Component, NumberHead
from kernelect.numerics import skewed_log_density, skewed_log_tail, skewed_tail
from kernelect.typing import Array

#: Deviations of a normal prior around the noise that members claim: its shift in units of itself, the logarithm of its
#: size, and its skewness. Few events say little of them.
_USUAL = np.array([0.5, 0.5, 1.0])

#: Predictions go no further beyond what is known of targets than this share of its range, on the scale.
BEYOND_KNOWN = 1.0

#: Largest skewness on either side.
_MOST_SKEWED = 2.0

#: Probabilities are taken no smaller than this if their logarithm is needed.
_LEAST = 1e-300


def stand_ins(limits: Array) -> Array:
    """Return a number for each row: itself, or a limit that is known; 0 if nothing is."""
    known = np.where(np.isfinite(limits[:, 0]), limits[:, 0], limits[:, 1])
    return np.where(np.isfinite(known), known, 0.0)


def bounds(values: Array) -> Array | None:
    """Return the lowest and highest prediction (2, 1) for what is known of targets; None if that is one number only."""
    return limits_of(values[:, None], BEYOND_KNOWN) if len(values) and np.ptp(values) > 0.0 else None


def hidden_sides(limits: Array) -> Array:
    """Return whether targets (n, 2) are hidden below, and above: nothing but a limit is known of some."""
    return np.any(np.isinf(limits) & np.isfinite(limits[:, ::-1]), axis=0)


def known(component: Component) -> Array:
    """Return location and deviation (n, 2) of every row's target when the row is left out."""
    assert component.claimed is not None
    return np.column_stack([component.left_out_answers()[:, 0], component.claimed[:, 0]])


def log_likelihood(limits: Array, said: Array, skew: float = 0.0) -> Array:
    """Return ln P(a <= t <= b), the log density of a number, for locations and deviations ``said`` (n, 2)."""
    mean, deviation = said.T
    z = (limits - mean[:, None]) / deviation[:, None]
    found = skewed_log_tail(z[:, 0], skew)  # where nothing is known but the lower limit
    number, cut = limits[:, 0] == limits[:, 1], np.isfinite(limits[:, 1])
    found[number] = skewed_log_density(z[number, 0], skew) - np.log(deviation[number])
    cut &= ~number
    if cut.any():
        inside = skewed_tail(z[cut, 0], skew) - skewed_tail(z[cut, 1], skew)
        found[cut] = np.log(np.maximum(inside, _LEAST))
    return found


def partly_shares(components: Sequence[Component], limits: Array, weights: Array) -> Array:
    """Return the weights of components by the likelihood of what is known of rows left out.

    Parameters
    ----------
    components : sequence of Component
        With left-out values and the deviations that they claim.
    limits : ndarray of shape (n, 2)
        On the scale.
    weights : ndarray of shape (n,)
    """
    kept = weights > 0
    logs = np.column_stack([log_likelihood(limits[kept], known(each)[kept]) for each in components])
    share = np.exp(logs - logs.max(axis=1, keepdims=True))
    return probability_weights(share, weights[kept], np.array([each.widths for each in components]))


def partly_head(
    components: Sequence[Component],
    limits: Array,
    weights: Array,
    head: NumberHead,
    *,
    skewed: bool,
    own: Sequence[bool] | None = None,
) -> tuple[NumberHead, float, Array]:
    """Return the head with weights and noise, how far all components move, and what is said of rows left out (n, 2).

    Parameters
    ----------
    components, limits, weights
        As for :func:`partly_shares`.
    head : NumberHead
        With the scale and the limits of predictions.
    skewed : bool
        Whether the noise may lean to one side. Its median is then what is predicted.
    own : sequence of bool, optional
        Which components know their own deviations, all unless given.
    """
    shares, kept = partly_shares(components, limits, weights), weights > 0
    means, deviations = zip(*((each[:, :1], each[:, 1:]) for each in map(known, components)), strict=True)
    head = replace(head, weights=shares, calibration=np.ones(1))
    if own is not None and 0 < sum(own) < len(own):
        knowing = shares * np.array(own)
        head = replace(head, spread_weights=knowing / knowing.sum())
    said = np.column_stack([head.on_scale(means), head.deviation(means, deviations)])
    shift, factor, skew = noise_around(limits[kept], said[kept], weights[kept], skewed=skewed)
    said = np.column_stack([said[:, 0] + shift, factor * said[:, 1]])
    if head.limits is not None:
        head = replace(head, limits=head.limits + shift)
    return replace(head, calibration=np.array([factor]), skew=skew), shift, said


def noise_around(limits: Array, said: Array, weights: Array, *, skewed: bool) -> tuple[float, float, float]:
    """Return shift, factor and skewness of the noise, the most likely ones under a prior that it is as claimed."""
    usual, free = float(np.sqrt(np.mean(said[:, 1] ** 2))), np.array([skewed, True, skewed])

    def noise(place: Array) -> tuple[float, float, float]:
        shift, log_factor, skew = np.where(free, place, 0.0)
        return float(shift * usual), float(np.exp(log_factor)), float(np.clip(skew, -_MOST_SKEWED, _MOST_SKEWED))

    def loss(place: Array) -> float:
        shift, factor, skew = noise(place)
        moved = np.column_stack([said[:, 0] + shift, factor * said[:, 1]])
        likelihood = weights @ log_likelihood(limits, moved, skew)
        return 0.5 * float(np.sum((np.where(free, place, 0.0) / _USUAL) ** 2)) - float(likelihood)

    simplex = np.vstack([np.zeros(3), 0.3 * np.eye(3)])
    options = {"initial_simplex": simplex, "maxiter": 300, "xatol": 1e-3, "fatol": 1e-3}
    return noise(minimize(loss, np.zeros(3), method="Nelder-Mead", options=options).x)


def shifted(member: Member, shift: float) -> Member:
    """Return a member that says so much more, of rows left out too."""
    component = member.component
    assert component.left_out is not None
    moved = replace(component, constant=component.constant + shift, left_out=component.left_out + shift)
    return replace(member, component=moved)
