"""Latent functions on landmarks at 10 000 rows: GPC and SVC beside LSSVC and scikit-learn's SVC.

``python benchmarks/latent_landmarks.py [rows] [method]`` prints one line per method: CPU seconds of the whole fit with
its selection, test error and log-loss on 5000 new rows, means over the draws with their standard errors. scikit-learn's
SVC has a grid of nine pairs of C and gamma on two folds (2000 rows; then one fit to all), and no probabilities. "parts"
are ten SVCs that select on 500 random rows each, with their probabilities averaged.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from sklearn import svm
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV

from kernelect import GPC, LSSVC, SVC

DRAWS, TEST_ROWS = 2, 5000


def drawn(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of ten inputs, four of which matter, with noisy labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10))
    f = X[:, 0] * X[:, 1] + np.sin(2.0 * X[:, 2]) + 0.5 * X[:, 3]
    return X, (f + 0.5 * rng.normal(size=n) > 0).astype(int)


def plain(X: np.ndarray, y: np.ndarray) -> svm.SVC:
    """Return scikit-learn's machine with a grid searched on a part of the rows."""
    grid = {"C": [1.0, 10.0, 100.0], "gamma": [0.01, 0.03, 0.1]}
    found = GridSearchCV(svm.SVC(), grid, cv=2).fit(X[:2000], y[:2000])
    return svm.SVC(**found.best_params_).fit(X, y)


def parts(X: np.ndarray, y: np.ndarray) -> BaggingClassifier:
    """Return machines that were selected on random parts of the rows, combined."""
    return BaggingClassifier(SVC(), n_estimators=10, max_samples=500, bootstrap=False, random_state=0).fit(X, y)


def main(n: int, only: str) -> None:
    """Print the table."""
    methods = {
        "GPC": lambda X, y: GPC().fit(X, y),
        "SVC": lambda X, y: SVC().fit(X, y),
        "LSSVC": lambda X, y: LSSVC().fit(X, y),
        "scikit-learn SVC": plain,
        "parts": parts,
    }
    for name, fit in methods.items():
        if only not in ("", name):
            continue
        rows = []
        for draw in range(DRAWS):
            (X, y), (V, z) = drawn(n, 2 * draw), drawn(TEST_ROWS, 2 * draw + 1)
            began = time.process_time()
            model = fit(X, y)
            seconds, wrong = time.process_time() - began, float(np.mean(model.predict(V) != z))
            known = hasattr(model, "predict_proba")
            loss = -float(np.log(model.predict_proba(V)[np.arange(len(z)), z]).mean()) if known else float("nan")
            rows.append((seconds, 100.0 * wrong, loss))
        mean, error = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / np.sqrt(DRAWS)
        cells = ", ".join(f"{a:.4g} ± {b:.2g}" for a, b in zip(mean, error, strict=True))
        print(f"{name}: {cells}  (s, error %, log-loss)", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, sys.argv[2] if len(sys.argv) > 2 else "")
