"""Speed of support vector machines and their criteria, as ratios within one process.

    python benchmarks/svm.py

Processor time, the shortest of several runs; runs that are compared take turns.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from sklearn import svm as libsvm
from threadpoolctl import threadpool_limits

from kernelect.criteria import GACV, LaplaceEvidence, RadiusMargin, Span
from kernelect.datasets import ringnorm, twonorm, waveform
from kernelect.kernels import ARD, Constant
from kernelect.machines import SVM
from kernelect.parameters import ParameterSpace
from kernelect.selection import SelectionObjective

CRITERIA = (
    (Span(), "linear"),
    (Span(), "quadratic"),
    (LaplaceEvidence(), "linear"),
    (LaplaceEvidence(), "quadratic"),
    (GACV(), "linear"),
    (RadiusMargin(), "quadratic"),
)

#: Amplitude, C: a soft, a hard and a very hard margin.
HARDNESS = ((1.0, 1.0), (55.0, 1.0), (1000.0, 20.0))


def shortest(works: list[Callable[[], object]], repeats: int) -> list[float]:
    """Return the shortest processor time of each, taking turns, after one run to warm up."""
    best = [np.inf] * len(works)
    for _ in range(repeats + 1):
        for position, work in enumerate(works):
            began = time.process_time()
            work()
            best[position] = min(best[position], time.process_time() - began)
    return best


def problem(n: int, d: int, criterion: object, slack: str) -> tuple[SelectionObjective, np.ndarray]:
    """Return an objective on twonorm of five inputs, padded with inputs of almost no width.

    So the machine to solve is the same whatever d is, and only the cost of d differs.
    """
    X, y = twonorm(n, n_features=5, random_state=0)
    X = np.hstack([X, np.random.default_rng(0).normal(size=(n, d - 5))])
    kernel = Constant(5.0) * ARD(np.where(np.arange(d) < 5, 0.1, 1e-9)) + Constant(0.2)
    space = ParameterSpace.joined([kernel.space(X), ParameterSpace.single("C", 0.0)])
    return SelectionObjective(X, y[:, None], np.ones(n), kernel, space, SVM(slack), criterion, None), space.start


def criteria() -> None:
    """One evaluation (Gram matrix, warm solution, criterion, full gradient) against one cold solution."""
    print("| criterion | slack | n = 300, d = 20 | n = 1000, d = 20 | from d = 5 to 60, n = 300 | n = 1000 |")
    print("|---|---|---|---|---|---|")
    for criterion, slack in CRITERIA:
        ratios, growth = [], []
        for n, repeats in ((300, 25), (1000, 7)):
            objective, theta = problem(n, 20, criterion, slack)
            gram = objective.kernel.gram(objective.X)

            def solve(objective: SelectionObjective = objective, gram: np.ndarray = gram) -> object:
                return objective.machine.fit(gram, objective.targets, 1.0, objective.weights)

            evaluation, solution = shortest([lambda o=objective, t=theta: o(t), solve], repeats)
            ratios.append(evaluation / solution)
            (few, at_few), (many, at_many) = (problem(n, d, criterion, slack) for d in (5, 60))
            short, long = shortest([lambda o=few, t=at_few: o(t), lambda o=many, t=at_many: o(t)], repeats)
            growth.append(long / short)
        cells = [f"{value:.2f}" for value in (*ratios, *growth)]
        print(f"| {criterion.name} | {slack} | " + " | ".join(cells) + " |")


def solvers() -> None:
    """Our solver against LIBSVM on the same Gram matrix at two tolerances; 1e-9 is what gradients need."""
    print("| n | data | amplitude, C | time / LIBSVM, both 1e-3 | time / LIBSVM, both 1e-9 |")
    print("|---|---|---|---|---|")
    for n, repeats in ((300, 25), (1000, 9), (3000, 3)):
        means = []
        for name, draw in (("twonorm", twonorm), ("ringnorm", ringnorm), ("waveform", waveform)):
            X, y = draw(n, random_state=0)
            X = (X - X.mean(axis=0)) / X.std(axis=0)
            for amplitude, C in HARDNESS:
                gram = (Constant(amplitude) * ARD(np.full(X.shape[1], 0.5 / X.shape[1])) + Constant(0.2)).gram(X)
                targets, weights = y[:, None].astype(float), np.ones(n)
                row = []
                for tol in (1e-3, 1e-9):
                    ours = SVM("linear", tolerance=tol)
                    theirs = libsvm.SVC(kernel="precomputed", C=C, tol=tol, cache_size=1000)
                    works = [
                        lambda m=ours, g=gram, t=targets, c=C, w=weights: m.fit(g, t, c, w),
                        lambda m=theirs, g=gram, y=y: m.fit(g, y),
                    ]
                    mine, other = shortest(works, repeats)
                    row.append(mine / other)
                means.append(row)
                print(f"| {n} | {name} | {amplitude:g}, {C:g} | {row[0]:.2f} | {row[1]:.2f} |")
        loose, tight = np.exp(np.mean(np.log(means), axis=0))
        print(f"| {n} | geometric mean | | {loose:.2f} | {tight:.2f} |")


BENCHMARKS = {"criteria": criteria, "solvers": solvers}


def main() -> None:
    """Run the benchmarks asked for, on one thread."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=BENCHMARKS, help="run one of them")
    only = parser.parse_args().only
    with threadpool_limits(1):
        for name, benchmark in BENCHMARKS.items():
            if only in (None, name):
                print(f"\n## {name}\n")
                benchmark()


if __name__ == "__main__":
    main()
