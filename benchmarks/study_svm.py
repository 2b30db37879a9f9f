"""The cheap criteria of Gold & Sollich (2003), tables 3 and 4: random walk and L-BFGS.

    python benchmarks/study_svm.py --data DIR --out results.jsonl --table docs/results/gold2003-cheap-criteria.md

``DIR`` holds ``crabs``, ``pima_ripley``, ``wdbc``, ``twonorm`` and ``ringnorm`` as ``.npz`` with ``X``
and ``y`` (pima_ripley also ``train`` and ``test``). A cell (data set, criterion, search, start) that
is in the results file is not run again; ``--minutes`` stops between cells. Test rows are used for
the error only.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from kernelect import SVC
from kernelect.criteria import GACV, LaplaceEvidence, Span
from kernelect.kernels import ARD, Constant
from kernelect.machines import SVM
from kernelect.parameters import ParameterSpace
from kernelect.search import LBFGS, Budget, RandomWalk
from kernelect.selection import SelectionObjective

#: Name: criterion, slack, whether C is searched too.
CRITERIA = {
    "LE1": (LaplaceEvidence(), "linear", True),
    "LE2": (LaplaceEvidence(), "quadratic", True),
    "GACV": (GACV(), "linear", False),
    "span": (Span(), "quadratic", False),
}
SEARCHES = ("L-BFGS", "random walk")
SIZES = {"crabs": 80, "pima_ripley": 200, "wdbc": 300, "twonorm": 300, "ringnorm": 300}

#: Mean and standard deviation over 25 trials (table 3), best trial (table 4), in %.
PUBLISHED = {
    "crabs": {"LE1": (10.7, 2.1, 5.9), "LE2": (10.5, 1.3, 9.2), "GACV": (13.0, 1.8, 10.9), "span": (6.0, 1.8, 3.4)},
    "pima_ripley": {
        "LE1": (30.3, 2.0, 27.8),
        "LE2": (33.5, 2.2, 28.4),
        "GACV": (23.2, 2.7, 20.2),
        "span": (21.0, 1.1, 19.0),
    },
    "wdbc": {"LE1": (5.8, 2.5, 1.9), "LE2": (5.8, 3.6, 3.4), "GACV": (9.6, 2.8, 4.1), "span": (7.8, 4.2, 1.9)},
    "twonorm": {"LE1": (13.5, 12.6, 2.9), "LE2": (12.6, 5.0, 3.1), "GACV": (5.2, 1.9, 3.4), "span": (4.6, 0.9, 3.5)},
    "ringnorm": {"LE1": (4.7, 1.6, 2.1), "LE2": (2.5, 5.3, 2.2), "GACV": (3.3, 1.3, 1.9), "span": (3.5, 1.3, 2.0)},
}

#: Bounds of amplitude, offset, C and ln l, and the paper's ranges for random starts.
BOUNDS = {"amplitude": (0.01, 3000.0), "offset": (1e-4, 100.0), "C": (0.05, 200.0)}
LENGTH_BOUNDS = (-2.5, 6.0)


def load(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return training and test rows: inputs standardised over the whole table, as in the paper."""
    with np.load(folder / f"{name}.npz") as stored:
        data = {key: stored[key] for key in stored.files}
    X, y = data["X"], data["y"].astype(float)
    if name == "crabs":
        group = 2 * (data["y_species"] > 0) + (y > 0)
        rng = np.random.default_rng(2003)
        train = np.concatenate([rng.choice(np.flatnonzero(group == g), 20, replace=False) for g in range(4)])
        X = X[:, :5]
    elif name == "pima_ripley":
        train = data["train"].ravel()
    else:
        train = np.arange(SIZES[name])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    test = np.setdiff1d(np.arange(len(X)), train)
    return X[train], y[train], X[test], y[test]


def objective_for(X: np.ndarray, y: np.ndarray, criterion: str) -> SelectionObjective:
    """Return the criterion over amplitude, widths, offset and, for evidences, C."""
    part, slack, with_constant = CRITERIA[criterion]
    d = X.shape[1]
    kernel = Constant(1.0) * ARD(np.ones(d)) + Constant(0.1)
    widths = np.sort(-np.log(2.0) - 2.0 * np.array(LENGTH_BOUNDS))  # gamma = 1 / (2 l^2)
    lower = np.concatenate([np.log([BOUNDS["amplitude"][0]]), np.full(d, widths[0]), np.log([BOUNDS["offset"][0]])])
    upper = np.concatenate([np.log([BOUNDS["amplitude"][1]]), np.full(d, widths[1]), np.log([BOUNDS["offset"][1]])])
    names = ("amplitude", *(f"gamma[{j}]" for j in range(d)), "offset", "C")
    constant = np.log(BOUNDS["C"]) if with_constant else (0.0, 0.0)
    space = ParameterSpace(
        names,
        np.append(kernel.theta, 0.0),
        np.append(lower, constant[0]),
        np.append(upper, constant[1]),
        np.array([True] * (d + 2) + [with_constant]),
        (np.arange(1, d + 1),),
        np.zeros(d + 3),
    )
    return SelectionObjective(X, y[:, None], np.ones(len(y)), kernel, space, SVM(slack), part, None)


def random_start(X: np.ndarray, start: int, with_constant: bool) -> np.ndarray:
    """Return a start from the paper's ranges, its lengths scaled to a median squared distance of 2.

    Unscaled, ln l in [-1, 2] makes the Gram matrix of 20 inputs almost diagonal: a plateau.
    """
    rng = np.random.default_rng([2003, start])
    amplitude, offset, C = rng.uniform(-1, 1), rng.uniform(-2, -1), rng.uniform(0.4, 0.8)
    lengths = np.exp(rng.uniform(-1, 2, size=X.shape[1]))
    scaled = X / lengths
    squares = ((scaled[:, None] - scaled) ** 2).sum(axis=-1)[np.triu_indices(len(X), 1)]
    lengths *= np.sqrt(np.median(squares) / 2.0)
    return np.concatenate(
        [[amplitude], -np.log(2.0) - 2.0 * np.log(lengths), [offset], [np.log(C) if with_constant else 0.0]]
    )


def test_error(objective: SelectionObjective, thetas: list, X: np.ndarray, y: np.ndarray) -> float:
    """Return the error in % of the mean decision function at ``thetas``."""
    decision = np.zeros(len(X))
    for theta in map(np.array, thetas):
        fitted = objective.solved(theta)
        decision += fitted.machine.decide(fitted.state, objective.kernel_at(theta).cross(objective.X, X))[:, 0]
    return 100.0 * float(np.mean((decision > 0) != (y > 0)))


def run_cell(data: tuple, criterion: str, search: str, start: int) -> dict[str, object]:
    """Minimise from one start."""
    X, y, X_test, y_test = data
    objective = objective_for(X, y, criterion)
    space = objective.space
    at, free = random_start(X, start, CRITERIA[criterion][2]), space.free

    def evaluate(phi: np.ndarray) -> tuple[float, np.ndarray | None]:
        theta = at.copy()
        theta[free] = phi
        if search == "random walk":
            return objective.value(theta), None
        value, gradient = objective(theta)
        return value, gradient[free]

    method = LBFGS() if search == "L-BFGS" else RandomWalk(seed=start)
    budget = Budget(max_iter=150, tol=1e-6) if search == "L-BFGS" else Budget(max_iter=60, tol=1e-4)
    began = time.process_time()
    found = method.minimize(evaluate, at[free], space.lower[free], space.upper[free], budget=budget)
    seconds = time.process_time() - began
    theta = at.copy()
    theta[free] = found.theta
    return {
        "error": test_error(objective, [theta], X_test, y_test),
        "value": found.value,
        "seconds": seconds,
        "evaluations": len(found.trace),
        "status": found.status.value,
        "at_bound": list(space.at_bound(theta)),
        "theta": theta.tolist(),
    }


def read(out: Path) -> list[dict]:
    """Return the cells that are done."""
    return [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []


def key(row: dict) -> tuple:
    """Return what identifies a cell."""
    return row["data"], row["criterion"], row["search"], row["start"]


def run(folder: Path, out: Path, starts: int, minutes: float) -> None:
    """Run what is missing, one line of JSON per cell; all data sets before the next start."""
    done, deadline = {key(row) for row in read(out)}, time.monotonic() + 60.0 * minutes
    data = {name: load(folder, name) for name in SIZES}
    cells = [
        {"data": name, "criterion": criterion, "search": search, "start": start}
        for search in SEARCHES
        for start in range(starts)
        for criterion in CRITERIA
        for name in SIZES
    ]
    for cell in cells:
        if key(cell) in done or time.monotonic() > deadline:
            continue
        row = cell | run_cell(data[cell["data"]], cell["criterion"], cell["search"], cell["start"])
        with out.open("a") as lines:
            lines.write(json.dumps(row) + "\n")


def cell_text(rows: list[dict], published: tuple[float, float, float]) -> list[str]:
    """Return our mean and deviation, best, and the paper's."""
    errors = [row["error"] for row in rows]
    if not errors:
        return ["not run", "", "", ""]
    mean, deviation, best = published
    spread = np.std(errors, ddof=1) if len(errors) > 1 else float("nan")
    bound = sum(bool({"amplitude", "C"} & set(row["at_bound"])) for row in rows)
    return [
        f"{np.mean(errors):.1f} ± {spread:.1f} ({min(errors):.1f})",
        f"{mean} ± {deviation} ({best})",
        f"{np.mean([row['seconds'] for row in rows]):.1f}",
        f"{bound} of {len(rows)}",
    ]


def tables(folder: Path, rows: list[dict]) -> str:
    """Return the Markdown tables."""
    lines: list[str] = []
    for search in SEARCHES:
        lines += ["", f"### {search}", ""]
        lines += [
            "| data | criterion | starts | test error %, mean ± sd (best) | paper | CPU s | amplitude or C at bound |"
        ]
        lines += ["|---|---|---|---|---|---|---|"]
        for name in SIZES:
            for criterion in CRITERIA:
                chosen = [r for r in rows if (r["data"], r["criterion"], r["search"]) == (name, criterion, search)]
                texts = cell_text(chosen, PUBLISHED[name][criterion])
                lines.append(f"| {name} | {criterion} | {len(chosen)} | " + " | ".join(texts) + " |")
    return "\n".join([*lines, "", *span_lines(folder, rows)])


def span_lines(folder: Path, rows: list[dict]) -> list[str]:
    """Return the table of span by L-BFGS: single runs, averaged, and the estimator with its prior."""
    lines = ["### Span by L-BFGS: single optima, their average, and SVC with its prior", ""]
    heads = ["data", "paper", "mean of starts", "minus paper ± its standard error", "smallest criterion"]
    heads += ["decisions averaged", "SVC(slack='quadratic', criterion='span')"]
    lines += ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for name in SIZES:
        chosen = [r for r in rows if (r["data"], r["criterion"], r["search"]) == (name, "span", "L-BFGS")]
        if not chosen:
            continue
        X, y, X_test, y_test = load(folder, name)
        average = test_error(objective_for(X, y, "span"), [row["theta"] for row in chosen], X_test, y_test)
        best = min(chosen, key=lambda row: row["value"])["error"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            shipped = 100.0 * float(
                np.mean(SVC(slack="quadratic", criterion="span").fit(X, y).predict(X_test) != y_test)
            )
        mean, deviation, _ = PUBLISHED[name]["span"]
        errors = np.array([row["error"] for row in chosen])
        # Over starts, and over test rows: each of the two errors is itself a binomial estimate.
        draws = sum(rate * (100.0 - rate) for rate in (mean, errors.mean())) / len(y_test)
        se = np.sqrt(errors.var(ddof=1) / len(errors) + deviation**2 / 25 + draws)
        cells = [f"{mean} ± {deviation}", f"{errors.mean():.1f} ± {errors.std(ddof=1):.1f}"]
        cells += [f"{errors.mean() - mean:+.1f} ± {se:.1f}", f"{best:.1f}", f"{average:.1f}", f"{shipped:.1f}"]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    """Run the study and write its tables between the marks of the document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=20.0)
    options = parser.parse_args()
    with threadpool_limits(1):
        run(options.data, options.out, options.starts, options.minutes)
        text = tables(options.data, read(options.out))
    print(text)
    if options.table is not None:
        head, mark = "", "<!-- tables -->"
        if options.table.exists():
            head = options.table.read_text().split(mark)[0]
        options.table.write_text(f"{head}{mark}\n{text}\n")


if __name__ == "__main__":
    main()
