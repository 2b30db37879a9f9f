"""Pages that people follow say what the code says, without building the site."""

import ast
import re
from pathlib import Path

import click
import pytest

from kernelect.cli.commands import kernelect
from kernelect.results import Status

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("[!_]*/*.md")), *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
TROUBLE = (ROOT / "docs" / "guide" / "troubleshooting.md").read_text()


def commands_of(text):
    """Yield the words of every command line in the shell blocks of a page."""
    for block in re.findall(r"```(?:sh|\{commands\})\n(.*?)```", text, flags=re.DOTALL):
        for line in re.sub(r"\\\n", " ", block).splitlines():
            if line.startswith("kernelect "):
                yield line.split("#")[0].split(">")[0].split()[1:]


def misused(words):
    """Return the words of a command line that no command or option of that command answers to."""
    command = kernelect
    while isinstance(command, click.Group):
        name, *words = words
        if name not in command.list_commands(click.Context(command)):
            return [name]
        command = command.get_command(click.Context(command), name)
    known = {spelling for parameter in command.params for spelling in parameter.opts} | {"--help"}
    return [word for word in words if word.startswith("--") and word not in known]


def test_pages_name_commands_and_options_that_exist():
    lines = [(page, words) for page in PAGES for words in commands_of(page.read_text())]
    assert len(lines) > 40
    wrong = [f"{page.name}: kernelect {' '.join(words)}" for page, words in lines if misused(words)]
    assert not wrong


@pytest.mark.parametrize("line", ["fit a.csv --tarket b", "fitt a.csv", "study runn x"])
def test_a_misspelt_command_is_noticed(line):
    assert misused(line.split())


@pytest.mark.parametrize("status", list(Status))
def test_every_status_is_explained(status):
    assert f"| {status.value} |" in TROUBLE


def test_every_doubt_is_explained():
    codes = set()
    for path in (ROOT / "src" / "kernelect").glob("*/*.py"):
        source = path.read_text()
        codes |= set(re.findall(r"_doubt\(\s*\"([\w-]+)\"", source)) | set(re.findall(r"\bcode=\"([\w-]+)\"", source))
    assert {"flat", "groups"} <= codes
    assert {code for code in codes if f"| `{code}` |" not in TROUBLE} == set()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_asks_one_question_and_ends_with_an_answer(path):
    source = path.read_text()
    title = ast.get_docstring(ast.parse(source)).splitlines()[0]
    assert title.endswith("?")
    steps = re.findall(r"^# (.+)\n# -{4,}$", source, flags=re.MULTILINE)
    assert steps[-1] == "Answer"
    assert len(steps) > 2


def test_the_gallery_has_its_examples():
    assert len(EXAMPLES) >= 15
