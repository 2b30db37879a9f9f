"""Fitted table steps of scikit-learn in the operations of a graph."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectorMixin
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

from kernelect.exceptions import MissingCapability
from kernelect.explain.players import chosen_places
from kernelect.export.cells import Cell, NumberCell, Sheet, TextCell, made
from kernelect.export.encoders import encoded
from kernelect.export.graph import Node, apply, clipped, times
from kernelect.export.inputs import coded, indicated
from kernelect.inputs import CodedColumns


@singledispatch
def traced_step(step: Any, cells: list[Cell], sheet: Sheet) -> list[Cell]:
    """Return what a fitted step makes of cells.

    Parameters
    ----------
    step : transformer
        Fitted.
    cells : list of Cell
        One for each of its columns.
    sheet : Sheet
        Where it is noted what the table's columns hold.
    """
    if step is None or (isinstance(step, str) and step == "passthrough") or changes_types_only(step):
        return cells
    raise MissingCapability(
        f"{type(step).__name__} has no form without Python: only imputers, scalers, encoders, "
        "selectors, PCA and their combinations can be exported, or the machine by itself, pipeline[-1]."
    )


def changes_types_only(step: Any) -> bool:
    """Return whether a step declares that it leaves cells as they are, for machines that code columns themselves."""
    return bool(getattr(step, "changes_types_only", False))


@traced_step.register
def _(step: CodedColumns, cells: list[Cell], sheet: Sheet) -> list[Cell]:
    node = indicated(step.indicators, coded(step.coding, cells, sheet))
    return [NumberCell(node, place, column) for place, column in enumerate(step.owners.tolist())]


@traced_step.register
def _(step: Pipeline, cells: list[Cell], sheet: Sheet) -> list[Cell]:
    for _, part in step.steps:
        cells = traced_step(part, cells, sheet)
    return cells


@traced_step.register
def _(step: FeatureUnion, cells: list[Cell], sheet: Sheet) -> list[Cell]:
    found: list[Cell] = []
    for name, part in step.transformer_list:
        if isinstance(part, str) and part == "drop":
            continue
        weight = (step.transformer_weights or {}).get(name)
        outputs = traced_step(part, cells, sheet)
        found += outputs if weight is None else made(sheet.numbers(outputs) * float(weight), outputs)
    return found


@traced_step.register
def _(step: ColumnTransformer, cells: list[Cell], sheet: Sheet) -> list[Cell]:
    found: dict[int, Cell] = {}
    for name, part, of in step.transformers_:
        outputs = step.output_indices_[name]
        if outputs.stop > outputs.start:
            own = [cells[place] for place in chosen_places(of, step, len(cells))]
            found.update(zip(range(outputs.start, outputs.stop), traced_step(part, own, sheet), strict=True))
    weights = step.transformer_weights or {}
    if weights:
        raise MissingCapability(
            f"ColumnTransformer(transformer_weights={weights!r}) cannot be exported: scale the columns by a step."
        )
    return [found[place] for place in sorted(found)]


@traced_step.register
def _(step: FunctionTransformer, cells: list[Cell], sheet: Sheet) -> list[Cell]:
    if step.func is not None:
        raise MissingCapability(
            f"FunctionTransformer({getattr(step.func, '__name__', 'func')}) is a function of Python, which cannot be "
            "exported: apply it to the table first, and fit the pipeline without it."
        )
    return cells


@traced_step.register
def _(step: SimpleImputer, cells: list[Cell], sheet: Sheet) -> list[Cell]:
    statistics = np.asarray(step.statistics_)
    _check_missing_values(step)
    kept = [place for place in range(len(cells)) if step.keep_empty_features or not _is_nothing(statistics[place])]
    chosen = [cells[place] for place in kept]
    if _are_texts(step, chosen, statistics[kept], sheet):
        found: list[Cell] = [
            TextCell(sheet.texts(cell).column, str(fill)) for cell, fill in zip(chosen, statistics[kept], strict=True)
        ]
    else:
        fills = statistics[kept].astype(float)
        x = sheet.numbers(chosen)
        sheet.remember(chosen, centre=fills)
        found = made(apply("where", apply("missing", x), fills, x), chosen)
    return found if not step.add_indicator else [*found, *traced_step(step.indicator_, cells, sheet)]


def _check_missing_values(step: SimpleImputer | MissingIndicator) -> None:
    if not _is_nothing(step.missing_values):
        raise MissingCapability(
            f"{type(step).__name__}(missing_values={step.missing_values!r}) cannot be exported: mark missing cells by "
            "NaN, and leave missing_values out."
        )


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, float | np.floating) and bool(np.isnan(value)))


def _are_texts(step: SimpleImputer, cells: list[Cell], statistics: Any, sheet: Sheet) -> bool:
    """Return whether an imputer fills texts in."""
    return any(isinstance(fill, str) for fill in statistics) or any(sheet.is_text(cell) for cell in cells)


@traced_step.register
def _(step: MissingIndicator, cells: list[Cell], sheet: Sheet) -> list[Cell]:
    _check_missing_values(step)
    found: list[Cell] = []
    for place in step.features_:
        cell = cells[place]
        if sheet.is_text(cell):
            found += sheet.lookup(sheet.texts(cell), {}, np.ones(1), np.zeros(1))
        else:
            found += made(apply("missing", sheet.numbers([cell])), [cell])
    return found


def _scaled(x: Node, centre: Any, scale: Any) -> Node:
    """Return (x - centre) / scale, either of which may be None."""
    shifted = x if centre is None else x - np.asarray(centre, dtype=float)
    return shifted if scale is None else shifted / np.asarray(scale, dtype=float)


@traced_step.register
def _(step: StandardScaler, cells: list[Cell], sheet: Sheet) -> list[Cell]:
    sheet.remember(cells, step.mean_ if step.with_mean else None, step.scale_)
    centre, scale = step.mean_ if step.with_mean else None, step.scale_ if step.with_std else None
    return made(_scaled(sheet.numbers(cells), centre, scale), cells)


@traced_step.register
def _(step: RobustScaler, cells: list[Cell], sheet: Sheet) -> list[Cell]:
    sheet.remember(cells, step.center_, step.scale_)
    centre, scale = step.center_ if step.with_centering else None, step.scale_ if step.with_scaling else None
    return made(_scaled(sheet.numbers(cells), centre, scale), cells)


@traced_step.register
def _(step: MaxAbsScaler, cells: list[Cell], sheet: Sheet) -> list[Cell]:
    sheet.remember(cells, spread=step.scale_)
    return made(_scaled(sheet.numbers(cells), None, step.scale_), cells)


@traced_step.register
def _(step: MinMaxScaler, cells: list[Cell], sheet: Sheet) -> list[Cell]:
    sheet.remember(cells, 0.5 * (step.data_min_ + step.data_max_), 0.25 * step.data_range_)
    x = sheet.numbers(cells) * step.scale_ + step.min_
    return made(clipped(x, *step.feature_range) if step.clip else x, cells)


@traced_step.register(OneHotEncoder)
@traced_step.register(OrdinalEncoder)
@traced_step.register(TargetEncoder)
def _(step: Any, cells: list[Cell], sheet: Sheet) -> list[Cell]:
    return encoded(step, cells, sheet)


@traced_step.register
def _(step: SelectorMixin, cells: list[Cell], sheet: Sheet) -> list[Cell]:
    return [cells[place] for place in np.flatnonzero(step.get_support())]


@traced_step.register
def _(step: PCA, cells: list[Cell], sheet: Sheet) -> list[Cell]:
    x = sheet.numbers(cells) - step.mean_
    components = step.components_ / np.sqrt(step.explained_variance_)[:, None] if step.whiten else step.components_
    mixed = times(x, components.T)
    return [NumberCell(mixed, place) for place in range(mixed.shape[0])]
