"""``kernelect fit``: a table in, a fitted model and a report out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from kernelect import numerics, tabular
from kernelect.cli import _guard as options
from kernelect.cli._load import how_of, load_rows, outer_folds, required
from kernelect.exceptions import MissingCapability
from kernelect.files import check_free, write_whole

if TYPE_CHECKING:
    from kernelect.cli._progress import Watch
    from kernelect.facts.record import Facts
    from kernelect.numerics import Deadline
    from kernelect.tabular import MachineOptions, TableModel, TableRows

MODEL, REPORT, COLUMNS = "model.kernelect", "report.html", "columns.toml"

#: Stages of a fit, for who watches.
_FIT, _FOLDS, _PAGE = "fit", "outer folds", "report"

#: Seconds kept for the model file and for a report, and the largest share of what is left of a time limit for them.
_WRITING, _LARGEST_SHARE = (0.3, 3.5), 0.5

#: Share of the time for a report that goes into what it shows; the rest is for drawing it.
_GATHERING = 0.6


@click.command(cls=options.GuardedCommand)
@options.table_argument
@options.columns
@options.stakes
@click.option(
    "--machine",
    type=options.MACHINE,
    default="auto",
    show_default=True,
    help="auto (several machines, weighted by leave-one-out), or one of them: lssvm (least-squares SVM), svm, gp "
    "(Gaussian process), rvm (relevance vectors), basis (basis search).",
)
@options.effort
@options.parts
@options.whole("--restarts", "Number of further searches from random starts; the best one is kept.", 0, 0)
@options.folds(default=5)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=".",
    show_default=True,
    help=f"Folder for {MODEL}, {COLUMNS} and {REPORT}.",
)
@options.compared
@options.private
@click.option("--no-report", is_flag=True, help=f"Do not write {REPORT}.")
@options.force
@options.seed
@options.jobs
@options.time_limit
@click.option(
    "--engine",
    metavar="WHERE",
    help="Read a Parquet file piece by piece and fit it on landmarks: local (this process), or the address of a Dask "
    "scheduler such as tcp://host:8786.  [default: read the table as a whole]",
)
@options.as_json
@options.quiet
def fit_command(
    table: str,
    out: Path,
    force: bool,
    no_report: bool,
    as_json: bool,
    quiet: bool,
    compared: Path | None,
    private: bool,
    **given: Any,
) -> None:
    """Fit a kernel machine to TABLE and show how good it is.

    TABLE is CSV, TSV, Excel, Parquet, Feather, JSON or svmlight, also compressed, or - for standard
    input. Everything is selected in one training run. The scores come from rows the model did not see:
    leave-one-out at the selected values, and outer folds that repeat the whole selection.
    They are shown next to a baseline that always predicts the most frequent class (or the
    mean), with what to doubt about them.
    """
    from kernelect.cli._progress import Watch
    from kernelect.cli._show import Terminal, print_facts, print_json, print_remarks, say

    paths = [out / MODEL, out / COLUMNS, *([] if no_report else [out / REPORT])]
    tabular.require_table(table)
    for path in paths:
        check_free(path, force)  # before any tuning
    console, watch = Terminal(), Watch(Terminal(stderr=True), quiet)
    deadline = options.deadline(given["time_limit"])
    held = ""
    given["deadline"] = _with_time_to_write(deadline, sum(_WRITING[: 1 if no_report else 2]))
    watch.plan(_FIT, *[_FOLDS] * bool(given["folds"]), *[_PAGE] * (not no_report))
    model, rows = _piece_by_piece(table, given, watch) if given["engine"] else _as_a_whole(table, given, watch)
    facts = beside(model, compared)
    tabular.save_model(model, out / MODEL, force)
    write_whole(out / COLUMNS, tabular.columns_text(model.schema, model.title).encode(), force)
    if not no_report:
        with watch:
            watch.stage(_PAGE)
            held = write_report_for(model, rows, out / REPORT, facts, deadline, private=private, force=force)
    if as_json:
        print_json({**facts, "files": [str(path) for path in paths]})
        return
    print_facts(console, facts)
    if not quiet:
        print_remarks(console, facts["remarks"])
    say(console, "Written: " + ", ".join(str(path) for path in paths))
    say(console, f"How the model was found: kernelect inspect {out / MODEL}")
    if not no_report:
        say(console, f"{REPORT}: {held}")


def _with_time_to_write(deadline: Deadline, seconds: float) -> Deadline:
    """Return when fits and folds have to end, so that files can be written too."""
    return deadline.earlier(min(seconds, _LARGEST_SHARE * deadline.left()))


def _as_a_whole(table: str, given: dict[str, Any], watch: Watch) -> tuple[TableModel, TableRows]:
    """Read, fit and assess, with progress."""
    if Path(table).suffix.lower() in (".parquet", ".pq"):
        tabular.require_room(table)
    read, schema, rows, remarks = load_rows(table, given)
    outer, fewer = outer_folds(given, rows, schema)
    remarks += fewer
    with watch:
        observers = tabular.Observers(watch.fit(_FIT), watch.folds(_FOLDS, outer.folds * outer.repeats))
        words: dict[str, Any] = {"title": read.source, "remarks": tuple(remarks), "observers": observers}
        return tabular.fit_table(rows, schema, _machine(given), outer, **words), rows


def _piece_by_piece(table: str, given: dict[str, Any], watch: Watch) -> tuple[TableModel, TableRows]:
    """Fit a Parquet file without reading it as a whole."""
    from contextlib import nullcontext

    from kernelect.studies import engine_for
    from kernelect.studies.engines import Dask

    for option in ("metric", "costs", "class_weight"):
        if given[option]:
            raise MissingCapability(
                f"--{option.removesuffix('s').replace('_', '-')} {given[option]!r} needs all rows in memory: leave it "
                "out, or leave --engine out."
            )
    if given["sheet"] is not None:
        raise MissingCapability(
            f"--engine reads no Excel files: leave it out, or leave --sheet {given['sheet']!r} out."
        )
    engine, pieces = engine_for(given["engine"], 1), tabular.parquet_columns(table)
    known = None if given["schema"] is None else tabular.read_columns(given["schema"])
    target = required(given["target"] or (None if known is None else known.target), pieces)
    how = how_of(given, known, target, pieces)
    with watch, engine.client() if isinstance(engine, Dask) else nullcontext() as client:
        found = tabular.fit_pieces(table, target, _machine(given), client=client, observe=watch.fit(_FIT), **how)
    return found.model, found.rows


def _machine(given: dict[str, Any]) -> MachineOptions:
    from dataclasses import fields

    if given["time_limit"] is not None:
        given = {**given, "time_limit": given["deadline"].left()}
    return tabular.MachineOptions(**{field.name: given[field.name] for field in fields(tabular.MachineOptions)})


def beside(model: TableModel, compared: Path | None) -> Facts:
    """Return the facts of a model, with other methods beside it if a comparison is given."""
    from kernelect.tabular.peers import read_comparison

    if compared is None:
        return model.facts
    return {**model.facts, "peers": read_comparison(compared, model.schema.target)}


def write_report_for(
    model: TableModel,
    rows: TableRows,
    path: Path,
    facts: Facts | None = None,
    deadline: Deadline | None = None,
    *,
    private: bool = False,
    force: bool = False,
) -> str:
    """Write the page about a model, and return a sentence on the rows in it.

    The page has the facts of the model (or others in their place), with pictures of these rows; with a deadline those
    that there is time for, and if ``private`` those that show no single row.
    """
    from kernelect.facts import gather_for_page
    from kernelect.facts.private import PRIVATE, without_rows, words_on_rows
    from kernelect.report import write_report

    deadline = deadline or numerics.NEVER
    with deadline.part(_GATHERING).watched(firmly=False), numerics.best_blas_threads(deadline):
        shown = gather_for_page(
            model, rows.X, rows.y, assessment=model.assessment, random_state=model.known.seed, places=rows.places
        )
    page: dict[str, Any] = {**(model.facts if facts is None else facts), **shown}
    held = PRIVATE if private else words_on_rows(page, len(rows.y))
    page = without_rows(page) if private else {**page, "remarks": [held, *page["remarks"]]}
    with deadline.watched(firmly=False):
        write_report(path, cast("Facts", page), force)
    return held
