"""Columns of a few whole numbers that may be codes of categories, as a race coded 1, 2, 3: the user is asked.

A number has an order, and so has what it does to the target. Where the target rises and falls along the numbers by
more than chance allows, or where the name says that there is no order, they may be categories.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
from scipy.stats import f as f_distribution
from sklearn.isotonic import isotonic_regression

from kernelect.inputs.readings import may_be_categories, may_be_named_codes
from kernelect.tabular.columns import Column
from kernelect.typing import Array

#: Words in names of things that have no order.
_UNORDERED = (
    "race|ethnic|ethnicity|region|zone|type|religion|language|site|marital|occupation|occ|country|state|"
    "colou?r|hospital|clinic|ward|centre|center|inst|institution|treatment|landmass|nationality|species|category|"
    "county|district|province|paddock|breed|strain|batch"
)

#: Ends of names of the same kind, whatever they are joined to, as in celltype and birthplace.
_ENDS = "type|place"

_WORDS = re.compile(rf"(?:^|[^a-z])(?:{_UNORDERED})(?:$|[^a-z])|(?:{_ENDS})(?:$|[^a-z])|(?:^|[^a-z])codes?[^a-z]*$")

#: Different numbers from which their frequencies may tell a count, and the share of rows with the largest of them then.
_LEAST_COUNTS, _RARE = 5, 0.02

#: Probability below which the ups and downs of the target along the numbers are not put down to chance.
_UNLIKELY = 1e-3

#: Columns that a question names.
_MOST_NAMES = 6


def questions(columns: tuple[Column, ...], X: pd.DataFrame, y: pd.Series, said: set[str]) -> list[str]:
    """Return one question about all columns that may be categories, except those whose kind the user gave."""
    targets = _targets(y)
    doubtful = [
        column.name
        for column in columns
        if column.kind == "number"
        and column.name not in said
        and _asks(column.name, X[column.name].to_numpy(), targets)
    ]
    if not doubtful:
        return []
    named, more = ",".join(doubtful[:_MOST_NAMES]), len(doubtful) - _MOST_NAMES
    subject = f"Column {doubtful[0]!r} holds" if len(doubtful) == 1 else f"{len(doubtful)} columns hold"
    others = f" (and {more} more columns)" if more > 0 else ""
    return [
        f"{subject} a few whole numbers and {'was' if len(doubtful) == 1 else 'were'} read as numbers. If they stand "
        f"for categories, use --categorical {named!r}{others}."
    ]


def _asks(name: str, values: Array, targets: list[Array]) -> bool:
    known = ~np.isnan(values)
    found = np.unique(values[known])
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    if _WORDS.search(words) and may_be_named_codes(found):
        return True
    if not may_be_categories(found) or _counted(values[known]):
        return False
    return any(_disorder(values[known], target[known]) < _UNLIKELY / len(targets) for target in targets)


def _counted(values: Array) -> bool:
    """Return whether numbers are amounts by how often they occur: more up to one of them, then fewer, few at the end.

    A house has 1 to 9 rooms, with a price that goes up and down.
    """
    often = np.unique(values, return_counts=True)[1]
    if len(often) < _LEAST_COUNTS or often[-1] > _RARE * len(values):
        return False
    steps, top = np.diff(often), int(np.argmax(often))
    slack = 2.0 * np.sqrt(often[:-1] + often[1:])  # two deviations of a difference of counts
    return bool(np.all(steps[:top] > -slack[:top]) and np.all(steps[top:] < slack[top:]))


def _targets(y: pd.Series) -> list[Array]:
    """Return the target as numbers, or one 0/1 target for each class."""
    if y.dtype.kind == "f":
        return [y.to_numpy(dtype=float)]
    return [(y == label).to_numpy(dtype=float) for label in pd.unique(y)]


def _disorder(values: Array, target: Array) -> float:
    """Return the probability of means that are so far from rising or falling along the values, by an F test."""
    _, level, counts = np.unique(values, return_inverse=True, return_counts=True)
    means = np.bincount(level, target) / counts
    within = float(np.sum((target - means[level]) ** 2))
    free = len(target) - len(counts)
    if free < 1 or within <= 0.0:
        return 1.0
    ordered = [isotonic_regression(means, sample_weight=counts.astype(float), increasing=up) for up in (True, False)]
    lack = min(float(np.sum(counts * (means - fit) ** 2)) for fit in ordered)
    return float(f_distribution.sf((lack / (len(counts) - 1)) / (within / free), len(counts) - 1, free))
