"""Checks of a definition as it is read: every key is known, every value has the right type and range."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from kernelect.exceptions import InvalidArgument, unknown_name
from kernelect.tabular.typed import fits, hints_of, in_words

if TYPE_CHECKING:
    from kernelect.studies.definition import Claim, Method, Quick, Study, TableSpec

R = TypeVar("R")

#: Seeds go to scikit-learn, which takes no larger ones.
MOST_SEED = 2**32 - 1

#: Letters of a name: it becomes part of a file's name, on any system.
_MOST_LETTERS = 100

_CHOICES = {
    "kind": ("means", "smallest", "worse", "order", "against", "ahead"),
    "spread": ("standard error", "standard deviation"),
    "best": ("smallest", "largest", "none"),
    "rows": ("all", "published"),
    "targets": ("all", "labels", "numbers"),
}

#: Keys of a protocol, or of a data set's own entry -> their type.
_PROTOCOL: dict[str, Any] = {
    "kind": str,
    "splits": int,
    "rows": int,
    "most_rows": int,
    "test_rows": int,
    "fraction": float,
    "folds": int,
    "stratified": bool,
    "scale": str,
    "standardize_target": bool,
    "generator": str,
    "columns": int,
    "groups": tuple[str, ...],
    "per_group": int,
    "table": str,
    "source": str,
    "openml": Mapping[str, Any],
}


def tables_in(entry: Any, key: str, origin: str) -> Mapping[str, Mapping[str, Any]]:
    """Return ``entry`` after checking that it is a table of tables whose names can be part of a file name."""
    if not isinstance(entry, Mapping):
        raise InvalidArgument(f"{key} = {entry!r} in {origin} must be a table: write [{key}.NAME] above each entry.")
    for name, part in entry.items():
        check_file_name(name, f"a name in {key} of {origin}")
        if not isinstance(part, Mapping):
            raise InvalidArgument(f"{key}.{name} = {part!r} in {origin} must be a table, such as {{}}.")
    return entry


def check_file_name(name: str, place: str) -> None:
    """Raise if a name cannot be part of a file name."""
    if not name or len(name) > _MOST_LETTERS or not name.isprintable() or set(name) & set("/\\:") or name[0] == ".":
        raise InvalidArgument(
            f"{name[:_MOST_LETTERS]!r}, {place}, must have 1 to {_MOST_LETTERS} letters without / \\ : and no dot in "
            "front, since files are named by it."
        )


def record_of(kind: type[R], entries: Any, origin: str) -> R:
    """Return a table of a definition as a record; lists become tuples."""
    if not isinstance(entries, Mapping):
        raise InvalidArgument(f"{entries!r}, {origin}, must be a table: write its keys below [[...]].")
    hints = hints_of(kind)
    _check_known(f"the key in {origin}", entries, hints)
    values = {key: _with_tuples(value, hints[key]) for key, value in entries.items()}
    for key, value in values.items():
        if not fits(value, hints[key]):
            raise InvalidArgument(f"{key} = {entries[key]!r} in {origin} must be {in_words(hints[key])}.")
    try:
        return kind(**values)
    except TypeError as error:  # a key without default is absent
        raise InvalidArgument(f"{origin} is not complete ({error}): give the missing keys.") from error


def _with_tuples(value: Any, hint: Any) -> Any:
    """Return lists as tuples, inside tables only if numbers are expected: estimators are left as written."""
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, Mapping) and "tuple" in str(hint):
        return {key: _with_tuples(each, hint) for key, each in value.items()}
    return value


def check_study(study: Study, origin: str) -> None:
    """Raise if parts of a definition do not fit together."""
    check_file_name(study.name, f"the name of {origin}")
    _check_range("seed", study.seed, 0, MOST_SEED, origin)
    _check_counts(study, origin)
    check_protocol(study.protocol, f"the protocol of {origin}")
    for name, entry in study.datasets.items():
        check_protocol(entry, f"the data set {name!r} of {origin}")
    for method in study.methods.values():
        _check_counts(method, f"the method {method.name!r} of {origin}")
        _check_needs(study, method, origin)
    for table in study.tables:
        _check_table(study, table, origin)
    for claim in study.claims:
        _check_claim(study, claim, origin)
    if study.quick is not None:
        _check_quick(study, study.quick, origin)
    _check_known(f"default of {origin}", filter(None, [study.default]), study.methods)


def check_protocol(protocol: Mapping[str, Any], place: str) -> None:
    """Raise if a key of a protocol has a value of the wrong type, or a count below 1."""
    for key, hint in _PROTOCOL.items():
        value = protocol.get(key)
        if value is None:
            continue
        if not fits(tuple(value) if isinstance(value, list) else value, hint):
            raise InvalidArgument(f"{key} = {value!r} in {place} must be {in_words(hint)}.")
        if hint is int:
            _check_range(key, value, 1, 10**9, place)
    if "fraction" in protocol and not 0.0 < protocol["fraction"] < 1.0:
        raise InvalidArgument(f"fraction = {protocol['fraction']!r} in {place} must lie between 0 and 1.")


def _check_quick(study: Study, quick: Quick, origin: str) -> None:
    place = f"quick of {origin}"
    _check_counts(quick, place)
    for name, entry in quick.datasets.items():
        check_protocol(entry, f"the data set {name!r} of {place}")
    _check_known(f"methods of {place}", quick.methods, study.methods)
    for name in quick.methods:
        needed = study.methods[name].needs
        if needed is not None and needed not in quick.methods:
            raise InvalidArgument(f"methods of {place} hold {name!r}, which needs {needed!r}: add it.")


def _check_counts(part: Study | Method | Quick, place: str) -> None:
    if part.splits is not None:
        _check_range("splits", part.splits, 1, 10**6, place)
    limit = getattr(part, "time_limit", None)
    if limit is not None and not 0.0 < limit < float("inf"):
        raise InvalidArgument(f"time_limit = {limit!r} in {place} must be a positive number of seconds.")


def _check_range(key: str, value: int, least: int, most: int, place: str) -> None:
    if not least <= value <= most:
        raise InvalidArgument(f"{key} = {value!r} in {place} must be a whole number from {least} to {most}.")


def _check_needs(study: Study, method: Method, origin: str) -> None:
    if method.needs is None:
        return
    _check_known(f"needs of the method {method.name!r} of {origin}", [method.needs], study.methods)
    if study.methods[method.needs].needs is not None:
        raise InvalidArgument(
            f"{origin}: {method.name!r} needs {method.needs!r}, which itself needs another: name a method that needs "
            "nothing."
        )


def _check_table(study: Study, table: TableSpec, origin: str) -> None:
    place = f"the table {table.title!r} of {origin}"
    for key, choices in _CHOICES.items():
        _check_known(f"{key} of {place}", [getattr(table, key)], choices)
    _check_range("digits", table.digits, 0, 12, place)
    _check_known(f"methods of {place}", table.methods, study.methods)


def _check_claim(study: Study, claim: Claim, origin: str) -> None:
    place = f"the claim {claim.says!r} of {origin}"
    _check_known(f"a method of {place}", (claim.first, claim.second), study.methods)
    _check_known(f"a data set of {place}", (*claim.better, *claim.worse), study.datasets)


def _check_known(what: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise unknown_name(what, name, list(known))
