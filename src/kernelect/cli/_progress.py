"""A live line on standard error while machines are tuned; nothing where nobody watches."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from kernelect.cli._show import printable


class Watch:
    """Shows the search's evaluations and the folds that are done, on a terminal only."""

    def __init__(self, console: Console, quiet: bool) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        hidden = quiet or not console.is_terminal
        self._progress = Progress(*columns, TimeElapsedColumn(), console=console, transient=True, disable=hidden)
        self._tasks: dict[str, Any] = {}

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._progress.stop()

    def search(self, title: str) -> Callable[[Any], None]:
        """Return an observer of a search: how many evaluations, and the best value."""
        task = self._task(title, None)

        def show(row: Any) -> None:
            words = f"{title} · best {row.best_value:.5g}"
            self._progress.update(task, description=escape(printable(words)), completed=row.number)

        return show

    def candidates(self, title: str) -> Callable[[Any], None]:
        """Return an observer of a mixture: how many candidates are fitted, and the last one."""
        task = self._task(title, None)

        def show(member: Any) -> None:
            self._progress.update(task, description=escape(printable(f"{title} · {member.candidate}")), advance=1)

        return show

    def folds(self, title: str, total: int) -> Callable[[int], None]:
        """Return an observer of folds."""

        def show(done: int) -> None:
            self._progress.update(self._task(title, total), completed=done)

        return show

    def _task(self, title: str, total: int | None) -> Any:
        if title not in self._tasks:
            for task in self._progress.tasks:  # one thing at a time: what came before has ended
                self._progress.update(task.id, total=task.completed)
            self._tasks[title] = self._progress.add_task(escape(printable(title)), total=total)
        return self._tasks[title]
