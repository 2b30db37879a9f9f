"""What is known of new rows beside the training rows, as plain facts."""

from __future__ import annotations

from typing import TypedDict


class DriftPart(TypedDict):
    """A part of a column's cells, and the shares of rows in it."""

    name: str
    here: float
    before: float


class DriftedColumn(TypedDict):
    """A column that differs; ``p`` is the probability by chance among all columns, ``distance`` the share of rows."""

    name: str
    here: str
    before: str
    p: float
    distance: float
    parts: list[DriftPart]


class DriftFacts(TypedDict):
    """How rows differ; ``joint`` is the probability by chance of all columns together, if it was tested."""

    columns: list[DriftedColumn]
    looked_at: int
    joint: float | None
    sentence: str


class DriftPageFacts(DriftFacts):
    """What a page on drift shows: the rows and the model too, and what to do."""

    title: str
    model: str
    target: str
    rows: int
    training_rows: int
    todo: str
    remarks: list[str]
