"""How much evidence GPC's search leaves, and what its second start costs.

    python benchmarks/evidence.py [--data DIR]

Prints Markdown. For each table (200 rows, inputs standardised): ln evidence and evaluations of one search that ends
when a step gains little, of the search with a second start that ends by what is left to gain, and the best of it and 8
scattered restarts with a tolerance a thousand times smaller. Without --data only data that need no folder.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

import kernelect.estimators.gpc as gpc
from kernelect import GPC
from kernelect.datasets import load_dataset

BUILT_IN, IN_FOLDER = ("wdbc",), ("heart", "pima", "sonar", "ionosphere", "thyroid", "australian")
ROWS = 200


def table(name: str, folder: Path | None, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return some rows of a data set, inputs standardised; "wave" is one fast wave along the first of four inputs."""
    rng = np.random.default_rng(seed)
    if name == "wave":
        X = rng.normal(size=(ROWS, 4))
        return X, np.sin(3.0 * X[:, 0]) + 0.3 * X[:, 1] + 0.5 * rng.normal(size=ROWS) > 0.0
    data = load_dataset(name, folder)
    rows = rng.permutation(len(data.X))[:ROWS]
    X = np.asarray(data.X, dtype=float)[rows]
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0), np.asarray(data.y)[rows]


def fitted(X: np.ndarray, y: np.ndarray, *, second_start: bool, **options: object) -> tuple[float, int, float]:
    """Return ln evidence (with prior: times the prior), evaluations and CPU seconds of a fit."""
    gpc._FEW_ROWS = 500 if second_start else 0
    began = time.process_time()
    model = GPC("ard", **options).fit(X, y)
    return -len(X) * model.selection_.value, model.n_iter_, time.process_time() - began


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of .npz files")
    folder = parser.parse_args().data
    print("| data, rows drawn | prior | one search | second start | left to the best of 9 | evaluations | CPU s |")
    print("|---" * 7 + "|")
    sums = np.zeros((2, 2))
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name in ("wave", *BUILT_IN, *(IN_FOLDER if folder else ())):
            for seed in (0, 1):
                X, y = table(name, folder, seed)
                for prior in (None, "auto"):
                    before = fitted(X, y, second_start=False, prior=prior)
                    now = fitted(X, y, second_start=True, prior=prior)
                    longest = {"tol": 1e-7, "max_iter": 1000, "n_restarts": 8, "random_state": 0}
                    best = max(now[0], fitted(X, y, second_start=False, prior=prior, **longest)[0])
                    sums += [before[1:], now[1:]]
                    left = f"{best - now[0]:.2f} (one search: {best - before[0]:.2f})"
                    costs = f"{before[1]} / {now[1]} | {before[2]:.2f} / {now[2]:.2f}"
                    print(
                        f"| {name}, {seed} | {prior} | {before[0]:.2f} | {now[0]:.2f} | {left} | {costs} |", flush=True
                    )
    ratio = sums[1] / sums[0]
    print(f"\nAll fits: {ratio[0]:.2f} times the evaluations, {ratio[1]:.2f} times the processor time.")


if __name__ == "__main__":
    main()
