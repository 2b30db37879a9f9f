"""A directive that draws the results of a study: one line for each method, one dot for each data set.

A dot stands where the method's figure is so many times that of the method it is compared with, so dots to the right of
the middle are data sets where the method is worse. The figures come from the cells, or from a table in CSV.
"""

import math
import sys
from html import escape
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parents[1]))

from print_results import first_number, rows_of

_WIDE, _STEP, _TOP, _RIGHT, _LETTER = 330, 24, 26, 70, 6.6

_STYLE = (
    ".strips{width:100%;min-width:520px;max-width:820px;height:auto;font:13px var(--pst-font-family-base,sans-serif)}"
    ".strips text{fill:var(--pst-color-text-base,#222);dominant-baseline:middle}"
    ".strips .axis{fill:var(--pst-color-text-muted,#555);text-anchor:middle}"
    ".strips path{stroke:var(--pst-color-border,#bbb)}"
    ".strips circle{fill:var(--pst-color-primary,#35a);fill-opacity:.5}"
)


def ratios(source: str, against: str) -> dict[str, dict[str, float]]:
    """Return, for every method, its figure over that of one method, by data set."""
    heads, rows = rows_of(source)
    base = heads.index(against)
    found: dict[str, dict[str, float]] = {}
    for column, method in enumerate(heads):
        for row in rows if column not in (0, base) else ():
            ours, theirs = first_number(row[base]), first_number(row[column])
            if ours is not None and theirs is not None and ours > 0 and theirs > 0:
                found.setdefault(method, {})[row[0].split(" (")[0]] = theirs / ours
    return found


def drawing(source: str, against: str, reach: float) -> str:
    """Return the picture as SVG, in the colours of the page."""
    lines = ratios(source, against)
    left = round(_LETTER * max(map(len, lines)) + 20)
    bottom = _TOP + _STEP * len(lines)

    def across(ratio: float) -> float:
        return left + _WIDE * (0.5 + 0.5 * math.log(min(max(ratio, 1 / reach), reach)) / math.log(reach))

    words = f"Every method over {against}, one dot for each data set"
    parts = [
        f'<div class="chart-room"><svg class="strips" viewBox="0 0 {left + _WIDE + _RIGHT} {bottom + 12}" role="img" '
        f'aria-label="{escape(words)}"><style>{_STYLE}</style>'
    ]
    for mark in (1 / reach, 1, reach):
        place, times = f"{across(mark):.0f}", f"{mark:.2g} \N{MULTIPLICATION SIGN}"
        parts.append(f'<text class="axis" x="{place}" y="10">{times}</text><path d="M{place} 18V{bottom}"/>')
    for number, (method, dots) in enumerate(lines.items()):
        here = _TOP + _STEP * (number + 0.5)
        worse = sum(ratio > 1 for ratio in dots.values())
        parts.append(f'<text x="0" y="{here:.0f}">{escape(method)}</text>')
        for name, ratio in dots.items():
            spot = f'cx="{across(ratio):.1f}" cy="{here:.0f}" r="4"'
            parts.append(f"<circle {spot}><title>{escape(name)}: {ratio:.2f} times</title></circle>")
        parts.append(f'<text x="{left + _WIDE + 12}" y="{here:.0f}">{worse} of {len(dots)}</text>')
    return "\n".join([*parts, "</svg></div>"])


class Strips(Directive):
    """``{strips} SOURCE``; ``:against:`` is the method to compare with, ``:reach:`` the largest ratio drawn."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {"against": directives.unchanged_required, "reach": directives.positive_int}

    def run(self) -> list[nodes.Node]:
        against = self.options["against"]
        picture = nodes.raw("", drawing(self.arguments[0], against, self.options.get("reach", 4)), format="html")
        words = (
            f"One dot for each data set: the method's figure over that of {against}. Right of the middle line, "
            f"{against} is better; the last column counts how often. Hover over a dot for its name."
        )
        return [picture, nodes.paragraph("", words, classes=["caption"])]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register ``{strips}``."""
    app.add_directive("strips", Strips)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
