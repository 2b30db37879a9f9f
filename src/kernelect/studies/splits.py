"""Splits a data set into training and test rows, by the protocols of the papers.

A protocol is the table ``[protocol]`` of a definition; a data set's own entry overrides it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from kernelect.datasets import GENERATORS, DataSet
from kernelect.exceptions import InvalidArgument, unknown_name
from kernelect.typing import Array, Indices

Rows = tuple[Indices, Indices]


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Training and test parts of one split."""

    X: Array
    y: Array
    X_test: Array
    y_test: Array
    kind: str = ""  # "original" for a published split, "random" for one drawn here


def make_problem(data: DataSet, protocol: Mapping[str, Any], split: int, seed: int) -> Problem:
    """Return split number ``split`` of ``data``, scaled according to the protocol."""
    kind = str(protocol.get("kind", "stored"))
    if kind == "draws":
        return _draw(data.name, protocol, split, seed)
    if kind not in _SPLITTERS:
        raise unknown_name("kind of the protocol", kind, [*_SPLITTERS, "draws"])
    (train, test), origin = _SPLITTERS[kind](data, protocol, split, seed)
    if not isinstance(data.X, np.ndarray):  # a DataFrame, which every method codes in its own way
        rows: Any = data.X.iloc
        return Problem(X=rows[train], y=data.y[train], X_test=rows[test], y_test=data.y[test], kind=origin)
    X = data.X[:, : protocol.get("columns")]
    X, y = _scaled(X, str(protocol.get("scale", "none")), train), _targets(data.y, protocol, train)
    return Problem(X=X[train], y=y[train], X_test=X[test], y_test=y[test], kind=origin)


def _generator(name: str, split: int, seed: int) -> np.random.Generator:
    return np.random.default_rng([seed, crc32(name.encode()), split])


def _stored(data: DataSet, protocol: Mapping[str, Any], split: int, seed: int) -> tuple[Rows, str]:
    """Published splits first, then stored random ones of the same sizes."""
    original, random = (len(data.stored.get(f"{prefix}train", ())) for prefix in ("", "surrogate_"))
    if split < original:
        return (data.stored["train"][split], data.stored["test"][split]), "original"
    if split < original + random:
        row = split - original
        return (data.stored["surrogate_train"][row], data.stored["surrogate_test"][row]), "random"
    if "rows" in protocol:
        return _random(data, protocol, split, seed)
    raise InvalidArgument(
        f"{data.name} has {original + random} stored splits, and split {split} was asked for: ask for fewer, or give "
        "the number of training rows as `rows` in the definition to have more drawn."
    )


def _random(data: DataSet, protocol: Mapping[str, Any], split: int, seed: int) -> tuple[Rows, str]:
    n = len(data.X)
    order = _generator(data.name, split, seed).permutation(n)
    cut = int(protocol["rows"]) if "rows" in protocol else round(float(protocol.get("fraction", 0.67)) * n)
    return (order[: min(cut, protocol.get("most_rows", cut))], order[cut:]), "random"


def _held_out(data: DataSet, protocol: Mapping[str, Any], split: int, seed: int) -> tuple[Rows, str]:
    """Test a fifth of the rows: the last in time, each split a tenth earlier, or whole groups, or any rows."""
    n, rng = len(data.X), _generator(data.name, split, seed)
    if "time" in data.stored:
        time = data.stored["time"]
        order = np.argsort(time, kind="stable")[: n - split * (n // 10)]
        first = time[order[-(n // 5)]] if len(order) > n // 5 else time.min()
        train, test = np.flatnonzero(time < first), order[time[order] >= first]
    else:
        groups = data.stored.get("groups", np.arange(n))
        shuffled = rng.permutation(int(groups.max()) + 1)
        before = np.cumsum(np.bincount(groups)[shuffled]) - np.bincount(groups)[shuffled]
        tested = np.isin(groups, shuffled[before < n / 5])
        train, test = np.flatnonzero(~tested), np.flatnonzero(tested)
    return (rng.permutation(train)[: protocol.get("most_rows", n)], test), "random"


def _blocks(data: DataSet, protocol: Mapping[str, Any], split: int, seed: int) -> tuple[Rows, str]:
    """Disjoint training blocks of one permutation while they last, then those of a further one."""
    n, rows = len(data.X), int(protocol["rows"])
    per_order = n // rows
    order = _generator(data.name, split // per_order, seed).permutation(n)
    train = order[(split % per_order) * rows :][:rows]
    return (train, np.setdiff1d(order, train)), "random"


def _folds(data: DataSet, protocol: Mapping[str, Any], split: int, seed: int) -> tuple[Rows, str]:
    n_folds = int(protocol.get("folds", 5))
    kind = StratifiedKFold if protocol.get("stratified", True) else KFold
    state = int(_generator(data.name, split // n_folds, seed).integers(2**31))
    folds = kind(n_folds, shuffle=True, random_state=state).split(data.X, data.y)
    return list(folds)[split % n_folds], "random"


def _fixed(data: DataSet, protocol: Mapping[str, Any], split: int, seed: int) -> tuple[Rows, str]:
    """The same rows for every split, if starts differ and not data."""
    del split
    if "per_group" in protocol:
        train = _group_sample(data, protocol, seed)
    elif "rows" in protocol:
        train = np.arange(int(protocol["rows"]))
    else:
        train = np.asarray(data.stored["train"], dtype=np.intp).ravel()
    return (train, np.setdiff1d(np.arange(len(data.X)), train)), "fixed"


def _group_sample(data: DataSet, protocol: Mapping[str, Any], seed: int) -> Indices:
    keys = [data.y if name == "y" else data.stored[name] for name in protocol["groups"]]
    _, group = np.unique(np.column_stack(keys), axis=0, return_inverse=True)
    rng = np.random.default_rng(seed)
    per_group = int(protocol["per_group"])
    chosen = [rng.choice(np.flatnonzero(group == g), per_group, replace=False) for g in np.unique(group)]
    return np.concatenate(chosen)


_SPLITTERS: dict[str, Callable[[DataSet, Mapping[str, Any], int, int], tuple[Rows, str]]] = {
    "stored": _stored,
    "random": _random,
    "held-out": _held_out,
    "blocks": _blocks,
    "folds": _folds,
    "fixed": _fixed,
}


def _draw(name: str, protocol: Mapping[str, Any], split: int, seed: int) -> Problem:
    """Fresh rows of a generator for every split."""
    source = str(protocol.get("generator", name))
    if source not in GENERATORS:
        raise unknown_name("generator", source, list(GENERATORS))
    states = _generator(name, split, seed).integers(2**31, size=2)
    sizes = int(protocol.get("rows", 400)), int(protocol.get("test_rows", 5000))
    (X, y), (X_test, y_test) = (
        GENERATORS[source](size, random_state=int(s)) for size, s in zip(sizes, states, strict=True)
    )
    return Problem(X=X, y=y, X_test=X_test, y_test=y_test, kind="drawn")


def _scaled(X: Array, scale: str, train: Indices) -> Array:
    """Return inputs standardised by the training rows, by all rows, or stretched to [-1, 1]."""
    if scale == "none":
        return X
    if scale == "range":
        low, width = X.min(axis=0), np.ptp(X, axis=0)
        return 2.0 * (X - low) / np.where(width > 0, width, 1.0) - 1.0
    if scale not in ("training", "all"):
        raise unknown_name("scale of the protocol", scale, ["none", "training", "all", "range"])
    rows = X[train] if scale == "training" else X
    spread = rows.std(axis=0)
    return (X - rows.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def _targets(y: Array, protocol: Mapping[str, Any], train: Indices) -> Array:
    if not protocol.get("standardize_target", False):
        return y
    return (y - y[train].mean()) / y[train].std()
