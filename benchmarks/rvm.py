"""Fit time, error and evidence against sklearn-rvm and fastrvm, with the kernel fixed; and the selection of a width.

Run ``OPENBLAS_NUM_THREADS=1 python benchmarks/rvm.py [--sizes 250 500] [--draws 10]``. Every draw
is a training set of its own, on which all methods are run in turn, in one process; times are the
median of ``--repeats`` in CPU seconds. The two packages are optional (they want old dependencies:
``pip install --no-deps sklearn-rvm fastrvm``); what is not installed is left out with a sentence.
A method that takes longer than ``--patience`` seconds is run on one draw, and not at larger sizes.
A grid of fastrvm is counted as eleven fits at the width above; with ``--grid`` it is also run, which
takes minutes: at narrow widths its fits do not converge.
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
from kernelect.machines.rvm import Bernoulli, solve_at

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


def selecting(criterion: str) -> Callable[..., Fit]:
    """Return the fit with the width selected by ``criterion``."""

    def fit(X: np.ndarray, y: np.ndarray) -> Fit:
        model = RVC("rbf", criterion=criterion).fit(X, y)
        return Fit(model, len(model.support_))

    return fit


def sklearn_rvm(X: np.ndarray, y: np.ndarray) -> Fit:
    """Fit sklearn-rvm's EMRVC."""
    model = importlib.import_module("sklearn_rvm").EMRVC(kernel="rbf", gamma=GAMMA).fit(X, y)
    return Fit(model, len(model.relevance_), weights=np.ravel(model.mu_)[-len(model.relevance_) :])


def fastrvm(X: np.ndarray, y: np.ndarray, gamma: float = GAMMA) -> Fit:
    """Fit fastrvm's classifier, with its intercept."""
    model = importlib.import_module("fastrvm").RVC(kernel="rbf", gamma=gamma, fit_intercept=True).fit(X, y)
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
    likelihood = Bernoulli(targets=y.astype(float), sample_weight=np.ones(len(y)))
    for _ in range(100):
        found = solve_at(values, active, alpha, likelihood)
        active, posterior = found.active, found.posterior
        alpha = np.clip(posterior.determination() / posterior.weights**2, 1e-9, 1e9)
    return found.log_evidence


METHODS: dict[str, tuple[str | None, Callable[..., Fit]]] = {
    "kernelect RVC, width fixed": (None, ours),
    "fastrvm, width fixed": ("fastrvm", fastrvm),
    "kernelect RVC, width by evidence": (None, selecting("occam-evidence")),
    "kernelect RVC, width by 5-fold log-loss": (None, selecting("cv")),
    "sklearn-rvm EMRVC, width fixed": ("sklearn_rvm", sklearn_rvm),
}

REFERENCE = "fastrvm, width fixed"
SELECTING = [name for name in METHODS if ", width by " in name]

#: One fit and a grid of ten, which is what a package without selection needs.
GRID_FITS = 11
GRID = GAMMA * np.geomspace(0.1, 10.0, GRID_FITS - 1)


@dataclass(frozen=True)
class Measured:
    """One method on one draw."""

    seconds: float
    error: float
    evidence: float
    vectors: int


def measured(method: Callable[..., Fit], draw: int, n: int, repeats: int, patience: float) -> Measured:
    """Fit once more as long as that is quick, and keep the median time."""
    (X, y), (Z, t) = twonorm(n, random_state=draw), twonorm(4000, random_state=10_000 + draw)
    times: list[float] = []
    while len(times) < repeats and sum(times) < patience:
        began = time.process_time()
        fit = method(X, y)
        times.append(time.process_time() - began)
    error = float(np.mean(fit.model.predict(Z) != t))
    return Measured(float(np.median(times)), error, evidence(fit, X, y), fit.vectors)


def missing() -> dict[str, str]:
    """Return the methods whose package is not installed, with what to do."""
    return {
        name: f"not installed: `pip install --no-deps {package.replace('_', '-')}`"
        for name, (package, _) in METHODS.items()
        if package is not None and importlib.util.find_spec(package) is None
    }


def with_error(values: np.ndarray, digits: int = 2) -> str:
    """Return mean +- standard error."""
    if len(values) < 2:
        return f"{values.mean():.{digits}f}"
    return f"{values.mean():.{digits}f} ± {values.std(ddof=1) / np.sqrt(len(values)):.{digits}f}"


def row(n: int, name: str, mine: list[Measured], reference: list[Measured]) -> str:
    """Return a line of the table: differences and ratios to the reference on the same draws."""
    seconds, error, vectors = (np.array([getattr(m, f) for m in mine]) for f in ("seconds", "error", "vectors"))
    cells = [f"{np.median(seconds):.3f}", with_error(100 * error), f"{vectors.mean():.1f}"]
    pairs = list(zip(mine, reference, strict=False))
    gain = np.array([a.evidence - b.evidence for a, b in pairs])
    ratio = np.array([a.seconds / b.seconds for a, b in pairs])
    known = len(gain) > 0 and bool(np.isfinite(gain).all())
    cells.append(with_error(gain) if known else "")
    cells.append(f"{np.median(ratio):.2f} / {np.exp(np.log(ratio).mean()):.2f}" if len(ratio) else "")
    return f"| {n} | {name} | {len(mine)} | " + " | ".join(cells) + " |"


def main() -> None:
    """Print a Markdown table, then the whole selection against a grid of the reference's fits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[250, 500, 1000, 2000])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--patience", type=float, default=30.0)
    parser.add_argument("--grid", action="store_true", help="run the reference's grid of widths as well")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    left_out = missing()
    for name, reason in left_out.items():
        print(f"{name} is {reason}\n")
    print("| n | method | draws | CPU s | test error % | vectors | ln evidence, difference | time ratio |")
    print("|---|---|---|---|---|---|---|---|")
    selections = []
    for n in arguments.sizes:
        found: dict[str, list[Measured]] = {name: [] for name in METHODS if name not in left_out}
        for draw in range(arguments.draws):
            for name, mine in found.items():
                if not mine or mine[0].seconds <= arguments.patience:
                    mine.append(measured(METHODS[name][1], draw, n, arguments.repeats, arguments.patience))
        for name, mine in found.items():
            print(row(n, name, mine, found.get(REFERENCE, [])), flush=True)
            if mine[0].seconds > arguments.patience:
                left_out[name] = "too slow for more rows"
        if REFERENCE in found:
            once = np.array([each.seconds for each in found[REFERENCE]])
            grids = {f"{GRID_FITS} fits of fastrvm at one width": GRID_FITS * once}
            if arguments.grid:
                grids["fastrvm's fit and grid"] = once + [grid_seconds(draw, n) for draw in range(len(once))]
            selections += [
                against_grid(n, name, found[name], grid, seconds)
                for name in SELECTING
                for grid, seconds in grids.items()
            ]
    header = "\n| n | method | CPU s over those of | draws | of the totals | median | range |"
    print(header, "|---|---|---|---|---|---|---|", *selections, sep="\n")


def grid_seconds(draw: int, n: int) -> float:
    """Return the CPU seconds of the reference's fits at the widths of the grid."""
    X, y = twonorm(n, random_state=draw)
    began = time.process_time()
    for gamma in GRID:
        fastrvm(X, y, gamma)
    return time.process_time() - began


def against_grid(n: int, name: str, mine: list[Measured], grid: str, seconds: np.ndarray) -> str:
    """Return a line of the table of whole selections against a grid of the reference's fits."""
    draws = min(len(mine), len(seconds))  # a slow method has one draw
    ours, seconds = np.array([each.seconds for each in mine[:draws]]), seconds[:draws]
    ratios = ours / seconds
    totals = f"{ours.sum() / seconds.sum():.2f}"
    cells = (totals, f"{np.median(ratios):.2f}", f"{ratios.min():.2f} to {ratios.max():.2f}")
    return f"| {n} | {name} | {grid} | {len(ours)} | " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
