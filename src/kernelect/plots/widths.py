"""Criteria and test error over the same values of one hyper-parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.plots.style import COLOURS, INK, house_style, legend_above
from kernelect.typing import Array

#: How far below its best value a criterion is drawn, in its own units: beyond that nobody would go.
_DEPTH = 60.0


@dataclass(frozen=True, kw_only=True)
class CriteriaCurveDisplay:
    """Several criteria above the test error, like figure 2 of Kropotov, Ptashko & Vetrov.

    Attributes
    ----------
    x : ndarray of shape (n_values,)
        Values of the hyper-parameter.
    x_label : str
    values : dict of str to ndarray of shape (n_values,)
        Each criterion by its name; smaller is better.
    error : ndarray of shape (n_values,)
        Test error in percent.
    """

    x: Array
    x_label: str
    values: Mapping[str, Array]
    error: Array

    def plot(self, axes: Any = None, title: str = "") -> Any:
        """Draw the criteria, higher is better and 0 the best, above the error on two axes, and return these."""
        with house_style("CriteriaCurveDisplay.plot") as plt:
            if axes is None:
                _, axes = plt.subplots(2, 1, figsize=(6.4, 4.6), sharex=True, layout="constrained")
            if len(axes) != 2:
                raise InvalidArgument(f"axes holds {len(axes)} axes, and this picture has 2 parts: give as many.")
            for number, (name, values) in enumerate(self.values.items()):
                best, colour = int(np.argmin(values)), COLOURS[number % len(COLOURS)]
                axes[0].plot(self.x, np.min(values) - values, ".-", color=colour, label=name)
                for ax in axes:
                    ax.axvline(self.x[best], color=colour, lw=1.0, ls="--")
            axes[0].set(xscale="log", ylim=(-_DEPTH, 0.05 * _DEPTH), ylabel="criterion, nats\nbelow its best")
            legend_above(axes[0])
            axes[1].plot(self.x, self.error, ".-", color=INK)
            axes[1].set(xlabel=f"{self.x_label} (dashed: what each criterion prefers)", ylabel="test error, %")
            axes[1].set_title(title)
        return axes
