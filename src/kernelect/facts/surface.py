"""The criterion around the selected point: what each parameter does there, and a picture's grid of values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.estimators import SelfSelecting, objective_of
from kernelect.exceptions import MissingCapability
from kernelect.facts.names import parameter_kind, selection_words, with_input_names
from kernelect.facts.record import InfluenceFacts
from kernelect.facts.sources import input_names, machine_inputs, machine_of, require_selection
from kernelect.selection import ParameterInfluence, SelectionObjective, influence, surface
from kernelect.typing import Array, Indices

#: How far the grid reaches from the selected value, in logarithms: a factor of 20.
_REACH = 3.0

#: Rows at most on which the criterion is evaluated again.
CRITERION_ROWS = 300


@dataclass(frozen=True, kw_only=True)
class Landscape:
    """The criterion on some rows, the selected point, and what each parameter does there."""

    objective: SelectionObjective
    theta: Array
    influence: ParameterInfluence

    @classmethod
    def of(cls, estimator: Any, X: Any, y: Any, max_rows: int = CRITERION_ROWS) -> Self:
        """Evaluate the criterion of a fitted kernel machine around its selected point."""
        machine = machine_of(estimator)
        require_selection(machine)
        if not isinstance(machine, SelfSelecting):
            raise MissingCapability(
                f"{type(machine).__name__} searches subsets and has no surface: draw SizesDisplay instead."
            )
        y, theta = np.asarray(y), machine.selection_.theta
        objective = objective_of(machine, machine_inputs(estimator, X), y, spread_over_labels(y, max_rows))
        found = influence(objective, theta)
        if not len(found.index):
            raise MissingCapability(
                f"{type(machine).__name__} had nothing to select, every parameter was given: set one of them to 'auto'."
            )
        return cls(objective=objective, theta=theta, influence=found)

    def describe(self, inputs: list[str]) -> list[InfluenceFacts]:
        """Return the rise of the criterion for a factor of 10 in each parameter."""
        found = self.influence
        return [
            InfluenceFacts(
                name=with_input_names(name, inputs), kind=parameter_kind(name), below=float(below), above=float(above)
            )
            for name, below, above in zip(found.names, found.below, found.above, strict=True)
        ]


@dataclass(frozen=True, kw_only=True)
class Surface:
    """The criterion over its two most influential parameters, all others held at their selected values.

    Where only one was selected, a curve over that one.

    Attributes
    ----------
    names : tuple of str
        One or two.
    at : ndarray of shape (n_parameters, size)
        Values of the parameters on the grid.
    rise : ndarray of shape (size,) or (size, size)
        Nats above the lowest point of the grid; the first parameter runs along the last axis.
    chosen : ndarray of shape (n_parameters,)
    label : str
        What was minimised.
    n_rows, n_samples : int
        Rows that were used, of how many.
    """

    names: tuple[str, ...]
    at: Array
    rise: Array
    chosen: Array
    label: str
    n_rows: int
    n_samples: int

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, max_rows: int = CRITERION_ROWS, size: int = 15) -> Self:
        """Return the record of a fitted kernel machine, or of a pipeline around one."""
        return cls.of(Landscape.of(estimator, X, y, max_rows), estimator, size=size, n_samples=len(np.asarray(y)))

    @classmethod
    def of(cls, landscape: Landscape, estimator: Any, *, size: int, n_samples: int) -> Self:
        """Return the record, at the cost of ``size`` evaluations, or their square for two parameters."""
        objective, theta, axes = landscape.objective, landscape.theta, landscape.influence.strongest(2)
        shifts, inputs = np.linspace(-_REACH, _REACH, size), input_names(estimator)
        values = surface(objective, theta, axes, shifts)
        chosen = np.exp(theta[axes])
        return cls(
            names=tuple(with_input_names(objective.space.names[index], inputs) for index in axes),
            at=chosen[:, None] * np.exp(shifts),
            rise=values - np.min(values[np.isfinite(values)], initial=np.inf),
            chosen=chosen,
            label=selection_words(machine_of(estimator).selection_),
            n_rows=len(objective.X),
            n_samples=n_samples,
        )


def spread_over_labels(y: Array, most: int) -> Indices:
    """Return at most ``most`` rows, evenly taken from the rows sorted by target: no class is lost."""
    if len(y) <= most:
        return np.arange(len(y))
    order = np.argsort(y, kind="stable")
    return np.sort(order[np.linspace(0, len(y) - 1, most).astype(np.intp)])
