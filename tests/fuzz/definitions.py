"""A small study, and the ways in which a definition can be wrong."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import numpy as np

TEXT = """
name = "tiny"
splits = 1
default = "ours"

[protocol]
kind = "draws"
rows = 20
test_rows = 30

[datasets]
twonorm = {}

[methods.ours]
label = "LSSVC"
estimator = {call = "kernelect.LSSVC", kernel = "rbf", prior = {none = true}}
published = "column"

[methods.theirs]
estimator = {call = "sklearn.svm.SVC", gamma = "scale"}
needs = "ours"

[published.error.column]
twonorm = [5.0, 0.5]

[[tables]]
title = "Test error, %"
metric = "error"
published = "error"
"""

#: What an entry may be turned into: other types, and calls that end otherwise than by returning an estimator.
VALUES: tuple[Any, ...] = (
    0, -1, 1.5, "", "x", True, [], {}, ["a"], {"call": "sys.exit"}, {"call": "kernelect.LSSVC", "kernal": 1},
    {"call": "kernelect.LSSVR"}, {"call": "builtins.dict"}, {"call": 3}, {"call": "os"}, {"none": True}, [[1, 2]],
    {"call": "sklearn.svm.SVC", "C": -1}, "../x", "a/b", 10**12, "draws", "folds", "nothing",
)  # fmt: skip


def changed_definition(seed: int) -> str:
    """Return the text of the study with one entry changed, taken out or renamed; seed 0 changes nothing."""
    if not seed:
        return TEXT
    generator = np.random.default_rng(seed)
    document = tomllib.loads(TEXT)
    places = [place for place in _places(document) if place[1] != "test_rows"]
    holder, key = places[int(generator.integers(len(places)))]
    action = int(generator.integers(5))
    if action == 0 and isinstance(holder, dict):
        del holder[key]
    elif action == 1 and isinstance(holder, dict):
        holder[f"{key}x"] = holder.pop(key)
    else:
        holder[key] = VALUES[int(generator.integers(len(VALUES)))]
    return "".join(f"{json.dumps(name)} = {_toml(value)}\n" for name, value in document.items())


def _places(document: Any) -> Any:
    if isinstance(document, dict):
        for key, value in document.items():
            yield document, key
            yield from _places(value)
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield document, index
            yield from _places(value)


def _toml(value: Any) -> str:
    """Return a value as TOML writes it, tables in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {_toml(entry)}" for name, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)
