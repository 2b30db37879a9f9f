"""Models on disk: skops files with a short header, never unpickled.

A file is read in this order, and refused at the first thing that no model has: its sizes
(:mod:`kernelect.tabular.archive`), the types it asks for (:mod:`kernelect.tabular.audit`), and, once built,
how its parts fit together (:mod:`kernelect.tabular.rehearse`). skops is imported when a file is written or read:
its import takes a while (:mod:`kernelect.cli._models`).
"""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from pathlib import Path

from kernelect.exceptions import InvalidArgument, UnusableModel, reason_of
from kernelect.files import write_whole
from kernelect.tabular.archive import DESCRIPTION, HEADER, MOST_RATIO, Archive, read_archive, unpacked_ratio
from kernelect.tabular.audit import check_arrays, check_types, strangers, trusted_types
from kernelect.tabular.record import TableModel, current_versions
from kernelect.tabular.rehearse import check_model

#: Counts changes of :class:`TableModel` that older files do not know.
FORMAT = 4

#: Packages whose version can change what a model predicts.
_TELLING = ("kernelect", "scikit-learn")


def save_model(model: TableModel, path: Path, force: bool = False) -> None:
    """Write a model to a skops file, whole or not at all.

    A part that is not registered is an error here, before anything is written.
    """
    data = _dumped(model, zipfile.ZIP_DEFLATED)
    if unpacked_ratio(data) > MOST_RATIO / 2:  # such a file looks like one made to fill the memory
        data = _dumped(model, zipfile.ZIP_STORED)
    write_whole(path, data, force)


def load_model(path: str | Path) -> tuple[TableModel, list[str]]:
    """Return a model and remarks on versions that differ; nothing in the file is executed."""
    import skops.io

    archive = read_archive(Path(path))
    versions = _versions(archive)
    check_types(archive)
    try:
        check_arrays(archive)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions, which are compared below
            model = skops.io.loads(archive.data, trusted=sorted(trusted_types()))
        check_model(model)
    except Exception as error:  # a damaged or forged file may fail anywhere
        way_out = _on_versions(versions) or ": fit the model again"
        raise UnusableModel(f"{archive.name} cannot be loaded ({reason_of(error)}){way_out}.") from error
    return model, _version_remarks(versions)


def _dumped(model: TableModel, compression: int) -> bytes:
    import skops.io

    file = io.BytesIO()
    try:
        skops.io.dump(model, file, compression=compression)
    except Exception as error:  # skops meets a function, a lock, a file
        raise InvalidArgument(
            f"The model cannot be saved ({reason_of(error)}): use a kernel, criterion or prior whose attributes are "
            "numbers, texts and arrays."
        ) from error
    with zipfile.ZipFile(file, "a", compression=compression) as archive:
        unknown = strangers(json.loads(archive.read(DESCRIPTION)))
        if unknown:
            raise InvalidArgument(
                f"The model holds {', '.join(unknown[:5])}, which is not registered, so the file could not be loaded: "
                "call kernelect.register on the class before saving."
            )
        archive.writestr(HEADER, json.dumps({"format": FORMAT, "versions": model.versions}))
    return file.getvalue()


def _versions(archive: Archive) -> dict[str, str]:
    """Return the versions the model was saved with, after making sure that its format is known."""
    try:
        found = archive.header["format"]
        versions = {str(key): str(value) for key, value in archive.header["versions"].items()}
    except (KeyError, AttributeError) as error:
        raise UnusableModel(f"{archive.name} has no readable header: fit the model again.") from error
    if found != FORMAT:
        way_out = _on_versions(versions) or ": fit the model again"
        raise UnusableModel(f"{archive.name} has format {found!r} where {FORMAT} is known{way_out}.")
    return versions


def _differing(versions: dict[str, str]) -> list[tuple[str, str, str]]:
    """Return package, version then and version now where they differ."""
    now = current_versions()
    pairs = [(package, versions.get(package, "unknown"), now.get(package, "none")) for package in _TELLING]
    return [(package, then, here) for package, then, here in pairs if then != here]


def _on_versions(versions: dict[str, str]) -> str:
    """Return what to do about versions, where they may be the reason."""
    differing = [f"{package} {then} (here {here})" for package, then, here in _differing(versions)]
    return f"; it was saved with {' and '.join(differing)}: install that version, or fit again" if differing else ""


def _version_remarks(versions: dict[str, str]) -> list[str]:
    return [
        f"The model was saved with {package} {then} and is used with {here}: fit it again if predictions matter."
        for package, then, here in _differing(versions)
    ]
