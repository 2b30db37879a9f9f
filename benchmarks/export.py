"""Exports: microseconds a row in C, beside single rows in Python and onnxruntime; size and rounding.

    python benchmarks/export.py

C is compiled by gcc -O2 and timed by its own CPU clock over many rows. The aim is less than 100 microseconds a row for
100 vectors.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from kernelect import GPC, LSSVC
from kernelect.export import size_curve, to_c, to_onnx
from kernelect.extras import load_extra
from kernelect.kernels import ARD, Constant, Kernel, Matern, ProductLaplace, ProductMatern

#: Vectors and inputs of the models.
SIZES = ((100, 10), (100, 50), (1000, 10))

_ROWS = 20_000

_MAIN = """
#include "model.h"
#include <stdio.h>
#include <time.h>
int main(void) {
  double row[MODEL_N_COLUMNS], sum = 0;
  for (int j = 0; j < MODEL_N_COLUMNS; j++) row[j] = 0.1 * j;
  const clock_t began = clock();
  for (int i = 0; i < ROWS; i++) {
    REAL out[MODEL_N_OUTPUTS];
    row[i % MODEL_N_COLUMNS] += 0.01;
    model_predict(row, out);
    sum += (double)out[0];
  }
  printf("%g %g\\n", 1e6 * (double)(clock() - began) / CLOCKS_PER_SEC / ROWS, sum);
  return 0;
}
"""


def labelled(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and labels of two classes."""
    X = np.random.default_rng(0).normal(size=(n, d))
    return X, np.sign(np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 1e-9)


def model_of(n: int, d: int, kernel: Kernel | None = None) -> LSSVC:
    """Return a machine with fixed widths."""
    return LSSVC(kernel or ARD(np.full(d, 0.5 / d)), regularization=0.1).fit(*labelled(n, d))


def in_c(header: str, real: str = "double", rows: int = _ROWS) -> float:
    """Return CPU microseconds a row of a header."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "model.h").write_text(header)
        (place / "main.c").write_text(f"#define ROWS {rows}\n#define REAL {real}\n{_MAIN}")
        subprocess.run(["gcc", "-std=c99", "-O2", "main.c", "-o", "main", "-lm"], cwd=folder, check=True)
        done = subprocess.run([str(place / "main")], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[0])


def microseconds(work: Callable[[], object], repeats: int = 300) -> float:
    """Return CPU microseconds of a call, the median of many."""
    times = []
    for _ in range(repeats):
        began = time.process_time_ns()
        work()
        times.append(time.process_time_ns() - began)
    return float(np.median(times)) / 1e3


def by_kernel() -> None:
    """Time one row of 100 vectors for several kernels, in both precisions."""
    print("One row in C, CPU microseconds per 100 vectors of 10 inputs")
    widths = np.full(10, 0.05)
    kernels = {
        "ARD": ARD(widths),
        "Matern-3/2": Matern(1.5, widths),
        "product Laplace": ProductLaplace(widths),
        "product Matern-3/2": ProductMatern(widths),
    }
    print(f"{'kernel':>20}{'double':>10}{'float':>10}{'16 bits':>10}")
    for name, kernel in kernels.items():
        model = model_of(100, 10, kernel)
        times = [in_c(to_c(model)), in_c(to_c(model, real="float"), "float"), in_c(to_c(model, bits=16))]
        print(f"{name:>20}" + "".join(f"{each:>10.2f}" for each in times))
    posterior = GPC(4.0 * ARD(widths) + Constant(0.5)).fit(*labelled(100, 10))
    print(f"{'GPC, with variance':>20}{in_c(to_c(posterior)):>10.2f}")


def beside_python() -> None:
    """Time one row in C, in Python and by onnxruntime."""
    runtime = load_extra("onnxruntime", caller="benchmarks/export.py", extra="onnx")
    print("\nOne row, CPU microseconds")
    print(f"{'vectors x inputs':>18}{'C':>10}{'Python':>10}{'ONNX':>10}{'header, kB':>12}{'ONNX, kB':>10}")
    for n, d in SIZES:
        model, row = model_of(n, d), np.full((1, d), 0.3)
        header, written = to_c(model), to_onnx(model).SerializeToString()
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        session = runtime.InferenceSession(written, options, providers=["CPUExecutionProvider"])
        times = [
            in_c(header),
            microseconds(lambda model=model, row=row: model.predict_proba(row)),
            microseconds(lambda session=session, row=row: session.run(["probabilities"], {"numbers": row})),
        ]
        sizes = f"{len(header) / 1024:>12.0f}{len(written) / 1024:>10.0f}"
        print(f"{f'{n} x {d}':>18}" + "".join(f"{each:>10.1f}" for each in times) + sizes)


def smaller() -> None:
    """Show the loss against the number of vectors."""
    curve = size_curve(model_of(1000, 5))
    print(f"\nLeave-one-out {curve.score} by vectors (1000 rows, 5 inputs)")
    for vectors, loss, error in zip(curve.vectors, curve.loss, curve.standard_error, strict=True):
        print(f"{vectors:>8}{loss:>10.4f} ± {error:.4f}")


if __name__ == "__main__":
    by_kernel()
    beside_python()
    smaller()
