"""What a table is for a model: its target, its task and its input columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
import pandas as pd

from kernelect.exceptions import InvalidArgument, UnusableTable, unknown_name
from kernelect.registry import stored
from kernelect.tabular.columns import Column, find_columns, values_of
from kernelect.tabular.leaks import set_aside
from kernelect.tabular.rows import Rows, group_numbers, times_of

CLASSIFICATION, REGRESSION = TASKS = ("classification", "regression")

#: Whole numbers with at most this many different values are classes.
_FEW_NUMBERS = 10

#: Targets that vary by less than this have squares near the smallest number there is.
_SMALLEST_SPREAD = 1e-140

#: Fewer rows than this make no model.
LEAST_ROWS = 6


@stored
@dataclass(frozen=True)
class Schema:
    """Target, task and input columns; ``classes`` is None for regression."""

    target: str
    task: str
    columns: tuple[Column, ...]
    classes: tuple[Any, ...] | None
    weight: str | None = None
    group: str | None = None
    time: str | None = None

    def __getstate__(self) -> dict[str, Any]:
        # As one text: a file of ten thousand columns would otherwise hold a tree of them.
        return {"text": json.dumps(asdict(self))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        facts = json.loads(state["text"])
        columns = [Column(**{**column, "categories": tuple(column["categories"])}) for column in facts["columns"]]
        classes = None if facts["classes"] is None else tuple(facts["classes"])
        self.__dict__.update({**facts, "columns": tuple(columns), "classes": classes})

    def inputs(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the input columns as floats and text objects, in the order of training."""
        return pd.DataFrame({column.name: values_of(frame[column.name], column.kind) for column in self.columns})


def check_name(frame: pd.DataFrame, name: str, option: str) -> str:
    """Return ``name``, or say which column was meant."""
    if name in frame.columns:
        return name
    close = get_close_matches(name, list(frame.columns), n=1) or [
        column for column in frame.columns if column.lower() == name.lower()
    ]
    hint = f" Did you mean {close[0]!r}?" if close else ""
    listed = ", ".join(repr(column) for column in frame.columns[:8])
    more = f" and {frame.shape[1] - 8} more" if frame.shape[1] > 8 else ""
    raise InvalidArgument(f"{option}: there is no column {name!r}.{hint} There are {listed}{more}.")


def describe_table(
    frame: pd.DataFrame,
    target: str,
    *,
    task: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    weight: str | None = None,
    group: str | None = None,
    time: str | None = None,
) -> tuple[Schema, Rows, list[str]]:
    """Find out what the target and the columns are.

    Parameters
    ----------
    frame : DataFrame
    target : str
    task : "classification" or "regression", optional
        By the target's values unless given.
    drop, keep : sequences of str
        Columns not to use; columns to use even if they look like row numbers or names.
    weight : str, optional
        Column with the weight of each row.
    group : str, optional
        Column whose values tell which rows belong together, such as a patient's; no input unless in ``keep``.
    time : str, optional
        Column of dates or numbers that tells when a row was observed; no input unless in ``keep``.

    Returns
    -------
    schema, rows, remarks
    """
    if task is not None and task not in TASKS:
        raise unknown_name("task", task, list(TASKS))
    check_name(frame, target, "--target")
    single = {"--weight": weight, "--group": group, "--time": time}
    for option, names in {"--drop": drop, "--keep": keep, **{k: [v] for k, v in single.items() if v}}.items():
        for name in names:
            check_name(frame, name, option)
    frame, remarks = _with_target(frame, target)
    frame, light = _with_weight(frame, weight)
    remarks += light
    found, why = find_task(frame[target])
    remarks += [] if task else [f"The task is {found}: {why}. Say otherwise with --task."]
    frame, more = _usable(frame, target, task or found)
    roles = {name for name in (weight, group, time) if name is not None and (name == weight or name not in keep)}
    inputs = frame.drop(columns=list({target, *drop, *roles}))
    columns, about_columns = find_columns(inputs, keep)
    columns, dated, aside = set_aside(columns, inputs, keep)
    about_columns += aside
    if not columns:
        raise UnusableTable(
            " ".join(["No column is left to learn from: keep one with --keep, or drop fewer.", *about_columns])
        )
    y = target_values(frame[target], task or found)
    classes = tuple(np.unique(y).tolist()) if (task or found) == CLASSIFICATION else None
    schema = Schema(target, task or found, tuple(columns), classes, weight, group=group, time=time)
    rows = Rows(
        schema.inputs(frame),
        y,
        weights_of(frame, weight),
        groups=None if group is None else group_numbers(frame[group]),
        time=None if time is None else times_of(frame[time]),
        dated=dated,
    )
    return schema, rows, [*remarks, *more, *about_columns]


def find_task(target: pd.Series) -> tuple[str, str]:
    """Return classification or regression, and why."""
    if not pd.api.types.is_numeric_dtype(target) or pd.api.types.is_bool_dtype(target):
        numbers = values_of(target, "number")
        if pd.api.types.is_bool_dtype(target) or numbers.isna().any():
            return CLASSIFICATION, "the target's values are labels"
        target = numbers
    distinct = target.nunique()
    if distinct <= 2:
        return CLASSIFICATION, f"the target has {distinct} different values"
    whole = not (target.astype(float) % 1).any()
    if whole and distinct <= min(_FEW_NUMBERS, len(target) // 5):
        return CLASSIFICATION, f"the target has {distinct} different whole numbers"
    return REGRESSION, f"the target has {distinct} different numbers"


def target_values(target: pd.Series, task: str) -> pd.Series:
    """Return labels (text, or whole numbers as integers) or floats."""
    if task == REGRESSION:
        return values_of(target, "number")
    if pd.api.types.is_bool_dtype(target) or not pd.api.types.is_numeric_dtype(target):
        return values_of(target, "category")
    whole = not (target.astype(float) % 1).any()
    return target.astype(np.int64) if whole else values_of(target, "category")


def weights_of(frame: pd.DataFrame, weight: str | None) -> np.ndarray | None:
    """Return the rows' weights with mean 1, checked."""
    if weight is None:
        return None
    values = values_of(frame[weight], "number").to_numpy()
    unusable = ~(values >= 0)  # NaN is not >= 0 either
    if unusable.any():
        row = int(np.argmax(unusable))
        cell = "missing" if np.isnan(values[row]) else f"{values[row]:g}"
        raise UnusableTable(
            f"--weight {weight!r}: the weight of row {row + 1} is {cell}: give every row a number of at least 0."
        )
    if not values.any():
        raise UnusableTable(f"--weight {weight!r}: all weights are 0: give at least some rows a larger one.")
    return np.asarray(values / values.max() / (values / values.max()).mean())  # the sum of huge weights overflows


def _with_target(frame: pd.DataFrame, target: str) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows that have a target."""
    known = frame[target].notna()
    if pd.api.types.is_float_dtype(frame[target]):
        known &= np.isfinite(frame[target].astype(float))
    if not known.any():
        raise UnusableTable(f"All cells of the target {target!r} are missing: choose another column with --target.")
    lost = int((~known).sum())
    remarks = [f"{lost} row(s) without a target were left out."] if lost else []
    return frame[known].reset_index(drop=True), remarks


def _with_weight(frame: pd.DataFrame, weight: str | None) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows that count."""
    if weight is None:
        return frame, []
    counted = np.asarray(weights_of(frame, weight)) > 0
    lost = int((~counted).sum())
    remarks = [f"{lost} row(s) of weight 0 were left out."] if lost else []
    return frame[counted].reset_index(drop=True), remarks


def _usable(frame: pd.DataFrame, target: str, task: str) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows a model can be made of, or say why there are none."""
    if task == CLASSIFICATION:
        frame, remarks = _usable_classes(frame, target)
    else:
        frame, remarks = _usable_numbers(frame, target), []
    if len(frame) < LEAST_ROWS:
        raise UnusableTable(f"The table has {len(frame)} row(s) with a target: give at least {LEAST_ROWS}.")
    return frame, remarks


def _usable_classes(frame: pd.DataFrame, target: str) -> tuple[pd.DataFrame, list[str]]:
    labels = target_values(frame[target], CLASSIFICATION)
    counts = labels.value_counts()
    if len(counts) == 1:
        raise UnusableTable(
            f"The target {target!r} has only the class {counts.index[0]!r}, and a classifier needs two: choose another "
            "column with --target, or add rows of another class."
        )
    if len(counts) > max(_FEW_NUMBERS, len(labels) / 3):
        raise UnusableTable(
            f"The target {target!r} has {len(counts)} different labels in {len(labels)} rows, too many for classes: "
            "choose another column with --target, or --task regression where the labels are numbers."
        )
    single = counts.index[counts < 2]
    if not len(single):
        return frame, []
    remark = f"Class(es) with one row only were left out: {', '.join(map(repr, single.tolist()[:5]))}."
    left, more = _usable_classes(frame[~labels.isin(single)].reset_index(drop=True), target)
    return left, [remark, *more]


def _usable_numbers(frame: pd.DataFrame, target: str) -> pd.DataFrame:
    numbers = values_of(frame[target], "number")
    if numbers.isna().any():
        cell = frame[target][numbers.isna()].iloc[0]
        raise UnusableTable(
            f"The target {target!r} has {int(numbers.isna().sum())} cell(s) that are not usable numbers, such as "
            f"{cell!r}: correct them, or use --task classification."
        )
    spread = float(numbers.max() - numbers.min())
    if 0.0 < spread < _SMALLEST_SPREAD:
        raise UnusableTable(
            f"The target {target!r} varies by {spread:.3g} only, and the squares of such numbers are 0 in double "
            "precision: give it in another unit, for instance multiplied by 1e200."
        )
    if numbers.nunique() == 1:
        raise UnusableTable(
            f"The target {target!r} is {numbers.iloc[0]:g} in every row, so there is nothing to predict: choose "
            "another column with --target."
        )
    return frame
