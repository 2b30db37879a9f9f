"""Columns shuffled on the rows that a fold held out: what the model loses without each of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from kernelect.exceptions import MissingCapability
from kernelect.facts.relevance import ranked, relevance_by_column
from kernelect.facts.sources import input_sources
from kernelect.tabular.rows import TableRows
from kernelect.tabular.schema import Schema

#: Rows that are predicted for it in one fold, at least of so many held-out rows, and columns that are tried.
_PREDICTIONS, _FEWEST, _MOST_COLUMNS = 3_000, 8, 200

#: Probabilities count as at least this in the log-loss.
_LEAST = 1e-6


def rises(
    model: Any, rows: TableRows, schema: Schema, test: np.ndarray, seed: int
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return by how much the loss of held-out rows rises with each column shuffled, and which rows these are.

    Parameters
    ----------
    model : Pipeline
        Fitted on other rows.
    rows, schema : TableRows, Schema
    test : ndarray of int
        The rows held out.
    seed : int

    Returns
    -------
    rises : ndarray of shape (n_columns, m), or None
        NaN for columns that were not tried; None for a single row.
    chosen : ndarray of shape (m,)
        Places of the rows in the table.
    """
    columns = rows.X.shape[1]
    tried = _tried(model, columns)
    generator = np.random.default_rng([seed, int(test[0])])
    count = min(len(test), max(_PREDICTIONS // max(len(tried), 1), _FEWEST))
    if count < 2:
        return None, None
    chosen = np.sort(generator.permutation(test)[:count])
    before = _losses(model, rows.X.iloc[chosen], rows, schema, chosen)
    out = np.full((columns, count), np.nan)
    after = _losses(model, _shuffled(rows.X.iloc[chosen], tried, generator), rows, schema, np.tile(chosen, len(tried)))
    out[tried] = after.reshape(len(tried), count) - before
    return out, chosen


def _tried(model: Any, columns: int) -> np.ndarray:
    """Return the columns to shuffle: all, or the most relevant of very many."""
    if columns <= _MOST_COLUMNS:
        return np.arange(columns)
    try:
        by_column = input_sources(model) is not None
        order = ranked(relevance_by_column(model)[1]) if by_column else list(range(columns))
    except MissingCapability:
        order = list(range(columns))
    return np.sort(np.array(order[:_MOST_COLUMNS]))


def _shuffled(X: pd.DataFrame, tried: np.ndarray, generator: np.random.Generator) -> pd.DataFrame:
    """Return the rows once for every column, with that column's cells in another order."""
    copies = []
    for column in tried:
        copy = X.reset_index(drop=True)
        name = copy.columns[column]
        copy[name] = copy[name].take(generator.permutation(len(copy))).reset_index(drop=True)
        copies.append(copy)
    return pd.concat(copies, ignore_index=True)


def _losses(model: Any, X: pd.DataFrame, rows: TableRows, schema: Schema, places: np.ndarray) -> np.ndarray:
    """Return log-losses, or squared errors over the targets' variance."""
    y = rows.y.to_numpy()
    if schema.classes is None:
        variance = float(np.var(y.astype(float))) or 1.0
        return (y[places].astype(float) - np.asarray(model.predict(X), dtype=float)) ** 2 / variance
    known = {label: place for place, label in enumerate(model.classes_.tolist())}
    probability = model.predict_proba(X)
    index = np.array([known.get(label, -1) for label in y[places].tolist()])
    own = np.where(index < 0, _LEAST, probability[np.arange(len(index)), index])
    return -np.log(np.maximum(own, _LEAST))
