"""The EP-GPC columns of Cawley & Talbot (2007), table 2, on random splits of the Raetsch sizes.

    python benchmarks/study_gpc.py --data DIR --out gpc.jsonl

``DIR`` holds one ``<name>.npz`` per data set with ``X``, ``y``, ``surrogate_train`` and
``surrogate_test``. A cell (data set, split, method) that is in the results file is not run again,
and none is begun after ``--minutes``. Selection happens inside each training part. The
tables go to standard output.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from threadpoolctl import threadpool_limits

from kernelect import GPC

METHODS = {
    "spherical": {"kernel": "rbf", "prior": None},
    "elliptical": {"kernel": "ard", "prior": None},
    "GPC()": {},
}

#: Error in % and standard error of EP-GPC, spherical and elliptical, Cawley & Talbot (2007), table 2.
PUBLISHED = {
    "banana": [(10.41, 0.046), (10.46, 0.049)],
    "breast_cancer": [(26.52, 0.489), (27.97, 0.493)],
    "diabetis": [(23.28, 0.182), (23.86, 0.193)],
    "flare_solar": [(34.20, 0.175), (33.58, 0.182)],
    "german": [(23.36, 0.211), (23.77, 0.221)],
    "heart": [(16.65, 0.287), (19.68, 0.366)],
    "image": [(2.80, 0.123), (2.16, 0.068)],
    "ringnorm": [(4.41, 0.064), (8.58, 0.096)],
    "splice": [(11.61, 0.181), (7.07, 0.765)],
    "thyroid": [(4.36, 0.217), (4.24, 0.218)],
    "titanic": [(22.64, 0.134), (22.73, 0.134)],
    "twonorm": [(3.06, 0.034), (4.02, 0.068)],
    "waveform": [(10.10, 0.047), (11.34, 0.195)],
}

#: Small training parts first, so that a run cut short has the most sets.
ORDER = (
    *("thyroid", "titanic", "heart", "breast_cancer", "banana", "twonorm", "ringnorm", "waveform"),
    *("diabetis", "flare_solar", "german", "splice", "image"),
)


def run_cell(data: dict[str, np.ndarray], split: int, method: str) -> dict[str, object]:
    """Fit and score one cell."""
    train, test = data["surrogate_train"][split], data["surrogate_test"][split]
    X, y = data["X"], data["y"]
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the status is kept in the row
        model = GPC(**METHODS[method]).fit(X[train], y[train])
    seconds = time.process_time() - began
    return {
        "error": 100.0 * float(np.mean(model.predict(X[test]) != y[test])),
        "log_loss": float(log_loss(y[test], model.predict_proba(X[test]), labels=model.classes_)),
        "seconds": seconds,
        "value": model.selection_.value,
        "evaluations": model.selection_.n_evaluations,
        "status": model.selection_.status,
    }


def run(data_dir: Path, out: Path, splits: int, names: tuple[str, ...], minutes: float) -> None:
    """Run what is missing, one line of JSON per cell."""
    done = {(row["data"], row["split"], row["method"]) for row in read(out)}
    end = time.monotonic() + 60.0 * minutes
    for name in names:
        data = dict(np.load(data_dir / f"{name}.npz"))
        for split in range(splits):
            for method in METHODS:
                if (name, split, method) in done or time.monotonic() > end:
                    continue
                row = {"data": name, "split": split, "method": method, **run_cell(data, split, method)}
                with out.open("a") as file:
                    file.write(json.dumps(row) + "\n")
        print(name, flush=True)


def read(out: Path) -> list[dict]:
    """Return the rows of a results file."""
    return [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []


def mean_and_error(values: list[float]) -> tuple[float, float]:
    """Return mean and standard error (not a number for a single value)."""
    error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
    return float(np.mean(values)), error


def table(rows: list[dict]) -> str:
    """Return the Markdown tables: errors beside the published ones, then log-loss and cost."""
    cells: dict[tuple[str, str], list[dict]] = defaultdict(list)
    for row in rows:
        cells[row["data"], row["method"]].append(row)
    names = [name for name in sorted(PUBLISHED) if (name, "spherical") in cells]
    methods = [f"{method}: ours / paper (z)" for method in ("spherical", "elliptical")]
    lines = ["| data (splits) | " + " | ".join(methods) + " | GPC() |", "|---|" + "---|" * 3]
    for name in names:
        entries = [error_entry(name, column, cells[name, method]) for column, method in enumerate(METHODS)]
        lines.append(f"| {name} ({len(cells[name, 'spherical'])}) | " + " | ".join(entries) + " |")
    lines += ["", "| data | log-loss: " + " | ".join(METHODS) + " | evaluations: ellipt. / GPC() | "]
    lines[-1] += "CPU s: " + " / ".join(METHODS) + " | at a bound or not converged |"
    lines.append("|---|" + "---|" * 6)
    lines += [cost_line(name, {method: cells[name, method] for method in METHODS}) for name in names]
    return "\n".join(lines)


def error_entry(name: str, column: int, rows: list[dict]) -> str:
    """Return mean and standard error, for the paper's methods beside the published value."""
    if not rows:
        return "not run"
    mean, error = mean_and_error([row["error"] for row in rows])
    several = len(rows) > 1
    entry = f"{mean:.2f} ± {error:.2f}" if several else f"{mean:.2f}"
    if column < 2:
        published, spread = PUBLISHED[name][column]
        entry += f" / {published:.2f}"
        entry += f" ({(mean - published) / np.hypot(error, spread):+.1f})" if several else ""
    return entry


def cost_line(name: str, rows: dict[str, list[dict]]) -> str:
    """Return log-loss, evaluations, seconds and doubts of all methods."""

    def mean(method: str, key: str, digits: int) -> str:
        return f"{np.mean([row[key] for row in rows[method]]):.{digits}f}" if rows[method] else "-"

    every = [row for method in METHODS for row in rows[method]]
    doubtful = sum("converged" not in row["status"].split(";")[0] for row in every)
    bound = sum("at the bound" in row["status"] for row in every)
    losses = " | ".join(mean(method, "log_loss", 3) for method in METHODS)
    evaluations = " / ".join(mean(method, "evaluations", 0) for method in ("elliptical", "GPC()"))
    seconds = " / ".join(mean(method, "seconds", 1) for method in METHODS)
    return f"| {name} | {losses} | {evaluations} | {seconds} | {bound} / {doubtful} of {len(every)} |"


def main() -> None:
    """Run the study and write its tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("gpc.jsonl"))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--datasets", default=",".join(ORDER))
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no cell after this time")
    args = parser.parse_args()
    with threadpool_limits(1):
        run(args.data, args.out, args.splits, tuple(args.datasets.split(",")), args.minutes)
    print(table(read(args.out)))


if __name__ == "__main__":
    main()
