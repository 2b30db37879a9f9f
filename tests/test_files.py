"""Files are there whole or not at all, and only regular ones are replaced."""

import os
import stat

import pytest

from kernelect.exceptions import InvalidArgument, UnwritableFile
from kernelect.files import check_free, make_folder, write_whole, writing_whole


def test_folders_are_made_and_nothing_else_is_left(tmp_path):
    write_whole(tmp_path / "a" / "b" / "file", b"new")
    assert os.listdir(tmp_path / "a" / "b") == ["file"]


def test_a_file_is_replaced_with_leave_only(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(InvalidArgument, match="is there already: overwrite it with --force"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    write_whole(path, b"new", force=True)
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("force", [False, True])
def test_pipes_and_devices_are_never_replaced(tmp_path, force):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/null")
    for path in (tmp_path / "pipe", tmp_path / "link"):
        with pytest.raises(InvalidArgument, match="is a device or a pipe, which is never replaced"):
            write_whole(path, b"new", force)
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").is_symlink()
    with pytest.raises(InvalidArgument, match="is a device or a pipe"):
        check_free((tmp_path / "link").resolve(), force)


@pytest.mark.parametrize("force", [False, True])
def test_a_link_that_leads_nowhere_is_told(tmp_path, force):
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    with pytest.raises(InvalidArgument, match=r"is a link to .*gone', which does not exist: remove the link"):
        write_whole(tmp_path / "link", b"new", force)
    assert os.listdir(tmp_path) == ["link"]


def test_a_link_to_a_file_stays_and_the_file_is_replaced(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    target = tmp_path / "elsewhere" / "file"
    target.write_bytes(b"old")
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(InvalidArgument, match="is there already"):
        write_whole(tmp_path / "link", b"new")
    write_whole(tmp_path / "link", b"new", force=True)
    assert (tmp_path / "link").is_symlink()
    assert target.read_bytes() == b"new"
    assert os.listdir(tmp_path / "elsewhere") == ["file"]


def test_links_in_a_circle(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(InvalidArgument, match="'.*a'"):
        write_whole(tmp_path / "a", b"new", force=True)


def test_names_that_cannot_be(tmp_path):
    for path in (tmp_path / ("n" * 300), tmp_path / "a\0b"):
        with pytest.raises(InvalidArgument, match="cannot be written"):
            write_whole(path, b"new")
    with pytest.raises(InvalidArgument, match="is a folder"):
        write_whole(tmp_path, b"new", force=True)
    write_whole(tmp_path / ("n" * 255), b"new")  # the longest name there is


def test_folders_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(UnwritableFile, match=r"The folder .* cannot be made \(Not a directory\): choose another --out"):
        make_folder(tmp_path / "file" / "inside")
    with pytest.raises(InvalidArgument, match="is not a folder that can be written to"):
        write_whole(tmp_path / "file" / "inside", b"new")


def test_a_full_disk_leaves_the_old_file_and_no_part(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UnwritableFile, match="cannot be written \\(No space left on device\\): free some space"):
        write_whole(path, b"new", force=True)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_while_another_is_written_is_not_replaced_without_leave(tmp_path, monkeypatch, links):
    if not links:
        monkeypatch.delattr(os, "link")
    path = tmp_path / "a.txt"
    writing = writing_whole(path)
    writing.__enter__().write(b"new")
    path.write_bytes(b"old")
    with pytest.raises(InvalidArgument, match=r"a\.txt' is there already"):
        writing.__exit__(None, None, None)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.txt"]
    with writing_whole(path, force=True) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"


def test_a_file_that_is_replaced_keeps_its_mode(tmp_path):
    path = tmp_path / "a.txt"
    write_whole(path, b"old")
    for mode in (0o600, 0o640):
        path.chmod(mode)
        write_whole(path, b"new", force=True)
        assert stat.S_IMODE(path.stat().st_mode) == mode
