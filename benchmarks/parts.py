"""Fits of some thousand rows: parts of the rows first, in Cholesky factorisations and beside a grid search.

    OMP_NUM_THREADS=1 python benchmarks/parts.py [--rows 2000] [--draws 3] [--only steps|grid|machines|relevance]
        [--problems NAME ...]

Prints Markdown. CPU seconds of one thread, and ratios within one process, because machines and their other work differ.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
from scipy.linalg import lapack
from sklearn import svm
from sklearn.datasets import make_friedman1
from sklearn.model_selection import GridSearchCV
from time_limits import labels, numbers

import kernelect.selection  # noqa: F401 - its modules are looked up below
from kernelect import GPC, LSSVC, LSSVR, RVC, RVR, SVC
from kernelect.datasets import ringnorm, twonorm

Draw = Callable[[int, int], tuple[np.ndarray, np.ndarray]]

PROBLEMS: dict[str, tuple[type, Draw]] = {
    "twonorm": (LSSVC, lambda n, seed: twonorm(n, random_state=seed)),
    "ringnorm": (LSSVC, lambda n, seed: ringnorm(n, random_state=seed)),
    "four of twenty": (LSSVC, labels),
    "Friedman 1, 20 inputs": (LSSVR, lambda n, seed: make_friedman1(n, n_features=20, noise=1.0, random_state=seed)),
    "Friedman 1, uniform noise inputs": (LSSVR, numbers),
}


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of some work, and what it gave."""
    began = time.process_time()
    found = work()
    return time.process_time() - began, found


def one_cholesky(n: int) -> float:
    """Return the CPU seconds of one factorisation, the shortest of several."""
    matrix = np.asfortranarray(np.eye(n) + 0.1)
    return min(cpu(lambda: lapack.dpotrf(matrix, lower=1, clean=0))[0] for _ in range(5))


def loss(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Return the error in per cent, or the mean square in per cent of the targets' variance."""
    return float(100.0 * (1.0 - model.score(X, y)))


def steps(n: int, draws: int, problems: list[str]) -> None:
    """Print fits with and without parts of the rows, in factorisations, with their losses on new rows."""
    print("| problem | Cholesky factorisations | on all rows throughout | loss % | throughout | difference |")
    print("|---" * 6 + "|", flush=True)
    parts = sys.modules["kernelect.selection.parts"]
    for name in problems:
        (kind, draw), rows = PROBLEMS[name], []
        for seed in range(draws):
            X, y = draw(n, seed)
            Z, t = draw(4000, 1000 + seed)
            unit, row = one_cholesky(n), []
            for more in (0, 10**9):  # rows beyond the usual ones from which parts of them lead
                with mock.patch.multiple(parts, FROM=parts.FROM + more, GUIDED_FROM=parts.GUIDED_FROM + more):
                    seconds, model = cpu(lambda X=X, y=y, kind=kind: kind(random_state=0).fit(X, y))
                row += [seconds / unit, loss(model, Z, t)]
            rows.append(row)
            print(name, seed, *(f"{cell:.2f}" for cell in row), file=sys.stderr, flush=True)
        quick, ours, whole, theirs = np.mean(rows, axis=0)
        gap = np.array(rows)[:, 1] - np.array(rows)[:, 3]
        error = gap.std(ddof=1) / np.sqrt(draws) if draws > 1 else float("nan")
        print(
            f"| {name} | {quick:.0f} | {whole:.0f} | {ours:.2f} | {theirs:.2f} | {gap.mean():+.3f} ± {error:.3f} |",
            flush=True,
        )


def grid(sizes: tuple[int, ...], draws: int) -> None:
    """Print fits beside a grid-searched SVC of scikit-learn, 10 x 10 and five folds, on twonorm."""
    print("| rows | LSSVC, s | grid, s | times faster | error % | grid's | difference |")
    print("|---" * 7 + "|", flush=True)
    for n in sizes:
        rows = []
        for seed in range(draws):
            X, y = twonorm(n, random_state=seed)
            Z, t = twonorm(7000, random_state=1000 + seed)
            candidates = {"C": np.logspace(-2, 4, 10), "gamma": np.logspace(-4, 1, 10)}
            row: list[float] = []
            for model in (LSSVC(random_state=0), GridSearchCV(svm.SVC(), candidates, cv=5)):
                seconds, fitted = cpu(lambda model=model, X=X, y=y: model.fit(X, y))
                row += [seconds, loss(fitted, Z, t)]
            rows.append(row)
        ours, error, theirs, other = np.mean(rows, axis=0)
        gap = np.array(rows)[:, 1] - np.array(rows)[:, 3]
        spread = gap.std(ddof=1) / np.sqrt(draws) if draws > 1 else float("nan")
        print(
            f"| {n} | {ours:.2f} | {theirs:.1f} | {theirs / ours:.1f} | {error:.2f} | {other:.2f} "
            f"| {gap.mean():+.2f} ± {spread:.2f} |",
            flush=True,
        )


def machines(sizes: tuple[int, ...]) -> None:
    """Print whole fits of the other machines."""
    print("| machine | rows | CPU s | loss % | evaluations |")
    print("|---" * 5 + "|", flush=True)
    for kind, draw in ((GPC, labels), (SVC, labels)):
        for n in sizes:
            X, y = draw(n, 0)
            seconds, model = cpu(lambda kind=kind, X=X, y=y: kind(random_state=0).fit(X, y))
            said = f"{loss(model, *draw(4000, 1)):.2f} | {model.selection_.n_evaluations} |"
            print(f"| `{kind.__name__}()` | {n} | {seconds:.1f} | {said}", flush=True)


def relevance(sizes: tuple[int, ...], draws: int) -> None:
    """Print whole fits of the relevance vector machines, means over draws."""
    print("| machine | rows | CPU s | loss % | vectors | evaluations |")
    print("|---" * 6 + "|", flush=True)
    for kind, draw in ((RVC, labels), (RVR, numbers)):
        for n in sizes:
            rows = []
            for seed in range(draws):
                X, y = draw(n, seed)
                seconds, model = cpu(lambda kind=kind, X=X, y=y: kind(random_state=0).fit(X, y))
                found = loss(model, *draw(4000, 1000 + seed))
                rows.append([seconds, found, len(model.support_), model.selection_.n_evaluations])
            seconds, found, vectors, count = np.mean(rows, axis=0)
            print(
                f"| `{kind.__name__}()` | {n} | {seconds:.1f} | {found:.2f} | {vectors:.0f} | {count:.0f} |", flush=True
            )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="*", default=[2000])
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--only", choices=("steps", "grid", "machines", "relevance"))
    parser.add_argument("--problems", nargs="*", choices=PROBLEMS, default=list(PROBLEMS), help="for steps")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.only in (None, "steps"):
        for n in options.rows:
            steps(n, options.draws, options.problems)
    if options.only in (None, "grid"):
        grid((400, *options.rows), options.draws)
    if options.only in (None, "machines"):
        machines(tuple(options.rows))
    if options.only in (None, "relevance"):
        relevance(tuple(options.rows), options.draws)


if __name__ == "__main__":
    main()
