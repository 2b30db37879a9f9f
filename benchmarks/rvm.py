"""Fit time, error and evidence against sklearn-rvm and fastrvm, with the kernel fixed.

Run ``python benchmarks/rvm.py [--sizes 250 500 1000]``. The two packages are optional (they
want old dependencies: ``pip install --no-deps sklearn-rvm fastrvm``); what is not installed is
left out with a sentence, and a fit that takes longer than ``--patience`` seconds is not
repeated at larger sizes.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from kernelect import RVC
from kernelect.datasets import twonorm
from kernelect.kernels import RBF
from kernelect.machines.rvm_likelihoods import Bernoulli
from kernelect.machines.rvm_polish import solve_at

GAMMA = 1.0 / 40.0


def ours(X: np.ndarray, y: np.ndarray) -> tuple[Any, float, int]:
    """Return model, log-evidence and number of vectors at the fixed width."""
    model = RVC(RBF(GAMMA), criterion="evidence").fit(X, y)
    return model, -model.selection_.value, len(model.support_)


def ours_selecting(X: np.ndarray, y: np.ndarray) -> tuple[Any, float, int]:
    """Return the same with the width selected."""
    model = RVC("rbf").fit(X, y)
    return model, float("nan"), len(model.support_)


def sklearn_rvm(X: np.ndarray, y: np.ndarray) -> tuple[Any, float, int]:
    """Return sklearn-rvm's EMRVC."""
    model = importlib.import_module("sklearn_rvm").EMRVC(kernel="rbf", gamma=GAMMA).fit(X, y)
    rows = np.asarray(model.relevance_).ravel().astype(int)
    return model, evidence(X, y, rows, np.asarray(model.alpha_).ravel()), len(rows)


def fastrvm(X: np.ndarray, y: np.ndarray) -> tuple[Any, float, int]:
    """Return fastrvm's classifier."""
    model = importlib.import_module("fastrvm").RVC(kernel="rbf", gamma=GAMMA, fit_intercept=True).fit(X, y)
    rows = np.asarray(model.relevance_).ravel().astype(int)
    return model, evidence(X, y, rows, np.asarray(model.alpha_).ravel()), len(rows)


def evidence(X: np.ndarray, y: np.ndarray, rows: np.ndarray, alpha: np.ndarray) -> float:
    """Return the Laplace evidence of functions on ``rows`` at precisions ``alpha`` (the constant's first or absent)."""
    values = np.column_stack([np.ones(len(X)), RBF(GAMMA).gram(X)])
    active = rows + 1 if len(alpha) == len(rows) else np.concatenate([[0], rows + 1])
    if len(alpha) != len(active):
        return float("nan")
    return solve_at(values, active, alpha, Bernoulli(y.astype(float), np.ones(len(y)))).log_evidence


METHODS: dict[str, tuple[str | None, Callable[..., tuple[Any, float, int]]]] = {
    "kernelect RVC, width fixed": (None, ours),
    "kernelect RVC, width selected": (None, ours_selecting),
    "fastrvm": ("fastrvm", fastrvm),
    "sklearn-rvm EMRVC": ("sklearn_rvm", sklearn_rvm),
}


def main() -> None:
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[250, 500, 1000, 2000])
    parser.add_argument("--patience", type=float, default=60.0)
    arguments = parser.parse_args()
    Z, t = twonorm(4000, random_state=1)
    given_up: set[str] = set()
    print("| n | method | CPU s | test error % | ln evidence | vectors |\n|---|---|---|---|---|---|")
    for n in arguments.sizes:
        X, y = twonorm(n, random_state=0)
        for name, (package, fit) in METHODS.items():
            if package is not None and importlib.util.find_spec(package) is None:
                print(f"| {n} | {name} | not installed: `pip install --no-deps {package.replace('_', '-')}` | | | |")
                continue
            if name in given_up:
                continue
            began = time.process_time()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model, value, vectors = fit(X, y)
                    seconds = time.process_time() - began
                    error = float(np.mean(model.predict(Z) != t))
            except Exception as failure:
                print(f"| {n} | {name} | failed: {failure} | | | |")
                continue
            print(f"| {n} | {name} | {seconds:.2f} | {100 * error:.2f} | {value:.2f} | {vectors} |", flush=True)
            if seconds > arguments.patience:
                given_up.add(name)


if __name__ == "__main__":
    main()
