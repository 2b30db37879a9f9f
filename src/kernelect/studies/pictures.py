"""Results as pictures: each kind takes the cells of a study and saves one or more files."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument, KernelectError, reason_of, unknown_name
from kernelect.files import make_folder, write_whole
from kernelect.plots import (
    CriteriaCurveDisplay,
    CriticalDifferenceDisplay,
    ErrorHistogramDisplay,
    EvolutionDisplay,
    PairedScatterDisplay,
)
from kernelect.plots.style import house_style
from kernelect.studies.statistics import Values, figure_values, mean_table, ranks
from kernelect.studies.store import Results, ResultsError
from kernelect.studies.tables import first_metric


def save_pictures(
    results: Results,
    kind: str,
    out: Path,
    *,
    metric: str | None = None,
    methods: Sequence[str] = (),
    suffix: str = "png",
    force: bool = False,
) -> list[Path]:
    """Draw one kind of picture into the folder ``out`` and return the files."""
    if kind not in KINDS:
        raise unknown_name("--kind", kind, list(KINDS))
    import matplotlib

    matplotlib.use("Agg")
    make_folder(out)
    metric = metric or first_metric(list(results.cells()))
    values = figure_values(results.cells(), metric)
    if not values:
        raise InvalidArgument(f"No cell of {results.path} has {metric!r} yet: run the study, or give another --metric.")
    try:
        figures = KINDS[kind](results, values, metric, tuple(methods))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        if isinstance(error, KernelectError):
            raise
        raise ResultsError(
            f"The results file {results.path} holds cells of which no {kind} can be drawn ({reason_of(error)}): choose "
            "another --kind, or run its study into another --out."
        ) from error
    paths = []
    with house_style("kernelect study plot") as plt:
        for name, figure in figures:
            paths.append(out / f"{kind}-{_as_file_name(name)}.{suffix}")
            picture = io.BytesIO()
            figure.savefig(picture, format=suffix, bbox_inches="tight")
            write_whole(paths[-1], picture.getvalue(), force)
            plt.close(figure)
    return paths


def _as_file_name(name: str) -> str:
    """Return the name of a data set, which comes from a file, as a part of a file's name: it leads to no folder."""
    return re.sub(r"[/\\:\x00-\x1f]+", "_", name)


Named = list[tuple[str, Any]]


def _shown(results: Results, values: Values, methods: tuple[str, ...]) -> list[str]:
    have = {method for _, method in values}
    for name in methods:
        if name not in have:
            raise unknown_name("--methods", name, sorted(have))
    return [name for name in results.study.methods if name in (methods or have)]


def _histograms(results: Results, values: Values, metric: str, methods: tuple[str, ...]) -> Named:
    study, figures = results.study, []
    for dataset in study.datasets:
        errors = {
            study.methods[method].label: list(values[dataset, method].values())
            for method in _shown(results, values, methods)
            if values.get((dataset, method))
        }
        if errors:
            axes = ErrorHistogramDisplay.from_errors(errors).plot(title=dataset, label=_words(metric))
            figures.append((dataset, axes[0].figure))
    return figures


def _critical_difference(results: Results, values: Values, metric: str, methods: tuple[str, ...]) -> Named:
    study, shown = results.study, _shown(results, values, methods)
    table = mean_table(values, list(study.datasets), shown)
    if len(table) < 3 or len(shown) < 2:
        raise InvalidArgument(
            f"A critical-difference diagram needs two methods on three data sets that all of them have; {len(shown)} "
            f"methods share {len(table)}: run more cells, or name fewer by --methods."
        )
    found = ranks(table, shown)
    labels = tuple(study.methods[method].label for method in shown)
    display = CriticalDifferenceDisplay(labels, found.mean_rank, found.critical_difference, found.groups())
    title = f"Mean rank by {_words(metric)} over {found.n_datasets} data sets"
    return [(metric, display.plot(title=title).figure)]


def _scatter(results: Results, values: Values, metric: str, methods: tuple[str, ...]) -> Named:
    """Every method against the study's default, or two named methods against each other."""
    study, shown = results.study, _shown(results, values, methods)
    against = methods[1] if len(methods) == 2 else study.default or shown[-1]
    figures = []
    for other in shown:
        pairs = {d: sorted(set(values.get((d, other), {})) & set(values.get((d, against), {}))) for d in study.datasets}
        pairs = {dataset: splits for dataset, splits in pairs.items() if splits}
        if other == against or not pairs:
            continue
        x = {d: [values[d, other][split] for split in splits] for d, splits in pairs.items()}
        y = {d: [values[d, against][split] for split in splits] for d, splits in pairs.items()}
        x_label, y_label = (f"{study.methods[m].label}: {_words(metric)}" for m in (other, against))
        pair = PairedScatterDisplay(x=x, y=y, x_label=x_label, y_label=y_label)
        figures.append((f"{other}-{against}", pair.plot().figure))
    if not figures:
        raise InvalidArgument(f"No other method shares a split with {against!r}: run more of them, or name two.")
    return figures


def _evolution(results: Results, values: Values, metric: str, methods: tuple[str, ...]) -> Named:
    """The way of the first start of every data set, if the cells kept it."""
    del values, metric
    figures, seen = [], set[tuple[str, str]]()
    for cell in results.cells():
        pair = cell.key.dataset, cell.key.method
        path = cell.figures.get("path")
        if path is None or pair in seen or (methods and cell.key.method not in methods):
            continue
        seen.add(pair)
        title = f"{cell.key.dataset}, {results.study.methods[cell.key.method].label}, start {cell.key.split}"
        for part, places in _parts(path).items():
            axes = _display(path, places).plot()
            axes[0].set_title(title, loc="left")
            figures.append((f"{cell.key.dataset}-{cell.key.method}{part}", axes[0].figure))
    if not figures:
        raise InvalidArgument(
            f"No cell of {results.path} holds the steps of its search: run a method with the option evolution = true "
            "(hmc of gold2003 is one), or choose another --kind."
        )
    return figures


def _parts(path: dict[str, Any]) -> dict[str, list[int]]:
    """Return the hyper-parameters of each picture: with derivatives in all of them, lengths have one of their own."""
    names = path["names"]
    if "gradient" not in path:
        return {"": list(range(len(names)))}
    lengths = [place for place, name in enumerate(names) if name.startswith("l[")]
    return {"-lengths": lengths, "-others": [place for place in range(len(names)) if place not in lengths]}


def _display(path: dict[str, Any], places: list[int]) -> EvolutionDisplay:
    """Return the record of the way of some hyper-parameters."""
    label, beside_label = path.get("words", ("criterion", ""))
    known = {name: np.array(path[name], dtype=float) for name in ("beside", "gradient") if name in path}
    return EvolutionDisplay(
        theta=np.array(path["theta"], dtype=float)[:, places],
        names=tuple(path["names"][place] for place in places),
        gradient_norm=np.array(path["gradient_norm"], dtype=float),
        value=np.array(path["value"], dtype=float),
        error=np.array(path["error"], dtype=float) / 100.0,
        run=np.zeros(len(path["value"])),
        label=label,
        error_label="test error %",
        beside=known.get("beside"),
        beside_label=beside_label,
        gradient=known["gradient"][:, places] if "gradient" in known else None,
        number=np.array(path["evaluation"]),
    )


def _curves(results: Results, values: Values, metric: str, methods: tuple[str, ...]) -> Named:
    """Criteria and test error over one hyper-parameter, on the first split of every data set that has them."""
    del values, metric
    found: dict[str, dict[str, Any]] = {}
    for cell in results.cells():
        method, curve = cell.key.method, cell.figures.get("curve")
        if curve is not None and (not methods or method in methods):
            found.setdefault(cell.key.dataset, {}).setdefault(method, curve)
    if not found:
        raise InvalidArgument(
            f"No cell of {results.path} holds a curve over one hyper-parameter: run a method that keeps one "
            "(along-centres of kropotov is one), or choose another --kind."
        )
    figures = []
    for dataset, curves in found.items():
        first = next(iter(curves.values()))
        display = CriteriaCurveDisplay(
            x=np.array(first["x"]),
            x_label=first["x_label"],
            values={results.study.methods[name].label: np.array(curve["value"]) for name, curve in curves.items()},
            error=np.array(first["error"]),
        )
        figures.append((dataset, display.plot(title=dataset)[0].figure))
    return figures


KINDS: dict[str, Callable[[Results, Values, str, tuple[str, ...]], Named]] = {
    "histogram": _histograms,
    "critical-difference": _critical_difference,
    "scatter": _scatter,
    "evolution": _evolution,
    "curve": _curves,
}


def _words(metric: str) -> str:
    return {"error": "test error, %", "mse": "test mean squared error", "log_loss": "log-loss"}.get(metric, metric)
