"""Which columns of a table stand behind each input of the machine at the end of a pipeline.

Steps are asked by name: they are given columns with marks for names, and the marks that come back in
the name of an output tell its columns, however the step decorates them. Inputs of one column form one
player; columns that enter an input together (a product, say) are one player as well.
"""

from __future__ import annotations

import re
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.base import OneToOneFeatureMixin
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline

from kernelect.exceptions import MissingCapability
from kernelect.inputs import CodedColumns
from kernelect.typing import Indices

#: The mark of column j, which no step uses in names of its own.
_MARK = "\N{LEFT WHITE SQUARE BRACKET}{}\N{RIGHT WHITE SQUARE BRACKET}"
_MARKS = re.compile("\N{LEFT WHITE SQUARE BRACKET}([0-9]+)\N{RIGHT WHITE SQUARE BRACKET}")


@dataclass(frozen=True, eq=False)
class Players:
    """Who shares a value.

    Attributes
    ----------
    owners : ndarray of shape (n_inputs,)
        The player of every input.
    columns : tuple of tuple of int
        The columns of every player.
    """

    owners: Indices
    columns: tuple[tuple[int, ...], ...]


def one_each(count: int) -> Players:
    """Return the players of a machine without pipeline: every input is one."""
    return Players(np.arange(count), tuple((j,) for j in range(count)))


def players_of(steps: Any, n_columns: int) -> Players:
    """Return the players behind a fitted transformer of ``n_columns`` columns."""
    origins = _origins(steps, n_columns)
    inputs = np.repeat(np.arange(len(origins)), [len(columns) for columns in origins])
    columns = np.array([column for found in origins for column in found], dtype=np.intp)
    size = len(origins) + n_columns
    graph = coo_array((np.ones(len(inputs)), (inputs, columns + len(origins))), shape=(size, size))
    _, group = connected_components(graph, directed=False)
    of_inputs, of_columns = group[: len(origins)], group[len(origins) :]
    behind = set(of_inputs.tolist())
    used = [g for g in dict.fromkeys(of_columns.tolist()) if g in behind]
    if len(used) == 1 and len(origins) > 1 and len(np.unique(columns)) > 1:
        raise MissingCapability(
            f"The steps before the machine mix all {n_columns} columns, so that no column has a value of its own: "
            "explain the machine alone, shapley_values(pipeline[-1], pipeline[:-1].transform(X))."
        )
    place = {g: player for player, g in enumerate(used)}
    owners = np.array([place[g] for g in of_inputs.tolist()], dtype=np.intp)
    members: dict[int, list[int]] = {g: [] for g in used}
    for column, g in enumerate(of_columns.tolist()):
        if g in members:
            members[g].append(column)
    return Players(owners, tuple(tuple(members[g]) for g in used))


#: The columns behind each output: few of many, so that a table of ten thousand columns is no matrix of them.
Origins = list[set[int]]


def _origins(step: Any, n_columns: int) -> Origins:
    """Return which columns each output depends on."""
    if step is None or (isinstance(step, str) and step == "passthrough") or isinstance(step, OneToOneFeatureMixin):
        return [{column} for column in range(n_columns)]
    if isinstance(step, Pipeline):
        total: Origins = [{column} for column in range(n_columns)]
        for _, part in step.steps:
            total = [set().union(*(total[before] for before in found)) for found in _origins(part, len(total))]
        return total
    if isinstance(step, FeatureUnion):
        parts = [part for _, part in step.transformer_list if not (isinstance(part, str) and part == "drop")]
        return [found for part in parts for found in _origins(part, n_columns)]
    if isinstance(step, CodedColumns):
        return [{column} for column in step.owners.tolist()]
    if isinstance(step, ColumnTransformer):
        return _of_column_transformer(step, n_columns)
    return _by_marks(step, n_columns)


def _of_column_transformer(step: ColumnTransformer, n_columns: int) -> Origins:
    origins: Origins = [
        set() for _ in range(max((outputs.stop for outputs in step.output_indices_.values()), default=0))
    ]
    for name, part, of in step.transformers_:
        outputs = step.output_indices_[name]
        if outputs.stop > outputs.start:
            columns = chosen_places(of, step, n_columns).tolist()
            inside = _origins(part, len(columns))
            origins[outputs] = [{columns[place] for place in found} for found in inside]
    return origins


def chosen_places(of: Any, step: Any, n_columns: int) -> Indices:
    """Return the places of columns that are named, numbered, sliced or masked."""
    names = {name: place for place, name in enumerate(getattr(step, "feature_names_in_", []))}
    chosen = [of] if isinstance(of, str | int) else of
    if isinstance(chosen, slice) and not isinstance(chosen.start, str) and not isinstance(chosen.stop, str):
        return np.arange(n_columns)[chosen]
    if isinstance(chosen, slice):  # by names, the last one included
        first = 0 if chosen.start is None else names[chosen.start]
        last = n_columns if chosen.stop is None else names[chosen.stop] + 1
        return np.arange(first, last)
    listed = list(chosen)
    if listed and isinstance(listed[0], bool | np.bool_):
        return np.flatnonzero(listed)
    return np.array([names[item] if isinstance(item, str) else int(item) for item in listed], dtype=np.intp)


def outputs_by_column(step: Any, n_columns: int) -> list[Indices]:
    """Return the outputs that a fitted step makes of each of its columns."""
    origins = _by_marks(step, n_columns)
    return [np.array([k for k, found in enumerate(origins) if j in found], dtype=np.intp) for j in range(n_columns)]


def _by_marks(step: Any, n_columns: int) -> Origins:
    bare = copy(step)
    vars(bare).pop("feature_names_in_", None)  # which would have to be the names that are asked for
    marks = np.array([_MARK.replace("{}", str(j)) for j in range(n_columns)], dtype=object)
    try:
        names = bare.get_feature_names_out(marks)
    except (AttributeError, ValueError, TypeError) as error:
        raise MissingCapability(
            f"{type(step).__name__} does not tell which columns its outputs come from (get_feature_names_out): "
            "explain the machine alone, shapley_values(pipeline[-1], pipeline[:-1].transform(X))."
        ) from error
    marked = [{int(mark) for mark in _MARKS.findall(str(name))} for name in names]
    return [found or set(range(n_columns)) for found in marked]  # one that names no column may come from all of them
