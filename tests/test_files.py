import os
from pathlib import Path

import pytest

from kernelect.exceptions import InvalidArgument, UnwritableFile
from kernelect.files import check_free, write_whole


def test_a_file_is_written_and_its_folder_made(tmp_path):
    write_whole(tmp_path / "a" / "b.txt", b"one")
    assert (tmp_path / "a" / "b.txt").read_bytes() == b"one"
    assert os.listdir(tmp_path / "a") == ["b.txt"]


def test_a_file_that_is_there_is_replaced_only_by_leave(tmp_path):
    path = tmp_path / "b.txt"
    write_whole(path, b"one")
    with pytest.raises(InvalidArgument, match=r"b.txt' is there already: overwrite it with --force"):
        write_whole(path, b"two")
    assert path.read_bytes() == b"one"
    write_whole(path, b"two", force=True)
    assert path.read_bytes() == b"two"


def test_what_fails_on_the_way_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "b.txt"
    write_whole(path, b"one")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(UnwritableFile, match=r"b.txt' cannot be written \(No space left on device\)"):
        write_whole(path, b"two", force=True)
    assert path.read_bytes() == b"one"
    assert os.listdir(tmp_path) == ["b.txt"]


def test_a_folder_and_a_file_below_a_file_are_refused(tmp_path):
    with pytest.raises(InvalidArgument, match="is a folder: give the name of a file"):
        check_free(tmp_path, force=True)
    write_whole(tmp_path / "b.txt", b"one")
    with pytest.raises(InvalidArgument, match="is no folder that can be written to"):
        check_free(tmp_path / "b.txt" / "c.txt", force=True)
