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
from itertools import count

import numpy as np
from parts import grid
from scipy.linalg import lapack
from threadpoolctl import threadpool_limits

from kernelect import LSSVC, KernelClassifier, KernelRegressor
from kernelect.criteria import PRESS
from kernelect.kernels import ARD
from kernelect.machines import LSSVM
from kernelect.parameters import ParameterSpace
from kernelect.selection import SelectionObjective

Clock = Callable[[], float]


def seconds(work: Callable[[], object], repeats: int = 7, clock: Clock = time.perf_counter) -> float:
    """Return the shortest of several runs, after one to warm up."""
    work()
    times = []
    for _ in range(repeats):
        began = clock()
        work()
        times.append(clock() - began)
    return min(times)


def one_cholesky(n: int, clock: Clock = time.perf_counter) -> float:
    """Return the seconds of one potrf of an n x n kernel matrix."""
    X = np.random.default_rng(0).normal(size=(n, 10))
    matrix = np.asfortranarray(ARD(np.full(10, 0.05)).gram(X) + 0.1 * np.eye(n))
    work = np.empty_like(matrix)

    def factorise() -> None:
        work[...] = matrix
        lapack.dpotrf(work, lower=1, clean=0, overwrite_a=1)

    return seconds(factorise, clock=clock)


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
    # Values are remembered by theta: every evaluation has a point of its own.
    points = (space.start + 1e-9 * number for number in count())
    return lambda: joined(next(points))


def press_gradient() -> None:
    """Value and gradient against one Cholesky, and their growth with the number of inputs."""
    ratio = seconds(objective(2000, 60)) / one_cholesky(2000)
    print(f"PRESS value and gradient, n=2000, d=60: {ratio:.1f} Cholesky factorisations (aim: at most 8)")
    growth = seconds(objective(1000, 60), 15) / seconds(objective(1000, 5), 15)
    print(f"from d=5 to d=60 at n=1000: {growth:.2f} times (aim: below 1.6)")


def against_grid() -> None:
    """The default on twonorm against a grid-searched SVC: CPU seconds and error over fresh draws."""
    grid((400,), 10)


#: A program that keeps a core busy until it is ended.
BUSY = "while True: sum(range(10**6))"


def threads(rounds: int = 5, fits: int = 3) -> None:
    """Fits beside busy processes: threads as they decide, against one thread, in turns."""
    for n, busy in (1000, 2), (1000, 1), (1000, 0), (2000, 0):
        ratios = ", ".join(f"{_against_one_thread(n, busy, fits):.2f}" for _ in range(rounds))
        print(f"LSSVC(max_iter=10), n={n}, {busy} other busy processes: {ratios} times one thread (aim: at most 1.3)")


def _against_one_thread(n: int, busy: int, fits: int) -> float:
    """Return the ratio of several fits: one says more of when the other processes had their turn than of itself."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 20))
    y = np.sign(X[:, 0] + X[:, 1] * X[:, 2])
    others = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(busy)]
    own = one = 0.0
    try:
        for _ in range(fits):
            with threadpool_limits(1):
                one += seconds(lambda: LSSVC(max_iter=10, random_state=0).fit(X, y), 1)
            own += seconds(lambda: LSSVC(max_iter=10, random_state=0).fit(X, y), 1)
    finally:
        for other in others:
            other.kill()
            other.wait()
    return own / one


MEMORY = """
import resource, threading, time, warnings
import numpy as np
from kernelect import LSSVC, KernelClassifier, KernelRegressor
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
LSSVC(max_iter=2, landmarks=None).fit(X, y)
going = False; thread.join()
print((peak - start) / (8.0 * n * n))
"""


def memory() -> None:
    """Peak resident memory of a fit above its start, in n x n arrays of doubles."""
    out = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True).stdout
    print(f"peak memory of a fit at n=3000 above the start: {float(out):.1f} n^2 doubles (aim: at most 8)")


def predictions(n: int = 1000, new: int = 10_000) -> None:
    """The door with defaults: predictions against one Cholesky of 3000 rows, one thread."""
    with threadpool_limits(1):
        unit, rng = one_cholesky(3000, time.process_time), np.random.default_rng(0)
        X, Z = rng.normal(size=(n, 20)), rng.normal(size=(new, 20))
        f = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] ** 2 + 0.3 * rng.normal(size=n)
        classifier, regressor = KernelClassifier().fit(X, f > 0.5), KernelRegressor().fit(X, f)
        for name, predict in ("labels", classifier.predict_proba), ("numbers", regressor.predict):
            ratio = seconds(lambda predict=predict: predict(Z), 3, time.process_time) / unit
            print(f"{new} rows of {name} from {n} rows: {ratio:.1f} Cholesky factorisations (aim: at most 2)")


def fits() -> None:
    """The door with defaults: fits against one Cholesky of 3000 rows, one thread."""
    with threadpool_limits(1):
        for name, n, aim in ("labels", 1000, 10), ("labels", 3000, 32), ("numbers", 3000, 32):
            unit, rng = one_cholesky(3000, time.process_time), np.random.default_rng(0)
            X = rng.normal(size=(n, 20))
            f = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] ** 2 + 0.3 * rng.normal(size=n)
            door, y = (KernelClassifier(), f > 0.5) if name == "labels" else (KernelRegressor(), f)
            began = time.process_time()
            door.fit(X, y)
            ratio = (time.process_time() - began) / unit
            print(f"fit to {n} rows of {name}: {ratio:.0f} Cholesky factorisations of 3000 rows (aim: at most {aim})")


def catboost(new: int = 4000) -> None:
    """The door with defaults beside CatBoost's, one thread: time and error on new rows."""
    try:
        from catboost import CatBoostClassifier, CatBoostRegressor
    except ImportError:
        print("catboost is not installed")
        return
    peers = {"labels": CatBoostClassifier, "numbers": CatBoostRegressor}
    with threadpool_limits(1):
        for name, n, aim in ("labels", 10_000, 2.0), ("numbers", 10_000, 2.0), ("numbers", 100_000, 1.5):
            rng = np.random.default_rng(0)
            X = rng.normal(size=(n + new, 20))
            f = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] ** 2 + 0.3 * rng.normal(size=n + new)
            y = f > 0.5 if name == "labels" else f
            peer = peers[name](verbose=0, thread_count=1, allow_writing_files=False)
            told = []
            for model in KernelClassifier() if name == "labels" else KernelRegressor(), peer:
                began = time.process_time()
                model.fit(X[:n], y[:n])
                spent, found = time.process_time() - began, np.ravel(model.predict(X[n:]))
                wrong = found.astype(str) != y[n:].astype(str) if name == "labels" else (found - y[n:]) ** 2 / y.var()
                told.append((spent, 100.0 * (np.mean(wrong) if name == "labels" else np.sqrt(np.mean(wrong)))))
            (ours, error), (theirs, peers_error) = told
            print(
                f"{n} rows of {name}: {ours:.1f} s, {ours / theirs:.2f} times CatBoost's (aim: at most {aim}); "
                f"error {error:.2f} against {peers_error:.2f} %"
            )


BENCHMARKS = {
    "press-gradient": press_gradient,
    "against-grid": against_grid,
    "memory": memory,
    "threads": threads,
    "predictions": predictions,
    "fits": fits,
    "catboost": catboost,
}


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
