"""The look shared by all pictures, and the one place that imports matplotlib."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self, TypeVar, get_args

from kernelect.extras import load_extra

INK, QUIET, GRID = "#22303c", "#6b7a88", "#dfe5ea"

#: Distinguishable for colour-blind readers, and in print.
COLOURS = ("#1f6fb2", "#d1660f", "#2f8f5b", "#8a4fa3", "#b3364a", "#5c6b77")


Record = TypeVar("Record")


class Display(ABC):
    """A picture: it holds its numbers and draws them on axes."""

    @abstractmethod
    def plot(self, ax: Any = None) -> Any:
        """Draw on ``ax`` (new axes if none are given) and return it."""

    def drawn(self, ax: Any = None) -> Self:
        """Draw, and return the picture itself."""
        self.plot(ax)
        return self


@dataclass(frozen=True)
class RecordDisplay(Display, Generic[Record]):
    """A picture of one record on one pair of axes."""

    record: Record

    #: Width and height of new axes.
    inches: ClassVar[tuple[float, float]] = (5.2, 3.8)

    @classmethod
    def record_type(cls) -> type[Record]:
        """Return the type of its record, which the class names in brackets behind its base."""
        found: type[Record] = get_args(cls.__orig_bases__[0])[0]  # type: ignore[attr-defined]
        return found

    def _size(self) -> tuple[float, float]:
        return self.inches

    def plot(self, ax: Any = None, colour: str = COLOURS[0]) -> Any:
        """Draw on ``ax`` (new axes if none are given) and return it."""
        with axes_for(ax, f"{type(self).__name__}.plot", self._size()) as ax:
            self._draw(ax, colour)
        return ax

    @abstractmethod
    def _draw(self, ax: Any, colour: str) -> None:
        """Draw the record; ``colour`` is that of pictures with a single one."""


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
