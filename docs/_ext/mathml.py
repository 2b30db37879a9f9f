"""Formulas as MathML, which browsers draw by themselves: no script, no network."""

import re

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def _mathml(node: nodes.Node, *, block: bool) -> str:
    source = node.astext()
    if re.search(r"frac\s*\d", source):
        logger.warning("the converter reads \\frac12 as one number: write \\frac{1}{2} in %r", source, location=node)
    try:
        return tex2mathml(source, as_block=block)
    except Exception as error:
        logger.warning("the formula %r cannot be drawn: %s", source, error, location=node)
        return f"<code>{source}</code>"


def _inline(translator, node) -> None:
    translator.body.append(_mathml(node, block=False))
    raise nodes.SkipNode


def _block(translator, node) -> None:
    translator.body.append(f'<div class="formula">{_mathml(node, block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer under the name ``mathml``."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
