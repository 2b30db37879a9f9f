"""Projects: folders that hold a table, what was chosen about it, and the files that the commands write.

No name that a page sends becomes a path: projects are looked up among the folders that are there, files among those
that commands write, and the name of an uploaded file is spelled anew.
"""

from __future__ import annotations

import json
import re
import shutil
import unicodedata
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kernelect.app.guard import Refused
from kernelect.app.settings import Settings, settings_from
from kernelect.files import make_folder, write_whole
from kernelect.tabular.read import SUFFIXES

MODEL, REPORT, PRIVATE = "model.kernelect", "report.html", "report-without-rows.html"
EVALUATION, COMPARISON = "evaluation.json", "comparison.json"
PREDICTIONS, SHEET = "predictions.csv", "predictions.xlsx"

#: Files that can be taken home, as ``export --to`` calls them where it writes them.
EXPORTS = {"c": "model.h", "onnx": "model.onnx", "javascript": "model.js"}
FILES = (MODEL, REPORT, PRIVATE, "columns.toml", *EXPORTS.values(), PREDICTIONS, SHEET, EVALUATION, COMPARISON)

#: Folders of a project: what only the pages need, and rows that were sent to be predicted.
_OWN, _ROWS = ".app", "rows"

_PACKED = (".gz", ".bz2", ".xz", ".zip")

#: Names that mean devices to Windows.
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")

_LONGEST = 80


def last_of(name: str) -> str:
    """Return the name of a file without the folders before it."""
    return unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]


def spelled_anew(name: str) -> str:
    """Return a name for a file with a table: letters, digits and a known ending, and none that a command writes."""
    plain = re.sub(r"[^\w.() -]+|\.{2,}", "_", last_of(name)).strip(" .-_")
    stem, packed = (plain[: -len(end)], end) if (end := Path(plain).suffix.lower()) in _PACKED else (plain, "")
    suffix = Path(stem).suffix.lower()
    stem = stem[: -len(suffix)] if suffix in SUFFIXES else stem
    ending = (suffix if suffix in SUFFIXES else "" if packed else ".csv") + packed
    out = (stem.strip(" .-_")[:_LONGEST].strip() or "table") + ending
    return f"table-{out}" if out.lower() in FILES or _DEVICES.fullmatch(out) else out


def _is_here(path: Path) -> bool:
    """Tell whether there is a file, and no link that leads elsewhere."""
    return path.is_file() and path.resolve().parent == path.parent.resolve()


@dataclass(frozen=True)
class Project:
    """One folder."""

    folder: Path

    @property
    def name(self) -> str:
        """Name of the folder."""
        return self.folder.name

    @property
    def own(self) -> Path:
        """Folder of what only the pages need."""
        return self.folder / _OWN

    def file(self, name: str) -> Path:
        """Return a file that a command wrote; a link that leads elsewhere is none."""
        path = self.folder / name
        if name not in FILES or not _is_here(path):
            raise Refused(404, f"The project {self.name!r} has no file {name[:_LONGEST]!r}: make it first.")
        return path

    def has(self, name: str) -> bool:
        """Tell whether a command wrote a file."""
        return (self.folder / name).is_file()

    def rows_file(self, name: str) -> Path:
        """Return the place for rows that were sent."""
        return self.folder / _ROWS / spelled_anew(name)

    def files(self) -> list[dict[str, Any]]:
        """Return the files to take home; ``older`` than the model are those that an earlier one made."""
        fitted = (self.folder / MODEL).stat().st_mtime if self.has(MODEL) else 0.0
        found = [(name, (self.folder / name).stat()) for name in FILES if self.has(name)]
        return [{"name": name, "bytes": one.st_size, "older": one.st_mtime < fitted - 60.0} for name, one in found]

    def settings(self) -> Settings:
        """Return what was chosen; nothing if the folder is one of the command line's."""
        given = self.read("settings.json")
        table = given.pop("table", None)
        if not isinstance(table, str) or spelled_anew(table) != table or not _is_here(self.folder / table):
            table = None
        try:
            return settings_from(given, table)
        except Refused:  # a file of another version
            return Settings(table=table)

    def choose(self, settings: Settings) -> None:
        """Keep what was chosen."""
        self.write("settings.json", asdict(settings))

    def read(self, name: str) -> dict[str, Any]:
        """Return what the pages wrote down."""
        try:
            found = json.loads((self.own / name).read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def write(self, name: str, facts: dict[str, Any]) -> None:
        """Write something down, whole or not at all."""
        write_whole(self.own / name, json.dumps(facts, indent=1).encode(), force=True)

    @property
    def changed(self) -> float:
        """Seconds since 1970 when the project was last worked on."""
        places = [self.folder / MODEL, self.own / "settings.json", self.own / "job.json"]
        return max((place.stat().st_mtime for place in places if place.exists()), default=0.0)

    def remove(self) -> None:
        """Remove a project that was begun with a file which is no table."""
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(frozen=True)
class Projects:
    """All projects: the folders in a folder that hold a model, or were made here."""

    folder: Path

    def listed(self) -> list[Project]:
        """Return the projects, those worked on last first."""
        make_folder(self.folder)
        found = [Project(place) for place in self.folder.iterdir() if place.is_dir() and not place.is_symlink()]
        found = [one for one in found if not one.name.startswith(".") and (one.has(MODEL) or one.own.is_dir())]
        found = [one for one in found if not one.own.is_symlink() and not (one.folder / _ROWS).is_symlink()]
        return sorted(found, key=lambda one: (-one.changed, one.name))

    def named(self, name: str) -> Project:
        """Return a project by its name."""
        found = next((one for one in self.listed() if one.name == name), None)
        if found is None:
            raise Refused(404, f"There is no project {name[:_LONGEST]!r}: go back to all projects.")
        return found

    def new(self, file: str) -> Project:
        """Make a project for a file; its name follows from that of the file."""
        make_folder(self.folder)
        stem = re.sub(r"[^\w-]+", "-", spelled_anew(file).partition(".")[0]).strip("-") or "table"
        for number in range(1, 10_000):
            place = self.folder / (stem if number == 1 else f"{stem}-{number}")
            try:
                place.mkdir()
            except FileExistsError:
                continue
            except OSError as error:
                raise Refused(507, f"The folder {place} cannot be made ({error.strerror}): free some space.") from error
            project = Project(place)
            project.choose(Settings())
            return project
        raise Refused(507, f"There are too many projects named {stem!r}: remove some from {self.folder}.")
