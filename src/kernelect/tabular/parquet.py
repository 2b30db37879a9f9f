"""A Parquet file that is read piece by piece: here, or by the workers of a Dask cluster.

Here a piece is a batch of rows, so that a file with one large row group is no larger in memory than one with many;
on a cluster it is a row group, which one worker reads.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from kernelect.estimators import computed, computed_sum, sent_once
from kernelect.exceptions import UnusableTable, reason_of
from kernelect.extras import load_extra
from kernelect.numerics import BRANCHES, over_blocks, tree_sum
from kernelect.selection.landmarks import BLOCK_ROWS, RowPart, RowParts
from kernelect.tabular.text import require_different_names, require_rows
from kernelect.typing import Indices

Result = TypeVar("Result")

#: Rows of a batch: a branch of the tree in which blocks are added, so that sums are those of rows in memory.
BATCH_ROWS = BRANCHES * BLOCK_ROWS

#: Row groups whose results are brought here at a time.
_AHEAD = 32

#: Work on a piece: its number and its rows come in.
Work = Callable[[int, pd.DataFrame], Result]

#: From a piece to inputs, targets and weights.
Code = Callable[[pd.DataFrame], tuple[Any, Any, Any]]


class Pieces(ABC):
    """The rows of a Parquet file, piece by piece.

    Parameters
    ----------
    path : str
    """

    def __init__(self, path: str) -> None:
        self.path = path
        with opened_parquet(path) as file:
            self.n_rows, self.n_groups = file.metadata.num_rows, file.metadata.num_row_groups
            self.groups: list[int] = list(range(self.n_groups))  # the row group of every piece
        self.names = parquet_columns(path)
        require_different_names(self.names, self.source)
        require_rows(self.n_rows, self.source)

    @property
    def source(self) -> str:
        """Name of the file without its folder."""
        return Path(self.path).name

    @abstractmethod
    def each(self, work: Work[Result], columns: Sequence[str] | None = None) -> list[Result]:
        """Return ``work(number, rows)`` of every piece, in their order; of some columns only if they are named."""

    @abstractmethod
    def stream(self, work: Work[Result]) -> Iterator[Result]:
        """Yield the same, a few pieces at a time: results of all pieces need not fit into memory."""

    @abstractmethod
    def sum(self, work: Work[Any]) -> Any:
        """Return the sum of ``work(number, rows)`` over all pieces; None is nothing."""

    def taken(self, keep: Callable[[pd.DataFrame], Any], counts: Sequence[int], numbers: Indices) -> pd.DataFrame:
        """Return rows by their sorted numbers; only rows that ``keep`` marks count, so many in every piece."""
        firsts = np.concatenate([[0], np.cumsum(counts)])
        found = self.each(partial(_taken, keep, firsts, numbers))
        return pd.concat([frame for frame in found if len(frame)] or found[:1], ignore_index=True)


class LocalPieces(Pieces):
    """Batches that this process reads, several of them worked on at the same time."""

    def each(self, work: Work[Result], columns: Sequence[str] | None = None) -> list[Result]:
        return list(self._over(work, columns))

    def stream(self, work: Work[Result]) -> Iterator[Result]:
        return self._over(work, None)

    def sum(self, work: Work[Any]) -> Any:
        return tree_sum(self._over(work, None))

    def _over(self, work: Work[Result], columns: Sequence[str] | None) -> Iterator[Result]:
        return over_blocks(lambda piece: work(piece[0], arrow_frame(piece[1])), self._batches(columns))

    def _batches(self, columns: Sequence[str] | None) -> Iterator[tuple[int, Any]]:
        number, self.groups = 0, []
        with opened_parquet(self.path) as file:
            for group in range(self.n_groups):
                for batch in file.iter_batches(BATCH_ROWS, row_groups=[group], columns=columns, use_threads=False):
                    self.groups.append(group)
                    yield number, batch
                    number += 1


class ClusterPieces(Pieces):
    """Row groups that the workers of a Dask cluster read: the file has to be where they find it.

    Parameters
    ----------
    path : str
    client : distributed Client
    """

    def __init__(self, path: str, client: Any) -> None:
        super().__init__(path)
        self.client = client

    def each(self, work: Work[Result], columns: Sequence[str] | None = None) -> list[Result]:
        with self.client.as_current():
            return computed(*self._tasks(work, columns))

    def stream(self, work: Work[Result]) -> Iterator[Result]:
        with self.client.as_current():
            tasks = iter(self._tasks(work, None))
            while few := list(islice(tasks, _AHEAD)):
                yield from computed(*few)

    def sum(self, work: Work[Any]) -> Any:
        with self.client.as_current():
            return computed_sum(self._tasks(work, None))

    def _tasks(self, work: Work[Any], columns: Sequence[str] | None) -> list[Any]:
        shared, call = sent_once(work), sent_once(_on_group)
        path = str(Path(self.path).resolve())
        return [call(shared, path, group, None if columns is None else list(columns)) for group in self.groups]


def _on_group(work: Work[Result], path: str, group: int, columns: list[str] | None) -> Result:
    with opened_parquet(path) as file:
        return work(group, arrow_frame(file.read_row_group(group, columns=columns, use_threads=False)))


def opened_parquet(path: str) -> Any:
    """Return an open Parquet file, or say why it cannot be read."""
    parquet = load_extra("pyarrow.parquet", caller=f"{Path(path).name} is a Parquet file and", extra="parquet")
    try:
        return parquet.ParquetFile(path)
    except FileNotFoundError as error:
        raise UnusableTable(f"There is no file {path!r}: check the name and the folder.") from error
    except Exception as error:  # a damaged file fails in pyarrow with errors of many types
        reason = reason_of(error)
        raise UnusableTable(
            f"{Path(path).name} cannot be read as a Parquet file ({reason}): --engine reads Parquet only, so write the "
            "table as Parquet, or leave --engine out."
        ) from error


def parquet_columns(path: str) -> list[str]:
    """Return the names of the columns of a Parquet file."""
    with opened_parquet(path) as file:
        return [str(name).strip() for name in file.schema_arrow.names]


def arrow_frame(rows: Any) -> pd.DataFrame:
    """Return rows of pyarrow as a frame with names that are text."""
    frame = rows.to_pandas()
    return frame.set_axis([str(name).strip() for name in frame.columns], axis=1).reset_index(drop=True)


def _taken(
    keep: Callable[[pd.DataFrame], Any], firsts: Indices, numbers: Indices, number: int, frame: pd.DataFrame
) -> pd.DataFrame:
    """Return the rows of a piece with given numbers."""
    begin, end = np.searchsorted(numbers, firsts[number : number + 2])
    return frame.iloc[np.flatnonzero(keep(frame))[numbers[begin:end] - firsts[number]]].reset_index(drop=True)


class CodedParts(RowParts):
    """Pieces as a machine takes them.

    Parameters
    ----------
    pieces : Pieces
    code : callable
        From a frame to inputs, targets and weights.
    template : ndarray of shape (0, d)
    """

    word = "row group"

    def __init__(self, pieces: Pieces, code: Code, template: Any) -> None:
        self.pieces, self.code, self.template = pieces, code, template

    def each(self, function: Callable[[RowPart], Result]) -> list[Result]:
        return self.pieces.each(partial(_coded, self.code, function))

    def sum(self, function: Callable[[RowPart], Any]) -> Any:
        return self.pieces.sum(partial(_coded, self.code, function))

    def name(self, number: int) -> str:
        return f"{self.word} {self.pieces.groups[number]}"


def _coded(code: Code, function: Callable[[RowPart], Result], number: int, frame: pd.DataFrame) -> Result:
    """Return a function of a part, as work on a piece."""
    X, y, weights = code(frame)
    return function(RowPart(number=number, X=X, y=y, weights=weights))
