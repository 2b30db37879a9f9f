"""Reading what the commands are given: a table and its description."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kernelect import tabular
from kernelect.exceptions import InvalidArgument

if TYPE_CHECKING:
    from kernelect.tabular import FoldOptions, Known, Schema, Table, TableRows


def load_rows(path: str, given: dict[str, Any]) -> tuple[Table, Schema, TableRows, list[str]]:
    """Return a training table, its schema, its rows and all remarks, from what a command was given."""
    from kernelect.tabular.read import SVMLIGHT_TARGET
    from kernelect.tabular.stakes import with_stakes

    known = None if given["schema"] is None else tabular.read_columns(given["schema"])
    target = given["target"] or (None if known is None else known.target)
    table = tabular.read_table(path, given["format_"], target, sheet=given["sheet"])
    if target is None and table.absent_is_zero:
        target = SVMLIGHT_TARGET
    target = required(target, list(table.frame.columns))
    how = how_of(given, known, target, list(table.frame.columns))
    schema, rows, remarks = tabular.describe_table(table.frame, target, decimal=table.decimal, words=table.words, **how)
    schema = with_stakes(schema, rows, metric=given["metric"], costs=given["costs"], class_weight=given["class_weight"])
    return table, schema, rows, [*table.remarks, *remarks]


def outer_folds(
    given: dict[str, Any], rows: TableRows, schema: Schema, time_limit: float | None = None
) -> tuple[FoldOptions, list[str]]:
    """Return the outer folds that a command was asked for, and a remark if the table allows only fewer."""
    from kernelect.cli._guard import is_given
    from kernelect.tabular.folds import FoldOptions

    own = {name: given[name] for name in ("repeats", "jobs", "seed")}
    outer = FoldOptions(given["folds"], **own, time_limit=time_limit)
    return (outer, []) if is_given("folds") else outer.possible(rows, schema)


def required(target: str | None, columns: Sequence[str]) -> str:
    """Return the column to predict, or ask for it."""
    if target is None:
        from kernelect.tabular.columns import columns_listed

        raise InvalidArgument(f"Name the column to predict with --target. {columns_listed(columns)}")
    return target


def how_of(given: dict[str, Any], known: Known | None, target: str, columns: Sequence[str]) -> dict[str, Any]:
    """Return what a command was told about the columns; options go before the file of an earlier fit."""
    from kernelect.cli._guard import COLUMN_WORDS

    how: dict[str, Any] = {name: given[name] for name in COLUMN_WORDS}
    how["task"] = given["task"] or (known.task if known is not None and target == known.target else None)
    how["weight"] = given["weight"]
    if known is not None:
        how.update(
            {name: how[name] or getattr(known, name) for name in ("weight", "group", "time", "event", "ordered")}
        )
        kept = {*how["keep"], *(part.strip() for text in how["keep"] for part in text.split(","))}
        how["ids"] = how["ids"] or [name for name in known.ids if name in columns and name not in kept]
    return {**how, "known": known}
