"""The protocol of Gold & Sollich (2003): one data set, many random starts, every criterion.

The kernel is k0 exp(-sum_a (x_a - x'_a)^2 / (2 l_a^2)) + koff. The option ``start`` is one of

- "scaled": drawn from the paper's ranges, then lengths scaled to a median squared distance of 2. Without this,
  ln l in [-1, 2] makes the Gram matrix of 20 inputs almost diagonal, which is a plateau;
- "drawn": drawn from the paper's ranges and left so, as the paper starts its ascents;
- "equal": the same with one length for all inputs, as for the paper's figures 5 and 6;
- "fixed": k0 = 1, l = 1, koff = 0.1, C = 1, where all walks of the paper start.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass, replace
from typing import Any

import numpy as np

from kernelect import SVC
from kernelect.criteria import Criterion, CriterionValue, LaplaceEvidence
from kernelect.criteria.svm.binary import SVMCriterion
from kernelect.kernels import ARD, Constant
from kernelect.machines import EP, SVM, Fitted, Hinge
from kernelect.machines.ep.slack import log_kappa
from kernelect.parameters import ParameterSpace
from kernelect.results import SearchResult
from kernelect.search import Budget, Directions, Search, search_along
from kernelect.selection import SelectionObjective
from kernelect.studies.build import build
from kernelect.studies.definition import Method
from kernelect.studies.scoring import Figures
from kernelect.studies.splits import Problem
from kernelect.studies.statistics import rank_correlation
from kernelect.typing import Array, Indices

#: Bounds of k0, koff and C, and of ln l.
_AMPLITUDE, _OFFSET, _C, _LOG_LENGTH = (0.01, 3000.0), (1e-4, 100.0), (0.05, 200.0), (-2.5, 6.0)

#: ln gamma of a length scale of 1.
_LOG_GAMMA = -float(np.log(2.0))

#: Points on the line between two optima, ends included.
_BETWEEN = 21

#: Points of a search that are kept if its way is.
_POINTS = 40


@dataclass(frozen=True)
class EvidenceAtZero(SVMCriterion):
    """LE2 with kappa(C) at the root z = 0 of z = tanh(Cz), which is the wrong one for C > 1: e^(C/2) / 2.

    The paper says that kappa is found numerically from that equation, and not which root was taken.
    """

    name = "laplace-evidence with kappa at z = 0"
    words = LaplaceEvidence.words
    scale_invariant = False
    slacks = ("quadratic",)

    def value(self, fitted: Fitted) -> CriterionValue:
        return self._with_other_constant(LaplaceEvidence().value(fitted), fitted.regularization)

    def value_and_gradient(self, fitted: Fitted) -> CriterionValue:
        return self._with_other_constant(LaplaceEvidence().value_and_gradient(fitted), fitted.regularization)

    def _with_other_constant(self, found: CriterionValue, C: float) -> CriterionValue:
        right, slope = log_kappa(C, quadratic=True)
        value = found.value + right - (0.5 * C - float(np.log(2.0)))
        by_C = None if found.grad_regularization is None else found.grad_regularization + slope - 0.5
        return replace(found, value=value, grad_regularization=by_C)

    def nats(self, value: float, fitted: Fitted) -> tuple[float, float]:
        return LaplaceEvidence().nats(value, fitted)


def search_from_start(problem: Problem, method: Method, needed: Mapping[str, Any] | None, seed: int) -> Figures:
    """Minimise a criterion from one random start; return the machine's errors at the optimum and the search path."""
    del needed
    began = time.thread_time()
    objective, found = _searched(problem, method, seed)
    seconds = time.thread_time() - began
    theta = found.theta
    return {
        **_errors(problem, objective, theta),
        **_final(objective, theta),
        "value": found.value,
        "fit_seconds": seconds,
        "step_seconds": seconds / len(found.trace),
        "evaluations": len(found.trace),
        "status": found.status.value,
        "at_bound": list(objective.space.at_bound(theta)),
        "theta": theta.tolist(),
        **(_evolution(problem, objective, found) if method.options.get("evolution") else {}),
    }


def gradients_on_the_way(problem: Problem, method: Method, needed: Mapping[str, Any] | None, seed: int) -> Figures:
    """Climb the evidence from one start; return the way with the derivative in every parameter, as in figures 5 and 6.

    Derivatives are of the log-evidence per row, in the logarithms of k0, every l, koff and C. ``left`` is how much of
    its largest derivative the median parameter has at the end.
    """
    del needed
    objective, found = _searched(problem, method, seed)
    path = _evolution(problem, objective, found)["path"]
    theta, slopes = np.array(path["theta"]), objective.as_function(gradient=True)
    uphill = -np.array([slopes(point)[1] for point in theta])
    uphill[:, 1:-2] *= -2.0  # gamma = 1 / (2 l^2)
    lengths = [_lengths(point) for point in theta]
    return {
        "left": float(np.median(np.abs(uphill[-1]) / np.abs(uphill).max(axis=0))),
        "path": {
            **path,
            "names": ["k0", *(f"l[{j}]" for j in range(len(lengths[0]))), "koff", "C"],
            "theta": np.column_stack([theta[:, 0], np.log(lengths), theta[:, -2:]]).tolist(),
            "gradient": uphill.tolist(),
            "words": ["minus the evidence", ""],
        },
    }


def two_on_the_way(problem: Problem, method: Method, needed: Mapping[str, Any] | None, seed: int) -> Figures:
    """Minimise a criterion from one random start; return how another one (``beside``) and the test error go along.

    ``agreement`` is the rank correlation of the two criteria over the steps of the search, ``follows`` that of the
    first with the test error.
    """
    del needed
    objective, found = _searched(problem, method, seed)
    figures = _evolution(problem, objective, found)
    path, other = figures["path"], replace(objective, criterion=build(method.options["beside"]))
    path["beside"] = [other.value(np.array(theta)) for theta in path["theta"]]
    return {
        "agreement": rank_correlation(path["value"], path["beside"]),
        "follows": rank_correlation(path["value"], path["error"]),
        "path": {**path, "words": [_axis(objective.criterion), _axis(other.criterion)]},
    }


def _axis(criterion: Criterion) -> str:
    """Return what a criterion's values are; those of an evidence have the opposite sign."""
    return f"minus {criterion.words}" if criterion.words.startswith("the evidence") else criterion.words


def between_optima(problem: Problem, method: Method, needed: Mapping[str, Any] | None, seed: int) -> Figures:
    """Follow the straight line between the optima of two searches from the same start, one of which is ``needed``.

    ``rise`` is how much worse the criterion gets on the way than at the worse end, in percent of the way down from the
    start. ``better`` is 100 if a point between is better than both ends, and 0 if none is.
    """
    assert needed is not None
    objective, found = _searched(problem, method, seed + 1)
    ends = np.array(needed["theta"]), found.theta
    values = [objective.value((1.0 - share) * ends[0] + share * ends[1]) for share in np.linspace(0.0, 1.0, _BETWEEN)]
    inner, outer = values[1:-1], (values[0], values[-1])
    depth = float(found.trace.value[0]) - min(outer)
    return {
        "rise": 100.0 * (max(inner) - max(outer)) / depth,
        "better": 100.0 * (min(inner) < min(outer)),
        "apart": float(np.abs(ends[0] - ends[1]).max()),
    }


def _searched(problem: Problem, method: Method, seed: int) -> tuple[SelectionObjective, SearchResult]:
    """Return a method's objective and where its search ends from the start that belongs to a seed."""
    options = {key: _seeded(build(value), seed) for key, value in method.options.items()}
    objective = _objective(problem, options)
    begin = _start(problem.X, seed, objective.space, options.get("start", "scaled"))
    budget = Budget(
        max_iter=options.get("max_iter", 150),
        tol=options.get("tol", 1e-6),
        relative=_is_latent(objective.criterion) and objective.prior is None,
    )
    return objective, _search(objective, options["search"], begin, budget)


def _seeded(part: Any, seed: int) -> Any:
    """Return a random search or a sampled criterion with the cell's own seed."""
    if is_dataclass(part) and not isinstance(part, type) and hasattr(part, "seed"):
        return replace(part, seed=seed)
    return part


def _objective(problem: Problem, options: Mapping[str, Any]) -> SelectionObjective:
    criterion: Criterion = options["criterion"]
    d, slack = problem.X.shape[1], options.get("slack", "linear")
    kernel = Constant(1.0) * ARD(np.ones(d)) + Constant(0.1)
    machine: Any = EP(Hinge()) if _is_latent(criterion) else SVM(slack)
    space = _space(d, with_constant=not criterion.scale_invariant)
    X, y = problem.X, problem.y.astype(float)
    prior = options.get("prior")
    return SelectionObjective(
        X=X,
        targets=y[:, None],
        weights=np.ones(len(y)),
        kernel=kernel,
        space=space,
        machine=machine,
        criterion=criterion,
        prior=prior,
    )


def _space(d: int, *, with_constant: bool) -> ParameterSpace:
    widths = np.sort(_LOG_GAMMA - 2.0 * np.array(_LOG_LENGTH))  # gamma = 1 / (2 l^2)
    constant = np.log(_C) if with_constant else (0.0, 0.0)
    sides = [(_AMPLITUDE[side], widths[side], _OFFSET[side], constant[side]) for side in (0, 1)]
    lower, upper = (np.array([np.log(k), *[width] * d, np.log(offset), C]) for k, width, offset, C in sides)
    names = ("amplitude", *(f"gamma[{j}]" for j in range(d)), "offset", "C")
    free = np.array([True] * (d + 2) + [with_constant])
    return ParameterSpace(
        names=names,
        start=np.zeros(d + 3),
        lower=lower,
        upper=upper,
        free=free,
        widths=(np.arange(1, d + 1),),
        reference=np.zeros(d + 3),
        amplitudes=np.array([0]),
    )


def random_start(X: Array, seed: int, space: ParameterSpace, lengths: str = "scaled") -> Array:
    """Return a start from the paper's ranges; its lengths are "scaled", or as "drawn", or all "equal" to the first."""
    rng = np.random.default_rng(seed)
    amplitude, offset, C = rng.uniform(-1, 1), rng.uniform(-2, -1), rng.uniform(0.4, 0.8)
    drawn = np.exp(rng.uniform(-1, 2, size=X.shape[1]))
    if lengths == "equal":
        drawn[:] = drawn[0]
    elif lengths == "scaled":
        scaled = X / drawn
        squares = ((scaled[:, None] - scaled) ** 2).sum(axis=-1)[np.triu_indices(len(X), 1)]
        drawn *= np.sqrt(np.median(squares) / 2.0)
    constant = np.log(C) if space.free[-1] else 0.0
    start = np.concatenate([[amplitude], _LOG_GAMMA - 2.0 * np.log(drawn), [offset, constant]])
    return np.clip(start, space.lower, space.upper)


def _start(X: Array, seed: int, space: ParameterSpace, kind: str) -> Array:
    """Return where a search starts; all walks of the paper start at the same point."""
    if kind == "fixed":
        return np.array([0.0, *[_LOG_GAMMA] * X.shape[1], np.log(0.1), 0.0])
    return random_start(X, seed, space, kind)


def _lengths(theta: Array) -> Array:
    """Return the length scales l, whose gamma = 1 / (2 l^2) stand in theta."""
    return np.asarray(np.exp(0.5 * (_LOG_GAMMA - theta[1:-2])), dtype=float)


def _final(objective: SelectionObjective, theta: Array) -> Figures:
    """Return what the paper compares over trials: amplitude, offset, C and the first length scale."""
    found = {"k0": float(np.exp(theta[0])), "koff": float(np.exp(theta[-2])), "length": float(_lengths(theta)[0])}
    return {**found, "C": float(np.exp(theta[-1]))} if objective.space.free[-1] else found


def _is_latent(criterion: Criterion) -> bool:
    """Tell a criterion of the posterior from one of the machine alone."""
    return EP.name in criterion.judges


def _search(objective: SelectionObjective, searching: Search, begin: Array, budget: Budget) -> SearchResult:
    directions = Directions.each_free(objective.space.moved(begin))
    by_gradient = searching.uses_gradient(len(directions))
    return search_along(searching, lambda: objective.as_function(gradient=by_gradient), directions, budget=budget)


def _errors(problem: Problem, objective: SelectionObjective, theta: Array) -> Figures:
    """Return test errors in % of the machine and, if there is a posterior, of its mean."""
    figures = {"error": _error(problem, objective, theta, "svm")}
    if _is_latent(objective.criterion):
        figures["mean_error"] = _error(problem, objective, theta, "posterior-mean")
    return figures


def _error(problem: Problem, objective: SelectionObjective, theta: Array, predictor: str) -> float:
    machine: Any = objective.machine
    slack = "linear" if _is_latent(objective.criterion) else machine.slack
    model = SVC(objective.kernel_at(theta), C=float(np.exp(theta[-1])), slack=slack, predictor=predictor)
    return 100.0 * float(np.mean(model.fit(problem.X, problem.y).predict(problem.X_test) != problem.y_test))


def _evolution(problem: Problem, objective: SelectionObjective, found: SearchResult) -> Figures:
    """Return the way: points, values, gradients and test errors, thinned.

    The paper's "early stopping" column is the smallest test error along the way, a lower limit
    that no one can reach without the test part; it is kept here as ``path_error``.
    """
    rows = _steps_taken(found)
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, _POINTS).astype(int))]
    points = [found.trace.theta[row] for row in rows]
    predictor = "posterior-mean" if _is_latent(objective.criterion) else "svm"
    errors = [_error(problem, objective, theta, predictor) for theta in points]
    return {
        "path_error": min(errors),
        "path": {
            "names": list(objective.space.names),
            "evaluation": rows.tolist(),
            "theta": [point.tolist() for point in points],
            "value": found.trace.value[rows].tolist(),
            "gradient_norm": found.trace.gradient_norm[rows].tolist(),
            "error": errors,
        },
    }


def _steps_taken(found: SearchResult) -> Indices:
    """Return the evaluations that a search went on from: all by gradients, those that improve for a random walk."""
    value = found.trace.value
    if np.isfinite(found.trace.gradient_norm).any():
        return np.arange(len(value))
    return np.unique(np.minimum.accumulate(value), return_index=True)[1][::-1]
