"""The results of a study: one SQLite file, one row per cell, committed as each cell ends.

Only the client writes, in write-ahead mode. A study killed at any moment therefore loses only the
cells that were running, and a second reader never blocks it.
"""

from __future__ import annotations

import json
import math
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from importlib import resources
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

from kernelect.exceptions import InvalidArgument, KernelectError, reason_of
from kernelect.studies.cells import DONE, FAILED, TIMED_OUT, Key, Outcome
from kernelect.studies.definition import Study, parse_study

SCHEMA = 1

_TABLES = (resources.files("kernelect.studies") / "results.sql").read_text(encoding="utf-8")
_OURS = {"study", "environments", "cells"}

#: What a query of cells yields, and as what.
_TYPES: dict[str, Any] = {
    **{"dataset": str, "method": str, "split": int, "state": str, "message": str, "figures": str},
    **{"seconds": int | float, "seed": int, "ended": int | float, "facts": str},
}

#: Seconds to wait for another run, or for one that has just ended.
_PATIENCE = 30.0


class ResultsError(KernelectError, OSError):
    """The results file cannot be read or written."""


class Results:
    """A results file, opened for writing by :meth:`create` or for reading by :meth:`open`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    def create(cls, path: Path, study: Study) -> Self:
        """Open ``path`` for writing: a new file, or one that a study of the same name created."""
        if path.is_dir():
            raise ResultsError(f"{path} is a folder: name a file, such as {path / 'results.sqlite'}.")
        if path.exists() and not path.is_file():
            raise ResultsError(f"{path} is a device or a pipe: name a regular file, such as results.sqlite.")
        if not path.parent.is_dir():
            raise ResultsError(f"The folder {path.parent} for the results does not exist: make it first.")
        with _clear_errors(path):
            results = cls(path, sqlite3.connect(path, timeout=_PATIENCE))
            try:
                results._begin(study)
                results._adopt(study)
            except BaseException:
                results._connection.close()
                raise
        return results

    def _begin(self, study: Study) -> None:
        """Make the tables that are not there yet."""
        connection = self._connection
        tables = _tables(connection)
        if tables and not tables <= _OURS:
            raise ResultsError(f"{self.path} is a database of something else, and is left alone: give another --out.")
        _patiently(lambda: connection.execute("PRAGMA journal_mode=WAL"))
        connection.execute("PRAGMA synchronous=FULL")
        _patiently(lambda: connection.executescript(_TABLES))
        with connection:
            row = (SCHEMA, study.name, study.text, time.time())
            # One statement, so that of two runs that begin at the same time one is the first.
            connection.execute("INSERT INTO study SELECT ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM study)", row)

    def _adopt(self, study: Study) -> None:
        """Go on with ``study``, whose definition may have grown, but not changed under cells that are there."""
        old = self.study
        if old.text == study.text:
            return
        changed = f"{self.path} holds the study {old.name!r}"
        if old.name != study.name:
            raise ResultsError(f"{changed}, and {study.name!r} was asked for: give another --out.")
        keys = self.keys(failures=True)
        for kind, names in (("methods", {key.method for key in keys}), ("datasets", {key.dataset for key in keys})):
            for name in sorted(names):
                if _essence(old, kind, name) != _essence(study, kind, name):
                    raise ResultsError(f"{changed} with another definition of {name!r}: give another --out.")
        if keys and (old.protocol, old.seed) != (study.protocol, study.seed):
            raise ResultsError(f"{changed} with another protocol or seed: give another --out.")
        with _clear_errors(self.path), self._connection as connection:
            connection.execute("UPDATE study SET definition = ?", (study.text,))

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open an existing file for reading."""
        if not path.is_file():
            raise ResultsError(f"There is no results file {path}: kernelect study run NAME --out {path} makes one.")
        with _clear_errors(path):
            connection, tables = _opened(path)
        if not tables >= _OURS:
            connection.close()
            raise ResultsError(
                f"{path} holds the tables {sorted(tables)}, not those of kernelect study: give the file that kernelect "
                "study run wrote."
            )
        results = cls(path, connection)
        try:
            results.study  # noqa: B018 (a file of another version says so here, not halfway)
        except InvalidArgument as error:
            connection.close()
            raise ResultsError(f"The results file {path} holds a definition that cannot be read: {error}") from error
        return results

    @property
    def study(self) -> Study:
        """The definition with which the file was created."""
        with _clear_errors(self.path):
            row = self._connection.execute("SELECT definition FROM study").fetchone()
        if row is None or not isinstance(row[0], str):
            raise ResultsError(f"The results file {self.path} holds no definition: run its study again.")
        return parse_study(row[0], str(self.path))

    def write(self, *outcomes: Outcome) -> None:
        """Store some cells, all or none of them; they are on disk when this returns."""
        with _clear_errors(self.path), self._connection as connection:
            for outcome in outcomes:
                facts = json.dumps(outcome.environment, sort_keys=True)
                connection.execute("INSERT OR IGNORE INTO environments (facts) VALUES (?)", (facts,))
                (number,) = connection.execute("SELECT id FROM environments WHERE facts = ?", (facts,)).fetchone()
                figures, ended = json.dumps(outcome.figures), outcome.ended or time.time()
                tail = (outcome.state, outcome.message, figures, outcome.seconds, outcome.seed, ended, number)
                connection.execute("INSERT OR REPLACE INTO cells VALUES (?,?,?,?,?,?,?,?,?,?)", (*outcome.key, *tail))

    def keys(self, *, failures: bool) -> set[Key]:
        """Return the cells that need not run again, with or without failures."""
        query = "SELECT dataset, method, split FROM cells" + ("" if failures else f" WHERE state = '{DONE}'")
        with _clear_errors(self.path):
            return {Key(*row) for row in self._connection.execute(query)}

    def failed(self, keys: Iterable[Key]) -> set[Key]:
        """Return the given cells that ended without a result."""
        return set(keys) & (self.keys(failures=True) - self.keys(failures=False))

    def cells(self) -> Iterator[Outcome]:
        """Yield all cells in the order of data sets, methods and splits."""
        query = (
            "SELECT dataset, method, split, state, message, figures, seconds, seed, ended, facts "
            "FROM cells JOIN environments ON id = environment ORDER BY dataset, method, split"
        )
        with _clear_errors(self.path), closing(self._connection.execute(query)) as rows:
            for row in rows:
                self._check_types(row)
                *key, state, message, figures, seconds, seed, ended, facts = row
                yield Outcome(
                    key=Key(*key),
                    state=state,
                    message=message,
                    figures=self._parsed(figures),
                    seconds=seconds,
                    seed=seed,
                    environment=self._parsed(facts),
                    ended=ended,
                )

    def _check_types(self, row: tuple[Any, ...]) -> None:
        """Raise if a column holds another type: SQLite stores what it is given, whatever was declared."""
        for (name, kind), value in zip(_TYPES.items(), row, strict=True):
            if not isinstance(value, kind) or (isinstance(value, float) and not math.isfinite(value)):
                raise self._unreadable(f"{name} is {_short(value)}")
        if row[3] not in (DONE, FAILED, TIMED_OUT):
            raise self._unreadable(f"state is {_short(row[3])}, not {DONE}, {FAILED} or {TIMED_OUT}")

    def _parsed(self, text: str) -> dict[str, Any]:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self._unreadable(reason_of(error)) from error
        if not isinstance(found, dict):
            raise self._unreadable(f"{_short(text)} is no table of figures")
        return found

    def _unreadable(self, why: str) -> ResultsError:
        return ResultsError(
            f"The results file {self.path} holds a cell that cannot be read ({why}): run its study into another --out."
        )

    def close(self) -> None:
        """Merge the write-ahead log into the file and close it, so that it can be read from read-only places."""
        with suppress(sqlite3.Error):  # of a file opened for reading, or one that others have open too
            self._connection.execute("PRAGMA busy_timeout=0")
            self._connection.execute("PRAGMA journal_mode=DELETE")
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _opened(path: Path) -> tuple[sqlite3.Connection, set[str]]:
    """Return a file opened for reading and the names of its tables.

    A file whose folder cannot be written has no room for SQLite's log; it is read as it stands, unless a
    log that a run left behind holds cells that are not in the file yet.
    """
    address = f"file:{quote(path.resolve().as_posix())}?mode=ro"
    try:
        return _with_tables(address)
    except sqlite3.OperationalError:
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise
        return _with_tables(address + "&immutable=1")


def _with_tables(address: str) -> tuple[sqlite3.Connection, set[str]]:
    connection = sqlite3.connect(address, uri=True, timeout=_PATIENCE)
    try:
        return connection, _tables(connection)
    except sqlite3.Error:
        connection.close()
        raise


def _tables(connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _patiently(action: Callable[[], object]) -> None:
    """Do what needs the file alone, trying again while others have it: SQLite itself waits for less."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            action()
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _essence(study: Study, kind: str, name: str) -> object:
    """Return what of a method's or data set's definition decides its results; None if it is not there."""
    if name not in getattr(study, kind):
        return None
    return study.methods[name].essence if kind == "methods" else study.deciding(name)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


@contextmanager
def _clear_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's words into a sentence about the file."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorname", "").removeprefix("SQLITE_")
        if code.startswith(("READONLY", "CANTOPEN", "PERM")):
            way_out = "the file or its folder cannot be written; check its permissions or give another --out"
        elif code.startswith(("FULL", "IOERR")):
            way_out = "the disk is full or failing; free some space and run the same command again to resume"
        elif code.startswith(("BUSY", "LOCKED")):
            way_out = "another run is writing it; wait for that one to end"
        elif code in ("NOTADB", "CORRUPT", "ERROR") or not code:
            way_out = "it is not a results file of kernelect study; give another --out"
        else:
            way_out = "all cells written before are intact; run the same command again to resume"
        raise ResultsError(f"The results file {path} failed ({error}): {way_out}.") from error
