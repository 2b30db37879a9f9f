"""Hyper-parameters, gradient, criterion and validation error along a search."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import fill
from typing import Any, Self

import numpy as np

from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.facts.names import selection_words
from kernelect.facts.sources import require_selection
from kernelect.plots.style import COLOURS, QUIET, Display, house_style
from kernelect.results import Selection
from kernelect.typing import Array, Indices

#: Hyper-parameters that are drawn in colour and named; further ones stay in the background.
_NAMED = 6

#: Letters of a line beside an axis: as many as a panel is high.
_LABEL = 24


@dataclass(frozen=True, kw_only=True)
class EvolutionDisplay(Display):
    """The course of a selection: hyper-parameters, gradient, criterion and validation error.

    Like figures 1, 5 and 6 of Gold & Sollich (2003).

    Attributes
    ----------
    theta : ndarray of shape (n_evaluations, n_parameters)
        Logarithms of the hyper-parameters.
    names : tuple of str
    gradient_norm, value : ndarray of shape (n_evaluations,)
        NaN if a search used no gradient.
    error : ndarray of shape (n_evaluations,) or None
        Error rate on validation rows, NaN at evaluations where it was not computed.
    run : ndarray of shape (n_evaluations,)
    label : str
        What ``value`` is.
    error_label : str
        What ``error`` is.
    beside : ndarray of shape (n_evaluations,) or None
        Another criterion at the same points, which the search did not use.
    beside_label : str
        What ``beside`` is.
    gradient : ndarray of shape (n_evaluations, n_parameters) or None
        Derivatives in each hyper-parameter, drawn in the place of their norm.
    number : ndarray of shape (n_evaluations,) or None
        Which evaluation of the search each one was, from 0, if only some are shown.
    """

    theta: Array
    names: tuple[str, ...]
    gradient_norm: Array
    value: Array
    error: Array | None
    run: Array
    label: str
    error_label: str = "validation error %"
    beside: Array | None = None
    beside_label: str = ""
    gradient: Array | None = None
    number: Indices | None = None

    @classmethod
    def from_selection(cls, selection: Selection, error: Array | None = None) -> Self:
        """Return the record behind the picture.

        Parameters
        ----------
        selection : Selection
        error : ndarray of shape (n_evaluations,), optional
            NaN if it is not known; by default the error that early stopping found.
        """
        if selection.has_sizes:
            raise MissingCapability(
                f"{type(selection).__name__} is a search among subsets and has no course of hyper-parameters: draw "
                "SizesDisplay instead."
            )
        trace = selection.trace
        if error is None and len(selection.validation_error):
            error = selection.validation_error
        if error is not None and np.shape(error) != (len(trace),):
            raise InvalidArgument(
                f"error of shape {np.shape(error)} must have one number for each of the {len(trace)} "
                "evaluations, NaN if there is none."
            )
        error = None if error is None else np.asarray(error, dtype=float)
        words = selection_words(selection)
        return cls(
            theta=trace.theta,
            names=selection.names,
            gradient_norm=trace.gradient_norm,
            value=trace.value,
            error=error,
            run=trace.run,
            label=words,
        )

    @classmethod
    def from_estimator(cls, estimator: Any, error: Array | None = None, axes: Any = None) -> Self:
        """Draw and return the record of a fitted estimator; ``axes`` are as many as the picture has parts."""
        require_selection(estimator)
        return cls.from_selection(estimator.selection_, error).drawn(axes)

    @property
    def moving(self) -> tuple[int, ...]:
        """Indices of the hyper-parameters that moved, the furthest first."""
        finite = np.where(np.isfinite(self.theta), self.theta, np.nan)
        with np.errstate(invalid="ignore"):
            reach = np.nan_to_num(np.fmax.reduce(finite, axis=0) - np.fmin.reduce(finite, axis=0))
        order = np.argsort(-reach, kind="stable")
        return tuple(int(index) for index in order if reach[index] > 0.0)

    def plot(self, axes: Any = None) -> Any:
        """Draw on ``axes`` (new ones if none are given) and return them."""
        curves = self._curves()
        lines = [("ln hyper-parameter", self.theta)]
        lines += [("gradient", self.gradient)] if self.gradient is not None else []
        panels = len(lines) + len(curves)
        with house_style("EvolutionDisplay.plot") as plt:
            if axes is None:
                _, axes = plt.subplots(panels, 1, figsize=(6.4, 2.0 * panels), sharex=True, layout="constrained")
            if len(axes) != panels:
                raise InvalidArgument(
                    f"axes holds {len(axes)} axes, and this picture has {panels} parts: give as many."
                )
            at = 1 + (np.arange(len(self.value)) if self.number is None else self.number)
            for ax, (label, each) in zip(axes, lines, strict=False):
                self._plot_parameters(ax, at, each, label)
            for ax, (label, values, scale) in zip(axes[len(lines) :], curves, strict=True):
                known = np.isfinite(values)
                ax.plot(at[known], values[known], ".-", color=COLOURS[0])
                ax.set_yscale(scale)
                ax.set_ylabel(fill(label, _LABEL))
            for ax in axes:
                for start in np.flatnonzero(np.diff(self.run)) + 1:
                    ax.axvline(start + 0.5, color=QUIET, lw=0.7, ls=":")
            axes[-1].set_xlabel("evaluation")
        return axes

    def _curves(self) -> list[tuple[str, Array, str]]:
        """Return label, values and scale of every panel below the hyper-parameters."""
        steep = np.where(self.gradient_norm > 0, self.gradient_norm, np.nan)
        curves = [("gradient norm", steep, "log")] if self.gradient is None and np.isfinite(steep).any() else []
        curves.append((self.label, self.value, "linear"))
        if self.beside is not None:
            curves.append((self.beside_label, self.beside, "linear"))
        if self.error is not None:
            curves.append((self.error_label, 100.0 * self.error, "linear"))
        return curves

    def _plot_parameters(self, ax: Any, at: Indices, lines: Array, label: str) -> None:
        """Draw one line for every hyper-parameter that moved."""
        named = self.moving[:_NAMED]
        for index in self.moving[_NAMED:]:
            ax.plot(at, lines[:, index], "-", color=QUIET, lw=0.6, alpha=0.6)
        for colour, index in enumerate(named):
            ax.plot(at, lines[:, index], ".-", color=COLOURS[colour % len(COLOURS)], label=self.names[index])
        if named:
            ax.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        ax.set_ylabel(label)
