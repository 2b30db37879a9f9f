"""A machine alone or at the end of a pipeline: its inputs, and the columns of the table they were made from."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from kernelect.exceptions import MissingCapability
from kernelect.explain.players import players_of
from kernelect.facts.names import plain_name
from kernelect.typing import Array, Indices

#: How scikit-learn begins the names of columns that tell where a cell was missing.
_ABSENT = "missingindicator_"

#: What scikit-learn calls the rare categories of a column that share one input.
_RARE = "infrequent_sklearn"


def machine_of(estimator: Any) -> Any:
    """Return the last step of a pipeline, else the estimator itself."""
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def is_mixture(estimator: Any) -> bool:
    """Tell whether the machine mixes several machines, and has no selection of its own."""
    return bool(getattr(machine_of(estimator), "is_mixture", False))


def require_selection(machine: Any) -> None:
    """Raise if a machine has several selections, one of each machine that it mixes."""
    if is_mixture(machine):
        raise MissingCapability(
            f"{type(machine).__name__} mixes several machines, each with a selection of its own: draw WeightsDisplay "
            "instead, or fit one machine such as LSSVC."
        )


def classes_of_estimator(estimator: Any) -> Any:
    """Return the classes that an estimator tells apart, or say that it predicts numbers."""
    machine = machine_of(estimator)
    if not is_classifier(machine):
        raise MissingCapability(
            f"{type(machine).__name__} predicts numbers and has no classes: draw ResidualsDisplay instead, or give a "
            "fitted classifier."
        )
    return machine.classes_


def prepared_rows(estimator: Any, X: Any) -> Any:
    """Return the rows as the steps before the machine hand them to it."""
    return estimator[:-1].transform(X) if _has_steps(estimator) else X


def machine_inputs(estimator: Any, X: Any) -> Array:
    """Return the numbers that the machine itself sees, (n, d)."""
    inputs = prepared_rows(estimator, X)
    return np.asarray(inputs.toarray() if hasattr(inputs, "toarray") else inputs, dtype=float)


def column_labels(estimator: Any) -> list[Any]:
    """Return the columns of the table as it takes them: names of a DataFrame, places in an array."""
    named = getattr(estimator, "feature_names_in_", None)
    return list(range(estimator.n_features_in_)) if named is None else list(named)


def column_names(estimator: Any) -> list[str]:
    """Return a name for each column of the table."""
    return [f"x{label}" if isinstance(label, int) else plain_name(label) for label in column_labels(estimator)]


def input_sources(estimator: Any) -> Indices | None:
    """Return, for each input of the machine, the place of the column it was made from.

    None if a step before the machine mixes columns, as principal components do.
    """
    if not _has_steps(estimator):
        return np.arange(machine_of(estimator).n_features_in_)
    try:
        players = players_of(estimator[:-1], estimator.n_features_in_)
    except MissingCapability:
        return None
    if any(len(columns) > 1 for columns in players.columns):
        return None
    return np.array([players.columns[owner][0] for owner in players.owners], dtype=np.intp)


def input_names(estimator: Any) -> list[str]:
    """Return a name for each input of the machine, such as ``age``, ``age is missing`` or ``sex = male``."""
    columns = column_names(estimator)
    if not _has_steps(estimator):
        return columns
    made, sources = _names_out(estimator), input_sources(estimator)
    if sources is None:
        return [plain_name(name) for name in made]
    return [_readable(name, columns[j]) for name, j in zip(made, sources, strict=True)]


def _has_steps(estimator: Any) -> bool:
    return isinstance(estimator, Pipeline) and len(estimator) > 1


def _names_out(estimator: Any) -> list[str]:
    """Return what the steps before the machine call their outputs, without the part that made each."""
    try:
        made = [str(name) for name in estimator[:-1].get_feature_names_out()]
    except (AttributeError, ValueError):  # a step that cannot say what it made
        return [f"x{j}" for j in range(machine_of(estimator).n_features_in_)]
    first = estimator[0]
    parts = [f"{name}__" for name, *_ in first.transformers_] if isinstance(first, ColumnTransformer) else []
    return [name.removeprefix(next((part for part in parts if name.startswith(part)), "")) for name in made]


def _readable(made: str, column: str) -> str:
    """Return what an input made from ``column`` is, in words."""
    made = plain_name(made)  # as the names of columns are
    if made == f"{_ABSENT}{column}":
        return f"{column} is missing"
    if not made.startswith(f"{column}_"):
        return made
    level = made.removeprefix(f"{column}_")
    return f"{column} = {'a rare category' if level == _RARE else level}"


def rows_at(X: Any, places: Indices) -> Any:
    """Return some rows of a table or an array."""
    return X.iloc[places] if hasattr(X, "iloc") else np.asarray(X)[places]


def some_rows(n_rows: int, most: int) -> Indices:
    """Return places of rows, evenly along the table."""
    return np.unique(np.linspace(0, n_rows - 1, min(most, n_rows)).astype(np.intp))
