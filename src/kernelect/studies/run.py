"""Runs a study from definition to results: each missing cell runs and is stored as it ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from kernelect.datasets import DataSet, load_dataset, load_public
from kernelect.exceptions import InvalidArgument
from kernelect.studies.build import build, named
from kernelect.studies.cells import Key, Outcome, Task
from kernelect.studies.definition import Method, Study
from kernelect.studies.elsewhere import is_made, make_environment
from kernelect.studies.engines import Engine, Local
from kernelect.studies.splits import make_problem
from kernelect.studies.store import Results


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Which parts of a study to run."""

    study: Study
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    splits: int | None = None
    folder: Path | None = None
    time_limit: float | None = None
    threads: int = 1

    def cells(self) -> list[Key]:
        """Return all cells split by split, so that a stopped study is balanced; cells that others need come first."""
        methods = [self.study.methods[name] for name in self._with_needed()]
        most = max((self._splits_of(method, name) for method in methods for name in self.datasets), default=0)
        keys = [
            Key(dataset, method.name, split)
            for split in range(most)
            for dataset in self.datasets
            for method in methods
            if split < self._splits_of(method, dataset)
        ]
        return sorted(keys, key=lambda key: self.study.methods[key.method].needs is not None)

    def _with_needed(self) -> list[str]:
        needed = {self.study.methods[name].needs for name in self.methods}
        return [name for name in self.study.methods if name in self.methods or name in needed]

    def _splits_of(self, method: Method, dataset: str) -> int:
        """Return what was asked for, or is defined; no more than the data set is to have."""
        wanted = self.splits or method.splits or self.study.splits
        return min(wanted, int(self.study.datasets[dataset].get("splits", wanted)))

    @property
    def limit(self) -> float | None:
        """Return the seconds a cell may take."""
        return self.time_limit or self.study.time_limit

    def protocol(self, dataset: str) -> dict[str, Any]:
        """Return how the rows of a data set are split."""
        return {**self.study.protocol, **self.study.datasets[dataset]}

    def load(self, dataset: str) -> DataSet:
        """Return the table behind a data set of the study, which may have another name."""
        entry = self.study.datasets[dataset]
        if self.protocol(dataset).get("kind") == "draws":
            return DataSet(name=dataset, X=np.zeros((0, 0)), y=np.zeros(0), source="generator")
        if self.protocol(dataset).get("source") == "public":
            return _public(str(entry.get("table", dataset)), dataset)
        found = load_dataset(str(entry.get("table", dataset)), self.folder, openml=entry.get("openml"))
        return replace(found, name=dataset)

    def skipped(self) -> dict[str, str]:
        """Return the methods that cannot run here, each with a sentence with the reason."""
        missing = {
            name: [package for package in self.study.methods[name].requires if find_spec(package) is None]
            for name in self.methods
        }
        skipped = {
            name: f"{name} is skipped: it needs {', '.join(packages)}, not installed here"
            for name, packages in missing.items()
            if packages
        }
        apart = {
            name: f"{name} is skipped: it runs in an environment of its own, which --install makes"
            for name in self.methods
            if (packages := self.study.methods[name].packages) and not is_made(packages)
        }
        return skipped | apart

    def install(self) -> None:
        """Make the environments that the methods need and that are not there."""
        for packages in dict.fromkeys(self.study.methods[name].packages for name in self.methods):
            if packages:
                make_environment(packages)


@dataclass(kw_only=True)
class Progress:
    """How far a run has come, for a progress display."""

    total: int
    already: int
    width: int = 1
    ended: int = 0
    failures: int = 0
    seconds: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    waiting: dict[tuple[str, str], int] = field(default_factory=dict)

    @property
    def left(self) -> int:
        """Number of cells not run, because a cell they need failed or the run is still going."""
        return self.total - self.already - self.ended

    def note(self, outcome: Outcome) -> None:
        """Count one more cell."""
        pair = outcome.key.dataset, outcome.key.method
        self.ended += 1
        self.failures += bool(outcome.message)
        self.seconds[pair].append(outcome.seconds)
        self.waiting[pair] -= 1

    @property
    def seconds_left(self) -> float | None:
        """Expected time left: a cell costs as much as similar cells did, or the mean if there are none."""
        known = {pair: float(np.mean(values)) for pair, values in self.seconds.items()}
        if not known:
            return None
        usual = float(np.mean(list(known.values())))
        return sum(count * known.get(pair, usual) for pair, count in self.waiting.items()) / self.width


Observer = Callable[[Outcome, Progress], None]


def run_study(
    plan: Plan,
    results: Results,
    engine: Engine | None = None,
    *,
    retry_failed: bool = False,
    observe: Observer | None = None,
) -> Progress:
    """Run the cells that ``results`` does not hold yet, and store each as it ends."""
    engine = engine or Local()
    known, skipped = results.keys(failures=not retry_failed), plan.skipped()
    keys = [key for key in plan.cells() if key.method not in skipped]
    missing = [key for key in keys if key not in known]
    progress = Progress(total=len(keys), already=len(keys) - len(missing), width=engine.width)
    for key in missing:
        pair = key.dataset, key.method
        progress.waiting[pair] = progress.waiting.get(pair, 0) + 1
    for wave in _waves(plan.study, missing):
        for outcome in engine.run(_tasks(plan, results, wave)):
            results.write(outcome)
            progress.note(outcome)
            if observe is not None:
                observe(outcome, progress)
    return progress


def _waves(study: Study, keys: list[Key]) -> Iterator[list[Key]]:
    """Cells that others need come first, all of them."""
    for dependent in (False, True):
        wave = [key for key in keys if (study.methods[key.method].needs is not None) == dependent]
        if wave:
            yield wave


def _tasks(plan: Plan, results: Results, keys: Iterable[Key]) -> Iterator[Task]:
    """Yield tasks one by one: data sets are loaded, and problems made, when their turn comes."""
    study = plan.study

    @lru_cache(maxsize=8)
    def data(name: str) -> DataSet:
        return plan.load(name)

    found = {cell.key: cell.figures for cell in results.cells() if cell.done}
    for key in keys:
        method = study.methods[key.method]
        needed: Any = None
        if method.needs is not None:
            needed = found.get(Key(key.dataset, method.needs, key.split))
            if needed is None:
                continue  # what it needs has failed, and is shown as such
        problem = make_problem(data(key.dataset), plan.protocol(key.dataset), key.split, study.seed)
        yield Task(
            key=key,
            method=method,
            problem=problem,
            needed=needed,
            seed=seed_of(key, study.seed),
            time_limit=plan.limit,
            threads=plan.threads,
        )


def seed_of(key: Key, seed: int) -> int:
    """Return the seed of a cell, which is the same for all methods of a split, wherever and whenever it runs."""
    return crc32(f"{seed}/{key.dataset}/{key.split}".encode()) % 2**31


def _public(table: str, name: str) -> DataSet:
    """Return a public table as it is: a DataFrame, with the group and the time of every row if it has them."""
    data = load_public(table)
    stored = {key: column for key in ("groups", "time") if (column := getattr(data, key)) is not None}
    return DataSet(name=name, X=data.X, y=data.y, source="public", stored=stored)


def check_plan(plan: Plan) -> None:
    """Check for missing or misspelt data sets, splits and methods before hours of work."""
    if not plan.datasets or not plan.methods:
        raise InvalidArgument("Nothing is left to run: name at least one data set and one method.")
    skipped = plan.skipped()
    for name in plan.methods:
        if name not in skipped:
            named(plan.study.methods[name].runner)
            build(plan.study.methods[name].estimator)
    keys = plan.cells()
    for name in plan.datasets:
        data, splits = plan.load(name), [key.split for key in keys if key.dataset == name]
        for split in {min(splits), max(splits)}:
            _check_split(plan, data, split)


def _check_split(plan: Plan, data: DataSet, split: int) -> None:
    try:
        problem = make_problem(data, plan.protocol(data.name), split, plan.study.seed)
    except (ValueError, TypeError, ArithmeticError, KeyError, IndexError, AttributeError) as error:
        if isinstance(error, InvalidArgument):
            raise
        raise InvalidArgument(
            f"Split {split} of {data.name} ({len(data.X)} rows) cannot be made ({type(error).__name__}: {error}): "
            "check the protocol of the definition."
        ) from error
    if not len(problem.y) or not len(problem.y_test):
        raise InvalidArgument(f"Split {split} of {data.name} leaves no rows for training or test: check its protocol.")
