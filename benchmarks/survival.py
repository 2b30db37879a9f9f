"""Concordance and integrated Brier score of KernelSurvival beside scikit-survival's and lifelines' models.

    python benchmarks/survival.py [--tables veteran,gbsg2] [--rows 700] [--seed 0]

Needs scikit-survival and lifelines, in an environment of their own beside this library. Tables are those that the two
packages ship. Five folds; at most ``--rows`` rows of each table, drawn at random. Cox regression has its ridge from
five inner folds; the forest and boosting have their defaults with 200 trees. Every method gets the same inputs:
numbers scaled, missing numbers replaced by the median, categories as one 0/1 column each.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from lifelines import LogNormalAFTFitter
from lifelines import datasets as life
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sksurv import datasets as sks
from sksurv.ensemble import GradientBoostingSurvivalAnalysis, RandomSurvivalForest
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.metrics import concordance_index_censored, integrated_brier_score
from sksurv.util import Surv

from kernelect import KernelSurvival

#: Name -> loader of inputs, events and times.
TABLES: dict[str, Callable[[], tuple[pd.DataFrame, Any, Any]]] = {}


def _of_sksurv(name: str, **options: Any) -> None:
    def load() -> tuple[pd.DataFrame, Any, Any]:
        X, y = getattr(sks, f"load_{name}")(**options)
        event, times = y.dtype.names
        return X, y[event], y[times].astype(float)

    TABLES[name] = load


def _of_lifelines(name: str, times: str, event: str, drop: tuple[str, ...] = ()) -> None:
    def load() -> tuple[pd.DataFrame, Any, Any]:
        frame = getattr(life, f"load_{name}")()
        seen = frame[event].to_numpy().astype(bool)
        return frame.drop(columns=[times, event, *drop]), seen, frame[times].to_numpy(dtype=float)

    TABLES[name] = load


for each in ("veterans_lung_cancer", "gbsg2", "whas500", "flchain", "breast_cancer"):
    _of_sksurv(each)
_of_sksurv("aids", endpoint="aids")
_of_lifelines("rossi", "week", "arrest")
_of_lifelines("lung", "time", "status")
_of_lifelines("kidney_transplant", "time", "death")
_of_lifelines("larynx", "time", "death")
_of_lifelines("stanford_heart_transplants", "stop", "event", ("id", "start"))
_of_lifelines("regression_dataset", "T", "E")
_of_lifelines("dd", "duration", "observed", ("ctryname", "cowcode2", "politycode", "ehead", "leaderspellreg"))


def coded(X: pd.DataFrame) -> np.ndarray:
    """Return columns of numbers; what training rows do to scale them is done by each fold."""
    return pd.get_dummies(X, drop_first=True, dummy_na=False).astype(float).to_numpy()


class LogNormal:
    """lifelines' linear accelerated failure time model, as scikit-survival's are called."""

    def fit(self, X: np.ndarray, y: Any) -> LogNormal:
        """Fit with a small ridge, without which collinear columns have no solution."""
        frame = pd.DataFrame(X).assign(time=np.maximum(y["time"], 1e-3), event=y["event"])
        self.model = LogNormalAFTFitter(penalizer=0.01).fit(frame, "time", "event")
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return risks."""
        return -np.log(self.model.predict_median(pd.DataFrame(X)).to_numpy())

    def curves(self, X: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Return survival functions at times."""
        return self.model.predict_survival_function(pd.DataFrame(X), times).to_numpy().T


def methods(seed: int) -> dict[str, Any]:
    """Return fresh models by name."""
    ridge = {"alpha": 10.0 ** np.arange(-3, 4)}
    return {
        "kernelect": KernelSurvival(),
        "Cox, ridge": GridSearchCV(CoxPHSurvivalAnalysis(alpha=1.0), ridge, cv=5),
        "forest": RandomSurvivalForest(200, min_samples_leaf=7, random_state=seed),
        "boosting": GradientBoostingSurvivalAnalysis(n_estimators=200, subsample=0.7, random_state=seed),
        "log-normal": LogNormal(),
    }


def curves_of(model: Any, X: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return survival functions (m, n_times)."""
    if hasattr(model, "curves"):
        return model.curves(X, times)
    if isinstance(model, KernelSurvival):
        return model.predict_survival_function(X, times)
    model = getattr(model, "best_estimator_", model)
    return np.array([[curve(t) for t in times] for curve in model.predict_survival_function(X)])


def measured(name: str, rows: int, seed: int) -> pd.DataFrame:
    """Return one line for each method and fold."""
    X, event, times = TABLES[name]()
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(np.flatnonzero(np.isfinite(times) & (times > 0)))[:rows]
    Z, event, times = coded(X.iloc[chosen]), event[chosen], times[chosen]
    lines = []
    for fold, (train, test) in enumerate(StratifiedKFold(5, shuffle=True, random_state=seed).split(Z, event)):
        filled = np.where(np.isnan(Z), np.nanmedian(Z[train], axis=0), Z)
        used = filled[train].std(axis=0) > 0
        scale = StandardScaler().fit(filled[train][:, used])
        A, B = scale.transform(filled[train][:, used]), scale.transform(filled[test][:, used])
        y, truth = (Surv.from_arrays(event[part], times[part]) for part in (train, test))
        ends = np.quantile(times[test][event[test]], [0.1, 0.8]), times[train].max(), times[test].max()
        grid = np.linspace(ends[0][0], min(ends[0][1], 0.99 * ends[1], 0.99 * ends[2]), 20)
        inside = times[test] < times[train].max()  # weights of censoring are known up to there
        for method, model in methods(seed).items():
            began = time.process_time()
            try:
                model.fit(A, y)
                seconds = time.process_time() - began
                order = concordance_index_censored(event[test], times[test], model.predict(B))[0]
                brier = integrated_brier_score(y, truth[inside], curves_of(model, B[inside], grid), grid)
            except (ValueError, ArithmeticError, RuntimeError, np.linalg.LinAlgError) as error:
                print(f"{name}, {method}: {type(error).__name__} {error}"[:150], flush=True)
                order, brier, seconds = 0.5, np.nan, np.nan
            lines.append({"table": name, "method": method, "fold": fold, "C": order, "IBS": brier, "s": seconds})
    return pd.DataFrame(lines)


def main() -> None:
    """Print the means of each table, then mean ranks and paired differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--rows", type=int, default=700)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    parts = []
    for name in given.tables.split(","):
        try:
            parts.append(measured(name, given.rows, given.seed))
        except (AttributeError, KeyError, OSError) as error:
            print(f"{name} is not there: {error!r}"[:150], flush=True)
            continue
        print(f"{name}\n{parts[-1].groupby('method', sort=False)[['C', 'IBS', 's']].mean().round(3)}", flush=True)
    found = pd.concat(parts).groupby(["table", "method"])[["C", "IBS", "s"]].mean().reset_index()
    for score, sign in (("C", -1), ("IBS", 1)):
        table = found.pivot(index="table", columns="method", values=score)
        print(f"mean rank by {score}: {(sign * table).rank(axis=1).mean().round(2).to_dict()}")
        for other in table.columns.drop("kernelect"):
            gap = (table["kernelect"] - table[other]).dropna()
            print(f"  kernelect less {other}: {gap.mean():+.4f} ± {gap.std(ddof=1) / np.sqrt(len(gap)):.4f}")


if __name__ == "__main__":
    main()
