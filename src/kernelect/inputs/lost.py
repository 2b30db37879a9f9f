"""Cells that hold something and count as missing all the same, in sentences for users of Python.

The commands have remarks of their own (:mod:`kernelect.inputs.roles`), which name their options.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from kernelect.inputs.frame import Cells, Frame
from kernelect.inputs.notes import Note, sentences
from kernelect.inputs.numerals import stands_for_nothing
from kernelect.inputs.readings import LARGEST, as_text, is_missing, unbounded, values_of
from kernelect.inputs.roles import Role


def lost_cells(roles: Sequence[Role], frame: Frame, *, codes: bool) -> list[str]:
    """Return sentences on infinite and huge numbers, on texts that cannot be read and, in training, on codes.

    Parameters
    ----------
    roles : sequence of Role
        What the columns are.
    frame : Frame
    codes : bool
        Whether codes for missing cells are told too: in training, where they were detected.
    """
    columns = zip(roles, frame.columns, strict=True)
    return sentences((role.name, note) for role, cells in columns for note in _notes(role, cells, codes))


def _notes(role: Role, cells: Cells, codes: bool) -> Iterator[Note]:
    if role.kind == "category" or cells.dtype.kind == "M" or (role.kind == "unused" and cells.dtype == object):
        return
    told = codes and role.reading.missing_codes
    if role.kind == "number" and cells.dtype == float and not told and not np.any(np.abs(cells) > LARGEST):
        return  # the usual column, soon done with: a prediction may be of one row
    kind = "date" if role.kind == "date" else "number"
    values = unbounded(cells, kind, role.reading)
    with np.errstate(invalid="ignore"):
        lost = ~is_missing(cells) & ~(np.abs(values) <= LARGEST)
    if not lost.any():
        return
    cells, values = cells[lost], values[lost]
    huge, coded = ~np.isnan(values), is_missing(values_of(cells, "category", role.reading))
    if codes and coded.any():
        yield from _on_codes(role, cells[coded])
    if huge.any():
        clause = f"{{has}} numbers that are infinite or beyond {LARGEST:g} and count as missing"
        yield clause, f"{huge.sum()}, such as {values[huge][0]:g}; rescale the column if they are true"
    unread = [text for text in as_text(cells[~huge & ~coded]) if not stands_for_nothing(text)]
    if unread:
        yield f"{{has}} cells that are no {kind}s and count as missing", f"{len(unread)}, such as {unread[0]!r}"


def _on_codes(role: Role, cells: Cells) -> Iterator[Note]:
    for code in role.reading.missing_codes:
        count = is_missing(values_of(cells, "category", replace(role.reading, missing_codes=(code,)))).sum()
        yield (
            f"{{has}} {code}, which counts as missing",
            f"{count} cells; columns={{{role.name!r}: 'number'}} takes them as they are",
        )
