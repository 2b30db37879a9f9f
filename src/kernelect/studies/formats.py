"""Renders tables as Markdown, LaTeX, HTML and CSV; the command line renders those of the terminal."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from importlib import resources

import numpy as np

from kernelect.spreadsheets import csv_of_rows
from kernelect.studies.records import BEST, SECOND, StudyTable, TableEntry


def as_markdown(tables: Sequence[StudyTable]) -> str:
    """Return the tables in Markdown."""
    blocks = []
    for table in tables:
        lines = [
            f"### {_pipe_safe(table.title)}",
            "",
            _row(map(_pipe_safe, table.heads)),
            _row(["---"] * len(table.heads)),
        ]
        lines += [_row(_set(entry, _pipe_safe, ("**", "**"), ("*", "*")) for entry in row) for row in table.rows]
        blocks.append("\n".join([*lines, "", *table.notes]))
    return "\n\n".join(blocks) + "\n"


def as_latex(tables: Sequence[StudyTable]) -> str:
    r"""Return the tables in LaTeX, for a preamble with ``\usepackage{booktabs}``."""
    blocks = []
    for table in tables:
        lines = [r"\begin{table}", r"\centering", rf"\caption{{{_latex_safe(table.title)}}}"]
        lines += [rf"\begin{{tabular}}{{l{'r' * (len(table.heads) - 1)}}}", r"\toprule"]
        lines += [" & ".join(map(_latex_safe, table.heads)) + r" \\", r"\midrule"]
        bold, italic = (r"\textbf{", "}"), (r"\textit{", "}")
        lines += [" & ".join(_set(entry, _latex_safe, bold, italic) for entry in row) + r" \\" for row in table.rows]
        lines += [r"\bottomrule", r"\end{tabular}"]
        lines += [rf"\par\smallskip {_latex_safe(note)}" for note in table.notes]
        blocks.append("\n".join([*lines, r"\end{table}"]))
    return "\n\n".join(blocks) + "\n"


def as_html(tables: Sequence[StudyTable]) -> str:
    """Return a self-contained page with the tables."""
    blocks = []
    for table in tables:
        heads = "".join(f"<th>{html.escape(head)}</th>" for head in table.heads)
        bold, italic = ("<strong>", "</strong>"), ("<em>", "</em>")
        rows = "\n".join(
            "<tr>" + "".join(f"<td>{_set(entry, html.escape, bold, italic)}</td>" for entry in row) + "</tr>"
            for row in table.rows
        )
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in table.notes)
        body = f"<div class='scroll'><table><thead><tr>{heads}</tr></thead>\n<tbody>{rows}</tbody></table></div>"
        blocks.append(f"<h2>{html.escape(table.title)}</h2>\n{body}\n{notes}")
    page = (resources.files("kernelect.studies") / "page.html").read_text(encoding="utf-8")
    return page.replace("BODY", "\n".join(blocks))


def as_csv(tables: Sequence[StudyTable]) -> str:
    """Return the numbers behind the entries, one line per entry and number."""
    rows = [["table", "row", "column", "number", "value"]]
    for table in tables:
        for first, *entries in table.rows:
            for head, entry in zip(table.heads[1:], entries, strict=True):
                for name, value in entry.numbers.items():
                    rows.append([table.title, first.text, head, name, _digits(value)])
    return csv_of_rows(rows)


FORMATS: dict[str, Callable[[Sequence[StudyTable]], str]] = {
    "markdown": as_markdown,
    "latex": as_latex,
    "html": as_html,
    "csv": as_csv,
}


def _digits(value: float) -> str:
    """Return all digits of a number, whatever type it has."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _set(entry: TableEntry, safe: Callable[[str], str], bold: tuple[str, str], italic: tuple[str, str]) -> str:
    """Return an entry's text escaped, and bold or italic."""
    before, after = {BEST: bold, SECOND: italic}.get(entry.emphasis, ("", ""))
    return f"{before}{safe(entry.text)}{after}"


def _pipe_safe(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


def _latex_safe(text: str) -> str:
    special = {c: f"\\{c}" for c in "&%$#_{}"} | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}"}
    special |= {
        "^": r"\textasciicircum{}",
        "±": r"$\pm$",
        "\N{MINUS SIGN}": "$-$",
        "\N{NARROW NO-BREAK SPACE}": r"\,",
        "<": "$<$",
        ">": "$>$",
    }
    return "".join(special.get(character, character) for character in text)
