"""Speed and memory as ratios to something run in the same process.

    python benchmarks/run.py [--only NAME]

One Cholesky factorisation (LAPACK potrf) is the unit where nothing else is said.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np
from scipy.linalg import lapack
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from kernelect import LSSVC
from kernelect.criteria import PRESS
from kernelect.datasets import twonorm
from kernelect.kernels import ARD
from kernelect.machines import LSSVM
from kernelect.parameters import ParameterSpace
from kernelect.selection import SelectionObjective


def seconds(work: Callable[[], object], repeats: int = 7) -> float:
    """Return the shortest of several runs, after one to warm up."""
    work()
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def one_cholesky(n: int) -> float:
    """Return the seconds of one potrf of an n x n kernel matrix."""
    X = np.random.default_rng(0).normal(size=(n, 10))
    matrix = np.asfortranarray(ARD(np.full(10, 0.05)).gram(X) + 0.1 * np.eye(n))
    work = np.empty_like(matrix)

    def factorise() -> None:
        work[...] = matrix
        lapack.dpotrf(work, lower=1, clean=0, overwrite_a=1)

    return seconds(factorise)


def objective(n: int, d: int) -> Callable[[], object]:
    """Return one evaluation of PRESS with its full gradient, from the inputs on."""
    X = np.random.default_rng(0).normal(size=(n, d))
    kernel = ARD(np.full(d, 0.5 / d))
    space = ParameterSpace.joined([kernel.space(X), ParameterSpace.single("regularization", np.log(0.1))])
    targets = np.sign(X[:, :1])
    joined = SelectionObjective(
        X=X,
        targets=targets,
        weights=np.ones(n),
        kernel=kernel,
        space=space,
        machine=LSSVM(),
        criterion=PRESS(),
        prior=None,
    )
    return lambda: joined(space.start)


def press_gradient() -> None:
    """Value and gradient against one Cholesky, and their growth with the number of inputs."""
    ratio = seconds(objective(2000, 60)) / one_cholesky(2000)
    print(f"PRESS value and gradient, n=2000, d=60: {ratio:.1f} Cholesky factorisations (aim: at most 8)")
    growth = seconds(objective(1000, 60), 15) / seconds(objective(1000, 5), 15)
    print(f"from d=5 to d=60 at n=1000: {growth:.2f} times (aim: below 1.6)")


def against_grid(draws: int = 10) -> None:
    """The default on twonorm against a grid-searched SVC: seconds and error over fresh draws."""
    rows = []
    grid = {"C": np.logspace(-2, 4, 10), "gamma": np.logspace(-4, 1, 10)}
    for seed in range(draws):
        X, y = twonorm(7400, random_state=seed)
        row = []
        for model in (LSSVC(), GridSearchCV(SVC(), grid, cv=5)):
            began = time.perf_counter()
            model.fit(X[:400], y[:400])
            row += [time.perf_counter() - began, 100 * np.mean(model.predict(X[400:]) != y[400:])]
        rows.append(row)
    ours, error, theirs, other = np.mean(rows, axis=0)
    difference = np.array(rows)[:, 1] - np.array(rows)[:, 3]
    spread = difference.std(ddof=1) / np.sqrt(draws)
    print(f"twonorm n=400, d=20, {draws} draws: LSSVC() {ours:.2f} s, error {error:.2f} %")
    print(f"  GridSearchCV(SVC), 10 x 10 grid, 5 folds: {theirs:.2f} s, error {other:.2f} %")
    print(
        f"  {theirs / ours:.1f} times faster (aim: at least 5), error {difference.mean():+.2f} +- {spread:.2f} points"
    )


MEMORY = """
import resource, threading, time, warnings
import numpy as np
from kernelect import LSSVC
warnings.simplefilter("ignore")
n, d = 3000, 20
X = np.random.default_rng(0).normal(size=(n, d)); y = np.sign(X[:, 0] + 0.3 * X[:, 1] ** 2 - 0.3)
LSSVC(max_iter=1).fit(X[:50], y[:50])
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
start, peak, going = resident(), 0, True
def watch():
    global peak
    while going:
        peak = max(peak, resident()); time.sleep(0.002)
thread = threading.Thread(target=watch); thread.start()
LSSVC(max_iter=2).fit(X, y)
going = False; thread.join()
print((peak - start) / (8.0 * n * n))
"""


def memory() -> None:
    """Peak resident memory of a fit above its start, in n x n arrays of doubles."""
    out = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True).stdout
    print(f"peak memory of a fit at n=3000 above the start: {float(out):.1f} n^2 doubles (aim: at most 8)")


BENCHMARKS = {"press-gradient": press_gradient, "against-grid": against_grid, "memory": memory}


def main() -> None:
    """Run the benchmarks asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=BENCHMARKS, help="run one of them")
    only = parser.parse_args().only
    warnings.simplefilter("ignore")
    for name, benchmark in BENCHMARKS.items():
        if only in (None, name):
            benchmark()


if __name__ == "__main__":
    main()
