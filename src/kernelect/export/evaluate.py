"""A program run by NumPy: the reference for all writers, and the check before an export is handed out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np

from kernelect.export.fall import Fall
from kernelect.export.graph import (
    REDUCTIONS,
    Apply,
    Const,
    Horner,
    Join,
    Lookup,
    Narrow,
    Node,
    Raw,
    Reduce,
    Reshape,
    Take,
    VectorTimes,
    is_wide,
    operated,
    walk,
)
from kernelect.export.program import Program
from kernelect.typing import Array


def coded_rows(program: Program, cells: Sequence[Sequence[Any]]) -> Array:
    """Return rows of cells as numbers (m, n_columns): codes for levels, -1 for unseen ones, NaN for missing cells."""
    out = np.empty((len(cells), len(program.columns)))
    for position, column in enumerate(program.columns):
        codes = {level: float(code) for code, level in enumerate(column.levels)}
        for row, line in zip(out, cells, strict=True):
            cell = line[position]
            is_text = column.kind == "category" and cell is not None and cell == cell
            row[position] = codes.get(text_of(cell), -1.0) if is_text else number_of(cell)
    return out


_DAY = np.timedelta64(1, "D")


def number_of(cell: Any) -> float:
    """Return a cell as a number, NaN for a missing one; a date as days since 1970-01-01."""
    if cell is None or cell != cell:
        return np.nan
    if isinstance(cell, np.datetime64 | date):
        return float((np.asarray(cell, dtype="datetime64[us]") - np.datetime64("1970-01-01", "us")) / _DAY)
    return float(cell)


def text_of(cell: Any) -> str:
    """Return the text of a category's cell; of numbers as the inputs of mixtures have it."""
    if isinstance(cell, str):
        return cell
    number = float(cell)
    return str(int(number)) if number.is_integer() else repr(number)


def evaluate(program: Program, rows: Array, *, single: bool = False) -> list[Array]:
    """Return the outputs (m, size) of a program at coded rows (m, n_columns).

    ``single``: in single precision, wherever an export in that precision would be.
    """
    return _run(program, rows, {}, single)


def evaluate_machine(program: Program, inputs: Array, *, single: bool = False) -> list[Array]:
    """Return the outputs of a program at inputs of its machine, (m, n_inputs), in the place of a table's rows."""
    assert program.inputs is not None
    return _run(program, np.zeros((len(inputs), len(program.columns))), {id(program.inputs): inputs}, single)


def _run(program: Program, rows: Array, found: dict[int, Array], single: bool) -> list[Array]:
    positions, levels = program.positions(), program.levels()
    wide: dict[int, bool] = {}
    for node in walk(program.outputs):
        if id(node) in found:
            continue
        args = [found[id(arg)] for arg in node.args]
        if single and not is_wide(node, wide):
            args = [arg.astype(np.float32) for arg in args]
        found[id(node)] = _value(node, args, rows, positions, levels)
    return [np.broadcast_to(found[id(node)], (len(rows), *node.shape)).astype(float) for node in program.outputs]


def _value(
    node: Node, args: list[Array], rows: Array, positions: dict[int, int], levels: dict[int, tuple[str, ...]]
) -> Array:
    """Return a node's values at all rows, (m, *shape); (1, *shape) for numbers of the model."""
    if isinstance(node, Const):
        return node.values[None]
    if isinstance(node, Raw):
        return rows[:, [positions[column] for column in node.columns]]
    if isinstance(node, Lookup):
        return node.table(levels[node.column])[_places(rows[:, positions[node.column]], len(levels[node.column]))]
    if isinstance(node, Apply):
        return operated(node.op, *args)
    if isinstance(node, Reduce):
        return np.asarray(REDUCTIONS[node.op](args[0], axis=-1)).reshape(-1, *node.shape)
    if isinstance(node, VectorTimes):
        return np.asarray(args[0] @ args[1][0])
    if isinstance(node, Horner):
        return np.asarray(np.polyval(np.array(node.coefficients, dtype=args[0].dtype), args[0]))
    if isinstance(node, Take):
        return args[0][:, node.places]
    if isinstance(node, Fall):
        return node.value(args[0])
    if isinstance(node, Join):
        return np.concatenate([np.broadcast_to(arg, (len(rows), *arg.shape[1:])) for arg in args], axis=1)
    if isinstance(node, Reshape):
        return args[0].reshape(-1, *node.shape)
    assert isinstance(node, Narrow)
    return args[0]


def _places(codes: Array, n_levels: int) -> Any:
    """Return rows of a lookup table: of the levels, then of missing cells, then of all others."""
    known = (codes >= 0) & (codes < n_levels)
    return np.where(np.isnan(codes), n_levels, np.where(known, np.nan_to_num(codes), n_levels + 1)).astype(np.intp)
