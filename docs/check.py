"""What Sphinx does not check of a built site: ``python docs/check.py docs/_build/html``.

Every link that leads inside the site ends at a page and, where it names one, at a place on it; every
public name of the library has a place in the reference; nothing is loaded from another host.
"""

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from reference import estimators, modules, public_names
from sphinx.util.inventory import InventoryFile


class Page(HTMLParser):
    """The links, the files loaded and the places of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        if "href" in given:
            (self.loaded if tag == "link" else self.links).append(given["href"])
        if "src" in given:
            self.loaded.append(given["src"])


@cache
def page(path: Path) -> Page:
    """Return what is on a page, read once."""
    return Page(path.read_text(encoding="utf-8"))


def broken(path: Path, link: str) -> bool:
    """Say whether a link inside the site leads nowhere."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return False
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return True
    place = unquote(parts.fragment)
    return bool(place) and target.suffix == ".html" and place not in page(target).places


def pages(site: Path) -> list[Path]:
    """Return the pages, without the theme's own templates."""
    return [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]


def link_faults(site: Path) -> list[str]:
    """Return the links that lead nowhere and what is loaded from another host."""
    faults = []
    for path in pages(site):
        name = path.relative_to(site)
        for link in {*page(path).links, *page(path).loaded}:
            if link not in ("#", "") and broken(path.resolve(), link):
                faults.append(f"{name}: the link {link!r} leads nowhere")
        for link in page(path).loaded:
            if urlsplit(link).netloc:
                faults.append(f"{name}: {link!r} is loaded from another host")
    return faults


def name_faults(site: Path) -> list[str]:
    """Return the public names that the reference does not hold."""
    inventory = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="").data
    known = {name for kind, entries in inventory.items() if kind.startswith("py:") for name in entries}
    wanted = [f"kernelect.{name}" for name in [*estimators(), *modules(), "register"]]
    wanted += [f"kernelect.{module}.{name}" for module in modules() for name in public_names(module)]
    return [f"{name} is not in the reference" for name in wanted if name not in known]


def main() -> int:
    """Print the faults; return 1 where there are any."""
    site = Path(sys.argv[1])
    faults = link_faults(site) + name_faults(site)
    print("\n".join(faults) or f"{len(pages(site))} pages, no broken link, every public name is there")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
