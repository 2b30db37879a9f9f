"""Commands that are killed or interrupted at a moment of their own, and what they leave."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from hypothesis import strategies as st

from fuzz.definitions import TEXT
from fuzz.files import ORDINARY, model_bytes, model_frame
from fuzz.folders import within
from fuzz.harness import Broken, command_line
from fuzz.tables import written
from kernelect.cli.commands import kernelect
from kernelect.exceptions import KernelectError
from kernelect.tabular import load_model

#: Command -> words.
COMMANDS: dict[str, tuple[str, ...]] = {
    "fit": ("fit", "table.csv", "--target", "y", "--out", "out", "--folds", "2"),
    "predict": ("predict", "model.kernelect", "train.csv", "--out", "predictions.csv"),
    "report": ("report", "model.kernelect", "train.csv", "--out", "page.html"),
    "explain": ("explain", "model.kernelect", "train.csv", "--out", "effects.csv"),
    "export": ("export", "model.kernelect", "--to", "c", "--out", "model.h"),
    "study": ("study", "run", "study.toml", "--out", "results.sqlite"),
}

#: Lines of the tables that are written: one a row, or one a row and input.
LINES = {"predictions.csv": 31, "effects.csv": 91}

#: Seconds within which Ctrl-C has to be obeyed, on a busy machine.
PATIENCE = 10.0


@dataclass(frozen=True)
class KillCase:
    """Which command, after which share of its time, and by which signal."""

    command: str
    share: float
    signal: str

    @property
    def gently(self) -> bool:
        """Whether the command can answer."""
        return self.signal != "SIGKILL"


@st.composite
def cases(draw: Any) -> KillCase:
    return KillCase(
        draw(st.sampled_from(tuple(COMMANDS))),
        draw(st.integers(10, 110)) / 100.0,
        draw(st.sampled_from(("SIGKILL", "SIGKILL", "SIGINT", "SIGTERM"))),
    )


def judge(case: KillCase) -> str:
    words, seconds = COMMANDS[case.command], _seconds(case.command)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _fill(folder)
        process = _start(words, folder)
        time.sleep(case.share * seconds)
        process.send_signal(getattr(signal, case.signal))
        try:
            _, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired as late:
            process.kill()
            process.communicate()
            raise Broken("a request to end is obeyed", f"not within {PATIENCE:.0f} s") from late
        code = process.returncode
        _require_quiet_end(case, code, err.decode(errors="replace"), folder)
        _require_whole(folder)
        _require_second_run(case.command, words, folder)
    return "killed" if code == -signal.SIGKILL else f"exit {code}"


@cache
def _seconds(command: str) -> float:
    """Return how long a command takes on this machine, now, so that kills fall into all of it."""
    with tempfile.TemporaryDirectory() as name:
        _fill(Path(name))
        began = time.monotonic()
        _start(COMMANDS[command], Path(name)).communicate(timeout=300)
        return time.monotonic() - began


def _fill(folder: Path) -> None:
    (folder / "table.csv").write_bytes(written(ORDINARY))
    (folder / "model.kernelect").write_bytes(model_bytes(0))
    model_frame(0).to_csv(folder / "train.csv", index=False)
    (folder / "study.toml").write_text(TEXT.replace("splits = 1", "splits = 6"))


def _start(words: tuple[str, ...], folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        **command_line(words), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=_listen
    )


def _listen() -> None:
    """Take Ctrl-C as a terminal sends it: a campaign that runs in the background was told to ignore it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _require_quiet_end(case: KillCase, code: int, err: str, folder: Path) -> None:
    if not case.gently:
        return
    number = getattr(signal, case.signal)
    # Before the command itself is reached, Python answers to the signal.
    if code not in (0, 128 + number, -number) and not (code == 1 and "KeyboardInterrupt" in err):
        raise Broken("an interrupted command exits with 130 or 143", f"{code}: {err[-150:]}")
    if code == 128 + number and "Traceback" in err:
        raise Broken("no traceback", err[-200:])
    left = [path.name for path in folder.rglob("*.part")]
    if left and code == 128 + number:
        raise Broken("no part of a file is left", left[0])


def _require_whole(folder: Path) -> None:
    """Whatever has its final name is whole."""
    for path in folder.rglob("*"):
        if path.suffix == ".kernelect":
            try:
                load_model(path)
            except KernelectError as error:
                raise Broken("a model is there whole or not at all", str(error)) from error
        if path.suffix == ".html" and not path.read_text().rstrip().endswith("</html>"):
            raise Broken("a report is there whole or not at all", path.name)
        if path.name in LINES and len(path.read_text().splitlines()) != LINES[path.name]:
            raise Broken("a table is there whole or not at all", path.name)
        if path.name == "model.h" and not path.read_text().endswith("#endif /* MODEL_H */\n"):
            raise Broken("an export is there whole or not at all", path.name)


def _require_second_run(command: str, words: tuple[str, ...], folder: Path) -> None:
    """The same command works afterwards, and a study has every cell once."""
    code, out = _apart(words, folder) if command == "study" else _here((*words, "--force"), folder)
    if code:
        raise Broken("the same command works after a kill", out[-200:])
    if command == "study":
        with sqlite3.connect(folder / "results.sqlite") as results:
            cells = results.execute("SELECT dataset, method, split, state FROM cells").fetchall()
        keys = [cell[:3] for cell in cells]
        if len(keys) != len(set(keys)) or len(keys) != 12 or {cell[3] for cell in cells} != {"done"}:
            raise Broken("no cell of a study is lost or doubled", f"{len(keys)} cells, {out!r}")
    elif stray := [name for name in os.listdir(folder) if name.endswith(".lock")]:
        raise Broken("no lock is left", stray[0])


def _apart(words: tuple[str, ...], folder: Path) -> tuple[int, str]:
    """Return exit code and output of a command in a process of its own."""
    process = _start(words, folder)
    out, err = process.communicate(timeout=300)
    return process.returncode, (out + err).decode(errors="replace")


def _here(words: tuple[str, ...], folder: Path) -> tuple[int, str]:
    """Return the same of a command in this process, which has all modules already: a third of the time."""
    with within(folder):
        outcome = CliRunner().invoke(kernelect, list(words))
    error = outcome.exception
    words_of_error = "" if error is None or isinstance(error, SystemExit) else f"{type(error).__name__}: {error}"
    return outcome.exit_code, outcome.output + words_of_error
