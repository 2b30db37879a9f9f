"""``kernelect evaluate``: how good a saved model is on rows whose truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernelect import tabular
from kernelect.cli import _guard as options
from kernelect.facts.numbers import number

if TYPE_CHECKING:
    from kernelect.tabular.evaluating import EvaluationFacts


@click.command(cls=options.GuardedCommand)
@options.rows_to_read
@click.option("--by", metavar="COLUMN", help="List the scores for each value of this column (quarters of numbers).")
@options.whole("--worst", "Rows that are listed as predicted worst.", 0, 8)
@options.as_json
@options.quiet
def evaluate_command(
    model: Path,
    table: str,
    format_: str | None,
    sheet: str | None,
    by: str | None,
    worst: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Score MODEL (a model.kernelect) on the rows of TABLE, whose target is known.

    Every score stands next to what the model claimed when it was fitted, with the difference in
    standard errors (z): above 2 the model is worse here than it claimed. Columns whose cells
    differ from the training rows are listed. Rows of the training table are no test of a model:
    they are predicted too well.
    """
    from kernelect.cli._show import Terminal, print_json, print_remarks

    loaded, remarks = tabular.load_model(model, training=False)
    read = tabular.read_table(table, format_, loaded.schema.target, loaded.schema.spelled, sheet)
    facts, more = tabular.evaluate_table(loaded, read, by=by, most=worst)
    remarks = [*remarks, *read.remarks, *more]
    if as_json:
        print_json({**facts, "remarks": remarks})
        return
    if not quiet:
        print_remarks(Terminal(stderr=True), remarks)
    _print(facts)


def _print(facts: EvaluationFacts) -> None:
    from kernelect.cli._show import Terminal, figures, say

    console = Terminal()
    say(console, facts["headline"], "bold")
    say(console, facts["calibration"])
    say(console, facts["drift"]["sentence"])
    console.print()
    scores = {
        one["name"]: {"here": one["here"], "claimed": one["claimed"], "z": number(one["z"], 2)}
        for one in facts["scores"]
    }
    title = f"Predicting {facts['target']} in {facts['title']} (± one standard error; z above 2 is worse than claimed)"
    console.print(figures(title, "score", scores, ["here", "claimed", "z"]))
    if facts["groups"]:
        groups = {
            one["name"]: {"rows": str(one["rows"]), facts["main"]: one["words"], "z": number(one["z"], 2)}
            for one in facts["groups"]
        }
        title = f"By {facts['by']} (z above 2 is worse than the other rows)"
        console.print(figures(title, facts["by"], groups, ["rows", facts["main"], "z"]))
    if facts["drift"]["columns"]:
        differ = {one["name"]: {"here": one["here"], "in training": one["before"]} for one in facts["drift"]["columns"]}
        title = "Columns that differ from the training rows (by more than chance, the furthest first)"
        console.print(figures(title, "column", differ, ["here", "in training"]))
    if facts["worst_rows"]:
        miss = "off by" if facts["task"] == "regression" else "probability of the truth"
        worst = {
            str(one["row"]): {"observed": one["observed"], "predicted": one["predicted"], miss: one["miss"]}
            for one in facts["worst_rows"]
        }
        console.print(figures("The rows predicted worst", "row", worst, ["observed", "predicted", miss]))
