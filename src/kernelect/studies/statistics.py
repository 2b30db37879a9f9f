"""Comparisons between the columns of a study: means with errors, z-scores, signed ranks, critical differences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import rankdata, spearmanr, studentized_range, t, wilcoxon

from kernelect.studies.cells import Outcome
from kernelect.typing import Array

_LARGEST = float(np.finfo(float).max)

#: Digits of a figure that are compared, and share of it below which a difference is rounding.
_DIGITS, _ROUNDING = 7, 1e-6

#: (data set, method) -> split -> figure.
Values = dict[tuple[str, str], dict[int, float]]


def figure_values(cells: Iterable[Outcome], metric: str) -> Values:
    """Return one figure from all finished cells that have it, rounded so that equal results are equal."""
    values: Values = defaultdict(dict)
    for cell in cells:
        figure = cell.figures.get(metric) if cell.done else None
        if isinstance(figure, int | float) and abs(figure) <= _LARGEST:  # neither infinite, nor a huge integer, nor NaN
            values[cell.key.dataset, cell.key.method][cell.key.split] = float(f"{figure:.{_DIGITS}g}")
    return dict(values)


@dataclass(frozen=True, kw_only=True)
class Mean:
    """Mean over splits; the errors are NaN for a single split."""

    mean: float
    standard_error: float
    standard_deviation: float
    smallest: float
    count: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Mean:
        """Summarise some values."""
        array = np.array(list(values), dtype=float)
        deviation = float(array.std(ddof=1)) if len(array) > 1 else float("nan")
        return cls(
            mean=float(array.mean()),
            standard_error=deviation / np.sqrt(len(array)),
            standard_deviation=deviation,
            smallest=float(array.min()),
            count=len(array),
        )


def rank_correlation(first: Sequence[float] | Array, second: Sequence[float] | Array) -> float:
    """Return Spearman's rank correlation, 0 if one of the two never changes."""
    if np.ptp(first) == 0.0 or np.ptp(second) == 0.0:
        return 0.0
    return float(spearmanr(first, second).statistic)


def z_score(ours: Mean, published: Sequence[float]) -> float | None:
    """Return the difference of two means in standard errors, as Cawley & Talbot do; None without errors."""
    if len(published) < 2 or not np.isfinite(ours.standard_error):
        return None
    spread = float(np.hypot(ours.standard_error, published[1]))
    return (ours.mean - published[0]) / spread if spread > 0 else None


@dataclass(frozen=True, kw_only=True)
class Paired:
    """Mean difference over shared splits with its standard error, and the two-sided p of a t-test."""

    difference: float
    standard_error: float
    p_value: float
    count: int


def paired(values: Values, dataset: str, first: str, second: str) -> Paired | None:
    """Compare two methods on the splits that both have."""
    a, b = values.get((dataset, first), {}), values.get((dataset, second), {})
    shared = sorted(set(a) & set(b))
    if not shared:
        return None
    mean = Mean.of(a[split] - b[split] for split in shared)
    if abs(mean.mean) <= _ROUNDING * max(abs(a[split]) for split in shared):
        mean = replace(mean, mean=0.0)
    if not mean.standard_error > 1e-7 * abs(mean.mean):  # one split, or the same in all of them but for rounding
        return Paired(
            difference=mean.mean,
            standard_error=mean.standard_error,
            p_value=1.0 if mean.mean == 0 else float("nan"),
            count=mean.count,
        )
    p = 2.0 * float(t.sf(abs(mean.mean) / mean.standard_error, mean.count - 1))
    return Paired(difference=mean.mean, standard_error=mean.standard_error, p_value=p, count=mean.count)


def significantly_worse(values: Values, datasets: Sequence[str], row: str, column: str, level: float = 0.05) -> int:
    """Count the data sets on which ``row`` has the larger mean and the paired t-test is significant."""
    found = [paired(values, dataset, row, column) for dataset in datasets]
    return sum(pair is not None and pair.difference > 0 and pair.p_value < level for pair in found)


def mean_table(values: Values, datasets: Sequence[str], methods: Sequence[str]) -> Array:
    """Return the means (data sets, methods) over the rows that are complete."""
    rows = [
        [float(f"{Mean.of(values[dataset, method].values()).mean:.{_DIGITS - 1}g}") for method in methods]
        for dataset in datasets
        if all(values.get((dataset, method)) for method in methods)
    ]
    return np.array(rows, dtype=float).reshape(len(rows), len(methods))


def signed_rank(differences: Array) -> float | None:
    """Return the two-sided p of Wilcoxon's signed-rank test over data sets; None if nothing differs."""
    if len(differences) < 2 or not np.any(differences):
        return None
    return float(wilcoxon(differences, zero_method="zsplit").pvalue)


@dataclass(frozen=True)
class Ranks:
    """Mean ranks of methods over data sets (1 is best) and Nemenyi's critical difference."""

    methods: tuple[str, ...]
    mean_rank: Array
    critical_difference: float
    n_datasets: int

    def groups(self) -> list[tuple[int, int]]:
        """Return the longest runs of methods, in the order of rank, that do not differ."""
        order = np.argsort(self.mean_rank, kind="stable")
        ranks = self.mean_rank[order]
        ends = [int(np.searchsorted(ranks, rank + self.critical_difference, side="right")) - 1 for rank in ranks]
        runs = [(first, last) for first, last in enumerate(ends) if last > first]
        return [run for run in runs if not any(a <= run[0] and run[1] <= b and (a, b) != run for a, b in runs)]


def ranks(table: Array, methods: Sequence[str], level: float = 0.05) -> Ranks:
    """Rank the methods on every data set (a row of ``table``, smaller is better).

    J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7 (2006) 1-30.
    """
    n, k = table.shape
    q = float(studentized_range.ppf(1.0 - level, k, np.inf)) / np.sqrt(2.0)
    difference = q * float(np.sqrt(k * (k + 1) / (6.0 * n))) if n else float("nan")
    return Ranks(tuple(methods), np.mean([rankdata(row) for row in table], axis=0), difference, n)
