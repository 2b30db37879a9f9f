"""All data sets together: mean figures of every method, and the default's mean difference from it on the same sets."""

from __future__ import annotations

import numpy as np

from kernelect.facts.numbers import fixed, with_error
from kernelect.studies.cells import Outcome
from kernelect.studies.definition import Study, TableSpec
from kernelect.studies.records import Entry, Table
from kernelect.studies.statistics import mean_table, values_of
from kernelect.typing import Array


def overall_table(study: Study, cells: list[Outcome], spec: TableSpec) -> Table:
    """Return means over the data sets that all methods have, with one column per metric."""
    default, metrics = str(study.default), [metric.strip() for metric in spec.metric.split(",")]
    done = {cell.key.method for cell in cells if cell.done}
    methods = [method for method in spec.methods or tuple(study.methods) if method in done]
    columns, counts = [], []
    for metric in metrics:
        table = mean_table(values_of(cells, metric), list(study.datasets), methods)
        ours = table[:, methods.index(default)] if default in methods else None
        columns.append([_entry(table[:, place], ours, spec.digits) for place in range(len(methods))])
        counts.append(f"{metric}: {len(table)}")
    rows = tuple(
        (Entry(text=study.methods[method].label), *(column[place] for column in columns))
        for place, method in enumerate(methods)
    )
    note = (
        f"Entries: mean over data sets; {study.methods[default].label} minus the method ± standard error over data "
        f"sets (lower on / higher on). Data sets that all methods have: {', '.join(counts)}."
    )
    return Table(title=spec.title, heads=("method", *metrics), rows=rows, notes=(note,))


def _entry(values: Array, ours: Array | None, digits: int) -> Entry:
    if not len(values):
        return Entry(text="-")
    text, numbers = fixed(float(values.mean()), digits), {"value": float(values.mean())}
    apart = np.zeros(1) if ours is None else ours - values
    if len(apart) < 2 or not np.any(apart):
        return Entry(text=text, numbers=numbers)
    error = float(apart.std(ddof=1) / np.sqrt(len(apart)))
    lower, higher = int(np.sum(apart < 0)), int(np.sum(apart > 0))
    difference = with_error(float(apart.mean()), error, decimals=digits, sign=True)
    return Entry(
        text=f"{text}; {difference} ({lower} / {higher})",
        numbers={**numbers, "difference": float(apart.mean()), "standard_error": error},
    )
