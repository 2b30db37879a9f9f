"""The default against every other method over all data sets: differences, wins, tests, ranks and times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.facts.numbers import fixed, number, with_error
from kernelect.numerics import holm
from kernelect.studies.cells import Outcome
from kernelect.studies.definition import Study, TableSpec
from kernelect.studies.records import StudyTable, TableEntry
from kernelect.studies.statistics import Mean, Values, figure_values, mean_table, paired, ranks, signed_rank
from kernelect.typing import Array

#: Share of the standard error over data sets within which two methods are tied on one of them.
TIED = 0.1

_HEADS = ("method", "mean", "difference", "won / tied / lost", "p", "without one", "mean rank", "time ratio")


@dataclass(frozen=True, kw_only=True)
class _Duel:
    """The default minus another method, one difference per data set that both have."""

    datasets: list[str]
    apart: Array
    sign: float  # -1 if more is better

    @property
    def error(self) -> float:
        return float(self.apart.std(ddof=1) / np.sqrt(len(self.apart))) if len(self.apart) > 1 else float("nan")

    def counts(self) -> tuple[int, int, int]:
        """Return the data sets where the default is better, as good, and worse."""
        tied = np.abs(self.apart) <= TIED * self.error
        better = self.sign * self.apart < 0
        return int(np.sum(better & ~tied)), int(np.sum(tied)), int(np.sum(~better & ~tied))

    def without_one(self) -> tuple[float, str]:
        """Return the mean difference without the data set that moves it most, and that data set."""
        most = int(np.argmax(np.abs(self.apart - self.apart.mean())))
        return float(np.delete(self.apart, most).mean()), self.datasets[most]


def against_table(study: Study, cells: list[Outcome], spec: TableSpec) -> StudyTable | None:
    """Return a row per method; a data set counts once, however many splits it has."""
    default, values = str(study.default), figure_values(cells, spec.metric)
    datasets = [name for name in study.datasets if values.get((name, default))]
    others = [
        name
        for name in spec.methods or study.methods
        if name != default and sum(paired(values, dataset, default, name) is not None for dataset in datasets) > 1
    ]
    if not others:
        return None
    duels = {name: _duel(values, datasets, default, name, spec) for name in others}
    tests = [signed_rank(duel.apart) for duel in duels.values()]
    p_values = dict(zip(others, holm([1.0 if p is None else p for p in tests]), strict=True))
    sign = -1.0 if spec.best == "largest" else 1.0
    table = sign * mean_table(values, datasets, [default, *others])
    found = ranks(table, [default, *others]) if len(table) else None
    places = [fixed(rank, 2) for rank in found.mean_rank] if found else [""] * (1 + len(others))
    times = figure_values(cells, "fit_seconds")
    first = _words(study.methods[default].label, _mean(values, datasets, default, spec), "", "", "", "", places[0], "")
    rows = [first]
    for name, place in zip(others, places[1:], strict=True):
        duel = duels[name]
        rest, left_out = duel.without_one()
        difference = float(duel.apart.mean())
        words = _words(
            study.methods[name].label,
            _mean(values, datasets, name, spec),
            with_error(difference, duel.error, decimals=spec.digits, sign=True),
            " / ".join(map(str, duel.counts())),
            "<0.001" if p_values[name] < 0.001 else fixed(p_values[name], 3),
            f"{fixed(rest, spec.digits, sign=True)} ({left_out})",
            place,
            _ratio(times, datasets, default, name),
        )
        won, tied, lost = duel.counts()
        numbers = {"difference": difference, "standard_error": duel.error, "p": float(p_values[name])}
        counted = TableEntry(text=words[2].text, numbers={**numbers, "won": won, "tied": tied, "lost": lost})
        rows.append((*words[:2], counted, *words[3:]))
    label = study.methods[default].label
    notes = [
        f"{len(datasets)} data sets. Difference: {label} minus the method on shared splits ± standard error over data "
        f"sets; tied: within a tenth of that. p: Wilcoxon, corrected by Holm for {len(others)} methods. Without one: "
        "without the data set that moves it most. Time ratio: ours over the method's, the median.",
    ]
    if found:
        notes.append(
            f"Mean ranks over the {found.n_datasets} data sets that all methods have; critical difference "
            f"{found.critical_difference:.2f} (Nemenyi, 5 %)."
        )
    counts = {study.methods[name].label: len(duel.apart) for name, duel in duels.items()}
    fewer = [f"{words}: {count}" for words, count in counts.items() if count < len(datasets)]
    if fewer:
        notes.append(f"Fewer data sets: {'; '.join(fewer)}.")
    return StudyTable(title=spec.title, heads=_HEADS, rows=tuple(rows), notes=tuple(notes))


def _duel(values: Values, datasets: list[str], default: str, name: str, spec: TableSpec) -> _Duel:
    pairs = {dataset: paired(values, dataset, default, name) for dataset in datasets}
    known = {dataset: pair.difference for dataset, pair in pairs.items() if pair is not None}
    return _Duel(
        datasets=list(known), apart=np.array(list(known.values())), sign=-1.0 if spec.best == "largest" else 1.0
    )


def _mean(values: Values, datasets: list[str], name: str, spec: TableSpec) -> str:
    means = [Mean.of(values[dataset, name].values()).mean for dataset in datasets if values.get((dataset, name))]
    return fixed(float(np.mean(means)), spec.digits)


def _ratio(times: Values, datasets: list[str], default: str, name: str) -> str:
    found = []
    for dataset in datasets:
        ours, theirs = times.get((dataset, default), {}), times.get((dataset, name), {})
        shared = set(ours) & set(theirs)
        if shared and all(theirs[split] > 0 for split in shared):
            found.append(sum(ours[split] for split in shared) / sum(theirs[split] for split in shared))
    return number(float(np.median(found)), 2) if found else ""


def _words(*texts: str) -> tuple[TableEntry, ...]:
    return tuple(TableEntry(text=text) for text in texts)
