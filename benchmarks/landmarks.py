"""The LS-SVM on landmarks: error, processor seconds and memory on tables of 10^4 to 10^6 rows.

    python benchmarks/landmarks.py [--data DIR] [--only NAME] [--rows 100000 1000000] [--seed 0]

Widths are selected by exact leave-one-out on a part of the rows with few landmarks, by SciPy's L-BFGS; then all rows
are fitted with more landmarks and nine ridges. kin8nm, california and protein are read from DIR (or
``KERNELECT_DATA``), Friedman's function is drawn with as many rows as asked for.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from kernelect.criteria.lssvm.landmarks import LandmarkPRESS, landmark_value_and_gradient
from kernelect.kernels import ARD
from kernelect.machines.lssvm.landmark_path import LandmarkPath
from kernelect.machines.lssvm.landmarks import Frame, LandmarkState, Moments, Rows, moments, solve
from kernelect.machines.lssvm.pivots import Pivots
from kernelect.numerics import blas_threads_for, sampled_rows, sum_over_blocks

#: Rows and landmarks on which the widths are selected, landmarks of the fits on all rows, candidates for landmarks.
PART, PART_LANDMARKS, LANDMARKS, CANDIDATES = 3000, 250, (500, 1500), 20_000
BLOCK = 2048
SETS = ("kin8nm", "california", "protein")


@dataclass
class Table:
    """Training rows, and new rows with targets or a noise-free truth."""

    X: np.ndarray
    y: np.ndarray
    new: np.ndarray
    truth: np.ndarray


def stored(path: Path, seed: int) -> Table:
    """Return a random nine tenths of a stored table for training."""
    with np.load(path) as file:
        X, y = file["X"], file["y"].astype(float)[:, None]
    order = np.random.default_rng(seed).permutation(len(X))
    train, new = np.split(order, [int(0.9 * len(X))])
    return Table(X[train], y[train], X[new], y[new])


def friedman(n: int, seed: int) -> Table:
    """Return Friedman's function of five of ten inputs with noise 1, and the function itself at 5000 new rows."""
    generator = np.random.default_rng(seed)

    def draw(count: int) -> tuple[np.ndarray, np.ndarray]:
        X = generator.random((count, 10))
        truth = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
        return X, truth[:, None]

    (X, f), (new, truth) = draw(n), draw(5000)
    return Table(X, f + generator.normal(size=f.shape), new, truth)


@dataclass
class Block:
    """A block of rows whose kernel values are computed once and kept."""

    kernel: ARD
    Z: np.ndarray
    X: np.ndarray
    y: np.ndarray
    kept: np.ndarray | None = None

    def rows(self) -> Rows:
        """Return a copy of the kernel values, for the machine to overwrite."""
        if self.kept is None:
            self.kept = self.kernel.cross(self.Z, self.X)
        return Rows(self.kept.copy(), self.y, np.ones(len(self.y)))

    def pullback(self, cotangent: np.ndarray) -> np.ndarray:
        """Return the derivative in the widths."""
        return self.kernel.cross_pullback(self.Z, self.X, cotangent)[0]


def landmarks(kernel: ARD, X: np.ndarray, count: int, generator: np.random.Generator) -> np.ndarray:
    """Return rows that span the others."""
    rows = X[sampled_rows(X, CANDIDATES)]
    return rows[Pivots(rows, kernel.cross, kernel.diagonal(rows), generator).first(count)]


def slices(n: int, step: int) -> list[slice]:
    """Return the blocks of n rows."""
    return [slice(first, first + step) for first in range(0, n, step)]


class WidthSearch:
    """Widths and ridge by leave-one-out on a part of the rows."""

    def __init__(self, X: np.ndarray, y: np.ndarray, generator: np.random.Generator) -> None:
        self.X, self.y, self.generator, self.evaluations = X, y, generator, 0
        self.start = ARD("auto").start(X)

    def run(self) -> tuple[ARD, float]:
        """Return the kernel and the ridge: one width for all inputs first, then one each, twice with new landmarks."""
        theta = np.append(self.start.theta, np.log(1e-2))
        tied = np.zeros((len(theta), 2))
        tied[:-1, 0], tied[-1, 1] = 1.0, 1.0
        for directions in (tied, np.eye(len(theta)), np.eye(len(theta))):
            theta = self._searched(theta, directions)
        return self.start.with_theta(theta[:-1]), float(np.exp(theta[-1]))

    def _searched(self, theta: np.ndarray, directions: np.ndarray) -> np.ndarray:
        Z = landmarks(self.start.with_theta(theta[:-1]), self.X, PART_LANDMARKS, self.generator)

        def along(phi: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = self._value_and_gradient(theta + directions @ phi, Z)
            return value, directions.T @ gradient

        origin = np.zeros(directions.shape[1])
        bounds = [(-9.0, 7.0)] * len(origin)
        found = minimize(along, origin, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-6})
        return theta + directions @ found.x

    def _value_and_gradient(self, theta: np.ndarray, Z: np.ndarray) -> tuple[float, np.ndarray]:
        """Return n/2 log PRESS and its gradient."""
        self.evaluations += 1
        kernel, mu = self.start.with_theta(theta[:-1]), float(np.exp(theta[-1]))
        blocks = [Block(kernel, Z, self.X[part], self.y[part]) for part in slices(len(self.X), BLOCK // 2)]
        frame = Frame.of(kernel.gram(Z), self.y.mean(axis=0))
        found = landmark_value_and_gradient(LandmarkPRESS(), frame, blocks, mu)
        by_kernel = found.by_kernel + kernel.pullback(Z, found.by_landmarks)
        gradient = np.append(by_kernel, mu * found.by_regularization)
        half = 0.5 * len(self.X)
        return half * np.log(found.value), half / found.value * gradient


class Fit:
    """The machine on all rows: two passes over blocks whose kernel values are computed anew."""

    def __init__(self, kernel: ARD, mu: float, table: Table, count: int, generator: np.random.Generator) -> None:
        self.kernel, self.table, self.seconds = kernel, table, dict[str, float]()
        ridges, judge = mu * 10.0 ** np.arange(-4, 5), LandmarkPRESS()
        with self._timed("landmarks"):
            self.Z = landmarks(kernel, table.X, count, generator)
            self.frame = Frame.of(kernel.gram(self.Z), table.y[:1000].mean(axis=0))
        with self._timed("moments"):
            total: Moments = self._sum(lambda rows: moments(self.frame, rows))
        with self._timed("ridges"):
            path = LandmarkPath(self.frame, total)
            press = self._sum(lambda rows: np.array([judge.value_of(block) for block in path.left_out(rows, ridges)]))
        best = int(np.argmin(press))
        self.leave_one_out = float(np.sqrt(2.0 * press[best] / len(table.X)))
        self.state: LandmarkState = solve(self.frame, total, ridges[best])

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        began = time.process_time()
        yield
        self.seconds[name] = time.process_time() - began

    def _sum(self, function: Callable[[Rows], object]) -> object:
        X, y = self.table.X, self.table.y

        def on(part: slice) -> object:
            return function(Rows(self.kernel.cross(self.Z, X[part]), y[part], np.ones(len(y[part]))))

        return sum_over_blocks(on, slices(len(X), BLOCK))

    def error(self) -> float:
        """Return the root mean squared error at the new rows."""
        parts = slices(len(self.table.new), BLOCK)
        decided = [self.state.decide(self.kernel.cross(self.Z, self.table.new[part])) for part in parts]
        return float(np.sqrt(np.mean((np.vstack(decided) - self.table.truth) ** 2)))


def report(name: str, table: Table, seed: int, counts: tuple[int, ...]) -> None:
    """Print what widths and fits took and gave."""
    generator = np.random.default_rng(seed)
    began, clock = time.process_time(), time.perf_counter()
    part = sampled_rows(table.X, PART)
    with blas_threads_for(PART_LANDMARKS):
        search = WidthSearch(table.X[part], table.y[part], generator)
        kernel, mu = search.run()
    cpu, wall = time.process_time() - began, time.perf_counter() - clock
    print(f"| {name} | {len(table.X)} | widths | | | {cpu:.1f} | {wall:.1f} | {search.evaluations} evaluations |")
    for count in counts:
        began, clock = time.process_time(), time.perf_counter()
        with blas_threads_for(count):
            fit = Fit(kernel, mu, table, count, generator)
        cpu, wall = time.process_time() - began, time.perf_counter() - clock
        error, parts = fit.error(), ", ".join(f"{key} {value:.1f}" for key, value in fit.seconds.items())
        cells = (len(fit.Z), f"{error:.4f} ({error / table.y.std():.3f})", f"{fit.leave_one_out:.4f}")
        print(f"| {name} | {len(table.X)} | " + " | ".join(map(str, cells)) + f" | {cpu:.1f} | {wall:.1f} | {parts} |")


def main() -> None:
    """Run the tables asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("KERNELECT_DATA"), help="folder of stored tables")
    parser.add_argument("--only", choices=(*SETS, "friedman"))
    parser.add_argument("--rows", type=int, nargs="*", default=[100_000], help="rows of Friedman's function")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("| data | rows | landmarks | RMSE (over sd) | leave-one-out | CPU s | wall s | |")
    print("|---|---|---|---|---|---|---|---|")
    for name in SETS if options.data else ():
        if options.only in (None, name):
            report(name, stored(Path(options.data) / f"{name}.npz", options.seed), options.seed, LANDMARKS)
    for n in options.rows if options.only in (None, "friedman") else ():
        report("friedman", friedman(n, options.seed), options.seed, LANDMARKS[:1])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"\nPeak memory of the process: {peak:.2f} GiB.")


if __name__ == "__main__":
    main()
