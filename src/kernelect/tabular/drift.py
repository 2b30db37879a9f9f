"""Whether new rows come from where the training rows came from: column by column, and by the model's own kernel.

A model keeps how often its training rows had each category, and numbers between tenths of their range of ranks. New
rows are counted likewise, and the two rows of counts compared by chi-square. What is reported is both unlikely by
chance, among all columns (Holm), and large enough to matter.
"""

from __future__ import annotations

from datetime import date, timedelta
from functools import partial

import numpy as np
import pandas as pd
from scipy.special import chdtrc

from kernelect.facts.drift_record import DriftedColumn, DriftFacts, DriftPageFacts, DriftPart
from kernelect.facts.names import plain_name, short_name
from kernelect.facts.numbers import apart, are_years, percent, trimmed
from kernelect.model import KernelPart, Model
from kernelect.numerics import holm
from kernelect.tabular.columns import MOST_CATEGORIES, Column
from kernelect.tabular.schema import Schema
from kernelect.tabular.table_model import Seen, TableModel

#: Probability by chance below which a column differs, and the share of rows that lie elsewhere from which it matters.
_UNLIKELY, _MATTERS = 0.01, 0.1

#: Parts of the ranks into which training numbers are cut, and rows that chi-square expects in each part it compares.
_PARTS, _EXPECTED = 10, 5.0

_DIFFER = (
    "What the model claims about its errors may not hold for these rows. Look whether the columns below mean the same "
    "as before; then score the model on such rows whose truth is known (kernelect evaluate MODEL TABLE), or fit it "
    "again with them."
)
_ALIKE = "Predict these rows as they are (kernelect predict MODEL TABLE)."
_UNKNOWN = "Give more rows to compare, or fit the model again with this version."

_RANKS = np.arange(1, _PARTS) / _PARTS

#: New rows below which nothing is compared, and columns that a remark names.
LEAST_ROWS, _MOST_NAMED = 20, 3

#: Letters of a category in a figure.
_SHORT = 16

#: Parts of a column that a page lists; the others are added up.
_MOST_PARTS = 12

#: Share of training rows that are copies of others, from which new rows are like them by chance.
_COPIES = 0.1

#: Rows of each side in the test with the kernel, and how often they are dealt anew.
_MOST_ROWS, _DEALS = 300, 199


def seen_in(schema: Schema, X: pd.DataFrame) -> dict[str, Seen]:
    """Return what a model keeps of the training rows: for every column, edges between parts, and rows in each part."""
    out = {}
    for column in schema.columns:
        if column.kind == "category":
            edges: tuple[float, ...] = ()
        else:
            cells = X[column.name].to_numpy(dtype=float)
            known = np.sort(cells[~np.isnan(cells)])
            lower = known[np.floor(_RANKS * (len(known) - 1)).astype(int)]  # quantiles, without their overhead
            edges = tuple(lower[np.diff(lower, prepend=-np.inf) > 0].tolist())
        out[column.name] = edges, tuple(_counts(column, edges, X[column.name]).tolist())
    return out


def drift_of(model: TableModel, X: pd.DataFrame, *, joint: bool = False) -> DriftFacts:
    """Return which columns of new rows differ from the training rows.

    Parameters
    ----------
    model : TableModel
    X : DataFrame
        From :func:`kernelect.tabular.match_columns`.
    joint : bool
        Whether to compare all columns together too, in the kernel of the model.
    """
    if len(X) < LEAST_ROWS or not model.seen:
        why = f"there are fewer than {LEAST_ROWS} rows" if model.seen else "the model keeps nothing about its rows"
        return DriftFacts(columns=[], looked_at=0, joint=None, sentence=f"Not compared with the training rows: {why}.")
    tested = [
        (column, *_tested(model.seen[column.name], _counts(column, model.seen[column.name][0], X[column.name])))
        for column in model.schema.columns
        if column.name in model.seen and X[column.name].notna().any() and len(column.categories) < MOST_CATEGORIES
    ]
    adjusted = holm([p for _, p, _ in tested])
    found = [
        _described(column, model.seen[column.name], X[column.name], float(p), distance)
        for (column, _, distance), p in zip(tested, adjusted, strict=True)
        if p < _UNLIKELY and distance >= _MATTERS
    ]
    found.sort(key=lambda one: -one["distance"])
    together = kernel_test(model.model, X, model.n_rows) if joint else None
    return DriftFacts(
        columns=found, looked_at=len(tested), joint=together, sentence=_sentence(found, len(tested), together)
    )


def drift_page_of(model: TableModel, X: pd.DataFrame, title: str, remarks: list[str]) -> DriftPageFacts:
    """Return what a page shows of new rows: how they differ from the training rows, and what to do.

    Parameters
    ----------
    model : TableModel
    X : DataFrame
        From :func:`kernelect.tabular.match_columns`.
    title : str
        Name of the table.
    remarks : list of str
    """
    found = drift_of(model, X, joint=True)
    differ = bool(found["columns"]) or (found["joint"] is not None and found["joint"] < _UNLIKELY)
    return DriftPageFacts(
        **found,
        title=plain_name(title),
        model=plain_name(model.title),
        target=plain_name(model.schema.target),
        rows=len(X),
        training_rows=model.n_rows,
        todo=_DIFFER if differ else _ALIKE if found["looked_at"] else _UNKNOWN,
        remarks=remarks,
    )


def remarks_on_drift(facts: DriftFacts) -> list[str]:
    """Return at most one remark on rows that are to be predicted."""
    if not facts["columns"]:
        return []
    named = [f"{one['name']} ({one['here']}, was {one['before']})" for one in facts["columns"][:_MOST_NAMED]]
    more = len(facts["columns"]) - len(named)
    listed = ", ".join(named) + (f" and {more} more" if more else "")
    return [
        f"These rows differ from the training rows by more than chance in {listed}: what the model claims about its "
        "errors may not hold for them."
    ]


def kernel_test(model: Model, X: pd.DataFrame, n_rows: int) -> float | None:
    """Return the probability by chance of the distance between means in the kernel's space (Gretton et al. 2012).

    None if no component has one kernel on all training rows. Rows are dealt anew to both sides at random.
    """
    compared = _compared(model, X, n_rows)
    if compared is None:
        return None
    part, new = compared
    generator = np.random.default_rng(0)
    both = [rows[generator.permutation(len(rows))[:_MOST_ROWS]] for rows in (part.vectors, new)]
    return _dealt(part.kernel.gram(np.concatenate(both)), len(both[0]), generator)


def count_training_rows(model: TableModel, X: pd.DataFrame) -> int:
    """Return how many of some rows stand in the training table; 0 if it has too many copies to tell."""
    compared = _compared(model.model, X, model.n_rows)
    if compared is None:
        return 0
    part, new = compared
    known = set(map(bytes, part.vectors))
    if len(known) < (1.0 - _COPIES) * len(part.vectors):
        return 0
    return sum(bytes(row) in known for row in np.ascontiguousarray(new))


def _compared(model: Model, X: pd.DataFrame, n_rows: int) -> tuple[KernelPart, np.ndarray] | None:
    """Return the largest part with a kernel on all training rows, and rows as it sees them."""
    for place in np.argsort(-model.head.weights, kind="stable"):
        component = model.components[place]
        part = component.parts[0]
        if isinstance(part, KernelPart) and not part.is_precomputed and len(part.vectors) == n_rows:
            return part, component.view(model.inputs(X))
    return None


def _dealt(gram: np.ndarray, n: int, generator: np.random.Generator) -> float:
    signs = np.concatenate([np.full(n, 1.0 / n), np.full(len(gram) - n, -1.0 / (len(gram) - n))])
    deals = np.stack([signs, *(generator.permutation(signs) for _ in range(_DEALS))])
    distances = np.sum((deals @ gram) * deals, axis=1)
    return float(np.mean(distances >= distances[0] * (1.0 - 1e-12)))


def _counts(column: Column, edges: tuple[float, ...], cells: pd.Series) -> np.ndarray:
    """Return rows in every part, and last those of unknown categories (none for numbers) and of missing cells."""
    if column.kind == "category":
        places = {level: place for place, level in enumerate(column.categories)}
        index = np.array([places.get(cell, len(places)) for cell in cells])
        parts = len(places) + 2
    else:
        index, parts = np.searchsorted(edges, cells.to_numpy(dtype=float), side="left"), len(edges) + 2
    return np.bincount(np.where(cells.isna().to_numpy(), parts - 1, index), minlength=parts)


def _tested(seen: Seen, new: np.ndarray) -> tuple[float, float]:
    """Return the probability by chance and the share of rows that lie elsewhere."""
    counts = np.vstack([seen[1], new]).astype(float)
    if not seen[0]:  # categories: small ones go together
        counts = counts[:, np.argsort(-counts.sum(axis=0), kind="stable")]
    sizes = counts.sum(axis=1)
    expected = counts.sum(axis=0) * sizes.min() / sizes.sum()
    merged, waiting = [np.zeros(2)], 0.0
    for column, rows in zip(counts.T, expected, strict=True):
        if waiting >= _EXPECTED:
            merged.append(np.zeros(2))
            waiting = 0.0
        merged[-1] += column
        waiting += rows
    if waiting < _EXPECTED and len(merged) > 1:
        few = merged.pop()
        merged[-1] += few
    if len(merged) < 2:
        return 1.0, 0.0
    table = np.stack(merged, axis=1)
    shares = table / table.sum(axis=1, keepdims=True)
    expected = np.outer(sizes, table.sum(axis=0)) / sizes.sum()
    p = chdtrc(len(merged) - 1, ((table - expected) ** 2 / expected).sum())
    return float(p), float(0.5 * np.abs(shares[0] - shares[1]).sum())


def _described(column: Column, seen: Seen, cells: pd.Series, p: float, distance: float) -> DriftedColumn:
    new, old = _counts(column, seen[0], cells), np.array(seen[1])
    here, before = (counts / counts.sum() for counts in (new, old))
    moved = int(np.argmax(np.abs(here - before)))
    words = _words(column, seen[0], moved)
    figures = [f"{short_name(words, _SHORT)} in {percent(share, 0)}" for share in (here[moved], before[moved])]
    if column.kind == "number" and moved < len(old) - 1:
        middles = float(cells.median()), _median(seen)
        spelled = apart(*middles, 3, partial(trimmed, years=are_years(column.low, column.high)))
        figures = [f"median {middle}" for middle in spelled] if middles[0] != middles[1] else figures
    parts = _parts(column, seen[0], here, before)
    return DriftedColumn(
        name=plain_name(column.name), here=figures[0], before=figures[1], p=p, distance=distance, parts=parts
    )


def _parts(column: Column, edges: tuple[float, ...], here: np.ndarray, before: np.ndarray) -> list[DriftPart]:
    """Return the shares of rows in each part: numbers and dates in their order, categories by their shares."""
    found = [
        DriftPart(name=_words(column, edges, part), here=float(new), before=float(old))
        for part, (new, old) in enumerate(zip(here, before, strict=True))
        if new or old
    ]
    if column.kind != "category":
        return found
    found.sort(key=lambda one: -max(one["here"], one["before"]))
    rest = found[_MOST_PARTS:]
    if not rest:
        return found
    here_too, before_too = (sum(side) for side in zip(*((one["here"], one["before"]) for one in rest), strict=True))
    return [*found[:_MOST_PARTS], DriftPart(name=f"{len(rest)} others", here=here_too, before=before_too)]


def _words(column: Column, edges: tuple[float, ...], part: int) -> str:
    """Return the name of a part of a column's cells."""
    if part == len(edges or column.categories) + 1:
        return "missing"
    if column.kind == "category":
        return plain_name(column.categories[part]) if part < len(column.categories) else "unknown categories"
    ends = [_edge(column, edge) for edge in edges]
    if part == 0:
        return ends[0] if edges[0] == column.low else f"up to {ends[0]}"
    if part == len(edges):
        return f"above {ends[-1]}"
    steps = np.diff((*edges, edges[-1]))
    single = all(edge == round(edge) for edge in edges) and steps[part - 1] == 1.0
    return ends[part] if single else f"{ends[part - 1]} to {ends[part]}"


def _edge(column: Column, edge: float) -> str:
    if column.kind == "date":
        return str(date(1970, 1, 1) + timedelta(days=edge))
    return trimmed(edge, 4, years=are_years(column.low, column.high))


def _median(seen: Seen) -> float:
    edges, counts = seen
    rows = np.cumsum(counts[:-1])
    return float(edges[min(int(np.searchsorted(rows, 0.5 * rows[-1])), len(edges) - 1)])


def _sentence(found: list[DriftedColumn], looked_at: int, joint: float | None) -> str:
    if found:
        names = ", ".join(one["name"] for one in found[:_MOST_NAMED])
        more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        first = f"These rows differ from the training rows in {names}{more}."
    else:
        first = f"No column differs clearly from the training rows ({looked_at} compared)."
    if joint is None:
        return first
    if joint < _UNLIKELY:
        return f"{first} As the model compares rows, all columns together, they differ by more than chance explains."
    return f"{first} As the model compares rows, all columns together, no difference is seen."
