"""``kernelect inspect``: what is in a model file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernelect import tabular
from kernelect.cli import _guard as options
from kernelect.facts.numbers import are_years, number, percent, trimmed

if TYPE_CHECKING:
    from kernelect.facts.record import ColumnFacts


@click.command(cls=options.GuardedCommand)
@options.model_argument
@options.as_json
def inspect_command(model: Path, as_json: bool) -> None:
    """Show what MODEL (a model.kernelect) is: selected values, columns, size, versions, how good it is."""
    from kernelect.cli._show import Terminal, plain, print_facts, print_json, print_remarks

    loaded, remarks = tabular.load_model(model, training=False)
    facts, size = loaded.facts, model.stat().st_size
    if as_json:
        about = {"versions": loaded.versions, "file": str(model), "bytes": size, "on_loading": remarks}
        print_json({**facts, **about})
        return
    console = Terminal()
    print_facts(console, facts, experts=True)
    if facts["parameters"]:
        console.print(_pairs("Selected values", facts["parameters"]))
    console.print(_columns(facts["columns"]))
    versions = ", ".join(f"{package} {version}" for package, version in loaded.versions.items())
    console.print(plain(f"{size / 1024:.0f} kB, saved with {versions}; seed {facts['random_state']}", "dim"))
    print_remarks(console, [*remarks, *facts["remarks"]])


def _pairs(title: str, values: dict[str, float], most: int = 30) -> Any:
    from rich.table import Table

    from kernelect.cli._show import plain

    out = Table(title=title, title_justify="left", title_style="bold", box=None, show_header=False)
    for name, value in list(values.items())[:most]:
        out.add_row(plain(name), number(value, 4))
    if len(values) > most:
        out.add_row(f"and {len(values) - most} more (--json shows all)", "")
    return out


def _columns(columns: list[ColumnFacts], most: int = 30) -> Any:
    from rich.console import Group

    from kernelect.cli._show import open_table, plain

    out = open_table()
    for heading in ("column", "kind", "missing", "values"):
        out.add_column(heading)
    for column in columns[:most]:
        out.add_row(plain(column["name"]), plain(column["kind"]), percent(column["missing"], 0), plain(_values(column)))
    if len(columns) > most:
        out.add_row(f"and {len(columns) - most} more", "", "", "")
    return Group(plain("Columns", "bold"), out, plain(""))


def _values(column: ColumnFacts) -> str:
    """Return a column's range or number of categories in words."""
    read_as = f"; {column['read_as']}" if "read_as" in column else ""
    if column["kind"] == "category":
        return f"{column['categories']} categories{read_as}"
    ends = [column["low"], column["high"]]
    years = are_years(*ends)
    return " to ".join(end if isinstance(end, str) else trimmed(end, years=years) for end in ends) + read_as
