"""Where cells run: processes of this machine by joblib, or a Dask cluster.

An engine takes tasks lazily and yields outcomes as they end, in any order. A cell whose worker dies
is tried three times in total; after that it counts as a failure with a message.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

from kernelect.exceptions import InvalidArgument, KernelectError
from kernelect.extras import load_extra
from kernelect.studies.cells import Key, Outcome, Task, lost, run_cell

TRIES = 3
_DIED = f"the worker process died {TRIES} times under this cell (out of memory?)"


class Engine(ABC):
    """Runs tasks and yields each outcome as its task ends."""

    #: Cells that run at the same time, for the estimate of the time left.
    width: int = 1

    @abstractmethod
    def run(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """Yield one outcome per task, in any order."""


@dataclass(frozen=True)
class Local(Engine):
    """Runs tasks in processes of this machine; with one job, in this process itself."""

    jobs: int = 1

    @property
    def width(self) -> int:  # type: ignore[override]
        return self.jobs

    def run(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        if self.jobs == 1:
            yield from map(run_cell, tasks)
            return
        source, running = iter(tasks), dict[Key, Task]()
        while True:
            try:
                yield from self._round(source, running)
                return
            except TerminatedWorkerError:
                # Any of the cells that were under way may have killed its process: each is tried alone.
                suspects = list(running.values())
                running.clear()
                yield from map(_alone, suspects)

    def _round(self, source: Iterator[Task], running: dict[Key, Task]) -> Iterator[Outcome]:
        """Run until all is done or a worker dies; ``running`` is what was handed out and did not come back."""

        def handed_out() -> Iterator[Any]:
            for task in source:  # no `yield from`: the source has to outlive a round that is broken off
                running[task.key] = task
                yield delayed(run_cell)(task)

        # Handed out one ahead only, so that few are suspected when a worker dies.
        parallel = Parallel(self.jobs, return_as="generator_unordered", pre_dispatch=self.jobs, batch_size=1)
        for outcome in parallel(handed_out()):
            running.pop(outcome.key, None)
            yield outcome


def _alone(task: Task) -> Outcome:
    """Run a cell in a process of its own, again if that dies."""
    for _ in range(TRIES):
        try:
            (outcome,) = Parallel(2)([delayed(run_cell)(task)])
        except TerminatedWorkerError:
            continue
        return outcome
    return lost(task, _DIED)


@dataclass(frozen=True, kw_only=True)
class Dask(Engine):
    """Runs tasks on the workers of a ``distributed`` scheduler, which reruns the tasks of a dead worker."""

    address: str
    patience: str = "15s"  # how long to wait for the scheduler

    #: Tasks given to the scheduler at a time, per thread of the cluster: it holds their data.
    _AHEAD = 3

    def run(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        from distributed import KilledWorker
        from distributed import as_completed as as_completed_untyped

        as_completed: Any = as_completed_untyped

        with self.client() as client:
            source, held = iter(tasks), dict[str, Task]()

            def topped_up() -> list[Any]:
                """Submit until enough is held for the workers there are now, which come and go."""
                room = self._AHEAD * max(sum(client.nthreads().values()), 1) - len(held)
                futures = []
                for task in islice(source, max(room, 0)):
                    futures.append(client.submit(run_cell, task, pure=False))
                    held[futures[-1].key] = task
                return futures

            completed: Any = as_completed(topped_up(), loop=client.loop)
            for future in completed:
                task = held.pop(future.key)
                try:
                    yield future.result()
                except KilledWorker:
                    yield lost(task, _DIED)
                completed.update(topped_up())

    def client(self) -> Any:
        """Return a client of the scheduler, to be closed after use."""
        distributed = load_extra("distributed", caller=f"--engine {self.address}", extra="dask")
        try:
            return distributed.Client(self.address, timeout=self.patience, set_as_default=False)
        except (OSError, TimeoutError) as error:
            raise EngineUnreachable(
                f"--engine {self.address} cannot be reached ({type(error).__name__}): start it with `dask scheduler` "
                "and `dask worker ADDRESS`, or use --engine local."
            ) from error


class EngineUnreachable(KernelectError, ConnectionError):
    """There is no scheduler at the address."""


def engine_for(name: str, jobs: int) -> Engine:
    """Return the engine called ``local``, or the Dask cluster at an address such as ``tcp://host:8786``."""
    if name == "local":
        return Local(jobs)
    if "://" not in name:
        raise InvalidArgument(f"--engine {name!r} must be local or an address such as tcp://host:8786.")
    return Dask(address=name)
