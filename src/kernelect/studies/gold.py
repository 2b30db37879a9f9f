"""The protocol of Gold & Sollich (2003): one data set, many random starts, every criterion.

The kernel is k0 exp(-sum_a (x_a - x'_a)^2 / (2 l_a^2)) + koff. A start is drawn from the paper's ranges;
then its lengths are scaled to a median squared distance of 2. Without this, ln l in [-1, 2] makes the
Gram matrix of 20 inputs almost diagonal, which is a plateau.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np

from kernelect import SVC
from kernelect.criteria import Criterion
from kernelect.kernels import ARD, Constant
from kernelect.machines import EP, SVM, Hinge
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

#: Points of a search that are kept where its way is.
_POINTS = 40


def search_from_start(problem: Problem, method: Method, needed: Mapping[str, Any] | None, seed: int) -> Figures:
    """Minimise a criterion from one random start; return the machine's errors at the optimum and the search path."""
    del needed
    began = time.thread_time()
    objective, found = _searched(problem, method, seed)
    seconds = time.thread_time() - began
    theta = found.theta
    return {
        **_errors(problem, objective, theta),
        "value": found.value,
        "fit_seconds": seconds,
        "evaluations": len(found.trace),
        "status": found.status.value,
        "at_bound": list(objective.space.at_bound(theta)),
        "theta": theta.tolist(),
        **(_evolution(problem, objective, found) if method.options.get("evolution") else {}),
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
        "path": {**path, "words": [objective.criterion.words, other.criterion.words]},
    }


def _searched(problem: Problem, method: Method, seed: int) -> tuple[SelectionObjective, SearchResult]:
    """Return a method's objective and where its search ends from the start that belongs to a seed."""
    options = {key: _seeded(build(value), seed) for key, value in method.options.items()}
    objective = _objective(problem, options)
    begin = random_start(problem.X, seed, objective.space)
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
    widths = np.sort(-np.log(2.0) - 2.0 * np.array(_LOG_LENGTH))  # gamma = 1 / (2 l^2)
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


def random_start(X: Array, seed: int, space: ParameterSpace) -> Array:
    """Return a start from the paper's ranges, with scaled lengths."""
    rng = np.random.default_rng(seed)
    amplitude, offset, C = rng.uniform(-1, 1), rng.uniform(-2, -1), rng.uniform(0.4, 0.8)
    lengths = np.exp(rng.uniform(-1, 2, size=X.shape[1]))
    scaled = X / lengths
    squares = ((scaled[:, None] - scaled) ** 2).sum(axis=-1)[np.triu_indices(len(X), 1)]
    lengths *= np.sqrt(np.median(squares) / 2.0)
    constant = np.log(C) if space.free[-1] else 0.0
    start = np.concatenate([[amplitude], -np.log(2.0) - 2.0 * np.log(lengths), [offset, constant]])
    return np.clip(start, space.lower, space.upper)


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
