"""A directive that draws the decision chart: questions one below the other, each with the estimators for a yes.

An estimator that the library does not have stops the build, so the chart names none that is gone.
"""

from html import escape

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx

import kernelect

#: Question, estimators for a yes, and a remark on them.
QUESTIONS = (
    ("Is good prediction all you need?", ("KernelClassifier", "KernelRegressor"), ""),
    ("Must the model be a formula?", ("BasisSearchRegressor",), ""),
    ("Must the model be very small?", ("RVC / RVR",), ""),
    ("Are probabilities the point?", ("GPC",), "up to about 1000 rows"),
)
LAST = ("LSSVC / LSSVR",)
BELOW = "one machine, one kernel, exact leave-one-out; more than 2000 rows by landmarks"

_WIDE, _HIGH, _STEP, _GAP, _LEAF = 260, 50, 80, 60, 205

_STYLE = (
    ".chart{width:100%;min-width:330px;max-width:800px;height:auto;font:15px var(--pst-font-family-base,sans-serif)}"
    ".chart rect{fill:var(--pst-color-surface,#eee);stroke:var(--pst-color-border,#999);rx:8}"
    ".chart .leaf rect{fill:var(--pst-color-primary-bg,#dde8f5);stroke:var(--pst-color-primary,#35a)}"
    ".chart text{fill:var(--pst-color-text-base,#222);text-anchor:middle;dominant-baseline:middle}"
    ".chart .leaf text{font-family:var(--pst-font-family-monospace,monospace)}"
    ".chart path{stroke:var(--pst-color-text-muted,#777);fill:none;stroke-width:1.5}"
    ".chart .say{font:13px var(--pst-font-family-base,sans-serif);fill:var(--pst-color-text-muted,#555)}"
)


def _known(lines: tuple[str, ...]) -> None:
    for name in " / ".join(lines).split(" / "):
        if name not in kernelect.__all__:
            raise ValueError(f"The chart names {name}, which is no estimator of the library.")


def _say(x: float, y: float, words: str) -> str:
    return f'<text class="say" x="{x:.0f}" y="{y:.0f}">{escape(words)}</text>'


def _leaf(left: int, top: int, width: int, lines: tuple[str, ...], remark: str) -> list[str]:
    """Return a box with names of estimators, and what is said of them below."""
    _known(lines)
    rows = [*(escape(line) for line in lines), *([remark] if remark else [])]
    first = top + _HIGH / 2 - 10 * (len(rows) - 1)
    parts = [f'<g class="leaf"><rect x="{left}" y="{top}" width="{width}" height="{_HIGH}"/>']
    for number, words in enumerate(rows):
        here = (left + width / 2, first + 20 * number)
        # Long names are squeezed: letters of equal width are wider than the box on some machines.
        squeezed = f' textLength="{width - 15}" lengthAdjust="spacingAndGlyphs"' if len(words) > 18 else ""
        plain = f'<text x="{here[0]:.0f}" y="{here[1]:.0f}"{squeezed}>{words}</text>'
        parts.append(_say(*here, words) if words == remark else plain)
    return [*parts, "</g>"]


def drawing() -> str:
    """Return the chart as SVG, in the colours of the page."""
    middle, right, leaf = 10 + _WIDE // 2, 10 + _WIDE, 10 + _WIDE + _GAP
    bottom = 10 + len(QUESTIONS) * _STEP
    size = f"0 0 {leaf + _LEAF + 10} {bottom + _HIGH + 50}"
    parts = [
        f'<div class="chart-room"><svg class="chart" viewBox="{size}" role="img" '
        f'aria-label="Decision chart: which estimator to take"><style>{_STYLE}</style>'
    ]
    for number, (question, names, remark) in enumerate(QUESTIONS):
        top = 10 + number * _STEP
        line = top + _HIGH / 2
        parts += [
            f'<path d="M{middle} {top + _HIGH} V{top + _STEP} M{right} {line:.0f} H{leaf}"/>',
            f'<rect x="10" y="{top}" width="{_WIDE}" height="{_HIGH}"/>',
            f'<text x="{middle}" y="{line:.0f}">{escape(question)}</text>',
            _say((right + leaf) / 2, line - 11, "yes"),
            _say(middle + 20, top + (_HIGH + _STEP) / 2, "no"),
            *_leaf(leaf, top, _LEAF, names, remark),
        ]
    parts += _leaf(10, bottom, _WIDE, LAST, "")
    parts.append(_say((leaf + _LEAF + 10) / 2, bottom + _HIGH + 25, BELOW))
    return "\n".join([*parts, "</svg></div>"])


class Chart(Directive):
    """The picture."""

    def run(self) -> list[nodes.Node]:
        return [nodes.raw("", drawing(), format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register ``{decision-chart}``."""
    app.add_directive("decision-chart", Chart)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
