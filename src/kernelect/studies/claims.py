"""The paper's claims next to our results: where one method is significantly better or worse than another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from kernelect.facts.numbers import fixed
from kernelect.studies.cells import Outcome
from kernelect.studies.definition import Claim, Study
from kernelect.studies.records import StudyTable, TableEntry
from kernelect.studies.statistics import Mean, figure_values, signed_rank, z_score

#: z beyond which Cawley & Talbot (2007) call a difference of two means significant.
_SIGNIFICANT = 1.64

_HEADS = (
    "the paper says",
    "better on: said",
    "by its own table",
    "found",
    "worse on: said",
    "by its own table",
    "found",
    "as said",
    "Wilcoxon, p",
)


def claims_table(study: Study, cells: Sequence[Outcome]) -> list[StudyTable]:
    """Return the table of the study's claims for which there are cells of both methods; none if there are none."""
    rows = tuple(row for claim in study.claims if (row := _row(study, cells, claim)) is not None)
    note = (
        f"Better and worse: z of the difference of means beyond {_SIGNIFICANT} (Cawley & Talbot 2007), in brackets. "
        "Data sets with fewer than two splits of both methods are left out on both sides. As said: data sets where the "
        "sentence and our runs agree. Wilcoxon's signed-rank test is over the same data sets."
    )
    return [StudyTable(title="The paper says / we find", heads=_HEADS, rows=rows, notes=(note,))] if rows else []


def _row(study: Study, cells: Sequence[Outcome], claim: Claim) -> tuple[TableEntry, ...] | None:
    found = _found(study, cells, claim)
    if not found:
        return None
    z = {name: z_score(first, (second.mean, second.standard_error)) for name, (first, second) in found.items()}
    own = _own_table(study, claim, found)
    said = {name: (name in claim.worse) - (name in claim.better) for name in found}
    agree = sum(said[name] == _verdict(z[name]) for name in found)
    p = signed_rank(np.array([first.mean - second.mean for first, second in found.values()]))
    better = _listed(said, -1), _with_z(own, -1), _with_z(z, -1)
    worse = _listed(said, 1), _with_z(own, 1), _with_z(z, 1)
    texts = claim.says, *better, *worse, f"{agree} of {len(found)}", "-" if p is None else f"{p:.3f}"
    return tuple(TableEntry(text=text) for text in texts)


def _found(study: Study, cells: Sequence[Outcome], claim: Claim) -> dict[str, tuple[Mean, Mean]]:
    """Return the means of both methods on the data sets that have at least two splits of each."""
    values = figure_values(cells, claim.metric)
    pairs = {d: (values.get((d, claim.first), {}), values.get((d, claim.second), {})) for d in study.datasets}
    return {d: (Mean.of(a.values()), Mean.of(b.values())) for d, (a, b) in pairs.items() if min(len(a), len(b)) > 1}


def _own_table(study: Study, claim: Claim, datasets: Iterable[str]) -> dict[str, float | None]:
    """Return z of the published means, if they have standard errors."""
    columns = study.published.get(claim.metric, {})
    first, second = (columns.get(study.methods[m].published or m, {}) for m in (claim.first, claim.second))
    both = [name for name in datasets if len(first.get(name, ())) > 1 and len(second.get(name, ())) > 1]
    return {name: _z_of(first[name], second[name]) for name in both}


def _z_of(first: Sequence[float], second: Sequence[float]) -> float | None:
    spread = float(np.hypot(first[1], second[1]))
    return (first[0] - second[0]) / spread if spread > 0.0 else None


def _verdict(z: float | None) -> int:
    """Return -1 if the first is significantly better (smaller), 1 if it is worse."""
    return 0 if z is None or abs(z) <= _SIGNIFICANT else int(np.sign(z))


def _listed(said: Mapping[str, int], verdict: int) -> str:
    return ", ".join(name for name, each in said.items() if each == verdict) or "none"


def _with_z(z: Mapping[str, float | None], verdict: int) -> str:
    return (
        ", ".join(
            f"{name} ({fixed(each, 1, sign=True)})" for name, each in z.items() if each and _verdict(each) == verdict
        )
        or "none"
    )
