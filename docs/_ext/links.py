"""Links that lead out of the site's folder, to the pages that show those files."""

import re

from sphinx.application import Sphinx

_SHOWN = {
    "CONTRIBUTING": "contributing",
    "CHANGELOG": "changelog",
    "SECURITY": "security",
    "CODE_OF_CONDUCT": "conduct",
}


def _inside(app: Sphinx, docname: str, source: list[str]) -> None:
    """Lead ``../CONTRIBUTING.md`` to the page of the site that includes it; the link still works in the repository."""
    for name, page in _SHOWN.items():
        source[0] = re.sub(rf"\]\((\.\./)+{name}\.md", f"](/project/{page}.md", source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Rewrite the links as the sources are read."""
    app.connect("source-read", _inside)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
