"""What a study is: a small TOML file read into frozen records.

A definition names data sets, methods and a protocol; ``kernelect study show NAME`` prints one of
those inside the package. An object is written as the table ``{call = "package.Class", option = ...}``
(see :mod:`kernelect.studies.build`), so run only definitions that you trust, as with any script.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from kernelect.exceptions import InvalidArgument, unknown_name
from kernelect.studies.checks import check_study, record_of, tables_in

R = TypeVar("R")

_DEFINITIONS = resources.files("kernelect.studies") / "definitions"


@dataclass(frozen=True, kw_only=True)
class Method:
    """One column of a study.

    ``estimator`` describes what is fitted. ``runner`` (``"module:function"``) is what is done with
    it, by default fit and score. ``needs`` names another method whose results on the same split it
    receives. ``requires`` lists packages without which its cells are skipped. ``packages`` are those of an
    environment of its own, with their versions as pip takes them (see :mod:`kernelect.studies.elsewhere`).
    """

    name: str
    label: str
    estimator: Any = None
    runner: str = "kernelect.studies.scoring:fit_and_score"
    options: Mapping[str, Any] = field(default_factory=dict)
    requires: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    needs: str | None = None
    splits: int | None = None
    published: str | None = None

    @property
    def essence(self) -> tuple[Any, ...]:
        """The parts that decide the results, without words and counts."""
        essence = self.estimator, self.runner, self.options, self.needs
        return (*essence, self.packages) if self.packages else essence


@dataclass(frozen=True, kw_only=True)
class TableSpec:
    """One table: a figure of the cells for some methods, next to the published values."""

    title: str
    metric: str
    methods: tuple[str, ...] = ()
    #: "means"; "smallest" over splits; "worse": how often a row is significantly worse than a column;
    #: "order": methods by their mean rank, a column for each of several metrics separated by commas;
    #: "against": the study's default against every method over all data sets;
    #: "ahead": data sets where another method is smaller than the default on every split
    kind: str = "means"
    spread: str = "standard error"  # or "standard deviation", over splits
    digits: int = 2
    best: str = "smallest"  # or "largest", or "none": which of a row is bold
    published: str | None = None
    over: str | None = None  # a method whose mean divides all figures of a data set
    rows: str = "all"  # or "published": only data sets with a published value have a row; ranks are over all
    targets: str = "all"  # or "labels", or "numbers": the data sets that are counted


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim of the paper about two methods: data sets where it calls the first significantly better or worse."""

    says: str
    first: str
    second: str
    better: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()
    metric: str = "error"  # smaller is better


@dataclass(frozen=True)
class Quick:
    """A version of a study that takes minutes and needs no data folder: few data sets, some methods, few splits."""

    datasets: Mapping[str, Mapping[str, Any]]
    methods: tuple[str, ...]
    splits: int = 3


@dataclass(frozen=True, kw_only=True)
class Study:
    """A whole definition; ``text`` is the TOML it was read from."""

    name: str
    title: str
    text: str
    datasets: Mapping[str, Mapping[str, Any]]
    methods: Mapping[str, Method]
    protocol: Mapping[str, Any]
    reference: str = ""
    notes: str = ""
    splits: int = 20
    task: str = "classification"
    default: str | None = None
    seed: int = 0
    time_limit: float | None = None
    published: Mapping[str, Mapping[str, Mapping[str, tuple[float, ...]]]] = field(default_factory=dict)
    tables: tuple[TableSpec, ...] = ()
    claims: tuple[Claim, ...] = ()
    quick: Quick | None = None

    def shortened(self) -> Study:
        """Return the quick version; it has no published figures, because those belong to other data."""
        if self.quick is None:
            raise InvalidArgument(f"--quick: the study {self.name!r} has no quick version; run it without --quick.")
        kept = {name: replace(self.methods[name], splits=None) for name in self.quick.methods}
        tables = [
            replace(table, methods=tuple(m for m in table.methods if m in kept), published=None)
            for table in self.tables
        ]
        whole = {table.title for table in self.tables if not table.methods}
        return replace(
            self,
            name=f"{self.name}-quick",
            title=f"{self.title} (quick: {len(self.quick.datasets)} data sets, {self.quick.splits} splits)",
            datasets=self.quick.datasets,
            methods=kept,
            splits=self.quick.splits,
            default=self.default if self.default in kept else None,
            published={},
            claims=(),
            tables=tuple(table for table in tables if table.methods or table.title in whole),
        )

    def fingerprint(self, dataset: str, method: str) -> str:
        """Return a hash of what decides a cell's result besides its split; another definition has another hash."""
        parts = self.deciding(dataset), self.methods[method].essence, dict(self.protocol), self.seed
        return sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:8]

    def deciding(self, dataset: str) -> dict[str, Any]:
        """Return the keys of a data set's entry that decide its results; the number of splits does not."""
        return {key: value for key, value in self.datasets[dataset].items() if key != "splits"}

    def chosen(self, kind: str, names: str | None) -> list[str]:
        """Return the names in a comma-separated list, or all names; ``kind`` is ``"datasets"`` or ``"methods"``."""
        known = list(getattr(self, kind))
        if names is None:
            return known
        wanted = [name.strip() for name in names.split(",") if name.strip()]
        for name in wanted:
            if name not in known:
                raise unknown_name(f"--{kind}", name, known)
        return [name for name in known if name in wanted]


def builtin_studies() -> list[str]:
    """Return the names of the definitions inside the package."""
    return sorted(Path(entry.name).stem for entry in _DEFINITIONS.iterdir() if entry.name.endswith(".toml"))


#: First line of the text of a quick version, so that a results file says which version it holds.
_SHORTENED = "shortened = true\n"


def read_study(name: str, *, quick: bool = False) -> Study:
    """Return the definition ``name``: one inside the package, or the path of a TOML file."""
    first = _SHORTENED if quick else ""
    if name in builtin_studies():
        return parse_study(first + (_DEFINITIONS / f"{name}.toml").read_text(encoding="utf-8"), f"{name}.toml")
    path = Path(name)
    if path.suffix != ".toml":
        raise unknown_name("NAME", name, [*builtin_studies(), "the path of a .toml file"])
    folder = str(path.parent.resolve())
    if folder not in sys.path:  # so that runners and estimators beside the file are found, here and in local workers
        sys.path.append(folder)
    try:
        return parse_study(first + path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidArgument(f"The study definition {name} cannot be read ({reason}): check its name.") from error


def parse_study(text: str, origin: str = "the definition") -> Study:
    """Return the study that a TOML text defines."""
    try:
        entries = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidArgument(f"{origin} is not valid TOML: {error}.") from error
    for key in ("name", "datasets", "methods", "protocol"):
        if not entries.get(key):
            raise InvalidArgument(f"{origin} has no {key!r}: a study needs name, datasets, methods and protocol.")
    methods = {
        name: record_of(Method, {"label": name, **entry, "name": name}, f"the method {name!r} of {origin}")
        for name, entry in tables_in(entries.pop("methods"), "methods", origin).items()
    }
    tables = _listed(TableSpec, entries, "tables", origin)
    claims = _listed(Claim, entries, "claims", origin)
    tables_in(entries["datasets"], "datasets", origin)
    entries.setdefault("title", str(entries["name"]))
    if "quick" in entries:
        entries["quick"] = record_of(Quick, entries["quick"], f"quick of {origin}")
    shortened = entries.pop("shortened", False) is True
    study = record_of(Study, {**entries, "text": text, "methods": methods, "tables": tables, "claims": claims}, origin)
    check_study(study, origin)
    return study.shortened() if shortened else study


def _listed(kind: type[R], entries: dict[str, Any], key: str, origin: str) -> tuple[R, ...]:
    """Take the records below [[key]] out of a definition."""
    listed, one = entries.pop(key, []), key.removesuffix("s")
    if not isinstance(listed, list):
        raise InvalidArgument(f"{key} = {listed!r} in {origin} must be a list: write each {one} below [[{key}]].")
    return tuple(record_of(kind, entry, f"a {one} of {origin}") for entry in listed)
