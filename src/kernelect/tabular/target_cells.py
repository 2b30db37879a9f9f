"""The cells of a target as they are written: numbers in texts, codes and words for targets that are missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from kernelect.facts.numbers import counted
from kernelect.inputs import Wishes, as_frame, describe
from kernelect.inputs.notes import sentences
from kernelect.inputs.numerals import stands_for_nothing
from kernelect.inputs.readings import Reading, folded, usual_spellings
from kernelect.inputs.roles import LIMITS, Role
from kernelect.tabular.columns import column_values

#: Different numbers up to which a target may be classes, and no number is put down as a code.
FEW_NUMBERS = 10

#: Spellings of classes that a remark lists.
_MOST_SPELLINGS = 5


@dataclass(frozen=True, kw_only=True)
class TargetWishes:
    """What the user declares about a target before its cells are looked at.

    Attributes
    ----------
    decimal : "." or ",", optional
        Decimal sign, if the cells leave it open.
    kind : "category" or "number", optional
        What the user says that it is.
    codes : tuple of str
        Cells that count as missing.
    words : tuple of str
        Words such as None and NA, which may be a class or stand for missing cells.
    judge : bool
        Whether numbers far from all others may count as missing too.
    merge : bool
        Whether labels that differ in capitals and spaces only are one class.
    """

    decimal: str | None = None
    kind: str | None = None
    codes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    judge: bool = True
    merge: bool = True


@dataclass(frozen=True, kw_only=True)
class TargetCells:
    """A target as numbers or labels, which codes count as missing, and what was decided, in sentences.

    Those ``on_limits`` hold only for machines that take a limit for a number.
    """

    values: pd.Series
    codes: tuple[str, ...] = ()
    remarks: list[str] = field(default_factory=list)
    on_limits: list[str] = field(default_factory=list)


def typed_target(target: pd.Series, wishes: TargetWishes | None = None) -> TargetCells:
    """Return the target as numbers if all of its texts are numbers, with codes for missing cells as missing.

    Labels stay as they are. Whether a number far from all others stands for a missing target is judged only if
    there are too many numbers for classes. If the user says that it is a number, none of its numbers is a code, and
    all other texts are missing.
    """
    wishes = wishes or TargetWishes()
    if pd.api.types.is_bool_dtype(target.dropna().infer_objects()):  # objects if some cells are missing
        return TargetCells(values=target.astype("boolean"))
    if wishes.kind == "category":
        return _labels(target, wishes.codes)
    role = _role(target, wishes, wishes.kind)
    if role.kind != "number" and wishes.kind is None:
        absent, remarks = _absent(target, wishes)
        found = _labels(target, (*wishes.codes, *absent), remarks)
        return _merged(found) if wishes.merge else found
    few = wishes.kind is None and target.nunique() <= FEW_NUMBERS
    if few or not wishes.judge:
        role = _role(target, wishes, "number")
    reading = role.reading
    if few and reading.unit:
        return TargetCells(values=target)  # labels such as "2 doors"
    if pd.api.types.is_numeric_dtype(target) and not reading.missing_codes:
        return TargetCells(values=target)
    values = column_values(target, "number", reading)
    texts = column_values(target, "category", reading)
    absent = texts.isna() | texts.map(stands_for_nothing, na_action="ignore").eq(True)
    if wishes.kind is None and (values.isna() & ~absent).any():
        return TargetCells(values=target)  # labels, of which most are numbers
    codes = tuple(code for code in reading.missing_codes if code not in wishes.words)
    notes = [(str(target.name), note) for note in role.notes]
    limits = [each for each in notes if each[1][0] == LIMITS]
    return TargetCells(
        values=values,
        codes=codes,
        remarks=sentences(each for each in notes if each not in limits),
        on_limits=sentences(limits),
    )


def _role(target: pd.Series, wishes: TargetWishes, kind: str | None = None) -> Role:
    """Return what the target would be as an input; of a given kind, none of its numbers is put down as a code."""
    codes, kinds = (*wishes.codes, *wishes.words), {} if kind is None else {"target": kind}
    said = Wishes(missing_codes={"": codes}, decimal=wishes.decimal, kinds=kinds)
    return describe(as_frame(target.rename("target").to_frame()), said)[0]


def _labels(target: pd.Series, codes: Sequence[str], remarks: Sequence[str] = ()) -> TargetCells:
    values = column_values(target, "category", Reading(missing_codes=tuple(codes))) if codes else target
    return TargetCells(values=values, codes=tuple(codes), remarks=list(remarks))


def _merged(cells: TargetCells) -> TargetCells:
    """Return labels of which spellings of one class are one, its most frequent; not if that leaves a single class."""
    known = cells.values.dropna()
    if not all(isinstance(label, str) for label in known):
        return cells
    counts = known.value_counts().to_dict()
    other = {label: said for label, said in usual_spellings(counts).items() if label != said}
    if not other:
        return cells
    target = str(cells.values.name)
    cells_of_them = counted(sum(counts[label] for label in other), "cell")
    pairs = ", ".join(f"{label!r} counts as {said!r}" for label, said in list(other.items())[:_MOST_SPELLINGS])
    remark = (
        f"The target {target!r} has several spellings of a class: {pairs} ({cells_of_them} in all). "
        f"If they are different classes, use --categorical {target!r}."
    )
    return replace(cells, values=cells.values.replace(other), remarks=[*cells.remarks, remark])


def spelled_as(labels: pd.Series, classes: Sequence[Any]) -> pd.Series:
    """Return labels with the spelling of a model's classes, if that is clear."""
    own = {folded(each): each for each in classes if isinstance(each, str)}
    if len(own) < len(classes):
        return labels
    return labels.map(lambda label: own.get(folded(label), label) if isinstance(label, str) else label)


def _absent(target: pd.Series, wishes: TargetWishes) -> tuple[list[str], list[str]]:
    """Return the words that stand for missing cells among labels, and a remark on every word.

    A word is a class if it has as many rows as the smallest other class, or if there is only one other.
    """
    doubtful = [word for word in wishes.words if word not in wishes.codes]
    counts = column_values(target, "category", Reading(missing_codes=wishes.codes)).value_counts()
    others = counts.drop(doubtful, errors="ignore")
    smallest = 0 if len(others) < 2 else int(others[others > 1].min()) if (others > 1).any() else 0
    absent = [word for word in doubtful if counts[word] < smallest]
    return absent, [_on_word(str(target.name), word, int(counts[word]), word in absent) for word in doubtful]


def _on_word(target: str, word: str, cells: int, absent: bool) -> str:
    found, code = f"The target {target!r} has {word!r} in {counted(cells, 'cell')}, which", f"{target}={word}"
    if absent:
        counts = "counts" if cells == 1 else "count"
        return f"{found} {counts} as missing. If {word!r} is a class, use --categorical {target!r}."
    return f"{found} {'is' if cells == 1 else 'are'} a class. If {word!r} means missing, use --missing-code {code!r}."
