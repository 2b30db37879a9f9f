"""Results as tables: builds records of words and figures, which :mod:`kernelect.studies.formats` renders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kernelect.exceptions import InvalidArgument, unknown_name
from kernelect.facts.numbers import as_printed, fixed, with_error
from kernelect.studies.against import against_table
from kernelect.studies.ahead import ahead_table
from kernelect.studies.cells import Outcome
from kernelect.studies.claims import claims_table
from kernelect.studies.definition import Study, TableSpec
from kernelect.studies.records import BEST, SECOND, StudyTable, TableEntry
from kernelect.studies.statistics import (
    Mean,
    Values,
    figure_values,
    mean_table,
    paired,
    ranks,
    signed_rank,
    significantly_worse,
    z_score,
)
from kernelect.studies.store import Results
from kernelect.typing import Array


def make_tables(results: Results, metric: str | None = None) -> list[StudyTable]:
    """Return the tables that the study's definition asks for, or one table of a single figure."""
    study, cells = results.study, list(results.cells())
    if metric is not None:
        return [_one_metric(study, cells, metric)]
    specs = study.tables or _only_table(study, first_metric(cells))
    made = [_table(study, cells, spec) for spec in specs]
    tables = [table for table in made if table is not None]
    main = next((spec for spec in specs if spec.kind not in ("against", "ahead")), None)
    if study.default is not None and study.default in study.methods and main is not None and main.best == "smallest":
        tables += _against_others(study, cells, main)
    return [*tables, *claims_table(study, cells)]


def _only_table(study: Study, metric: str) -> tuple[TableSpec, ...]:
    """Return the table of a study that asks for none."""
    return (TableSpec(title=f"Results: {metric}", metric=metric, published=metric if study.published else None),)


def _one_metric(study: Study, cells: list[Outcome], metric: str) -> StudyTable:
    known = sorted({key for cell in cells for key, value in cell.figures.items() if isinstance(value, int | float)})
    if metric not in known:
        raise unknown_name("--metric", metric, known)
    best = "smallest" if metric in ("error", "mse", "log_loss", "brier") else "none"
    table = _table(study, cells, TableSpec(title=metric, metric=metric, digits=3, best=best))
    assert table is not None
    return table


def first_metric(cells: list[Outcome]) -> str:
    """Return the figure that is shown for a cell by default."""
    for name in ("error", "mse"):
        if any(name in cell.figures for cell in cells):
            return name
    raise InvalidArgument(
        f"The study has {len(cells)} finished cells, and none of them has an 'error' or 'mse' to show: run more, or "
        "name a figure with --metric."
    )


def _table(study: Study, cells: list[Outcome], spec: TableSpec) -> StudyTable | None:
    cells = _of_targets(cells, spec.targets)
    if spec.kind == "order":
        return _order_table(study, cells, spec)
    if spec.kind == "against":
        return against_table(study, cells, spec)
    if spec.kind == "ahead":
        return ahead_table(study, cells, spec)
    values = figure_values(cells, spec.metric)
    if spec.over is not None:
        values = _over(values, spec.over)
    wanted = spec.methods or tuple(study.methods)
    methods = [name for name in wanted if any(values.get((dataset, name)) for dataset in study.datasets)]
    datasets = [name for name in study.datasets if any(values.get((name, method)) for method in methods)]
    if not methods:
        return None
    if spec.kind == "worse":
        return _worse_table(study, values, spec, methods, datasets)
    return _means_table(study, cells, values, spec, methods, datasets)


def _over(values: Values, method: str) -> Values:
    """Return figures divided by the mean of one method on the same data set, where that is known."""
    units = {dataset: Mean.of(found.values()).mean for (dataset, name), found in values.items() if name == method}
    return {
        (dataset, name): {split: value / units[dataset] for split, value in found.items()}
        for (dataset, name), found in values.items()
        if dataset in units
    }


def _of_targets(cells: list[Outcome], targets: str) -> list[Outcome]:
    """Return the cells of data sets with labels, which have a log-loss, or of the others."""
    if targets == "all":
        return cells
    labels = {cell.key.dataset for cell in cells if "log_loss" in cell.figures}
    return [cell for cell in cells if (cell.key.dataset in labels) == (targets == "labels")]


def _means_table(
    study: Study, cells: list[Outcome], values: Values, spec: TableSpec, methods: list[str], datasets: list[str]
) -> StudyTable:
    rows = []
    for dataset in datasets:
        if spec.rows == "published" and not any(_published(study, spec, dataset, method) for method in methods):
            continue
        means = {m: Mean.of(values[dataset, m].values()) for m in methods if values.get((dataset, m))}
        marks = _emphasis({method: _shown(spec, mean) for method, mean in means.items()}, spec.best)
        entries = [_entry(study, spec, dataset, method, means.get(method), marks.get(method, "")) for method in methods]
        rows.append((TableEntry(text=f"{dataset} ({_split_counts(cells, dataset, methods)})"), *entries))
    heads = ("data (splits)", *(study.methods[method].label for method in methods))
    with_z = any("z" in entry.numbers for row in rows for entry in row)
    notes = (_legend(spec, with_z), *_rank_notes(study, values, spec, methods, datasets))
    return StudyTable(title=spec.title, heads=heads, rows=tuple(rows), notes=notes)


def _split_counts(cells: list[Outcome], dataset: str, methods: list[str]) -> str:
    """Return the number of splits, the smallest and largest over methods, and how many are published ones."""
    of_methods = [[c for c in cells if c.done and c.key.dataset == dataset and c.key.method == m] for m in methods]
    counts = sorted({len(each) for each in of_methods if each})
    original = max((sum(c.figures.get("split_kind") == "original" for c in each) for each in of_methods), default=0)
    text = "-".join(str(count) for count in (counts[:1] if len(counts) == 1 else (counts[0], counts[-1])))
    return f"{text}, {original} original" if original else text


def _emphasis(means: Mapping[str, float], best: str) -> dict[str, str]:
    if best == "none" or len(means) < 2:
        return {}
    ordered = sorted(means, key=lambda name: means[name] if best == "smallest" else -means[name])
    return {ordered[0]: BEST, ordered[1]: SECOND}


def _shown(spec: TableSpec, mean: Mean) -> float:
    return mean.smallest if spec.kind == "smallest" else mean.mean


def _entry(study: Study, spec: TableSpec, dataset: str, method: str, mean: Mean | None, mark: str) -> TableEntry:
    if mean is None:
        return TableEntry(text="-")
    smallest = spec.kind == "smallest"
    spread = mean.standard_deviation if spec.spread == "standard deviation" else mean.standard_error
    value = _shown(spec, mean)
    text = with_error(value, None if smallest else spread, decimals=spec.digits)
    numbers = {"value": value, "spread": spread, "splits": float(mean.count)}
    published = _published(study, spec, dataset, method)
    if published:
        numbers["published"] = float(published[0])
        z = z_score(mean, published) if spec.spread == "standard error" and not smallest else None
        if z is not None:
            text += f" / {as_printed(published[0])} ({fixed(z, 1, sign=True)})"
            numbers["z"] = z
        else:
            text += f" / {as_printed(*published[:2])}"
    return TableEntry(text=text, emphasis=mark, numbers=numbers)


def _published(study: Study, spec: TableSpec, dataset: str, method: str) -> Sequence[float]:
    column = study.methods[method].published or method
    if spec.published is None:
        return ()
    return tuple(study.published.get(spec.published, {}).get(column, {}).get(dataset, ()))


def _legend(spec: TableSpec, with_z: bool) -> str:
    parts = ["smallest over splits" if spec.kind == "smallest" else f"mean ± {spec.spread} over splits"]
    if spec.published:
        parts[0] += " / published" + (" (z-score of the difference)" if with_z else "")
    if spec.best != "none":
        parts.append(f"bold: {spec.best}, italic: second")
    return f"Entries: {'; '.join(parts)}."


def _rank_notes(
    study: Study, values: Values, spec: TableSpec, methods: list[str], datasets: list[str]
) -> tuple[str, ...]:
    table = mean_table(values, datasets, methods)
    if len(table) < 3 or len(methods) < 2 or spec.best != "smallest" or spec.kind != "means":
        return ()
    found = ranks(table, methods)
    order = np.argsort(found.mean_rank, kind="stable")
    listed = ", ".join(f"{study.methods[methods[i]].label} {found.mean_rank[i]:.2f}" for i in order)
    return (
        f"Mean ranks over {found.n_datasets} data sets: {listed}; critical difference "
        f"{found.critical_difference:.2f} (Nemenyi, 5 %).",
    )


def _worse_table(study: Study, values: Values, spec: TableSpec, methods: list[str], datasets: list[str]) -> StudyTable:
    published = study.published.get(spec.published or "", {})
    rows = []
    for row in methods:
        entries = []
        for column in methods:
            count = significantly_worse(values, datasets, row, column)
            there = published.get(row, {}).get(column)
            text = "-" if row == column else f"{count}" + (f" / {there[0]:g}" if there else "")
            entries.append(TableEntry(text=text, numbers={"count": float(count)}))
        rows.append((TableEntry(text=study.methods[row].label), *entries))
    heads = ("worse than", *(study.methods[method].label for method in methods))
    note = f"Of {len(datasets)} data sets" + (" / the published count." if published else ".")
    return StudyTable(title=spec.title, heads=heads, rows=tuple(rows), notes=(note,))


def _order_table(study: Study, cells: list[Outcome], spec: TableSpec) -> StudyTable | None:
    """Methods in the order of their mean ranks over data sets, by each of several figures."""
    methods, columns = list(spec.methods or study.methods), []
    for metric in spec.metric.split(","):
        table = mean_table(figure_values(cells, metric.strip()), list(study.datasets), methods)
        if not len(table):
            return None
        mean_rank = ranks(table, methods).mean_rank
        order = np.argsort(mean_rank, kind="stable")
        columns.append([TableEntry(text=f"{study.methods[methods[i]].label} ({mean_rank[i]:.2f})") for i in order])
    rows = tuple((TableEntry(text=f"{place}"), *entries) for place, entries in enumerate(zip(*columns, strict=True), 1))
    heads = ("place", *(metric.strip() for metric in spec.metric.split(",")))
    return StudyTable(
        title=spec.title,
        heads=heads,
        rows=rows,
        notes=(f"Mean rank over {len(table)} data sets in brackets; smaller is better.",),
    )


def _against_others(study: Study, cells: list[Outcome], spec: TableSpec) -> list[StudyTable]:
    """The default against every other method: per data set, and over all of them."""
    default = str(study.default)
    values = figure_values(cells, spec.metric)
    others = [m for m in study.methods if m != default and any(values.get((d, m)) for d in study.datasets)]
    datasets = [d for d in study.datasets if values.get((d, default))]
    if not others or not datasets:
        return []
    rows = []
    for dataset in datasets:
        entries = [_paired_entry(values, dataset, default, other, spec.digits) for other in others]
        rows.append((TableEntry(text=dataset), *entries))
    rows.append(
        (TableEntry(text="Wilcoxon over data sets, p"), *(_wilcoxon(values, datasets, default, o) for o in others))
    )
    label = study.methods[default].label
    title = f"{label} minus each other method, on the same splits"
    heads = ("data", *(study.methods[other].label for other in others))
    note = (
        "Entries: mean difference ± standard error (negative: the default is better); bold: significant at 5 % "
        "(paired t-test)."
    )
    tables = [StudyTable(title=title, heads=heads, rows=tuple(rows), notes=(note,))]
    return [*tables, *_against_published(study, values, spec, datasets)]


def _against_published(study: Study, values: Values, spec: TableSpec, datasets: list[str]) -> list[StudyTable]:
    """The default's means against the published ones: other splits, so z-scores and no pairs."""
    columns = study.published.get(spec.published or "", {})
    labels = {method.published or method.name: method.label for method in reversed(list(study.methods.values()))}
    labels = {name: labels[name] for name in columns if name in labels}
    if not labels or spec.spread != "standard error":
        return []
    means = {dataset: Mean.of(values[dataset, str(study.default)].values()) for dataset in datasets}
    rows = []
    for dataset in datasets:
        entries = [_published_entry(means[dataset], columns[name].get(dataset, ()), spec.digits) for name in labels]
        rows.append((TableEntry(text=dataset), *entries))
    tests = []
    for name in labels:
        shared = [dataset for dataset in datasets if dataset in columns[name]]
        ours, theirs = [float(f"{means[d].mean:.6g}") for d in shared], [columns[name][d][0] for d in shared]
        tests.append(_signed_rank_entry(np.array(ours) - np.array(theirs)))
    rows.append((TableEntry(text="Wilcoxon over data sets, p"), *tests))
    title = f"{study.methods[str(study.default)].label} minus the published columns"
    note = "Entries: difference of the means (z-score); negative: the default is better; bold: |z| > 1.96."
    return [
        StudyTable(
            title=title,
            heads=("data", *(f"{label}, published" for label in labels.values())),
            rows=tuple(rows),
            notes=(note,),
        )
    ]


def _published_entry(ours: Mean, published: Sequence[float], digits: int) -> TableEntry:
    z = z_score(ours, published)
    if z is None:
        return TableEntry(text="-")
    difference = ours.mean - published[0]
    mark = BEST if abs(z) > 1.96 else ""
    return TableEntry(
        text=f"{fixed(difference, digits, sign=True)} ({fixed(z, 1, sign=True)})",
        emphasis=mark,
        numbers={"difference": difference, "z": z},
    )


def _paired_entry(values: Values, dataset: str, default: str, other: str, digits: int) -> TableEntry:
    found = paired(values, dataset, default, other)
    if found is None:
        return TableEntry(text="-")
    mark = BEST if found.p_value < 0.05 else ""
    numbers = {"difference": found.difference, "standard_error": found.standard_error, "p": found.p_value}
    return TableEntry(
        text=with_error(found.difference, found.standard_error, decimals=digits, sign=True),
        emphasis=mark,
        numbers=numbers,
    )


def _wilcoxon(values: Values, datasets: list[str], default: str, other: str) -> TableEntry:
    """Signed ranks of the mean paired differences, on the data sets that both have."""
    found = [paired(values, dataset, default, other) for dataset in datasets]
    return _signed_rank_entry(np.array([pair.difference for pair in found if pair is not None]))


def _signed_rank_entry(differences: Array) -> TableEntry:
    p = signed_rank(differences)
    if p is None:
        return TableEntry(text="-")
    fewer, more = int(np.sum(differences < 0)), int(np.sum(differences > 0))
    return TableEntry(text=f"{p:.3f} (better {fewer}, worse {more})", numbers={"p": p, "better": fewer, "worse": more})
