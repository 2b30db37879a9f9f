"""The evidence column of Gold & Sollich (2003), table 3, by expectation propagation.

    python benchmarks/study_evidence.py --data DIR --out results.jsonl --table docs/results/gold2003-evidence.md

Data, training rows and random starts are those of ``study_svm.py``. From every start the evidence is
maximised with and without the log-normal prior, and the plain machine and the posterior mean
predict at the optimum; then SVC as it comes, also on fresh draws. A cell (data set, prior, start) that is in the
results file is not run again; ``--minutes`` stops between cells. Test rows are used for the error only.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
from study_svm import SIZES, load, objective_for, random_start

from kernelect import SVC
from kernelect.criteria import EPEvidence
from kernelect.datasets import ringnorm, twonorm
from kernelect.machines import EP, Hinge
from kernelect.priors import LogNormal
from kernelect.search import LBFGS, Budget
from kernelect.selection import SelectionObjective

#: Error in %, mean and standard deviation over trials, of the paper's "Evid grad" column.
PUBLISHED = {
    "crabs": (9.2, 1.5),
    "pima_ripley": (20.8, 1.5),
    "wdbc": (4.0, 1.2),
    "twonorm": (4.0, 0.2),
    "ringnorm": (3.2, 0.6),
}
PRIORS = {"none": None, "log-normal": LogNormal()}
SHIPPED: dict[str, dict[str, object]] = {
    "": {},
    "predictor='svm'": {"predictor": "svm"},
    "prior=None": {"prior": None},
    "prior=None, predictor='svm'": {"prior": None, "predictor": "svm"},
    "slack='quadratic'": {"slack": "quadratic"},
    "kernel='rbf'": {"kernel": "rbf"},
}
COLUMNS = [(prior, predictor) for prior in PRIORS for predictor in ("svm", "posterior-mean")]


def evidence_for(X: np.ndarray, y: np.ndarray, prior: str) -> SelectionObjective:
    """Return minus the log evidence over amplitude, widths, offset and C, linear slack."""
    cheap = objective_for(X, y, "LE1")
    space = cheap.space
    space = type(space)(
        space.names, space.start, space.lower, space.upper, space.free, space.widths, space.reference, np.array([0])
    )
    return SelectionObjective(
        X, cheap.targets, cheap.weights, cheap.kernel, space, EP(Hinge()), EPEvidence(), PRIORS[prior]
    )


def run_cell(data: tuple, prior: str, start: int) -> dict[str, object]:
    """Maximise from one start; the errors of both predictors."""
    X, y, X_test, y_test = data
    objective = evidence_for(X, y, prior)
    space, began = objective.space, time.perf_counter()
    found = LBFGS(first_step=1.0).minimize(
        objective,
        random_start(X, start, True),
        space.lower,
        space.upper,
        budget=Budget(max_iter=200, tol=1e-6, relative=prior == "none"),
    )
    seconds = time.perf_counter() - began
    kernel, C = objective.kernel_at(found.theta), float(np.exp(found.theta[-1]))
    errors = {}
    for predictor in ("svm", "posterior-mean"):
        model = SVC(kernel, C=C, predictor=predictor).fit(X, y)
        errors[predictor] = 100.0 * float(np.mean(model.predict(X_test) != y_test))
    return {
        "value": found.value if prior == "none" else found.value / len(y),
        "errors": errors,
        "seconds": seconds,
        "evaluations": len(found.trace),
        "at_bound": list(space.at_bound(found.theta)),
    }


def run_shipped(data: tuple, arguments: dict[str, object]) -> dict[str, object]:
    """Fit SVC as it comes, from its own start."""
    X, y, X_test, y_test = data
    began = time.perf_counter()
    model = SVC(**arguments).fit(X, y)
    seconds = time.perf_counter() - began
    return {"error": 100.0 * float(np.mean(model.predict(X_test) != y_test)), "seconds": seconds}


def shipped_table(data: dict[str, tuple]) -> str:
    """Return errors of SVC as it comes, on the study's rows and over five fresh draws, in Markdown."""
    heads = ["data", *(words or "as it comes" for words in SHIPPED), "seconds, as it comes"]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for name in data:
        cells = [run_shipped(data[name], arguments) for arguments in SHIPPED.values()]
        lines.append(_line([name, *(f"{cell['error']:.2f}" for cell in cells), f"{cells[0]['seconds']:.1f}"]))
    for draw in (twonorm, ringnorm):
        problems = [(*draw(300, random_state=k), *draw(5000, random_state=1000 + k)) for k in range(5)]
        rows = [[run_shipped(problem, arguments) for arguments in SHIPPED.values()] for problem in problems]
        errors = np.array([[cell["error"] for cell in row] for row in rows])
        means = [f"{m:.2f} ± {s:.2f}" for m, s in zip(errors.mean(axis=0), errors.std(axis=0, ddof=1), strict=True)]
        seconds = np.mean([row[0]["seconds"] for row in rows])
        lines.append(_line([f"{draw.__name__}, 5 draws", *means, f"{seconds:.1f}"]))
    return "\n".join(lines) + "\n"


def table(rows: list[dict]) -> str:
    """Return the errors as a table in Markdown."""
    heads = ["data", 'paper, "Evid grad"', *(f"prior {prior}, {predictor}" for prior, predictor in COLUMNS)]
    lines = [_line([*heads, "starts", "sd of -ln evidence/n, none / prior", "seconds, none / prior"])]
    lines.append(_line(["---"] * (len(heads) + 3)))
    for name, (mean, spread) in PUBLISHED.items():
        cells = [name, f"{mean} ± {spread}"]
        own = {prior: [row for row in rows if row["data"] == name and row["prior"] == prior] for prior in PRIORS}
        if not all(own.values()):
            continue
        for prior, predictor in COLUMNS:
            errors = [row["errors"][predictor] for row in own[prior]]
            cells.append(f"{np.mean(errors):.2f} ± {np.std(errors, ddof=1) if len(errors) > 1 else 0.0:.2f}")
        cells.append(" / ".join(str(len(own[prior])) for prior in PRIORS))
        cells.append(" / ".join(f"{np.std([row['value'] for row in own[prior]]):.4f}" for prior in PRIORS))
        cells.append(" / ".join(f"{np.mean([row['seconds'] for row in own[prior]]):.1f}" for prior in PRIORS))
        lines.append(_line(cells))
    return "\n".join(lines) + "\n"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Run the cells that are missing and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=60.0)
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.out.read_text().splitlines()] if options.out.exists() else []
    done = {(row["data"], row["prior"], row["start"]) for row in rows}
    data, began = {name: load(options.data, name) for name in SIZES}, time.perf_counter()
    for start in range(options.starts):
        for name in SIZES:
            for prior in PRIORS:
                if (name, prior, start) in done or time.perf_counter() - began > 60.0 * options.minutes:
                    continue
                row = {"data": name, "prior": prior, "start": start, **run_cell(data[name], prior, start)}
                rows.append(row)
                with options.out.open("a") as out:
                    out.write(json.dumps(row) + "\n")
                print(name, prior, start, row["errors"], f"{row['seconds']:.1f} s", flush=True)
    text = f"{table(rows)}\n{shipped_table(data)}"
    if options.table:
        options.table.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
