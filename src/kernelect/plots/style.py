"""The look shared by all pictures, and the one place that imports matplotlib."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from kernelect.extras import load_extra

INK, QUIET, GRID = "#22303c", "#6b7a88", "#dfe5ea"

#: Distinguishable for colour-blind readers, and in print.
COLOURS = ("#1f6fb2", "#d1660f", "#2f8f5b", "#8a4fa3", "#b3364a", "#5c6b77")


class Display(ABC):
    """A picture: it holds its numbers and draws them on axes."""

    @abstractmethod
    def plot(self, ax: Any = None) -> Any:
        """Draw on ``ax`` (new axes if none are given) and return it."""

    def drawn(self, ax: Any = None) -> Self:
        """Draw, and return the picture itself."""
        self.plot(ax)
        return self


@contextmanager
def axes_for(ax: Any, caller: str, size: tuple[float, float]) -> Iterator[Any]:
    """Yield ``ax``, or new axes of that size if none is given, with the library's look switched on."""
    with house_style(caller) as plt:
        yield plt.subplots(figsize=size)[1] if ax is None else ax


@contextmanager
def house_style(caller: str) -> Iterator[Any]:
    """Yield pyplot with the library's look switched on."""
    plt = load_extra("matplotlib.pyplot", caller=caller, extra="plots")
    look = {
        "axes.edgecolor": QUIET,
        "axes.labelcolor": INK,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlesize": "medium",
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "grid.color": GRID,
        "text.color": INK,
        "xtick.color": QUIET,
        "ytick.color": QUIET,
        "legend.frameon": False,
        "figure.constrained_layout.use": True,
        "savefig.dpi": 160,
    }
    with plt.rc_context(look):
        yield plt


def legend_above(ax: Any, title: str | None = None) -> None:
    """Name the series above the axes, where no point can lie behind the names; they are never read as formulas."""
    legend = ax.legend(
        title=title,
        fontsize="small",
        title_fontsize="small",
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=3,
        columnspacing=1.2,
        handletextpad=0.4,
    )
    for text in [*legend.get_texts(), legend.get_title()]:
        text.set_parse_math(False)
