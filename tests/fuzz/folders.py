"""The folder in which a command is tried: what is there before, what is there after, and what appears in between."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import kernelect.files
from fuzz.definitions import changed_definition
from fuzz.files import model_bytes, model_frame
from fuzz.mutations import mutated
from fuzz.tables import file_name, written
from kernelect.cli.commands import kernelect as group

#: What a file holds that appears while a command works.
STRANGER = b"of somebody who was quicker"


def fill(folder: Path, case: Any) -> None:
    """Put a table, a model with its table, a study, its results, and some places to stumble over into a folder."""
    (folder / file_name(case.table)).write_bytes(mutated(written(case.table), case.table.seed, case.damage))
    (folder / "model.kernelect").write_bytes(model_bytes(case.model))
    model_frame(case.model).to_csv(folder / "train.csv", index=False)
    (folder / "study.toml").write_text(changed_definition(case.definition))
    (folder / "results.sqlite").write_bytes(results_bytes())
    (folder / "there").write_text("precious")
    (folder / "there").chmod(0o600)
    (folder / "model.kernelect").chmod(0o640)
    (folder / "results.sqlite.lock").write_text("of somebody else")
    (folder / "folder").mkdir()
    (folder / "pipe").write_text("no folder")
    (folder / "dangling").symlink_to("nowhere")


_RESULTS: list[bytes] = []


def results_bytes() -> bytes:
    """Return the results of the unchanged study."""
    if not _RESULTS:
        with tempfile.TemporaryDirectory() as name, within(Path(name)):
            Path("study.toml").write_text(changed_definition(0))
            outcome = CliRunner().invoke(group, ["study", "run", "study.toml", "--out", "r.sqlite"])
            if outcome.exit_code:
                raise RuntimeError(f"the study itself does not run: {outcome.output}")
            _RESULTS.append(Path("r.sqlite").read_bytes())
    return _RESULTS[0]


@contextmanager
def within(folder: Path) -> Any:
    """Work in a folder, with a path of modules that a command may extend."""
    here, path = os.getcwd(), list(sys.path)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)
        sys.path[:] = path


def listing(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return every file below a folder with its permissions and content; links by where they point."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = (-1, os.fsencode(os.readlink(path)))
        elif path.is_file():
            found[name] = (stat.S_IMODE(path.stat().st_mode), path.read_bytes())
    return found


@contextmanager
def crowded(wanted: bool) -> Iterator[list[Path]]:
    """Let a file appear under the name of every new one, after it was looked for and before it gets the name.

    Yields the files that appeared.
    """
    appeared: list[Path] = []
    move = kernelect.files._moved

    def moved(part: Path, place: Path, path: Path, force: bool) -> None:
        if wanted and not place.exists():
            place.write_bytes(STRANGER)
            appeared.append(place)
        move(part, place, path, force)

    kernelect.files._moved = moved
    try:
        yield appeared
    finally:
        kernelect.files._moved = move
