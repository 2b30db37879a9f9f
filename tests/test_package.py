"""The package as a newcomer meets it."""

import re
from pathlib import Path

import pytest

import kernelect

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("name", kernelect.__all__)
def test_public_names_are_there(name):
    assert getattr(kernelect, name) is not None
    assert name in dir(kernelect)


def test_unknown_names_are_not():
    with pytest.raises(AttributeError, match="no attribute 'LSSVM'"):
        _ = kernelect.LSSVM


def test_the_readmes_python_runs(capsys):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert capsys.readouterr().out


def test_the_readmes_commands_are_in_the_makefile():
    commands = re.findall(r"^make (\w+)", (ROOT / "README.md").read_text(), flags=re.MULTILINE)
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert {"demo", "test"} <= set(commands) <= set(targets)


def test_no_file_holds_more_than_350_lines():
    lengths = {path: len(path.read_text().splitlines()) for path in (ROOT / "src").rglob("*.py")}
    assert lengths
    long = {str(path.relative_to(ROOT)): length for path, length in lengths.items() if length > 350}
    assert not long, f"split what holds two ideas: {long}"
