"""Searches that follow the gradient: L-BFGS-B (SciPy) and scaled conjugate gradients."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from kernelect.results import Status
from kernelect.search.base import Recorder, Search, StopSearch
from kernelect.search.onward import go_on
from kernelect.search.secant import SecantModel, projected
from kernelect.typing import Array

#: Where a search goes by what is left to gain: share of ``tol`` that a decrease may be before it ends it all the same.
_STALLED = 1e-2

#: Points of a line search close to the optimum of a function that jumps: if none of these is lower, hardly any is.
_FEW_TRIES = 5

#: Iterations from which a search has learned something of the curvature.
_LEARNED = 3

#: Parameters up to which the inverse Hessian is handed on: beyond, the square matrix takes longer than the search, and
#: its few steps say nothing of most directions.
_LARGEST_INVERSE = 1000


@dataclass(frozen=True)
class LBFGS(Search):
    """Limited-memory BFGS within bounds (SciPy's L-BFGS-B), the default.

    Parameters
    ----------
    first_step : float, optional
        Length of the first step, in log units. If all parameters have bounds, SciPy's own first step is the gradient
        itself, which depends on the criterion's units. A large one leaves the basin of the start, and a small one is
        mistaken for convergence.
    inverse : tuple of tuple of float, optional
        The inverse Hessian that a search of a similar function has learned; this search continues from it. A search
        over another number of parameters does not use it.
    tries : int
        Largest number of points that a line search looks at.
    """

    first_step: float | None = None
    inverse: tuple[tuple[float, ...], ...] = ()
    tries: int = 20
    name = "lbfgs"

    def with_first_step(self, length: float) -> Search:
        return replace(self, first_step=length) if self.first_step is None else self

    def handed(self, inverse: Array | None) -> LBFGS:
        return self if inverse is None else replace(self, inverse=tuple(map(tuple, inverse.tolist())))

    def nearby(self, inverse: Array | None = None) -> Search:
        return replace(self.handed(inverse), tries=_FEW_TRIES)

    def _run(self, evaluate: Recorder, start: Array, lower: Array, upper: Array) -> tuple[Status, str]:
        if len(self.inverse) == len(start):
            return go_on(evaluate, start, lower, upper, inverse=np.array(self.inverse))
        budget, place = evaluate.budget, self._place(evaluate, start, lower, upper)
        watch = _Watch(place, budget.gain)
        try:
            return self._with_scipy(place, start, watch)
        finally:
            evaluate.inverse = watch.learned()

    def _with_scipy(self, place: _Place, start: Array, watch: _Watch) -> tuple[Status, str]:
        budget = place.evaluate.budget
        tol = budget.tol if budget.gain is None else _STALLED * budget.tol
        outcome = minimize(
            place,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=np.column_stack([place.lower, place.upper]),
            callback=watch,
            # SciPy takes the decrease relative to the value, or to 1 if that is larger.
            options={
                "maxiter": budget.max_iter,
                "ftol": tol * place.size,
                "gtol": 1e-6,
                "maxcor": 20,
                "maxls": self.tries,
            },
        )
        if outcome.success:
            return Status.CONVERGED, str(outcome.message)
        return (Status.MAX_ITER if outcome.nit >= budget.max_iter else Status.STALLED), str(outcome.message)

    def _place(self, evaluate: Recorder, start: Array, lower: Array, upper: Array) -> _Place:
        """Return the function in units in which the first step has its length."""
        place = _Place(evaluate=evaluate, lower=lower, upper=upper)
        if self.first_step is None:
            return place
        value, gradient = evaluate(start)
        length = float(np.linalg.norm(projected(gradient, start, lower, upper)))
        place.known = start, value, gradient
        place.scale = self.first_step / length if length > 0.0 else 1.0
        place.size = min(abs(place.scale * value), 1.0)
        return place


@dataclass(kw_only=True)
class _Place:
    """The function within bounds, its value times ``scale``, of the size ``size``."""

    evaluate: Recorder
    lower: Array
    upper: Array
    scale: float = 1.0
    size: float = 1.0
    first: tuple[Array, Array] | None = None  # the start and its gradient
    last: tuple[Array, Array] | None = None  # the same of the point before
    known: tuple[Array, float, Array] | None = None  # the start, its value and gradient, if it was evaluated before

    def __call__(self, x: Array) -> tuple[float, Array]:
        x = np.clip(x, self.lower, self.upper)
        before = self.known is not None and np.array_equal(x, self.known[0])
        value, gradient = self.known[1:] if self.known is not None and before else self.evaluate(x)
        self.last = x, gradient
        self.first = self.first or self.last
        return self.scale * value, self.scale * gradient


class _Watch:
    """Called after every iteration: learns the curvature, and ends a search that this model expects too little of."""

    def __init__(self, place: _Place, gain: float | None) -> None:
        self.place, self.gain = place, gain
        self.model, self.whole_way = SecantModel(), SecantModel()

    def __call__(self, xk: Array) -> None:
        place = self.place
        assert place.first is not None
        assert place.last is not None
        if not self.whole_way.pairs:
            self.whole_way.note(*place.first)
        x, gradient = place.last  # an iteration ends at the point that its line search looked at last
        if not np.allclose(x, xk, rtol=0.0, atol=1e-12):
            return
        self.model.note(x, gradient)
        self.whole_way.note(x, gradient)
        if self.model.pairs < _LEARNED:
            return
        inner = projected(gradient, x, place.lower, place.upper)
        if self.gain is not None and self.model.expected(inner) * place.evaluate.unit < self.gain:
            raise StopSearch(Status.CONVERGED)

    def learned(self) -> Array | None:
        """Return the inverse Hessian, if enough steps have shown it and parameters are not too many."""
        shown = self.whole_way.pairs >= _LEARNED and len(self.place.lower) <= _LARGEST_INVERSE
        return self.whole_way.inverse() if shown else None


class ScaledConjugateGradients(Search):
    """Moller's scaled conjugate gradients with Williams' Marquardt-style step control.

    There is no line search. The curvature along the direction comes from a gradient difference, and a scale (lambda)
    grows if a quadratic model predicts badly. This is the search of Cawley & Talbot (2007). Projection keeps the
    search within bounds.

    References
    ----------
    M. F. Moller. A scaled conjugate gradient algorithm for fast supervised learning.
    Neural Networks 6 (1993) 525-533.
    """

    name = "scg"

    _PROBE = 1e-4
    _PATIENCE = 3
    _LARGEST_SCALE = 1e15

    def _run(self, evaluate: Recorder, start: Array, lower: Array, upper: Array) -> tuple[Status, str]:
        budget = evaluate.budget
        x = start
        value, gradient = evaluate(x)
        gradient = projected(gradient, x, lower, upper)
        direction, scale, small_steps, since_restart = -gradient, 1e-2, 0, 0
        for _ in range(budget.max_iter):
            slope = float(direction @ gradient)
            if slope >= 0.0:
                direction, slope, since_restart = -gradient, -float(gradient @ gradient), 0
            length = float(direction @ direction)
            if length < 1e-16:
                return Status.CONVERGED, "the gradient vanishes"
            curvature = self._curvature(evaluate, x, direction, gradient, lower, upper) + scale * length
            if curvature <= 0.0:  # make the model convex (Moller, step 4)
                curvature, scale = scale * length, 2.0 * (scale - curvature / length)
            trial = np.clip(x - slope / curvature * direction, lower, upper)
            trial_value, trial_gradient = evaluate(trial)
            moved = trial - x
            predicted = -float(gradient @ moved) - 0.5 * curvature * float(moved @ moved) / length
            quality = (value - trial_value) / predicted if predicted > 0.0 else -1.0
            if quality >= 0.0 and trial_value <= value:
                decrease = value - trial_value
                new_gradient = projected(trial_gradient, trial, lower, upper)
                small_steps = small_steps + 1 if decrease <= budget.tol * max(abs(value), 1.0) else 0
                if small_steps >= self._PATIENCE:
                    return Status.CONVERGED, "the decrease is below tol"
                since_restart += 1
                if since_restart % len(start) == 0:
                    direction = -new_gradient
                else:  # Polak-Ribiere in Moller's form
                    beta = float(new_gradient @ new_gradient - new_gradient @ gradient) / -slope
                    direction = -new_gradient + max(beta, 0.0) * direction
                x, value, gradient = trial, trial_value, new_gradient
            else:
                quality = min(quality, 0.0)
            if quality > 0.75:
                scale = max(0.25 * scale, 1e-15)
            elif quality < 0.25:
                scale = min(max(4.0 * scale, 1e-8), self._LARGEST_SCALE)
                if scale >= self._LARGEST_SCALE:
                    return Status.STALLED, "no step improves the criterion"
        return Status.MAX_ITER, "iteration limit"

    def _curvature(
        self, evaluate: Recorder, x: Array, direction: Array, gradient: Array, lower: Array, upper: Array
    ) -> float:
        """Return direction^T H direction from a gradient difference."""
        step = self._PROBE / float(np.linalg.norm(direction))
        probe = np.clip(x + step * direction, lower, upper)
        _, ahead = evaluate(probe)
        ahead = np.where((x <= lower) | (x >= upper), gradient, ahead)
        return float(direction @ (ahead - gradient)) / step
