"""A frame becomes a file: CSV, or the form that the name of the file asks for."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from kernelect.exceptions import InvalidArgument
from kernelect.extras import load_extra
from kernelect.spreadsheets import csv_of_frame, harmless_frame

#: Endings of names that promise a file which is not written.
_NOT_WRITTEN = (".gz", ".bz2", ".xz", ".zip", ".xls", ".ods", ".json", ".jsonl", ".html", ".svm", ".svmlight")

#: Rows of a sheet of Excel, and characters that its cells cannot hold.
_MOST_ROWS = 2**20
_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def writer_for(path: Path) -> Callable[[pd.DataFrame], bytes]:
    """Return what makes the bytes of a file of this name from a frame, or say in a sentence why there is none.

    Names that end in .parquet, .feather and .xlsx get such files, .tsv gets tabs, and all others are CSV.
    """
    suffix = path.suffix.lower()
    if suffix in _NOT_WRITTEN:
        raise InvalidArgument(
            f"--out {str(path)!r}: tables are written as .csv, .tsv, .parquet, .feather or .xlsx, not as {suffix}: "
            "choose one of these endings."
        )
    found, package, extra = _BINARY.get(suffix, (None, "", ""))
    if found is None:
        return _tabs if suffix in (".tsv", ".tab") else lambda frame: csv_of_frame(frame).encode()
    load_extra(package, caller=f"Writing {str(path)!r}", extra=extra)
    return found


def _tabs(frame: pd.DataFrame) -> bytes:
    return csv_of_frame(frame, separator="\t").encode()


def _parquet(frame: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.to_parquet(out, index=False)
    return out.getvalue()


def _feather(frame: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.to_feather(out)
    return out.getvalue()


def _excel(frame: pd.DataFrame) -> bytes:
    if len(frame) >= _MOST_ROWS:
        raise InvalidArgument(
            f"A sheet of Excel holds {_MOST_ROWS} rows, and there are {len(frame) + 1} with that of the names: write "
            ".csv or .parquet."
        )
    # A text that begins with = would be a formula of the sheet, whatever its type in the frame.
    safe, out = harmless_frame(frame).rename(columns=_spelled), io.BytesIO()
    texts = safe.select_dtypes(exclude=["number", "bool"])
    safe = safe.assign(**{name: texts[name].map(_spelled, na_action="ignore") for name in texts.columns})
    safe.to_excel(out, index=False, engine="openpyxl")
    return out.getvalue()


def _spelled(cell: Any) -> Any:
    """Return a text with the control characters spelled out that no sheet may hold."""
    return _ILLEGAL.sub(lambda match: repr(match.group())[1:-1], cell) if isinstance(cell, str) else cell


_BINARY: dict[str, tuple[Callable[[pd.DataFrame], bytes], str, str]] = {
    ".parquet": (_parquet, "pyarrow", "parquet"),
    ".pq": (_parquet, "pyarrow", "parquet"),
    ".feather": (_feather, "pyarrow", "parquet"),
    ".arrow": (_feather, "pyarrow", "parquet"),
    ".xlsx": (_excel, "openpyxl", "excel"),
}
