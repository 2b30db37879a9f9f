"""Model files that were made to take time or memory: ``kernelect inspect`` refuses them in a sentence, and soon."""

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from fuzz.mutations import archive_of, members_of
from kernelect.tabular import save_model
from speeds import slowly

#: What a refusal may take: CPU seconds without imports, and megabytes with them.
_MOST_SECONDS, _MOST_MEGABYTES = 1.0, 300

#: Inspects a file after all is imported; prints the exit code, what was said, and what that took.
_INSPECT = """
import json, re, sys, time
from pathlib import Path
from click.testing import CliRunner
import kernelect.cli._show
from kernelect.cli.inspect import inspect_command
from kernelect.tabular import load_model
began = time.process_time()
found = CliRunner().invoke(inspect_command, [sys.argv[1]])
seconds = time.process_time() - began
kilobytes = re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())
print(json.dumps([found.exit_code, found.output, seconds, int(kilobytes.group(1)) / 1024]))
"""


@pytest.fixture(scope="module")
def members(classifier, tmp_path_factory):
    """The members of a model file."""
    path = tmp_path_factory.mktemp("whole") / "m.kernelect"
    save_model(classifier, path)
    return members_of(path.read_bytes())


@pytest.fixture
def inspected(tmp_path):
    """Return what ``kernelect inspect`` says of a file, after checking what that took."""
    if not Path("/proc/self/status").exists():
        pytest.skip("the memory of a process is read as Linux has it")

    def said(data):
        path = tmp_path / "m.kernelect"
        path.write_bytes(data)
        command = [sys.executable, "-c", _INSPECT, str(path)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        code, output, seconds, megabytes = json.loads(run.stdout)
        assert code == 1
        assert output.startswith("Error: ")
        assert output.count("\n") == 1
        assert seconds < _MOST_SECONDS
        assert megabytes < _MOST_MEGABYTES
        return output

    return said


def with_kernel(members, kernel):
    """Return an archive whose first part has another kernel."""
    document = json.loads(members["model.json"])
    document["model"]["components"][0]["parts"][0]["kernel"] = kernel
    return archive_of({**members, "model.json": json.dumps(document).encode()})


def test_a_text_padded_to_half_a_gigabyte(members, inspected):
    padded = members["model.json"][:-1] + b" " * (500 * 2**20) + b"}"
    data = archive_of({**members, "model.json": padded})
    assert len(data) < 2 * 2**20
    assert "it would unpack from" in inspected(data)


def test_a_padded_text_in_a_file_so_large_that_it_may_unpack_to_it(members, inspected):
    """The limit of the archive is a ratio; that of a text is in bytes and counts before the text is read."""
    padded = members["model.json"][:-1] + b" " * (400 * 2**20) + b"}"
    file = io.BytesIO(archive_of({**members, "model.json": padded}))
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(zipfile.ZipInfo("arrays/998.npy"), bytes(8 * 2**20), zipfile.ZIP_STORED)
    assert "its model.json has" in inspected(file.getvalue())


@pytest.mark.parametrize("value", ["[]", *slowly("{}", "0.125")])
def test_a_text_of_as_many_values_as_are_parsed(members, inspected, value):
    many = '{"format": "kernelect-model", "version": 1, "model": [' + ",".join([value] * 480_000) + "]}"
    assert "model is no record" in inspected(archive_of({"model.json": many.encode()}))


def test_records_nested_deeper_than_a_model(members, inspected):
    """A record cannot refer to another one: nesting costs what it takes to write it down, and ends at a limit."""
    kernel = {"is": "constant", "constant": 1.0}
    for _ in range(65):
        kernel = {"is": "on-columns", "columns": [0], "kernel": kernel}
    assert "is nested deeper than 64 levels" in inspected(with_kernel(members, kernel))


def test_a_later_version_of_the_format(members, inspected):
    """The version is read before anything that a later format may mean otherwise."""
    document = {**json.loads(members["model.json"]), "version": 2, "model": [[0.125] * 1000] * 200}
    assert "install a newer kernelect" in inspected(
        archive_of({**members, "model.json": json.dumps(document).encode()})
    )


def test_shared_references_of_the_format_before(inspected):
    shared = {"content": [{"__id__": 1}] * 45, "__id__": 1}
    assert "is a skops file" in inspected(archive_of({"schema.json": json.dumps(shared).encode()}))
