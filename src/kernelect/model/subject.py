"""What people hand to explanations, exports and reports: a model, or something that ends in one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.model.record import Model
from kernelect.typing import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class Subject:
    """A model, and the steps of scikit-learn before it.

    Attributes
    ----------
    model : Model
    steps : transformer or None
        Fitted; None if the model takes the rows themselves.
    n_columns : int
        Columns of the rows, before the steps.
    names : tuple of str or None
        Their names, if they had any.
    title : str
        What the model is, for messages and comments.
    schema : object or None
        The columns of a table model.
    """

    model: Model
    steps: Any
    n_columns: int
    names: tuple[str, ...] | None
    title: str
    schema: Any = None

    def inputs(self, X: Any) -> Array:
        """Return the inputs of the model for rows."""
        rows = X if self.steps is None else self.steps.transform(X)
        rows = rows.toarray() if hasattr(rows, "toarray") else rows
        return self.model.inputs(rows) if self.model.coding is not None else np.asarray(rows, dtype=float)

    def named(self) -> tuple[str, ...]:
        """Return the names of the columns, or numbered ones."""
        return tuple(f"x{j}" for j in range(self.n_columns)) if self.names is None else self.names


def subject_of(given: Any) -> Subject:
    """Return the model behind an estimator, a Pipeline that ends in one, a table model, or a Model itself."""
    schema = getattr(given, "schema", None)
    found = getattr(given, "model", given) if schema is not None else given
    if isinstance(found, Model):
        title = "Model" if schema is None else given.estimator
        return Subject(
            model=found, steps=None, n_columns=found.n_columns, names=found.names, title=title, schema=schema
        )
    machine, steps = given, None
    if hasattr(given, "steps") and not hasattr(given, "model_"):  # a Pipeline
        machine = given[-1]
        steps = given[:-1] if len(given) > 1 else None
    if not hasattr(machine, "model_"):
        _refuse(machine)
    names = getattr(given, "feature_names_in_", None)
    count = int(getattr(given, "n_features_in_", 0)) or (machine.model_.n_columns if names is None else len(names))
    return Subject(
        model=machine.model_,
        steps=steps,
        n_columns=count,
        names=None if names is None else tuple(str(name) for name in names),
        title=type(machine).__name__,
    )


def predicted_numbers(given: Any, rows: Any) -> Array:
    """Return the numbers that are predicted for rows; for times, the medians, if its own ``predict`` gives risks."""
    subject = subject_of(given)
    if subject.model.is_of_times:
        return subject.model.predictions(subject.inputs(rows))
    return np.asarray(given.predict(rows), dtype=float)


def _refuse(machine: Any) -> None:
    from sklearn.utils.validation import check_is_fitted

    name = type(machine).__name__
    if type(machine).__module__.startswith("kernelect."):
        check_is_fitted(machine)
    raise InvalidArgument(
        f"model={name}(...) is not a model of kernelect: give a fitted estimator, a Pipeline that ends in one, a table "
        "model, or a Model."
    )
