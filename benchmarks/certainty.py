"""How sure mixtures of labels are: the prior on the temperature of their pool against Platt's row of doubt in a class.

On every table of a folder with labels, of each of some splits: one fit of ``KernelClassifier()``, whose pool is then
sharpened in both ways by the same rows left out. A line per table with the log-loss of held-out rows under each, and
the paired difference with its standard error over tables.

    python benchmarks/certainty.py FOLDER [--rows 400] [--splits 2] [--effort balanced]
"""

from __future__ import annotations

import argparse
import warnings
import zlib
from pathlib import Path

import numpy as np

from kernelect import KernelClassifier
from kernelect.criteria.calibration import fit_temperature
from kernelect.model import LabelHead
from kernelect.model.heads import LEAST, mixed
from kernelect.typing import Array, Indices

#: New rows at most, and the fewest training rows of a class.
NEW, LEAST_OF_CLASS = 1500, 3


def main() -> None:
    """Measure all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--effort", default="balanced")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found = []
    for path in sorted(given.folder.glob("*.npz")):
        table = np.load(path, allow_pickle=True)
        X, y = table["X"], table["y"]
        if y.dtype.kind == "f" or len(y) >= 10_000:
            continue
        pairs = []
        for number in range(given.splits):
            fitted, new = split(path.stem, y, given.rows, number)
            model = KernelClassifier(given.effort).fit(X[fitted], y[fitted])
            pairs.append(both_losses(model, y[fitted], X[new], y[new]))
        platt, prior = np.mean(pairs, axis=0)
        found.append((platt, prior))
        print(f"{path.stem}: Platt {platt:.4f}, prior {prior:.4f}", flush=True)
    platt, prior = np.array(found).T
    gain = prior - platt
    error = gain.std(ddof=1) / np.sqrt(len(gain))
    print(f"{len(gain)} tables: {platt.mean():.4f} to {prior.mean():.4f}, difference {gain.mean():.4f} +- {error:.4f};")
    print(f"lower on {np.sum(gain < -1e-4)}, higher on {np.sum(gain > 1e-4)}.")


def split(name: str, y: Indices, most: int, number: int) -> tuple[Indices, Indices]:
    """Return rows for training, some of every class among them, and held-out rows, a fifth of each class."""
    generator = np.random.default_rng([zlib.crc32(name.encode()), number])
    order = generator.permutation(len(y))
    classes = [order[y[order] == label] for label in np.unique(y)]
    new = np.concatenate([rows[: max(1, len(rows) // 5)] for rows in classes])
    some = np.concatenate([rows[len(rows) // 5 + 1 :][:LEAST_OF_CLASS] for rows in classes])
    rest = generator.permutation(np.setdiff1d(order, np.concatenate([new, some])))
    return np.concatenate([some, rest])[:most], generator.permutation(new)[:NEW]


def both_losses(model: KernelClassifier, y: Indices, X_new: Array, y_new: Indices) -> tuple[float, float]:
    """Return the log-loss of new rows by Platt's rule and as the mixture says."""
    index, new = np.searchsorted(model.classes_, y), np.searchsorted(model.classes_, y_new)
    pooled = mixed(model.shares, [member.left_out for member in model.members])
    platt = fit_temperature(np.log(np.maximum(pooled, LEAST)), index, np.ones(len(y)))
    said, head = model.predict_proba(X_new), model.model_.head
    assert isinstance(head, LabelHead)
    assert head.sharpness is not None
    # p^(a / b) / sum p^(a / b) has the sharpness a where p has b.
    other = LabelHead.sharpened(said, platt / head.sharpness)
    return log_loss(other, new), log_loss(said, new)


def log_loss(probability: Array, index: Indices) -> float:
    """Return the mean log-loss."""
    return float(-np.log(np.maximum(probability[np.arange(len(index)), index], LEAST)).mean())


if __name__ == "__main__":
    main()
