"""The estimators that are tried, with what they are given and what they are asked."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np

import kernelect
from fuzz.arrays import FitCase

CLASSIFIERS = ("LSSVC", "SVC", "GPC", "RVC", "KernelClassifier")
REGRESSORS = ("LSSVR", "RVR", "GPR", "BasisSearchRegressor", "KernelRegressor")

#: They read tables: whole numbers may be codes, and the largest count as missing.
DOORS = ("KernelClassifier", "KernelRegressor")

KERNELS = (
    *("ard", "rbf", "matern32", "matern52-ard", "rational-quadratic", "product-laplace", "product-matern32"),
    *("linear", "polynomial"),
)

#: What takes the kernels' place elsewhere; more effort costs more and is tried more rarely.
DICTIONARIES = ("rbf", "linear", "polynomial", "fourier")
EFFORTS = ("fast",) * 7 + ("balanced",)

_BALANCED = (("class_weight", "balanced"),)
_FEW_LANDMARKS, _LANDMARKS = (("landmarks", 2),), (("landmarks", 7),)

#: Arguments beside the kernel that each estimator is tried with.
ARGUMENTS: dict[str, tuple[tuple[tuple[str, Any], ...], ...]] = {
    "LSSVC": (
        *((("prior", None),), (("prior", "gaussian"),), (("search", "scg"),), (("recalibrate", False),)),
        *((("criterion", "gcv"),), _BALANCED, _LANDMARKS, _LANDMARKS, _FEW_LANDMARKS),
    ),
    "LSSVR": ((("prior", None),), (("search", "nelder-mead"),), (("criterion", "gcv"),), _LANDMARKS, _FEW_LANDMARKS),
    "SVC": (
        *((("criterion", "span"),), (("slack", "quadratic"),), (("criterion", "loo"),), (("C", 1.0),), _BALANCED),
        *((("criterion", "laplace-evidence"),), (("criterion", "gacv"),), (("criterion", "radius-margin"),)),
    ),
    "GPC": ((("prior", None),), _BALANCED),
    "GPR": ((("prior", None),),),
    "RVC": ((("criterion", "evidence"),), (("criterion", "centre-evidence"),), (("algorithm", "classical"),)),
    "RVR": ((("algorithm", "classical"),), (("centres", "movable"),), (("criterion", "loo"),)),
    "BasisSearchRegressor": ((("strategy", "sffs"),), (("strategy", "ols"),), (("criterion", "marginal-likelihood"),)),
    "KernelClassifier": (_BALANCED,),
}


def first_arguments(estimator: str) -> tuple[str, ...]:
    """Return what an estimator takes first: a kernel, a dictionary or an effort."""
    if estimator in DOORS:
        return EFFORTS
    return DICTIONARIES if estimator == "BasisSearchRegressor" else KERNELS


def made(case: FitCase) -> Any:
    few = {} if case.estimator in DOORS else {"max_iter": 40}
    return getattr(kernelect, case.estimator)(case.kernel, random_state=0, **few, **dict(case.arguments))


def fit(model: Any, X: Any, y: Any, weights: Any, groups: Any = None) -> Any:
    given = {"sample_weight": weights, "groups": groups}
    return model.fit(X, y, **{name: value for name, value in given.items() if value is not None})


def takes_groups(model: Any) -> bool:
    return "groups" in signature(model.fit).parameters


def answers(model: Any, Z: Any) -> Any:
    """Return all numbers the model gives for rows."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(Z))
    mean, deviation = model.predict(Z, return_std=True)
    return np.column_stack([mean, deviation])
