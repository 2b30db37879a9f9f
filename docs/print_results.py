r"""Prints the results of docs/results, README and paper anew, from CSV files: ``python docs/print_results.py``.

A table of a study stands below the heading ``### title`` and comes from the cells in ``docs/results/data``. The line
that begins with ``**Run.**`` says what was run. A number in a sentence is followed by a comment that names its cell:

    It takes 2.7<!-- = tables: Labels together: error % | CatBoost | time ratio --> times as long.

In a row of a table each ``|`` is written ``\|``, because it would end the cell.

Before the first ``:`` stands a study, or a file of ``docs/results/measured``; then table, row and column (any part of
their names that fits one alone), and for a cell with several numbers which one. ``FIRST < SECOND`` in the place of the
row counts the rows in which the first column is smaller; ``rows``, ``mean``, ``median``, ``min`` and ``max`` take all.
A test compares all pages with what this prints. The tables of the papers' pages that no study prints are made by
``paper_tables.py``.
"""

from __future__ import annotations

import csv
import re
import statistics
from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from kernelect.studies import Results, make_tables
from kernelect.studies.cells import Outcome
from kernelect.studies.formats import as_markdown
from kernelect.studies.imports import read_cells
from kernelect.studies.records import StudyTable

RESULTS = Path(__file__).parent / "results"
README = Path(__file__).parent.parent / "README.md"
PAPER = README.parent / "paper" / "paper.md"

#: Tables of the study of everyday tables that the README sums up.
_SUMMED_UP = ("Labels together: log-loss", "Numbers together: RMSE in % of the standard deviation")

_NUMBER = r"[+\u2212-]?\d(?:[\d\u202f]*\d)?(?:\.\d+)?(?:e[-+]?\d+)?"
_MARK = re.compile(rf"({_NUMBER})<!-- = (.+?) -->")

_OVER_ROWS = {"mean": statistics.fmean, "median": statistics.median, "min": min, "max": max, "rows": len}


def pages() -> dict[Path, Path]:
    """Return the pages that have cells, and the cells."""
    return {RESULTS / f"{path.stem}.md": path for path in sorted((RESULTS / "data").glob("*.csv"))}


def marked() -> list[Path]:
    """Return the pages with numbers in their sentences."""
    return [README, PAPER, *sorted(RESULTS.glob("*.md"))]


def printed(text: str, cells_of: Path) -> str:
    """Return a page with every table as its cells give it."""
    made, cells = _tables(cells_of)
    tables = {title: as_markdown([table]) for title, table in made.items()}
    first, *sections = re.split(r"(?m)^(?=##+ )", text)
    for number, section in enumerate(sections):
        title = section.splitlines()[0].removeprefix("### ").replace("\\|", "|")
        if title in tables:
            sections[number] = tables[title] + ("\n" if number + 1 < len(sections) else "")
    return re.sub(r"(?m)^\*\*Run\.\*\* .*$", lambda _: _run(cells), first + "".join(sections))


def numbered(text: str) -> str:
    """Return a page with every number in a sentence as its cell gives it, with as many digits as stand there."""
    return _MARK.sub(lambda found: f"{_as_shown(found[1], looked_up(found[2]))}<!-- = {found[2]} -->", text)


def looked_up(mark: str) -> float:
    """Return the number that a comment names."""
    source, _, place = mark.replace("\\|", "|").partition(": ")  # in a table a line between cells is escaped
    parts = [part.strip() for part in place.split(" | ")]
    which = int(parts.pop()) if parts[-1].isdigit() else 1
    if not source.endswith(".csv"):
        source = f"{source}: {parts.pop(0)}"
    row, column = parts if len(parts) > 1 else (parts[0], "")
    heads, rows = rows_of(source)
    if " < " in row:
        first, second = (heads.index(_the_one(name, heads)) for name in row.split(" < "))
        pairs = [(first_number(line[first]), first_number(line[second])) for line in rows]
        return float(sum(one < other for one, other in pairs if one is not None and other is not None))
    if row == "rows" and not column:
        return float(len(rows))
    at = heads.index(_the_one(column, heads))
    if row in _OVER_ROWS:
        return float(_OVER_ROWS[row]([found for line in rows if (found := first_number(line[at])) is not None]))
    name = _the_one(row, [line[0] for line in rows])
    cell = next(line[at] for line in rows if line[0] == name)
    return _value(re.findall(_NUMBER, cell)[which - 1])


def rows_of(source: str) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of a file of measured figures, or of a table of a study (``study: title``)."""
    if source.endswith(".csv"):
        with (RESULTS / "measured" / source).open(encoding="utf-8", newline="") as file:
            heads, *rows = csv.reader(file)
        return heads, rows
    study, _, title = source.partition(": ")
    made, _ = _tables(RESULTS / "data" / f"{study}.csv")
    table = made[_the_one(title, list(made))]
    return list(table.heads), [[entry.text for entry in row] for row in table.rows]


def first_number(cell: str) -> float | None:
    """Return the first number in a cell, or nothing."""
    found = re.search(_NUMBER, cell)
    return _value(found[0]) if found else None


def summed_up(text: str) -> str:
    """Return the README with its comparison as the study of everyday tables gives it."""
    made, _ = _tables(RESULTS / "data" / "tables.csv")
    labels, numbers = ({row[0].text: [entry.text for entry in row[1:]] for row in made[t].rows} for t in _SUMMED_UP)
    lines = [
        "| method | log-loss | won / tied / lost | RMSE | won / tied / lost | our time over its |",
        "|---|---|---|---|---|---|",
    ]
    for name, (mean, _, counts, *_, ratio) in labels.items():
        mean_of_numbers, _, counts_of_numbers, *_, ratio_of_numbers = numbers[name]
        times = f"{ratio}, {ratio_of_numbers}" if ratio else ""
        lines.append(f"| {name} | {mean} | {counts} | {mean_of_numbers} | {counts_of_numbers} | {times} |")
    begin, end = "<!-- comparison -->\n", "<!-- end -->"
    before, _, rest = text.partition(begin)
    return before + begin + "\n".join(lines) + "\n" + end + rest.partition(end)[2]


#: What looks like a result in a sentence: decimals, shares, counts out of others (also in words), multiples.
_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|twenty|forty"
_RESULT = re.compile(
    r"(?<![\w.\u2212-])[+\u2212-]?\d+\.\d+(?!\.?\d)|\b\d+ of (?:the |its )?\d+|\b\d+ %(?! intervals)|\b\d+ / \d+"
    rf"|\b\d+ times|\b(?:{_WORDS}) of (?:the |its )?(?:{_WORDS}|\d+)\b|\b(?:{_WORDS}) times\b|\bp = ",
    re.IGNORECASE,
)


def unmarked(text: str) -> list[str]:
    """Return the numbers in the sentences of a page of results that no comment ties to a cell.

    Code, links, headings, tables, what stands below a study's table, and paragraphs that say how something was run are
    not looked at.
    """
    text = re.sub(r"(?ms)^(```+|:::+|~~~+).*?^\1$|\A---\n.*?^---$|^### .*?(?=^##? |\Z)", "", text)
    text = re.sub(r"(?m)^<!-- [a-z]+ -->$|Python 3\.1\d|sections? [\d. and]+", "", text)
    found = []
    for paragraph in re.split(r"\n\s*\n|\n(?=- )", text):
        if paragraph.strip("\n").startswith(("|", "#", "    ", "**How it was run", "**Run.**")):
            continue
        plain = re.sub(r"`[^`]*`|\]\([^)]*\)|\[@[^]]*\]", "", _MARK.sub("", paragraph))
        found += [number[0] for number in _RESULT.finditer(plain)]
    return found


def _as_shown(shown: str, value: float) -> str:
    """Return a number with the digits and the sign of what stood there."""
    if "e" in shown:
        return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")
    digits = len(shown.partition(".")[2])
    words = f"{abs(value):.{digits}f}"
    sign = "\u2212" if value < 0 else "+" if shown[0] == "+" else ""
    return sign + words


def _value(words: str) -> float:
    return float(words.replace("\u2212", "-").replace("\u202f", ""))


def _the_one(part: str, names: list[str]) -> str:
    """Return the name that is this one, or the only one that holds it."""
    found = [name for name in names if part in (name, name.split(" (")[0])] or [name for name in names if part in name]
    if len(set(found)) != 1:
        raise ValueError(f"{part!r} must fit one of {names}, it fits {found}.")
    return found[0]


@cache
def _tables(cells_of: Path) -> tuple[dict[str, StudyTable], list[Outcome]]:
    """Return the tables of a study by their titles, and its cells."""
    study, cells = read_cells(cells_of)
    with TemporaryDirectory() as folder, Results.create(Path(folder) / "r.sqlite", study) as results:
        results.write(*cells)
        return {table.title: table for table in make_tables(results)}, cells


def _run(cells: list[Outcome]) -> str:
    """Return a sentence on what was run."""
    done = [cell for cell in cells if cell.done]
    labels = {cell.key.dataset for cell in done if "log_loss" in cell.figures}
    numbers = {cell.key.dataset for cell in done} - labels
    splits = Counter(cell.key.dataset for cell in done if cell.key.method == "balanced")
    versions = sorted({str(cell.environment.get("packages", {}).get("kernelect", "")) for cell in done})
    failed = [cell for cell in cells if not cell.done]
    words = "; ".join(f"{cell.key}: {cell.message}" for cell in failed[:10]) if failed else "none"
    return (
        f"**Run.** {len(labels)} tables with labels and {len(numbers)} with numbers, {min(splits.values())} to "
        f"{max(splits.values())} split of each, {len(cells)} cells, version and commit {', '.join(versions)}. "
        f"Cells that failed: {len(failed)} ({words})."
    )


if __name__ == "__main__":
    from paper_tables import write

    write()
    for page, cells_of in pages().items():
        page.write_text(printed(page.read_text(encoding="utf-8"), cells_of), encoding="utf-8")
    README.write_text(summed_up(README.read_text(encoding="utf-8")), encoding="utf-8")
    for page in marked():
        page.write_text(numbered(page.read_text(encoding="utf-8")), encoding="utf-8")
