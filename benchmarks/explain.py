"""Shapley values: milliseconds a row, beside shap and shapiq on the same model in one process.

    python benchmarks/explain.py [--peers]

The peers need pip install 'kernelect[bench]'. shap samples interventional values, here over 100 training
rows, as it advises; beside them stand the default here, marginals over all training rows, and the exact
interventional values over the same 100 rows. shapiq's product-kernel computation gives the values with a
neutral stand-in.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from kernelect import LSSVR
from kernelect.explain import Explainer
from kernelect.kernels import ARD, RBF, Kernel, Matern

#: Vectors and inputs of the models.
SIZES = ((1000, 10), (1000, 30), (1000, 100))


def model_of(n: int, d: int, kernel: Kernel | None = None) -> tuple[LSSVR, np.ndarray]:
    """Return a machine with fixed widths, and its training rows."""
    X = np.random.default_rng(0).normal(size=(n, d))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]
    return LSSVR(kernel or ARD(np.full(d, 0.5 / d)), regularization=0.1).fit(X, y), X


def milliseconds(work: Callable[[], object], rows: int) -> float:
    """Return CPU time a row, the shorter of two runs."""
    times = []
    for _ in range(2):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return 1e3 * min(times) / rows


def own() -> None:
    """Time the exact values alone."""
    print("Exact Shapley values, CPU milliseconds (one thread)")
    print(f"{'vectors x inputs':>18}{'set-up':>10}{'a row':>10}{'adds up to':>12}{'pairs, a row':>14}")
    for n, d in SIZES:
        model, X = model_of(n, d)
        explainer = Explainer.of(model)
        set_up = milliseconds(lambda model=model: Explainer.of(model), 1)
        row = milliseconds(lambda e=explainer, X=X: e.explain(X[:20]), 20)
        pairs = milliseconds(lambda e=explainer, X=X: e.explain(X[:1], interactions=True), 1) if d < 100 else np.nan
        print(f"{f'{n} x {d}':>18}{set_up:>10.1f}{row:>10.2f}{explainer.explain(X[:5]).error:>12.0e}{pairs:>14.1f}")
    model, X = model_of(1000, 10, Matern(1.5, 0.05))
    explainer = Explainer.of(model)
    row = milliseconds(lambda: explainer.explain(X[:5]), 5)
    print(f"  Matern-3/2, 1000 x 10: {row:.1f} ms a row, adds up to {explainer.explain(X[:5]).error:.0e}")


def peers() -> None:
    """Time shap's and shapiq's explainers beside the exact values."""
    for n, d in SIZES:
        model, X = model_of(n, d, RBF(0.5 / d))
        default, whole = Explainer.of(model), Explainer.of(model, X[:100], absent="interventional")
        neutral = Explainer.of(model, absent="neutral")
        ours, rows = (milliseconds(lambda e=e, X=X: e.explain(X[:5]), 5) for e in (default, whole))
        print(f"\n{n} x {d}: {ours:.2f} ms a row by default, {rows:.1f} ms with 100 whole background rows")
        for name, explain in shap_explainers(model, X[:100]).items():
            took, error = timed(explain, X[:1], whole.explain(X[:1]).values[0])
            print(f"  shap {name:<22}{took:>8.0f} ms a row, off by {error:.0e};", end="")
            print(f" {took / ours:.0f} times the default, {took / rows:.1f} times the same values")
        same = milliseconds(lambda e=neutral, X=X: e.explain(X[:5]), 5)
        took, error = timed(shapiq_explainer(model, d), X[:1], neutral.explain(X[:1]).values[0])
        print(f"  shapiq product kernel      {took:>8.0f} ms a row, off by {error:.0e};", end="")
        print(f" {took / same:.0f} times the same values")


def timed(explain: Callable[[np.ndarray], np.ndarray], rows: np.ndarray, exact: np.ndarray) -> tuple[float, float]:
    """Return CPU milliseconds of one row, after one to warm up, and the largest difference from the exact values."""
    explain(rows)  # shap compiles at its first call
    began = time.process_time()
    values = explain(rows)
    return 1e3 * (time.process_time() - began), float(np.abs(np.ravel(values) - exact).max())


def shap_explainers(model: LSSVR, background: np.ndarray) -> dict[str, Callable[[np.ndarray], Any]]:
    """Return shap's explainers for any model, with their default numbers of samples."""
    import shap

    kernel = shap.KernelExplainer(model.predict, background)
    permutation = shap.PermutationExplainer(model.predict, shap.maskers.Independent(background))
    return {
        "PermutationExplainer": lambda rows: permutation(rows, silent=True).values,
        "KernelExplainer": lambda rows: kernel.shap_values(rows, silent=True),
    }


def shapiq_explainer(model: LSSVR, d: int) -> Callable[[np.ndarray], np.ndarray]:
    """Return shapiq's computation for product kernels, which its explainer runs for scikit-learn's machines."""
    from shapiq.explainer.product_kernel.base import ProductKernelModel
    from shapiq.explainer.product_kernel.product_kernel import ProductKernelComputer

    X = model.X_fit_
    described = ProductKernelModel(
        X_train=X, alpha=model.dual_coef_, n=len(X), d=d, gamma=model.kernel_.gamma, intercept=model.intercept_
    )
    computer = ProductKernelComputer(model=described, max_order=1, index="SV")

    def explain(rows: np.ndarray) -> np.ndarray:
        vectors = computer.compute_kernel_vectors(X, rows[0])
        return np.array([computer.compute_shapley_value(vectors, j) for j in range(d)])

    return explain


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", action="store_true", help="also time shap and shapiq")
    arguments = parser.parse_args()
    own()
    if arguments.peers:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            peers()
