"""What is being done and how long it will take: a live line on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from kernelect.cli._terminal import printable
from kernelect.facts.numbers import duration

#: Seconds between two lines if there is no terminal; shorter runs write none. KERNELECT_PROGRESS sets other seconds.
_PAUSE = 10.0


class Watch:
    """Tells the stage, how much of it is done, the best value so far and the time that is left.

    Parameters
    ----------
    console : Console
        Of standard error.
    quiet : bool
        Whether nothing is shown.
    clock : callable
        Returns seconds.
    """

    def __init__(self, console: Console, quiet: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._console, self._clock = console, clock
        self._live = console.is_terminal and not quiet
        self._lines = not console.is_terminal and not quiet
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(bar_width=20), TimeElapsedColumn())
        self._progress = Progress(*columns, console=console, transient=True, disable=not self._live)
        self._tasks: dict[str, TaskID] = {}
        self._stages: tuple[str, ...] = ()
        self._pause = float(os.environ.get("KERNELECT_PROGRESS", _PAUSE))
        self._said = self._began = clock()
        self._stage = ""

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._progress.stop()

    def plan(self, *stages: str) -> None:
        """Set the stages, which are numbered from now on."""
        self._stages = stages

    def fit(self, title: str) -> Callable[[Any], None]:
        """Return an observer of a fit, which is called with evaluations of a search or with members of a mixture."""
        from kernelect.mixture import Member

        search, members = self._search(title), self._members(title)
        return lambda row: (members if isinstance(row, Member) else search)(row)

    def _search(self, title: str) -> Callable[[Any], None]:
        """Return what tells how many evaluations there were, and the best value, which only falls."""
        best, done = float("inf"), 0

        def show(row: Any) -> None:
            nonlocal best, done
            best, done = min(best, float(row.best_value)), done + 1
            run = int(getattr(row, "run", 0)) + 1  # stages of a search and restarts are counted alike
            self._tell(title, done, None, f"search {run}, evaluation {done}, best {best:.5g}")

        return show

    def _members(self, title: str) -> Callable[[Any], None]:
        """Return what tells how many members are fitted, how good the best one is alone, and the time left."""
        done, best, began = 0, None, self._clock()

        def show(member: Any) -> None:
            nonlocal done, best
            best, done = member if best is None or member.loss < best.loss else best, done + 1
            words = f"{done} of {member.of} fitted, best so far {best.score} ({best.candidate.words})"
            self._tell(title, done, member.of, words + self._time_left(began, done, member.of))

        return show

    def stage(self, title: str) -> None:
        """Tell that something begins of which nothing is known until it ends."""
        self._tell(title, 0, None, "")

    def folds(self, title: str, total: int) -> Callable[[int], None]:
        """Return an observer of folds: how many are done, and how long the others will take."""
        began = self._clock()

        def show(done: int) -> None:
            nonlocal began
            if not done:
                began = self._clock()
            self._tell(title, done, total, f"{done} of {total}{self._time_left(began, done, total)}")

        return show

    def _time_left(self, began: float, done: int, total: int) -> str:
        """Return how long the rest will take if it is as fast as what is done, as the end of a sentence."""
        left = (self._clock() - began) * (total - done) / done if done else 0.0
        return f", about {duration(left)} left" if done and done < total else ""

    def _tell(self, title: str, done: int, total: int | None, words: str) -> None:
        stage = f"stage {self._stages.index(title) + 1} of {len(self._stages)}, " if title in self._stages else ""
        line = printable(f"{stage}{title}" + (f": {words}" if words else ""))
        if self._live:
            self._progress.update(self._task(title, total), description=escape(line), completed=done)
        elif self._lines and (self._clock() - self._said >= self._pause or self._stage not in ("", title)):
            self._said, self._stage = self._clock(), title
            self._console.print(f"{duration(self._said - self._began)} · {line}", markup=False, highlight=False)

    def _task(self, title: str, total: int | None) -> TaskID:
        if title not in self._tasks:
            for task in self._progress.tasks:  # one thing at a time: what came before has ended
                self._progress.update(task.id, total=task.completed, visible=False)
            self._tasks[title] = self._progress.add_task(escape(printable(title)), total=total)
        return self._tasks[title]
