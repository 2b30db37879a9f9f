"""Models whose answers, explanations, exports and pages shall survive a rebuild of the inside, each under a name.

A case is a function without arguments that returns a fitted model, the rows and targets it was fitted on, and rows to
ask it about. Only the public interface is imported, and only here and in shown.py.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from kernelect import (
    GPC,
    LSSVC,
    LSSVR,
    RVC,
    RVR,
    SVC,
    BasisSearchRegressor,
    KernelClassifier,
    KernelRegressor,
    dictionaries,
)
from kernelect.kernels import RBF
from panel import cases
from panel.cases import curve, three_classes, two_classes

N_ASKED = 5

_MEAN_SQUARE = "deviations of rows left out have the mean square of their residuals"
_LOG_ODDS = "classifiers of tables have log-odds as decision values"
_TEMPERATURE = "the temperature of probabilities is found to twelve digits, it was to six"
_CURVE = "the rows of learning curves are drawn in the same way for the verdict and for the picture"
_EVIDENCE = "up to 150 rows, machines of a mixture select by the evidence"
_CROSSED = "what a mixture says of few rows left out comes from weights that have not seen their fold"
_SIXTY, _THIRTY_SIX = "interactions of 60 rows are shown (59)", "interactions of 36 rows are shown (31)"
_LABELS = f"up to 450 rows, machines of a mixture for labels select by the evidence; {_CROSSED}"
_OWN_UNITS = "effects on the page are in the target's own units"
_BY_SPREAD = "deviations are judged in units of the spread where it differs"
_PAIRS = "pairs of columns that do not help are not shown"
_SURER = "probabilities of members that tell all rows apart are sharpened further, others less"
_OWN_SIGNS = "parts of rows follow signs of the data's own, so that -X has the same ones"
_TRIED = "pages say which candidates were tried"

#: Results that were changed on purpose after they were first frozen, with the reason. They were frozen anew
#: (``freeze.py --models --only NAME``) and are compared like all others.
FROZEN_ANEW: dict[str, str] = {
    "kernelect fit": f"{_CURVE}; {_LABELS}; {_PAIRS}; {_SURER}; {_TRIED}",
    "lssvr": f"{_MEAN_SQUARE}; {_CURVE}",
    "lssvr, two targets": _MEAN_SQUARE,
    "regressor, fast, logarithms": f"{_MEAN_SQUARE}; {_CURVE}; {_EVIDENCE}; {_CROSSED}; {_OWN_UNITS}; {_TRIED}",
    "regressor, fast, counts": f"{_MEAN_SQUARE}; {_CURVE}; {_EVIDENCE}; {_CROSSED}; {_TRIED}",
    "regressor, fast, two targets": f"{_MEAN_SQUARE}; {_EVIDENCE}; {_CROSSED}; {_TRIED}",
    "classifier, fast, two classes": f"{_LOG_ODDS}; {_TEMPERATURE}; {_CURVE}; {_LABELS}; {_SURER}; {_TRIED}",
    "classifier, fast, three classes": f"{_LOG_ODDS}; {_TEMPERATURE}; {_CURVE}; {_LABELS}; {_SURER}; {_TRIED}",
    "classifier, balanced, arrays": f"{_LOG_ODDS}; {_TEMPERATURE}; {_SIXTY}; {_CURVE}; {_LABELS}; {_SURER}; {_TRIED}",
    "regressor, balanced, arrays": (
        f"{_MEAN_SQUARE}; {_THIRTY_SIX}; {_CURVE}; {_EVIDENCE}; {_CROSSED}; {_BY_SPREAD}; {_TRIED}"
    ),
    "lssvc, two classes": f"{_TEMPERATURE}; {_CURVE}",
    "lssvc, three classes, landmarks": _TEMPERATURE,
    "svc, span": _TEMPERATURE,
    "rvc": _OWN_SIGNS,
}

_LAST_BIT = "a change in the last bit of the inputs moves"

#: Cases that amplify rounding, with their tolerance and the reason.
LOOSE: dict[str, tuple[float, str]] = {
    "classifier, fast, two classes": (1e-8, f"{_LAST_BIT} a smaller model by 3e-9"),
    "regressor, fast, logarithms": (1e-8, f"{_LAST_BIT} a smaller model by 4e-10"),
    "regressor, balanced, arrays": (1e-6, f"{_LAST_BIT} intervals by 2e-7: the search for widths ends elsewhere"),
    "kernelect fit": (1e-6, f"{_LAST_BIT} numbers of its page by 1e-7: they are rounded to six digits"),
}


class Fitted(NamedTuple):
    """A model, what it was fitted on, and rows to ask it about."""

    model: Any
    X: Any
    y: Any
    asked: Any


def on_arrays(model, data):
    """Return a model fitted on arrays."""
    X, y, queries = data
    X = X if cases.JITTER is None else cases.jittered(X)
    return Fitted(model.fit(X, y), X, y, queries[:N_ASKED])


def table(n=60, seed=11):
    """Return a table of numbers, categories and dates with missing cells, and a value that depends on it."""
    rng = np.random.default_rng(seed)
    days = rng.integers(0, 900, n)
    frame = pd.DataFrame(
        {
            "age": rng.normal(50.0, 12.0, n),
            "dose": np.exp(rng.normal(size=n)),
            "colour": rng.choice(["blue", "green", "red"], p=[0.3, 0.3, 0.4], size=n),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(days, "D"),
        }
    )
    value = (frame["age"] - 50.0) / 12.0 + (frame["colour"] == "red") + np.sin(days / 60.0) + 0.2 * rng.normal(size=n)
    if cases.JITTER is not None:
        frame[["age", "dose"]] = cases.jittered(frame[["age", "dose"]].to_numpy())
    frame.loc[::7, "dose"] = np.nan
    frame.loc[::9, "colour"] = None
    return frame, value.to_numpy()


def on_table(model, target):
    """Return a model fitted on the table; the rows asked about have missing cells and a level never seen."""
    frame, value = table()
    y = target(value)
    asked = frame[: N_ASKED + 3].iloc[3:].reset_index(drop=True)
    asked.loc[0, "colour"] = "never seen"
    asked.loc[1, "dose"] = np.nan
    return Fitted(model.fit(frame, y), frame, y, asked)


def labels_of_two(value):
    return np.where(value > 0.4, "yes", "no")


def labels_of_three(value):
    return np.array(["low", "middle", "high"])[np.digitize(value, [-0.3, 0.8])]


def counts(value):
    return np.random.default_rng(12).poisson(np.exp(0.8 + 0.6 * value)).astype(float)


def on_logarithms(value):
    return np.exp(1.5 * value + 2.0)


def two_targets(value):
    return np.column_stack([value, 3.0 - 2.0 * value**2])


CASES = {
    "lssvc, two classes": lambda: on_arrays(LSSVC(), two_classes()),
    "lssvc, three classes, landmarks": lambda: on_arrays(
        LSSVC("rbf", landmarks=30, random_state=0), three_classes(n=90)
    ),
    "lssvr": lambda: on_arrays(LSSVR("matern52"), curve()),
    "lssvr, two targets": lambda: on_arrays(LSSVR("rbf"), curve(n_targets=2)),
    "gpc": lambda: on_arrays(GPC(3.0 * RBF(0.3)), two_classes()),
    "svc, posterior": lambda: on_arrays(SVC(2.0 * RBF(0.3), C=1.5), three_classes(n=45)),
    "svc, span": lambda: on_arrays(SVC("rbf", criterion="span"), two_classes()),
    "rvc": lambda: on_arrays(RVC(RBF(0.3)), two_classes()),
    "rvr": lambda: on_arrays(RVR("rbf"), curve(d=2)),
    "basis": lambda: on_arrays(BasisSearchRegressor(dictionaries.PolynomialTerms(3), strategy="forward"), curve()),
    "classifier, fast, two classes": lambda: on_table(KernelClassifier("fast", random_state=0), labels_of_two),
    "classifier, fast, three classes": lambda: on_table(KernelClassifier("fast", random_state=0), labels_of_three),
    "classifier, balanced, arrays": lambda: on_arrays(KernelClassifier("balanced", random_state=0), two_classes()),
    "regressor, fast, logarithms": lambda: on_table(KernelRegressor("fast", random_state=0), on_logarithms),
    "regressor, fast, counts": lambda: on_table(KernelRegressor("fast", random_state=0), counts),
    "regressor, fast, two targets": lambda: on_table(KernelRegressor("fast", random_state=0), two_targets),
    "regressor, balanced, arrays": lambda: on_arrays(KernelRegressor("balanced", random_state=0), curve()),
}
