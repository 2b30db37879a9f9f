"""The table of Kropotov, Ptashko & Vetrov again: widths chosen by each criterion, on random splits.

Run ``python benchmarks/study_rvm.py --data DIR --cells cells.jsonl > kropotov.md`` with the
``.npz`` files of the UCI sets (``X``, ``y`` of +-1) in DIR. One line per data set, method and
split goes to the cells file as soon as it is done, so that a killed study goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

from kernelect import RVC
from kernelect.criteria import RVMCentreEvidence, RVMCrossValidation
from kernelect.kernels import RBF

DATA = ("australian", "bupa", "crx", "hepatitis", "pima")

#: Error % and vectors of the paper's Table 1, one split each: RVM LOO, SVM LOO, RVM ME.
PAPER = {
    "australian": ((14.9, 37), (11.54, 188), (10.58, 19)),
    "bupa": ((25.0, 6), (26.92, 179), (21.15, 7)),
    "crx": ((16.35, 57), (15.38, 217), (15.87, 36)),
    "hepatitis": ((36.17, 34), (31.91, 102), (31.91, 11)),
    "pima": ((22.08, 29), (21.65, 309), (21.21, 13)),
}

RVM_METHODS: dict[str, dict[str, Any]] = {
    "RVM, evidence": {"criterion": "evidence"},
    "RVM, Occam evidence": {"criterion": "occam-evidence"},
    "RVM, centre evidence": {"criterion": "centre-evidence"},
    "RVM, centre evidence, centres moved": {"criterion": "centre-evidence", "centres": "movable"},
    "RVM, paper's criterion, mended": {"criterion": RVMCentreEvidence(form="scalar")},
    "RVM, 5-fold log-loss": {"criterion": "cv"},
    "RVM, 5-fold error": {"criterion": RVMCrossValidation(loss="error")},
    "RVM, one width per input, Occam evidence": {"criterion": "occam-evidence", "kernel": "ard"},
    "RVM, leave-one-out": {"criterion": "loo"},
}

SVM = "SVM, leave-one-out"

#: Methods that take longer, or matter less, are run on the first splits only.
COSTLY = (
    "RVM, evidence",
    "RVM, centre evidence",
    "RVM, centre evidence, centres moved",
    "RVM, paper's criterion, mended",
    "RVM, 5-fold error",
    "RVM, leave-one-out",
    SVM,
)


def split(name: str, n: int, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return training (67 %) and test rows of one random split."""
    order = np.random.default_rng([DATA.index(name), number]).permutation(n)
    cut = round(0.67 * n)
    return order[:cut], order[cut:]


def run(method: str, X: np.ndarray, y: np.ndarray, Z: np.ndarray, t: np.ndarray) -> tuple[float, float, int]:
    """Return test error, test log-loss and number of vectors."""
    if method == SVM:
        return svm_leave_one_out(X, y, Z, t)
    model = RVC(**{"kernel": "rbf", **RVM_METHODS[method]}).fit(X, y)
    p = model.predict_proba(Z)[np.arange(len(t)), np.searchsorted(model.classes_, t)]
    return float(np.mean(model.predict(Z) != t)), float(-np.mean(np.log(p))), len(model.support_)


def svm_leave_one_out(X: np.ndarray, y: np.ndarray, Z: np.ndarray, t: np.ndarray) -> tuple[float, float, int]:
    """Choose width and C by the exact leave-one-out error; only support vectors need a refit."""
    start = RBF().start(X).gamma
    best: tuple[float, Any, float] = (np.inf, None, 0.0)
    for gamma in start * np.exp(np.arange(-2.0, 3.0)):
        K = RBF(gamma).gram(X)
        for C in (0.3, 1.0, 3.0, 10.0):
            machine = svm.SVC(C=C, kernel="precomputed").fit(K, y)
            wrong = machine.predict(K) != y
            for i in machine.support_:
                rest = np.delete(np.arange(len(y)), i)
                left = svm.SVC(C=C, kernel="precomputed").fit(K[np.ix_(rest, rest)], y[rest])
                wrong[i] = left.predict(K[i : i + 1, rest])[0] != y[i]
            if wrong.mean() < best[0]:
                best = (float(wrong.mean()), machine, gamma)
    _, machine, gamma = best
    return float(np.mean(machine.predict(RBF(gamma).cross(Z, X)) != t)), float("nan"), len(machine.support_)


def cells(folder: Path, file: Path, n_splits: int, n_costly: int) -> list[dict[str, Any]]:
    """Return all results, running those that the file does not hold yet."""
    done = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    known = {(cell["data"], cell["method"], cell["split"]) for cell in done}
    plan = [
        (name, method, number)
        for number in range(n_splits)
        for name in DATA
        for method in (*RVM_METHODS, SVM)
        if (method not in COSTLY or number < n_costly) and (name, method, number) not in known
    ]
    # Costly cells come after the others of some splits, so that an unfinished study has both.
    plan.sort(key=lambda cell: 1 + COSTLY.index(cell[1]) + 6 * cell[2] if cell[1] in COSTLY else cell[2])
    for name, method, number in plan:
        with np.load(folder / f"{name}.npz") as table:
            X, y = table["X"], table["y"]
        train, test = split(name, len(y), number)
        mean, spread = X[train].mean(axis=0), X[train].std(axis=0)
        scaled = (X - mean) / np.where(spread > 0, spread, 1.0)
        began = time.process_time()
        error, loss, vectors = run(method, scaled[train], y[train], scaled[test], y[test])
        majority = float(np.mean(y[test] != np.sign(np.sum(y[train]) or 1)))
        cell = {"data": name, "method": method, "split": number, "error": error, "log_loss": loss}
        cell |= {"vectors": vectors, "majority": majority, "seconds": time.process_time() - began}
        with file.open("a") as out:
            out.write(json.dumps(cell) + "\n")
        done.append(cell)
    return done


def figure(values: list[float], scale: float = 1.0, digits: int = 1) -> str:
    """Return mean +- standard error."""
    array = scale * np.array(values)
    error = f" ± {array.std(ddof=1) / np.sqrt(len(array)):.{digits}f}" if len(array) > 1 else ""
    return f"{array.mean():.{digits}f}{error}"


def table(done: list[dict[str, Any]], field: str, scale: float, digits: int) -> list[str]:
    """Return a Markdown table of one field, methods by data sets."""
    lines = ["| method | splits | " + " | ".join(DATA) + " |", "|---|---|" + "---|" * len(DATA)]
    for method in (*RVM_METHODS, SVM):
        mine = [[c[field] for c in done if c["method"] == method and c["data"] == name] for name in DATA]
        if all(mine) and not np.isnan(mine[0][0]):
            counts = sorted({len(each) for each in mine})
            shown = " | ".join(figure(each, scale, digits) for each in mine)
            lines.append(f"| {method} | {'-'.join(map(str, counts))} | {shown} |")
    return lines


def paired(done: list[dict[str, Any]], reference: str) -> list[str]:
    """Return each method's error minus the reference's on the same splits."""
    value = {(c["data"], c["method"], c["split"]): c["error"] for c in done}
    lines = [f"| method minus {reference} | " + " | ".join(DATA) + " | mean |", "|---|" + "---|" * (len(DATA) + 1)]
    for method in (*RVM_METHODS, SVM):
        rows = []
        for name in DATA:
            numbers = sorted(s for d, m, s in value if d == name and m == method and (d, reference, s) in value)
            rows.append([value[name, method, s] - value[name, reference, s] for s in numbers])
        if method != reference and all(len(row) > 1 for row in rows):
            mean = np.mean([np.mean(row) for row in rows])
            se = np.sqrt(np.sum([np.var(row, ddof=1) / len(row) for row in rows])) / len(rows)
            shown = " | ".join(figure(row, 100.0) for row in rows)
            lines.append(f"| {method} | {shown} | {100 * mean:.1f} ± {100 * se:.1f} |")
    return lines


def main() -> None:
    """Run the study and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cells", type=Path, default=Path("study_rvm.jsonl"))
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--costly-splits", type=int, default=3)
    parser.add_argument("--report", action="store_true", help="print what the cells file holds, run nothing")
    arguments = parser.parse_args()
    if arguments.report:
        arguments.splits = 0
    warnings.simplefilter("ignore", ConvergenceWarning)
    done = cells(arguments.data, arguments.cells, arguments.splits, arguments.costly_splits)
    print("## Test error, %\n", *table(done, "error", 100.0, 1), sep="\n")
    majority = [figure([c["majority"] for c in done if c["data"] == name], 100.0) for name in DATA]
    print("| majority class | | " + " | ".join(value.split(" ")[0] for value in majority) + " |")
    for k, label in enumerate(("RVM LOO", "SVM LOO", "RVM ME")):
        print(f"| paper, {label} | 1 | " + " | ".join(str(PAPER[name][k][0]) for name in DATA) + " |")
    print("\n## Differences on the same splits, percentage points\n", *paired(done, "RVM, 5-fold log-loss"), sep="\n")
    print("\n## Number of vectors\n", *table(done, "vectors", 1.0, 0), sep="\n")
    for k, label in enumerate(("RVM LOO", "SVM LOO", "RVM ME")):
        print(f"| paper, {label} | 1 | " + " | ".join(str(PAPER[name][k][1]) for name in DATA) + " |")
    print("\n## Test log-loss\n", *table(done, "log_loss", 1.0, 3), sep="\n")
    print("\n## CPU seconds of a fit, selection included\n", *table(done, "seconds", 1.0, 1), sep="\n")


if __name__ == "__main__":
    main()
