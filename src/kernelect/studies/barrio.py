"""The protocol of Barrio, Romero & Belanche: widths are found once per split and shared by all methods."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVR

from kernelect.dictionaries import KernelFunctions
from kernelect.kernels import ARD
from kernelect.studies.build import build, named
from kernelect.studies.definition import Method
from kernelect.studies.scoring import Figures, fitted_and_scored
from kernelect.studies.splits import Problem
from kernelect.subsets import SubsetRows, fit_widths


def find_widths(problem: Problem, method: Method, needed: Mapping[str, Any] | None, seed: int) -> Figures:
    """Find the widths with a function at every training row in the model."""
    del method, needed, seed
    X, y = problem.X, problem.y
    began = time.thread_time()
    found: Any = fit_widths(
        ARD(), SubsetRows(X=X, T=y[:, None], weights=np.ones(len(X)), intercept=False), max_rows=len(X)
    )
    return {
        "gamma": np.asarray(found.kernel.gamma).tolist(),
        "fit_seconds": time.thread_time() - began,
        "status": found.result.status.value,
        "evaluations": len(found.result.trace),
    }


def fit_at_widths(problem: Problem, method: Method, needed: Mapping[str, Any] | None, seed: int) -> Figures:
    """Fit a machine on the dictionary of functions at the training rows."""
    assert needed is not None
    options = {key: build(value) for key, value in method.options.items() if key != "machine"}
    machine = named(method.options["machine"])(
        dictionary=KernelFunctions(ARD(needed["gamma"])), random_state=seed, **options
    )
    figures = fitted_and_scored(machine, problem)
    return {**figures, "steps": figures["evaluations"], "evidence": -figures["value"]}


def support_vector_regression(problem: Problem, method: Method, needed: Mapping[str, Any] | None, seed: int) -> Figures:
    """Fit scikit-learn's SVR at the same widths; three folds choose C and epsilon."""
    del method, seed
    assert needed is not None
    root = np.sqrt(needed["gamma"])  # an elliptical kernel is a spherical one of scaled inputs
    scaled = Problem(X=problem.X * root, y=problem.y, X_test=problem.X_test * root, y_test=problem.y_test)
    grid = {"C": [1.0, 10.0, 100.0], "epsilon": [0.05, 0.2, 0.5]}
    return fitted_and_scored(GridSearchCV(SVR(gamma=1.0), grid, cv=3, scoring="neg_mean_squared_error"), scaled)
