"""Peers as their users run them, in an environment that has no kernelect.

    python outside.py PEER rows.npz answer.npz '{"seconds": 60}' SEED

:mod:`kernelect.studies.elsewhere` writes the rows, starts this file with the environment's Python, and reads
the predictions of the test rows and the processor time of the fit. Labels are the numbers of their classes.
"""

# Nothing of kernelect is imported here, and the packages of a peer are imported by its function alone.
from __future__ import annotations

import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

Predict = Callable[[pd.DataFrame], Any]

#: Folds and trials of a search.
_FOLDS, _TRIALS = 5, 30


@dataclass(frozen=True)
class PeerRows:
    """Training rows: text columns hold words and None, the others numbers and NaN."""

    X: pd.DataFrame
    y: Any
    n_classes: int  # 0 for numbers

    @property
    def text(self) -> list[str]:
        """The names of the columns that hold words."""
        return [str(name) for name in self.X.columns if self.X[name].dtype == object]

    def with_categories(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return a frame whose words are categories of the training rows."""
        return X.assign(**{name: pd.Categorical(X[name], sorted(self.X[name].dropna().unique())) for name in self.text})

    def filled(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return a frame with categories, and medians of the training rows in the place of missing numbers."""
        numbers = [name for name in X.columns if name not in self.text]
        medians = self.X[numbers].median().fillna(0.0)
        return self.with_categories(X.assign(**{name: X[name].fillna(medians[name]) for name in numbers}))


def autogluon(rows: PeerRows, seed: int, presets: str = "best_quality", seconds: float = 60.0) -> Predict:
    """Fit AutoGluon with one core; its seconds are those of this process' processor time."""
    by_processor_time()
    from autogluon.tabular import TabularPredictor

    del seed  # its seeds are fixed
    predictor = TabularPredictor(
        label="__target__",
        problem_type=None if rows.n_classes else "regression",
        eval_metric="log_loss" if rows.n_classes else "root_mean_squared_error",
        path=tempfile.mkdtemp(),
        verbosity=0,
    )
    # One process: several would each have a clock of their own.
    bagged: dict[str, Any] = {
        "ag_args_ensemble": {"fold_fitting_strategy": "sequential_local"},
        "dynamic_stacking": False,
    }
    options = bagged if presets == "best_quality" else {}
    train = rows.X.assign(__target__=rows.y)
    predictor.fit(train, presets=presets, time_limit=seconds, num_cpus=1, num_gpus=0, **options)

    def predict(X: pd.DataFrame) -> Any:
        if not rows.n_classes:
            return predictor.predict(X).to_numpy()
        found = predictor.predict_proba(X)
        return _in_columns(found.to_numpy(), found.columns, rows.n_classes)

    return predict


def by_processor_time() -> None:
    """Let the clocks of this process count its processor time, so that other work takes none of its seconds."""
    begin = time.time()
    time.time = lambda: begin + time.process_time()
    time.monotonic = time.perf_counter = time.process_time


def lightgbm(rows: PeerRows, seed: int, trials: int = _TRIALS) -> Predict:
    """Tune LightGBM by Optuna: the loss of five folds."""
    import lightgbm as package

    kind = package.LGBMClassifier if rows.n_classes else package.LGBMRegressor

    def make(trial: Any) -> Any:
        return kind(
            n_estimators=trial.suggest_int("n_estimators", 50, 800, log=True),
            learning_rate=trial.suggest_float("learning_rate", 0.01, 0.3, log=True),
            num_leaves=trial.suggest_int("num_leaves", 4, 128, log=True),
            min_child_samples=trial.suggest_int("min_child_samples", 2, 60, log=True),
            colsample_bytree=trial.suggest_float("colsample_bytree", 0.4, 1.0),
            subsample=trial.suggest_float("subsample", 0.5, 1.0),
            subsample_freq=1,
            reg_lambda=trial.suggest_float("reg_lambda", 1e-3, 10.0, log=True),
            n_jobs=1,
            verbose=-1,
            random_state=seed,
        )

    return _tuned(rows, make, trials, seed)


def xgboost(rows: PeerRows, seed: int, trials: int = _TRIALS) -> Predict:
    """Tune XGBoost by Optuna: the loss of five folds."""
    import xgboost as package

    kind = package.XGBClassifier if rows.n_classes else package.XGBRegressor

    def make(trial: Any) -> Any:
        return kind(
            n_estimators=trial.suggest_int("n_estimators", 50, 800, log=True),
            learning_rate=trial.suggest_float("learning_rate", 0.01, 0.3, log=True),
            max_depth=trial.suggest_int("max_depth", 2, 9),
            min_child_weight=trial.suggest_float("min_child_weight", 0.5, 30.0, log=True),
            colsample_bytree=trial.suggest_float("colsample_bytree", 0.4, 1.0),
            subsample=trial.suggest_float("subsample", 0.5, 1.0),
            reg_lambda=trial.suggest_float("reg_lambda", 1e-3, 10.0, log=True),
            enable_categorical=True,
            n_jobs=1,
            random_state=seed,
        )

    return _tuned(rows, make, trials, seed)


def _tuned(rows: PeerRows, make: Callable[[Any], Any], trials: int, seed: int) -> Predict:
    """Return the predictions of the best of so many trials, fitted to all rows."""
    import optuna
    from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    folds = (StratifiedKFold if rows.n_classes else KFold)(_FOLDS, shuffle=True, random_state=seed)
    loss = _loss_with_all_classes(rows.n_classes) if rows.n_classes else "neg_mean_squared_error"
    X = rows.with_categories(rows.X)

    def judged(trial: Any) -> float:
        return float(-cross_val_score(make(trial), X, rows.y, cv=folds, scoring=loss, error_score="raise").mean())

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(judged, n_trials=trials)
    model = make(optuna.trial.FixedTrial(study.best_params)).fit(X, rows.y)
    return _of_estimator(model, rows, rows.with_categories)


def _loss_with_all_classes(n_classes: int) -> Callable[[Any, Any, Any], float]:
    """Return a scorer: minus the log-loss, for folds that may lack a class too."""

    def score(model: Any, X: Any, y: Any) -> float:
        p = np.clip(_in_columns(model.predict_proba(X), model.classes_, n_classes), 1e-12, 1.0)
        return float(np.log(p[np.arange(len(y)), y]).mean())

    return score


def explainable(rows: PeerRows, seed: int) -> Predict:
    """Fit an explainable boosting machine with its defaults."""
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    kind = ExplainableBoostingClassifier if rows.n_classes else ExplainableBoostingRegressor
    model = kind(n_jobs=1, random_state=seed).fit(rows.with_categories(rows.X), rows.y)
    return _of_estimator(model, rows, rows.with_categories)


def realmlp(rows: PeerRows, seed: int) -> Predict:
    """Fit RealMLP with its tuned defaults."""
    import pytabkit

    kind = pytabkit.RealMLP_TD_Classifier if rows.n_classes else pytabkit.RealMLP_TD_Regressor
    options = {"val_metric_name": "cross_entropy"} if rows.n_classes else {}
    model = kind(random_state=seed, device="cpu", n_threads=1, verbosity=0, **options)
    return _of_estimator(model.fit(rows.filled(rows.X), rows.y), rows, rows.filled)


def xrfm(rows: PeerRows, seed: int) -> Predict:
    """Fit xRFM with the defaults of pytabkit."""
    import pytabkit

    kind = pytabkit.XRFM_D_Classifier if rows.n_classes else pytabkit.XRFM_D_Regressor
    model = kind(random_state=seed, device="cpu", n_threads=1, verbosity=0)
    return _of_estimator(model.fit(rows.filled(rows.X), rows.y), rows, rows.filled)


PEERS: dict[str, Callable[..., Predict]] = {
    "autogluon": autogluon,
    "lightgbm": lightgbm,
    "xgboost": xgboost,
    "explainable-boosting": explainable,
    "realmlp": realmlp,
    "xrfm": xrfm,
}


def _of_estimator(model: Any, rows: PeerRows, prepared: Callable[[pd.DataFrame], pd.DataFrame]) -> Predict:
    def predict(X: pd.DataFrame) -> Any:
        if not rows.n_classes:
            return np.asarray(model.predict(prepared(X)), dtype=float).reshape(-1)
        return _in_columns(model.predict_proba(prepared(X)), model.classes_, rows.n_classes)

    return predict


def _in_columns(p: Any, classes: Any, n_classes: int) -> Any:
    """Return probabilities with a column for every class, in the order of their numbers."""
    wide = np.zeros((len(p), n_classes))
    wide[:, np.asarray(classes, dtype=int)] = p
    return wide


def frame_of(arrays: Any, part: str) -> pd.DataFrame:
    """Return the frame that :mod:`kernelect.studies.elsewhere` has written as arrays."""
    columns = {}
    for number in range(int(arrays["n_columns"])):
        values = arrays[f"{part}{number}"]
        if values.dtype.kind == "U":
            words = values.astype(object)
            words[arrays[f"{part}{number}_missing"]] = None
            columns[f"c{number}"] = pd.Series(words, dtype=object)
        else:
            columns[f"c{number}"] = pd.Series(values)
    return pd.DataFrame(columns)


def answer_peer(peer: str, given: str, answer: str, options: str, seed: str) -> None:
    """Fit a peer to the rows of a file and write what it predicts."""
    warnings.simplefilter("ignore")
    if peer not in PEERS:
        sys.exit(f"peer = {peer!r} is not known: give one of {', '.join(PEERS)}.")
    with np.load(given, allow_pickle=False) as arrays:
        rows = PeerRows(frame_of(arrays, "train"), arrays["y"], int(arrays["n_classes"]))
        test = frame_of(arrays, "test")
    begin = time.process_time()
    predict = PEERS[peer](rows, int(seed), **json.loads(options))
    seconds = time.process_time() - begin
    np.savez(answer, predicted=predict(test), seconds=seconds)


if __name__ == "__main__":
    answer_peer(*sys.argv[1:])
