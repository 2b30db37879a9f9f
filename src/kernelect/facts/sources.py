"""A machine alone or at the end of a pipeline: its inputs, and the columns of the table they were made from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from kernelect.facts.names import plain_name
from kernelect.typing import Array, Indices

#: How scikit-learn begins the names of columns that tell where a cell was missing.
_ABSENT = "missingindicator_"

#: What scikit-learn calls the rare categories of a column that share one input.
_RARE = "infrequent_sklearn"


def machine_of(estimator: Any) -> Any:
    """Return the last step of a pipeline, else the estimator itself."""
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def machine_inputs(estimator: Any, X: Any) -> Array:
    """Return the numbers that the machine itself sees, (n, d)."""
    inputs = estimator[:-1].transform(X) if isinstance(estimator, Pipeline) and len(estimator) > 1 else X
    return np.asarray(inputs.toarray() if hasattr(inputs, "toarray") else inputs, dtype=float)


def input_names(estimator: Any) -> list[str]:
    """Return a name for each input of the machine, such as ``age``, ``age is missing`` or ``sex = male``."""
    machine = machine_of(estimator)
    count = machine.n_features_in_
    if not isinstance(estimator, Pipeline) or len(estimator) == 1:
        named = getattr(machine, "feature_names_in_", None)
        return [f"x{j}" for j in range(count)] if named is None else [plain_name(name) for name in named]
    made, columns = _made_by(estimator[:-1], count), columns_of(estimator)
    if columns is None:
        return [plain_name(name) for name in made]
    prefixes = tuple(f"{name}__" for name, *_ in estimator[0].transformers_)
    sources = input_sources(estimator)
    return [
        plain_name(_readable(_bare(name, prefixes), str(columns[j]))) for name, j in zip(made, sources, strict=True)
    ]


def columns_of(estimator: Any) -> list[Any] | None:
    """Return the table's columns where a transformer of columns alone stands before the machine."""
    if not isinstance(estimator, Pipeline) or not isinstance(estimator[0], ColumnTransformer) or len(estimator) != 2:
        return None
    named = getattr(estimator[0], "feature_names_in_", None)
    return list(range(estimator[0].n_features_in_)) if named is None else list(named)


def input_sources(estimator: Any) -> Indices:
    """Return, for each input of the machine, the place of the column it was made from."""
    count, columns = machine_of(estimator).n_features_in_, columns_of(estimator)
    if columns is None:
        return np.arange(count)
    place = {column: j for j, column in enumerate(columns)}
    sources = np.zeros(count, dtype=np.intp)
    transformer = estimator[0]
    for block, part, of in transformer.transformers_:
        names = _chosen(of, columns)
        outputs = np.arange(count)[transformer.output_indices_[block]]
        if len(outputs):
            found = _sources_within(part, names, len(outputs))
            sources[outputs] = [place[name] for name in found]
    return sources


def _chosen(of: Any, columns: list[Any]) -> list[Any]:
    """Return the columns that a part was given, by name, by place, as a slice or as a mask."""
    if isinstance(of, slice) or np.asarray(of).dtype == bool:
        return np.asarray(columns, dtype=object)[of].tolist()
    given = np.atleast_1d(of).tolist()
    return [columns[one] if isinstance(one, int) and one not in columns else one for one in given]


def _sources_within(part: Any, names: Sequence[Any], count: int) -> list[Any]:
    """Return the column that each of ``count`` outputs of one part was made from."""
    if len(names) == 1:  # nothing to tell apart
        return [names[0]] * count
    if isinstance(part, str):  # "passthrough"
        return list(names)
    by_name = {str(name): name for name in names}
    return [_source(made, by_name) for made in _made_by(part, count, names)]


def _made_by(part: Any, count: int, names: Sequence[Any] | None = None) -> list[str]:
    try:
        made = part.get_feature_names_out(None if names is None else np.asarray(names, dtype=object))
    except (AttributeError, ValueError):  # a step that cannot say what it made
        return [f"x{j}" for j in range(count)]
    return [str(name) for name in made]


def _bare(name: str, prefixes: tuple[str, ...]) -> str:
    """Return the name without the part of the pipeline that made it."""
    prefix = next((prefix for prefix in prefixes if name.startswith(prefix)), "")
    return name.removeprefix(prefix)


def _readable(made: str, column: str) -> str:
    """Return what an input made from ``column`` is, in words."""
    if made == f"{_ABSENT}{column}":
        return f"{column} is missing"
    if not made.startswith(f"{column}_"):
        return made
    level = made.removeprefix(f"{column}_")
    return f"{column} = {'a rare category' if level == _RARE else level}"


def _source(made: str, columns: dict[str, Any]) -> Any:
    """Return the column an output was made from: the longest one that its name begins with."""
    bare = made.removeprefix(_ABSENT)
    if bare in columns:
        return columns[bare]
    ends = [at for at, letter in enumerate(bare) if letter == "_"]
    starts = (bare[:at] for at in reversed(ends))
    return next((columns[start] for start in starts if start in columns), next(iter(columns.values())))
