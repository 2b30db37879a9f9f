"""``kernelect study``: the papers' tables, or one's own, by one command that resumes."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import click

from kernelect import studies
from kernelect.cli._guard import GuardedCommand, Seconds, as_json, whole
from kernelect.cli._guard import force as force_option
from kernelect.cli._signals import exit_code
from kernelect.cli._terminal import echo, emit, printable_lines
from kernelect.files import check_free, write_whole

FILE = click.argument("file", type=click.Path(path_type=Path))

#: Names of formats are spelled here too, so that help needs no numerics; a test compares.
FORMATS = ("markdown", "latex", "html", "csv")


@click.group()
def study_command() -> None:
    """Run model-selection experiments: the papers', or your own."""


@study_command.command("list", cls=GuardedCommand)
def list_studies() -> None:
    """List the studies that are built in."""
    titles = {name: studies.read_study(name) for name in studies.builtin_studies()}
    _print_pairs(
        (name, f"{one.title} ({len(one.datasets)} data sets, {len(one.methods)} methods)")
        for name, one in titles.items()
    )


def _print_pairs(pairs: Iterable[tuple[str, str]]) -> None:
    """Print names, each beside its words."""
    from rich.table import Table

    from kernelect.cli._show import Terminal, plain

    out = Table.grid(padding=(0, 2, 0, 0))
    out.add_column(no_wrap=True)
    for name, words in pairs:
        out.add_row(plain(name), plain(words))
    Terminal().print(out)


@study_command.command("show", cls=GuardedCommand)
@click.argument("name")
@click.option("--toml", is_flag=True, help="Print the definition itself, as a start for your own.")
def show_study(name: str, toml: bool) -> None:
    """Show the data sets and methods of the study NAME."""
    study = studies.read_study(name)
    if toml:
        emit(study.text)
        return
    from kernelect.cli._show import Terminal, say

    console = Terminal()
    for words in filter(None, (study.title, study.reference, study.notes)):
        say(console, words)
    console.print()
    _print_pairs([("data sets", ", ".join(study.datasets)), ("splits", str(study.splits)), ("methods", "")])
    _print_pairs((f"  {method.name}", method.label) for method in study.methods.values())


@study_command.command(cls=GuardedCommand)
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
@whole("--splits", "Splits (or starts) of each data set.  [default: the study's]", most=10**6)
@click.option("--engine", default="local", show_default=True, help="local, or a Dask scheduler: tcp://host:8786.")
@whole("--jobs", "Processes of --engine local.", default=1)
@whole("--threads", "BLAS threads of a cell.", default=1)
@click.option("--time-limit", type=Seconds(), help="Seconds that one cell may take.")
@click.option(
    "--install", is_flag=True, help="Install the peers that run in environments of their own, by pip (up to gigabytes)."
)
@click.option("--quick", is_flag=True, help="A two-minute version on built-in data, to see how it works.")
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
    install: bool,
    quick: bool,
    retry_failed: bool,
    out: Path | None,
) -> None:
    """Run what is missing of the study NAME: a built-in one, or the path of a TOML file.

    Every cell is saved when it ends. A run that was stopped in any way continues where it was.
    """
    from kernelect.cli._lock import only_writer
    from kernelect.cli._study import shown_progress

    study = studies.read_study(name, quick=quick)
    plan = studies.Plan(
        study=study,
        datasets=tuple(study.chosen("datasets", datasets)),
        methods=tuple(study.chosen("methods", methods)),
        splits=splits,
        folder=folder,
        time_limit=time_limit,
        threads=threads,
    )
    runner = studies.engine_for(engine, jobs)
    studies.check_plan(plan)
    if install:
        plan.install()
    for sentence in plan.skipped().values():
        echo(f"{sentence}.", err=True)
    path = out or Path(f"{study.name}.sqlite")
    with only_writer(path), studies.Results.create(path, study) as results, shown_progress() as observe:
        try:
            progress = studies.run_study(plan, results, runner, retry_failed=retry_failed, observe=observe)
        except KeyboardInterrupt as error:
            echo(f"Stopped. All finished cells are in {path}; run the same command to continue.", err=True)
            sys.exit(exit_code(error))
        failed = len(results.failed(plan.cells()))
    done = progress.ended - progress.failures
    echo(f"{progress.already} cells were there, {done} were run, {failed} failed: {path}")
    if progress.left:
        echo(f"{progress.left} cells could not be run, because what they need has failed.", err=True)
    if failed:
        echo(
            f"See why they failed: kernelect study status {path}. Run them again: add --retry-failed to this command.",
            err=True,
        )
    if failed or progress.left:
        sys.exit(1)
    echo(f"See them: kernelect study table {path}")


@study_command.command(cls=GuardedCommand)
@FILE
@as_json
def status(file: Path, as_json: bool) -> None:
    """Show what the results FILE holds: cells by method, failures with their messages, time spent."""
    from kernelect.cli._show import print_json
    from kernelect.studies import Results

    with Results.open(file) as results:
        study, cells = results.study, list(results.cells())
    counts = Counter((cell.key.method, cell.state) for cell in cells)
    failures = [{**cell.key._asdict(), "state": cell.state, "message": cell.message} for cell in cells if not cell.done]
    seconds = sum(cell.seconds for cell in cells)
    if as_json:
        by_method = {m: {s: n for (name, s), n in counts.items() if name == m} for m in study.methods}
        facts = {"study": study.name, "cells": len(cells), "seconds": seconds, "methods": by_method}
        print_json({**facts, "failures": failures})
        return
    echo(f"{study.title}\n{len(cells)} cells, {len(failures)} of them failed, {seconds / 60:.1f} minutes of work")
    for method in study.methods:
        done = [cell for cell in cells if cell.key.method == method and cell.done]
        sets = {cell.key.dataset for cell in done}
        mean = f", {sum(c.seconds for c in done) / len(done):.2f} s each" if done else ""
        echo(f"  {method:14} {counts[method, 'done']:5} done on {len(sets)} data sets{mean}")
    for failure in failures[:20]:
        echo(f"  {failure['dataset']}, {failure['method']}, split {failure['split']}: {failure['message']}")
    if len(failures) > 20:
        echo(f"  and {len(failures) - 20} more failures: kernelect study export lists them all")


@study_command.command("table", cls=GuardedCommand)
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
@force_option
def tables(file: Path, metric: str | None, form: str, out: Path | None, force: bool) -> None:
    """Show the results FILE as tables: means with standard errors, next to the published ones."""
    from kernelect.cli._study import print_tables
    from kernelect.studies import Results, make_tables
    from kernelect.studies.formats import FORMATS as WRITERS

    if out is not None:
        check_free(out, force)
    with Results.open(file) as results:
        made = make_tables(results, metric)
    text = WRITERS[form](made) if form != "terminal" else print_tables(made, record=out is not None)
    text = text if form == "csv" else printable_lines(text)
    if out is not None:
        write_whole(out, text.encode(), force)
        echo(f"Written: {out}", err=True)
    elif text:
        emit(text)


@study_command.command(cls=GuardedCommand)
@FILE
@click.option(
    "--kind", default="histogram", show_default=True, help="histogram, critical-difference, scatter, evolution, curve."
)
@click.option("--metric", help="Figure of the cells that is drawn.  [default: the error]")
@click.option("--methods", help="Some of the methods, separated by commas.  [default: all]")
@click.option("--suffix", type=click.Choice(["png", "svg", "pdf"]), default="png", show_default=True)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default="study-pictures", show_default=True)
@force_option
def plot(file: Path, kind: str, metric: str | None, methods: str | None, suffix: str, out: Path, force: bool) -> None:
    """Draw the results FILE into a folder of pictures."""
    from kernelect.studies import Results
    from kernelect.studies.pictures import save_pictures

    names = [name.strip() for name in methods.split(",")] if methods else []
    with Results.open(file) as results:
        for path in save_pictures(results, kind, out, metric=metric, methods=names, suffix=suffix, force=force):
            echo(path)


@study_command.command("export", cls=GuardedCommand)
@FILE
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help=".csv, .json or .jsonl")
@click.option("--compact", is_flag=True, help="Only what the study's tables and a resumed run need, in eight digits.")
@force_option
def export_cells(file: Path, out: Path, compact: bool, force: bool) -> None:
    """Write all cells of the results FILE as one flat table, which kernelect study import reads."""
    from kernelect.studies import Results
    from kernelect.studies.export import export as write

    with Results.open(file) as results:
        echo(f"{write(results, out, force, compact=compact)} cells: {out}")


@study_command.command("import", cls=GuardedCommand)
@click.argument("table", type=click.Path(path_type=Path))
@click.option("--study", "name", help="Path of the TOML file, of a study that is not built in.")
@click.option("--out", type=click.Path(path_type=Path), help="Results file.  [default: NAME.sqlite]")
def import_cells(table: Path, name: str | None, out: Path | None) -> None:
    """Take the cells of an exported .csv into a results file, where kernelect study run goes on.

    Cells that the results file holds already stay as they are. A cell that was run with another definition is refused,
    and then nothing is imported.
    """
    from kernelect.cli._lock import only_writer
    from kernelect.studies.imports import read_cells

    study, cells = read_cells(table, name)
    path = out or Path(f"{study.name}.sqlite")
    with only_writer(path), studies.Results.create(path, study) as results:
        known = results.keys(failures=True)
        new = [cell for cell in cells if cell.key not in known]
        results.write(*new)
    echo(f"{len(new)} cells were imported, {len(cells) - len(new)} were there: {path}")
