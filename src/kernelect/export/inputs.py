"""Inputs in the operations of a graph: coded columns, indicators of categories, inputs warped to normal quantiles."""

from __future__ import annotations

import numpy as np

from kernelect.export.cells import Cell, NumberCell, Sheet, made
from kernelect.export.graph import Node, apply, clipped, concatenated, reduced, reshaped, take, times
from kernelect.export.tracing import sine_of_turns
from kernelect.inputs import Coding, Indicators, Warp
from kernelect.inputs.coding import OTHER, WAVES, CategoryCode, MissingCode, NumberCode
from kernelect.inputs.readings import LARGEST, number_codes
from kernelect.typing import Indices


def bounded(cells: list[Cell], sheet: Sheet, codes: list[tuple[float, ...]] | None = None) -> list[Cell]:
    """Return cells in which numbers that are infinite, huge or a code count as missing, as where tables are read."""
    places = [j for j, cell in enumerate(cells) if not sheet.is_text(cell)]
    if not places:
        return cells
    numbers = [cells[j] for j in places]
    x = sheet.numbers(numbers)
    node = apply("where", apply("less", LARGEST, apply("abs", x)), np.nan, x)
    own = [codes[j] if codes else () for j in places]
    for rank in range(max(map(len, own))):
        code = np.array([each[rank] if rank < len(each) else 10.0 * LARGEST for each in own])
        node = apply("where", apply("equal", x, code), np.nan, node)
    tamed = made(node, numbers)
    found = dict(zip(places, tamed, strict=True))
    return [found.get(j, cell) for j, cell in enumerate(cells)]


def coded(coding: Coding, cells: list[Cell], sheet: Sheet) -> Node:
    """Return the inputs that a coding makes of the cells of a row."""
    used = sorted(set(coding.owners.tolist()))
    codes = [number_codes(coding.roles[j].reading) for j in used]
    tamed = dict(zip(used, bounded([cells[j] for j in used], sheet, codes), strict=True))
    found: dict[int, Cell] = {}
    for part in ("value", *WAVES):
        found.update(_numbers(coding, part, tamed, sheet))
    for j, code in enumerate((*coding.numbers, *coding.categories)):
        if isinstance(code, MissingCode):
            found[j] = made(apply("missing", sheet.numbers([tamed[code.column]])), [tamed[code.column]])[0]
        elif isinstance(code, CategoryCode):
            found[j] = _weekday(code, tamed, sheet) if code.weekday else _level(code, tamed, sheet)
    return sheet.numbers([found[j] for j in range(len(coding))])


def indicated(indicators: Indicators, x: Node) -> Node:
    """Return numbers, and whether categories have a level."""
    numbers = take(x, indicators.numeric)
    if not len(indicators.column):
        return numbers
    return concatenated([numbers, apply("equal", take(x, indicators.column), indicators.level)])


def _numbers(coding: Coding, part: str, cells: dict[int, Cell], sheet: Sheet) -> dict[int, Cell]:
    """Return the inputs that are numbers (or waves of dates and times of day), all at once."""
    chosen = {j: code for j, code in enumerate(coding.numbers) if isinstance(code, NumberCode) and code.part == part}
    if not chosen:
        return {}
    codes, own = list(chosen.values()), [cells[code.column] for code in chosen.values()]
    values = sheet.numbers(own)
    if part == "value":
        sheet.remember(own, [code.centre for code in codes], [code.scale for code in codes])
    else:
        period, ahead = WAVES[part]
        values = sine_of_turns(values / period + ahead)
    fill, centre, scale = (np.array([getattr(code, name) for code in codes]) for name in ("fill", "centre", "scale"))
    node = (apply("where", apply("missing", values), fill, values) - centre) / scale
    return dict(zip(chosen, made(node, own), strict=True))


def _level(code: CategoryCode, cells: dict[int, Cell], sheet: Sheet) -> Cell:
    rows = {level: np.array([place + 1.0]) for place, level in enumerate(code.levels, start=OTHER)}
    missing = len(code.levels) + 1.0 if code.missing else float(OTHER)
    return sheet.lookup(sheet.texts(cells[code.column]), rows, np.array([missing]), np.array([float(OTHER)]))[0]


def _weekday(code: CategoryCode, cells: dict[int, Cell], sheet: Sheet) -> Cell:
    """Return the code of a date's weekday; 1970-01-01 was a Thursday, the fourth day of the week."""
    day = apply("floor", sheet.numbers([cells[code.column]])) + 3.0
    weekday = day - 7.0 * apply("floor", day / 7.0)
    levels = np.array([float(level) for level in code.levels])
    places = np.arange(1.0, len(levels) + 1.0)[:, None] + OTHER
    return NumberCell(times(apply("equal", weekday, levels), places), 0, code.column)


def warped(warp: Warp, x: Node) -> Node:
    """Return inputs warped by piecewise linear maps: the first height, plus the share of every rise that x has made."""
    if not len(warp.warped):
        return x
    longest = max(len(knots) for knots in warp.knots)
    shape = (len(warp.warped), longest - 1)
    start, steepness, rise = np.zeros(shape), np.ones(shape), np.zeros(shape)
    for row, (knots, heights) in enumerate(zip(warp.knots, warp.heights, strict=True)):
        pieces = slice(0, len(knots) - 1)
        start[row, pieces], rise[row, pieces] = knots[:-1], np.diff(heights)
        steepness[row, pieces] = 1.0 / np.diff(knots)
    column = reshaped(take(x, warp.warped), (len(warp.warped), 1))
    share = clipped((column - start) * steepness, 0.0, 1.0)
    bent = reduced("sum", share * rise) + np.array([heights[0] for heights in warp.heights])
    return take(concatenated([x, bent]), _order(x.shape[0], warp.warped))


def _order(n_inputs: int, replaced: Indices) -> Indices:
    """Return places in the inputs followed by the replaced ones."""
    order = np.arange(n_inputs)
    order[replaced] = n_inputs + np.arange(len(replaced))
    return order
