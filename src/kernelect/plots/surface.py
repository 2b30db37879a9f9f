"""The criterion around the selected point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.estimators import objective_of
from kernelect.exceptions import MissingCapability
from kernelect.plots._names import parameter_name, selection_words, short_name
from kernelect.plots._sources import input_names, machine_inputs, machine_of
from kernelect.plots._style import COLOURS, INK, QUIET, house_style
from kernelect.selection import Influence, SelectionObjective, influence, surface
from kernelect.typing import Array, Indices

#: How far the picture reaches from the selected value, in logarithms: a factor of 20.
_REACH = 3.0

#: Rises in nats at which the shade changes: 1 is noise, 3 is much, beyond 300 nothing is told apart.
_LEVELS = (0.0, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)


@dataclass(frozen=True)
class SurfaceDisplay:
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
    def from_objective(
        cls, objective: SelectionObjective, theta: Array, axes: Indices, *, label: str, size: int, n_samples: int
    ) -> Self:
        """Return the record, at the cost of ``size ** len(axes)`` evaluations."""
        shifts = np.linspace(-_REACH, _REACH, size)
        values = surface(objective, theta, axes, shifts)
        rise = values - np.min(values[np.isfinite(values)], initial=np.inf)
        names = tuple(objective.space.names[index] for index in axes)
        chosen = np.exp(theta[axes])
        return cls(names, chosen[:, None] * np.exp(shifts), rise, chosen, label, len(objective.X), n_samples)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, max_rows: int = 300, size: int = 15, ax: Any = None
    ) -> Self:
        """Return the record of a fitted kernel machine (or a pipeline around one), drawn.

        Parameters
        ----------
        X, y
            What it was fitted on.
        max_rows : int
            Rows the criterion is evaluated on at most, evenly taken: its values are those of a
            smaller problem where there are more.
        size : int
            Points along each parameter.
        """
        objective, theta, found = explored(estimator, X, y, max_rows)
        label = selection_words(machine_of(estimator).selection_)
        display = cls.from_objective(
            objective, theta, found.strongest(2), label=label, size=size, n_samples=len(np.asarray(y))
        ).renamed(input_names(estimator))
        display.plot(ax)
        return display

    def renamed(self, inputs: list[str]) -> Self:
        """Return the record with the names of inputs in the place of their numbers."""
        names = tuple(parameter_name(name, inputs) for name in self.names)
        return type(self)(names, self.at, self.rise, self.chosen, self.label, self.n_rows, self.n_samples)

    def plot(self, ax: Any = None, colour: str = COLOURS[0]) -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it."""
        with house_style("SurfaceDisplay.plot") as plt:
            if ax is None:
                _, ax = plt.subplots(figsize=(6.4, 4.4))
            if len(self.names) == 1:
                self._plot_curve(ax, colour)
            else:
                self._plot_surface(ax, colour)
            ax.set_xscale("log")
            for axis in (ax.xaxis, ax.yaxis)[: len(self.names)]:
                axis.set_major_formatter("{x:g}")
                axis.set_minor_formatter("")
            ax.set_xlabel(short_name(self.names[0], 40), parse_math=False)
        return ax

    def _plot_curve(self, ax: Any, colour: str) -> None:
        ax.plot(self.at[0], np.where(np.isfinite(self.rise), self.rise, np.nan), color=colour, lw=1.8)
        ax.axvline(float(self.chosen[0]), color=COLOURS[1], lw=1.2, ls="--", label="selected")
        ax.set_ylabel("nats above the lowest point")
        ax.legend()

    def _plot_surface(self, ax: Any, colour: str) -> None:
        from matplotlib.colors import to_rgba

        # One colour in rising strength reads on white and on black paper alike.
        shades = [to_rgba(colour, alpha) for alpha in np.linspace(0.62, 0.04, len(_LEVELS))]
        rise = np.where(np.isfinite(self.rise), self.rise, 10.0 * _LEVELS[-1])
        ax.contourf(*self.at, rise, levels=_LEVELS, colors=shades[:-1], extend="max")
        lines = ax.contour(*self.at, rise, levels=_LEVELS[1:], colors=QUIET, linewidths=0.5)
        ax.clabel(lines, fmt="%g", fontsize="x-small", colors=INK)
        ax.plot(*self.chosen, "o", color=COLOURS[1], ms=7, mec="white", mew=1.0, label="selected")
        ax.set_yscale("log")
        ax.set_ylabel(short_name(self.names[1], 30), parse_math=False)
        ax.grid(visible=False)


def explored(estimator: Any, X: Any, y: Any, max_rows: int) -> tuple[SelectionObjective, Array, Influence]:
    """Return the criterion on some rows, the selected point, and what each parameter does there."""
    machine = machine_of(estimator)
    if not hasattr(machine, "_objective_on"):
        raise MissingCapability(
            f"{type(machine).__name__} searches subsets and has no surface: draw SizesDisplay in its place."
        )
    inputs, y = machine_inputs(estimator, X), np.asarray(y)
    theta = machine.selection_.theta
    objective = objective_of(machine, inputs, y, spread_over_labels(y, max_rows))
    found = influence(objective, theta)
    if not len(found.index):
        raise MissingCapability(
            f"{type(machine).__name__} had nothing to select, every parameter was given: set one of them to 'auto'."
        )
    return objective, theta, found


def spread_over_labels(y: Array, most: int) -> Indices:
    """Return at most ``most`` rows, evenly taken from the rows sorted by target: no class is lost."""
    if len(y) <= most:
        return np.arange(len(y))
    order = np.argsort(y, kind="stable")
    return np.sort(order[np.linspace(0, len(y) - 1, most).astype(np.intp)])
