"""Records as SVG that follows the page: its colours light and dark, its font, selectable text."""

from __future__ import annotations

import html
import io
import re
import warnings
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from kernelect import plots
from kernelect.facts.material import RECORDS
from kernelect.facts.numbers import LATEST_YEAR, trimmed
from kernelect.facts.page_record import PictureFacts
from kernelect.facts.pictures import MANY_COLUMNS
from kernelect.facts.plain import record_from_plain
from kernelect.plots.explanations import ramp_colours
from kernelect.plots.style import COLOURS, GRID, INK, QUIET, RecordDisplay, house_style

#: Inches; small, so that letters of 10 points stay readable where the page is narrow.
_WIDTH, _HEIGHT = 4.6, 3.3

#: Numbers of five digits or more are long: so many steps fit along a level axis.
_LONG, _LONG_NUMBERS = 1e4, 4

#: Points between two of them.
_APART = 4.0

#: Colours of the pictures -> variables of the page, which change with its light.
_VARIABLES = {INK: "--ink", QUIET: "--quiet", GRID: "--grid", "#ffffff": "--card"} | {
    colour: f"--series-{number}" for number, colour in enumerate(COLOURS, start=1)
}


@cache
def _displays() -> dict[type, type[RecordDisplay[Any]]]:
    """Return the pictures by the type of their record."""
    found = (getattr(plots, name) for name in plots.__all__)  # type: ignore[attr-defined]
    return {each.record_type(): each for each in found if issubclass(each, RecordDisplay)}


@cache
def _variables() -> dict[str, str]:
    """Return the colours with their values in the page; those between low and high are mixed there."""
    found = {colour: f"var({name})" for colour, name in _VARIABLES.items()}
    for colour, (one, other, share) in ramp_colours().items():
        ends = [found.get(end, "var(--quiet)") for end in (one, other)]
        found.setdefault(colour, f"color-mix(in srgb, {ends[0]}, {ends[1]} {100 * share:.0f}%)")
    return found


_LOOK: dict[Any, Any] = {"font.size": 10.0, "svg.fonttype": "none", "svg.hashsalt": "kernelect"}


def is_tall(picture: PictureFacts) -> bool:
    """Tell whether a picture takes the height of two others."""
    return picture["kind"] == "relevance" and len(picture["record"]["names"]) > MANY_COLUMNS


def draw_picture(picture: PictureFacts, prefix: str) -> str:
    """Return a picture as an SVG element; ``prefix`` keeps its identifiers apart from other pictures'."""
    record: Any = record_from_plain(RECORDS[picture["kind"]], picture["record"])
    svg = _drawn(_displays()[type(record)](record), _height(picture))
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\b(id="|href="#|url\(#)', rf"\g<1>{prefix}-", svg)
    svg = _titled(_coloured(svg), _words_of(picture["record"]))
    label = html.escape(f"{picture['title']}. {picture['caption']}")
    return re.sub(r"<svg ([^>]*?)>", lambda found: _opening(found[1], label), svg, count=1)


def _drawn(display: Any, height: float) -> str:
    import matplotlib
    from matplotlib.figure import Figure

    with house_style("the report"), matplotlib.rc_context(_LOOK), warnings.catch_warnings():
        # Letters the default font lacks are drawn by the reader's own fonts.
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        _thin_out(_set_thousands_apart(display.plot(figure.subplots())), figure)
        out = io.StringIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    return out.getvalue()


def _thin_out(ax: Any, figure: Any) -> None:
    """Take numbers off a level axis that would touch each other: names beside it may leave it little room."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

    chosen = isinstance(ax.xaxis.get_major_locator(), FixedLocator)  # names, or numbers that a picture is about
    if chosen or not isinstance(ax.xaxis.get_major_formatter(), FuncFormatter):
        return
    for steps in range(_LONG_NUMBERS - 1, 0, -1):
        figure.draw_without_rendering()
        low, high = sorted(ax.get_xlim())
        labels = [label for label in ax.get_xticklabels() if low <= label.get_position()[0] <= high]
        ends = [label.get_window_extent() for label in labels]
        if all(one.x1 + _APART < other.x0 for one, other in pairwise(ends)):
            return
        ax.xaxis.set_major_locator(MaxNLocator(steps))


def _set_thousands_apart(ax: Any) -> Any:
    """Return axes with numbers as those of the page are written; long ones need room beside each other.

    What may be years stays as it is.
    """
    from matplotlib.ticker import FuncFormatter, MaxNLocator, ScalarFormatter

    for axis in (ax.xaxis, ax.yaxis):
        largest = np.abs(axis.get_view_interval()).max()
        if isinstance(axis.get_major_formatter(), ScalarFormatter) and largest > LATEST_YEAR:
            if axis is ax.xaxis and largest >= _LONG:
                axis.set_major_locator(MaxNLocator(_LONG_NUMBERS))
            axis.set_major_formatter(FuncFormatter(lambda value, _: trimmed(value)))
    return ax


def _height(picture: PictureFacts) -> float:
    if picture["kind"] == "relevance":
        return 0.75 + (0.28 if is_tall(picture) else 0.2) * max(len(picture["record"]["names"]), 4)
    if picture["kind"] == "waterfall":
        return 1.0 + 0.3 * max(len(picture["record"]["names"]), 4)
    if picture["kind"] == "swarm":
        return 0.75 + 0.32 * max(len(picture["record"]["names"]), 6)
    if picture["kind"] == "held out":
        return 0.75 + 0.24 * max(len(picture["record"]["names"]), 4)
    if picture["kind"] == "weights":
        return 0.75 + 0.2 * max(len(picture["record"]["names"]), 4)
    if picture["kind"] == "confusion":
        return min(max(_HEIGHT, 1.6 + 0.28 * len(picture["record"]["classes"])), 4.8)
    return _HEIGHT


def _coloured(svg: str) -> str:
    """Return the picture with the page's variables in the place of its own colours."""
    variables = _variables()

    def replaced(found: re.Match[str]) -> str:
        return variables.get(found[0].lower(), found[0])

    in_style = re.compile(r'style="[^"]*"')
    return in_style.sub(lambda style: re.sub(r"#[0-9a-fA-F]{6}\b", replaced, style[0]), svg)


def _titled(svg: str, words: list[str]) -> str:
    """Return the picture with the whole of a name behind each that was cut."""

    def completed(found: re.Match[str]) -> str:
        start, _, end = html.unescape(found[1]).strip().partition("…")
        whole = next((name for name in words if name.startswith(start) and name.endswith(end)), None)
        return found[0] if whole is None else f">{found[1]}<title>{html.escape(whole)}</title></text>"

    return re.sub(r">([^<>]*…[^<>]*)</text>", completed, svg)


def _words_of(value: Any) -> list[str]:
    """Return every string within a record."""
    if isinstance(value, str):
        return [value]
    entries = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [word for entry in entries for word in _words_of(entry)]


def _opening(attributes: str, label: str) -> str:
    """Return the opening tag without a fixed size: the page gives the width, the view box the shape."""
    kept = re.sub(r'\b(width|height)="[^"]*"', "", attributes)
    return f'<svg {kept} role="img" aria-label="{label}">'
