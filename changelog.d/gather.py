"""Move the fragments of this folder into CHANGELOG.md: python changelog.d/gather.py VERSION."""

import sys
from datetime import date
from pathlib import Path


def gather(folder: Path, changelog: Path, version: str, day: date) -> int:
    """Write a section of all fragments above the sections of earlier versions, delete them and return how many."""
    fragments = sorted(folder.glob("*.md"))
    if not fragments:
        raise SystemExit(f"{folder} has no fragments: nothing changed since the last version.")
    head, mark, earlier = changelog.read_text().partition("\n## ")
    if f" {version} " in f" {earlier.partition(chr(10))[0]} ":
        raise SystemExit(f"{changelog} has a section {version!r} already: give the next version.")
    items = [line for fragment in fragments for line in _items(fragment.read_text())]
    changelog.write_text(f"{head}\n## {version} ({day})\n\n" + "\n".join(items) + f"\n{mark}{earlier}")
    for fragment in fragments:
        fragment.unlink()
    return len(fragments)


def _items(text: str) -> list[str]:
    """Return the paragraphs of a fragment as items of a list."""
    return ["- " + "\n  ".join(paragraph.splitlines()) for paragraph in text.strip().split("\n\n")]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("Give the version: python changelog.d/gather.py 0.2.0")
    here = Path(__file__).parent
    count = gather(here, here.parent / "CHANGELOG.md", sys.argv[1], date.today())
    sys.stdout.write(f"{count} fragments moved into CHANGELOG.md\n")
