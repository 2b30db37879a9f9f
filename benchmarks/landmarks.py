"""Least-squares machines on landmarks: error, processor seconds and memory on tables of 10^3 to 10^6 rows.

    python benchmarks/landmarks.py [--data DIR] [--only engines|tables|friedman|growth|door] [--rows 100000] [--seed 0]

``tables`` are kin8nm, california and protein from DIR (or ``KERNELECT_DATA``), nine tenths of them for training;
``friedman`` is Friedman's function with noise 1, whose error is measured against the truth; ``growth`` is how the time
grows with the number of rows at 500 landmarks and given widths; ``engines`` is Friedman's function in memory, from a
Parquet file that is read piece by piece, and on a Dask cluster of two worker processes: the models have to agree;
``door`` is Friedman's function in memory given to ``KernelRegressor(effort="fast", time_limit=30)``.
Processor time: on a busy machine it is what counts.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kernelect import LSSVR, KernelRegressor
from kernelect.kernels import ARD

SETS = ("kin8nm", "california", "protein")
HEADER = """| data | rows | landmarks | RMSE (over sd) | leave-one-out | CPU s | wall s | status |
|---|---|---|---|---|---|---|---|"""


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
        X, y = file["X"], file["y"].astype(float)
    train, new = np.split(np.random.default_rng(seed).permutation(len(X)), [int(0.9 * len(X))])
    return Table(X[train], y[train], X[new], y[new])


def friedman(n: int, seed: int) -> Table:
    """Return Friedman's function of five of ten inputs with noise 1, and the function itself at 5000 new rows."""
    generator = np.random.default_rng(seed)

    def draw(count: int) -> tuple[np.ndarray, np.ndarray]:
        X = generator.random((count, 10))
        return X, 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]

    (X, f), (new, truth) = draw(n), draw(5000)
    return Table(X, f + generator.normal(size=n), new, truth)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return processor and wall seconds."""
    began, clock = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - began, time.perf_counter() - clock


def report(name: str, table: Table, model: LSSVR) -> None:
    """Fit, and print a line."""
    cpu, wall = timed(lambda: model.fit(table.X, table.y))
    error = float(np.sqrt(np.mean((model.predict(table.new) - table.truth) ** 2)))
    left_out = float(np.sqrt(np.mean((model.loo_prediction_ - table.y) ** 2)))
    cells = (
        *(name, len(table.X), len(model.landmarks_), f"{error:.4f} ({error / table.y.std():.3f})"),
        *(f"{left_out:.4f}", f"{cpu:.1f}", f"{wall:.1f}", model.selection_.status),
    )
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def tables(options: argparse.Namespace) -> None:
    """Stored tables with 500, 1500 and as many landmarks as leave-one-out asks for."""
    print(HEADER)
    for name in SETS if options.data else ():
        table = stored(Path(options.data) / f"{name}.npz", options.seed)
        for landmarks in (500, 1500, "auto"):
            report(name, table, LSSVR(landmarks=landmarks, random_state=options.seed))


def made(options: argparse.Namespace) -> None:
    """Friedman's function with as many rows as asked for."""
    print(HEADER)
    for n in options.rows:
        report("friedman", friedman(n, options.seed), LSSVR(landmarks="auto", random_state=options.seed))


def growth(options: argparse.Namespace) -> None:
    """The exponent of the time in the number of rows, at 500 landmarks and given widths."""
    sizes, seconds = (2000, 20_000, 200_000), []
    kernel = ARD(np.array([0.4, 0.2, 0.02, 2e-3, 4e-3, 6e-4, 8e-5, 8e-5, 1e-4, 8e-5]))
    for n in sizes:
        table = friedman(n, options.seed)
        model = LSSVR(kernel=kernel, landmarks=500, prior=None, random_state=options.seed)
        seconds.append(timed(lambda model=model, table=table: model.fit(table.X, table.y))[0])
    exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    listed = ", ".join(f"{n} rows {s:.2f} s" for n, s in zip(sizes, seconds, strict=True))
    print(f"CPU: {listed}; exponent {exponent:.2f} (aim: below 1.1)")


@dataclass(frozen=True)
class Columns:
    """The inputs and the target of a piece of a file, as they are."""

    inputs: tuple[str, ...]

    def __call__(self, frame: Any) -> tuple[np.ndarray, np.ndarray, None]:
        """Return inputs, targets and no weights."""
        return frame[list(self.inputs)].to_numpy(), frame["y"].to_numpy(), None


def in_memory(table: Table, model: LSSVR) -> LSSVR:
    """Fit arrays."""
    return model.fit(table.X, table.y)


def from_parquet(table: Table, model: LSSVR) -> LSSVR:
    """Fit a file, which is written first and not counted."""
    from kernelect.tabular.parquet import CodedParts, LocalPieces

    names = tuple(f"x{j}" for j in range(table.X.shape[1]))
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "big.parquet")
        pd.DataFrame(table.X, columns=list(names)).assign(y=table.y).to_parquet(path, row_group_size=1 << 17)
        table.X = table.y = np.zeros((0, len(names)))  # so that memory holds no copy
        start_clock()
        return model.fit(CodedParts(LocalPieces(path), Columns(names), np.empty((0, len(names)))), None)


def on_dask(table: Table, model: LSSVR) -> LSSVR:
    """Fit a Dask array on two worker processes; what they hold is persisted first and not counted."""
    import dask.array as da
    from distributed import Client, LocalCluster, wait

    words = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**words) as cluster, Client(cluster):
        rows = da.from_array(table.X, chunks=(1 << 17, -1)).persist()
        targets = da.from_array(table.y, chunks=1 << 17).persist()
        wait([rows, targets])
        start_clock()
        return model.fit(rows, targets)


_began = [0.0, 0.0, 0.0]


def start_clock() -> None:
    """Begin a new count of processor time (of this process), wall time and peak memory."""
    Path("/proc/self/clear_refs").write_text("5")
    _began[:] = [time.process_time(), time.perf_counter(), memory("VmRSS")]


def memory(name: str) -> float:
    """Return a figure of this process' memory in GiB."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name))
    return float(line.split()[1]) / 1024**2


def engines(options: argparse.Namespace) -> None:
    """The same rows in memory, in a file, and on two workers: seconds, peak memory above the rows, and the model."""
    print("Differences from the model in memory are the largest, over the deviation of the truth.\n")
    print("| rows | engine | RMSE | left out by | predictions by | CPU s here | wall s | GiB above the rows | status |")
    print("|---|---|---|---|---|---|---|---|---|")
    for n in options.rows:
        first = None
        for name, fit in (("memory", in_memory), ("parquet", from_parquet), ("dask", on_dask)):
            table = friedman(n, options.seed)
            start_clock()
            model = fit(table, LSSVR(landmarks=500, random_state=options.seed))
            spent = time.process_time() - _began[0], time.perf_counter() - _began[1], memory("VmHWM") - _began[2]
            prediction = model.predict(table.new)
            first = (model.loo_prediction_, prediction) if first is None else first
            rows = slice(None) if model.loo_rows_ is None else model.loo_rows_
            apart = [model.loo_prediction_ - first[0][rows], prediction - first[1]]
            largest = [f"{np.abs(each).max() / table.truth.std():.0e}" for each in apart]
            error = float(np.sqrt(np.mean((prediction - table.truth) ** 2)))
            cells = (n, name, f"{error:.4f}", *largest, *(f"{s:.2f}" for s in spent))
            print("| " + " | ".join(map(str, (*cells, model.selection_.status))) + " |", flush=True)


def door(options: argparse.Namespace) -> None:
    """Mixtures of machines on rows in memory: seconds, peak memory above the rows, and the error."""
    for n in options.rows:
        table = friedman(n, options.seed)
        model = KernelRegressor(effort="fast", time_limit=30.0, random_state=options.seed)
        start_clock()
        cpu, wall = timed(lambda model=model, table=table: model.fit(table.X, table.y))
        error = float(np.sqrt(np.mean((model.predict(table.new) - table.truth) ** 2)))
        above = memory("VmHWM") - _began[2]
        print(f"{n} rows: RMSE {error:.4f}, CPU {cpu:.1f} s, wall {wall:.1f} s, {above:.2f} GiB above the rows")


BENCHMARKS = {"engines": engines, "tables": tables, "friedman": made, "growth": growth, "door": door}


def main() -> None:
    """Run the benchmarks asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("KERNELECT_DATA"), help="folder of stored tables")
    parser.add_argument("--only", choices=BENCHMARKS)
    parser.add_argument("--rows", type=int, nargs="*", default=[100_000], help="rows of Friedman's function")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for name, benchmark in BENCHMARKS.items():
        if options.only in (None, name):
            print(f"\n## {name}\n")
            benchmark(options)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"\nPeak memory of the process: {peak:.2f} GiB.")


if __name__ == "__main__":
    main()
