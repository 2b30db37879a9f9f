"""New rows meet a model: columns matched by name, surprises explained, predictions as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

import numpy as np
import pandas as pd

from kernelect.exceptions import InvalidArgument, UnusableModel, UnusableTable
from kernelect.facts.numbers import counted, was
from kernelect.model import Model
from kernelect.tabular.choices import check_name
from kernelect.tabular.differences import differences, readings_for
from kernelect.tabular.read import Table
from kernelect.tabular.rows import TableRows
from kernelect.tabular.schema import Schema
from kernelect.tabular.table_model import TableModel
from kernelect.tabular.target_cells import TargetWishes, spelled_as, typed_target
from kernelect.tabular.usable import listed, target_values, weights_of
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
    absent = [name for name in wanted if name not in frame.columns]
    expected = {*wanted, schema.target, schema.weight, schema.group, schema.time, *schema.ids, *schema.unused}
    extra = [name for name in frame.columns if name not in expected]
    ignored = f"{counted(len(extra), 'column')} the model does not use {was(len(extra))} ignored: {listed(extra)}."
    remarks = [ignored] if extra else []
    if absent and not fill_missing and not table.absent_is_zero:
        raise UnusableTable(_on_absent(absent, extra, table.source))
    if absent:
        frame = frame.assign(**dict.fromkeys(absent, 0.0 if table.absent_is_zero else np.nan))
    if absent and not table.absent_is_zero:
        remarks.append(f"Not in the table, and so missing in every row: {listed(absent)}.")
    readings, otherwise = readings_for(schema, frame)
    X = schema.inputs(frame, readings)
    return X, [*remarks, *otherwise, *differences(schema, frame, X, absent, readings)]


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


def _reasons(model: TableModel, X: pd.DataFrame, most: int) -> pd.DataFrame:
    """Return columns with the strongest reasons of every row; empty where a row has fewer."""
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


def rows_for(model: TableModel, table: Table) -> tuple[TableRows, list[str]]:
    """Return inputs and targets of a model's training table, and remarks."""
    rows, remarks = known_rows_of(model, table)
    if len(rows.y) != model.n_rows:
        remarks.append(f"The model was fitted on {model.n_rows} rows, this table has {len(rows.y)}.")
    return rows, remarks


def known_rows_of(model: TableModel, table: Table) -> tuple[TableRows, list[str]]:
    """Return inputs and targets of the rows whose target is known to the model, and remarks."""
    schema = model.schema
    target = check_name(table.frame, schema.target, table.source)
    if schema.weight is not None:
        check_name(table.frame, schema.weight, table.source)
    # Words that are classes of the model are told by the model, not by their number in this table.
    absent = tuple(word for word in table.words if word not in (schema.classes or ()))
    wishes = TargetWishes(decimal=table.decimal, codes=(*schema.target_codes, *absent), judge=False, merge=False)
    values = typed_target(table.frame[target], wishes).values
    values = values if schema.classes is None else spelled_as(values, schema.classes)
    table = replace(table, frame=table.frame.assign(**{target: values}))
    known = table.frame[target].notna()
    y = target_values(table.frame[target][known], schema.task)
    if schema.classes is not None:
        known &= y.isin(schema.classes).reindex(known.index, fill_value=False)
    if not known.any():
        which = "a value" if schema.classes is None else f"one of the model's classes {_classes(schema)}"
        raise UnusableTable(
            f"No row of {table.source} has {which} in {target!r}: give a table in which the target is known."
        )
    kept = replace(table, frame=table.frame[known])
    X, remarks = match_columns(schema, kept)
    return TableRows(
        X=X.reset_index(drop=True),
        y=target_values(kept.frame[target], schema.task).reset_index(drop=True),
        weights=weights_of(kept.frame, schema.weight),
        places=kept.frame.index.to_numpy(),
    ), remarks


def _classes(schema: Schema) -> str:
    return f"({listed(list(schema.classes or ()))})"


def _predict_block(model: TableModel, X: pd.DataFrame, interval: float | None) -> pd.DataFrame:
    with np.errstate(all="ignore"):  # numbers that are not finite are refused below, in words
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
