"""A disk that is full: one sentence, no part left, nothing lost that was there. Needs root, for a small disk."""

import os
import subprocess

import pytest
from click.testing import CliRunner

from kernelect.cli.commands import kernelect
from kernelect.studies import Results
from oracles.tables import mixed_frame
from studies.conftest import TEXT

pytestmark = pytest.mark.slow


@pytest.fixture
def disk(tmp_path):
    """A disk of 48 kB in memory."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=48k", "tmpfs", str(place)]
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("a small disk cannot be made here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def run(*words):
    outcome = CliRunner().invoke(kernelect, [str(word) for word in words], catch_exceptions=False)
    return outcome.exit_code, " ".join(outcome.output.split())


def test_files_on_a_full_disk(disk, tmp_path):
    mixed_frame(200).to_csv(tmp_path / "mixed.csv", index=False)
    (disk / "filling").write_bytes(bytes(40_000))
    words = (
        "--target",
        "label",
        "--drop",
        "value",
        "--machine",
        "lssvm",
        "--kernel",
        "rbf",
        "--folds",
        "0",
        "--no-report",
    )
    code, said = run("fit", tmp_path / "mixed.csv", *words, "--out", disk)
    assert code == 1
    assert "model.kernelect' cannot be written (No space left on device): free some space" in said
    assert os.listdir(disk) == ["filling"]
    assert run("fit", tmp_path / "mixed.csv", *words, "--out", tmp_path)[0] == 0
    (disk / "p.csv").write_bytes(b"old")
    code, said = run(
        "predict", tmp_path / "model.kernelect", tmp_path / "mixed.csv", "--out", disk / "p.csv", "--force"
    )
    assert code == 1
    assert "p.csv' cannot be written (No space left on device)" in said
    assert (disk / "p.csv").read_bytes() == b"old"
    assert sorted(os.listdir(disk)) == ["filling", "p.csv"]


def test_results_on_a_full_disk(disk, tmp_path):
    (tmp_path / "tiny.toml").write_text(TEXT)
    words = ("study", "run", tmp_path / "tiny.toml", "--datasets", "twonorm", "--out", disk / "r.sqlite")
    code, said = run(*words)
    assert code == 1
    assert "the disk is full or failing; free some space and run the same command again to resume" in said
    subprocess.run(["mount", "-o", "remount,size=10m", str(disk)], check=True)
    assert run(*words)[0] == 0
    with Results.open(disk / "r.sqlite") as results:
        assert len(list(results.cells())) == 6
