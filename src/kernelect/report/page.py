"""The page: facts put into a template, one file without any outside part."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Callable
from contextvars import ContextVar
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from kernelect.exceptions import InvalidArgument
from kernelect.extras import load_extra
from kernelect.facts.doubts import what_was_checked
from kernelect.facts.numbers import alike, duration, figure_parts, fixed, percent, trimmed
from kernelect.facts.page_record import REASONS, ControlFacts, PictureFacts, ReasonFacts, WhatIfFacts
from kernelect.facts.quality import main_score
from kernelect.facts.record import SCHEMA, Facts
from kernelect.files import write_whole
from kernelect.numerics import watched_deadline
from kernelect.report.drawing import draw_picture, is_tall
from kernelect.report.listing import tables_of
from kernelect.report.terms import explained, unbroken

#: Pictures that are drawn whatever the time: how good it is and what matters, in a second together.
_ALWAYS = 6

_NOT_ALL = "There was no time for all pictures. To get them, call: kernelect report MODEL TABLE"

#: What facts go through before they are on a page: the pages of ``kernelect app`` have other names for options.
WORDS: ContextVar[Callable[[Any], Any]] = ContextVar("WORDS", default=lambda facts: facts)

_SECTIONS = (
    ("good", "How good it is"),
    ("matters", "What matters"),
    ("rows", "Single rows, explained"),
    ("found", "How it was found"),
)


def render(facts: Facts) -> str:
    """Return the report as one self-contained HTML page.

    Parameters
    ----------
    facts : dict
        What :func:`kernelect.facts.gather` returned, or the same read from JSON.
    """
    if facts.get("schema") != SCHEMA:
        raise InvalidArgument(
            f"facts of schema {facts.get('schema')!r} cannot be shown by this version, which knows schema {SCHEMA}: "
            "gather them again."
        )
    main = main_score(facts["quality"])
    scripts, pictures = _scripts(facts), _drawn(facts["pictures"])
    if len(pictures) < len(facts["pictures"]) or not facts.get("complete", True):
        facts = {**facts, "remarks": [*facts["remarks"], _NOT_ALL]}
    facts = WORDS.get()(facts)
    what_if = facts.get("what_if")
    return str(
        templates()
        .get_template("report.html.j2")
        .render(
            facts={name: part for name, part in facts.items() if name != "what_if"},
            main=main,
            what_if=what_if,
            threshold=facts.get("threshold"),
            what_if_record=_record(what_if),
            figure=None if main is None else figure_parts(main["words"]),
            tables=tables_of(facts),
            sections=_sections(pictures),
            style=part("report.css"),
            scripts=scripts,
            script_hashes=" ".join(f"'sha256-{_hash(script)}'" for script in scripts),
        )
    )


def _scripts(facts: Facts) -> list[str]:
    """Return the scripts of the page: copy buttons, the threshold, the model, and what makes its controls work."""
    what_if = facts.get("what_if")
    own = [part("report.js"), *([part("threshold.js")] if facts.get("threshold") else [])]
    if what_if is None or not what_if["script"]:
        return own
    # The model's constant is seen by the script behind it. No part of it may end the element that holds it.
    return [*own, what_if["script"].replace("</", "<\\/"), part("what_if.js")]


def _record(what_if: WhatIfFacts | None) -> dict[str, Any]:
    """Return what the controls' script reads."""
    if what_if is None or what_if["start"] is None:
        return {}
    kept = {
        name: what_if[name]
        for name in ("controls", "rows", "players", "band", "survival", "years", "explained", "own", "signed")
    }
    return {**kept, "shown": what_if["start"]["classes"]}


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def write_report(path: str | Path, facts: Facts, force: bool = True) -> None:
    """Write the page to ``path``, whole or not at all; with ``force`` an existing page is replaced."""
    write_whole(Path(path), render(facts).encode("utf-8", "replace"), force)


def _drawn(pictures: list[PictureFacts]) -> list[dict[str, Any]]:
    """Return the pictures with their drawings: the first few, and as many others as there is time for."""
    found: list[dict[str, Any]] = []
    deadline, takes, began = watched_deadline(), 0.0, time.monotonic()
    for number, picture in enumerate(pictures, start=1):
        if number > _ALWAYS and deadline.left() < takes:
            break
        svg = draw_picture(picture, f"p{number}")
        found.append({**picture, "number": number, "svg": svg, "tall": is_tall(picture)})
        takes = (time.monotonic() - began) / number
    return found


def _sections(pictures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = [
        {"key": key, "title": title, "pictures": [one for one in pictures if one["section"] == key]}
        for key, title in _SECTIONS
    ]
    return [section for section in found if section["pictures"]]


def _names(facts: Facts | None) -> set[str]:
    """Return the names of a page's columns, which are no terms."""
    return {one["name"].lower() for one in facts["columns"]} if facts else set()


def _end(control: ControlFacts, which: Literal["low", "high"]) -> str:
    """Return an end of a control's range in words."""
    if control["kind"] == "date":
        return str(date(1970, 1, 1) + timedelta(days=control[which]))
    return trimmed(control[which], years=control["years"])


def _between(ends: list[float], *, years: bool) -> str:
    lower, upper = (trimmed(end + 0.0, 4, years=years) for end in ends)  # no -0
    return f"{lower} to {upper}"


def _effects(reasons: list[ReasonFacts]) -> list[dict[str, Any]]:
    """Return reasons with their effects in words, and with bars whose lengths are shares of the largest one."""
    words = alike((one["effect"] for one in reasons), sign=True)
    largest = max((abs(one["effect"]) for one in reasons[:REASONS]), default=1.0)
    return [
        {**one, "words": said, "share": min(1.0, abs(one["effect"]) / largest)}
        for one, said in zip(reasons, words, strict=True)
    ]


def part(name: str) -> str:
    """Return a piece of the pages, such as their style."""
    return files("kernelect.report").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def templates() -> Any:
    """Return what fills templates, with the filters that they use."""
    jinja2 = load_extra("jinja2", caller="The report", extra="report")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("kernelect.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    markup = jinja2.utils.markupsafe.Markup
    environment.filters |= {
        "duration": duration,
        "what_was_checked": what_was_checked,
        "unbroken": lambda text: markup(unbroken(str(text))),
        "explained": jinja2.pass_context(lambda page, text: markup(explained(str(text), _names(page.get("facts"))))),
        "end": _end,
        "between": _between,
        "effects": _effects,
        "percent": percent,
        "trimmed": trimmed,
        "clear_ones": lambda columns: [one for one in columns if one["rise"] > 2.0 * one["standard_error"]],
        "grouped": lambda count: fixed(count, 0),
    }
    return environment
