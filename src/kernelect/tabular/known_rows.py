"""Rows whose target is known: a model is measured on them."""

from __future__ import annotations

from dataclasses import replace

from kernelect.exceptions import UnusableTable
from kernelect.facts.names import listed
from kernelect.tabular.columns import check_name
from kernelect.tabular.predict import match_columns
from kernelect.tabular.read import Table
from kernelect.tabular.rows import TableRows
from kernelect.tabular.schema import Schema
from kernelect.tabular.table_model import TableModel
from kernelect.tabular.target_cells import TargetWishes, spelled_as, typed_target
from kernelect.tabular.usable import target_values, weights_of


def rows_for(model: TableModel, table: Table) -> tuple[TableRows, list[str]]:
    """Return inputs and targets of a model's training table, and remarks."""
    rows, remarks = known_rows_of(model, table)
    if len(rows.y) != model.n_rows:
        remarks.append(f"The model was fitted on {model.n_rows} rows, this table has {len(rows.y)}.")
    return rows, remarks


def known_rows_of(model: TableModel, table: Table) -> tuple[TableRows, list[str]]:
    """Return inputs and targets of the rows whose target is known to the model, and remarks."""
    schema = model.schema
    target = check_name(table.frame, schema.target, table.source)
    if schema.weight is not None:
        check_name(table.frame, schema.weight, table.source)
    # Words that are classes of the model are told by the model, not by their number in this table.
    absent = tuple(word for word in table.words if word not in (schema.classes or ()))
    wishes = TargetWishes(decimal=table.decimal, codes=(*schema.target_codes, *absent), judge=False, merge=False)
    values = typed_target(table.frame[target], wishes).values
    values = values if schema.classes is None else spelled_as(values, schema.classes)
    table = replace(table, frame=table.frame.assign(**{target: values}))
    known = table.frame[target].notna()
    y = target_values(table.frame[target][known], schema.task)
    if schema.classes is not None:
        known &= y.isin(schema.classes).reindex(known.index, fill_value=False)
    if not known.any():
        which = "a value" if schema.classes is None else f"one of the model's classes {_classes(schema)}"
        raise UnusableTable(
            f"No row of {table.source} has {which} in {target!r}: give a table in which the target is known."
        )
    kept = replace(table, frame=table.frame[known])
    X, remarks = match_columns(schema, kept)
    return TableRows(
        X=X.reset_index(drop=True),
        y=target_values(kept.frame[target], schema.task).reset_index(drop=True),
        weights=weights_of(kept.frame, schema.weight),
        places=kept.frame.index.to_numpy(),
    ), remarks


def _classes(schema: Schema) -> str:
    return f"({listed(list(schema.classes or ()))})"
