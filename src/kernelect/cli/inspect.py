"""``kernelect inspect``: what is in a model file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kernelect.cli import _guard as options


@click.command(cls=options.GuardedCommand)
@options.model_argument
@options.as_json
def command(model: Path, as_json: bool) -> None:
    """Say what MODEL (a model.skops) is: tuned values, columns, size, versions, how good."""
    from rich.console import Console

    from kernelect.cli._show import plain, print_json, print_remarks, print_summary
    from kernelect.tabular import load_model, summary

    loaded, remarks = load_model(model)
    facts = {**summary(loaded), "file": str(model), "bytes": model.stat().st_size, "on_loading": remarks}
    if as_json:
        print_json(facts)
        return
    console = Console()
    print_summary(console, facts)
    console.print(_pairs("Selected values", facts["selected"]))
    console.print(_columns(facts["columns"]))
    versions = ", ".join(f"{package} {version}" for package, version in facts["versions"].items())
    console.print(plain(f"{facts['bytes'] / 1024:.0f} kB, saved with {versions}; seed {facts['seed']}", "dim"))
    print_remarks(console, [*remarks, *facts["remarks"]])


def _pairs(title: str, values: dict[str, float], most: int = 30) -> Any:
    from rich.table import Table

    from kernelect.cli._show import number, plain

    out = Table(title=title, title_justify="left", title_style="bold", box=None, show_header=False)
    for name, value in list(values.items())[:most]:
        out.add_row(plain(name), number(value))
    if len(values) > most:
        out.add_row(f"and {len(values) - most} more (--json shows all)", "")
    return out


def _columns(columns: list[dict[str, Any]], most: int = 30) -> Any:
    from rich.table import Table

    from kernelect.cli._show import plain

    out = Table(title="Columns", title_justify="left", title_style="bold")
    for heading in ("column", "kind", "missing", "values"):
        out.add_column(heading)
    for column in columns[:most]:
        out.add_row(plain(column["name"]), column["kind"], f"{100 * column['missing']:.0f} %", _values(column))
    if len(columns) > most:
        out.add_row(f"and {len(columns) - most} more", "", "", "")
    return out


def _values(column: dict[str, Any]) -> str:
    """Return a column's range or number of categories in words."""
    from datetime import date, timedelta

    from kernelect.cli._show import number

    if column["kind"] == "category":
        return f"{column['categories']} categories"
    if column["kind"] == "date":
        first, last = (date(1970, 1, 1) + timedelta(days=column[end]) for end in ("low", "high"))
        return f"{first} to {last}"
    return f"{number(column['low'])} to {number(column['high'])}"
