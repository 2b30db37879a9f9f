"""Arrays of every size, unit and ugliness, from a record of how they are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class FitCase:
    """How arrays are made, what is fitted to them, and which relation to a second fit is checked.

    ``spoils`` are (what, column or row, power of ten) triples, applied in order.
    """

    estimator: str
    kernel: str
    arguments: tuple[tuple[str, Any], ...]
    seed: int
    rows: int
    inputs: int
    target: str
    spoils: tuple[tuple[str, int, int], ...]
    weights: str
    twin: str


def constant(X, y, at, power):
    X[:, at % X.shape[1]] = 10.0**power


def scaled(X, y, at, power):
    X[:, at % X.shape[1]] *= 10.0**power


def moved(X, y, at, power):
    X[:, at % X.shape[1]] += 10.0**power


def outlier(X, y, at, power):
    X[at % len(X)] = 10.0**power


def outlying_cell(X, y, at, power):
    X[at % len(X), at % X.shape[1]] = -(10.0**power)


def repeated_rows(X, y, at, power):
    half = len(X) // 2
    X[half : 2 * half] = X[:half]


def equal_rows(X, y, at, power):
    X[:] = X[0]


def copied_column(X, y, at, power):
    X[:, at % X.shape[1]] = X[:, 0]


def rounded(X, y, at, power):
    X[:] = np.round(X)


def binary(X, y, at, power):
    X[:, at % X.shape[1]] = X[:, at % X.shape[1]] > 0


def all_scaled(X, y, at, power):
    X *= 10.0**power


def missing(X, y, at, power):
    X[at % len(X), 0] = np.nan


def infinite(X, y, at, power):
    X[at % len(X), -1] = np.inf


SPOILS = {
    function.__name__: function
    for function in (
        constant,
        scaled,
        moved,
        outlier,
        outlying_cell,
        repeated_rows,
        equal_rows,
        copied_column,
        rounded,
        binary,
        all_scaled,
        missing,
        infinite,
    )
}

TARGETS = {
    True: ("two",) * 4 + ("three",) * 3 + ("five", "flags", "numbers", "rare", "one"),
    False: ("real",) * 4 + ("large", "tiny", "huge", "vanishing", "offset", "constant", "whole", "outlying", "zero"),
}

WEIGHTS = (
    *("none",) * 8,
    "random",
    "random",
    "whole",
    "zeros",
    "whole",
    "one huge",
    "one vast",
    "tiny",
    "all tiny",
    "one row",
)


def arrays(case: FitCase) -> tuple[Any, Any, Any]:
    """Return X, y and weights of a case."""
    generator = np.random.default_rng(case.seed)
    X = generator.normal(size=(case.rows, case.inputs))
    f = np.sin(1.5 * X[:, 0]) + 0.5 * X[:, -1] + 0.2 * generator.normal(size=case.rows)
    y = _target(case.target, f, generator)
    for what, at, power in case.spoils:
        with np.errstate(all="ignore"):
            SPOILS[what](X, y, at, power)
        if what != "infinite":  # scikit-learn's own check adds all cells and warns where both signs overflow
            np.clip(X, -1e300, 1e300, out=X)
    return X, y, _weights(case.weights, case.rows, generator)


def _target(kind: str, f: Any, generator: np.random.Generator) -> Any:
    order = np.argsort(np.argsort(f))
    share = order / max(len(f), 1)
    wild = f.copy()
    wild[0] = 1e6
    return {
        "two": lambda: np.where(share < 0.5, "no", "yes"),
        "three": lambda: np.array(["a", "b", "c"])[np.minimum((3 * share).astype(int), 2)],
        "five": lambda: np.minimum((5 * share).astype(int), 4),
        "flags": lambda: share < 0.4,
        "numbers": lambda: np.where(share < 0.5, -7.5, 2.0**60),
        "rare": lambda: np.where(order == 0, "rare", "usual"),
        "one": lambda: np.full(len(f), "only"),
        "real": lambda: f,
        "large": lambda: 1e9 * f,
        "tiny": lambda: 1e-9 * f,
        "huge": lambda: 1e100 * f,
        "vanishing": lambda: 1e-150 * f,
        "offset": lambda: f + 1e6,
        "constant": lambda: np.full(len(f), 3.25),
        "whole": lambda: np.round(f),
        "outlying": lambda: wild,
        "zero": lambda: np.zeros(len(f)),
    }[kind]()


def _weights(kind: str, n: int, generator: np.random.Generator) -> Any:
    if kind == "none":
        return None
    w = generator.uniform(0.2, 3.0, size=n)
    if kind == "zeros":
        w[::3] = 0.0
    if kind == "whole":
        w = np.ceil(w)
    if kind in ("one huge", "one vast", "tiny"):
        w[0] = {"one huge": 1e12, "one vast": 1e100, "tiny": 1e-100}[kind]
    if kind == "all tiny":
        w *= 1e-8
    if kind == "one row":
        w[1:] = 0.0
    return w
