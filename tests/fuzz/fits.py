"""Fits of estimators to arrays of every size, unit and ugliness."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from fuzz.arrays import SPOILS, TARGETS, WEIGHTS, FitCase, arrays
from fuzz.estimators import ARGUMENTS, CLASSIFIERS, REGRESSORS, answers, first_arguments, fit, made
from fuzz.harness import Broken, require_sentence
from fuzz.twins import TWINS, require_same_twin


@st.composite
def cases(draw: Any) -> FitCase:
    classify = draw(st.booleans())
    estimator = draw(st.sampled_from(CLASSIFIERS if classify else REGRESSORS))
    firsts = first_arguments(estimator)
    usual = st.integers(-3, 3)
    harmless = tuple(name for name in SPOILS if name not in ("missing", "infinite"))
    spoils = st.tuples(
        st.sampled_from((*harmless, *harmless, *harmless, "missing", "infinite")),
        st.integers(0, 40),
        st.one_of(usual, usual, st.integers(-320, 308)),
    )
    return FitCase(
        estimator,
        draw(st.sampled_from((firsts[0], *firsts))),
        draw(st.sampled_from(((), (), *ARGUMENTS.get(estimator, ())))),
        draw(st.integers(0, 2**16)),
        draw(st.one_of(st.integers(8, 36), st.integers(2, 12))),
        draw(st.one_of(st.integers(1, 4), st.integers(1, 4), st.integers(1, 30))),
        draw(st.sampled_from(TARGETS[classify])),
        tuple(draw(st.lists(spoils, max_size=3))),
        draw(st.sampled_from(WEIGHTS)),
        draw(st.sampled_from(TWINS)),
    )


# -- judging -----------------------------------------------------------------------------------------------------------


def judge(case: FitCase) -> str:
    """Return "model", "refused" or "undecided" (see ``twins``); raise where a law is broken."""
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
    return require_same_twin(case, model, X, y, weights, Z)


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
