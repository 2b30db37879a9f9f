"""The kinds of cases, by the word that counts them on the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fuzz import arrays, commands, files, fits, frames, kills
from fuzz.tables import TableCase


@dataclass(frozen=True)
class Kind:
    """A strategy, what judges its cases, and the class of the cases."""

    cases: Callable[[], Any]
    judge: Callable[[Any], str]
    case: type


KINDS: dict[str, Kind] = {
    "fits": Kind(fits.cases, fits.judge, arrays.FitCase),
    "frames": Kind(frames.cases, frames.judge, frames.FrameCase),
    "files": Kind(files.file_cases, files.judge_file, files.FileCase),
    "models": Kind(files.model_cases, files.judge_model, files.ModelCase),
    "commands": Kind(commands.cases, commands.judge, commands.CommandCase),
    "kills": Kind(kills.cases, kills.judge, kills.KillCase),
}


def case_of(kind: str, fields: dict[str, Any]) -> Any:
    """Return a case from its JSON, where tuples have become lists."""
    return KINDS[kind].case(**{name: _tuples(value) for name, value in fields.items()})


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return TableCase(**{name: _tuples(entry) for name, entry in value.items()})
    return tuple(_tuples(entry) for entry in value) if isinstance(value, list) else value
