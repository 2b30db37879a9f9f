"""The table of criteria that may choose the width of a relevance vector regressor.

Run ``python benchmarks/study_rvr.py --data DIR [--splits 3] > table.md`` with the ``.npz`` files of
the sets (``X``, ``y``) in DIR. Random splits, 67 % for training but at most 400 rows, at most 2000
for the test; inputs standardised on the training rows, one width.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from kernelect import RVR

DATA = ("yacht", "boston", "energy", "concrete", "kin8nm")
CRITERIA = ("occam-evidence", "cv", "centre-evidence", "evidence")
_TRAIN, _TEST, _SECONDS = 400, 2000, 120.0


def split(folder: Path, name: str, number: int) -> tuple[np.ndarray, ...]:
    """Return training and test rows, inputs standardised."""
    with np.load(folder / f"{name}.npz") as table:
        X, y = table["X"].astype(float), table["y"]
    y = y if y.ndim == 1 else y[:, 0]
    order = np.random.default_rng([7, number]).permutation(len(y))
    n = min(round(0.67 * len(y)), _TRAIN)
    train, test = order[:n], order[n : n + _TEST]
    mean, spread = X[train].mean(axis=0), X[train].std(axis=0)
    X = (X - mean) / np.where(spread > 0, spread, 1.0)
    return X[train], y[train], X[test], y[test]


def cell(folder: Path, name: str, number: int, criterion: str) -> tuple[float, float, int, float]:
    """Return error and minus log density on targets of unit spread, number of vectors and CPU seconds."""
    X, y, Z, t = split(folder, name, number)
    began = time.process_time()
    model = RVR("rbf", criterion=criterion, time_limit=_SECONDS).fit(X, y)
    seconds = time.process_time() - began
    mean, std = model.predict(Z, return_std=True)
    residual, std = (t - mean) / t.std(), std / t.std()
    density = np.mean(0.5 * np.log(2.0 * np.pi * std**2) + 0.5 * (residual / std) ** 2)
    return float(np.sqrt(np.mean(residual**2))), float(density), len(model.support_), seconds


def main() -> None:
    """Print a Markdown table of means over the splits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--splits", type=int, default=3)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    print("| data | criterion | error / spread | minus log density | vectors | CPU s |\n|---|---|---|---|---|---|")
    for name in DATA:
        for criterion in CRITERIA:
            cells = [cell(arguments.data, name, number, criterion) for number in range(arguments.splits)]
            error, density, vectors, seconds = np.mean(cells, axis=0)
            print(f"| {name} | {criterion} | {error:.3f} | {density:.3g} | {vectors:.0f} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
