"""What ``kernelect compare --json`` printed, read again: other methods on the same table, for the report on a model."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from kernelect.exceptions import UnusableTable
from kernelect.facts.names import plain_name
from kernelect.facts.record import ComparisonFacts, DifferenceFacts, PeerFacts, ScoreFacts

#: Bytes beyond which a file is no comparison.
_MOST_BYTES = 10_000_000


def read_comparison(path: str | Path, target: str) -> ComparisonFacts:
    """Return a comparison of methods that predict ``target``, or one sentence why the file cannot be used."""
    name = Path(path).name
    try:
        with Path(path).open("rb") as file:
            text = file.read(_MOST_BYTES + 1)
        found = _comparison(json.loads(text))
    except FileNotFoundError as error:
        raise UnusableTable(f"There is no file {str(path)!r}: check the name, or leave out --compared.") from error
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise UnusableTable(
            f"{name} is not what kernelect compare --json prints: write it with "
            f"kernelect compare TABLE --json > {name}."
        ) from error
    if found["target"] != plain_name(target):
        raise UnusableTable(
            f"{name} compares predictions of {found['target']!r}, and the model predicts {plain_name(target)!r}: "
            "compare methods on the table of the model."
        )
    return found


def _comparison(facts: Any) -> ComparisonFacts:
    """Return the record, rebuilt of what it may hold: the file may come from anywhere."""
    return ComparisonFacts(
        title=_text(facts["title"]),
        target=_text(facts["target"]),
        folds=_text(facts["folds"]),
        score=_text(facts["score"]),
        candidates=[_peer(each) for each in facts["candidates"]],
        remarks=[_text(each) for each in facts["remarks"]],
    )


def _peer(facts: Any) -> PeerFacts:
    return PeerFacts(
        name=_text(facts["name"]),
        scores=[_score(each) for each in facts["scores"] if _is_finite(each["value"])],
        difference=None if facts["difference"] is None else _difference(facts["difference"]),
        seconds=float(facts["seconds"]),
        mark=_text(facts["mark"]),
        remark=_text(facts["remark"]),
    )


def _score(facts: Any) -> ScoreFacts:
    return ScoreFacts(
        name=_text(facts["name"]),
        value=float(facts["value"]),
        standard_error=_maybe(facts["standard_error"]),
        larger_is_better=bool(facts["larger_is_better"]),
        words=_text(facts["words"]),
    )


def _difference(facts: Any) -> DifferenceFacts:
    return DifferenceFacts(
        value=float(facts["value"]), standard_error=_maybe(facts["standard_error"]), words=_text(facts["words"])
    )


def _is_finite(value: Any) -> bool:
    """Return whether a score is a number: JSON has null in the place of an infinite one."""
    return value is not None and math.isfinite(value)


def _maybe(value: Any) -> float | None:
    return float(value) if _is_finite(value) else None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return plain_name(value)
