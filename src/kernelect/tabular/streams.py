"""New rows predicted piece by piece: a Parquet file or a text of any length, here or by a cluster's workers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pandas as pd

from kernelect.exceptions import UnusableTable
from kernelect.numerics import over_blocks
from kernelect.tabular.columns import check_name
from kernelect.tabular.drift import drift_of, remarks_on_drift
from kernelect.tabular.predict import match_columns, predict_table
from kernelect.tabular.read import SUFFIXES, Table
from kernelect.tabular.table_model import TableModel
from kernelect.tabular.text import decoded, parse_text, require_rows, separator_of

_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True)
class Wanted:
    """What is predicted of every row, and what is copied from it.

    Attributes
    ----------
    interval : float, optional
    reasons : int, optional
    ids : tuple of str
        Columns that are copied; by default the model's own.
    fill_missing : bool
    """

    interval: float | None = None
    reasons: int | None = None
    ids: tuple[str, ...] = ()
    fill_missing: bool = False


def predict_rows(model: TableModel, table: Table, wanted: Wanted, first: int = 0) -> tuple[pd.DataFrame, list[str]]:
    """Return predictions of a table beside the columns that are copied, and remarks; ``first`` rows came before it."""
    frame, schema = table.frame, model.schema
    for name in wanted.ids:
        check_name(frame, name, "--id")
    X, remarks = match_columns(schema, table, wanted.fill_missing)
    remarks += remarks_on_drift(drift_of(model, X))
    found = predict_table(model, X, wanted.interval, wanted.reasons, first_row=first)
    ids = wanted.ids or tuple(name for name in schema.ids if name in frame.columns)
    carried = frame[list(ids)].rename(columns={name: f"{name} (id)" for name in ids if name in found.columns})
    return pd.concat([carried, found], axis=1), [*table.remarks, *remarks]


@dataclass
class Remarks:
    """Remarks on pieces; the same thing is told only once."""

    sentences: dict[str, str] = field(default_factory=dict)
    pieces: dict[str, int] = field(default_factory=dict)

    def add(self, sentences: Iterable[str]) -> None:
        """Take the remarks on one piece."""
        for sentence in sentences:
            kind = _NUMBERS.sub("#", sentence)
            self.sentences.setdefault(kind, sentence)
            self.pieces[kind] = self.pieces.get(kind, 0) + 1

    def told(self) -> list[str]:
        """Return the first sentence of every kind, with the number of pieces that had more of it."""
        return [
            sentence + (f" Further pieces of the table with such rows: {self.pieces[kind] - 1}." * (count > 1))
            for kind, sentence in self.sentences.items()
            for count in (self.pieces[kind],)
        ]


def predicted_pieces(
    model: TableModel, path: str, wanted: Wanted, *, format: str | None = None, client: Any = None
) -> Iterator[tuple[pd.DataFrame, list[str]]]:
    """Yield predictions and remarks of one piece of a table after the other.

    Parameters
    ----------
    model : TableModel
    path : str
        A Parquet file, or CSV and TSV in UTF-8.
    wanted : Wanted
    format : str, optional
        By default it follows from the name of the file.
    client : distributed Client, optional
        Client whose workers read the Parquet file and predict; by default this process does.
    """
    format = format or SUFFIXES.get(Path(path).suffix.lower(), "csv")
    if format == "parquet":
        from kernelect.tabular.parquet import ClusterPieces, LocalPieces, Pieces

        pieces: Pieces = LocalPieces(path) if client is None else ClusterPieces(path, client)
        yield from pieces.stream(partial(_on_piece, model, wanted, pieces.source))
    elif client is None and format in ("csv", "tsv"):
        blocks = text_blocks(path, "\t" if format == "tsv" else None)
        yield from over_blocks(lambda block: predict_rows(model, block[0], wanted, block[1]), blocks)
    else:
        way_out = "save the table as Parquet" + (" or CSV" * (client is None))
        raise UnusableTable(
            f"{Path(path).name} is not read piece by piece ({format}): {way_out}, or leave --engine out."
        )


def _on_piece(
    model: TableModel, wanted: Wanted, source: str, number: int, frame: pd.DataFrame
) -> tuple[pd.DataFrame, list[str]]:
    """Return the same of a piece of a Parquet file."""
    if not len(frame):
        return pd.DataFrame(), []
    name = source if number == 0 else f"{source}, piece {number + 1}"
    return predict_rows(model, Table(frame, name), wanted)


def text_blocks(path: str, separator: str | None = None, rows: int | None = None) -> Iterator[tuple[Table, int]]:
    """Yield a text file of rows as tables of so many lines, each with the number of rows before it.

    Lines that are parts of one quoted cell stay together.
    """
    from kernelect.tabular.parquet import BATCH_ROWS

    name, done = Path(path).name, 0
    try:
        with open(path, "rb") as file:
            lines = iter(file)
            header = list(islice(lines, 1))
            separator = separator or separator_of(decoded(b"".join(header), name)[0])
            for block in _whole_rows(lines, rows or BATCH_ROWS):
                source = name if not done else f"{name} (lines counted from row {done + 1})"
                text, remarks = decoded(b"".join(chain(header, block)), source)
                frame, decimal = parse_text(text, source, separator)
                if not len(frame.columns) or not len(frame):
                    continue
                frame = frame.set_axis([str(one).strip() for one in frame.columns], axis=1)
                yield Table(frame, source, tuple(remarks), decimal=decimal), done
                done += len(frame)
    except OSError as error:
        raise UnusableTable(f"{path!r} cannot be read ({error.strerror}): check the name and the folder.") from error
    require_rows(done, name)


def _whole_rows(lines: Iterable[bytes], rows: int) -> Iterator[Sequence[bytes]]:
    """Yield lists of lines, at least so many, that end outside of quotes."""
    block: list[bytes] = []
    inside = False
    for line in lines:
        block.append(line)
        inside ^= bool(line.count(b'"') % 2)
        if len(block) >= rows and not inside:
            yield block
            block = []
    if block:
        yield block
