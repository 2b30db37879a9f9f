"""All data sets together: mean figures of every method, and the default's mean difference on the same splits."""

from __future__ import annotations

import numpy as np

from kernelect.facts.numbers import fixed, with_error
from kernelect.studies.cells import Outcome
from kernelect.studies.definition import Study, TableSpec
from kernelect.studies.records import StudyTable, TableEntry
from kernelect.studies.statistics import Mean, Values, figure_values, paired


def overall_table(study: Study, cells: list[Outcome], spec: TableSpec) -> StudyTable:
    """Return means over data sets, one column per metric; a data set counts once, however many splits it has."""
    default, metrics = str(study.default), [metric.strip() for metric in spec.metric.split(",")]
    done = {cell.key.method for cell in cells if cell.done}
    methods = [method for method in spec.methods or tuple(study.methods) if method in done]
    known = [figure_values(cells, metric) for metric in metrics]
    rows = tuple(
        (
            TableEntry(text=study.methods[method].label),
            *(_entry(values, list(study.datasets), method, default, spec.digits) for values in known),
        )
        for method in methods
    )
    note = (
        f"Entries: mean over data sets; {study.methods[default].label} minus the method on the splits that both have "
        "± standard error over data sets (data sets where it is lower / higher)."
    )
    return StudyTable(
        title=spec.title, heads=("method", *metrics), rows=rows, notes=(note, *_counted(study, known, methods))
    )


def _entry(values: Values, datasets: list[str], method: str, default: str, digits: int) -> TableEntry:
    means = [Mean.of(values[name, method].values()).mean for name in datasets if values.get((name, method))]
    if not means:
        return TableEntry(text="-")
    text, numbers = fixed(float(np.mean(means)), digits), {"value": float(np.mean(means))}
    pairs = [paired(values, name, default, method) for name in datasets]
    apart = np.array([pair.difference for pair in pairs if pair is not None])
    if len(apart) < 2 or not np.any(apart):
        return TableEntry(text=text, numbers=numbers)
    error = float(apart.std(ddof=1) / np.sqrt(len(apart)))
    lower, higher = int(np.sum(apart < 0)), int(np.sum(apart > 0))
    difference = with_error(float(apart.mean()), error, decimals=digits, sign=True)
    return TableEntry(
        text=f"{text}; {difference} ({lower} / {higher})",
        numbers={**numbers, "difference": float(apart.mean()), "standard_error": error},
    )


def _counted(study: Study, known: list[Values], methods: list[str]) -> list[str]:
    """Return a sentence on methods that were not run on all data sets: their means are of other data sets."""
    counts = {m: sum(any(values.get((name, m)) for values in known) for name in study.datasets) for m in methods}
    most = max(counts.values(), default=0)
    fewer = [f"{study.methods[m].label}: {count}" for m, count in counts.items() if count < most]
    return [f"Of {most} data sets, fewer were run with {'; '.join(fewer)}."] if fewer else []
