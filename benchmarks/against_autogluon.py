"""The doors beside AutoGluon's best on the tables of a folder: losses on new rows, paired, with standard errors.

    python benchmarks/against_autogluon.py run FOLDER --method autogluon --out cells.csv
    python benchmarks/against_autogluon.py run FOLDER --method kernelect --out cells.csv
    python benchmarks/against_autogluon.py compare cells.csv [--csv compared.csv]

Of every CSV file the last column is the target. Tables come in the order of a hash of their names. A fifth of the rows
is new (stratified), at most 2000 others are fitted. Each cell is written as it ends, and the same command goes on where
it was stopped. AutoGluon gets 60 seconds of the processor, in an environment of its own that the first run makes.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from kernelect.studies.definition import Method, read_study
from kernelect.studies.elsewhere import fit_elsewhere, make_environment
from kernelect.studies.large import fit_large
from kernelect.studies.splits import Problem

HEADS = ("table", "split", "method", "task", "rows", "loss", "log_loss", "auc", "fit_seconds", "versions")
#: Rows of a table and of a class at least, different numbers of a target of labels at most, rows to fit at most.
LEAST, OF_A_CLASS, CLASSES, MOST = 100, 8, 10, 2000

#: What is compared: task, figure, its name, whether larger is better.
FIGURES = (
    ("labels", "log_loss", "log-loss", False),
    ("labels", "auc", "area under the ROC curve", True),
    ("labels", "loss", "error %", False),
    ("numbers", "loss", "RMSE, logarithms", False),
)


def read(path: Path) -> tuple[pd.DataFrame, pd.Series]:
    """Return inputs and target: text if it holds labels, floats otherwise."""
    frame = pd.read_csv(path, na_values=["?"])
    frame = frame[frame.iloc[:, -1].notna()].reset_index(drop=True)
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
    if pd.api.types.is_numeric_dtype(y) and y.nunique() > CLASSES:
        return X, y.astype(float)
    kept = y.map(y.value_counts()) >= OF_A_CLASS
    return X[kept].reset_index(drop=True), y[kept].astype(str).reset_index(drop=True)


def problem_of(path: Path, split: int) -> Problem:
    """Return the rows to fit and the new ones of one split."""
    X, y = read(path)
    labels = None if y.dtype.kind == "f" else y
    seed = zlib.crc32(f"{path.stem} {split}".encode())
    fitted, new = train_test_split(np.arange(len(y)), test_size=0.2, random_state=seed, stratify=labels)
    fitted, targets = fitted[:MOST], y.to_numpy(dtype=str if labels is not None else float)
    return Problem(X=X.iloc[fitted], y=targets[fitted], X_test=X.iloc[new], y_test=targets[new])


def methods() -> dict[str, Method]:
    """Return both as the study of public tables runs them."""
    known = read_study("public").methods
    return {"kernelect": known["balanced"], "autogluon": known["autogluon"]}


def chosen(folder: Path, each: int) -> list[Path]:
    """Return so many tables with labels and with numbers, in turn, so that a run that was stopped has both."""
    paths = sorted(folder.glob("*.csv"), key=lambda path: hashlib.sha256(path.stem.encode()).hexdigest())
    targets = {path: y for path in paths if len(y := read(path)[1]) >= LEAST}
    labels = [path for path, y in targets.items() if y.dtype.kind != "f"][:each]
    numbers = [path for path, y in targets.items() if y.dtype.kind == "f"][:each]
    return [path for pair in zip(labels, numbers, strict=True) for path in pair]


def run(folder: Path, name: str, out: Path, splits: int, each: int) -> None:
    """Run the cells that are missing."""
    method = methods()[name]
    make_environment(method.packages) if method.packages else None
    if not out.exists():
        out.write_text(",".join(HEADS) + "\n")
    with out.open() as file:
        there = {(row["table"], int(row["split"]), row["method"]) for row in csv.DictReader(file)}
    runner = fit_elsewhere if method.packages else fit_large
    for split in range(splits):
        for path in chosen(folder, each):
            if (path.stem, split, name) in there:
                continue
            problem = problem_of(path, split)
            try:
                figures = runner(problem, method, None, split)
            except Exception as error:
                print(path.stem, split, f"{type(error).__name__}: {error}", flush=True)
                continue
            task = "numbers" if problem.y.dtype.kind == "f" else "labels"
            cell = {"table": path.stem, "split": split, "method": name, "task": task, "rows": len(problem.y), **figures}
            with out.open("a") as file:
                csv.DictWriter(file, HEADS, extrasaction="ignore").writerow(cell)
            print(
                path.stem, split, round(float(figures["loss"]), 3), round(float(figures["fit_seconds"]), 1), flush=True
            )


def compare(cells: Path, out: Path | None) -> None:
    """Print won, tied and lost tables and paired differences; the mean over the splits of a table is its figure."""
    frame = pd.read_csv(cells).set_index(["table", "split"])
    ours, theirs = (frame[frame["method"] == name] for name in methods())
    both = ours.merge(theirs, left_index=True, right_index=True, suffixes=(" of ours", " of its"))
    lines = []
    for task, figure, name, larger in FIGURES:
        part = both[both["task of ours"] == task]
        mine, its = part[f"{figure} of ours"], part[f"{figure} of its"]
        # Errors of numbers are compared by their logarithms, because tables differ in what is possible.
        difference = np.log(mine / its) if task == "numbers" else (its - mine if larger else mine - its)
        means = difference.groupby("table").mean()
        error = float(means.sem())
        lines.append(
            {
                "what": f"{task}: {name}",
                "tables": len(means),
                "splits": len(part),
                "won": int((means < -0.1 * error).sum()),
                "tied": int((means.abs() <= 0.1 * error).sum()),
                "lost": int((means > 0.1 * error).sum()),
                "kernelect": round(mine.groupby("table").mean().mean(), 4),
                "AutoGluon": round(its.groupby("table").mean().mean(), 4),
                "ours behind by": round(float(means.mean()), 4),
                "standard error": round(error, 4),
                "CPU s": round(part["fit_seconds of ours"].mean(), 1),
                "its CPU s": round(part["fit_seconds of its"].mean(), 1),
            }
        )
    found = pd.DataFrame(lines)
    print(found.to_string(index=False))
    if out is not None:
        found.to_csv(out, index=False)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    running = steps.add_parser("run")
    running.add_argument("folder", type=Path)
    running.add_argument("--method", choices=["kernelect", "autogluon"], required=True)
    running.add_argument("--out", type=Path, required=True)
    running.add_argument("--splits", type=int, default=3)
    running.add_argument("--tables", type=int, default=16, help="tables with labels, and with numbers")
    comparing = steps.add_parser("compare")
    comparing.add_argument("cells", type=Path)
    comparing.add_argument("--csv", type=Path)
    given = parser.parse_args()
    if given.step == "run":
        run(given.folder, given.method, given.out, given.splits, given.tables)
    else:
        compare(given.cells, given.csv)
