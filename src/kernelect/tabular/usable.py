"""What is predicted: the task, the target's values, and the rows that a model can be made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from kernelect.exceptions import InvalidArgument, UnusableTable
from kernelect.facts.names import listed
from kernelect.facts.numbers import counted, was
from kernelect.tabular.columns import column_values
from kernelect.tabular.counts import COUNT, looks_like_counts, usable_numbers
from kernelect.tabular.target_cells import FEW_NUMBERS
from kernelect.typing import CLASSIFICATION, REGRESSION

TASKS = (CLASSIFICATION, REGRESSION)

#: What stands between classes from the lowest to the highest.
ORDER = "<"

#: Fewer rows than this make no model.
LEAST_ROWS = 6


def find_task(target: pd.Series) -> tuple[str, str]:
    """Return classification, regression or count, and why."""
    if not pd.api.types.is_numeric_dtype(target) or pd.api.types.is_bool_dtype(target):
        numbers = column_values(target, "number")
        if pd.api.types.is_bool_dtype(target) or numbers.isna().any():
            return CLASSIFICATION, "the target's values are labels"
        target = numbers
    distinct = target.nunique()
    if distinct <= 2:
        return CLASSIFICATION, f"the target has {distinct} different values"
    if looks_like_counts(target):
        return COUNT, f"the target's whole numbers go from 0 to {target.max():g} and become rarer, as counts do"
    whole = not (target.astype(float) % 1).any()
    if whole and distinct <= min(FEW_NUMBERS, len(target) // 5):
        return CLASSIFICATION, f"the target has {distinct} different whole numbers"
    return REGRESSION, f"the target has {distinct} different numbers"


def target_values(target: pd.Series, task: str) -> pd.Series:
    """Return labels (text, or whole numbers as integers) or floats."""
    if task == REGRESSION:
        return column_values(target, "number")
    if pd.api.types.is_bool_dtype(target) or not pd.api.types.is_numeric_dtype(target):
        return column_values(target, "category")
    whole = not (target.astype(float) % 1).any()
    return target.astype(np.int64) if whole else column_values(target, "category")


def weights_of(frame: pd.DataFrame, weight: str | None) -> np.ndarray | None:
    """Return the rows' weights with mean 1, checked."""
    if weight is None:
        return None
    values = column_values(frame[weight], "number").to_numpy()
    unusable = ~(values >= 0)  # NaN is not >= 0 either
    if unusable.any():
        row = int(np.argmax(unusable))
        cell = "missing" if np.isnan(values[row]) else f"{values[row]:g}"
        raise UnusableTable(
            f"--weight {weight!r}: the weight of row {frame.index[row] + 1} is {cell}: give every row a number of at "
            "least 0."
        )
    if not values.any():
        raise UnusableTable(f"--weight {weight!r}: all weights are 0: give at least some rows a larger one.")
    return np.asarray(values / values.max() / (values / values.max()).mean())  # the sum of huge weights overflows


def with_target(frame: pd.DataFrame, target: str) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows that have a target."""
    known = frame[target].notna()
    if pd.api.types.is_float_dtype(frame[target]):
        known &= np.isfinite(frame[target].astype(float))
    if not known.any():
        raise UnusableTable(f"All cells of the target {target!r} are missing: choose another column with --target.")
    lost = int((~known).sum())
    remarks = [f"{counted(lost, 'row')} without a target {was(lost)} left out."] if lost else []
    return frame[known], remarks


def with_weight(frame: pd.DataFrame, weight: str | None) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows that count."""
    if weight is None:
        return frame, []
    kept = np.asarray(weights_of(frame, weight)) > 0
    lost = int((~kept).sum())
    remarks = [f"{counted(lost, 'row')} of weight 0 {was(lost)} left out."] if lost else []
    return frame[kept], remarks


def usable(frame: pd.DataFrame, target: str, task: str) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows a model can be made of, or say why there are none."""
    _check_rows(frame)
    if task == CLASSIFICATION:
        frame, remarks = _usable_classes(frame, target)
    else:
        frame, remarks = usable_numbers(frame, target), []
    _check_rows(frame)
    return frame, remarks


def _check_rows(frame: pd.DataFrame) -> None:
    if len(frame) < LEAST_ROWS:
        raise UnusableTable(f"The table has {counted(len(frame), 'row')} with a target: give at least {LEAST_ROWS}.")


def _usable_classes(frame: pd.DataFrame, target: str) -> tuple[pd.DataFrame, list[str]]:
    labels = target_values(frame[target], CLASSIFICATION)
    counts = labels.value_counts()
    names, single = counts.index[counts > 1].tolist(), counts.index[counts < 2].tolist()
    if len(counts) > max(FEW_NUMBERS, len(labels) / 3):
        raise UnusableTable(
            f"The target {target!r} has {len(counts)} different labels in {len(labels)} rows, too many for classes: "
            "choose another column with --target, or --task regression if the labels are numbers."
        )
    if len(names) < 2:
        only = f"has only the class {names[0]!r}" if names else "has no class"
        rare = f" with more than one row (of {listed(single)} there is one)" if single else ""
        raise UnusableTable(
            f"The target {target!r} {only}{rare}, and a classifier needs two: choose another column with --target, or "
            "add rows of another class."
        )
    many = f"{len(single)} classes with one row each were left out, {len(single)} of {len(labels)} rows"
    which = many if len(single) > 1 else f"1 class with one row was left out, 1 of {len(labels)} rows"
    remark = f"{which}: {listed(single)}."
    return frame[~labels.isin(single)], [remark] if single else []


def order_of(target: pd.Series) -> str | None:
    """Return the order that a column declares itself, None if it declares none."""
    kind = target.dtype
    return ORDER.join(map(str, kind.categories)) if isinstance(kind, pd.CategoricalDtype) and kind.ordered else None


def on_order(target: pd.Series, ordered: str | None) -> list[str]:
    """Return a remark if the classes are whole numbers one after the other, which may be grades."""
    if ordered is not None or not pd.api.types.is_numeric_dtype(target) or pd.api.types.is_bool_dtype(target):
        return []
    found = np.unique(target.astype(float))
    if len(found) < 3 or np.any(np.diff(found) != 1.0):
        return []
    return [
        f"If {found[0]:g} to {found[-1]:g} are grades, use --ordered '{ORDER.join(f'{each:g}' for each in found)}'."
    ]


def classes_in_order(labels: pd.Series, ordered: str | None) -> tuple[Any, ...]:
    """Return the classes, sorted or in the order given."""
    classes = np.unique(labels).tolist()
    if ordered is None:
        return tuple(classes)
    names = [name.strip() for name in ordered.split(ORDER)]
    unknown = [label for label in classes if str(label) not in names]
    if unknown or len(set(names)) < len(names):
        raise InvalidArgument(
            f"--ordered {ordered!r} must list every class of the target once, from the lowest to the highest"
            + (f", and lacks {str(unknown[0])!r}." if unknown else ".")
        )
    return tuple(sorted(classes, key=lambda label: names.index(str(label))))
