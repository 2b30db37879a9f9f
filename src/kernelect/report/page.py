"""The page: facts put into a template, one file without any outside part."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from kernelect.exceptions import InvalidArgument
from kernelect.extras import load_extra
from kernelect.facts.doubts import all_clear
from kernelect.facts.numbers import duration, figure_parts
from kernelect.facts.quality import main_score
from kernelect.facts.record import SCHEMA, Facts
from kernelect.files import write_whole
from kernelect.report.drawing import draw_picture, is_tall
from kernelect.report.listing import tables_of

_SECTIONS = (
    ("good", "How good it is"),
    ("matters", "What matters"),
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
    script, main = _part("report.js"), main_score(facts["quality"])
    return str(
        _environment()
        .get_template("report.html.j2")
        .render(
            facts=facts,
            main=main,
            figure=None if main is None else figure_parts(main["words"]),
            tables=tables_of(facts),
            sections=_drawn_sections(facts),
            style=_part("report.css"),
            script=script,
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        )
    )


def write_report(path: str | Path, facts: Facts) -> None:
    """Write the page to ``path``, whole or not at all; a page that is there is replaced."""
    write_whole(Path(path), render(facts).encode("utf-8", "replace"), force=True)


def _drawn_sections(facts: Facts) -> list[dict[str, Any]]:
    pictures: list[dict[str, Any]] = [
        {**picture, "number": number, "svg": draw_picture(picture, f"p{number}"), "tall": is_tall(picture)}
        for number, picture in enumerate(facts["pictures"], start=1)
    ]
    found = [
        {"key": key, "title": title, "pictures": [one for one in pictures if one["section"] == key]}
        for key, title in _SECTIONS
    ]
    return [section for section in found if section["pictures"]]


def _unbroken(words: str) -> str:
    """Return words in which no line ends between a figure, its error and its unit."""
    return words.replace("± ", "±\N{NO-BREAK SPACE}").replace(" %", "\N{NO-BREAK SPACE}%")


def _part(name: str) -> str:
    return files("kernelect.report").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _environment() -> Any:
    jinja2 = load_extra("jinja2", caller="The report", extra="report")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("kernelect.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"duration": duration, "all_clear": all_clear, "unbroken": _unbroken}
    return environment
