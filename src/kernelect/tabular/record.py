"""A table is fitted and assessed, and all that is known of it becomes one record."""

from __future__ import annotations

import platform
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from kernelect import __version__
from kernelect.extras import versions_of
from kernelect.facts import GatherOptions
from kernelect.facts.doubts import examine
from kernelect.facts.gathering import gather_for_file
from kernelect.facts.names import plain_name
from kernelect.facts.record import ColumnFacts
from kernelect.facts.sources import is_mixture
from kernelect.inputs.numerals import CLOCK, DURATION
from kernelect.mixture import AUTO
from kernelect.mixture.kernel_machines import MOST_WIDTHS
from kernelect.numerics import Deadline
from kernelect.tabular import rules as _rules  # noqa: F401  (so that they are registered)
from kernelect.tabular.assessing import assess
from kernelect.tabular.columns import Column
from kernelect.tabular.drift import seen_in
from kernelect.tabular.evidence import FittedTableEvidence, TableEvidence
from kernelect.tabular.folds import FitTime, FoldOptions, fit_quietly
from kernelect.tabular.outcomes import remarks_on_scale
from kernelect.tabular.parts_left_out import remarks_on_single_rows
from kernelect.tabular.pipeline import MachineOptions, count_inputs, model_of, pipeline_of
from kernelect.tabular.rows import TableRows
from kernelect.tabular.schema import Schema
from kernelect.tabular.stakes import decision_of
from kernelect.tabular.table_model import TableModel, TableReport

#: Share of a time limit for what there is to doubt about the rows, before anything is fitted.
_SHARE_OF_DOUBTS = 0.15

#: What a mixture's fit warns of, and a doubt says too.
_TOLD_BY_A_DOUBT = re.compile(
    r"stopped at the time limit|The time limit was too short for \d+ of the \d+ models to be mixed:"
)

#: Packages whose versions matter to a saved model.
_PACKAGES = ("scikit-learn", "numpy", "scipy", "pandas")


@dataclass(frozen=True)
class Observers:
    """Callables that follow the progress of the search and of the outer folds."""

    search: Callable[[Any], None] | None = None
    folds: Callable[[int], None] | None = None


def fit_table(
    rows: TableRows,
    schema: Schema,
    options: MachineOptions,
    folds: FoldOptions,
    *,
    title: str = "table",
    remarks: tuple[str, ...] = (),
    observers: Observers | None = None,
) -> TableModel:
    """Tune a machine on a table and estimate how good it is.

    Parameters
    ----------
    rows, schema : TableRows, Schema
        From :func:`kernelect.tabular.describe_table`.
    options : MachineOptions
        Its ``time_limit`` covers everything. With outer folds, the tuning gets a quarter of what the checks of the rows
        leave (more with several jobs), so that each fold can have as much time as the tuning.
    folds : FoldOptions
    title : str
    remarks : tuple of str
        What was noticed before, kept with the model.
    observers : Observers, optional
    """
    observers = observers or Observers()
    deadline, limited = Deadline.after(options.time_limit), options.time_limit is not None
    if folds.folds:
        folds.splits(rows, schema)  # too many folds are told before the tuning, not after it
    with deadline.part(_SHARE_OF_DOUBTS).watched(firmly=False):
        checks = examine(TableEvidence(rows, schema))
    if limited:
        options = replace(options, time_limit=deadline.left() * folds.share_of_fit)
    began = time.monotonic()
    pipeline, warned = tuned(rows, schema, options, observers.search)
    seconds = time.monotonic() - began
    if options.time_limit is not None:
        folds = replace(folds, time_limit=deadline.left(), fit_time=FitTime(seconds=seconds, limit=options.time_limit))
    assessment, doubts = assess(pipeline, rows, schema, folds, observers.folds)
    if is_mixture(pipeline):
        warned = tuple(each for each in warned if not _TOLD_BY_A_DOUBT.search(each))
    remarks = (*remarks, *_on_kernel(schema, options), *remarks_on_scale(pipeline[-1]), *warned, *doubts)
    decision = decision_of(pipeline[-1], schema, rows.y, rows.weights)
    with deadline.watched(firmly=False):
        remarks = (*remarks, *remarks_on_single_rows(pipeline[-1].model_, rows, schema.group))
        checks += examine(FittedTableEvidence(rows, schema, pipeline, assessment))
        told = GatherOptions(
            title=title,
            assessment=assessment,
            remarks=remarks,
            seconds=seconds,
            random_state=options.seed,
            checks=checks,
            decision=decision,
        )
        return recorded(pipeline, rows, schema, options.machine, told)


def recorded(pipeline: Pipeline, rows: TableRows, schema: Schema, machine: str, told: GatherOptions) -> TableModel:
    """Return the model of a fitted pipeline with all that is known of it.

    Parameters
    ----------
    pipeline : Pipeline
    rows, schema : TableRows, Schema
        What it was fitted on.
    machine : str
        Such as ``"lssvm"``.
    told : GatherOptions
        What rows and schema do not tell; it has an assessment.
    """
    known: dict[str, Any] = {
        "target": schema.target,
        "columns": described_columns(schema),
        "metric": schema.stakes.main(schema.task),
    }
    told = replace(told, sample_weight=rows.weights, places=rows.places, **known)
    assert told.assessment is not None
    facts, kept = gather_for_file(pipeline, rows.X, rows.y, told)
    if rows.groups is not None:
        groups = f"{len(np.unique(rows.groups))} groups ({plain_name(schema.group)})"
        facts["data"]["words"] += f", {groups}"
    model = model_of(pipeline)
    return TableModel(
        model=model if told.decision is None else model.with_decision(told.decision),
        schema=schema,
        machine=machine,
        estimator=type(pipeline[-1]).__name__,
        versions={"kernelect": __version__, "python": platform.python_version(), **versions_of(*_PACKAGES)},
        title=told.title,
        n_rows=len(rows.y),
        seen=seen_in(schema, rows.X),
        report=TableReport(
            assessment=told.assessment,
            facts=facts,
            kept=kept,
            remarks=tuple(told.remarks),
            seconds=facts["seconds"],
            seed=told.random_state,
        ),
    )


def tuned(
    rows: TableRows, schema: Schema, options: MachineOptions, observe: Any = None
) -> tuple[Pipeline, tuple[str, ...]]:
    """Return the fitted pipeline and what it warned of."""
    pipeline = pipeline_of(schema, options).set_params(machine__verbose=observe or 0)
    warned = fit_quietly(pipeline, rows)
    pipeline.set_params(machine__verbose=0)  # an observer of this run has no place in the model
    return pipeline, warned


def described_columns(schema: Schema) -> list[ColumnFacts]:
    """Return what facts say of the columns."""
    return [_described(column) for column in schema.columns]


def _described(column: Column) -> ColumnFacts:
    facts = ColumnFacts(name=plain_name(column.name), kind=column.kind, missing=column.missing)
    read_as = _reading_words(column)
    if read_as:
        facts["read_as"] = read_as
    if column.kind == "category":
        return {**facts, "categories": len(column.categories)}
    if column.kind == "date" and column.low is not None and column.high is not None:
        first, last = (str(date(1970, 1, 1) + timedelta(days=days)) for days in (column.low, column.high))
        return {**facts, "low": first, "high": last}
    return {**facts, "low": column.low, "high": column.high}


def _reading_words(column: Column) -> str:
    """Return how cells were read, if that is not plain."""
    words = ["decimal comma"] if column.reading.decimal != "." and column.kind == "number" else []
    words += [f"dates as {column.reading.date_format}"] if column.kind == "date" else []
    unit = column.reading.unit
    times = {DURATION: "durations in hours", CLOCK: "times of day in hours"}
    words += [times[unit]] if unit in times else [f"in {plain_name(unit)}"] if unit else []
    codes = [plain_name(code) for code in column.reading.missing_codes]
    return "; ".join([*words, *([f"{', '.join(codes)} as missing"] if codes else [])])


def _on_kernel(schema: Schema, options: MachineOptions) -> list[str]:
    n_inputs = count_inputs(schema.columns)
    if options.kernel is not None or options.machine == AUTO or n_inputs <= MOST_WIDTHS:
        return []
    return [
        f"With about {n_inputs} inputs one width serves them all (kernel 'rbf'); more than {MOST_WIDTHS} widths are "
        "selected only with --kernel ard."
    ]
