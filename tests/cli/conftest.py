import pytest
from click.testing import CliRunner

import kernelect.facts
import kernelect.report
from kernelect.cli.commands import kernelect as group
from oracles.tables import mixed_frame


@pytest.fixture
def report_page(monkeypatch):
    """The facts that pages were written of; no picture is computed and no page drawn, which takes long."""
    calls = []

    def write_report(path, facts, force):
        calls.append(facts)
        path.write_text(f"report on {facts['title']}")

    monkeypatch.setattr(
        kernelect.facts, "gather_for_page", lambda *words, **more: {"pictures": [{"rows": len(words[1])}]}
    )
    monkeypatch.setattr(kernelect.report, "write_report", write_report)
    return calls


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in a folder of its own; what is not expected is raised. No code: any is."""
    monkeypatch.chdir(tmp_path)

    def invoke(*words, code=0, **options):
        outcome = CliRunner().invoke(group, [str(word) for word in words], catch_exceptions=False, **options)
        assert code is None or outcome.exit_code == code, outcome.output
        return outcome

    return invoke


@pytest.fixture
def folder(tmp_path):
    """A folder with a table of mixed columns in it."""
    mixed_frame().to_csv(tmp_path / "mixed.csv", index=False)
    return tmp_path
