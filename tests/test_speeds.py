import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from speeds import Within, spread

FOLDER = Path(__file__).parent


def test_some_tests_of_every_file_come_first():
    tests = [f"{file}{place}" for file in "abc" for place in range(5)]
    assert spread(tests, lambda test: test[0]) == [
        *("a0", "b0", "c0"),
        *("a1", "a2", "b1", "b2", "c1", "c2"),
        *("a3", "a4", "b3", "b4", "c3", "c4"),
    ]


def test_no_test_starts_after_the_seconds():
    worker = SimpleNamespace(workeroutput={})
    early, late = Within(worker, 600.0), Within(worker, 0.0)
    assert early.pytest_runtest_protocol("a test") is None  # pytest goes on and runs it
    assert [late.pytest_runtest_protocol("a test") for _ in range(3)] == [True, True, True]
    late.pytest_sessionfinish()
    early.pytest_testnodedown(worker)
    lines = []
    early.pytest_terminal_summary(SimpleNamespace(write_line=lines.append))
    assert lines == ["3 tests were left out after 600 seconds."]


@pytest.mark.slow
def test_two_workers_leave_out_tests_and_a_failure_is_one(tmp_path):
    (tmp_path / "conftest.py").write_text((FOLDER / "conftest.py").read_text(encoding="utf-8"))
    (tmp_path / "pytest.ini").write_text(f"[pytest]\npythonpath = {FOLDER}\n")
    (tmp_path / "test_a.py").write_text("def test_wrong(): assert False\ndef test_right(): pass\n" * 2)
    for seconds, code, words in ((0, 0, "2 tests were left out after 0 seconds."), (600, 1, "1 failed, 1 passed")):
        command = [sys.executable, "-m", "pytest", "-q", "-n2", f"--within={seconds}", "-p", "no:cacheprovider"]
        found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert (found.returncode, words in found.stdout) == (code, True)
