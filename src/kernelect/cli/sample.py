"""``kernelect sample``: built-in tables as CSV, to try the other commands on."""

from __future__ import annotations

from pathlib import Path

import click

from kernelect.cli import _guard as options
from kernelect.cli._terminal import echo
from kernelect.files import write_whole
from kernelect.spreadsheets import csv_of_frame

#: Spelled here too, so that help needs no scikit-learn; a test compares.
SAMPLES = ("patients", "wine", "breast_cancer", "diabetes")


@click.command(cls=options.GuardedCommand)
@click.argument("name", type=click.Choice(SAMPLES))
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="File to write.  [default: NAME.csv]")
@options.force
def sample_command(name: str, out: Path | None, force: bool) -> None:
    """Write a built-in table as CSV, ready for kernelect fit.

    patients (text categories and missing cells, made up), wine (three classes),
    breast_cancer (two classes), diabetes (regression).
    """
    from kernelect.datasets.samples import sample_table

    table, target = sample_table(name)
    path = out or Path(f"{name}.csv")
    data = csv_of_frame(table).encode()
    if not (path.is_file() and path.read_bytes() == data):  # the same table is there after an earlier guide
        write_whole(path, data, force)
    echo(f"{path}: {len(table)} rows, {table.shape[1]} columns. Try: kernelect fit {path} --target {target}")
