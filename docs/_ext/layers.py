"""A directive that draws the path of the data from the layers contract of pyproject.toml.

The contract is what import-linter checks, so the picture cannot show another order than the code has.
"""

import tomllib
from html import escape
from importlib import import_module
from pathlib import Path
from textwrap import shorten

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx

_HIGH, _GAP, _WIDE = 34, 10, 760


def layers(project: Path) -> list[list[str]]:
    """Return the layers, the first one imported by none; modules that a line joins by a bar stand side by side."""
    contracts = tomllib.loads(project.read_text())["tool"]["importlinter"]["contracts"]
    found = next(contract for contract in contracts if contract["type"] == "layers")
    return [[name.strip().removeprefix("kernelect.") for name in line.split("|")] for line in found["layers"]]


def _words(module: str) -> str:
    """Return what a module is for: the first line of its docstring after its name."""
    line = (import_module(f"kernelect.{module}").__doc__ or "").strip().splitlines()[0].rstrip(".")
    return line.partition(": ")[2] or line


def drawing(rows: list[list[str]]) -> str:
    """Return the picture as SVG, in the colours of the page."""
    height = len(rows) * (_HIGH + _GAP) + 10
    parts = [
        f'<div class="chart-room"><svg class="layers" viewBox="0 0 {_WIDE} {height}" role="img" '
        'aria-label="The layers of the library">',
        "<style>.layers{width:100%;min-width:600px;height:auto;font:12px var(--pst-font-family-base,sans-serif)}"
        ".layers rect{fill:var(--pst-color-surface,#eee);stroke:var(--pst-color-border,#999)}"
        ".layers text{fill:var(--pst-color-text-base,#222);dominant-baseline:middle}"
        ".layers .name{font-family:var(--pst-font-family-monospace,monospace);font-weight:bold}</style>",
    ]
    for number, row in enumerate(rows):
        top = 5 + number * (_HIGH + _GAP)
        width = (_WIDE - 10 - (len(row) - 1) * _GAP) / len(row)
        for place, name in enumerate(row):
            left = 5 + place * (width + _GAP)
            parts.append(f'<rect x="{left:.0f}" y="{top}" width="{width:.0f}" height="{_HIGH}" rx="6"/>')
            parts.append(f'<text class="name" x="{left + 12:.0f}" y="{top + _HIGH / 2}">{name}</text>')
            if len(row) == 1:
                words = escape(shorten(_words(name), 96, placeholder=" ..."))
                parts.append(f'<text x="145" y="{top + _HIGH / 2}">{words}</text>')
    return "\n".join([*parts, "</svg></div>"])


class Layers(Directive):
    """The picture."""

    def run(self) -> list[nodes.Node]:
        env = self.state.document.settings.env
        project = Path(env.srcdir).parent / "pyproject.toml"
        env.note_dependency(str(project))
        return [nodes.raw("", drawing(layers(project)), format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register ``{layers}``."""
    app.add_directive("layers", Layers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
