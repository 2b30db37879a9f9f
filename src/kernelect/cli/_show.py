"""Facts on a terminal. Names and labels come from files: they are never read as markup or control codes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text


def printable(value: object) -> str:
    """Return text with control characters spelled out, so that a name cannot move the cursor."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in str(value))


def plain(value: object, style: str = "") -> Text:
    """Return text for a terminal as it stands: no markup, no control characters."""
    return Text(printable(value), style=style)


def number(value: float | None) -> str:
    """Return a number with four digits that matter."""
    return "" if value is None else f"{value:.4g}"


def with_error(value: float, error: float | None) -> str:
    """Return a value and its standard error, to the error's first digit, or to its second after a 1."""
    if error is None or not error > 0 or not math.isfinite(error):
        return number(value)
    exponent = math.floor(math.log10(error))
    digits = max(0, min(12, -exponent + (error < 2.0 * 10.0**exponent)))
    return f"{value:.{digits}f} ± {error:.{digits}f}"


def print_json(facts: Any) -> None:
    """Print a JSON document; what JSON does not know (infinity, not a number) becomes null."""
    click.echo(json.dumps(_finite(facts), indent=1, ensure_ascii=False, default=str))


def _finite(facts: Any) -> Any:
    if isinstance(facts, dict):
        return {str(key): _finite(value) for key, value in facts.items()}
    if isinstance(facts, (list, tuple)):
        return [_finite(value) for value in facts]
    return None if isinstance(facts, float) and not math.isfinite(facts) else facts


def print_remarks(console: Console, remarks: Iterable[str]) -> None:
    """Print remarks, each on a line of its own."""
    for remark in remarks:
        console.print(Text.assemble(("· ", "yellow"), plain(remark)))


def score_table(scores: Sequence[dict[str, Any]], title: str) -> Table:
    """Return estimates as rows and figures as columns."""
    names = list(dict.fromkeys(score["name"] for estimate in scores for score in estimate["scores"]))
    out = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    out.add_column("estimate")  # may wrap, so that figures need not
    for name in names:
        out.add_column(name, justify="right", no_wrap=True)
    for estimate in scores:
        by_name = {score["name"]: with_error(score["value"], score["standard_error"]) for score in estimate["scores"]}
        out.add_row(plain(estimate["estimate"]), *(by_name.get(name, "") for name in names))
    return out


def relevance_table(shares: dict[str, float], most: int = 8) -> Table:
    """Return the most relevant inputs with a bar each."""
    out = Table(title="Most relevant inputs", title_justify="left", title_style="bold", box=None, show_header=False)
    largest = max(shares.values(), default=1.0) or 1.0
    for name, share in list(shares.items())[:most]:
        out.add_row(plain(name), f"{100 * share:.1f} %", "█" * max(1, round(24 * share / largest)))
    return out


def print_summary(console: Console, facts: dict[str, Any]) -> None:
    """Print what was selected and how good it is."""
    selection = facts["selection"]
    prior = f", prior {selection['prior']}" if selection["prior"] not in (None, "none") else ""
    size = ", ".join(f"{count} {what}" for what, count in facts["size"].items())
    head = f"{facts['estimator']} for {facts['target']!r} of {facts['title']}: {facts['task']}"
    classes = f", {len(facts['classes'])} classes" if facts["classes"] else ""
    console.print(plain(head + classes, "bold"))
    console.print(plain(f"{facts['rows']} rows, {len(facts['columns'])} columns as {facts['inputs']} inputs; {size}"))
    console.print(
        plain(
            f"Selected by {selection['criterion']}{prior}: {selection['status']} after {selection['evaluations']} "
            f"evaluations, {facts['seconds']:.1f} s"
        )
    )
    console.print(score_table(facts["scores"], "How good it is on new rows (± standard error)"))
    if facts["relevance"]:
        console.print(relevance_table(facts["relevance"]))
