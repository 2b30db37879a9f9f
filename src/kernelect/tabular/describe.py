"""From a table to what it is for a model: which column is what, and which are inputs."""

from __future__ import annotations

from typing import Any

import pandas as pd

from kernelect.exceptions import UnusableTable, unknown_name
from kernelect.facts.names import listed
from kernelect.facts.numbers import counted
from kernelect.facts.stakes import CONCORDANCE, Stakes
from kernelect.tabular.choices import Choices, check_roles, names_of
from kernelect.tabular.columns import check_name, find_columns
from kernelect.tabular.columns_file import Known
from kernelect.tabular.counts import COUNT, require_counts
from kernelect.tabular.events import events_of, on_events
from kernelect.tabular.leaks import set_aside
from kernelect.tabular.limits import on_limits, target_limits
from kernelect.tabular.questions import questions
from kernelect.tabular.rows import TableRows, group_numbers, times_of
from kernelect.tabular.schema import Schema
from kernelect.tabular.spans import find_spans, with_spans
from kernelect.tabular.subjects import find_subjects
from kernelect.tabular.target_cells import typed_target
from kernelect.tabular.usable import (
    TASKS,
    classes_in_order,
    find_task,
    on_order,
    order_of,
    target_values,
    usable,
    weights_of,
    with_target,
    with_weight,
)
from kernelect.typing import CLASSIFICATION, REGRESSION


def describe_table(frame: pd.DataFrame, target: str, **declared: Any) -> tuple[Schema, TableRows, list[str]]:
    """Detect what the target and the columns are.

    Parameters
    ----------
    frame : DataFrame
    target : str
    **declared
        What the user says of the columns: the attributes of :class:`kernelect.tabular.choices.Choices`.

    Returns
    -------
    schema, rows, remarks
    """
    choices = Choices(**declared)
    known = choices.known
    task = choices.task if choices.ordered is None else CLASSIFICATION
    task = task if choices.event is None else REGRESSION
    weight, group, time, event = choices.weight, choices.group, choices.time, choices.event
    if task is not None and task not in (*TASKS, COUNT):
        raise unknown_name("task", task, [*TASKS, COUNT])
    check_name(frame, target, "--target")
    if frame.shape[1] == 1:
        raise UnusableTable(f"The table has only the column {target!r}: add columns that it can be predicted from.")
    frame = frame.reset_index(drop=True)  # from here on the index tells where a row stands in its table
    single = {"--weight": weight, "--group": group, "--time": time, "--event": event}
    given = {option: [] if name is None else [check_name(frame, name, option)] for option, name in single.items()}
    check_roles(frame, target, {"--drop": choices.drop, "--id": choices.ids, **given})
    left_out = choices.left_out(frame)
    ids = tuple(names_of(frame, choices.ids, "--id"))
    choices.check_parts(frame, target)
    ordered = choices.ordered or order_of(frame[target])
    written = frame[target]
    cells = typed_target(frame[target], choices.on_target(frame, target))
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
    ordered = ordered if task == CLASSIFICATION else None
    frame, more = usable(frame, target, task)
    taken = {name for name in (weight, event) if name is not None}
    roles = taken | {name for name in (group, time) if name is not None and name not in choices.keep}
    inputs = frame.drop(columns=list({target, *left_out, *roles}))
    wishes = choices.wishes(frame, list(inputs.columns))
    found_columns = find_columns(inputs, wishes)
    choices.check_kinds(frame, found_columns.empty)
    if group is None and time is None and choices.find_group:
        named = find_subjects(found_columns, inputs, {*wishes.kept, *wishes.kinds})
        group, found_columns = named.group, named.found
        inputs = inputs if group is None else inputs.drop(columns=group)
    spans, found_columns = find_spans(found_columns, inputs)
    frame = with_spans(frame, spans)
    columns = set_aside(found_columns, with_spans(inputs, spans), {*wishes.kept, *(span.name for span in spans)})
    if not columns.columns:
        raise UnusableTable(
            " ".join(["No column is left to learn from: keep one with --keep, or drop fewer.", *columns.remarks])
        )
    y = target_values(frame[target], task)
    classes = classes_in_order(y, ordered) if task == CLASSIFICATION else None
    remarks += on_order(y, ordered) if task == CLASSIFICATION else []
    times = None if time is None else times_of(frame[time], choices.on_times(frame, time))
    limits = target_limits(written, y) if task == REGRESSION and event is None and not counts else None
    remarks += on_limits(target, limits) or cells.on_limits
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
        dated=(*columns.dated, *(() if known is None else (name for name in known.dated if name in left_out))),
        counts=counts,
        target_codes=cells.codes,
        time_format="" if times is None else times.form,
        event=event,
        ordered=ordered is not None,
        spans=spans,
        stakes=Stakes() if event is None else Stakes(CONCORDANCE),
    )
    rows = TableRows(
        X=schema.inputs(frame).reset_index(drop=True),
        y=y.reset_index(drop=True),
        weights=weights_of(frame, weight),
        groups=None if group is None else group_numbers(frame[group]),
        time=None if times is None else times.values,
        event=None if event is None else events_of(frame[event]),
        limits=limits,
        dated=schema.dated,
        places=frame.index.to_numpy(),
    )
    remarks += on_events(schema, rows)
    asked = questions(schema.columns, rows.X, rows.y, set(wishes.kinds))
    on_times = [] if times is None else times.remarks
    remarks += [*more, *columns.remarks, *on_times, *asked, *rows.copies.remarks(), *_on_known(known, schema)]
    return schema, rows, list(dict.fromkeys(remarks))


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
