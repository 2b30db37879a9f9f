"""Speed of the search for basis functions, as ratios within one process.

    OPENBLAS_NUM_THREADS=1 python benchmarks/basis_search.py [moves] [rows] [peers --data DIR]

moves: additions and removals per second at N = M = 1024, against one ``gemv`` of the same shape.
rows: forward selection at N = 100 000, M = 1000, as a multiple of one ``syrk`` over the same rows,
with the peak of memory. peers: time, size and error on kin8nm (``DIR/kin8nm.npz``; Friedman's
first function where no folder is given), 1024 training rows, against scikit-learn's
ARDRegression on the same dictionary and its GaussianProcessRegressor.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from scipy.linalg import blas
from sklearn.datasets import make_friedman1
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import ARDRegression

from kernelect import BasisSearchRegressor
from kernelect.dictionaries import KernelFunctions
from kernelect.kernels import ARD
from kernelect.subsets import SubsetRows, Walk, WalkOptions, gathered_moments


def seconds(action: Callable[[], Any]) -> float:
    """Return the processor time ``action`` takes: wall time would measure what else the machine does."""
    began = time.process_time()
    action()
    return time.process_time() - began


def moves() -> None:
    """Time moves of the walk at sizes 50, 100 and 250."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1024, 8))
    y = np.sin(X).sum(axis=1, keepdims=True) + 0.1 * rng.normal(size=(1024, 1))
    moments = gathered_moments(
        KernelFunctions(ARD(np.full(8, 0.1))).build(X), SubsetRows(X=X, T=y, weights=np.ones(1024), intercept=False)
    )
    print("| m | rank and move alone, per s | whole steps, per s | a whole step in gemv(m, M) |\n|---|---|---|---|")
    for size in (50, 100, 250):
        walk = Walk(moments, WalkOptions())
        while len(walk) < size:
            walk.add_best()
        walk.go_to(walk.best_of_size[size])
        alone, whole, product = [], [], []
        rows, vector = rng.normal(size=(size, 1024)), rng.normal(size=size)
        for _ in range(30):
            alone.append(seconds(lambda walk=walk: move_alone(walk)) / 2)
            whole.append(seconds(lambda walk=walk: whole_steps(walk)) / 2)
            product.append(seconds(lambda r=rows, v=vector: [blas.dgemv(1.0, r.T, v) for _ in range(10)]) / 10)
        ratio = median(whole) / median(product)
        print(f"| {size} | {1 / median(alone):.0f} | {1 / median(whole):.0f} | {ratio:.0f} |")


def move_alone(walk: Walk) -> None:
    """Remove the worst function and add the best at fixed lambda, without valuing the subsets."""
    engine = walk.engine
    engine.remove(int(np.argmax(engine.removal_gains())))
    engine.add(int(np.argmax(engine.addition_gains())))


def whole_steps(walk: Walk) -> None:
    """Remove a function and add the best, with the evidence of both subsets; a new pair every time."""
    walk.remove(len(walk.steps) % len(walk))
    walk.add_best()


def many_rows() -> None:
    """Forward selection end to end on 100 000 rows."""
    N, M = 100_000, 1000
    X, y = make_friedman1(N, noise=1.0, random_state=0)
    dictionary = KernelFunctions(ARD(np.full(10, 0.3)), max_centres=M)
    print("| N | M | max_size | chosen | steps | seconds | one syrk | ratio | peak memory, GiB |")
    print("|---|---|---|---|---|---|---|---|---|")
    for limit in (100, 300):
        model = BasisSearchRegressor(dictionary, strategy="forward", max_size=limit)
        whole = seconds(lambda model=model: model.fit(X, y))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        once, steps = syrk(N, M), len(model.selection_.trace)
        print(
            f"| {N} | {M} | {limit} | {len(model.basis_)} | {steps} | {whole:.1f} | {once:.1f} "
            f"| {whole / once:.2f} | {peak:.2f} |"
        )


def syrk(N: int, M: int, rows: int = 2000) -> float:
    """Return the time of one symmetric product over N rows of M columns, in blocks."""
    block = np.random.default_rng(0).normal(size=(rows, M))
    total = np.zeros((M, M), order="F")
    return seconds(lambda: [blas.dsyrk(1.0, block.T, beta=1.0, c=total, overwrite_c=1) for _ in range(N // rows)])


def peers(folder: Path | None, quick: bool) -> None:
    """Against scikit-learn on kin8nm or Friedman's first function."""
    X, y, X_test, y_test = peer_data(folder)
    first = BasisSearchRegressor(strategy="forward").fit(X, y)
    kernel = first.functions_.kernel
    design = KernelFunctions(kernel).build(X)
    rows = []

    def entry(name: str, size: Callable[[], int], fit: Callable[[], Any], predict: Callable[[], np.ndarray]) -> None:
        taken = seconds(fit)
        rows.append((name, taken, size(), float(np.mean((predict() - y_test) ** 2))))

    for strategy, count in (("forward", 512), ("pta", 512), ("sffs", 512), ("pta", 1024), ("sffs", 1024)):
        model = BasisSearchRegressor(strategy=strategy, max_width_rows=count)
        entry(
            f"BasisSearchRegressor, {strategy}, widths found on {count} rows",
            lambda m=model: len(m.basis_),
            lambda m=model: m.fit(X, y),
            lambda m=model: m.predict(X_test),
        )
    fixed = BasisSearchRegressor(KernelFunctions(kernel), strategy="pta")
    entry(
        "BasisSearchRegressor, pta, widths given",
        lambda: len(fixed.basis_),
        lambda: fixed.fit(X, y),
        lambda: fixed.predict(X_test),
    )
    ard = ARDRegression()
    if not quick:
        entry(
            "ARDRegression, same functions, widths given",
            lambda: int(np.sum(ard.coef_ != 0.0)),
            lambda: ard.fit(design.evaluate(X), y),
            lambda: ard.predict(design.evaluate(X_test)),
        )
    gp = GaussianProcessRegressor(ConstantKernel() * RBF(np.ones(X.shape[1])) + WhiteKernel(0.1))
    entry("GaussianProcessRegressor, ARD", lambda: len(X), lambda: gp.fit(X, y), lambda: gp.predict(X_test))
    unit = rows[1][1]
    print("| method | seconds | time / BasisSearchRegressor, pta | functions | test mean squared error |")
    print("|---|---|---|---|---|")
    for name, taken, size, error in rows:
        print(f"| {name} | {taken:.1f} | {taken / unit:.2f} | {size} | {error:.4f} |")


def peer_data(folder: Path | None) -> tuple[np.ndarray, ...]:
    """Return 1024 training rows and the rest, inputs and target standardised on the training rows."""
    if folder is None:
        X, y = make_friedman1(4096, noise=1.0, random_state=0)
    else:
        stored = np.load(folder / "kin8nm.npz")
        X, y = stored["X"], stored["y"]
    order = np.random.default_rng(0).permutation(len(X))
    train, test = order[:1024], order[1024:]
    X = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
    y = (y - y[train].mean()) / y[train].std()
    return X[train], y[train], X[test], y[test]


def main() -> None:
    """Run the benchmarks that are named, all of them by default."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", nargs="*", choices=["moves", "rows", "peers", []], default=[])
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--quick", action="store_true", help="without ARDRegression, which takes minutes")
    args = parser.parse_args()
    which = args.which or ["rows", "moves", "peers"]  # rows first: the peak of memory is the process's
    warnings.simplefilter("ignore", ConvergenceWarning)
    if "rows" in which:
        many_rows()
    if "moves" in which:
        moves()
    if "peers" in which:
        peers(args.data, args.quick)


if __name__ == "__main__":
    main()
