"""Command lines, right and wrong, run in a folder of their own."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner
from hypothesis import strategies as st

from fuzz.files import MODELS, WATCH
from fuzz.folders import STRANGER, crowded, fill, listing, within
from fuzz.harness import Broken, command_line
from fuzz.tables import TableCase, file_name, table_cases
from kernelect.cli.commands import kernelect as group
from oracles.spreadsheets import PAYLOADS, formulas_in

#: Exit codes: done, failed, wrong use, interrupted.
CODES = (0, 1, 2, 130)

#: Commands as often as they are tried; ``demo`` and ``compare`` take long.
COMMANDS = (
    *("fit",) * 8,
    *("predict",) * 5,
    *("explain",) * 2,
    *("export",) * 2,
    *("inspect",) * 2,
    *("report",) * 2,
    *("study run",) * 3,
    *("study status", "study table", "study plot", "study export", "study show", "study list"),
    *("sample", "completion", "compare", "unknown"),
)

#: Words for options that take any text, number or path; the first half is sensible.
TEXTS = ("y", "c0 number", "Y", "", "<b>", "-1", "nan", "\x00", "y" * 300, "\x1b[2J", *PAYLOADS[:3])
NUMBERS = ("1", "2", "0.9", "0", "0.5", "3", "-1", "1e-3", "nan", "inf", "1e400", "99999999999999999999999", "x", "")
PATHS = ("out", "new/deep/out", "folder/../out", "ö ä/out", "x.csv", "there", "folder", "dangling", "o" * 300, "pipe/x")

#: What some options are given in earnest.
_WORDS = {
    "--kernel": ("ard", "rbf", "linear", "matern52", "polynomial", "fourier", "precomputed"),
    "--criterion": ("press", "span", "evidence", "ep-evidence", "loo", "cv"),
    "--prior": ("none", "shrinkage", "gaussian", "log-normal"),
    "--metric": ("error", "log_loss", "value", "seconds"),
    "--kind": ("histogram", "critical-difference", "scatter", "evolution", "curve"),
}

#: Which machine fits, and how often it does so on folds: most are quick, some as quick as the defaults.
MACHINES = (
    *(("--machine", name, "--folds", "0") for name in ("lssvm", "lssvm", "svm", "gp", "rvm", "basis")),
    *(("--effort", "fast", "--folds", "0"), ("--effort", "fast", "--folds", "2"), ("--machine", "lssvm")),
)

#: Limits of a process's addresses: imports take some 700.
MEGABYTES = (900, 1100, 1500)

#: Options whose values make a run long, or reach outside the folder.
_TAMED = {"--folds": ("0", "2", "3", "-1", "50"), "--repeats": ("1", "0"), "--jobs": ("1",), "--threads": ("1",)}
_TAMED |= {"--splits": ("1", "0", "x"), "--restarts": ("0", "1", "-1")}
_TAMED |= {"--engine": ("local", "local", "tcp://127.0.0.1:9", "nowhere"), "--effort": ("fast", "best", "x", "")}
_TAMED |= {"--datasets": ("twonorm", "none", "twonorm,none"), "--methods": ("ours", "theirs", "x")}
_TAMED |= {"--data": ("folder", "nowhere"), "--time-limit": ("0.01", "2", "0", "-3", "x")}


@dataclass(frozen=True)
class CommandCase:
    """Words of a command line in a folder with a table, a model, a study and its results.

    ``damage`` changes the bytes of the table so many times, ``definition`` is the seed of a change to the study's
    definition (0: none), ``megabytes`` is the limit of a process's memory (0: none).
    """

    words: tuple[str, ...]
    table: TableCase
    model: int
    damage: int
    definition: int
    process: bool
    encoding: str = "utf-8"
    crowded: bool = False
    megabytes: int = 0


@st.composite
def cases(draw: Any) -> CommandCase:
    name = draw(st.sampled_from(COMMANDS))
    table = draw(table_cases())
    words = [*name.split(), *_arguments(draw, name, file_name(table)), *_options(draw, name)]
    return CommandCase(
        tuple(words),
        table,
        draw(st.integers(0, len(MODELS) - 1)),
        draw(st.sampled_from((0, 0, 0, 1, 3))),
        draw(st.sampled_from((0, 0, 1, 1))) * draw(st.integers(1, 2**16)),
        draw(st.integers(0, 19)) == 0,
        draw(st.sampled_from(("utf-8", "ascii", "latin-1"))),
        draw(st.integers(0, 9)) == 0,
        draw(st.sampled_from((0, 0, *MEGABYTES))),
    )


def _arguments(draw: Any, name: str, table: str) -> list[str]:
    usual = {
        "fit": [table, "--target", "y", "--no-report", "--out", "fitted"],
        "compare": [table, "--target", "y", "--machine", "lssvm", "--kernel", "linear", "--folds", "2"],
        "predict": ["model.kernelect", draw(st.sampled_from((table, "train.csv", "train.csv")))],
        "explain": ["model.kernelect", draw(st.sampled_from((table, "train.csv", "train.csv")))],
        "export": ["model.kernelect", "--to", draw(st.sampled_from(("onnx", "c", "javascript")))],
        "inspect": ["model.kernelect"],
        "report": ["model.kernelect", "train.csv"],
        "sample": ["wine"],
        "completion": ["bash"],
        "study run": ["study.toml"],
        "study show": ["study.toml"],
        "study status": ["results.sqlite"],
        "study table": ["results.sqlite"],
        "study plot": ["results.sqlite"],
        "study export": ["results.sqlite"],
    }.get(name, [])
    if usual and draw(st.integers(0, 9)) == 0:
        usual[0] = draw(
            st.sampled_from(("nothing.csv", "folder", "model.kernelect", "-", "", "results.sqlite", "pipe/x"))
        )
    if name == "fit":
        usual += draw(st.sampled_from(MACHINES))
        if draw(st.integers(0, 11)) == 0:
            usual.remove("--no-report")
    return usual


def _options(draw: Any, name: str) -> list[str]:
    command = _command(name)
    options = [option for option in getattr(command, "params", []) if isinstance(option, click.Option)]
    words: list[str] = []
    for option in draw(st.lists(st.sampled_from(options), max_size=2, unique=True)) if options else []:
        words.append(option.opts[-1])
        values = _values(option)
        if not option.is_flag and draw(st.integers(0, 19)):
            sensible = draw(st.integers(0, 7)) > 0
            words.append(draw(st.sampled_from(values[: max(len(values) // 2, 1)] if sensible else values)))
    return words


def _values(option: click.Option) -> tuple[str, ...]:
    """Return what an option may be given, sensible values in the first half."""
    name = option.opts[-1]
    if name in _TAMED:
        return _TAMED[name]
    if name in _WORDS:
        return (*_WORDS[name], *TEXTS)
    if isinstance(option.type, click.Choice):
        return (*map(str, option.type.choices), *("nothing",) * len(option.type.choices))
    if isinstance(option.type, click.Path):
        return PATHS
    return NUMBERS if isinstance(option.type, click.types.FloatParamType | click.types.IntParamType) else TEXTS


def _command(name: str) -> Any:
    found: Any = group
    for word in name.split():
        found = found.get_command(click.Context(found), word) if found is not None else None
    return found


# -- judging -----------------------------------------------------------------------------------------------------------


def judge(case: CommandCase) -> str:
    """Return the exit code in words; raise where a law is broken."""
    with tempfile.TemporaryDirectory() as outer:
        folder = Path(outer) / "work"
        folder.mkdir()
        fill(folder, case)
        before = listing(Path(outer))
        code, out, err = run_apart(case, folder) if case.process else run_here(case, folder)
        _require_answer(case, code, out, err)
        _require_files(case, code, before, listing(Path(outer)))
    return f"exit {code}"


def run_here(case: CommandCase, folder: Path) -> tuple[int, str, str]:
    given = (folder / file_name(case.table)).read_bytes()
    with within(folder), crowded(case.crowded) as appeared, WATCH() as seen:
        outcome = CliRunner().invoke(group, list(case.words), input=given)
        _require_strangers_stay(case, outcome.exit_code, appeared)
    if outcome.exception is not None and not isinstance(outcome.exception, SystemExit):
        error = outcome.exception
        raise Broken("no traceback", f"{type(error).__name__}: {error}"[:200]) from error
    if outside := seen.outside(str(folder)):
        raise Broken("nothing is written outside the folder", outside[0])
    # Studies have workers, click asks bash for its version, and joblib asks how many cores there are.
    started = [each for each in seen.started if "lscpu" not in each]
    if started and case.words[0] not in ("study", "completion"):
        raise Broken("nothing is executed", started[0])
    return outcome.exit_code, outcome.stdout, outcome.stderr


def _require_strangers_stay(case: CommandCase, code: int, appeared: list[Path]) -> None:
    """A file that appears in between stays, unless --force was given; away with it, so that the other laws hold."""
    for path in appeared:
        if "--force" not in case.words and path.read_bytes() != STRANGER:
            raise Broken("a file that appears in between stays", path.name)
        if "--force" not in case.words and not code:
            raise Broken("a file that could not be written is a failure", path.name)
        if path.read_bytes() == STRANGER:
            path.unlink()


def run_apart(case: CommandCase, folder: Path) -> tuple[int, str, str]:
    if any("\0" in word for word in case.words):
        return run_here(case, folder)
    start = command_line(case.words)
    start["env"] = {**start["env"], "PYTHONIOENCODING": case.encoding}
    with (folder / file_name(case.table)).open("rb") as stdin:
        start["preexec_fn"] = partial(_limit_addresses, case.megabytes)
        found = subprocess.run(**start, cwd=folder, stdin=stdin, capture_output=True, timeout=300, check=False)
    return found.returncode, found.stdout.decode(errors="replace"), found.stderr.decode(errors="replace")


def _limit_addresses(megabytes: int) -> None:
    if megabytes:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 2**20, megabytes * 2**20))


def _require_answer(case: CommandCase, code: int, out: str, err: str) -> None:
    if code not in CODES:
        raise Broken("the exit code is 0, 1, 2 or 130", f"{code}: {err[-150:]}")
    if "Traceback (most recent call last)" in out + err:
        raise Broken("no traceback", err[-200:])
    if "Warning:" in err and "ConvergenceWarning" not in err:
        raise Broken("no warning of another library", err[-200:])
    shown = err if case.words[0] in ("predict", "completion") else out + err  # predictions are data, for other programs
    if controls := re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown.replace("\r\n", "\n")):
        raise Broken("no control character is printed", repr(controls[0]))
    if not code and _gives_csv(case) and (formulas := formulas_in(out)):
        raise Broken("nothing in a CSV is calculated", formulas[0][:100])
    if code and not err.strip():
        raise Broken("a failure is explained on standard error", f"exit {code}, {out[:100]!r}")
    if not code and "--json" in case.words and "--help" not in case.words:
        try:
            json.loads(out)
        except ValueError as error:
            raise Broken("--json prints one JSON document", out[:150]) from error


def _gives_csv(case: CommandCase) -> bool:
    """Return whether standard output is CSV."""
    words = set(case.words)
    return not words & {"--out", "--json", "--help"} and (
        case.words[0] == "predict" or case.words[:2] == ("study", "export") or {"--format", "csv"} <= words
    )


#: Files that a command makes where no option names them.
DEFAULTS = {
    "fit": ("model.kernelect", "columns.toml", "report.html"),
    "report": ("report.html",),
    "export": ("model.onnx", "model.h", "model.js"),
    "sample": ("wine.csv", "patients.csv", "breast_cancer.csv", "diabetes.csv"),
    "study run": ("study.sqlite", "tiny.sqlite", "study-pictures"),
    "study plot": ("study-pictures",),
}


def _require_files(case: CommandCase, code: int, before: dict[str, Any], after: dict[str, Any]) -> None:
    """Nothing but --out and what a command is known to write; no part of a file; nothing replaced without --force."""
    # SQLite's own files beside a results file come and go.
    new = {name for name in after if after[name] != before.get(name) and not name.endswith(("-wal", "-shm"))}
    gone = set(before) - set(after)
    if gone:
        raise Broken("no file is taken away", ", ".join(sorted(gone)))
    tables = [name for name in new if name.endswith(".csv") and case.words[0] not in ("report", "export")]
    for name in tables:
        if formulas := formulas_in(after[name][1].decode(errors="replace")):
            raise Broken("nothing in a CSV is calculated", formulas[0][:100])
    parts = [name for name in new if name.endswith((".part", ".lock")) or "/." in name]
    if parts:
        raise Broken("no part of a file is left", parts[0])
    if code == 2 and new:
        raise Broken("wrong use writes nothing", ", ".join(sorted(new)))
    replaced = [name for name in new if name in before]
    if changed := [name for name in replaced if before[name][0] != after[name][0]]:
        raise Broken("what is replaced keeps its permissions", ", ".join(changed))
    if shared := [name for name in new - set(before) if name.endswith(".kernelect") and after[name][0] & 0o077]:
        raise Broken("a model is its owner's, because it holds training rows", ", ".join(shared))
    if replaced and "--force" not in case.words and not _resumes(case, replaced):
        raise Broken("nothing is replaced without --force", ", ".join(replaced))
    allowed = _allowed(case)
    strangers = [name for name in new if not any(_inside(name, place) for place in allowed)]
    if strangers:
        raise Broken("nothing is written outside --out", ", ".join(strangers))


def _resumes(case: CommandCase, replaced: list[str]) -> bool:
    """A study goes on in its results file."""
    return case.words[:2] == ("study", "run") and replaced == ["work/results.sqlite"]


def _allowed(case: CommandCase) -> list[str]:
    outs = [case.words[i + 1] for i, word in enumerate(case.words[:-1]) if word == "--out"]
    named = [f"work/{os.path.normpath(out)}" for out in outs]
    command = " ".join(case.words[:2]) if case.words[0] == "study" else case.words[0]
    known = [f"work/{name}" for name in DEFAULTS.get(command, ())]
    folders = [f"{name}/{file}" for name in [*named, "work"] for file in DEFAULTS.get(command, ())]
    # A results file of a study bears its name, which a changed definition may have changed.
    free = ["work"] if command == "study run" and not outs else []
    return [*named, *known, *folders, *free]


def _inside(name: str, place: str) -> bool:
    return name == place or name.startswith(place + "/")
