"""What each row gets from all the others, where a machine knows it exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelect.criteria.calibration import classes_of, fit_temperature, probabilities
from kernelect.exceptions import MissingCapability
from kernelect.facts.sources import is_mixture, machine_of
from kernelect.typing import Array


def left_out_labels(estimator: Any) -> Any:
    """Return the exact leave-one-out labels of a classifier."""
    machine = machine_of(estimator)
    if is_mixture(machine):
        return machine.classes_[np.argmax(_known(machine, "loo_proba_"), axis=1)]
    return machine.classes_[classes_of(_known(machine, "loo_decision_"))]


def left_out_probabilities(estimator: Any, y: Any, weights: Array | None = None) -> Array:
    """Return the exact leave-one-out probabilities (n, k); their one temperature was fitted on all rows."""
    machine = machine_of(estimator)
    if is_mixture(machine):  # its temperature is a part of it
        return _known(machine, "loo_proba_")
    decision = _known(machine, "loo_decision_")
    index = np.searchsorted(machine.classes_, np.asarray(y))
    weights = np.ones(len(index)) if weights is None else weights
    return probabilities(decision, fit_temperature(decision, index, weights))


def left_out_values(estimator: Any) -> Array:
    """Return the exact leave-one-out predictions of a regressor."""
    return _known(machine_of(estimator), "loo_prediction_")


def left_out_survival(estimator: Any, times: Array) -> Array | None:
    """Return the exact leave-one-out survival functions (n, n_times) at times; None if the machine has none."""
    machine = machine_of(estimator)
    return machine.loo_survival(times) if hasattr(machine, "loo_survival") else None


def left_out_interval(estimator: Any, coverage: float) -> Array | None:
    """Return lower and upper ends (n, 2) around leave-one-out predictions; None if there are none."""
    model = machine_of(estimator).model_
    if model.jackknife is None or model.training is None:
        return None
    found = np.column_stack(model.left_out_ends(model.training.left_out, coverage))
    return found if found is not None and np.isfinite(found).all() else None


def _known(machine: Any, name: str) -> Array:
    if not hasattr(machine, name):
        raise MissingCapability(
            f"{type(machine).__name__} has no exact leave-one-out ({name}): use from_predictions with the output of "
            "sklearn.model_selection.cross_val_predict."
        )
    return np.asarray(getattr(machine, name))
