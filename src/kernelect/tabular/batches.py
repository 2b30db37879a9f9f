"""Predictions for tools that hand batches of rows to a function: Spark's ``mapInPandas``, Ray's ``map_batches``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import pandas as pd

from kernelect.tabular.file import load_model
from kernelect.tabular.predict import predict_table, require_columns
from kernelect.tabular.table_model import TableModel


def predict_batch(rows: pd.DataFrame, model: str | Path, interval: float | None = None) -> pd.DataFrame:
    """Return predictions for a batch of rows, as ``kernelect predict`` writes them.

    A row's prediction depends on that row alone: cells are read as in training. A process reads the model once.

    Parameters
    ----------
    rows : DataFrame
        With the columns of the training table, in any order; others are ignored.
    model : str or Path
        The file that ``kernelect fit`` has written, where the process finds it.
    interval : float in (0, 1), optional
        Coverage of intervals; regression only.

    Returns
    -------
    predictions : DataFrame
        ``prediction`` with ``probability:...`` for every class, or with ``standard_deviation`` (and ``lower``,
        ``upper``); in the order of the rows.

    Examples
    --------
    On Ray: ``dataset.map_batches(partial(predict_batch, model="model.kernelect"), batch_format="pandas")``.
    """
    path = Path(model).resolve()
    known = _read(str(path), path.stat().st_mtime_ns if path.exists() else 0)  # read again if the file has changed
    require_columns(known.schema, rows, "a batch")
    return predict_table(known, known.schema.inputs(rows.reset_index(drop=True), known.schema.learnt), interval)


def predict_batches(
    batches: Iterable[pd.DataFrame], model: str | Path, interval: float | None = None
) -> Iterator[pd.DataFrame]:
    """Yield predictions for one batch after the other; arguments as in :func:`predict_batch`.

    Examples
    --------
    On Spark: ``frame.mapInPandas(partial(predict_batches, model="model.kernelect"), "prediction double,
    standard_deviation double")``.
    """
    for rows in batches:
        if len(rows):
            yield predict_batch(rows, model, interval)


@lru_cache(maxsize=4)
def _read(path: str, _changed: int) -> TableModel:
    return load_model(path, training=False, report=False)[0]
