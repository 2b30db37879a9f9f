"""Writing the file of a model (:mod:`kernelect.model.file` reads it)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernelect.exceptions import InvalidArgument, KernelectError, reason_of
from kernelect.files import writing_whole
from kernelect.model.archive import Text, written
from kernelect.model.checks import check_model
from kernelect.model.file import APART, FORMAT, VERSION
from kernelect.model.packed import write_members
from kernelect.model.record import Model
from kernelect.model.smaller import for_file
from kernelect.model.writing import Writer


def save(model: Model, path: str | Path, *, force: bool = False, sections: Mapping[str, Any] | None = None) -> None:
    """Write a model to a file, whole or not at all; only its owner may read it, since it holds training rows.

    Parameters
    ----------
    model : Model
    path : str or Path
        Such as ``"model.kernelect"``.
    force : bool
        Whether a file of that name may be replaced.
    sections : mapping of str to dict, optional
        What else the file keeps, by the names of members, such as the columns of a table: plain values, arrays and
        records.
    """
    small = for_file(model)
    try:
        check_model(small)
    except KernelectError:
        raise
    except Exception as error:  # what would not be read again is not written
        raise InvalidArgument(f"The model cannot be saved ({reason_of(error)}): fit it again.") from error
    writer = Writer()
    texts: dict[str, Text] = {
        "model.json": {"format": FORMAT, "version": VERSION, "model": writer.record(small.lean())}
    }
    if any(each is not None for each in _training(small).values()):
        texts["training.json"] = {name: writer.value(each, name) for name, each in _training(small).items()}
    texts.update({name: writer.value(section, name) for name, section in (sections or {}).items()})
    with writing_whole(Path(path), force, private=True) as file:
        write_members(file, {name: written(text, name) for name, text in texts.items()}, writer.arrays)


def _training(model: Model) -> dict[str, Any]:
    """Return what a model has beyond what predictions need."""
    rest = [{name: getattr(component, name) for name in APART} for component in model.components]
    some = any(value is not None for each in rest for value in each.values())
    return {"components": rest if some else None, "rows": model.training}
