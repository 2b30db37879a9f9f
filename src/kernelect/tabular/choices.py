"""What a user declares about the columns of a table: in options, or in the file that an earlier fit wrote."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from kernelect.exceptions import InvalidArgument
from kernelect.inputs import Wishes
from kernelect.inputs.dates import check_form, find_form
from kernelect.inputs.frame import cells_of
from kernelect.inputs.readings import PLAIN, Reading, as_text
from kernelect.tabular.columns import check_name
from kernelect.tabular.columns_file import Known
from kernelect.tabular.target_cells import TargetWishes

#: The option that gives a column its kind.
_OPTIONS = {"category": "--categorical", "number": "--number", "date": "--date"}


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What the target and the columns are declared as.

    Attributes
    ----------
    task : "classification", "regression" or "count", optional
        By default it follows from the target's values.
    drop, keep, ids : sequences of str
        Columns not to use; to use even if they look like row numbers or names; that name the rows.
    weight : str, optional
        Column with the weight of each row.
    group : str, optional
        Column whose values tell which rows belong together, such as a patient's; no input unless in ``keep``. By
        default a column that names subjects, unless ``time`` is given.
    find_group : bool
        Whether such a column is looked for.
    time : str, optional
        Column of dates or numbers that tells when a row was observed; no input unless in ``keep``.
    categorical, number : sequences of str
        All texts of a categorical target are classes; a target of numbers has no codes for missing cells.
    date : sequence of str
        A column, or a column and the form of its dates (``"admitted=%d.%m.%Y"``).
    missing_codes : sequence of str
        A code for all columns (``"-999"``), or a column and its code (``"age=99"``).
    known : Known, optional
        How an earlier table was read; everything else takes precedence.
    decimal : "." or ",", optional
        Decimal sign for columns that leave it open; by default it follows from the other columns.
    event : str, optional
        Column that tells whether the target is the time of an event, or the last time without one.
    ordered : str, optional
        The classes of the target from the lowest to the highest, such as ``"mild<moderate<severe"``.
    words : tuple of str
        Words of the target that may be a class or stand for missing cells (:class:`kernelect.tabular.Table`).
    """

    task: str | None = None

    drop: Sequence[str] = ()
    keep: Sequence[str] = ()
    ids: Sequence[str] = ()
    weight: str | None = None
    group: str | None = None
    find_group: bool = True
    time: str | None = None
    categorical: Sequence[str] = ()
    number: Sequence[str] = ()
    date: Sequence[str] = ()
    missing_codes: Sequence[str] = ()
    known: Known | None = None
    decimal: str | None = None
    event: str | None = None
    ordered: str | None = None
    words: tuple[str, ...] = ()

    def left_out(self, frame: pd.DataFrame) -> list[str]:
        """Return the columns that are no inputs because the user asks for it."""
        kept = names_of(frame, self.keep, "--keep")
        own = {option: names_of(frame, named, option) for option, named in (("--drop", self.drop), ("--id", self.ids))}
        for option, named in own.items():
            twice = next((name for name in named if name in kept), None)
            if twice is not None:
                raise InvalidArgument(f"{option} {twice!r} leaves out the column that --keep keeps: choose one.")
        said = {*kept, *self._kinds(frame)}
        before = [] if self.known is None else [name for name in self.known.unused if name not in said]
        return [name for name in dict.fromkeys([*own["--drop"], *own["--id"], *before]) if name in frame.columns]

    def kind_of(self, frame: pd.DataFrame, name: str) -> str | None:
        """Return what the options say that a column is."""
        return self._kinds(frame).get(name)

    def on_target(self, frame: pd.DataFrame, target: str) -> TargetWishes:
        """Return what the user declares about the target."""
        before = () if self.known is None or self.known.target != target else self.known.target_codes
        codes = tuple(dict.fromkeys((*self.wishes(frame, [target]).codes(target), *before)))
        kind = self.kind_of(frame, target)
        judge = self.known is None or self.known.target != target
        return TargetWishes(decimal=self.decimal, kind=kind, codes=codes, words=self.words, judge=judge)

    def check_target(self, frame: pd.DataFrame, target: str, values: pd.Series) -> None:
        """Make sure that some of the target's cells could be read as what the options say they are."""
        kind, cells = self.kind_of(frame, target), frame[target].dropna()
        if kind == "number" and len(cells) and values.isna().all():
            raise _unlike(kind, cells)

    def on_times(self, frame: pd.DataFrame, time: str) -> Wishes:
        """Return what the user declares about the column that holds when rows were observed."""
        wishes = self.wishes(frame, [time])
        before = "" if self.known is None or self.known.time != time else self.known.time_format
        if not before or wishes.kinds.get(time):
            return wishes
        return replace(wishes, kinds={time: "date"}, readings={time: replace(PLAIN, date_format=before)})

    def check_parts(self, frame: pd.DataFrame, target: str) -> None:
        """Make sure that a column which is no input is given no kind that it cannot have."""
        parts = {"weight": self.weight, "group": self.group, "time": self.time, "event": self.event}
        what = {name: f"--{part} names it" for part, name in parts.items() if name is not None}
        what = {name: words for name, words in what.items() if name not in names_of(frame, self.keep, "--keep")}
        what.update(dict.fromkeys(names_of(frame, self.ids, "--id"), "--id names it"))
        what.update(dict.fromkeys(names_of(frame, self.drop, "--drop"), "--drop leaves it out"))
        what[target] = "it is the column to predict"
        possible = {parts.get("time"): ("number", "date"), target: ("category", "number")}
        for name, kind in self._kinds(frame).items():
            if name in what and kind not in possible.get(name, ()):
                raise InvalidArgument(
                    f"{_OPTIONS[kind]} {name!r} is for inputs, but this column is not one: {what[name]}. Leave out one "
                    "of the two options."
                )

    def check_kinds(self, frame: pd.DataFrame, empty: Collection[str]) -> None:
        """Make sure that cells can be read as what the options say; ``empty`` are the columns of which none was."""
        forms = self._forms(frame)
        for name, kind in self._kinds(frame).items():
            cells = frame[name].dropna()
            lost = kind != "category" and name in empty
            if len(cells) and (lost or (kind == "date" and name not in forms and _are_plain_numbers(cells))):
                raise _unlike(kind, cells)

    def wishes(self, frame: pd.DataFrame, inputs: Sequence[str]) -> Wishes:
        """Return what the user declares about the inputs."""
        codes = self._codes(frame)
        columns = {} if self.known is None else {column.name: column for column in self.known.columns}
        kinds = {**{name: column.kind for name, column in columns.items()}, **self._kinds(frame)}
        readings = {name: column.reading for name, column in columns.items()}
        readings.update(self._forms(frame))
        return Wishes(
            kinds={name: kind for name, kind in kinds.items() if name in inputs},
            readings={name: _with_codes(reading, codes, name) for name, reading in readings.items() if name in inputs},
            missing_codes=codes,
            kept=frozenset((*names_of(frame, self.keep, "--keep"), *columns)),
            decimal=self.decimal,
        )

    def _kinds(self, frame: pd.DataFrame) -> dict[str, str]:
        """Return column -> kind; a column that is given two kinds is an error."""
        dates = [_split(frame, text)[0] for text in self.date]
        given = [("category", "--categorical", self.categorical), ("number", "--number", self.number)]
        kinds: dict[str, str] = {}
        for kind, option, named in [*given, ("date", "--date", dates)]:
            for name in names_of(frame, named, option):
                if kinds.setdefault(name, kind) != kind:
                    raise InvalidArgument(f"{option} {name}: the column is also given as {kinds[name]}: choose one.")
        return kinds

    def _forms(self, frame: pd.DataFrame) -> dict[str, Reading]:
        pairs = [_split(frame, text) for text in self.date]
        return {name: replace(PLAIN, date_format=check_form(form)) for name, form in pairs if form}

    def _codes(self, frame: pd.DataFrame) -> dict[str, tuple[str, ...]]:
        codes: dict[str, tuple[str, ...]] = {}
        for text in self.missing_codes:
            name, code = _split(frame, text) if "=" in text else ("", text)
            if name:
                check_name(frame, name, "--missing-code")
            codes[name] = (*codes.get(name, ()), code.strip())
        return codes


def _are_plain_numbers(cells: pd.Series) -> bool:
    """Return whether cells are numbers that no form of dates fits, as 20241231 fits one."""
    return pd.api.types.is_numeric_dtype(cells) and find_form(list(as_text(cells_of(cells)[0])), 0.0) is None


def _unlike(kind: str, cells: pd.Series) -> InvalidArgument:
    form = f", or give their form (--date '{cells.name}=%d.%m.%Y')" if kind == "date" else ""
    return InvalidArgument(
        f"--{kind} {str(cells.name)!r}: none of its cells is a {kind}, the first one is {str(cells.iloc[0])!r}: leave "
        f"the option out{form}."
    )


def _with_codes(reading: Reading, codes: dict[str, tuple[str, ...]], name: str) -> Reading:
    both = dict.fromkeys((*reading.missing_codes, *codes.get("", ()), *codes.get(name, ())))
    return replace(reading, missing_codes=tuple(both))


def _split(frame: pd.DataFrame, text: str) -> tuple[str, str]:
    """Return a column and what stands behind the sign of equality; a column's own name may hold one."""
    if text in frame.columns or "=" not in text:
        return text, ""
    name, _, rest = text.partition("=")
    return name, rest


def names_of(frame: pd.DataFrame, given: Sequence[str], option: str) -> list[str]:
    """Return the columns that an option names, each by itself or several with commas between them."""
    found: list[str] = []
    for text in given:
        parts = [part.strip() for part in text.split(",")]
        listed = text not in frame.columns and any(part in frame.columns for part in parts)
        found += [check_name(frame, name, option) for name in (parts if listed else [text])]
    return found


def check_roles(frame: pd.DataFrame, target: str, roles: Mapping[str, Sequence[str]]) -> None:
    """Make sure that the columns with a part of their own (option -> names) are there, and are not the target."""
    for option, named in roles.items():
        if target in names_of(frame, named, option):
            raise InvalidArgument(f"{option} {target!r} is the column to predict: name another column.")
