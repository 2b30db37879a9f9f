"""Tables I to III of Barrio, Romero & Belanche, on random splits of kin-8 and pumadyn-8.

    python benchmarks/study_basis.py --data DIR --out basis.jsonl --table docs/results/barrio.md

``DIR`` holds one ``<name>.npz`` per data set with ``X`` and ``y``. A cell (data set, split,
method) that is in the results file is not run again. The five training parts of a data set are
disjoint blocks of 1024 rows of one random permutation; a test part is all other rows. As in the
paper, the widths are found once per split with all basis functions in the model and are
the same for all methods, inputs are scaled to [-1, 1], and the model has no bias.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.stats import ttest_rel
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVR
from threadpoolctl import threadpool_limits

from kernelect import BasisSearchRegressor
from kernelect.basis import ABF, OLS, PTA, SFFS, KernelFunctions, Oscillating, Sample, fit_widths
from kernelect.kernels import ARD

DATA = tuple(f"{family}8{kind}" for family in ("puma", "kin") for kind in ("fh", "fm", "nh", "nm"))
TRAINING_ROWS = 1024

STRATEGIES = {
    "PTA(1,0)": PTA(1, 0),
    "PTA(2,1)": PTA(2, 1),
    "SFFS": SFFS(),
    "Oscillating(5)": Oscillating(5),
    "ABF": ABF(),
    "OLS": OLS("validation"),
}
SEARCHES = ("PTA(1,0)", "PTA(2,1)", "SFFS", "Oscillating(5)")
METHODS = (*STRATEGIES, "SVM")

#: Table II, mean number of basis functions with 1024 training rows.
PUBLISHED_SIZES = {
    "PTA(1,0)": (39, 80, 59, 68, 48, 71, 120, 264),
    "PTA(2,1)": (11, 59, 24, 34, 39, 46, 103, 203),
    "SFFS": (2.5, 4.5, 8.5, 13, 10, 22, 76, 159),
    "Oscillating(5)": (39, 80, 59, 68, 48, 71, 120, 264),
    "SVM": (593, 726, 668, 608, 708, 667, 682, 836),
    "OLS": (11, 14, 15, 26, 18, 35, 49, 169),
}

#: Table III, mean number of additions plus removals with 1024 training rows.
PUBLISHED_STEPS = {
    "PTA(1,0)": (56, 107, 79, 88, 65, 92, 155, 343),
    "PTA(2,1)": (78, 238, 118, 148, 162, 183, 403, 791),
    "SFFS": (132, 344, 190, 361, 330, 381, 2051, 5892),
    "Oscillating(5)": (205, 308, 256, 250, 224, 311, 433, 738),
}

#: Table I: tasks of 40 where the row method was worse than the column method (p < 0.05).
PUBLISHED_WORSE = {
    "PTA(1,0)": {"PTA(2,1)": 0, "SFFS": 0, "Oscillating(5)": 6, "ABF": 6, "SVM": 4, "OLS": 0},
    "PTA(2,1)": {"PTA(1,0)": 3, "SFFS": 0, "Oscillating(5)": 3, "ABF": 9, "SVM": 4, "OLS": 0},
    "SFFS": {"PTA(1,0)": 9, "PTA(2,1)": 5, "Oscillating(5)": 11, "ABF": 13, "SVM": 6, "OLS": 0},
    "Oscillating(5)": {"PTA(1,0)": 4, "PTA(2,1)": 0, "SFFS": 0, "ABF": 7, "SVM": 1, "OLS": 0},
    "ABF": {"PTA(1,0)": 1, "PTA(2,1)": 1, "SFFS": 0, "Oscillating(5)": 2, "SVM": 2, "OLS": 0},
    "SVM": {"PTA(1,0)": 5, "PTA(2,1)": 2, "SFFS": 0, "Oscillating(5)": 6, "ABF": 5, "OLS": 0},
    "OLS": {"PTA(1,0)": 21, "PTA(2,1)": 17, "SFFS": 8, "Oscillating(5)": 19, "ABF": 19, "SVM": 11},
}


def parts(data: dict[str, np.ndarray], number: int, split: int) -> tuple[np.ndarray, ...]:
    """Return training and test parts, inputs in [-1, 1], the target standardised on the training rows."""
    X, y = data["X"], data["y"]
    X = 2.0 * (X - X.min(axis=0)) / np.ptp(X, axis=0) - 1.0
    order = np.random.default_rng([number, 2007]).permutation(len(X))
    train = order[split * TRAINING_ROWS : (split + 1) * TRAINING_ROWS]
    test = np.setdiff1d(order, train)
    y = (y - y[train].mean()) / y[train].std()
    return X[train], y[train], X[test], y[test]


def run_widths(X: np.ndarray, y: np.ndarray, rows: int) -> dict[str, object]:
    """Find the widths with all basis functions."""
    began = time.perf_counter()
    found = fit_widths(ARD(), Sample(X, y[:, None], np.ones(len(X)), False), max_rows=rows)
    return {
        "gamma": np.asarray(found.kernel.gamma).tolist(),
        "seconds": time.perf_counter() - began,
        "status": found.result.status.value,
        "evaluations": len(found.result.trace),
    }


def run_method(method: str, gamma: list[float], split: int, parts: tuple[np.ndarray, ...]) -> dict[str, object]:
    """Fit and score one method at given widths."""
    X, y, X_test, y_test = parts
    began = time.perf_counter()
    if method == "SVM":
        root = np.sqrt(gamma)  # an elliptical kernel is a spherical one of scaled inputs
        grid = {"C": [1.0, 10.0, 100.0], "epsilon": [0.05, 0.2, 0.5]}
        model = GridSearchCV(SVR(gamma=1.0), grid, cv=3, scoring="neg_mean_squared_error").fit(X * root, y)
        seconds, size = time.perf_counter() - began, len(model.best_estimator_.support_)
        return {"error": mse(model.predict(X_test * root), y_test), "size": size, "seconds": seconds}
    dictionary = KernelFunctions(ARD(gamma))
    model = BasisSearchRegressor(dictionary, strategy=STRATEGIES[method], fit_intercept=False, random_state=split)
    model.fit(X, y)
    return {
        "error": mse(model.predict(X_test), y_test),
        "size": len(model.support_),
        "steps": len(model.selection_.trace),
        "evidence": -model.selection_.value,
        "seconds": time.perf_counter() - began,
        "status": model.selection_.status,
    }


def mse(predicted: np.ndarray, observed: np.ndarray) -> float:
    """Return the mean squared error."""
    return float(np.mean((predicted - observed) ** 2))


def run(data_dir: Path, out: Path, splits: int, rows: int) -> None:
    """Run what is missing, one line of JSON per cell, split by split so that a stopped run is balanced."""
    done = {(row["data"], row["split"], row["method"]): row for row in read(out)}

    def keep(name: str, split: int, method: str, row: dict[str, object]) -> dict:
        full = {"data": name, "split": split, "method": method, **row}
        done[name, split, method] = full
        with out.open("a") as file:
            file.write(json.dumps(full) + "\n")
        return full

    for split in range(splits):
        for number, name in enumerate(DATA):
            cell = parts(dict(np.load(data_dir / f"{name}.npz")), number, split)
            widths = done.get((name, split, "widths"))
            if widths is None:
                widths = keep(name, split, "widths", {**run_widths(cell[0], cell[1], rows), "rows": rows})
            for method in METHODS:
                if (name, split, method) not in done:
                    keep(name, split, method, run_method(method, widths["gamma"], split, cell))
            print(split, name, flush=True)


def read(out: Path) -> list[dict]:
    """Return the rows of a results file."""
    return [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []


class Results:
    """The cells of a run, by data set and method."""

    def __init__(self, rows: list[dict]) -> None:
        self.cells: dict[tuple[str, str], dict[int, dict]] = defaultdict(dict)
        for row in rows:
            self.cells[row["data"], row["method"]][row["split"]] = row

    def column(self, name: str, method: str, key: str) -> np.ndarray:
        """Return the values of one cell over its splits, in their order."""
        cell = self.cells[name, method]
        return np.array([cell[split][key] for split in sorted(cell)], dtype=float)

    def worse(self, row: str, column: str) -> int:
        """Return the number of tasks where ``row`` has the larger error, paired t-test over splits, p < 0.05."""
        count = 0
        for name in DATA:
            shared = sorted(set(self.cells[name, row]) & set(self.cells[name, column]))
            a = [self.cells[name, row][s]["error"] for s in shared]
            b = [self.cells[name, column][s]["error"] for s in shared]
            count += bool(np.mean(a) > np.mean(b) and ttest_rel(a, b).pvalue < 0.05)
        return count


def shown(values: np.ndarray, digits: int) -> str:
    """Return mean and standard error."""
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else float("nan")
    return f"{values.mean():.{digits}f} ± {error:.{digits}f}"


def by_data(results: Results, methods: tuple[str, ...], key: str, digits: int, published: dict | None) -> list[str]:
    """Return a table of methods by data sets, beside the published figures where there are any."""
    lines = ["| method | " + " | ".join(DATA) + " |", "|---|" + "---|" * len(DATA)]
    for method in methods:
        cells = [shown(results.column(name, method, key), digits) for name in DATA]
        if published is not None and method in published:
            cells = [f"{ours} / {paper:g}" for ours, paper in zip(cells, published[method], strict=True)]
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return lines


def table(rows: list[dict]) -> str:
    """Return the Markdown tables."""
    results = Results(rows)
    methods = tuple(m for m in METHODS if all(results.cells[name, m] for name in DATA))
    worse = ["| worse than | " + " | ".join(methods) + " |", "|---|" + "---|" * len(methods)]
    for row in methods:
        entries = ["-" if row == c else f"{results.worse(row, c)} / {PUBLISHED_WORSE[row][c]}" for c in methods]
        worse.append(f"| {row} | " + " | ".join(entries) + " |")
    searches = tuple(m for m in methods if m != "SVM")
    blocks = {
        "Table I: tasks where the row method is worse than the column method (ours of 8 / paper of 40)": worse,
        "Table II: number of basis functions, ours ± standard error / paper": by_data(
            results, tuple(m for m in methods if m != "ABF"), "size", 1, PUBLISHED_SIZES
        ),
        "Table III: additions plus removals, ours ± standard error / paper": by_data(
            results, SEARCHES, "steps", 0, PUBLISHED_STEPS
        ),
        "Test mean squared error (target variance 1)": by_data(results, methods, "error", 4, None),
        "ln evidence": by_data(results, searches, "evidence", 1, None),
    }
    return "\n".join(line for title, lines in blocks.items() for line in (f"## {title}", "", *lines, ""))


def main() -> None:
    """Run the study and write its tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("basis.jsonl"))
    parser.add_argument("--table", type=Path, help="where to write the tables; standard output otherwise")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--width-rows", type=int, default=TRAINING_ROWS, help="rows used to find the widths")
    args = parser.parse_args()
    with threadpool_limits(1):
        run(args.data, args.out, args.splits, args.width_rows)
    text = table(read(args.out))
    if args.table is None:
        print(text)
    else:
        args.table.write_text(text)


if __name__ == "__main__":
    main()
