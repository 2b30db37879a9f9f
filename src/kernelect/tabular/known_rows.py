"""Rows whose target is known: a model is measured on them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kernelect.exceptions import UnusableTable
from kernelect.facts.names import listed
from kernelect.tabular.columns import check_name
from kernelect.tabular.events import events_of
from kernelect.tabular.limits import target_limits
from kernelect.tabular.predict import match_columns
from kernelect.tabular.read import Table
from kernelect.tabular.rows import TableRows, group_numbers
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
    written = table.frame[target]
    values = typed_target(written, wishes).values
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
    y = target_values(kept.frame[target], schema.task)
    numbers = schema.classes is None and schema.event is None and not schema.counts
    return TableRows(
        X=X.reset_index(drop=True),
        y=y.reset_index(drop=True),
        weights=weights_of(kept.frame, schema.weight),
        groups=_groups(kept, schema),
        event=None if schema.event is None else events_of(kept.frame[check_name(kept.frame, schema.event, "--event")]),
        limits=target_limits(written, y) if numbers else None,
        places=kept.frame.index.to_numpy(),
    ), remarks


def _groups(table: Table, schema: Schema) -> np.ndarray | None:
    """Return the groups of rows, if the table has the model's column of groups with more than one of them."""
    if schema.group is None or schema.group not in table.frame.columns:
        return None
    cells = table.frame[schema.group]
    return group_numbers(cells) if cells.nunique(dropna=False) > 1 else None


def _classes(schema: Schema) -> str:
    return f"({listed(list(schema.classes or ()))})"
