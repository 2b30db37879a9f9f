"""Killed at any moment: what was written before stays, what was not leaves nothing that looks like a result."""

import os
import signal
import sys
import time
import warnings

import numpy as np
import pytest

from kernelect.cli.commands import kernelect
from kernelect.studies import Results
from kernelect.tabular import load_model
from oracles.tables import mixed_frame
from studies.conftest import TEXT

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")]

MACHINE = ("--machine", "lssvm", "--kernel", "rbf")
FIT = ("fit", "mixed.csv", "--target", "label", "--drop", "value", *MACHINE, "--folds", "2", "--force")
PREDICT = ("predict", "old/model.kernelect", "mixed.csv", "--out", "p.csv", "--force", "--quiet")
REPORT = ("report", "old/model.kernelect", "mixed.csv", "--out", "r.html", "--force")


def begun(folder, *words, prepare=lambda: None):
    """Run a command in a process of its own, which has all modules already, and return its number."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking with threads: this process only waits
        child = os.fork()
    if child:
        return child
    code = 70
    try:
        os.chdir(folder)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
        prepare()
        kernelect([str(word) for word in words], prog_name="kernelect")
    except SystemExit as end:
        code = end.code or 0
    finally:
        os._exit(code)


def ended(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def run(folder, *words, **options):
    return ended(begun(folder, *words, **options))


def killed(folder, *words, after):
    child = begun(folder, *words)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    return ended(child)


def dying_at(step, when):
    """Return what makes a process kill itself at one step of writing a file."""

    def prepare():
        original = getattr(os, step)

        def deadly(*args, **kwargs):
            if when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            original(*args, **kwargs)
            os.kill(os.getpid(), signal.SIGKILL)

        setattr(os, step, deadly)

    return prepare


@pytest.fixture
def place(tmp_path):
    """A folder with a table and a model of it."""
    mixed_frame(40).to_csv(tmp_path / "mixed.csv", index=False)
    assert run(tmp_path, *FIT, "--no-report", "--out", "old") == 0
    return tmp_path


def seen(folder):
    """Return the files a user sees; parts begin with a dot and end in .part."""
    names = set(os.listdir(folder)) if folder.exists() else set()
    hidden = {name for name in names if name.startswith(".")}
    assert all(name.endswith(".part") for name in hidden)
    return names - hidden


def whole_page(path):
    return path.read_text().rstrip().endswith("</html>")


def moments(seconds, count):
    """Return random moments of a run, the same in every run of the tests."""
    return np.random.default_rng(15).uniform(0.0, seconds, count)


def timed(folder, *words):
    began = time.monotonic()
    assert run(folder, *words) == 0
    return time.monotonic() - began


def test_a_killed_fit_leaves_whole_files_or_none(place):
    seconds = timed(place, *FIT, "--out", "full")
    for number, moment in enumerate(moments(seconds, 5)):
        out = place / f"out{number}"
        killed(place, *FIT, "--out", out, after=moment)
        found = seen(out)
        assert found <= {"model.kernelect", "columns.toml", "report.html"}
        if "model.kernelect" in found:
            load_model(out / "model.kernelect")
        if "report.html" in found:
            assert whole_page(out / "report.html")
    assert run(place, *FIT, "--out", "out0", "--no-report") == 0
    load_model(place / "out0" / "model.kernelect")


@pytest.mark.parametrize(("words", "name"), [(PREDICT, "p.csv"), (REPORT, "r.html")], ids=["predict", "report"])
def test_a_killed_command_leaves_the_old_file_or_the_new_one(place, words, name):
    seconds = timed(place, *words)
    new = (place / name).read_bytes()
    for moment in moments(seconds, 4):
        (place / name).write_bytes(b"old")
        killed(place, *words, after=moment)
        found = (place / name).read_bytes()
        assert found == b"old" or len(found) == len(new)
        assert seen(place) == {"mixed.csv", "old", name}
    assert run(place, *words) == 0


@pytest.mark.parametrize(("step", "when"), [("fsync", "before"), ("fsync", "after"), ("replace", "before")])
def test_killed_in_the_middle_of_writing(place, step, when):
    (place / "p.csv").write_bytes(b"old")
    # pathlib renames by os.replace, of which it keeps no copy.
    assert run(place, *PREDICT, prepare=dying_at(step, when)) == -signal.SIGKILL
    assert (place / "p.csv").read_bytes() == b"old"
    assert seen(place) == {"mixed.csv", "old", "p.csv"}
    assert run(place, *PREDICT) == 0
    assert (place / "p.csv").read_bytes().startswith(b"prediction,")


def cells(path):
    with Results.open(path) as results:
        return {cell.key: cell.figures.get("error") for cell in results.cells()}


def test_a_study_killed_again_and_again_ends_with_the_same_cells(tmp_path):
    (tmp_path / "tiny.toml").write_text(TEXT)
    words = ("study", "run", "tiny.toml", "--out")
    seconds = timed(tmp_path, *words, "once.sqlite")
    before = {}
    for moment in moments(seconds, 8):
        killed(tmp_path, *words, "often.sqlite", after=moment)
        if (tmp_path / "often.sqlite").exists() and (tmp_path / "often.sqlite").stat().st_size:
            now = cells(tmp_path / "often.sqlite")
            assert before.items() <= now.items()  # no cell is lost, none changes
            before = now
    assert run(tmp_path, *words, "often.sqlite") == 0
    assert cells(tmp_path / "often.sqlite") == cells(tmp_path / "once.sqlite")
    assert seen(tmp_path) == {"tiny.toml", "once.sqlite", "often.sqlite"}


def test_two_runners_on_one_file(tmp_path):
    (tmp_path / "tiny.toml").write_text(TEXT)
    words = ("study", "run", "tiny.toml", "--splits", "6", "--out", "r.sqlite")
    children = [begun(tmp_path, *words) for _ in range(2)]
    codes = [ended(child) for child in children]
    assert sorted(codes) in ([0, 0], [0, 1])  # the second is sent away, or came after the first had ended
    assert run(tmp_path, *words) == 0
    assert len(cells(tmp_path / "r.sqlite")) == 36


def test_two_writers_without_the_lock_lose_nothing(tmp_path):
    """SQLite's own lock is what is left on systems without flock."""
    from contextlib import nullcontext

    import kernelect.cli._lock as lock

    (tmp_path / "tiny.toml").write_text(TEXT)
    words = ("study", "run", "tiny.toml", "--out", "r.sqlite")

    def without_lock():
        lock.only_writer = lambda path: nullcontext()

    children = [begun(tmp_path, *words, prepare=without_lock) for _ in range(2)]
    assert [ended(child) for child in children] == [0, 0]
    assert run(tmp_path, "study", "run", "tiny.toml", "--out", "alone.sqlite") == 0
    assert cells(tmp_path / "r.sqlite") == cells(tmp_path / "alone.sqlite")
