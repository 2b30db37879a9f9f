"""Which shapes the arrays of a fitted model have to have.

Each attribute has a kind and its axes by letter: ``d`` inputs and ``k`` classes as the estimator around it
says, other letters one length within one object, ``*`` any further axes. An array that is not listed has to be
finite, and to have a shape with which the model predicts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelect.exceptions import UnusableModel
from kernelect.kernels import OnColumns
from kernelect.model import Component, KernelPart

FLOATS, INDICES, LABELS = "f", "iu", "OUSiufb"

#: Attribute -> kind and axes, the same in every class that has it.
SHAPES: dict[str, tuple[str, str]] = {
    # estimators
    "X_fit_": (FLOATS, "n d"),
    "relevance_vectors_": (FLOATS, "n d"),
    "support_vectors_": (FLOATS, "n d"),
    "landmarks_": (FLOATS, "l d"),
    "dual_coef_": (FLOATS, "n *"),
    "classes_": (LABELS, "k"),
    "feature_importances_": (FLOATS, "d"),
    "_rows": (INDICES, "n"),
    "_groups": (INDICES, "r"),
    "_kept": (INDICES, "r"),
    "support_": (INDICES, "n"),
    "loo_rows_": (INDICES, "r"),
    "loo_decision_": (FLOATS, "r *"),
    "loo_prediction_": (FLOATS, "r *"),
    "loo_proba_": (FLOATS, "r k"),
    "_weights": (FLOATS, "n"),
    "_diagonal": (FLOATS, "n"),
    "_residuals": (FLOATS, "n *"),
    "coef_": (FLOATS, "* n"),
    "_means": (FLOATS, "n"),
    "_root": (FLOATS, "n n"),
    # a machine on landmarks
    "transform": (FLOATS, "m m"),
    "offset": (FLOATS, "m"),
    "projected": (FLOATS, "m o"),
    "target_mean": (FLOATS, "o"),
    "precision": (FLOATS, "p"),
    "places": (INDICES, "m"),
    "numbers": (INDICES, "n"),
    "targets": (LABELS, "n *"),
    "own": (INDICES, "n"),
    "equal": (INDICES, "n"),
    # members of an SVM, outputs of an RVM
    "inputs": (FLOATS, "n d"),
    "support": (INDICES, "n"),
    "dual_coef": (FLOATS, "n *"),
    "loo": (FLOATS, "r *"),
    "columns": (INDICES, "m"),
    "weights": (FLOATS, "w"),
    "alpha": (FLOATS, "w"),
    "covariance": (FLOATS, "w w"),
    "loss": (FLOATS, "t"),
    # members of a mixture, and what was tried
    "left_out": (FLOATS, "n *"),
    "warped": (INDICES, "v"),
    "score": (FLOATS, "t"),
    "standard_error": (FLOATS, "t"),
    "weight": (FLOATS, "t"),
    "_interval_rows": (INDICES, "q"),
    # a forest
    "numeric": (INDICES, "*"),
    "column": (INDICES, "i"),
    "level": (FLOATS, "i"),
    "roots": (INDICES, "t"),
    "feature": (INDICES, "n"),
    "threshold": (FLOATS, "n"),
    "right": (INDICES, "n"),
    "boxes": (FLOATS, "b o"),
    "_intercept": (FLOATS, "o"),
    "_mean_square": (FLOATS, "o"),
    "_jackknife_residuals": (FLOATS, "q o"),
    # expectation propagation
    "labels": (FLOATS, "n"),
    "copies": (FLOATS, "n"),
    "power": (FLOATS, "n"),
    "dual": (FLOATS, "n"),
    "mean": (FLOATS, "n"),
    "variance": (FLOATS, "n"),
    "cavity_mean": (FLOATS, "n"),
    "cavity_variance": (FLOATS, "n"),
    "tau": (FLOATS, "n"),
    "nu": (FLOATS, "n"),
    "half": (FLOATS, "n n"),
    "log_z": (FLOATS, "n"),
    "slope": (FLOATS, "n"),
    "curvature": (FLOATS, "n"),
    "shrinkage": (FLOATS, "n"),
    "mean_loss": (FLOATS, "n"),
    # kernels and dictionaries
    "gamma": (FLOATS, "d"),
    "centre": (FLOATS, "d"),
    "centres": (FLOATS, "n d"),
    "lower": (FLOATS, "d"),
    "period": (FLOATS, "d"),
    # steps before a machine
    "feature_names_in_": (LABELS, "d"),
    # records of a search
    "theta": (FLOATS, "* p"),
    "optima": (FLOATS, "* p"),
    "validation_error": (FLOATS, "e"),
    "seconds": (FLOATS, "t"),
    "value": (FLOATS, "t"),
    "gradient_norm": (FLOATS, "t"),
    "run": (FLOATS, "t"),
    "action": (LABELS, "t"),
    "function": (INDICES, "t"),
    "size": (INDICES, "t"),
    "regularization": (FLOATS, "t"),
}


def check_shapes(place: str, part: Any, known: dict[str, int] | None = None) -> None:
    """Raise where an array of a model, at any depth, has another kind or shape than belongs to it."""
    if isinstance(part, dict | list | tuple):
        for key, each in part.items() if isinstance(part, dict) else enumerate(part):
            check_shapes(f"{place}[{key!r}]", each, known)
    elif hasattr(part, "__dict__") and not isinstance(part, type):
        outer = {**(known or {}), **_counts(place, part, known or {})}
        inner = dict(outer)  # letters other than d and k hold within this object
        for name, value in vars(part).items():
            if isinstance(value, np.ndarray) and name in SHAPES:
                _check(f"{place}.{name}", value, *SHAPES[name], inner)
            check_shapes(f"{place}.{name}", value, outer)


def _counts(place: str, part: Any, known: dict[str, int]) -> dict[str, int]:
    """Return how many inputs and classes an estimator says it has, and how many columns a kernel looks at."""
    if isinstance(part, OnColumns):
        return {"d": _columns(place, part, known.get("d"))}
    if isinstance(part, Component):
        return _inputs_of(part)
    inputs, classes = vars(part).get("n_features_in_"), vars(part).get("classes_")
    if inputs is not None and (not isinstance(inputs, int | np.integer) or inputs < 1):
        raise UnusableModel(f"{place}.n_features_in_ is {inputs!r} where a number of inputs is expected")
    found = {} if inputs is None else {"d": int(inputs)}
    return {**found, "k": len(classes)} if isinstance(classes, np.ndarray) and classes.ndim == 1 else found


def _inputs_of(component: Component) -> dict[str, int]:
    """Return how many inputs a component has in its view."""
    for part in component.parts if isinstance(component.parts, tuple) else ():
        if isinstance(part, KernelPart) and isinstance(part.vectors, np.ndarray) and part.vectors.ndim == 2:
            return {"d": part.vectors.shape[1]}
    return {}


def _columns(place: str, part: OnColumns, inputs: int | None) -> int:
    """Return how many columns a kernel of some columns looks at, after checking that the data have them."""
    columns = vars(part).get("columns")
    whole = isinstance(columns, tuple) and columns and all(type(column) is int for column in columns)
    numbers: tuple[int, ...] = columns if whole and columns is not None else ()
    if not numbers or min(numbers) < 0 or (inputs is not None and max(numbers) >= inputs):
        raise UnusableModel(f"{place}.columns is {columns!r} where numbers of columns are expected")
    return len(numbers)


def _check(place: str, array: np.ndarray, kind: str, axes: str, lengths: dict[str, int]) -> None:
    if array.dtype.kind not in kind:
        raise UnusableModel(
            f"{place} holds {array.dtype} where {'numbers' if kind == FLOATS else 'row numbers'} belong"
        )
    letters = axes.split()
    shape = array.shape
    if "*" in letters:  # the named axes are the first ones, or the last ones
        named = len(letters) - 1
        shape = shape[:named] if letters[-1] == "*" else shape[len(shape) - named :]
        letters.remove("*")
    wanted = tuple(lengths.get(letter, length) for letter, length in zip(letters, shape, strict=False))
    if len(shape) != len(letters) or shape != wanted:
        raise UnusableModel(f"{place} has the shape {array.shape} where {_words(axes, lengths)} is expected")
    for letter, length in zip(letters, shape, strict=True):
        if lengths.setdefault(letter, length) != length:
            raise UnusableModel(f"{place} has the shape {array.shape} where {_words(axes, lengths)} is expected")


def _words(axes: str, lengths: dict[str, int]) -> str:
    return f"({', '.join(str(lengths.get(letter, letter)) for letter in axes.replace('*', '...').split())})"
