"""Few labelled rows: the log-loss that leave-one-out claims, and the log-loss on new rows.

Of every CSV of a folder whose last column holds at most ten classes, so many rows are drawn and fitted by
``KernelClassifier()``, and up to 600 others are predicted. One line per number of rows: means over tables and the ratio
of the second to the first, which should be 1.

    python benchmarks/few_rows.py FOLDER [--rows 50 100 200 400] [--draws 1]
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from kernelect import KernelClassifier
from kernelect.typing import Array

#: Columns, classes and new rows at most, and the fewest rows of a class that stays.
COLUMNS, CLASSES, NEW, LEAST = 80, 10, 600, 8


def tables(folder: Path) -> Iterator[tuple[str, pd.DataFrame, pd.Series]]:
    """Yield name, inputs and labels of tables with few classes."""
    for path in sorted(folder.glob("*.csv")):
        frame = pd.read_csv(path, na_values=["?"])
        frame = frame[frame.iloc[:, -1].notna()]
        X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
        if pd.api.types.is_numeric_dtype(y) and y.nunique() > CLASSES:
            continue
        y = y.astype(str)
        kept = y.map(y.value_counts()) >= LEAST
        if y[kept].nunique() <= CLASSES and X.shape[1] <= COLUMNS:
            yield path.stem, X[kept].reset_index(drop=True), y[kept].reset_index(drop=True)


def losses(name: str, X: pd.DataFrame, y: pd.Series, n_rows: int, draw: int) -> tuple[float, float] | None:
    """Return the claimed and the real log-loss of one draw; None if a class has a single row in it."""
    order = np.random.default_rng([zlib.crc32(name.encode()), draw]).permutation(len(y))
    fitted, new = order[:n_rows], order[n_rows : n_rows + NEW]
    counts = y.iloc[fitted].value_counts()
    if len(counts) < 2 or counts.min() < 2:
        return None
    new = new[y.iloc[new].isin(counts.index).to_numpy()]
    model = KernelClassifier().fit(X.iloc[fitted], y.iloc[fitted])
    place = {label: number for number, label in enumerate(model.classes_)}
    claimed = log_loss(model.loo_proba_, y.iloc[fitted].map(place))
    return claimed, log_loss(model.predict_proba(X.iloc[new]), y.iloc[new].map(place))


def log_loss(probability: Array, index: pd.Series) -> float:
    """Return the mean log-loss."""
    return float(-np.log(np.maximum(probability[np.arange(len(index)), index], 1e-12)).mean())


def main() -> None:
    """Measure all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, nargs="+", default=[50, 100, 200, 400])
    parser.add_argument("--draws", type=int, default=1)
    given = parser.parse_args()
    for n_rows in given.rows:
        found = []
        for name, X, y in tables(given.folder):
            if len(y) < 1.5 * n_rows:
                continue
            each = [pair for draw in range(given.draws) if (pair := losses(name, X, y, n_rows, draw)) is not None]
            found += [np.mean(each, axis=0)] if each else []
        claimed, real = np.mean(found, axis=0)
        words = f"claimed {claimed:.4f}, new rows {real:.4f}, ratio {real / claimed:.3f}"
        print(f"{n_rows} rows, {len(found)} tables: {words}", flush=True)


if __name__ == "__main__":
    main()
