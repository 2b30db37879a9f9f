"""The page: facts put into a template, one file without any outside part."""

from __future__ import annotations

import base64
import hashlib
import os
import tempfile
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from kernelect.exceptions import InvalidArgument, KernelectError
from kernelect.report.drawing import draw_picture
from kernelect.report.facts import SCHEMA
from kernelect.report.numbers import seconds_in_words, shown
from kernelect.report.pictures import is_tall

_SECTIONS = (
    ("good", "How good it is"),
    ("matters", "What matters"),
    ("found", "How it was found"),
)


class MissingJinja(KernelectError, ImportError):
    """A page was asked for without jinja2."""


def render(facts: dict[str, Any]) -> str:
    """Return the report as one self-contained HTML page.

    Parameters
    ----------
    facts : dict
        What ``gather_facts`` returned, or the same read from JSON.
    """
    if facts.get("schema") != SCHEMA:
        raise InvalidArgument(
            f"facts of schema {facts.get('schema')!r} cannot be shown: gather them anew, in schema {SCHEMA}."
        )
    script = _part("report.js")
    return str(
        _environment()
        .get_template("report.html.j2")
        .render(
            facts=facts,
            sections=_drawn_sections(facts),
            style=_part("report.css"),
            script=script,
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        )
    )


def write_report(path: Path, facts: dict[str, Any]) -> None:
    """Write the page to ``path``: first beside it, then renamed, so that no half of one is ever seen."""
    path = Path(path)
    if not path.parent.is_dir():
        raise InvalidArgument(f"path={str(path)!r} lies in a folder that is not there: make {path.parent} first.")
    page = render(facts)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="\n") as out:
            out.write(page)
        os.chmod(temporary, 0o666 & ~_umask())  # a temporary file is the owner's alone
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _drawn_sections(facts: dict[str, Any]) -> list[dict[str, Any]]:
    pictures = [
        picture | {"number": number, "svg": draw_picture(picture, f"p{number}"), "tall": is_tall(picture)}
        for number, picture in enumerate(facts["pictures"], start=1)
    ]
    found = [
        {"key": key, "title": title, "pictures": [one for one in pictures if one["section"] == key]}
        for key, title in _SECTIONS
    ]
    return [section for section in found if section["pictures"]]


def _part(name: str) -> str:
    return files("kernelect.report").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _environment() -> Any:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise MissingJinja("The report needs jinja2: install it with pip install 'kernelect[report]'.") from error
    environment = Environment(
        loader=PackageLoader("kernelect.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"shown": shown, "seconds": seconds_in_words}
    return environment
