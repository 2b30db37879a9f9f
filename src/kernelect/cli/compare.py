"""``kernelect compare``: every machine and kernel on one table, beside scikit-learn's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kernelect.cli import _guard as options

if TYPE_CHECKING:
    from kernelect.tabular.compare import Comparison


@click.command(cls=options.GuardedCommand)
@options.table_argument
@options.columns
@click.option(
    "--machine",
    "machines",
    type=click.Choice(["lssvm", "svm", "gp", "rvm", "basis"]),
    multiple=True,
    help="Only these of our machines; may be given more than once.",
)
@click.option(
    "--kernel",
    "kernels",
    type=click.Choice(["ard", "rbf", "linear"]),
    multiple=True,
    help="Only these kernels; may be given more than once.",
)
@options.folds(default=5)
@options.seed
@options.jobs
@options.time_limit
@options.as_json
@options.quiet
def command(table: str, as_json: bool, quiet: bool, **given: Any) -> None:
    """Compare all machines on TABLE by repeated outer folds, the same for each.

    Beside them scikit-learn's SVM with a grid, random forest and gradient boosting.
    Differences are to the best, fold by fold, with standard errors that allow for the folds'
    overlap (Nadeau & Bengio 2003).
    """
    from rich.console import Console

    from kernelect.cli._load import load_rows
    from kernelect.cli._progress import Watch
    from kernelect.cli._show import print_json, print_remarks
    from kernelect.tabular.compare import KERNELS, MACHINES, candidates, compare_table
    from kernelect.tabular.folds import FoldOptions

    how = {name: given[name] for name in ("task", "drop", "keep", "weight")}
    read, schema, rows, remarks = load_rows(table, given["format_"], given["target"], **how)
    entries = candidates(schema, given["seed"], given["machines"] or tuple(MACHINES), given["kernels"] or KERNELS)
    outer = FoldOptions(given["folds"], given["repeats"], given["jobs"], given["seed"], given["time_limit"])
    with Watch(Console(stderr=True), quiet) as watch:
        total = outer.folds * outer.repeats
        found = compare_table(rows, schema, entries, outer, lambda name, done: watch.folds(name, total)(done))
    facts = _facts(found, read.source, schema.target, remarks)
    if as_json:
        print_json(facts)
        return
    console = Console()
    console.print(_table(facts))
    if not quiet:
        print_remarks(console, [f"{row['name']}: {row['remark']}" for row in facts["candidates"] if row["remark"]])
        print_remarks(console, remarks)


def _facts(found: Comparison, title: str, target: str, remarks: list[str]) -> dict[str, Any]:
    from dataclasses import asdict

    from kernelect.tabular.summary import estimate_facts

    rows = []
    for contender in found.contenders:
        difference = found.difference(contender)
        rows.append(
            {
                "name": contender.name,
                "scores": [] if contender.estimate is None else estimate_facts(contender.estimate)["scores"],
                "difference": None if difference is None else asdict(difference),
                "seconds": contender.seconds,
                "remark": contender.remark,
            }
        )
    return {
        "title": title,
        "target": target,
        "folds": found.folds.name,
        "score": found.score,
        "candidates": rows,
        "remarks": remarks,
    }


def _table(facts: dict[str, Any]) -> Any:
    """Return the candidates with their first two scores; JSON has them all."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from kernelect.cli._show import plain, with_error

    title = plain(f"{facts['target']!r} of {facts['title']}: {facts['folds']}, the same for all", "bold")
    out = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    names = list(dict.fromkeys(score["name"] for row in facts["candidates"] for score in row["scores"]))[:2]
    out.add_column("candidate")  # may wrap, so that figures need not
    for heading in (names[0], "minus best", *names[1:], "seconds"):
        out.add_column(heading, justify="right", no_wrap=True)
    for row in facts["candidates"]:
        scores = {score["name"]: with_error(score["value"], score["standard_error"]) for score in row["scores"]}
        difference = row["difference"]
        worse = with_error(difference["value"], difference["standard_error"]) if difference else ""
        first, *others = (scores.get(name, "") for name in names)
        out.add_row(row["name"], first, worse, *others, f"{row['seconds']:.1f}")
    return out
