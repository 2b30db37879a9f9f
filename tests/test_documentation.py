"""Pages that list parts say what the registries say."""

import importlib.util
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from contracts.declared import declared_classes
from kernelect.cli import fit
from kernelect.estimators import ESTIMATORS
from kernelect.registry import REGISTRIES

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def parts():
    spec = importlib.util.spec_from_file_location("parts", ROOT / "docs" / "parts.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tables_of_parts_follow_from_the_registries(parts):
    text = parts.PAGE.read_text()
    assert "<!-- parts: criteria -->" in text
    assert text == parts.written(text), "parts.md is behind the registries: run python docs/parts.py"


def test_a_part_that_a_table_lacks_is_noticed(parts):
    text = parts.PAGE.read_text()
    assert parts.written(text.replace('`"gcv"`', "")) == parts.written(text) != text.replace('`"gcv"`', "")


def test_the_readme_has_a_row_for_every_estimator():
    table = (ROOT / "README.md").read_text().split("| estimator | machine |")[1].split("\n\n")[0]
    first = " ".join(re.findall(r"^\| (`[^|]+) \|", table, flags=re.MULTILINE))
    assert set(re.findall(r"`(\w+)`", first)) == {cls.__name__ for cls in declared_classes("estimator")}


def test_the_commands_help_lists_the_parts_of_the_registries(parts):
    assert parts.NAMES.read_text() == parts.names_text(), "cli/names.json is behind: run python docs/parts.py"


def test_the_help_of_fit_names_every_part():
    help_text = " ".join(
        CliRunner().invoke(fit.fit_command, ["--help"], terminal_width=4000, max_content_width=4000).output.split()
    )
    for kind in ("kernel", "prior", "criterion", "subset criterion"):
        assert [name for name in REGISTRIES[kind].names if name not in help_text] in ([], ["precomputed"])
    assert all(machine in help_text for machine in ESTIMATORS.by_machine())
