"""Names from a table as they may be shown: on one line, printable, not too long."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

_WIDTH = re.compile(r"^(?P<part>part\d+\.)?gamma\[(?P<input>\d+)\]$")


def plain_name(name: object) -> str:
    """Return a name without line breaks, control characters and lone surrogates."""
    words = " ".join(str(name).split())
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in words)


def short_name(name: object, most: int = 26) -> str:
    """Return a name cut to ``most`` letters, its end kept because columns often differ there only."""
    words = plain_name(name)
    if len(words) <= most:
        return words
    tail = most // 3
    return f"{words[: most - tail - 1]}…{words[-tail:]}"


def told_apart(names: Sequence[str]) -> list[str]:
    """Return names with a number behind those that stand twice: axes must not merge them."""
    seen: dict[str, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return out


def parameter_kind(name: str) -> str:
    """Return what a hyper-parameter is: the width of one input, or else its name without the kernel's part."""
    return "width" if _WIDTH.match(name) else name.split(".")[-1]


def parameter_name(name: str, inputs: Sequence[str]) -> str:
    """Return a hyper-parameter's name with its input's name in the place of the number."""
    found = _WIDTH.match(name)
    if found is None or int(found["input"]) >= len(inputs):
        return name
    return f"{found['part'] or ''}gamma of {inputs[int(found['input'])]}"


def selection_words(selection: Any) -> str:
    """Return what was minimised: the criterion, and its prior where it has one."""
    return selection.criterion if selection.prior == "none" else f"{selection.criterion} with {selection.prior} prior"
