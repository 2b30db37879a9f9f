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
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect import RVC
from kernelect.datasets import twonorm
from kernelect.kernels import RBF
from kernelect.machines.rvm_likelihoods import Bernoulli
from kernelect.machines.rvm_polish import solve_at

GAMMA = 1.0 / 40.0


@dataclass(frozen=True)
class Fit:
    """A fitted model with what its evidence needs; no weights where that is known or has no meaning."""

    model: Any
    vectors: int
    evidence: float = float("nan")
    weights: np.ndarray | None = None
    constant: float = 0.1


def ours(X: np.ndarray, y: np.ndarray) -> Fit:
    """Fit with the width fixed."""
    model = RVC(RBF(GAMMA), criterion="evidence").fit(X, y)
    return Fit(model, len(model.support_), -model.selection_.value)


def ours_selecting(X: np.ndarray, y: np.ndarray) -> Fit:
    """Fit with the width selected."""
    model = RVC("rbf").fit(X, y)
    return Fit(model, len(model.support_))


def sklearn_rvm(X: np.ndarray, y: np.ndarray) -> Fit:
    """Fit sklearn-rvm's EMRVC."""
    model = importlib.import_module("sklearn_rvm").EMRVC(kernel="rbf", gamma=GAMMA).fit(X, y)
    return Fit(model, len(model.relevance_), weights=np.ravel(model.mu_)[-len(model.relevance_) :])


def fastrvm(X: np.ndarray, y: np.ndarray) -> Fit:
    """Fit fastrvm's classifier, with its intercept."""
    model = importlib.import_module("fastrvm").RVC(kernel="rbf", gamma=GAMMA, fit_intercept=True).fit(X, y)
    constant = float(np.ravel(model.intercept_)[0])
    return Fit(model, len(model.relevance_), weights=np.ravel(model.dual_coef_), constant=constant)


def evidence(fit: Fit, X: np.ndarray, y: np.ndarray) -> float:
    """Return the Laplace evidence of a fit.

    Packages scale their precisions differently, so these are found anew for the package's
    functions (and the constant) as the fixed point alpha = gamma / w^2 that it iterates.
    """
    if fit.weights is None:
        return fit.evidence
    values = np.column_stack([np.ones(len(X)), RBF(GAMMA).gram(X)])
    active = np.append(0, np.ravel(fit.model.relevance_).astype(int) + 1)
    alpha = 1.0 / np.maximum(np.append(fit.constant, fit.weights) ** 2, 1e-6)
    likelihood = Bernoulli(y.astype(float), np.ones(len(y)))
    for _ in range(100):
        found = solve_at(values, active, alpha, likelihood)
        active, posterior = found.active, found.posterior
        alpha = np.clip(posterior.determination() / posterior.weights**2, 1e-9, 1e9)
    return found.log_evidence


METHODS: dict[str, tuple[str | None, Callable[..., Fit]]] = {
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
                    found = fit(X, y)
                    seconds = time.process_time() - began
                    error = float(np.mean(found.model.predict(Z) != t))
                    value = evidence(found, X, y)
            except Exception as failure:
                print(f"| {n} | {name} | failed: {failure} | | | |")
                continue
            print(f"| {n} | {name} | {seconds:.2f} | {100 * error:.2f} | {value:.2f} | {found.vectors} |", flush=True)
            if seconds > arguments.patience:
                given_up.add(name)


if __name__ == "__main__":
    main()
