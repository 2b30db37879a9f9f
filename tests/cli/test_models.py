"""Commands on saved models: predict, inspect, report; compare, sample, completion."""

import io
import json
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from kernelect.cli.commands import COMMANDS
from kernelect.cli.sample import SAMPLES
from kernelect.datasets.samples import sample_table
from kernelect.tabular import save_model
from oracles.tables import mixed_frame


@pytest.fixture
def saved(folder, fitted):
    """A folder with a table and models of it."""
    for target, model in fitted.items():
        save_model(model, folder / f"{target}.kernelect")
    return folder


@pytest.fixture(scope="session")
def fitted():
    from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table

    models = {}
    for target, other in (("label", "value"), ("value", "label")):
        schema, rows, remarks = describe_table(mixed_frame(), target, drop=[other])
        options = MachineOptions("lssvm", kernel="rbf")
        models[target] = fit_table(rows, schema, options, FoldOptions(0), title="mixed.csv", remarks=tuple(remarks))
    return models


def test_predictions_are_printed_as_csv_and_remarks_apart(run, saved):
    outcome = run("predict", "label.kernelect", "mixed.csv")
    frame = pd.read_csv(io.StringIO(outcome.stdout))
    assert list(frame.columns) == ["prediction", "probability:big", "probability:small"]
    assert len(frame) == 60
    assert outcome.stderr == ""  # 'value' was there in training too, and not used
    frame.assign(**mixed_frame(), new=1).to_csv(saved / "more.csv", index=False)
    assert "ignored: 'prediction'" in run("predict", "label.kernelect", "more.csv").stderr


def test_predictions_in_a_file(run, saved):
    words = ("predict", "value.kernelect", "mixed.csv", "--out", "p.csv", "--interval", "0.9", "--id", "colour")
    assert "60 predictions written to p.csv" in run(*words).stdout
    frame = pd.read_csv(saved / "p.csv")
    assert list(frame.columns) == ["colour", "prediction", "standard_deviation", "lower", "upper"]
    assert "is there already" in run(*words, code=2).output
    run(*words, "--force", "--quiet")


def test_predictions_as_json(run, saved):
    document = json.loads(run("predict", "label.kernelect", "mixed.csv", "--json", "--id", "colour").stdout)
    assert len(document["predictions"]) == 60
    assert document["predictions"][0]["colour"] is None
    assert document["file"] is None
    assert document["remarks"] == []


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("label.kernelect", "short.csv"), 1, "lacks 1 column the model needs: 'colour'"),
        (("label.kernelect", "mixed.csv", "--interval", "0.9"), 2, "--interval 0.9 is for regression"),
        (("label.kernelect", "mixed.csv", "--id", "color"), 2, "Did you mean 'colour'?"),
        (("mixed.csv", "mixed.csv"), 1, "mixed.csv is not a model file: give the model.kernelect"),
        (("none.kernelect", "mixed.csv"), 1, "There is no model file 'none.kernelect'"),
        (("bad.pkl", "mixed.csv"), 1, "bad.pkl is a pickle, which could run any code: it is never loaded."),
    ],
)
def test_mistakes_are_explained(run, saved, words, code, message):
    pd.read_csv(saved / "mixed.csv").drop(columns="colour").to_csv(saved / "short.csv", index=False)
    (saved / "bad.pkl").write_bytes(pickle.dumps([1]))
    outcome = run("predict", *words, code=code)
    assert message in " ".join(outcome.output.split())


def test_inspect_says_what_it_is(run, saved):
    outcome = run("inspect", "label.kernelect")
    for words in ("Predicting label from", "gamma", "regularization", "colour", "3 categories", "scikit-learn", "kB"):
        assert words in outcome.stdout
    facts = json.loads(run("inspect", "label.kernelect", "--json").stdout)
    assert facts["bytes"] == os.path.getsize(saved / "label.kernelect")
    assert facts["versions"]["kernelect"]


def test_the_report_is_made_again(run, saved, report_page):
    outcome = run("report", "label.kernelect", "mixed.csv", "--out", "page.html")
    assert "Written: page.html" in outcome.stdout
    (facts,) = report_page
    assert facts["pictures"] == [{"rows": 60}]
    assert facts["quality"]["shown"] == "leave-one-out"
    assert "is there already" in run("report", "label.kernelect", "mixed.csv", "--out", "page.html", code=2).output
    assert json.loads(run("report", "label.kernelect", "mixed.csv", "--json").stdout)["file"] == "report.html"


def test_compare_shows_paired_differences(run, folder):
    words = ("compare", "mixed.csv", "--target", "value", "--drop", "label", "--folds", "2", "--machine", "lssvm")
    kernels = ("--kernel", "rbf", "--kernel", "linear")
    document = json.loads(run(*words, *kernels, "--json").stdout)
    names = [row["name"] for row in document["candidates"]]
    assert sorted(names[:5]) == [
        "lssvm linear",
        "lssvm rbf",
        "sklearn SVR grid",
        "sklearn gradient boosting",
        "sklearn random forest",
    ]
    assert document["score"] == "RMSE"
    assert document["candidates"][0]["difference"] is None
    assert document["candidates"][-1]["difference"]["value"] > 0
    outcome = run(*words, "--kernel", "linear")
    assert "Predicting value from mixed.csv: 2 outer folds, the same for all" in " ".join(outcome.stdout.split())


def test_samples_are_written_and_can_be_read(run, tmp_path):
    from kernelect.tabular import describe_table, read_table

    assert run("sample", "--help").stdout
    for name in SAMPLES:
        said = run("sample", name).stdout
        table, target = sample_table(name)
        assert f"kernelect fit {name}.csv --target {target}" in said
        schema, rows, _ = describe_table(read_table(tmp_path / f"{name}.csv").frame, target)
        assert len(rows.y) == len(table)
        assert (schema.task == "regression") == (name == "diabetes")
    assert run("sample", "wine").stdout.startswith("wine.csv: 178 rows")  # the same table is there: a second guide
    (tmp_path / "wine.csv").write_text("mine")
    assert "is there already" in run("sample", "wine", code=2).output
    assert (tmp_path / "wine.csv").read_text() == "mine"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(run, shell):
    assert "_KERNELECT_COMPLETE" in run("completion", shell).stdout


def test_words_are_completed_without_loading_commands():
    environment = {
        **os.environ,
        "_KERNELECT_COMPLETE": "bash_complete",
        "COMP_WORDS": "kernelect in",
        "COMP_CWORD": "1",
    }
    command = [sys.executable, "-c", "from kernelect.cli import main; main()"]
    out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert out.split() == ["plain,inspect"]


def test_help_of_every_command_needs_no_numerics():
    names = sorted(set(COMMANDS) - {"demo"})
    script = (
        "import sys; from click.testing import CliRunner; from kernelect.cli.commands import kernelect;"
        f"codes = [CliRunner().invoke(kernelect, [name, '--help']).exit_code for name in {names}];"
        "print(sum(codes), [name for name in ('numpy', 'pandas', 'sklearn', 'rich') if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert out.split("\n")[0] == "0 []"


@pytest.mark.slow
def test_the_readmes_commands_run(run, report_page):
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    commands = re.findall(r"^kernelect ([^#\n]+)", readme, flags=re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["sample", "fit", "predict"]
    for command in commands:
        run(*command.split())


@pytest.mark.slow
def test_make_demo_ends_by_naming_the_report(run, report_page):
    makefile = (Path(__file__).parents[2] / "Makefile").read_text()
    commands = re.findall(r"^\t\$\(BIN\)/kernelect (.+)", makefile, flags=re.MULTILINE)
    for command in commands:
        outcome = run(*command.split())
    written, found, remark = outcome.stdout.split("Written: ")[1].split("\n", 2)
    assert written == "demo/model.kernelect, demo/columns.toml, demo/report.html"
    assert found == "How the model was found: kernelect inspect demo/model.kernelect"
    assert remark.startswith("report.html: This page contains")


def test_figures_are_never_cut_on_a_narrow_terminal():
    from rich.console import Console

    from kernelect.cli._show import score_table
    from kernelect.facts.quality import BASELINE, LEAVE_ONE_OUT, OUTER_FOLDS

    scores = [{"name": name, "words": "0.123 ± 0.012"} for name in ("error", "log-loss", "Brier score", "AUC")]
    names = {"5 outer folds, 3 times": OUTER_FOLDS, "leave-one-out": LEAVE_ONE_OUT, "the mean, always": BASELINE}
    estimates = [{"name": name, "role": role, "scores": scores} for name, role in names.items()]
    console = Console(width=60, file=io.StringIO())
    console.print(score_table({"estimates": estimates}))
    assert console.file.getvalue().count("0.123 ± 0.012") == 12
    assert "Brier score" in console.file.getvalue()


def test_a_command_does_not_import_all_of_scikit_learn_to_read_a_model(saved):
    program = (
        "import sys; from click.testing import CliRunner; from kernelect.cli.commands import kernelect; "
        f"done = CliRunner().invoke(kernelect, ['inspect', {str(saved / 'label.kernelect')!r}]); "
        "print(done.exit_code, 'sklearn.utils._testing' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split(maxsplit=1) == ["0", "False\n"]


@pytest.mark.parametrize(("target", "score", "miss"), [("value", "RMSE", "off by"), ("label", "error", "of the truth")])
def test_a_model_is_scored_on_rows_whose_truth_is_known(run, saved, target, score, miss):
    words = ("evaluate", f"{target}.kernelect", "mixed.csv", "--by", "colour", "--worst", "2")
    outcome = run(*words)
    assert outcome.stdout.startswith("60 of 60 rows stand in the training table: ")
    assert f"On 60 rows the {score} is " in " ".join(outcome.stdout.split())
    assert "By colour" in outcome.stdout
    facts = json.loads(run(*words, "--json").stdout)
    assert (facts["rows"], facts["main"], facts["by"]) == (60, score, "colour")
    assert len(facts["worst_rows"]) <= 2
    assert (miss in outcome.stdout) == bool(facts["worst_rows"])


def test_drift_is_told_on_the_terminal_in_json_and_on_a_page(run, saved):
    frame = mixed_frame().drop(columns="value").assign(weight=lambda frame: frame["weight"] + 9.0)
    frame.to_csv(saved / "new.csv", index=False)
    outcome = run("drift", "value.kernelect", "new.csv", "--out", "drift.html")
    assert outcome.stdout.startswith("These rows differ from the training rows in weight.")
    assert "Written: drift.html" in outcome.stdout
    assert "1 of 3 columns differ" in (saved / "drift.html").read_text()
    assert "is there already" in run("drift", "value.kernelect", "new.csv", "--out", "drift.html", code=2).output
    facts = json.loads(run("drift", "value.kernelect", "new.csv", "--json").stdout)
    assert [one["name"] for one in facts["columns"]] == ["weight"]
    assert facts["file"] is None


def test_every_command_on_tables_reads_a_sheet_by_name(run, saved):
    pytest.importorskip("openpyxl")
    with pd.ExcelWriter(saved / "book.xlsx") as book:
        pd.DataFrame({"notes": [1]}).to_excel(book, sheet_name="notes", index=False)
        mixed_frame().to_excel(book, sheet_name="rows", index=False)
    for command in ("predict", "evaluate", "drift", "explain", "report"):
        said = " ".join(run(command, "value.kernelect", "book.xlsx", "--sheet", "other", code=2).output.split())
        assert "--sheet 'other' must be one of the 2 sheets of book.xlsx ('notes', 'rows')" in said
    for command in ("predict", "evaluate", "drift"):
        run(command, "value.kernelect", "book.xlsx", "--sheet", "rows")
    said = " ".join(run("fit", "book.xlsx", "--target", "value", code=1).output.split())
    assert "give --sheet 'rows'" in said
    words = ("--target", "value", "--machine", "lssvm", "--kernel", "rbf", "--folds", "0", "--no-report")
    run("fit", "book.xlsx", *words, "--sheet", "2")
    said = run("predict", "value.kernelect", "t.parquet", "--engine", "local", "--sheet", "rows", code=2).output
    assert "--engine reads no Excel files" in " ".join(said.split())


def test_a_table_without_the_target_cannot_score_a_model(run, saved):
    mixed_frame().drop(columns="value").to_csv(saved / "less.csv", index=False)
    assert "'value'" in run("evaluate", "value.kernelect", "less.csv", code=2).output
