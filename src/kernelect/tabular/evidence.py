"""What rules of doubt about a table read, before anything is fitted and afterwards."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.pipeline import Pipeline

from kernelect.facts import Assessment
from kernelect.tabular.rows import TableRows
from kernelect.tabular.schema import Schema


@dataclass(frozen=True)
class TableEvidence:
    """The rows of a table and what its columns are."""

    rows: TableRows
    schema: Schema


@dataclass(frozen=True)
class FittedTableEvidence:
    """The same, with the pipeline that was fitted and its estimates."""

    rows: TableRows
    schema: Schema
    pipeline: Pipeline
    assessment: Assessment
