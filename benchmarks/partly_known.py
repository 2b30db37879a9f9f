"""Limits and order on real tables: what they gain over their substitutes.

    python benchmarks/partly_known.py FOLDER [--rows 200] [--tables 12] [--seed 0] [--effort fast] [--only limits]

FOLDER has tables as ``*.npz`` with ``X`` and ``y``; the first ``--tables`` with positive numbers as targets are used,
at most ``--rows`` rows of each for training and the others (at most 500) for testing.

Limits: the lowest tenth, third or half of the training targets is known to be below a limit only. Root mean square
errors against the true test targets, in units of their standard deviation, of ``KernelRegressor`` with limits kept,
replaced by the limit, by half of it, left out, and of all numbers known; and the share of the test targets, and of
those below the limit, in intervals made to hold 90 %.

Order: targets are cut into five classes of equal size. Ranked probability score and mean distance of
``KernelOrdinal`` beside ``KernelClassifier``, a random forest, and always the shares of the classes.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from kernelect import KernelClassifier, KernelOrdinal, KernelRegressor

SHARES = (0.1, 0.33, 0.5)


def main() -> None:
    """Measure all tables, then print means and paired differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--tables", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--effort", default="fast")
    parser.add_argument("--only", choices=("limits", "order"))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    limits, orders = [], []
    for path in sorted(given.folder.glob("*.npz")):
        table = np.load(path, allow_pickle=False)
        X, y = table["X"], table["y"]
        if y.dtype.kind != "f" or y.ndim != 1 or len(np.unique(y)) < 20 or not np.isfinite(X.astype(float)).all():
            continue
        if y.min() <= 0.0 or max(len(limits), len(orders)) == given.tables:
            continue
        order = np.random.default_rng(given.seed).permutation(len(y))
        count = min(given.rows, len(y) * 2 // 3)
        train, test = order[:count], order[count : count + 500]
        parts = X[train], y[train], X[test], y[test]
        if given.only != "order":
            limits.append([limited(*parts, share, given.effort) for share in SHARES])
        if given.only != "limits":
            orders.append(ordered(*parts, given.effort))
        words = [np.round(each, 3) for found in (limits, orders) if found for each in found[-1]]
        print(f"{path.stem} ({count} rows): {words}", flush=True)
    if limits:
        print(f"{len(limits)} tables; limits kept, replaced, replaced by half, left out, and all numbers known")
    for place, share in enumerate(SHARES if limits else ()):
        found = np.array([each[place] for each in limits])
        report(f"{share:.0%} below the limit", found[:, :5])
        held = found[:, 5:].mean(axis=0)
        print(f"  intervals of 90 % hold {held[0]:.1%}; below the limit {held[1]:.1%}; all known {held[2]:.1%}")
    for place, name in enumerate(("ranked probability score", "mean distance") if orders else ()):
        report(f"KernelOrdinal, KernelClassifier, forest, shares: {name}", np.array(orders)[:, place])


def report(name: str, values: np.ndarray) -> None:
    """Print means, and the difference of all others from the first."""
    gaps = values[:, 1:] - values[:, :1]
    errors = gaps.std(axis=0, ddof=1) / np.sqrt(len(gaps))
    differences = ", ".join(f"{gap:+.3f} ± {error:.3f}" for gap, error in zip(gaps.mean(axis=0), errors, strict=True))
    print(f"{name}: means {np.round(values.mean(axis=0), 3)}, others less the first {differences}")


def limited(X: Any, y: Any, Z: Any, truth: Any, share: float, effort: str) -> list[float]:
    """Return errors of limits kept, replaced (by half too), left out, and of all known; then what intervals hold."""
    limit = np.quantile(y, share)
    below = y < limit
    kept = np.where(below, -np.inf, y), np.where(below, limit, y)
    models = [
        KernelRegressor(effort, random_state=0).fit(inputs, targets)
        for inputs, targets in (
            (X, kept),
            (X, np.maximum(y, limit)),
            (X, np.where(below, 0.5 * limit, y)),
            (X[~below], y[~below]),
            (X, y),
        )
    ]
    errors = [float(np.sqrt(np.mean((model.predict(Z) - truth) ** 2)) / truth.std()) for model in models]
    held = [(low <= truth) & (truth <= high) for low, high in (models[k].predict_interval(Z, 0.9) for k in (0, -1))]
    return [*errors, *(float(np.mean(each)) for each in (held[0], held[0][truth < limit], held[1]))]


def ordered(X: Any, y: Any, Z: Any, truth: Any, effort: str) -> tuple[list[float], list[float]]:
    """Return ranked probability scores and mean distances of all methods."""
    cuts = np.quantile(y, [0.2, 0.4, 0.6, 0.8])
    classes, wanted = np.searchsorted(cuts, y), np.searchsorted(cuts, truth)
    models = [KernelOrdinal(effort), KernelClassifier(effort), RandomForestClassifier(300, random_state=0)]
    found = [model.fit(X, classes).predict_proba(Z) for model in models]
    found.append(np.tile(np.bincount(classes, minlength=5) / len(classes), (len(Z), 1)))
    reached = wanted[:, None] <= np.arange(5)
    scores = [float(np.mean(np.sum((np.cumsum(each, axis=1) - reached) ** 2, axis=1))) for each in found]
    return scores, [float(np.mean(np.abs(each.argmax(axis=1) - wanted))) for each in found]


if __name__ == "__main__":
    main()
