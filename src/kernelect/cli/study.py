"""``kernelect study``: the papers' tables, or one's own, by one command that resumes."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table as RichTable
from rich.text import Text

from kernelect import studies
from kernelect.cli._guard import INTERRUPTED, GuardedCommand, as_json
from kernelect.studies.cells import DONE
from kernelect.studies.formats import FORMATS
from kernelect.studies.run import Observer
from kernelect.studies.tables import BEST, SECOND, Table

FILE = click.argument("file", type=click.Path(path_type=Path))


@click.group()
def command() -> None:
    """Run model-selection experiments: the papers', or your own."""


@command.command("list", cls=GuardedCommand)
def list_studies() -> None:
    """List the studies that are built in."""
    for name in studies.builtin_studies():
        study = studies.read_study(name)
        click.echo(f"{name:12}  {study.title} ({len(study.datasets)} data sets, {len(study.methods)} methods)")


@command.command(cls=GuardedCommand)
@click.argument("name")
@click.option("--toml", is_flag=True, help="Print the definition itself, to begin one of your own with.")
def show(name: str, toml: bool) -> None:
    """Say what the study NAME holds: data sets and methods."""
    study = studies.read_study(name)
    if toml:
        click.echo(study.text, nl=False)
        return
    click.echo(f"{study.title}\n{study.reference}\n{study.notes}\n".replace("\n\n", "\n"))
    click.echo(f"data sets  {', '.join(study.datasets)}\nsplits     {study.splits}\nmethods")
    for method in study.methods.values():
        click.echo(f"  {method.name:14} {method.label}")


@command.command(cls=GuardedCommand)
@click.argument("name")
@click.option(
    "--data",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    envvar="KERNELECT_DATA",
    help="Folder of .npz files, one per data set (or KERNELECT_DATA). Built-in data need none.",
)
@click.option("--datasets", help="Some of the data sets, separated by commas.  [default: all]")
@click.option("--methods", help="Some of the methods, separated by commas.  [default: all]")
@click.option(
    "--splits", type=click.IntRange(min=1), help="Splits (or starts) of each data set.  [default: the study's]"
)
@click.option("--engine", default="local", show_default=True, help="local, or a Dask scheduler: tcp://host:8786.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes of --engine local.")
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="BLAS threads of a cell.")
@click.option("--time-limit", type=click.FloatRange(min=0, min_open=True), help="Seconds that one cell may take.")
@click.option("--retry-failed", is_flag=True, help="Run failed cells again.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Results file; running again on the same file resumes.  [default: NAME.sqlite]",
)
def run(
    name: str,
    folder: Path | None,
    datasets: str | None,
    methods: str | None,
    splits: int | None,
    engine: str,
    jobs: int,
    threads: int,
    time_limit: float | None,
    retry_failed: bool,
    out: Path | None,
) -> None:
    """Run what is missing of the study NAME: a built-in one, or the path of a TOML file.

    Every cell is kept as it ends. A run that was stopped, in whatever way, goes on where it was.
    """
    study = studies.read_study(name)
    wanted = tuple(study.chosen("datasets", datasets)), tuple(study.chosen("methods", methods))
    plan = studies.Plan(study, *wanted, splits, folder, time_limit, threads)
    runner = studies.engine_for(engine, jobs)
    studies.check_data(plan)
    for sentence in plan.skipped().values():
        click.echo(f"{sentence}.", err=True)
    path = out or Path(f"{study.name}.sqlite")
    with only_writer(path), studies.Results.create(path, study) as results, shown_progress() as observe:
        try:
            progress = studies.run_study(plan, results, runner, retry_failed=retry_failed, observe=observe)
        except KeyboardInterrupt:
            click.echo(f"Stopped. All finished cells are in {path}; the same command goes on.", err=True)
            sys.exit(INTERRUPTED)
    done, failed = progress.ended - progress.failures, progress.failures
    click.echo(f"{progress.already} cells were there, {done} were run, {failed} failed: {path}")
    click.echo(f"See them: kernelect study table {path}")


@contextmanager
def only_writer(path: Path) -> Iterator[None]:
    """Hold the results file against a second run, which would do the same cells; a dead run holds nothing."""
    try:
        import fcntl
    except ImportError:  # elsewhere SQLite's own lock keeps the file whole, only work may be done twice
        yield
        return
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        yield  # the store says what is wrong
        return
    lock = path.with_name(path.name + ".lock")
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise studies.ResultsError(f"Another run is writing {path}: wait for it, or give another --out.") from error
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


class TimeLeft(ProgressColumn):
    """The study's own estimate: cells cost what their like have cost."""

    def render(self, task: Any) -> Text:
        seconds = task.fields.get("seconds_left")
        if seconds is None:
            return Text("")
        hours, rest = divmod(int(seconds), 3600)
        return Text(f"about {hours}:{rest // 60:02}:{rest % 60:02} left", style="cyan")


@contextmanager
def shown_progress() -> Iterator[Observer]:
    """Yield an observer that draws a bar on a terminal, and a line now and then elsewhere."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeLeft())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("starting", total=None)

        def observe(outcome: Any, progress: studies.Progress) -> None:
            if outcome.message:
                console.print(f"{outcome.key}: {outcome.state}: {outcome.message}", style="yellow", markup=False)
            bar.update(
                task,
                description=str(outcome.key),
                completed=progress.already + progress.ended,
                total=progress.total,
                seconds_left=progress.seconds_left,
            )
            left = progress.total - progress.already - progress.ended
            if not console.is_terminal and (progress.ended % 50 == 0 or left == 0):
                seconds = progress.seconds_left or 0.0
                console.print(
                    f"{progress.already + progress.ended} of {progress.total} cells, about {seconds:.0f} s left"
                )

        yield observe


@command.command(cls=GuardedCommand)
@FILE
@as_json
def status(file: Path, as_json: bool) -> None:
    """Say what the results FILE holds: cells by method, failures with their messages, time spent."""
    with studies.Results.open(file) as results:
        study, cells = results.study, list(results.cells())
    counts = Counter((cell.key.method, cell.state) for cell in cells)
    failures = [{**cell.key._asdict(), "state": cell.state, "message": cell.message} for cell in cells if not cell.done]
    seconds = sum(cell.seconds for cell in cells)
    if as_json:
        by_method = {m: {s: n for (name, s), n in counts.items() if name == m} for m in study.methods}
        facts = {"study": study.name, "cells": len(cells), "seconds": seconds, "methods": by_method}
        click.echo(json.dumps({**facts, "failures": failures}, indent=1))
        return
    click.echo(f"{study.title}\n{len(cells)} cells, {len(failures)} of them failed, {seconds / 60:.1f} minutes of work")
    for method in study.methods:
        done = [cell for cell in cells if cell.key.method == method and cell.done]
        sets = {cell.key.dataset for cell in done}
        mean = f", {sum(c.seconds for c in done) / len(done):.2f} s each" if done else ""
        click.echo(f"  {method:14} {counts[method, DONE]:5} done on {len(sets)} data sets{mean}")
    for failure in failures[:20]:
        click.echo(f"  {failure['dataset']}, {failure['method']}, split {failure['split']}: {failure['message']}")
    if len(failures) > 20:
        click.echo(f"  and {len(failures) - 20} more failures: kernelect study export lists them all")


@command.command("table", cls=GuardedCommand)
@FILE
@click.option("--metric", help="One figure of the cells instead of the study's own tables.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["terminal", *FORMATS]),
    default="terminal",
    show_default=True,
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write to a file instead.")
def tables(file: Path, metric: str | None, form: str, out: Path | None) -> None:
    """Show the results FILE as tables: means with standard errors, beside the published ones."""
    with studies.Results.open(file) as results:
        made = studies.make_tables(results, metric)
    if form == "terminal":
        console = Console(record=out is not None)
        for table in made:
            for piece in _pieces(table, console.width):
                console.print(_rich(piece))
            for note in table.notes:
                console.print(note, style="dim", markup=False)
        text = console.export_text() if out is not None else ""
    else:
        text = FORMATS[form](made)
    if out is not None:
        out.write_text(text, encoding="utf-8")
        click.echo(f"Written: {out}", err=True)
    elif text:
        click.echo(text, nl=False)


def _pieces(table: Table, width: int) -> Iterator[Table]:
    """Yield the table cut into groups of columns that fit, each with the names of the rows."""
    widths = [max(len(head), *(len(row[j].text) for row in table.rows)) + 3 for j, head in enumerate(table.heads)]
    group, used = list[int](), widths[0] + 1
    for column in range(1, len(table.heads)):
        if group and used + widths[column] > width:
            yield _columns(table, group)
            group, used = [], widths[0] + 1
        group.append(column)
        used += widths[column]
    yield _columns(table, group)


def _columns(table: Table, group: list[int]) -> Table:
    chosen = [0, *group]
    rows = tuple(tuple(row[j] for j in chosen) for row in table.rows)
    return replace(table, heads=tuple(table.heads[j] for j in chosen), rows=rows)


def _rich(table: Table) -> RichTable:
    shown = RichTable(title=table.title, title_justify="left", title_style="bold")
    for number, head in enumerate(table.heads):
        shown.add_column(head, justify="left" if number == 0 else "right", overflow="fold")
    styles = {BEST: "bold green", SECOND: "italic"}
    for row in table.rows:
        shown.add_row(*(Text(entry.text, style=styles.get(entry.emphasis, "")) for entry in row))
    return shown


@command.command(cls=GuardedCommand)
@FILE
@click.option(
    "--kind", default="histogram", show_default=True, help="histogram, critical-difference, scatter, evolution."
)
@click.option("--metric", help="Figure of the cells that is drawn.  [default: the error]")
@click.option("--methods", help="Some of the methods, separated by commas.  [default: all]")
@click.option("--suffix", type=click.Choice(["png", "svg", "pdf"]), default="png", show_default=True)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default="study-pictures", show_default=True)
def plot(file: Path, kind: str, metric: str | None, methods: str | None, suffix: str, out: Path) -> None:
    """Draw the results FILE into a folder of pictures."""
    from kernelect.studies.pictures import save_pictures

    names = [name.strip() for name in methods.split(",")] if methods else []
    with studies.Results.open(file) as results:
        for path in save_pictures(results, kind, out, metric=metric, methods=names, suffix=suffix):
            click.echo(path)


@command.command(cls=GuardedCommand)
@FILE
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help=".csv, .json or .jsonl")
def export(file: Path, out: Path) -> None:
    """Write all cells of the results FILE as one flat table."""
    from kernelect.studies.export import export as write

    with studies.Results.open(file) as results:
        click.echo(f"{write(results, out)} cells: {out}")
