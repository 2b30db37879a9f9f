"""Fits of estimators to arrays of every size, unit and ugliness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import kernelect
from fuzz.harness import Broken, require_sentence

CLASSIFIERS = ("LSSVC", "SVC", "GPC", "RVC", "KernelClassifier")
REGRESSORS = ("LSSVR", "RVR", "BasisSearchRegressor", "KernelRegressor")

KERNELS = ("ard", "rbf", "matern32", "matern52-ard", "rational-quadratic", "linear", "polynomial")

#: Arguments beside the kernel that each estimator is tried with.
ARGUMENTS: dict[str, tuple[tuple[tuple[str, Any], ...], ...]] = {
    "LSSVC": ((("prior", None),), (("prior", "gaussian"),), (("search", "scg"),), (("recalibrate", False),)),
    "LSSVR": ((("prior", None),), (("search", "nelder-mead"),)),
    "SVC": ((("criterion", "span"),), (("slack", "quadratic"),), (("criterion", "loo"),), (("C", 1.0),)),
    "GPC": ((("prior", None),),),
    "RVC": ((("criterion", "evidence"),), (("criterion", "centre-evidence"),), (("algorithm", "classical"),)),
    "RVR": ((("algorithm", "classical"),),),
    "BasisSearchRegressor": ((("strategy", "sffs"),), (("strategy", "ols"),), (("criterion", "marginal-likelihood"),)),
}

#: What takes the kernels' place elsewhere.
DICTIONARIES = ("rbf", "linear", "polynomial", "fourier")
EFFORTS = ("fast",)


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


# -- making ------------------------------------------------------------------------------------------------------------


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

TWINS = ("none", "rows", "columns", "units", "origin", "batch", "pickle", "twice")


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


@st.composite
def cases(draw: Any) -> FitCase:
    classify = draw(st.booleans())
    estimator = draw(st.sampled_from(CLASSIFIERS if classify else REGRESSORS))
    kernels = DICTIONARIES if estimator == "BasisSearchRegressor" else EFFORTS if "Kernel" in estimator else KERNELS
    usual = st.integers(-3, 3)
    harmless = tuple(name for name in SPOILS if name not in ("missing", "infinite"))
    spoils = st.tuples(
        st.sampled_from((*harmless, *harmless, *harmless, "missing", "infinite")),
        st.integers(0, 40),
        st.one_of(usual, usual, st.integers(-320, 308)),
    )
    return FitCase(
        estimator,
        draw(st.sampled_from((kernels[0], *kernels))),
        draw(st.sampled_from(((), (), *ARGUMENTS.get(estimator, ())))),
        draw(st.integers(0, 2**16)),
        draw(st.one_of(st.integers(8, 36), st.integers(2, 12))),
        draw(st.one_of(st.integers(1, 4), st.integers(1, 30))),
        draw(st.sampled_from(TARGETS[classify])),
        tuple(draw(st.lists(spoils, max_size=3))),
        draw(st.sampled_from(WEIGHTS)),
        draw(st.sampled_from(TWINS)),
    )


# -- judging -----------------------------------------------------------------------------------------------------------


def made(case: FitCase) -> Any:
    cls = getattr(kernelect, case.estimator)
    if "Kernel" in case.estimator:
        return cls(case.kernel, random_state=0)
    return cls(case.kernel, random_state=0, max_iter=40, **dict(case.arguments))


def fit(model: Any, X: Any, y: Any, weights: Any) -> Any:
    return model.fit(X, y) if weights is None else model.fit(X, y, sample_weight=weights)


def judge(case: FitCase) -> str:
    """Return "model" or "refused"; raise where a law is broken."""
    X, y, weights = arrays(case)
    model = made(case)
    named = {"X", "y", "rows", "sample_weight", "sample(s)", "Input", "class", "label", *model.get_params()}
    try:
        fit(model, X, y, weights)
    except (MemoryError, KeyboardInterrupt):
        raise
    except Exception as error:
        require_sentence(error, named)
        kept = sorted(set(vars(model)) - set(model.get_params()))
        if kept:
            raise Broken("a refused fit leaves nothing behind", ", ".join(kept)) from error
        return "refused"
    Z = rows_to_predict(X, case.seed)
    require_sound(model, Z, len(np.unique(y)))
    require_same_twin(case, model, X, y, weights, Z)
    return "model"


def rows_to_predict(X: Any, number: int) -> Any:
    """Return training rows, rows beside them and one far away, none beyond double precision."""
    generator = np.random.default_rng(number + 1)
    X = np.nan_to_num(X, posinf=1e300, neginf=-1e300)
    near = X[: min(len(X), 6)]
    if len(np.unique(X, axis=1).T) < X.shape[1]:  # which one of two equal columns is used shows where they differ
        return near
    spread = np.quantile(X, 0.75, axis=0) / 2.0 - np.quantile(X, 0.25, axis=0) / 2.0
    beside = near + 0.1 * spread * generator.normal(size=near.shape)
    return np.vstack([near, np.clip(beside, -1e307, 1e307)])


def answers(model: Any, Z: Any) -> Any:
    """Return all numbers the model gives for rows."""
    if hasattr(model, "predict_proba"):
        return model.predict_proba(Z)
    mean, deviation = model.predict(Z, return_std=True)
    return np.column_stack([mean, deviation])


def require_sound(model: Any, Z: Any, n_classes: int) -> None:
    """Finite, of the right shape; probabilities sum to one and agree with predict; intervals in order."""
    found = answers(model, Z)
    if not np.isfinite(found).all():
        raise Broken("answers are finite", f"{np.isnan(found).sum()} NaN, {np.isinf(found).sum()} infinite")
    if len(found) != len(Z):
        raise Broken("one answer per row", str(found.shape))
    if hasattr(model, "predict_proba"):
        _require_probabilities(model, Z, found, n_classes)
        return
    if (found[:, 1] < 0.0).any():
        raise Broken("deviations are not negative", str(found[:, 1].min()))
    if hasattr(model, "predict_interval"):
        lower, upper = model.predict_interval(Z, coverage=0.8)
        if not (lower <= upper).all():
            raise Broken("intervals are in order", f"{lower} {upper}"[:200])


def _require_probabilities(model: Any, Z: Any, shares: Any, n_classes: int) -> None:
    if shares.shape[1] != n_classes:
        raise Broken("one probability per class", str(shares.shape))
    if shares.min() < 0.0 or np.abs(shares.sum(axis=1) - 1.0).max() > 1e-9:
        raise Broken("probabilities sum to one", str(shares.sum(axis=1)))
    best = shares.max(axis=1)
    predicted = np.searchsorted(model.classes_, model.predict(Z))
    if (shares[np.arange(len(Z)), predicted] < best - 1e-12).any():
        raise Broken("the most probable class is predicted", f"{shares[:3]} {model.predict(Z)[:3]}")


#: Fewer rows than these have several answers of the same worth.
FEW = 6

#: Their widths belong to one input each, whatever their first argument is.
PER_INPUT = ("BasisSearchRegressor", "KernelClassifier", "KernelRegressor")

#: How far two fits of the same problem may be apart, in probability or in units of the target's spread.
NEAR = 0.02


def require_same_twin(case: FitCase, model: Any, X: Any, y: Any, weights: Any, Z: Any) -> None:
    """Fit or ask a second time in a way that must not matter."""
    expected = answers(model, Z)
    if case.twin == "batch":
        _require_near(case, answers(model, Z[:3]), expected[:3], y, 1e-6, "a batch may be split")
        wild = np.vstack([Z, np.full((1, Z.shape[1]), 1e12)])
        _require_near(case, answers(model, wild)[:-1], expected, y, 1e-6, "a wild row beside changes nothing")
    elif case.twin == "pickle":
        import pickle

        if not np.array_equal(answers(pickle.loads(pickle.dumps(model)), Z), expected):
            raise Broken("a pickled model is the same", "it answers otherwise")
    elif case.twin == "twice":
        if not np.array_equal(answers(fit(made(case), X, y, weights), Z), expected):
            raise Broken("random_state alone decides", "a second fit answers otherwise")
    elif case.twin in ("rows", "columns", "units", "origin") and len(X) >= FEW:
        _require_same_fit(case, X, y, weights, Z, expected)


def _require_same_fit(case: FitCase, X: Any, y: Any, weights: Any, Z: Any, expected: Any) -> None:
    if case.twin in ("units", "origin") and _by_its_numbers(case, X):
        return
    generator = np.random.default_rng(case.seed + 2)
    rows, columns = np.arange(len(X)), np.arange(X.shape[1])
    units, origin = np.ones(X.shape[1]), np.zeros(X.shape[1])
    if case.twin == "rows":
        rows = generator.permutation(rows)
    if case.twin == "columns":
        columns = generator.permutation(columns)
    if case.twin == "units":
        per_input = case.kernel in ("ard", "matern52-ard") or case.estimator in PER_INPUT
        units = 10.0 ** generator.integers(-3, 4, size=len(units) if per_input else 1)
    if case.twin == "origin":
        origin = np.round(generator.normal(size=len(origin)), 1) * np.clip(np.ptp(X, axis=0), 0.0, 1e100)
    other = [] if weights is None else [weights[rows]]
    with np.errstate(all="ignore"):
        twin = X[rows][:, columns] * units + origin[columns]
        query = Z[:, columns] * units + origin[columns]
    if not np.isfinite(twin).all() or not np.isfinite(query).all():
        return
    try:
        second = fit(made(case), twin, y[rows], other[0] if other else None)
    except Exception as error:
        raise Broken(
            f"{case.twin} do not matter", f"the twin is refused: {type(error).__name__} {error}"[:200]
        ) from error
    _require_near(case, answers(second, query), expected, y, NEAR, f"{case.twin} do not matter")


def _by_its_numbers(case: FitCase, X: Any) -> bool:
    """Tell whether other units are another table: whole numbers may be codes, and the largest count as missing."""
    tables = case.estimator in ("KernelClassifier", "KernelRegressor")
    return tables and bool((np.round(X) == X).all(axis=0).any() or np.abs(X).max() > 1e80)


def _require_near(case: FitCase, found: Any, expected: Any, y: Any, allowed: float, law: str) -> None:
    unit = 1.0
    if case.estimator in REGRESSORS:
        with np.errstate(all="ignore"):
            unit = max(float(np.std(y)), 1e-6 * float(np.abs(y).max()), 1e-300)
    with np.errstate(all="ignore"):
        apart = float(np.abs(found / unit - expected / unit).max())
    if not apart <= allowed:
        raise Broken(law, f"{apart:.2g} apart")
