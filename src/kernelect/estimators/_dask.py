"""Dask arrays and DataFrames: their partitions as parts, and predictions that are computed when they are asked for.

Dask is imported if one of its collections is at hand, never before. Every pass is a graph of one task per partition
and a tree of sums over them; the scheduler runs the tasks where the partitions are, and again if a worker died.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from kernelect import numerics
from kernelect.exceptions import InvalidArgument
from kernelect.inputs.frame import is_dask
from kernelect.numerics import single_blas_thread
from kernelect.selection.landmarks import RowPart, RowParts

Result = TypeVar("Result")


def _dask(module: str = "dask") -> Any:
    """Return Dask, which is there if one of its collections is."""
    return import_module(module)


class DaskParts(RowParts):
    """The partitions of Dask collections.

    Parameters
    ----------
    X : dask Array or DataFrame
    y : dask Array, Series or DataFrame
    weights : dask Array, Series or None
    """

    def __init__(self, X: Any, y: Any, weights: Any = None) -> None:
        X = whole_rows(X)
        self.template = template_of(X)
        self.blocks = {"X": _delayed(X), "y": _delayed(_like(X, y, "y"))}
        if weights is not None:
            self.blocks["sample_weight"] = _delayed(_like(X, weights, "sample_weight"))
        for name, blocks in self.blocks.items():
            if len(blocks) != len(self.blocks["X"]):
                raise InvalidArgument(
                    f"X has {len(self.blocks['X'])} partitions and {name} has {len(blocks)}: give them the same ones."
                )

    def each(self, function: Callable[[RowPart], Result]) -> list[Result]:
        return computed(*self._tasks(function))

    def sum(self, function: Callable[[RowPart], Any]) -> Any:
        return computed_sum(self._tasks(function))

    def coded(self, code: Callable[[RowPart], RowPart], template: Any, *, hold: bool = True) -> RowParts:
        """Return the coded rows: held by the workers of a cluster, and made again in every pass if there is none."""
        if not hold or not _on_cluster():
            return super().coded(code, template)
        return HeldParts(_dask().persist(*self._tasks(code)), template)

    def _tasks(self, function: Callable[[RowPart], Any]) -> list[Any]:
        shared, call = sent_once(function), _dask().delayed(_called, pure=False)
        columns = [self.blocks[name] for name in self.blocks]
        return [call(shared, number, *blocks) for number, blocks in enumerate(zip(*columns, strict=True))]


class HeldParts(RowParts):
    """Parts that the workers of a cluster hold, one for each task; lost ones are made again."""

    def __init__(self, tasks: Sequence[Any], template: Any) -> None:
        self.tasks, self.template = tasks, template

    def each(self, function: Callable[[RowPart], Result]) -> list[Result]:
        return computed(*self._on(function))

    def sum(self, function: Callable[[RowPart], Any]) -> Any:
        return computed_sum(self._on(function))

    def _on(self, function: Callable[[RowPart], Any]) -> list[Any]:
        shared, call = sent_once(function), _dask().delayed(_on_part, pure=False)
        return [call(shared, task) for task in self.tasks]


def _on_part(function: Callable[[RowPart], Result], part: RowPart) -> Result:
    return function(part)


def _on_cluster() -> bool:
    """Return whether a client of a cluster is in force."""
    if "distributed" not in sys.modules:
        return False
    try:
        _dask("distributed").get_client()
    except ValueError:
        return False
    return True


def answered(method: Callable[[Any], Any], X: Any, dtype: Any, columns: int | None) -> Any:
    """Return what a method of a model says of the rows of a Dask collection, as a Dask array that is not yet computed.

    Parameters
    ----------
    method : callable
        Of rows in memory: of the array or DataFrame that a partition is.
    X : dask Array or DataFrame
    dtype : dtype
    columns : int or None
        Of the result; None if it has one dimension.
    """
    X, array = whole_rows(X), _dask("dask.array")
    tail = () if columns is None else (columns,)
    sizes = [np.nan] * X.npartitions if hasattr(X, "columns") else X.chunks[0]
    shared, call = sent_once(method), _dask().delayed(_said, pure=False)
    empty = np.empty((0, *tail), dtype=dtype)
    parts = [
        array.from_delayed(call(block, shared, empty), shape=(size, *tail), dtype=dtype)
        for block, size in zip(_delayed(X), sizes, strict=True)
    ]
    return array.concatenate(parts)


def template_of(X: Any) -> Any:
    """Return an empty array or DataFrame with the columns of a collection."""
    return X._meta if hasattr(X, "columns") else np.empty((0, X.shape[1]))


def whole_rows(X: Any) -> Any:
    """Return a collection with two dimensions whose partitions hold whole rows."""
    if X.ndim != 2:
        raise InvalidArgument(f"X has {X.ndim} dimension(s) and must have 2, rows and columns.")
    return X if hasattr(X, "columns") or len(X.chunks[1]) == 1 else X.rechunk({1: -1})


def _like(X: Any, values: Any, name: str) -> Any:
    """Return targets or weights as a collection with the partitions of ``X``."""
    if is_dask(values):
        if values.ndim == 2 and not hasattr(values, "columns"):
            return whole_rows(values)
        return values
    chunks = None if hasattr(X, "columns") else X.chunks[0]
    if chunks is None or np.isnan(chunks).any():
        raise InvalidArgument(
            f"X is a Dask collection and {name} is {type(values).__name__}: give {name} as a Dask array or Series with "
            "the partitions of X."
        )
    values = np.asarray(values)
    if len(values) != sum(chunks):
        raise InvalidArgument(f"X has {sum(chunks)} rows and {name} has {len(values)}: give one for every row.")
    return _dask("dask.array").from_array(values, chunks=(chunks, *(-1,) * (values.ndim - 1)))


def _delayed(collection: Any) -> list[Any]:
    return list(np.ravel(np.array(collection.to_delayed(), dtype=object)))


def sent_once(value: Any) -> Any:
    """Return a task that stands for what all tasks need: sent once, and again if a worker that held it died."""
    return _dask().delayed(value, pure=False, traverse=False)


def computed_sum(tasks: list[Any]) -> Any:
    """Return the sum of what tasks return, added up in a tree where they ran."""
    while len(tasks) > 1:
        groups = [tasks[first : first + numerics.BRANCHES] for first in range(0, len(tasks), numerics.BRANCHES)]
        tasks = [_dask().delayed(numerics.tree_sum, pure=False)(group) for group in groups]
    return computed(tasks[0])[0]


def computed(*tasks: Any) -> list[Any]:
    """Compute with the scheduler in force: a client's, or threads of this process."""
    dask = _dask()
    # A frame of landmarks has some megabytes, which is what has to be sent. Without distributed nobody warns, and a
    # setting made before its own defaults are loaded would take their place.
    loaded = "distributed" in sys.modules
    quiet = {"distributed.admin.large-graph-warning-threshold": "2GB"} if loaded else {}
    with dask.config.set(quiet), single_blas_thread():
        return list(dask.compute(*tasks))


def _called(function: Callable[[RowPart], Result], number: int, X: Any, y: Any, weights: Any = None) -> Result:
    return function(RowPart(number=number, X=X, y=y, weights=weights))


def _said(block: Any, method: Callable[[Any], Any], empty: Any) -> Any:
    return method(block) if len(block) else empty
