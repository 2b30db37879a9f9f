"""Reading what the commands are given: a table and its description."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernelect.exceptions import InvalidArgument

if TYPE_CHECKING:
    from kernelect.tabular import Rows, Schema, Table


def load_rows(path: str, format_: str | None, target: str | None, **how: Any) -> tuple[Table, Schema, Rows, list[str]]:
    """Return a training table, its schema, its rows and all remarks."""
    from kernelect.tabular import describe_table, read_table
    from kernelect.tabular.read import SVMLIGHT_TARGET

    table = read_table(path, format_)
    if target is None and table.absent_is_zero:
        target = SVMLIGHT_TARGET
    if target is None:
        names = ", ".join(repr(name) for name in table.frame.columns[:8])
        raise InvalidArgument(f"Name the column to predict with --target; there are {names}.")
    schema, rows, remarks = describe_table(table.frame, target, **how)
    return table, schema, rows, [*table.remarks, *remarks]
