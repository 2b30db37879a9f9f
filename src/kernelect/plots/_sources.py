"""A machine alone or at the end of a pipeline: its inputs, and the columns of the table behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from kernelect.exceptions import MissingCapability
from kernelect.plots._names import plain_name
from kernelect.typing import Array

#: How scikit-learn begins the names of columns that tell where a cell was missing.
_ABSENT = "missingindicator_"


def machine_of(estimator: Any) -> Any:
    """Return the last step of a pipeline, else the estimator itself."""
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def machine_inputs(estimator: Any, X: Any) -> Array:
    """Return the numbers that the machine itself sees, (n, d)."""
    inputs = estimator[:-1].transform(X) if isinstance(estimator, Pipeline) and len(estimator) > 1 else X
    return np.asarray(inputs.toarray() if hasattr(inputs, "toarray") else inputs, dtype=float)


def input_names(estimator: Any) -> list[str]:
    """Return a name for each input of the machine."""
    machine = machine_of(estimator)
    if isinstance(estimator, Pipeline) and len(estimator) > 1:
        first = estimator[0]
        prefixes = [f"{name}__" for name, *_ in first.transformers_] if isinstance(first, ColumnTransformer) else []
        return [_bare(name, prefixes) for name in _names_out(estimator[:-1], machine.n_features_in_)]
    names = getattr(machine, "feature_names_in_", None)
    return [f"x{j}" for j in range(machine.n_features_in_)] if names is None else [plain_name(n) for n in names]


def relevance_by_column(estimator: Any) -> tuple[list[Any], Array]:
    """Return the table's columns, and the relevance of all that was made of each.

    One-hot and missing-value columns of one source are summed up.
    """
    relevance = relevance_of(machine_of(estimator))
    columns = _columns_of(estimator)
    if columns is None:
        return list(input_names(estimator)), relevance
    sources = sources_of(estimator[0], columns, len(relevance))
    return columns, np.bincount(sources, weights=relevance, minlength=len(columns))


def relevance_of(machine: Any) -> Array:
    """Return ``feature_importances_``, or say why there are none."""
    relevance = getattr(machine, "feature_importances_", None)
    if relevance is None:
        raise MissingCapability(
            f"{type(machine).__name__} has no feature_importances_: a precomputed kernel or a dictionary does not tell "
            "which inputs matter. Use a kernel of the inputs such as 'ard'."
        )
    return np.asarray(relevance, dtype=float)


def sources_of(transformer: ColumnTransformer, columns: Sequence[Any], count: int) -> Array:
    """Return, for each of the ``count`` outputs, the place of the column it was made from."""
    place = {column: j for j, column in enumerate(columns)}
    sources = np.zeros(count, dtype=np.intp)
    for name, part, of in transformer.transformers_:
        outputs = np.arange(count)[transformer.output_indices_[name]]
        names = [columns[j] if isinstance(j, int | np.integer) and j not in place else j for j in np.atleast_1d(of)]
        if not len(outputs):
            continue
        by_name = {str(name): name for name in names}
        for output, made in zip(outputs, _names_out(part, len(outputs), names), strict=True):
            sources[output] = place[_source(str(made), by_name)]
    return sources


def _columns_of(estimator: Any) -> list[Any] | None:
    """Return the table's columns where the first step is a transformer of columns."""
    if not isinstance(estimator, Pipeline) or not isinstance(estimator[0], ColumnTransformer) or len(estimator) != 2:
        return None
    named = getattr(estimator[0], "feature_names_in_", None)
    return list(range(estimator[0].n_features_in_)) if named is None else list(named)


def _names_out(part: Any, count: int, names: Sequence[Any] | None = None) -> list[str]:
    if names is not None and (isinstance(part, str) or len(names) == 1):  # "passthrough", or nothing to tell apart
        return [str(name) for name in (names * count if len(names) == 1 else names)]
    try:
        return list(part.get_feature_names_out(None if names is None else np.asarray(names, dtype=object)))
    except (AttributeError, ValueError):  # a step that cannot say what it made
        return [f"x{j}" for j in range(count)]


def _bare(name: str, prefixes: Sequence[str]) -> str:
    """Return the name without the part of the pipeline that made it."""
    prefix = next((prefix for prefix in prefixes if name.startswith(prefix)), "")
    bare = plain_name(name.removeprefix(prefix))
    absent = bare.removeprefix(_ABSENT)
    return f"{absent} is missing" if absent != bare else bare


def _source(made: str, columns: dict[str, Any]) -> Any:
    """Return the column an output was made from: the longest one that its name begins with."""
    bare = made.removeprefix(_ABSENT)
    if bare in columns:
        return columns[bare]
    ends = [at for at, letter in enumerate(bare) if letter == "_"]
    starts = (bare[:at] for at in reversed(ends))
    return next((columns[start] for start in starts if start in columns), next(iter(columns.values())))
