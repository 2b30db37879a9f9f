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

DRAWS = {"twonorm": twonorm, "ringnorm": ringnorm, "waveform": waveform}

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
    return SelectionObjective(
        X=X,
        targets=y[:, None],
        weights=np.ones(n),
        kernel=kernel,
        space=space,
        machine=SVM(slack),
        criterion=criterion,
        prior=None,
    ), space.start


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


#: The kernel's offset as a multiple of its amplitude. LIBSVM's bias costs nothing, as an offset
#: without limit would: with a large one both solve the same problem, and have the same support vectors.
OFFSETS = {"the same problem": 100.0, "a small offset": None}
SMALL_OFFSET = 0.2


def solvers() -> None:
    """Our solver against LIBSVM on the same Gram matrix at two tolerances; 1e-9 is what gradients need."""
    print(
        "| n | data | amplitude, C | offset | support vectors, ours and LIBSVM | time / LIBSVM, both 1e-3 | both 1e-9 |"
    )
    print("|---|---|---|---|---|---|---|")
    for n, repeats in ((300, 25), (1000, 9), (3000, 5)):
        for words, multiple in OFFSETS.items():
            ratios = [
                against_libsvm(n, repeats, name, hardness, multiple)
                for name in ("twonorm", "ringnorm", "waveform")
                for hardness in HARDNESS
            ]
            means, largest = np.exp(np.mean(np.log(ratios), axis=0)), np.max(ratios, axis=0)
            for what, (loose, tight) in (("geometric mean", means), ("largest", largest)):
                print(f"| {n} | **{what}**, {words} | | | | **{loose:.2f}** | **{tight:.2f}** |")


def against_libsvm(
    n: int, repeats: int, name: str, hardness: tuple[float, float], multiple: float | None
) -> list[float]:
    """Print a line of the table, and return its two ratios."""
    X, y = DRAWS[name](n, random_state=0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    amplitude, C = hardness
    offset = SMALL_OFFSET if multiple is None else multiple * amplitude
    gram = (Constant(amplitude) * ARD(np.full(X.shape[1], 0.5 / X.shape[1])) + Constant(offset)).gram(X)
    targets, weights = y[:, None].astype(float), np.ones(n)
    ratios = []
    for tol in (1e-3, 1e-9):
        ours = SVM("linear", tolerance=tol)
        theirs = libsvm.SVC(kernel="precomputed", C=C, tol=tol, cache_size=1000)
        works = [lambda m=ours: m.fit(gram, targets, C, weights), lambda m=theirs: m.fit(gram, y)]
        mine, other = shortest(works, repeats)
        ratios.append(mine / other)
    vectors = np.count_nonzero(ours.fit(gram, targets, C, weights).dual_coef), len(theirs.support_)
    cells = (f"{amplitude:g}, {C:g}", f"{offset:g}", f"{vectors[0]}, {vectors[1]}", *(f"{r:.2f}" for r in ratios))
    print(f"| {n} | {name} | " + " | ".join(cells) + " |")
    return ratios


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
