"""Names from a table as they may be shown: on one line, printable, not too long."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

#: Things of one kind that a sentence names.
NAMED_AT_MOST = 3

_WIDTH = re.compile(r"(?P<part>\bpart\d+\.)?\bgamma\[(?P<input>\d+)\]")

#: Mark of a candidate whose search a time limit ended.
OUT_OF_TIME = "out of time"


def plain_name(name: object) -> str:
    """Return a name without line breaks, control characters and lone surrogates."""
    words = " ".join(str(name).split())
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in words)


def short_name(name: object, most: int = 26) -> str:
    """Return a name cut to ``most`` letters; its end is kept, because columns often differ only there."""
    words = plain_name(name)
    if len(words) <= most:
        return words
    tail = most // 3
    return f"{words[: most - tail - 1]}…{words[-tail:]}"


def with_others(names: Sequence[str]) -> str:
    """Return the first few names as a sentence lists them, and how many more there are.

    >>> with_others(["a", "b", "c", "d"])
    'a, b, c and 1 more'
    """
    more = len(names) - NAMED_AT_MOST
    return ", ".join(names[:NAMED_AT_MOST]) + (f" and {more} more" if more > 0 else "")


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(repr(name) for name in names[:most]) + more


def told_apart(names: Sequence[str]) -> list[str]:
    """Return names with a number behind those that occur twice: axes must not merge them."""
    seen: dict[str, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return out


def parameter_kind(name: str) -> str:
    """Return what a hyper-parameter is: the width of one input, or else its name without the kernel's part."""
    return "width" if _WIDTH.fullmatch(name) else name.split(".")[-1]


def with_input_names(words: str, inputs: Sequence[str]) -> str:
    """Return a hyper-parameter's name, or a sentence with several, where inputs have names and not numbers."""

    def spelled(found: re.Match[str]) -> str:
        place = int(found["input"])
        return f"{found['part'] or ''}gamma of {inputs[place]}" if place < len(inputs) else found[0]

    return _WIDTH.sub(spelled, words)


def in_options(words: str) -> str:
    """Return a message with options of the command line in the place of arguments, and without inner time limits.

    The time limit of one fit is a part of what the user gave: its seconds mean nothing to readers.

    >>> in_options("time_limit=0.114 left no time for 2 of 8 candidates: give more time, or effort='fast'")
    'The time limit was too short for 2 of the 8 models to be mixed: give more --time-limit, or --effort fast'
    >>> in_options("stopped at the time limit (time_limit) with the best point so far")
    'stopped at the time limit with the best point so far'
    """
    words = words.replace(" (time_limit)", "")
    words = re.sub(r"\btime_limit(=[\w.+-]+)?", "the time limit", words)
    words = re.sub(r"\beffort='(\w+)'", r"--effort \1", words)
    words = re.sub(r"\b(\d+) of (\d+) candidates\b", r"\1 of the \2 models to be mixed", words)
    words = words.replace("left no time for", "was too short for").replace("give more time", "give more --time-limit")
    return words[:1].upper() + words[1:] if words.startswith("the time limit") else words


def selection_words(selection: Any) -> str:
    """Return what was minimised: the criterion, and its prior if it has one."""
    prior = "" if selection.prior == "none" else f" with {selection.prior} prior"
    return f"{selection.criterion}{prior}"
