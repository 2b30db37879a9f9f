"""New rows meet a model: columns matched by name, surprises explained, predictions as a table."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np
import pandas as pd

from kernelect.exceptions import InvalidArgument, UnusableModel, UnusableTable
from kernelect.facts.names import listed
from kernelect.facts.numbers import counted, was
from kernelect.model import Model
from kernelect.numerics import best_blas_threads
from kernelect.tabular.differences import differences, readings_for
from kernelect.tabular.read import Table
from kernelect.tabular.schema import Schema
from kernelect.tabular.table_model import TableModel
from kernelect.typing import Array

#: Rows predicted at a time: kernel values against all training rows are held for each.
_BLOCK = 10_000


def match_columns(schema: Schema, table: Table, fill_missing: bool = False) -> tuple[pd.DataFrame, list[str]]:
    """Return the model's inputs from a new table, whatever its column order, and remarks.

    Parameters
    ----------
    schema : Schema
    table : Table
    fill_missing : bool
        Whether absent columns count as missing cells; otherwise they are an error.
    """
    frame, wanted = table.frame, [column.name for column in schema.columns]
    if schema.spans:
        from kernelect.tabular.spans import with_spans

        frame = with_spans(frame, schema.spans)
    absent = [name for name in wanted if name not in frame.columns]
    extra = _extra(schema, frame)
    ignored = f"{counted(len(extra), 'column')} the model does not use {was(len(extra))} ignored: {listed(extra)}."
    remarks = [ignored] if extra else []
    if not fill_missing and not table.absent_is_zero:
        require_columns(schema, frame, table.source)
    if absent:
        frame = frame.assign(**dict.fromkeys(absent, 0.0 if table.absent_is_zero else np.nan))
    if absent and not table.absent_is_zero:
        remarks.append(f"Not in the table, and so missing in every row: {listed(absent)}.")
    readings, otherwise = readings_for(schema, frame)
    X = schema.inputs(frame, readings)
    return X, [*remarks, *otherwise, *differences(schema, frame, X, absent, readings)]


def require_columns(schema: Schema, frame: pd.DataFrame, source: str) -> None:
    """Raise if a table lacks columns of a model."""
    wanted = [column.name for column in schema.columns]
    absent = [name for name in wanted if name not in frame.columns]
    if absent:
        raise UnusableTable(_on_absent(absent, _extra(schema, frame), source))


def _extra(schema: Schema, frame: pd.DataFrame) -> list[str]:
    """Return the columns of a table that the model has no place for."""
    wanted = [column.name for column in schema.columns]
    roles = {schema.target, schema.weight, schema.group, schema.time, schema.event}
    return [name for name in frame.columns if name not in roles.union(wanted, schema.ids, schema.unused)]


def predict_table(
    model: TableModel,
    X: pd.DataFrame,
    interval: float | None = None,
    reasons: int | None = None,
    *,
    first_row: int = 0,
) -> pd.DataFrame:
    """Return predictions for inputs: labels and probabilities, or values with deviations and intervals.

    Parameters
    ----------
    model : TableModel
    X : DataFrame
        From :func:`match_columns`.
    interval : float in (0, 1), optional
        Coverage of intervals; regression only.
    reasons : int, optional
        How many of the strongest reasons to add to each prediction, in words and numbers.
    first_row : int
        Number of rows of the same table before these, for messages.
    """
    if interval is not None and model.schema.classes is not None:
        raise InvalidArgument(
            f"--interval {interval:g} is for regression, and this model predicts classes: leave it out, the "
            "probabilities are always there."
        )
    if interval is not None and not 0.0 < interval < 1.0:
        raise InvalidArgument(f"--interval {interval:g} must be a number between 0 and 1, such as 0.9.")
    blocks = [_predict_block(model, X.iloc[start : start + _BLOCK], interval) for start in range(0, len(X), _BLOCK)]
    found = pd.concat(blocks, ignore_index=True)
    _check_finite(found, first_row)
    return found if reasons is None else found.join(_reasons(model, X, reasons))


def survival_table(model: TableModel, X: pd.DataFrame, times: Array) -> Array:
    """Return the probabilities (n, n_times) that the events of rows come later than each of the times."""
    starts = range(0, len(X), _BLOCK)
    blocks = [model.model.survival(model.model.inputs(X.iloc[first : first + _BLOCK]), times) for first in starts]
    return np.concatenate(blocks)


def _reasons(model: TableModel, X: pd.DataFrame, most: int) -> pd.DataFrame:
    """Return columns with the strongest reasons of every row; empty if a row has fewer."""
    from kernelect.tabular.reasons import explain_table

    explained = explain_table(model, X)
    words = [[str(reason) for reason in explained.reasons(row, most)] for row in range(len(X))]
    most = min(most, len(explained.columns))
    return pd.DataFrame({f"reason {k + 1}": [line[k] if k < len(line) else "" for line in words] for k in range(most)})


def _check_finite(found: pd.DataFrame, first_row: int) -> None:
    numbers = found.select_dtypes("number").to_numpy(dtype=float)
    lost = ~np.isfinite(numbers).all(axis=1)
    if lost.any():
        raise UnusableModel(
            f"The model has no finite prediction for {int(lost.sum())} of {len(found)} rows, the first of them row "
            f"{first_row + int(np.argmax(lost)) + 1}: check the numbers in that row, or fit the model again."
        )


def _predict_block(model: TableModel, X: pd.DataFrame, interval: float | None) -> pd.DataFrame:
    # Numbers that are not finite are refused below, in words.
    with np.errstate(all="ignore"), best_blas_threads():
        return _answers(model.model, model.model.inputs(X), interval)


def _answers(model: Model, inputs: Array, interval: float | None) -> pd.DataFrame:
    if model.is_classifier:
        shares, classes = model.probabilities(inputs), model.labels.classes.tolist()
        named = {f"probability:{label}": shares[:, k] for k, label in enumerate(classes)}
        return pd.DataFrame({"prediction": model.chosen(inputs, shares), **named})
    mean, deviation = model.predictions_and_deviations(inputs)
    out = pd.DataFrame({"prediction": mean, "standard_deviation": deviation})
    if interval is None:
        return out
    lower, upper = model.intervals(inputs, interval)
    return out.assign(lower=lower, upper=upper)


def _on_absent(absent: Sequence[str], extra: Sequence[str], source: str) -> str:
    close = get_close_matches(absent[0], list(extra), n=1)
    hint = f" Is {close[0]!r} meant to be {absent[0]!r}?" if close else ""
    return (
        f"{source} lacks {counted(len(absent), 'column')} the model needs: {listed(absent)}.{hint} Add or rename what "
        "is missing, or let it count as missing cells with --fill-missing."
    )
