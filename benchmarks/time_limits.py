"""Does a time limit hold? Every estimator, and ``kernelect fit``, against the clock.

    python benchmarks/time_limits.py [--rows 1500 6000] [--limits 0.3 3] [--only NAME ...] [--command MACHINE ...]
        [--processor]

Prints Markdown: seconds by the clock and of the processor, how far a fit went beyond its limit, and its
score on new rows beside that of a constant. Overrun is allowed up to the larger of 1 s and 10 %.
``--processor`` is for a machine with other work on it: limits then count processor seconds, which with one thread
are the seconds that a quiet machine would take.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

if "--processor" in sys.argv:  # before anything looks at the clock
    time.monotonic = time.process_time

from kernelect import (
    GPC,
    LSSVC,
    LSSVR,
    RVC,
    RVR,
    SVC,
    BasisSearchRegressor,
    KernelClassifier,
    KernelRegressor,
)

#: What every ``kernelect fit`` imports.
IMPORTS = "import rich.console, kernelect.cli.fit, kernelect.tabular, kernelect.mixture, kernelect.report"

CLASSIFIERS = (LSSVC, SVC, GPC, RVC, KernelClassifier)
REGRESSORS = (LSSVR, RVR, BasisSearchRegressor, KernelRegressor)


def labels(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of twenty inputs of which four decide: a wave, a product, a slope."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 20))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.7 * X[:, 3] + 0.2 * rng.normal(size=n) > 0


def numbers(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return Friedman's function of five of fifteen inputs, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 15))
    mean = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, mean + rng.normal(size=n)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return seconds by the clock and of the processor."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def allowed(limit: float) -> float:
    """Return the seconds beyond the limit that a fit may take."""
    return max(1.0, 0.1 * limit)


def row(name: str, n: int, limit: float, wall: float, processor: float, said: str) -> str:
    """Return one line of the table."""
    over = (processor if "--processor" in sys.argv else wall) - limit
    held = "yes" if over <= allowed(limit) else "**no**"
    return f"| {name} | {n} | {limit:g} | {wall:.2f} | {processor:.2f} | {max(over, 0.0):.2f} | {held} | {said} |"


def of_estimator(kind: type, n: int, limit: float) -> str:
    """Return the line of one estimator; scores are error in per cent or R^2, beside that of a constant."""
    draw = labels if kind in CLASSIFIERS else numbers
    X, y = draw(n, 0)
    model = kind(time_limit=limit, random_state=0)
    wall, processor = timed(lambda: model.fit(X, y))
    Z, t = draw(2000, 1)
    score = model.score(Z, t)
    if kind in CLASSIFIERS:
        said = f"{100 * (1 - score):.1f} % wrong (constant: {100 * min(t.mean(), 1 - t.mean()):.1f})"
    else:
        said = f"R² {score:.3f} (constant: 0)"
    return row(f"`{kind.__name__}`", n, limit, wall, processor, said)


def of_command(machine: str, n: int, limit: float) -> str:
    """Return the line of ``kernelect fit`` with five outer folds and a report, in a process of its own."""
    import pandas as pd

    X, y = labels(n, 0)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.csv"
        pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]).assign(y=y).to_csv(table, index=False)
        words = ["fit", str(table), "--target", "y", "--machine", machine, "--time-limit", str(limit), "--out", folder]
        clock = "time.monotonic = time.process_time; " if "--processor" in sys.argv else ""
        start = f"import time; {clock}from kernelect.cli import main; main()"
        wall, processor, done = _in_a_process(start, *words, "--quiet", "--json")
        page = Path(folder) / "report.html"
        said = _of_json(done.stdout, page) if done.returncode == 0 else f"exit {done.returncode}"
        said += f"; {_in_a_process(IMPORTS)[1]:.2f} s of imports"
    return row(f"`kernelect fit --machine {machine}`", n, limit, wall, processor, said)


def _in_a_process(program: str, *words: str) -> tuple[float, float, subprocess.CompletedProcess[str]]:
    """Run a program; return seconds by the clock and of the processor, and what it gave."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=False)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done


def _of_json(text: str, page: Path) -> str:
    estimates = json.loads(text)["quality"]["estimates"]
    errors = [f"{one['name']} {score['words']}" for one in estimates for score in one["scores"][:1]]
    return f"{'; '.join(errors)}; {page.read_text().count('<svg')} pictures"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="*", default=[1500, 6000])
    parser.add_argument("--limits", type=float, nargs="*", default=[0.3, 3.0])
    parser.add_argument("--processor", action="store_true", help="limits count processor seconds")
    parser.add_argument("--only", nargs="*", help="names of estimators")
    parser.add_argument("--command", nargs="*", metavar="MACHINE", help="kernelect fit with these machines instead")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    LSSVC().fit(*labels(60, 0))  # imports
    print("| what | rows | limit, s | clock, s | processor, s | over, s | held | on 2000 new rows |")
    print("|---" * 8 + "|", flush=True)
    for n in options.rows:
        for limit in options.limits:
            if options.command is not None:
                for machine in options.command:
                    print(of_command(machine, n, limit), flush=True)
                continue
            for kind in CLASSIFIERS + REGRESSORS:
                if not options.only or kind.__name__ in options.only:
                    print(of_estimator(kind, n, limit), flush=True)


if __name__ == "__main__":
    main()
