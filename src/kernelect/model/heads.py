"""Heads: how the answers of a model's components become its own.

Notation: c components with weights w that sum to 1, k outputs, m rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import log_expit, log_softmax, logsumexp, ndtr, softmax

from kernelect.model.component import Component
from kernelect.model.decisions import Decision
from kernelect.model.scales import TargetScale
from kernelect.typing import Array

#: Probabilities are taken no smaller than this if their logarithm is needed.
LEAST = 1e-12

#: An end of an interval of counts may lie this far beyond a whole number: rounding is no further count.
WHOLE = 1e-9


def mixed(weights: Array, values: Sequence[Array]) -> Array:
    """Return the weighted sum of what components answer."""
    return np.asarray(np.tensordot(weights, np.array(values), axes=1), dtype=float)


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelHead:
    """Labels: probabilities are pooled and sharpened.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    weights : ndarray of shape (c,)
    pool : "probabilities" or "log-odds"
        What is averaged: probabilities of all classes, or those of each class against the rest.
    sharpness : float or None
        p^a / sum p^a follows the pool: sure components that disagree are less sure than they should be.
    decision : Decision or None
        How probabilities become a class; None for the most probable one.
    """

    classes: Any
    weights: Array
    pool: str = "probabilities"
    sharpness: float | None = None
    decision: Decision | None = None

    def decisions(self, values: Sequence[Array]) -> Array:
        """Return decision values (m, k) from those of the components."""
        if len(values) == 1:
            return values[0]
        z, w = np.array(values), self.weights[:, None, None]
        return np.asarray(logsumexp(log_expit(z), b=w, axis=0) - logsumexp(log_expit(-z), b=w, axis=0), dtype=float)

    def probabilities(self, answers: Sequence[Array]) -> Array:
        """Return probabilities (m, n_classes) from those of the components."""
        pooled = mixed(self.weights, answers) if len(answers) > 1 else answers[0]
        return pooled if self.sharpness is None else self.sharpened(pooled, self.sharpness)

    def log_probabilities(self, answers: Sequence[Array]) -> Array:
        """Return logarithms (m, n_classes) of the probabilities, from those of the components."""
        pooled = answers[0]
        if len(answers) > 1:
            pooled = logsumexp(np.array(answers), b=self.weights[:, None, None], axis=0)
        if self.sharpness is not None:
            pooled = log_softmax(self.sharpness * np.maximum(pooled, np.log(LEAST)), axis=1)
        return np.asarray(pooled, dtype=float)

    @staticmethod
    def sharpened(pooled: Array, sharpness: float) -> Array:
        """Return p^a / sum p^a."""
        return np.asarray(softmax(sharpness * np.log(np.maximum(pooled, LEAST)), axis=1), dtype=float)

    def chosen(self, probability: Array) -> Any:
        """Return the labels that probabilities lead to."""
        places = np.argmax(probability, axis=1) if self.decision is None else self.decision(probability)
        return self.classes[places]


@dataclass(frozen=True, eq=False, kw_only=True)
class NoiseModel:
    """Where the spread is larger: a component that predicts the logarithm of the residuals' size.

    Attributes
    ----------
    component : Component
    low, high : float
        Between these lie its predictions.
    usual : float
        Root mean square of the spread over the training rows, in whose unit spreads are given.
    rows : ndarray of shape (n, 1)
        The spread at the training rows, each as the model says it without that row.
    """

    component: Component
    low: float
    high: float
    usual: float = 1.0
    rows: Array = field(default_factory=lambda: np.zeros((0, 1)))

    def __call__(self, Z: Array) -> Array:
        """Return spreads (m, 1) in units of the usual one."""
        logs = self.component.mean(self.component.view(Z))
        return np.asarray(np.exp(np.clip(logs, self.low, self.high)) / self.usual, dtype=float)


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberHead:
    """Numbers: predictions are averaged within limits and taken back to the target's own scale.

    Attributes
    ----------
    weights : ndarray of shape (c,)
    single : bool
        Whether predictions have one dimension.
    limits : ndarray of shape (2, k) or None
        Lowest and highest value on the scale that a component may predict.
    straight : int or None
        Place of a straight line that rows left out support: what it predicts beyond the limits is added in full.
    scale : TargetScale
    calibration : ndarray of shape (k,) or None
        What deviations are multiplied by, so that residuals of rows left out have them.
    floor : ndarray of shape (k,) or None
        The part of deviations that is the same everywhere; 0 if it is None.
    noise : NoiseModel or None
        If the spread differs between rows.
    spread_weights : ndarray of shape (c,) or None
        Weights of components' own deviations; ``weights`` if it is None. Those that borrow what others know have 0.
    skew : float
        To which side new observations lean, around a median that is predicted (:mod:`kernelect.numerics.skewed`); 0 if
        they are normal.
    seen_from, seen_to : float or None
        Least and largest number that was seen on the scale, on a side where other targets were limits only.
    unseen : float
        What deviations are multiplied by if a target lies beyond them; by less, if it may.
    """

    weights: Array
    single: bool = True
    limits: Array | None = None
    straight: int | None = None
    scale: TargetScale = field(default_factory=TargetScale)
    calibration: Array | None = None
    floor: Array | None = None
    noise: NoiseModel | None = None
    spread_weights: Array | None = None
    skew: float = 0.0
    seen_from: float | None = None
    seen_to: float | None = None
    unseen: float = 1.0

    def within(self, values: Array) -> Array:
        """Return predictions of a component within the limits."""
        return values if self.limits is None else np.clip(values, *self.limits)

    def on_scale(self, answers: Sequence[Array]) -> Array:
        """Return what the model predicts on the scale, (m, k)."""
        if len(answers) == 1:
            return self.within(answers[0])
        found = self._limited(answers)
        if self.straight is None:
            return found
        line = answers[self.straight]
        return np.asarray(found + (line - self.within(line)), dtype=float)

    def _limited(self, answers: Sequence[Array]) -> Array:
        return mixed(self.weights, [self.within(each) for each in answers])

    def deviation(self, answers: Sequence[Array], deviations: Sequence[Array]) -> Array:
        """Return the deviation on the scale (m, k): that of components, and their disagreement."""
        if len(answers) == 1 and self.calibration is None:
            return deviations[0]
        mean = self._limited(answers)
        # As predictions do, deviations stay within limits: off a grid of equal rows some kernels know nothing at all.
        most = np.inf if self.limits is None else 0.5 * (self.limits[1] - self.limits[0])
        own = self.weights if self.spread_weights is None else self.spread_weights
        square = mixed(own, [np.minimum(each, most) ** 2 for each in deviations])
        square = square + mixed(self.weights, [(self.within(value) - mean) ** 2 for value in answers])
        factor = 1.0 if self.calibration is None else self.calibration
        floor = 0.0 if self.floor is None else self.floor
        return self.widened(mean, np.sqrt(factor**2 * square + floor**2))

    def widened(self, mean: Array, deviation: Array) -> Array:
        """Return larger deviations, the more probably a normal target lies where there was no number."""
        if self.unseen == 1.0:
            return deviation
        beyond = [] if self.seen_from is None else [self.seen_from - mean]
        beyond += [] if self.seen_to is None else [mean - self.seen_to]
        share = sum(ndtr(each / deviation) for each in beyond)
        return np.asarray(deviation * np.sqrt(1.0 + (self.unseen**2 - 1.0) * share), dtype=float)

    def quantiles(self, p: float, mean: Array, deviation: Array) -> Array:
        """Return what new observations are below with probability p, on the scale."""
        from kernelect.numerics import skewed_quantile

        return mean + skewed_quantile(p, self.skew) * deviation

    def survival(self, mean: Array, deviation: Array, at: Array) -> Array:
        """Return the probabilities (m, n_at) that new observations of one target are above ``at``, on the scale."""
        from kernelect.numerics import skewed_tail

        return skewed_tail((at - mean) / deviation, self.skew)

    def ends(self, lower: Array, upper: Array) -> tuple[Array, Array]:
        """Return ends of intervals (m, k) on the target's own scale."""
        lower, upper = self.scale.backward(lower), self.scale.backward(upper)
        if self.scale.bounded:  # counts are whole
            lower, upper = np.floor(lower + WHOLE), np.ceil(upper - WHOLE)
        return self.shaped(lower), self.shaped(upper)

    def shaped(self, values: Array) -> Array:
        """Return (m, k) values as targets were given."""
        return values[:, 0] if self.single else values
