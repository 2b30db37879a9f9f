"""What ``kernelect study`` shows: progress, and tables on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table as RichTable
from rich.text import Text

from kernelect import studies
from kernelect.cli._show import Terminal
from kernelect.studies.records import BEST, SECOND, StudyTable
from kernelect.studies.run import Observer


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
    console = Terminal(stderr=True)
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


def print_tables(tables: list[StudyTable], *, record: bool) -> str:
    """Print tables as wide as the terminal allows; returns their text where it is recorded."""
    console = Terminal(record=record)
    for table in tables:
        for piece in pieces(table, console.width):
            console.print(as_rich(piece))
        for note in table.notes:
            console.print(note, style="dim", markup=False)
    return console.export_text() if record else ""


def pieces(table: StudyTable, width: int) -> Iterator[StudyTable]:
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


def _columns(table: StudyTable, group: list[int]) -> StudyTable:
    chosen = [0, *group]
    rows = tuple(tuple(row[j] for j in chosen) for row in table.rows)
    return replace(table, heads=tuple(table.heads[j] for j in chosen), rows=rows)


def as_rich(table: StudyTable) -> RichTable:
    """Return the table as the terminal shows it: the best bold, the second italic."""
    shown = RichTable(title=Text(table.title), title_justify="left", title_style="bold")
    for number, head in enumerate(table.heads):
        shown.add_column(Text(head), justify="left" if number == 0 else "right", overflow="fold")
    styles = {BEST: "bold green", SECOND: "italic"}
    for row in table.rows:
        shown.add_row(*(Text(entry.text, style=styles.get(entry.emphasis, "")) for entry in row))
    return shown
