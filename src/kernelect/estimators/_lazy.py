"""Answers for rows of Dask: arrays that are computed when they are asked for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from functools import partial, wraps
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kernelect.estimators._dask import answered, template_of
from kernelect.estimators._sklearn import validate_data
from kernelect.exceptions import InvalidArgument
from kernelect.inputs.frame import is_dask
from kernelect.model import Model

_Method = TypeVar("_Method", bound=Callable[..., Any])


def _decisions(model: Model) -> int | None:
    n_classes = len(model.labels.classes)
    return None if n_classes == 2 else n_classes


#: Columns of an answer, None if it has one dimension.
_COLUMNS: dict[str, Callable[[Model], int | None]] = {
    "labels": lambda _: None,
    "decisions": _decisions,
    "probabilities": lambda model: len(model.labels.classes),
    "numbers": lambda model: None if model.numbers.single else len(model.components[0].constant),
}

#: What predictions need of a fitted estimator, besides its parameters.
_NEEDED = {"n_features_in_", "feature_names_in_", "model_"}


def lazily(answers: str, *, pair: bool = False, pair_if: str = "") -> Callable[[_Method], _Method]:
    """Return a decorator of methods that answer for rows: for those of Dask, with Dask arrays.

    Parameters
    ----------
    answers : "labels", "decisions", "probabilities" or "numbers"
    pair : bool
        Whether there are two answers.
    pair_if : str
        The argument with which there are.
    """

    def decorated(method: _Method) -> _Method:
        takes = inspect.signature(method)

        @wraps(method)
        def answering(self: Any, X: Any, *options: Any, **named: Any) -> Any:
            if not is_dask(X):
                return method(self, X, *options, **named)
            check_is_fitted(self)
            given = takes.bind(self, X, *options, **named).arguments
            if given.get("return_cov"):
                raise InvalidArgument(
                    "return_cov=True has a number for every two rows, and X is a Dask collection: give a few rows of "
                    "it in memory, or use return_std=True."
                )
            validate_data(self, template_of(X), skip_check_array=True, reset=False)
            columns = _COLUMNS[answers](self.model_)
            call = partial(_answer, method, _lean(self, names=hasattr(X, "columns")), options, named)
            if pair or given.get(pair_if):
                both = answered(call, X, float, 2 * (columns or 1))
                return (both[:, 0], both[:, 1]) if columns is None else (both[:, :columns], both[:, columns:])
            return answered(call, X, self.classes_.dtype if answers == "labels" else float, columns)

        return cast("_Method", answering)

    return decorated


def _answer(method: Callable[..., Any], estimator: Any, options: Any, named: Any, rows: Any) -> Any:
    """Return an answer for rows in memory, two of them side by side."""
    found = method(estimator, rows, *options, **named)
    if not isinstance(found, tuple):
        return found
    return np.hstack([np.reshape(each, (len(rows), -1)) for each in found])


def _lean(estimator: Any, *, names: bool) -> Any:
    """Return the estimator with what predictions need; without ``names`` rows are arrays, whose columns have none."""
    lean, needed = copy(estimator), _NEEDED if names else _NEEDED - {"feature_names_in_"}
    lean.__dict__ = {
        k: v for k, v in vars(estimator).items() if k in needed or not (k.startswith("_") or k.endswith("_"))
    }
    lean.model_ = estimator.model_.lean()
    return lean
