"""From candidate functions to a sparse model: the sequential algorithm.

Notation as in linear.py and posterior.py. For labels, the likelihood is replaced by
its quadratic at the present mode: row precisions B and targets z = Phi w + e / B, hence
D^T B z = D^T (B Phi w + e), which needs no division by a vanishing B.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from kernelect.machines.rvm.algorithm import Algorithm
from kernelect.machines.rvm.likelihoods import NOISE_FLOOR, TargetLikelihood
from kernelect.machines.rvm.linear import Columns, LinearModel
from kernelect.machines.rvm.noise import KnownNoise, ProfiledNoise
from kernelect.machines.rvm.polish import Aim, SparseFit, polish, solve_at
from kernelect.typing import Array, Indices

#: Actions taken on one quadratic before the mode is found again, at most.
_BATCH = 8

#: Single actions that may fail (lower the true evidence) before the sequence ends.
_MAX_FAILURES = 10

#: Rounds of polish and further additions.
_MAX_ROUNDS = 10

#: Functions up to which a pair is tried in their place.
_FEW = 2

#: Exchanges of one function for another that are tried if no single action gains, at most.
_EXCHANGES = 8

#: What an exchange may lose before all precisions have been found anew, in nats.
_WORST_EXCHANGE = 2.0

#: What that may bring at most, in nats: a trial further below is not polished.
_POLISH_GAIN = 2.0

#: A batch of actions that raises the evidence by less is the last before the polish, which converges faster.
_SLOW = 0.5

#: Newton's decrement, and relative rise of the evidence, that are small enough before the last step of all, and
#: for predictions: about a hundredth of a weight's standard deviation.
_ROUGH = 1e-6

_NONE: Indices = np.zeros(0, dtype=np.intp)


@dataclass(frozen=True)
class Sequential(Algorithm):
    """Adds, re-estimates or deletes the one function that gains most (Tipping & Faul 2003).

    It starts with no function, so it costs O(n M) per function added and never factorises more than
    the model. It ends with the exact-gradient polish. After that it adds or exchanges functions as
    long as the evidence rises.

    Parameters
    ----------
    tol : float
        Smallest gain, in nats, for which an action is taken.
    max_steps : int
        Largest number of actions in total.
    polished, bound, price, deadline
        As for every algorithm.
    """

    tol: float = 1e-2
    max_steps: int = 20000

    def fit(self, columns: Columns, likelihood: TargetLikelihood, start: SparseFit | None = None) -> SparseFit:
        run = _QuadraticRun if likelihood.quadratic else _LabelRun
        return run(columns, likelihood, self).run(start)


class _Run(ABC):
    """One run of the sequential algorithm."""

    def __init__(self, columns: Columns, likelihood: TargetLikelihood, options: Sequential) -> None:
        self.columns, self.likelihood, self.options = columns, likelihood, options
        self.steps = 0
        self.least = likelihood.least_alpha(columns.values, columns.squares)

    def run(self, start: SparseFit | None) -> SparseFit:
        fit = self.begun(start)
        if start is None or not self.options.polished:  # a start was polished at nearly this kernel
            fit = self.grow(fit, self.model(fit))
        if start is None and len(fit.active) <= _FEW:
            fit = self.paired(fit)
        for _ in range(_MAX_ROUNDS if self.options.polished else 0):
            fit = polish(self.columns.values, fit, Aim(tol=_ROUGH, deadline=self.options.deadline))
            if self.options.gives_up(fit):
                return fit
            further = self.improved(fit, exchange=start is None)
            if further.log_evidence <= fit.log_evidence + self.options.tol:
                break
            fit = further
        return polish(self.columns.values, fit, Aim(deadline=self.options.deadline)) if self.options.polished else fit

    def begun(self, start: SparseFit | None) -> SparseFit:
        """Return the fit with the functions of ``start``, or with none."""
        if start is None:
            return solve_at(self.columns.values, _NONE, np.zeros(0), self.likelihood)
        values = self.columns.values
        likelihood = self.likelihood.with_noise_precision(start.likelihood.noise_precision)
        least = likelihood.least_alpha(values[:, start.active])  # has moved with the kernel
        alpha = np.maximum(start.posterior.alpha, least)
        return solve_at(values, start.active, alpha, likelihood, start.posterior.weights, _ROUGH)

    def paired(self, fit: SparseFit) -> SparseFit:
        """Return what the constant and one function make together, or ``fit`` if that is no better.

        Functions so wide that each is nearly a constant gain next to nothing alone, and so does the constant.
        """
        null = solve_at(self.columns.values, np.zeros(1, dtype=np.intp), self.loose(), fit.likelihood)
        model = self.model(null)
        model.only_additions = True
        function, alpha, gain = model.best_action()
        if gain <= 0.0:
            return fit
        model.apply(function, alpha)
        self.steps += 2
        pair = self.solved(model, null)
        pair = self.grow(pair, self.model(pair))
        return pair if pair.log_evidence > fit.log_evidence else fit

    def loose(self) -> Array:
        """Return a precision of the constant that lets it move by ten units of the targets."""
        return np.array([0.01 * self.likelihood.noise_precision])

    def improved(self, fit: SparseFit, exchange: bool) -> SparseFit:
        """Return what further functions, or else exchanges, make of a polished fit.

        A run with a start goes without exchanges: it follows a maximum that has had them, and
        a leap to another one would make the criterion that is searched jump.
        """
        model = self.model(fit)
        model.only_additions = True
        further = self.grow(fit, model.copy())
        if not exchange or further.log_evidence > fit.log_evidence + self.options.tol:
            return further
        return self.exchanged(fit, model)

    def exchanged(self, fit: SparseFit, model: LinearModel) -> SparseFit:
        """Return a higher maximum that an exchange of two functions leads to, or ``fit`` itself.

        Adding one function at a time ends in maxima where a better function is kept out by one
        that came first. Whether an exchange is worth trying is seen on the linear model.
        """
        goal = fit.log_evidence + self.options.tol
        for gain, leaves, comes, alpha in model.exchanges()[:_EXCHANGES]:
            if gain < -_WORST_EXCHANGE or not self.left():
                break
            trial = model.copy()
            trial.ban(leaves)
            trial.apply(leaves, np.inf)
            trial.apply(comes, alpha)
            self.steps += 2 + len(trial.advance(min(_BATCH, self.left()), self.options.tol))
            found = self.solved(trial, fit)
            if found.log_evidence > fit.log_evidence - _POLISH_GAIN:
                found = polish(self.columns.values, found, Aim(tol=_ROUGH, goal=goal, deadline=self.options.deadline))
            if found.log_evidence > goal:
                return found
        return fit

    @abstractmethod
    def model(self, fit: SparseFit) -> LinearModel:
        """Return the linear model at ``fit``."""

    @abstractmethod
    def solved(self, model: LinearModel, fit: SparseFit) -> SparseFit:
        """Return the fit with the functions and precisions of ``model``; ``fit`` is where it came from."""

    @abstractmethod
    def grow(self, fit: SparseFit, model: LinearModel) -> SparseFit:
        """Take actions from ``fit``, whose linear model is given, until none gains; never returns a lower evidence."""

    def left(self) -> int:
        """Return how many actions may still be taken: a first few, however little time there is."""
        if self.steps >= _BATCH and self.options.deadline.passed:
            return 0
        return max(self.options.max_steps - self.steps, 0)


class _QuadraticRun(_Run):
    """The linear model is exact, and its noise is profiled out: one sequence of actions."""

    def model(self, fit: SparseFit) -> LinearModel:
        likelihood = fit.likelihood
        s, t = likelihood.sample_weight, likelihood.targets
        return LinearModel(
            self.columns,
            s,
            s * t,
            ProfiledNoise(likelihood.n_observations),
            fit.active,
            fit.posterior.alpha / likelihood.noise_precision,
            self.least / self.likelihood.noise_precision,
            floor=NOISE_FLOOR * float(s @ t**2),
        )

    def solved(self, model: LinearModel, fit: SparseFit) -> SparseFit:
        precision = fit.likelihood.n_observations / model.energy
        likelihood = fit.likelihood.with_noise_precision(precision)
        return solve_at(self.columns.values, model.active, precision * model.alpha, likelihood)

    def grow(self, fit: SparseFit, model: LinearModel) -> SparseFit:
        gain = np.inf
        while self.left() and gain > (_SLOW if self.options.polished else 0.0):
            taken = model.advance(min(_BATCH, self.left()), self.options.tol)
            self.steps += len(taken)
            gain = sum(each for _, each in taken)
        grown = self.solved(model, fit)
        return grown if grown.log_evidence > fit.log_evidence else fit


class _LabelRun(_Run):
    """Batches of actions on the quadratic at the mode, each checked against the true evidence."""

    def grow(self, fit: SparseFit, model: LinearModel) -> SparseFit:
        batch, failures, lasting = _BATCH, 0, True
        while failures < _MAX_FAILURES and self.left():
            ahead = model.copy()
            taken = ahead.advance(min(batch, self.left()), self.options.tol)
            if not taken:
                break
            self.steps += len(taken)
            trial = self.solved(ahead, fit)
            rise = trial.log_evidence - fit.log_evidence
            if rise > 0.0:
                converging = len(trial.active) <= len(fit.active) and rise < _SLOW
                # One success at a small size is not enough: the next larger one has just failed.
                fit, batch, lasting = trial, min(2 * batch, _BATCH) if lasting else batch, True
                if converging and self.options.polished:
                    break
                model = self.model(fit)
            elif not (self.options.polished or model.only_additions):
                model.only_additions = (
                    True  # it is mostly re-estimations that fail, and there is no polish to do them better
                )
            elif batch > 1 and len(taken) > 1:
                batch, lasting = max(min(batch, len(taken)) // 2, 1), False
            else:
                failures, lasting = failures + 1, False
                model.ban(taken[0][0])
        return fit

    def model(self, fit: SparseFit) -> LinearModel:
        slopes = fit.posterior.slopes
        latent = self.columns.values[:, fit.active] @ fit.posterior.weights
        return LinearModel(
            self.columns,
            slopes.curvature,
            slopes.curvature * latent + slopes.error,
            KnownNoise(),
            fit.active,
            fit.posterior.alpha,
            self.least,
        )

    def solved(self, model: LinearModel, fit: SparseFit) -> SparseFit:
        return solve_at(self.columns.values, model.active, model.alpha, self.likelihood, model.mean, _ROUGH)
