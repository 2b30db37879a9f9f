"""What a user chose about a table, and the same as a command, as a command line and as lines of Python."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from kernelect.app.guard import Refused
from kernelect.facts.stakes import METRICS
from kernelect.mixture import EFFORTS
from kernelect.tabular.counts import COUNT
from kernelect.tabular.usable import TASKS

#: What the page calls the part of a column -> the option of ``kernelect fit``, and the argument of ``describe_table``.
ROLES = {
    "number": ("--number", "number"),
    "category": ("--categorical", "categorical"),
    "date": ("--date", "date"),
    "use": ("--keep", "keep"),
    "leave out": ("--drop", "drop"),
    "names rows": ("--id", "ids"),
    "group": ("--group", "group"),
    "time": ("--time", "time"),
    "event": ("--event", "event"),
    "weight": ("--weight", "weight"),
}

#: Roles that one column can have.
_SINGLE = ("group", "time", "event", "weight")

#: Texts.
_TEXTS = ("sheet", "target", "task", "ordered", "effort", "metric", "class_weight")

#: Lists of texts, and an example of each.
_LISTS = {"costs": "yes:no=5", "missing_codes": "age=99", "dates": "admitted=%d.%m.%Y"}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What ``kernelect fit`` is told; None and empty leave it to the command.

    Attributes
    ----------
    table : str, optional
        File in the folder of the project; a project may hold a model alone.
    sheet, target, task, effort, metric, class_weight : str, optional
    time_limit : float, optional
    ordered : str, optional
        The classes from the lowest to the highest, as ``--ordered`` takes them.
    costs, missing_codes, dates : tuple of str
        As ``--cost``, ``--missing-code`` and ``--date`` take them.
    roles : dict
        Column -> role, for columns whose role is not the one found. Dates are kept even if they are a trend.
    """

    table: str | None = None
    sheet: str | None = None
    target: str | None = None
    task: str | None = None
    effort: str | None = None
    metric: str | None = None
    class_weight: str | None = None
    time_limit: float | None = None
    ordered: str | None = None
    costs: tuple[str, ...] = ()
    missing_codes: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    roles: dict[str, str] = field(default_factory=dict)

    def declared(self) -> dict[str, Any]:
        """Return what :func:`kernelect.tabular.describe_table` is told about columns."""
        said = {"task": self.task, "ordered": self.ordered, "missing_codes": list(self.missing_codes)}
        out: dict[str, Any] = {name: value for name, value in said.items() if value}
        for role, name in self._parts():
            argument = ROLES[role][1]
            if role in _SINGLE:
                out[argument] = name
            else:
                out.setdefault(argument, []).append(name)
        return out

    def at_stake(self) -> dict[str, Any]:
        """Return what :func:`kernelect.tabular.stakes.with_stakes` is told."""
        return {"metric": self.metric, "costs": self.costs, "class_weight": self.class_weight}

    def _parts(self) -> list[tuple[str, str]]:
        """Return roles and columns as options take them: dates with their form, and kept."""
        formed = {text.partition("=")[0] for text in self.dates}
        given = [(role, name) for name, role in self.roles.items() if role != "date" or name not in formed]
        kept = [("use", name) for name, role in self.roles.items() if role == "date"]
        return [*given, *(("date", text) for text in self.dates), *kept]

    def command(self, name: str = "fit") -> list[str]:
        """Return the words of ``kernelect fit`` or ``compare``, run in the folder of the project."""
        if self.table is None or self.target is None:
            raise Refused(422, "Choose the column to predict first.")
        words = [name, self.table, f"--target={self.target}"]
        single = {"--sheet": self.sheet, "--task": self.task, "--ordered": self.ordered}
        single |= {"--effort": self.effort, "--metric": self.metric, "--class-weight": self.class_weight}
        words += [f"{option}={value}" for option, value in single.items() if value is not None]
        words += [] if self.time_limit is None else [f"--time-limit={self.time_limit:g}"]
        words += [f"--cost={cost}" for cost in self.costs]
        words += [f"--missing-code={code}" for code in self.missing_codes]
        return words + [f"{ROLES[role][0]}={name}" for role, name in self._parts()]


def settings_from(given: Mapping[str, Any], table: str | None) -> Settings:
    """Return what a page sent or a file holds, checked; a page cannot choose the file of the table."""
    known = {one.name for one in fields(Settings)} - {"table"}
    unknown = next((name for name in given if name not in known), None)
    if unknown is not None:
        raise Refused(422, f"There is no setting {unknown!r}: use {', '.join(sorted(known))}.")
    texts: dict[str, Any] = {name: _text(given, name) for name in _TEXTS}
    lists: dict[str, Any] = {name: _texts(given, name, example) for name, example in _LISTS.items()}
    metrics = [name for names in METRICS.values() for name in names]
    allowed_ones = {"task": [*TASKS, COUNT], "effort": [*EFFORTS], "metric": metrics, "class_weight": ["balanced"]}
    for name, allowed in allowed_ones.items():
        if texts[name] not in (None, *allowed):
            raise Refused(422, f"{name} is {texts[name]!r}: choose one of {', '.join(allowed)}.")
    limit, roles = given.get("time_limit"), given.get("roles") or {}
    if limit is not None and not (isinstance(limit, int | float) and 0 < limit < float("inf")):
        raise Refused(422, f"time_limit is {limit!r}: give a number of seconds above 0, such as 60.")
    if not isinstance(roles, dict) or not all(role in ROLES for role in roles.values()):
        raise Refused(422, f"A role is none of {', '.join(ROLES)}: choose one of them.")
    for role in _SINGLE:
        named = [name for name, its in roles.items() if its == role]
        if len(named) > 1:
            raise Refused(422, f"One column can be the {role}, and there are {len(named)}: change one of {named!r}.")
    return Settings(table=table, time_limit=limit, roles=dict(roles), **texts, **lists)


def _text(given: Mapping[str, Any], name: str) -> str | None:
    value = given.get(name) or None
    if not isinstance(value, str | None):
        raise Refused(422, f"{name} is {value!r}: give a text.")
    return value


def _texts(given: Mapping[str, Any], name: str, example: str) -> tuple[str, ...]:
    values = given.get(name) or []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise Refused(422, f"{name} is {values!r}: give a list such as [{example!r}].")
    return tuple(values)


def command_line(words: list[str]) -> str:
    """Return a command as one would type it."""
    return shlex.join(["kernelect", *words])


def repeated(settings: Settings) -> str:
    """Return the command lines that fit the same model and predict new rows."""
    predict = ["predict", "model.kernelect", "new.csv", "--out=predictions.csv"]
    return f"{command_line(settings.command())}\n{command_line(predict)}\n"


def python_lines(settings: Settings) -> str:
    """Return a program that fits the same model and predicts new rows."""
    named = "".join(f", {name}={value!r}" for name, value in settings.declared().items())
    machine = "" if settings.effort is None else f"effort={settings.effort!r}"
    machine += "" if settings.time_limit is None else f"{', ' if machine else ''}time_limit={settings.time_limit!r}"
    sheet = "" if settings.sheet is None else f", sheet={settings.sheet!r}"
    at_stake = ", ".join(f"{name}={value!r}" for name, value in settings.at_stake().items() if value)
    at_stake = f"schema = with_stakes(schema, rows, {at_stake})\n" if at_stake else ""
    return (
        "from kernelect.tabular import FoldOptions, MachineOptions, Wanted, describe_table, fit_table\n"
        "from kernelect.tabular import predict_rows, read_table\n"
        + ("from kernelect.tabular.stakes import with_stakes\n" if at_stake else "")
        + f"\ntable = read_table({settings.table!r}, target={settings.target!r}{sheet})\n"
        f"how = dict(decimal=table.decimal, words=table.words{named})\n"
        f"schema, rows, remarks = describe_table(table.frame, {settings.target!r}, **how)\n"
        f"{at_stake}"
        "folds, _ = FoldOptions(5).possible(rows, schema)\n"
        f"model = fit_table(rows, schema, MachineOptions({machine}), folds, title=table.source)\n"
        "\nnew = read_table('new.csv', spelled=schema.spelled)\n"
        "predictions, remarks = predict_rows(model, new, Wanted())\n"
        "predictions.to_csv('predictions.csv', index=False)\n"
    )
