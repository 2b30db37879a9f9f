"""Are the doors' probabilities and intervals right? On every table of a folder, rows held out.

Labels: how much the log-loss of held-out rows falls when a temperature is fitted on those very rows. Where
probabilities are as sure as they should be it falls by what fitting one number gains by chance, 1/2 nat over all rows.
Numbers: the share of held-out rows inside intervals of 90 %.

    python benchmarks/calibration.py FOLDER [--effort balanced] [--rows 400]

Four fifths of the rows are for training, at most ``--rows`` of them; the split depends on the table's name alone.
"""

from __future__ import annotations

import argparse
import warnings
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar

from kernelect import KernelClassifier, KernelRegressor

#: Tables with fewer rows tell little of a temperature.
_LEAST_ROWS = 200

#: Rows from which a table is a large one, left to other studies.
_MOST_ROWS = 10_000


def main() -> None:
    """Measure all tables, print one line each and the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--effort", default="balanced")
    parser.add_argument("--rows", type=int, default=400)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found: list[tuple[float, float, float]] = []
    coverages = []
    for path in sorted(given.folder.glob("*.npz")):
        table = np.load(path)
        X, y = table["X"], table["y"]
        if len(y) >= _MOST_ROWS:
            continue
        train, test = split(path.stem, y, given.rows)
        if y.dtype.kind == "f":
            low, high = KernelRegressor(given.effort).fit(X[train], y[train]).predict_interval(X[test], 0.9)
            coverages.append(np.mean((low <= y[test]) & (y[test] <= high)))
            print(f"{path.stem}: {100 * coverages[-1]:.1f} % of {len(test)} rows inside", flush=True)
        elif len(y) >= _LEAST_ROWS:
            model = KernelClassifier(given.effort).fit(X[train], y[train])
            before, after = losses(model.predict_proba(X[test]), np.searchsorted(model.classes_, y[test]))
            found.append((before, after, 0.5 / len(test)))
            print(f"{path.stem}: log-loss {before:.4f}, with its own temperature {after:.4f}", flush=True)
    if found:
        before, after, chance = np.array(found).T
        print(f"The log-loss falls by {mean((before - after) / before)} on {len(found)} tables,")
        print(f"where {100 * np.mean(chance / before):.2f} % are expected by chance;")
        print(f"the mean log-loss {before.mean():.4f} falls by {100 * (1 - after.sum() / before.sum()):.2f} %.")
    if coverages:
        print(f"Intervals of 90 % cover {mean(coverages)} on {len(coverages)} tables.")


def split(name: str, y: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows for training and held-out rows; every class keeps its share of the latter."""
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    order = generator.permutation(len(y))
    classes = np.unique(y) if y.dtype.kind != "f" else [None]
    parts = [order if each is None else order[y[order] == each] for each in classes]
    test = np.concatenate([part[: max(1, len(part) // 5)] for part in parts])
    return generator.permutation(np.setdiff1d(order, test))[:most], test


def losses(probabilities: np.ndarray, index: np.ndarray) -> tuple[float, float]:
    """Return the log-loss, and the one at the temperature that is best for these very rows."""
    logs = np.log(np.maximum(probabilities, 1e-12))

    def loss(log_sharpness: float) -> float:
        scaled = np.exp(log_sharpness) * logs
        normalised = scaled - np.logaddexp.reduce(scaled, axis=1, keepdims=True)
        return -float(normalised[np.arange(len(index)), index].mean())

    return loss(0.0), min(loss(0.0), float(minimize_scalar(loss, bounds=(-1.5, 1.5), method="bounded").fun))


def mean(shares: ArrayLike) -> str:
    """Return a mean with its standard error over tables, in per cent."""
    values = 100 * np.asarray(shares)
    return f"{values.mean():.2f} +- {values.std(ddof=1) / np.sqrt(len(values)):.2f} % (median {np.median(values):.2f})"


if __name__ == "__main__":
    main()
