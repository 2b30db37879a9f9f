"""Fragments of the changelog: gathered at a release, refused if there is nothing to gather."""

import importlib.util
from datetime import date
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def gather():
    spec = importlib.util.spec_from_file_location("gather", ROOT / "changelog.d" / "gather.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.gather


@pytest.fixture
def project(tmp_path):
    (tmp_path / "changelog.d").mkdir()
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\nHow.\n\n## 0.1.0 (2026-01-01)\n\nThe first version.\n")
    return tmp_path / "changelog.d", tmp_path / "CHANGELOG.md"


def test_fragments_become_a_section_above_earlier_ones(gather, project):
    folder, changelog = project
    (folder / "b.md").write_text("Second,\nin two lines.\n\nThird.\n")
    (folder / "a.md").write_text("First.\n")
    assert gather(folder, changelog, "0.2.0", date(2026, 2, 1)) == 2
    assert changelog.read_text() == (
        "# Changelog\n\nHow.\n\n## 0.2.0 (2026-02-01)\n\n- First.\n- Second,\n  in two lines.\n- Third.\n\n"
        "## 0.1.0 (2026-01-01)\n\nThe first version.\n"
    )
    assert not list(folder.iterdir())


def test_nothing_to_gather_and_a_version_twice_are_refused(gather, project):
    folder, changelog = project
    with pytest.raises(SystemExit, match="has no fragments"):
        gather(folder, changelog, "0.2.0", date(2026, 2, 1))
    (folder / "a.md").write_text("First.\n")
    with pytest.raises(SystemExit, match=r"has a section '0\.1\.0' already: give the next version"):
        gather(folder, changelog, "0.1.0", date(2026, 2, 1))
    assert (folder / "a.md").exists()


def test_the_changelog_has_a_section_for_this_version():
    import kernelect

    assert f"## {kernelect.__version__} (" in (ROOT / "CHANGELOG.md").read_text()
