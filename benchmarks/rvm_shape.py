"""RVC() with and without the relative widths of a least-squares machine, on the same rows.

``OMP_NUM_THREADS=1 python benchmarks/rvm_shape.py [--draws 5] [--data DIR]``: made-up problems in
which few inputs matter, or all, and data sets of a folder of one's own.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import kernelect.selection  # noqa: F401 - its modules are looked up below
from kernelect import RVC
from kernelect.datasets import load_dataset, ringnorm, twonorm
from kernelect.selection.parts import STAGES
from kernelect.selection.shape import LeastSquaresShape

WITHOUT = tuple(stage for stage in STAGES if not isinstance(stage, LeastSquaresShape))

TABLES = ("banana", "pima", "heart", "german", "sonar", "ionosphere", "bupa", "australian", "wdbc", "hepatitis")


def four_of_twenty(n, rng):
    """Four inputs of twenty decide: a wave, a product, a slope."""
    X = rng.normal(size=(n, 20))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.7 * X[:, 3] + 0.2 * rng.normal(size=n) > 0


def switch(n, rng):
    """One input says which of two others decides."""
    X = rng.uniform(-1, 1, size=(n, 15))
    return X, np.where(X[:, 0] > 0, np.sin(4 * X[:, 1]), X[:, 2]) + 0.1 * rng.normal(size=n) > 0


def product_of_two(n, rng):
    """The sign of a product."""
    X = rng.normal(size=(n, 10))
    return X, X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=n) > 0


def linear(n, rng):
    """A sum of four inputs."""
    X = rng.normal(size=(n, 20))
    return X, X[:, :4].sum(axis=1) + 0.7 * rng.normal(size=n) > 0


MADE_UP = {
    "4 of 20 inputs": (four_of_twenty, 500),
    "3 of 15, a switch": (switch, 400),
    "2 of 10, a product": (product_of_two, 300),
    "4 of 20, linear": (linear, 300),
    "twonorm": (lambda n, rng: twonorm(n, random_state=int(rng.integers(2**31))), 200),
    "ringnorm": (lambda n, rng: ringnorm(n, random_state=int(rng.integers(2**31))), 200),
}


def made_up(name, seed):
    """Return training and test rows of a made-up problem."""
    make, n = MADE_UP[name]
    return (*make(n, np.random.default_rng(seed)), *make(2000, np.random.default_rng(seed + 10_000)))


def table(name, folder, seed, n=250):
    """Return training and test rows of a data set, standardised on the former."""
    found = load_dataset(name, folder)
    order = np.random.default_rng(seed).permutation(len(found.X))
    X, y = np.asarray(found.X, dtype=float)[order], np.asarray(found.y)[order]
    n = min(n, round(0.7 * len(X)))
    X = (X - X[:n].mean(axis=0)) / np.maximum(X[:n].std(axis=0), 1e-12)
    return X[:n], y[:n], X[n : n + 2000], y[n : n + 2000]


def measured(stages, X, y, queries, labels):
    """Return error in per cent, log-loss and CPU seconds of RVC with these stages."""
    sys.modules["kernelect.selection.select"].STAGES = stages
    began = time.process_time()
    model = RVC(random_state=0).fit(X, y)
    seconds = time.process_time() - began
    proba = model.predict_proba(queries)[np.arange(len(labels)), np.searchsorted(model.classes_, labels)]
    return 100 * np.mean(model.predict(queries) != labels), -np.mean(np.log(np.maximum(proba, 1e-12))), seconds


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--only", nargs="*", help="names of problems and data sets")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    print("| data | error %, spread | with shape | difference | log-loss, spread | with shape | CPU s | with shape |")
    print("|---|---|---|---|---|---|---|---|")
    for name in options.only or (*MADE_UP, *(TABLES if options.data else ())):
        draws = [
            made_up(name, seed) if name in MADE_UP else table(name, options.data, seed)
            for seed in range(20, 20 + options.draws)
        ]
        before, after = (np.array([measured(stages, *draw) for draw in draws]) for stages in (WITHOUT, STAGES))
        gain = after[:, 0] - before[:, 0]
        error = gain.std(ddof=1) / np.sqrt(len(gain))
        (e, loss, s), (e2, loss2, s2) = before.mean(axis=0), after.mean(axis=0)
        difference = f"{gain.mean():+.2f} ± {error:.2f}"
        print(
            f"| {name} | {e:.1f} | {e2:.1f} | {difference} | {loss:.3f} | {loss2:.3f} | {s:.2f} | {s2:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
