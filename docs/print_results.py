"""Prints the tables of docs/results and README anew, from the cells in docs/results/data: python docs/print_results.py.

A table stands below the heading ``### title`` of the study's table; what a page leaves out is in the CSV. The line that
begins with ``**Run.**`` says what was run. A test compares all pages with what this prints.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from kernelect.studies import Results, make_tables
from kernelect.studies.cells import Outcome
from kernelect.studies.formats import as_markdown
from kernelect.studies.imports import read_cells
from kernelect.studies.records import StudyTable

RESULTS = Path(__file__).parent / "results"
README = Path(__file__).parent.parent / "README.md"

#: Tables of the study of everyday tables that the README sums up.
_SUMMED_UP = ("Labels together: log-loss", "Numbers together: RMSE in % of the standard deviation")


def pages() -> dict[Path, Path]:
    """Return the pages that have cells, and the cells."""
    return {RESULTS / f"{path.stem}.md": path for path in sorted((RESULTS / "data").glob("*.csv"))}


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
    for page, cells_of in pages().items():
        page.write_text(printed(page.read_text(encoding="utf-8"), cells_of), encoding="utf-8")
    README.write_text(summed_up(README.read_text(encoding="utf-8")), encoding="utf-8")
