"""Where another method is ahead of the study's default: on every split that both have, and by more than a trifle."""

from __future__ import annotations

import numpy as np

from kernelect.facts.numbers import fixed
from kernelect.studies.cells import Outcome
from kernelect.studies.definition import Study, TableSpec
from kernelect.studies.records import StudyTable, TableEntry
from kernelect.studies.statistics import Values, figure_values
from kernelect.typing import Array

#: Share of the default's figure that another one has to be smaller by.
_TRIFLE = 0.02


def ahead_table(study: Study, cells: list[Outcome], spec: TableSpec) -> StudyTable | None:
    """Return the data sets where one of the methods is ahead, with the one whose mean is the smallest."""
    default, values = str(study.default), figure_values(cells, spec.metric)
    others = [name for name in spec.methods or tuple(study.methods) if name != default]
    compared = [name for name in study.datasets if any(_pairs(values, name, default, m) is not None for m in others)]
    if not compared:
        return None
    rows = []
    for dataset in compared:
        leads = [(lead, method) for method in others if (lead := _lead(values, dataset, default, method)) is not None]
        if leads:
            (ours, theirs, count), method = min(leads, key=lambda each: each[0][1] / each[0][0] if each[0][0] else 1.0)
            rows.append(
                (
                    TableEntry(text=dataset),
                    TableEntry(text=study.methods[method].label),
                    TableEntry(text=fixed(ours, spec.digits), numbers={"value": ours}),
                    TableEntry(text=fixed(theirs, spec.digits), numbers={"value": theirs}),
                    TableEntry(text=str(count)),
                )
            )
    note = (
        f"{len(rows)} of {len(compared)} data sets: another method is smaller than {study.methods[default].label} on "
        f"every split that both have, and by more than {100 * _TRIFLE:g} % on average. The best of the others is "
        "picked with hindsight."
    )
    heads = ("data", "ahead", study.methods[default].label, "the other", "splits")
    return StudyTable(title=spec.title, heads=heads, rows=tuple(rows), notes=(note,))


def _pairs(values: Values, dataset: str, default: str, method: str) -> Array | None:
    """Return the figures of both on the splits that both have, (splits, 2)."""
    ours, theirs = values.get((dataset, default), {}), values.get((dataset, method), {})
    shared = sorted(set(ours) & set(theirs))
    return np.array([[ours[split], theirs[split]] for split in shared]) if shared else None


def _lead(values: Values, dataset: str, default: str, method: str) -> tuple[float, float, int] | None:
    """Return both means and the number of splits where the method is ahead, otherwise nothing."""
    pairs = _pairs(values, dataset, default, method)
    if pairs is None or not np.all(pairs[:, 1] < pairs[:, 0]):
        return None
    ours, theirs = pairs.mean(axis=0)
    return (float(ours), float(theirs), len(pairs)) if theirs < (1.0 - _TRIFLE) * ours else None
