"""Small fitted models of every kind, for exports."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from instances import wavy
from kernelect import GPC, LSSVC, LSSVR, RVC, RVR, SVC, BasisSearchRegressor, KernelClassifier, KernelRegressor
from kernelect.kernels import ARD, RBF, Category, Constant, Matern, Polynomial

_IRIS, _SPECIES = load_iris(return_X_y=True)
THREE = (_IRIS[::5], _SPECIES[::5])
TWO = (_IRIS[50::4], np.array(["versicolor", "virginica"])[_SPECIES[50::4] - 1])

#: Kernels with nothing left to select: exports need fitted models, not well-fitted ones.
GAUSSIAN, LATENT = RBF(0.5), 6.0 * RBF(0.4) + Constant(0.5)
MIXED = ARD([0.3, 0.2, 0.4]).on([0, 1, 2]) * Category([0.7]).on([3])
_ROUGH = Matern(1.5, 0.4)

MODELS = {
    "LSSVC": lambda: LSSVC(GAUSSIAN, regularization=0.1).fit(*THREE),
    "LSSVC, two classes": lambda: LSSVC(MIXED, regularization=0.1).fit(*TWO),
    "LSSVR": lambda: LSSVR(GAUSSIAN, regularization=0.1).fit(*_wavy()),
    "LSSVR, two targets": lambda: LSSVR(_ROUGH, regularization=0.1).fit(_wavy()[0], np.column_stack([_wavy()[1]] * 2)),
    "GPC": lambda: GPC(LATENT).fit(*TWO),
    "GPC, three classes": lambda: GPC(Polynomial(2, gamma=0.3, coef0=0.8)).fit(*THREE),
    "GPC, hinge": lambda: GPC(LATENT, likelihood="hinge").fit(*THREE),
    "SVC": lambda: SVC(LATENT, C=2.0).fit(*TWO),
    "SVC, quadratic slack": lambda: SVC(LATENT, C=2.0, slack="quadratic").fit(*THREE),
    "SVC, ensemble": lambda: SVC("rbf", n_restarts=1, ensemble=True, tol=1e-2, random_state=0).fit(*TWO),
    "SVC, plain": lambda: SVC(LATENT, C=2.0, criterion="span").fit(*THREE),
    "RVC": lambda: RVC(GAUSSIAN).fit(*THREE),
    "RVC, dictionary": lambda: RVC(dictionary="polynomial").fit(*TWO),
    "RVR": lambda: RVR(GAUSSIAN).fit(*_wavy()),
    "BasisSearchRegressor": lambda: BasisSearchRegressor(["fourier", "linear"]).fit(*_wavy()),
}


def _wavy():
    X, y, _ = wavy(40)
    return X, y


@cache
def model(name):
    """Return a fitted model by its name."""
    return MODELS[name]()


def rows_for(name):
    """Return rows that a model may be asked about: those of its fit, a little moved."""
    fitted = model(name)
    base = _wavy()[0] if fitted.n_features_in_ == 2 else _IRIS[::7]
    return base + np.random.default_rng(0).normal(scale=0.05, size=base.shape) * (np.arange(base.shape[1]) < 3)


def answers(fitted, rows):
    """Return probabilities or predicted values, (m, k)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # unseen levels
        found = fitted.predict_proba(rows) if hasattr(fitted, "predict_proba") else fitted.predict(rows)
    return np.asarray(found, dtype=float).reshape(len(rows), -1)


HOSTILE = ['say "hi" */ /* ??/ \\', "line\nbreak\x07", "名前", "a%sb{}$", "n"]


@cache
def hostile_pipeline():
    """Return a pipeline on a table with hostile names and levels, and rows with missing and unseen cells."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({name: rng.normal(2019.0, 3.0, size=60) for name in HOSTILE[:2]})
    frame[HOSTILE[2]] = rng.choice(['"quoted"', "*/ end", "ümlaut\n", "rare\\"], p=[0.4, 0.3, 0.28, 0.02], size=60)
    frame[HOSTILE[3]] = rng.choice(["?", "b"], size=60)
    frame[HOSTILE[4]] = rng.choice([1.0, 2.0, 7.5], size=60)
    y = np.where(frame[HOSTILE[0]] + 3.0 * (frame[HOSTILE[3]] == "b") > 2020.0, "</script>", "plain")
    frame.loc[::7, HOSTILE[1]] = np.nan
    frame.loc[::9, HOSTILE[2]] = None
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    words = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="(missing)"),
        OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=3, drop="if_binary", sparse_output=False),
    )
    columns = ColumnTransformer(
        [
            ("numbers", numbers, HOSTILE[:2]),
            ("absent", MissingIndicator(features="all"), [HOSTILE[1]]),
            ("words", words, HOSTILE[2:4]),
            ("levels", OneHotEncoder(handle_unknown="ignore"), HOSTILE[4:]),
        ]
    )
    pipeline = make_pipeline(columns, LSSVC(GAUSSIAN, regularization=0.1)).fit(frame, y)
    rows = frame[:20].copy()
    rows.iloc[0, 2] = "never seen"
    rows.iloc[1, 4] = 3.25
    rows.iloc[2, 3] = "never seen"
    return pipeline, rows


@cache
def table(n=60):
    """Return a table of all kinds of columns, labels and numbers to predict from it."""
    rng = np.random.default_rng(5)
    days = rng.integers(0, 900, n)
    frame = pd.DataFrame(
        {
            "year": rng.normal(2000.0, 5.0, n),
            "price": np.exp(3.0 * rng.normal(size=n)),
            "colour": rng.choice(["red", "green", "blue", "rare"], p=[0.4, 0.3, 0.26, 0.04], size=n),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(days, "D"),
            "constant": 1.0,
            "grade": pd.Categorical(rng.choice([1, 2, 3], n)),
        }
    )
    value = (frame["year"] - 2000.0) / 5.0 + (frame["colour"] == "red") + np.sin(days / 60.0)
    frame.loc[::7, "price"] = np.nan
    frame.loc[::9, "colour"] = None
    return frame, np.where(value > 0.4, "yes", "no"), value.to_numpy() + 0.1 * rng.normal(size=n)


def new_rows():
    """Return rows of the table with an unseen level, and as an export takes them: dates as days, levels as text."""
    frame = table()[0][:25].copy()
    frame.loc[3, "colour"] = "never seen"
    plain = frame.assign(day=(frame["day"] - pd.Timestamp(0)) / pd.Timedelta("1D"), grade=frame["grade"].astype(str))
    return frame, plain


@cache
def mixture(labels):
    """Return a mixture fitted on the table."""
    frame, classes, value = table()
    door = KernelClassifier(effort="fast", random_state=0) if labels else KernelRegressor(effort="fast", random_state=0)
    return door.fit(frame, classes if labels else value)
