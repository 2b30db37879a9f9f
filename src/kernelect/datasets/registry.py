"""A data set by its name: from a folder, from a generator, from scikit-learn, or fetched.

A folder holds one ``<name>.npz`` per data set with ``X`` (rows by inputs) and ``y``, and where they
exist splits: ``train`` and ``test`` (the published ones) and ``surrogate_train`` and
``surrogate_test`` (random ones of the same sizes), integer row numbers, one split a row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets as sklearn_datasets

from kernelect.datasets.generators import ringnorm, sparse_inputs, twonorm, waveform
from kernelect.exceptions import InvalidArgument, KernelectError
from kernelect.typing import Array

GENERATORS: dict[str, Callable[..., tuple[Array, Array]]] = {
    "twonorm": twonorm,
    "ringnorm": ringnorm,
    "waveform": waveform,
    "sparse_inputs": sparse_inputs,
    "friedman1": sklearn_datasets.make_friedman1,
}

#: Rows drawn of a generator that stands for a stored table.
_GENERATED_ROWS = 7400

_SHIPPED: dict[str, Callable[..., Any]] = {
    "iris": sklearn_datasets.load_iris,
    "wine": sklearn_datasets.load_wine,
    "wdbc": sklearn_datasets.load_breast_cancer,
    "diabetes": sklearn_datasets.load_diabetes,
    "digits": sklearn_datasets.load_digits,
}


class MissingData(KernelectError, FileNotFoundError):
    """A data set is nowhere to be found."""


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """Rows, targets, where they come from, and what else was stored with them."""

    name: str
    X: Array
    y: Array
    source: str
    stored: Mapping[str, Array] = field(default_factory=dict)


def load_dataset(name: str, folder: Path | None = None, *, openml: Mapping[str, Any] | None = None) -> DataSet:
    """Return the data set ``name``.

    It looks for ``<folder>/<name>.npz``, then among the built-in data sets, then on OpenML under ``openml`` (``name``
    or ``data_id``, and ``version``), from where scikit-learn fetches it.
    """
    if folder is not None and (path := Path(folder) / f"{name}.npz").is_file():
        return _from_file(name, path)
    if name in GENERATORS:
        X, y = GENERATORS[name](_GENERATED_ROWS, random_state=0)
        return DataSet(name=name, X=X, y=y, source="generator")
    if name in _SHIPPED:
        X, y = _SHIPPED[name](return_X_y=True)
        return DataSet(name=name, X=np.asarray(X, dtype=float), y=y, source="scikit-learn")
    if openml:
        return _from_openml(name, openml, folder)
    raise MissingData(_nowhere(name, folder))


def _nowhere(name: str, folder: Path | None) -> str:
    looked = f"there is no {name}.npz in {folder}" if folder is not None else "no folder was given"
    return (
        f"The data set {name!r} was not found: {looked}, and it is not built in. "
        f"Give a folder with {name}.npz by --data (or KERNELECT_DATA)."
    )


def _from_file(name: str, path: Path) -> DataSet:
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
            arrays["X"] = np.asarray(arrays.get("X", ()), dtype=float)
    except Exception as error:  # a damaged archive fails in zipfile, zlib or NumPy
        raise InvalidArgument(
            f"{path} cannot be read as a NumPy archive of plain arrays ({error}): write it with numpy.savez."
        ) from error
    if missing := {"X", "y"} - {name for name, array in arrays.items() if array.size}:
        raise InvalidArgument(f"{path} has no array {' and no '.join(sorted(missing))}: it needs X and y.")
    X, y = arrays.pop("X"), arrays.pop("y")
    if X.ndim != 2 or y.ndim != 1 or len(X) != len(y):
        raise InvalidArgument(f"{path} has X of shape {X.shape} and y of shape {y.shape}: give (n, d) and (n,).")
    return DataSet(name=name, X=X, y=y, source="file", stored=arrays)


def _from_openml(name: str, openml: Mapping[str, Any], folder: Path | None) -> DataSet:
    try:
        X, y = sklearn_datasets.fetch_openml(**openml, return_X_y=True, as_frame=False, parser="liac-arff")
    except Exception as error:
        raise MissingData(f"{_nowhere(name, folder)} Fetching it from OpenML failed ({error}).") from error
    X = np.asarray(X, dtype=float)
    complete = np.isfinite(X).all(axis=1)
    return DataSet(name=name, X=X[complete], y=y[complete], source="OpenML")
