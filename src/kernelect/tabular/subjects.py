"""Columns that name the subjects of rows, such as patients with several visits: groups of rows, not inputs.

A new subject has a name that no training row had, so that its rows have to be left out together. A column counts as one
of subjects if its name says so and its values repeat as names of subjects do: many of them, with several rows each.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import chdtr

from kernelect.inputs.notes import Note
from kernelect.tabular.columns import Found, column_values

#: Groups that a column of subjects has at least, also in square roots of the number of rows, and rows of a group on
#: average: a factor of a design has fewer values, each with more rows.
LEAST_GROUPS, LEAST_ROOTS, LEAST_ROWS = 5, 0.52, 2.0

#: Rows of a group on average from which a column whose name says that it identifies something names groups.
_LEAST_IDENTIFIED = 1.2

#: Probability below which evenness of the groups' sizes is not put down to chance.
_UNLIKELY = 1e-4

#: Last words of names that identify something, and words behind the name of a subject.
_IDENTIFIES = frozenset(("id", "ids", "uuid", "guid"))
_BEHIND = frozenset((*_IDENTIFIES, "nr", "no", "num", "number", "code", "key", "name"))

_SUBJECTS = re.compile(
    "subject|subj|patient|person|participant|respondent|individual|proband|volunteer|donor|animal|pig|rat|mouse|dog|"
    "cat|cow|horse|sheep|goat|monkey|chick|bird|tree|student|pupil|child|teacher|prof|professor|instructor|player|"
    "user|customer|client|employee|worker|driver|rider|household|family|litter"
)

#: Words for kinds of things: an identifier of them is a category, of which new rows have the same.
_KINDS = re.compile(
    "type|category|class|kind|region|zone|country|state|county|district|province|city|area|site|department|"
    "language|species|brand|model|product|status|colou?r|race"
)


#: Words that end in id and name nothing: paid, acid, valid and the like, and all that end in -oid.
_ENDS_IN_ID = re.compile(
    "(?!paid|unpaid|prepaid|acid|said|valid|invalid|solid|liquid|hybrid|rapid|fluid|humid|lipid|plaid|orchid|stupid|"
    "grid|bid|kid|lid|mid|raid|aid|covid|.*oid)[a-z]+id"
)


@dataclass(frozen=True)
class NamedSubjects:
    """The column whose values tell which rows belong together, if there is one, and the columns that are left."""

    group: str | None
    found: Found


def find_subjects(found: Found, frame: pd.DataFrame, said: Collection[str] = ()) -> NamedSubjects:
    """Return the column that names subjects, and the columns without those that do.

    Parameters
    ----------
    found : Found
        What was found of use.
    frame : DataFrame
        All inputs, those that look like names too.
    said : collection of str
        Columns of which the user says that they are inputs.
    """
    names = [name for name in map(str, frame.columns) if name not in said and _names_subjects(name, frame[name])]
    if not names:
        return NamedSubjects(None, found)
    counts = {name: frame[name].nunique() for name in names}
    group = min(names, key=lambda name: counts[name])  # persons of one household are left out with it
    clause = (
        "{is} taken for the subjects that rows belong to: folds and leave-one-out leave out whole subjects, and {it} "
        "{is} no input (--keep makes {it} an input and every row a case of its own, --drop leaves {it} out)"
    )
    notes: list[tuple[str, Note]] = [(group, (clause, f"{counts[group]} subjects in {len(frame)} rows"))]
    others = {name: "its values name subjects" for name in names if name != group}
    notes += [(name, ("{was} left out: {its} values name subjects (keep {it} with --keep)", "")) for name in others]
    columns = tuple(one for one in found.columns if one.name != group)
    unused = {name: why for name, why in found.unused.items() if name not in names}
    told = tuple((name, note) for name, note in found.notes if name not in names)
    return NamedSubjects(group, replace(found, columns=columns, unused=unused, notes=told).without(others, notes))


def _names_subjects(name: str, column: pd.Series) -> bool:
    """Return whether name and values are those of subjects."""
    words = words_of(name)
    identifies = bool(words) and words[-1] in _IDENTIFIES and not any(map(_KINDS.fullmatch, words))
    others = [word for word in words if not _SUBJECTS.fullmatch(word)]
    named = len(others) < len(words) and _BEHIND.issuperset(others)
    glued = not identifies and not named and bool(words) and _names_by_ending(words[-1])
    if not identifies and not named and not glued:
        return False
    cells = column_values(column, "category").dropna()
    if pd.api.types.is_numeric_dtype(column) and np.any(column.dropna().to_numpy(dtype=float) % 1):
        return False
    index, levels = pd.factorize(cells)
    n, count = len(index), len(levels)
    numbered = all(any(letter.isdigit() for letter in str(level)) for level in levels) and not glued
    least = LEAST_GROUPS if numbered else max(LEAST_GROUPS, LEAST_ROOTS * np.sqrt(n))  # cat, dog and horse are no names
    if count < least or 2 * n < len(column):
        return False
    if glued:
        return n >= LEAST_ROWS * count and (in_blocks(index) or even(index))
    if identifies or words[-1] in _BEHIND:
        return n >= _LEAST_IDENTIFIED * count
    return n >= LEAST_ROWS * count and (not pd.api.types.is_numeric_dtype(column) or in_blocks(index) or even(index))


def _names_by_ending(word: str) -> bool:
    """Return whether a word ends in id, as distid and usubjid do, and is no word of its own and no kind of thing."""
    return bool(_ENDS_IN_ID.fullmatch(word)) and not _KINDS.fullmatch(word[:-2])


def words_of(name: str) -> list[str]:
    """Return the words of a column's name, in small letters: ``SubjectID`` and ``subject_id`` have two."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    words = re.findall(r"[^\W_]+", parted)
    last = re.fullmatch(rf"({_SUBJECTS.pattern})({'|'.join(sorted(_BEHIND))})", words[-1]) if words else None
    return [*words[:-1], *last.groups()] if last else words


def in_blocks(index: np.ndarray) -> bool:
    """Return whether all rows of a group follow each other in the table."""
    return int(np.sum(np.diff(index) != 0)) + 1 == int(index.max()) + 1


def even(index: np.ndarray) -> bool:
    """Return whether groups are more alike in size than chance makes them, as in a design."""
    sizes = np.bincount(index)
    mean = sizes.mean()
    return bool(chdtr(len(sizes) - 1, float(np.sum((sizes - mean) ** 2) / mean)) < _UNLIKELY)
