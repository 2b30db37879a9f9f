"""Tables on the papers' pages that the studies do not print themselves, made from the cells beside the pages.

``python docs/print_results.py`` writes them into ``docs/results/measured``; a test compares the files with these.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from kernelect.facts.numbers import fixed, with_error
from kernelect.studies.definition import Study
from kernelect.studies.imports import read_cells
from kernelect.studies.statistics import Mean, Values, figure_values, z_score

DATA = Path(__file__).parent / "results" / "data"
MEASURED = DATA.parent / "measured"

Rows = list[Sequence[Any]]


@cache
def _cells(name: str) -> tuple[Study, Callable[[str], Values]]:
    """Return a study and what gives one figure of its cells."""
    study, cells = read_cells(DATA / f"{name}.csv")
    return study, cache(lambda metric: figure_values(cells, metric))


def walks() -> Rows:
    """Table 3 of Gold & Sollich by walks from the paper's start and from random ones, with z of the means."""
    study, figures = _cells("gold2003")
    errors, rows = figures("error"), []
    heads = [f"{kind}: {what}" for kind in ("fixed start", "random starts") for what in ("walks", "error %", "z")]
    for dataset in ("crabs", "pima", "wdbc", "twonorm", "ringnorm"):
        for name in ("le1", "le2", "gacv", "span"):
            mean, deviation = study.published["error"][name][dataset]
            row = [dataset, study.methods[name].label.split(",")[0], f"{mean} ± {deviation}"]
            for method in (f"{name}-fixed", f"{name}-walk"):
                ours = Mean.of(errors[dataset, method].values())
                z = z_score(ours, (mean, deviation / np.sqrt(25)))  # the paper has 25 trials
                row += [ours.count, with_error(ours.mean, ours.standard_deviation, decimals=2), fixed(z, 1, sign=True)]
            rows.append(row)
    return [["data", "criterion", "published", *heads], *rows]


def between() -> Rows:
    """How many straight lines between the ends of two walks go up, and how many lead further down."""
    study, figures = _cells("gold2003")
    rises, better, rows = figures("rise"), figures("better"), []
    for dataset in study.datasets:
        for name in ("le1", "le2", "gacv", "span"):
            if lines := rises.get((dataset, f"{name}-between")):
                up = sum(rise > 0 for rise in lines.values())
                down = sum(found > 0 for found in better[dataset, f"{name}-between"].values())
                rows.append([dataset, study.methods[name].label.split(",")[0], len(lines), up, down])
    total = [sum(row[place] for row in rows) for place in (2, 3, 4)]
    heads = ["data", "criterion", "lines", "lines with a point worse than both ends"]
    return [[*heads, "lines with a point better than both ends"], *rows, ["all", "", *total]]


def columns() -> Rows:
    """Every published column of Cawley & Talbot's table 2 beside ours."""
    study, figures = _cells("cawley2007")
    errors, rows = figures("error"), []
    for method in study.methods.values():
        published = study.published["error"].get(method.published or "", {})
        means = {name: Mean.of(found.values()) for name in published if (found := errors.get((name, method.name)))}
        if means:
            z = [abs(each) for name, mean in means.items() if (each := z_score(mean, published[name])) is not None]
            both = np.mean([published[name][0] for name in means]), np.mean([mean.mean for mean in means.values()])
            close = sum(float(f"{each:.1f}") <= 1.96 for each in z)
            rows.append([method.label, len(means), *(f"{mean:.2f}" for mean in both), close, f"{max(z):.1f}"])
    heads = ["method", "data sets", "published, mean error %", "ours, mean error %"]
    return [[*heads, "entries with z at most 1.96", "largest z"], *rows]


def constant() -> Rows:
    """Gaussian processes with and without a constant in the kernel, on the splits that both have."""
    study, figures = _cells("cawley2007")
    errors, rows = figures("error"), []
    for dataset in study.datasets:
        row: list[Any] = []
        for name in ("ep-gpc", "ep-gpc-ard"):
            kinds = [errors.get((dataset, method), {}) for method in (name, f"{name}-bare")]
            splits = set(kinds[0]) & set(kinds[1])
            if not splits:
                break
            means = [Mean.of(kind[split] for split in splits) for kind in kinds]
            row += [study.published["error"][name][dataset][0], *(f"{mean.mean:.2f}" for mean in means)]
        else:
            rows.append([dataset, len(splits), *row])
    heads = ["EP-GPC: published", "with a constant", "without"]
    return [["data", "splits", *heads, "elliptical: published", *(f"elliptical, {head}" for head in heads[1:])], *rows]


def stopped() -> Rows:
    """Gaussian processes with a width per input by the evidence, stopped by leave-one-out, and selected by it."""
    study, figures = _cells("cawley2007")
    methods, rows = ("ep-gpc-ard", "ep-gpc-ard-early", "ep-gpc-ard-loo"), []
    for dataset in study.datasets:
        if all((dataset, method) in figures("error") for method in methods):
            splits = len(figures("error")[dataset, methods[-1]])
            rows.append([dataset, splits, *_shared_means(figures, "error", dataset, methods)])
    if rows:
        rows.append(["mean", "", *np.mean([row[2:] for row in rows], axis=0)])
    shown = [[*row[:2], *(f"{mean:.2f}" for mean in row[2:])] for row in rows]
    return [["data", "splits", "by the evidence", "stopped by leave-one-out", "selected by leave-one-out"], *shown]


def _shared_means(figures: Callable[[str], Values], metric: str, dataset: str, methods: Sequence[str]) -> list[float]:
    """Return means over the splits of a data set that all methods have."""
    found = [figures(metric)[dataset, method] for method in methods]
    splits = set.intersection(*map(set, found))
    return [float(np.mean([each[split] for split in splits])) for each in found]


def sffs() -> Rows:
    """Steps and sizes of SFFS by three criteria."""
    study, figures = _cells("barrio")
    methods, rows = ("sffs", "sffs-mackay", "sffs-steps"), []
    for dataset, published in study.published["steps"]["sffs"].items():
        if all((dataset, method) in figures("steps") for method in methods):
            steps, sizes = (_shared_means(figures, metric, dataset, methods) for metric in ("steps", "vectors"))
            count = len(set.intersection(*(set(figures("steps")[dataset, method]) for method in methods)))
            shown = [f"{each:.0f}" for each in steps], [f"{each:.1f}" for each in sizes]
            sizes_there = study.published["vectors"]["sffs"][dataset]
            rows.append([dataset, count, *shown[0], published[0], *shown[1], *sizes_there])
    kinds = ("evidence", "eq. 4", "the paper's", "published")
    return [["task", "splits", *(f"{what}: {kind}" for what in ("steps", "functions") for kind in kinds)], *rows]


def backward() -> Rows:
    """Searches that shrink, beside those that grow, on the same fits of the small tasks."""
    study, figures = _cells("barrio")
    labels = {"pta10": "PTA(1,0)", "pta21": "PTA(2,1)", "sffs": "SFFS", "backward": "backward, PTA(0,1)"}
    labels["pta12"] = "PTA(1,2)"
    rows = []
    for size in (64, 128):
        tasks = [name for name in study.datasets if name.endswith(f"_{size}") and (name, "pta12") in figures("mse")]
        fits = sum(len(figures("mse")[task, "pta12"]) for task in tasks)
        for place, label in enumerate(labels.values()):
            over = {
                metric: np.mean([_shared_means(figures, metric, task, list(labels))[place] for task in tasks])
                for metric in ("mse", "vectors", "evidence", "steps")
            }
            shown = f"{over['mse']:.4f}", f"{over['vectors']:.1f}", f"{over['evidence']:.1f}", f"{over['steps']:.0f}"
            rows.append([f"{size} rows, {label}", len(tasks), fits, *shown])
    return [["search", "tasks", "fits", "test error", "functions", "ln evidence", "steps"], *rows]


def seventy() -> Rows:
    """Table 1 of Kropotov, Ptashko & Vetrov with its own number of training rows."""
    study, figures = _cells("kropotov")
    methods = {"as printed": "rvm-printed", "corrected": "rvm-flat", "proper prior": "rvm-centres"}
    methods |= {"five-fold log-loss": "rvm-cv"}
    rows = []
    for dataset in (name for name in study.datasets if name.endswith("_70")):
        N = study.datasets[dataset]["rows"]
        published = [study.published[metric]["me"][dataset] for metric in ("error", "vectors")]
        row = [dataset.removesuffix("_70"), N, *(each[0] for each in published)]
        for name in methods.values():
            errors, sizes = (figures(metric).get((dataset, name)) for metric in ("error", "vectors"))
            if not errors or not sizes:
                row += ["", "", "", ""]
                continue
            mean = Mean.of(errors.values())
            shown = with_error(mean.mean, mean.standard_error if mean.count > 1 else None, decimals=2)
            row += [mean.count, shown, _of_one_test_part(mean, published[0], N), f"{Mean.of(sizes.values()).mean:.1f}"]
        rows.append(row)
    heads = [f"{kind}: {what}" for kind in methods for what in ("splits", "error %", "z", "vectors")]
    return [["data", "N", "published: error %", "published: vectors", *heads], *rows]


def _of_one_test_part(ours: Mean, published: Sequence[float], N: int) -> str:
    """Return z of a mean against the error of one test part, of which there are three rows for seven training rows."""
    if ours.count < 2:
        return ""
    spread = np.sqrt(published[0] * (100.0 - published[0]) * 7 / (3 * N))
    z = z_score(ours, (published[0], float(spread)))
    return "" if z is None else fixed(z, 1, sign=True)


FILES: dict[str, Callable[[], Rows]] = {
    "gold2003-walks.csv": walks,
    "gold2003-between.csv": between,
    "cawley2007-columns.csv": columns,
    "cawley2007-constant.csv": constant,
    "cawley2007-stopped.csv": stopped,
    "barrio-sffs.csv": sffs,
    "barrio-backward.csv": backward,
    "kropotov-70.csv": seventy,
}


def write() -> None:
    """Write every table to its file."""
    for name, make in FILES.items():
        with (MEASURED / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(make())
