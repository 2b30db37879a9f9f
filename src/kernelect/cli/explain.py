"""``kernelect explain``: why a saved model predicts what it does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernelect import tabular
from kernelect.cli import _guard as options
from kernelect.cli._terminal import echo
from kernelect.facts.numbers import trimmed
from kernelect.files import check_free, write_whole

if TYPE_CHECKING:
    from kernelect.tabular import Explained

#: Rows that are shown on a terminal; files and JSON have them all.
_MOST_ROWS = 20


@click.command(cls=options.GuardedCommand)
@options.rows_to_read
@options.whole("--most", "Reasons shown for each row, at most.", default=3)
@click.option(
    "--background",
    metavar="TABLE",
    help="Table with usual rows, for models that do not keep their training rows (svm, rvm, basis).",
)
@options.file_to_write("File for all effects, CSV unless it ends in .tsv, .parquet, .feather or .xlsx.")
@options.fill_missing
@options.force
@options.as_json
@options.quiet
def explain_command(
    model: Path,
    table: str,
    format_: str | None,
    sheet: str | None,
    most: int,
    background: str | None,
    out: Path | None,
    fill_missing: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Show which columns moved the prediction of each row of TABLE by MODEL (a model.kernelect), and by how much.

    The effects are exact Shapley values: with the base they add up to the prediction, or to the
    decision value of the predicted class.
    """
    from kernelect.cli._show import Terminal, print_json, print_remarks
    from kernelect.tabular.write import writer_for

    written = None
    if out is not None:
        check_free(out, force)
        written = writer_for(out)
    loaded, remarks = tabular.load_model(model, training=False, report=False)
    schema = loaded.schema
    read = tabular.read_table(table, format_, spelled=schema.spelled, sheet=sheet)
    X, surprises = tabular.match_columns(schema, read, fill_missing)
    usual = None
    if background is not None:
        usual, _ = tabular.match_columns(schema, tabular.read_table(background, format_, spelled=schema.spelled))
    explained = tabular.explain_table(loaded, X, usual)
    remarks = [*remarks, *read.remarks, *surprises, *explained.explanation.remarks]
    if not quiet and not as_json:
        print_remarks(Terminal(stderr=True), remarks)
    if out is not None and written is not None:
        write_whole(out, written(explained.to_frame()), force)
    if as_json:
        print_json(document(explained, remarks, out))
    elif out is None:
        _print(explained, most)
    elif not quiet:
        echo(f"Effects of {len(explained.columns)} columns on {len(X)} predictions written to {out}")


def document(explained: Explained, remarks: list[str], out: Path | None) -> dict[str, Any]:
    """Return the explanation of all rows as JSON."""
    rows = [
        {
            "prediction": explained.towards[row],
            "base": float(explained.base[row]),
            "total": float(explained.total[row]),
            "effects": dict(zip(explained.columns, explained.effects[row].tolist(), strict=True)),
        }
        for row in range(len(explained.towards))
    ]
    return {
        "explained": explained.explanation.explained,
        "background": explained.explanation.background,
        "rows": rows,
        "remarks": remarks,
        "file": None if out is None else str(out),
    }


def _print(explained: Explained, most: int) -> None:
    import numpy as np

    from kernelect.cli._show import Terminal, open_table, plain, say

    console, total = Terminal(), len(explained.towards)
    # Of numbers on their own scale the effects add up to what is predicted.
    same = all(isinstance(answer, float) for answer in explained.towards) and np.allclose(
        np.asarray(explained.towards, dtype=float), explained.total
    )
    ends = [explained.base] if same else [explained.base, explained.total]
    out = open_table()
    for heading in ("row", "prediction", *("usual rows", "this row")[: len(ends)], "reasons, the strongest first"):
        out.add_column(heading, justify="left" if heading.startswith(("pre", "rea")) else "right")
    for row in range(min(total, _MOST_ROWS)):
        answer = explained.towards[row]
        said = trimmed(answer, 4) if isinstance(answer, float) else answer
        reasons = "\n".join(str(reason) for reason in explained.reasons(row, most)) or "no column has an effect"
        figures = [trimmed(float(end[row]), 4) for end in ends]
        out.add_row(str(row + 1), plain(said), *figures, plain_lines(reasons))
    say(console, explained.in_words())
    console.print(out)
    if total > _MOST_ROWS:
        console.print(plain(f"and {total - _MOST_ROWS} more rows (--out writes them all)", "dim"))


def plain_lines(text: str) -> Any:
    """Return lines for a terminal as they stand: no markup, no control characters."""
    from rich.text import Text

    from kernelect.cli._show import plain

    return Text("\n").join(plain(line) for line in text.split("\n"))
