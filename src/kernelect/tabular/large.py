"""A table that is not read as a whole: described from a sample, fitted on landmarks piece by piece."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from kernelect.exceptions import MissingCapability, UnusableTable
from kernelect.facts import Facts, GatherOptions, Judge
from kernelect.facts.doubts import Obstacle, not_examined
from kernelect.facts.numbers import counted, was
from kernelect.mixture import AUTO
from kernelect.numerics import stratified
from kernelect.tabular.columns import check_name, column_values
from kernelect.tabular.describe import describe_table
from kernelect.tabular.evidence import FittedTableEvidence, TableEvidence
from kernelect.tabular.folds import in_sentences
from kernelect.tabular.parquet import ClusterPieces, CodedParts, LocalPieces, Pieces
from kernelect.tabular.pipeline import MachineOptions, pipeline_of
from kernelect.tabular.record import recorded
from kernelect.tabular.rows import TableRows
from kernelect.tabular.schema import Schema
from kernelect.tabular.table_model import TableModel
from kernelect.tabular.target_cells import spelled_as
from kernelect.tabular.usable import target_values

#: Rows from which columns, task and coding are found.
SAMPLE_ROWS = 20_000

#: The machines that fit rows piece by piece.
_MACHINES = (AUTO, "lssvm")

_IN_PIECES = Obstacle(code="pieces", why="the table was read piece by piece")


@dataclass(frozen=True)
class LargeFit:
    """A model of a large table, and the rows that its figures and pictures describe."""

    model: TableModel
    rows: TableRows


@dataclass(frozen=True)
class _Usable:
    """Which rows of a piece have a target and a weight."""

    target: str
    weight: str | None

    def __call__(self, frame: pd.DataFrame) -> Any:
        known = frame[self.target].notna().to_numpy()
        if pd.api.types.is_float_dtype(frame[self.target]):
            known = known & np.isfinite(frame[self.target].to_numpy(dtype=float, na_value=np.nan))
        if self.weight is not None:
            known = known & (column_values(frame[self.weight], "number").to_numpy() != 0.0)
        return known


def _counted(usable: _Usable, _: int, frame: pd.DataFrame) -> int:
    """Return how many rows of a piece are usable."""
    return int(usable(frame).sum())


@dataclass(frozen=True, kw_only=True)
class TableCode:
    """From a piece of a table to what a machine takes."""

    schema: Schema
    columns: Any  # fitted transformer
    usable: _Usable
    template: Any  # what it makes of no row

    def __call__(self, frame: pd.DataFrame) -> tuple[Any, Any, Any]:
        """Return inputs, targets and weights of the usable rows; a piece alone does not decide how texts are read."""
        frame = frame[self.usable(frame)].reset_index(drop=True)
        weights = None if self.schema.weight is None else column_values(frame[self.schema.weight], "number")
        if not len(frame):
            return self.template, np.zeros(0), weights
        return self.columns.transform(self.schema.inputs(frame, self.schema.learnt)), self.targets(frame), weights

    def targets(self, frame: pd.DataFrame) -> Any:
        """Return labels or numbers."""
        found = target_values(frame[self.schema.target], self.schema.task)
        return (found if self.schema.classes is None else spelled_as(found, self.schema.classes)).to_numpy()


def fit_pieces(
    path: str,
    target: str,
    options: MachineOptions,
    *,
    client: Any = None,
    observe: Any = None,
    **how: Any,
) -> LargeFit:
    """Fit a mixture, or one machine on landmarks, to a Parquet file that is read piece by piece.

    A sample of rows decides columns, task and coding. Every pass over all rows is a sum over pieces.

    Parameters
    ----------
    path : str
    target : str
    options : MachineOptions
        Its machine is "auto" (the mixture) or "lssvm".
    client : distributed Client, optional
        Client whose workers read the file; by default this process reads it.
    observe : callable, optional
        Called with every evaluation of the search.
    **how
        Arguments about the columns, as in :func:`kernelect.tabular.describe_table`.
    """
    if options.machine not in _MACHINES:
        raise MissingCapability(
            f"machine={options.machine!r} needs all rows in memory: with --engine use --machine "
            f"{' or '.join(_MACHINES)}, or leave --engine out."
        )
    for name in ("group", "time"):
        if how.get(name) is not None:
            raise MissingCapability(
                f"--{name} {how[name]!r} is for folds and for groups that are left out together, which need all rows "
                "in memory: leave it out, or leave --engine out."
            )
    began = time.monotonic()
    pieces: Pieces = LocalPieces(path) if client is None else ClusterPieces(path, client)
    found = _described(pieces, target, how)
    if found.schema.event is not None:
        raise MissingCapability(
            f"--event {found.schema.event!r} needs all rows in memory: leave it out, or leave --engine out."
        )
    fitted, warned = _fitted(pieces, found, options, observe)
    return _assessed(pieces, found, fitted, warned, options, time.monotonic() - began)


@dataclass(frozen=True)
class _Described:
    """What a sample of rows says of the table."""

    schema: Schema
    sample: TableRows
    usable: _Usable
    counts: list[int]  # usable rows of every piece
    remarks: list[str]

    @property
    def total(self) -> int:
        return sum(self.counts)


@dataclass(frozen=True)
class _Fitted:
    pipeline: Pipeline
    code: TableCode


def _described(pieces: Pieces, target: str, how: dict[str, Any]) -> _Described:
    weight, drop, keep = how.get("weight"), how.get("drop", ()), how.get("keep", ())
    for name, option in ((target, "--target"), *([(weight, "--weight")] if weight else [])):
        check_name(pd.DataFrame(columns=pieces.names), name, option)
    usable = _Usable(target, weight)
    counts = pieces.each(partial(_counted, usable), [target, *([weight] if weight else [])])
    total = sum(counts)
    if not total:
        raise UnusableTable(f"All cells of the target {target!r} are missing: choose another column with --target.")
    sample = pieces.taken(usable, counts, stratified(total, SAMPLE_ROWS))
    numbered = [name for name in _row_numbers(sample) if name not in {*keep, target, weight, *drop}]
    schema, rows, remarks = describe_table(sample, target, **{**how, "drop": [*drop, *numbered], "find_group": False})
    remarks += [f"Column {name!r} was left out: it looks like a row number (keep it with --keep)." for name in numbered]
    remarks += _on_lost(pieces.n_rows - total)
    return _Described(schema, rows, usable, counts, remarks)


def _fitted(
    pieces: Pieces, found: _Described, options: MachineOptions, observe: Any
) -> tuple[_Fitted, tuple[str, ...]]:
    """Return the fitted pipeline with how pieces were coded, and what was warned of."""
    schema = found.schema
    pipeline = pipeline_of(replace(schema, ordered=False), options).set_params(machine__verbose=observe or 0)
    machine = pipeline[-1]
    columns = Pipeline(pipeline.steps[:-1]).fit(found.sample.X)
    template = columns.transform(found.sample.X)[:0]
    code = TableCode(schema=schema, columns=columns, usable=found.usable, template=template)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        machine.fit(CodedParts(pieces, code, code.template), None)
    machine.set_params(verbose=0)  # an observer of this run has no place in the model
    return _Fitted(pipeline, code), in_sentences(caught)


def _assessed(
    pieces: Pieces, found: _Described, fitted: _Fitted, warned: tuple[str, ...], options: MachineOptions, seconds: float
) -> LargeFit:
    """Return the model with figures of rows that were left out of it, at most as many as are brought here."""
    schema, machine = found.schema, fitted.pipeline[-1]
    if schema.classes is not None:
        schema = replace(schema, classes=tuple(machine.classes_.tolist()))  # the sample may lack a rare one
    shown = np.arange(found.total) if machine.loo_rows_ is None else machine.loo_rows_
    rows = _rows_of(pieces.taken(found.usable, found.counts, shown), schema, fitted.code)
    words = (
        f"The table was read piece by piece: columns and coding follow from {len(found.sample.y)} of {found.total} "
        f"rows, and the scores and pictures are those of {len(shown)} rows, each left out of the machine on all rows. "
        "Outer folds were not run."
    )
    remarks = (*found.remarks, words, *warned)
    assessment = Judge(rows.y, schema.classes, rows.weights).assess(machine)
    told = GatherOptions(
        title=pieces.source,
        assessment=assessment,
        remarks=remarks,
        seconds=seconds,
        random_state=options.seed,
        checks=[each for kind in (TableEvidence, FittedTableEvidence) for each in not_examined(kind, _IN_PIECES)],
    )
    model = recorded(fitted.pipeline, rows, schema, options.machine, told)
    facts = _of_all_rows(model.facts, len(shown), found.total)
    return LargeFit(replace(model, n_rows=found.total, report=replace(model.known, facts=facts)), rows)


def _rows_of(frame: pd.DataFrame, schema: Schema, code: TableCode) -> TableRows:
    weights = None if schema.weight is None else column_values(frame[schema.weight], "number").to_numpy()
    return TableRows(X=schema.inputs(frame, schema.learnt), y=pd.Series(code.targets(frame)), weights=weights)


def _of_all_rows(facts: Facts, shown: int, total: int) -> Facts:
    """Return the facts with the number of rows that the machine was fitted on."""
    data = facts["data"]
    words = data["words"].replace(counted(shown, "row"), counted(total, "row"), 1)
    return {**facts, "data": {**data, "rows": total, "words": words}}


def _row_numbers(sample: pd.DataFrame) -> list[str]:
    """Return columns of whole numbers that grow from row to row: a part of the rows shows no more of a row number."""
    return [
        str(name)
        for name in sample.columns
        if pd.api.types.is_integer_dtype(sample[name])
        and len(sample) > 1
        and sample[name].is_monotonic_increasing
        and sample[name].is_unique
    ]


def _on_lost(lost: int) -> list[str]:
    return [f"{counted(lost, 'row')} without a target or weight {was(lost)} left out."] if lost else []
