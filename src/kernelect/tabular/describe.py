"""From a table to what it is for a model: which column is what, and which are inputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from kernelect.exceptions import UnusableTable, unknown_name
from kernelect.facts.numbers import counted
from kernelect.tabular.choices import Choices, check_name, check_roles, names_of
from kernelect.tabular.columns import find_columns
from kernelect.tabular.columns_file import Known
from kernelect.tabular.counts import COUNT, require_counts
from kernelect.tabular.leaks import TREND, set_aside
from kernelect.tabular.questions import questions
from kernelect.tabular.rows import TableRows, group_numbers, times_of
from kernelect.tabular.schema import Schema
from kernelect.tabular.target_cells import typed_target
from kernelect.tabular.usable import (
    CLASSIFICATION,
    REGRESSION,
    TASKS,
    find_task,
    listed,
    target_values,
    usable,
    weights_of,
    with_target,
    with_weight,
)


def describe_table(
    frame: pd.DataFrame,
    target: str,
    *,
    task: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    weight: str | None = None,
    group: str | None = None,
    time: str | None = None,
    ids: Sequence[str] = (),
    categorical: Sequence[str] = (),
    number: Sequence[str] = (),
    date: Sequence[str] = (),
    missing_codes: Sequence[str] = (),
    known: Known | None = None,
    decimal: str | None = None,
    words: tuple[str, ...] = (),
) -> tuple[Schema, TableRows, list[str]]:
    """Detect what the target and the columns are.

    Parameters
    ----------
    frame : DataFrame
    target : str
    task : "classification", "regression" or "count", optional
        By default it follows from the target's values.
    drop, keep : sequences of str
        Columns not to use; columns to use even if they look like row numbers or names.
    weight : str, optional
        Column with the weight of each row.
    group : str, optional
        Column whose values tell which rows belong together, such as a patient's; no input unless in ``keep``.
    time : str, optional
        Column of dates or numbers that tells when a row was observed; no input unless in ``keep``.
    ids : sequence of str
        Columns that name the rows, and are no inputs.
    categorical, number, date : sequences of str
        Columns of a given kind; a date column may be followed by the form of its dates (``"admitted=%d.%m.%Y"``).
        All texts of a categorical target are classes; a target of numbers has no codes for missing cells.
    missing_codes : sequence of str
        Codes for missing cells, in all columns (``"-999"``) or in one (``"age=99"``).
    known : Known, optional
        How an earlier table was read; the other arguments take precedence.
    decimal : "." or ",", optional
        Decimal sign for columns that leave it open; by default it follows from the other columns.
    words : tuple of str
        Words of the target that may be a class or stand for missing cells (:class:`kernelect.tabular.Table`).

    Returns
    -------
    schema, rows, remarks
    """
    if task is not None and task not in (*TASKS, COUNT):
        raise unknown_name("task", task, [*TASKS, COUNT])
    check_name(frame, target, "--target")
    choices = Choices(
        drop=drop,
        keep=keep,
        ids=ids,
        categorical=categorical,
        number=number,
        date=date,
        missing_codes=missing_codes,
        known=known,
    )
    frame = frame.reset_index(drop=True)  # from here on the index tells where a row stands in its table
    single = {"--weight": weight, "--group": group, "--time": time}
    given = {option: [] if name is None else [check_name(frame, name, option)] for option, name in single.items()}
    check_roles(frame, target, {"--drop": drop, "--id": ids, **given})
    left_out = choices.left_out(frame)
    ids = tuple(names_of(frame, ids, "--id"))
    choices.check_parts(frame, target, {"weight": weight, "group": group, "time": time})
    cells = typed_target(frame[target], choices.on_target(frame, target, decimal, words))
    choices.check_target(frame, target, cells.values)
    frame, remarks = with_target(frame.assign(**{target: cells.values}), target)
    remarks += cells.remarks
    frame, light = with_weight(frame, weight)
    remarks += light
    found, why = find_task(frame[target])
    said = {"category": CLASSIFICATION, "number": COUNT if found == COUNT else REGRESSION}
    task = task or said.get(choices.kind_of(frame, target) or "")
    remarks += [] if task else [f"The task is {found}: {why}. Say otherwise with --task."]
    counts = (task or found) == COUNT
    if counts:
        require_counts(frame[target])
    task = REGRESSION if counts else task or found
    frame, more = usable(frame, target, task)
    roles = {name for name in (weight, group, time) if name is not None and (name == weight or name not in keep)}
    inputs = frame.drop(columns=list({target, *left_out, *roles}))
    wishes = choices.wishes(frame, list(inputs.columns), decimal)
    found_columns = find_columns(inputs, wishes)
    choices.check_kinds(frame, found_columns.unused)
    columns, dated = set_aside(found_columns, inputs, wishes.kept)
    if not columns.columns:
        raise UnusableTable(
            " ".join(["No column is left to learn from: keep one with --keep, or drop fewer.", *columns.remarks])
        )
    y = target_values(frame[target], task)
    classes = tuple(np.unique(y).tolist()) if task == CLASSIFICATION else None
    times = None if time is None else times_of(frame[time], choices.on_times(frame, time, decimal))
    dropped = {name: "it was dropped" for name in left_out if name not in ids}
    schema = Schema(
        target=target,
        task=task,
        columns=columns.columns,
        classes=classes,
        weight=weight,
        group=group,
        time=time,
        ids=ids,
        unused={**dropped, **columns.unused},
        counts=counts,
        target_codes=cells.codes,
        time_format="" if times is None else times.form,
    )
    rows = TableRows(
        X=schema.inputs(frame).reset_index(drop=True),
        y=y.reset_index(drop=True),
        weights=weights_of(frame, weight),
        groups=None if group is None else group_numbers(frame[group]),
        time=None if times is None else times.values,
        dated=(*dated, *_dated_before(known, left_out)),
        places=frame.index.to_numpy(),
    )
    asked = questions(schema.columns, rows.X, rows.y, set(wishes.kinds))
    on_times = [] if times is None else times.remarks
    remarks += [*more, *columns.remarks, *on_times, *asked, *rows.copies.remarks(), *_on_known(known, schema)]
    return schema, rows, list(dict.fromkeys(remarks))


def _dated_before(known: Known | None, left_out: Sequence[str]) -> list[str]:
    """Return the columns of dates that an earlier fit left out: the rows of this table are dated all the same."""
    return [] if known is None else [name for name in left_out if known.unused.get(name, "").endswith(TREND)]


def _on_known(known: Known | None, schema: Schema) -> list[str]:
    """Return remarks on columns that an earlier table had otherwise."""
    if known is None:
        return []
    before, now = {column.name for column in known.columns}, {column.name for column in schema.columns}
    gone = [name for name in sorted(before - now) if name not in schema.unused and name != schema.target]
    new = sorted(now - before)
    lacks = f"{known.source} has {counted(len(gone), 'column')} that the table lacks: {listed(gone)}."
    more = f"The table has {counted(len(new), 'column')} that {known.source} lacks: {listed(new)}."
    return [*([lacks] if gone else []), *([more] if new else [])]
