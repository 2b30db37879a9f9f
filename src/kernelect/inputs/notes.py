"""Notes about decisions on columns; columns with the same note share one sentence.

A note is a clause whose subject is a column, with its verbs in braces (``"{is} constant and {was} left out"``), and
a detail of that one column (``"12 cells"``), which may be empty.
"""

from __future__ import annotations

from collections.abc import Iterable

Note = tuple[str, str]

_SINGULAR = {"is": "is", "was": "was", "has": "has", "holds": "holds", "looks": "looks", "it": "it", "its": "its"}
_PLURAL = {"is": "are", "was": "were", "has": "have", "holds": "hold", "looks": "look", "it": "them", "its": "their"}

#: Columns that a sentence names.
_MOST_NAMES = 6


def sentences(notes: Iterable[tuple[str, Note]]) -> list[str]:
    """Return one sentence per clause, from pairs of column name and note.

    >>> sentences([("a", ("{is} constant", "")), ("b", ("{is} constant", ""))])
    ["2 columns are constant: 'a', 'b'."]
    """
    groups: dict[str, list[tuple[str, str]]] = {}
    for name, (clause, detail) in notes:
        groups.setdefault(clause, []).append((name, detail))
    return [_sentence(clause, named) for clause, named in groups.items()]


def _sentence(clause: str, named: list[tuple[str, str]]) -> str:
    if len(named) == 1:
        ((name, detail),) = named
        return f"Column {name!r} {_inflected(clause, _SINGULAR)}{f' ({detail})' if detail else ''}."
    shown = [f"{name!r} ({detail})" if detail else repr(name) for name, detail in named[:_MOST_NAMES]]
    more = f" and {len(named) - len(shown)} more" if len(named) > len(shown) else ""
    return f"{len(named)} columns {_inflected(clause, _PLURAL)}: {', '.join(shown)}{more}."


def _inflected(clause: str, forms: dict[str, str]) -> str:
    for word, form in forms.items():  # not str.format: a cell of the table may hold braces
        clause = clause.replace("{" + word + "}", form)
    return clause
