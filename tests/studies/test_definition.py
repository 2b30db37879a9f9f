"""Definitions: what is read, and what is said of what cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from kernelect.exceptions import InvalidArgument
from kernelect.studies import builtin_studies, parse_study, read_study
from kernelect.studies.build import build
from kernelect.studies.outside import PEERS


@pytest.mark.parametrize("name", builtin_studies())
def test_builtin_definitions_are_whole(name):
    study = read_study(name)
    for columns in study.published.values():
        known = {method.published for method in study.methods.values()} | set(study.methods)
        assert set(columns) <= known
        for figures in columns.values():
            assert set(figures) <= set(study.datasets) | set(study.methods)
    for method in study.methods.values():
        if method.packages:
            assert method.estimator["peer"] in PEERS
        elif method.estimator is not None and not method.requires:
            assert hasattr(build(method.estimator), "fit")


def test_builtin_names():
    assert builtin_studies() == [
        "barrio",
        "cawley2007",
        "gold2003",
        "kropotov",
        "large",
        "medium",
        "peers",
        "priors",
        "public",
        "tables",
    ]


def test_methods_of_cawley():
    methods = read_study("cawley2007").methods
    wanted = {"lssvm", "lssvm-br", "ep-gpc", "lssvm-ard", "lssvm-br-ard", "ep-gpc-ard", "default"}
    assert wanted <= set(methods)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "tiny"', "", "has no 'name'"),
        ("splits = 3", "splitz = 3", "Did you mean 'splits'"),
        ("estimator =", "estimater =", "Did you mean 'estimator'"),
        ('name = "tiny"', "name = ", "not valid TOML"),
        ('metric = "error"', 'metric = "error"\nmethods = ["outs"]', "Did you mean 'ours'"),
        ('published = "column"', 'needs = "theirz"', "Did you mean 'theirs'"),
    ],
)
def test_wrong_definitions(text, old, new, words):
    with pytest.raises(InvalidArgument, match=words):
        parse_study(text.replace(old, new, 1))


def test_unknown_study_and_file(tmp_path):
    with pytest.raises(InvalidArgument, match="Did you mean 'cawley2007'"):
        read_study("cawley2008")
    with pytest.raises(InvalidArgument, match="cannot be read"):
        read_study(str(tmp_path / "none.toml"))


def test_chosen_names_keep_the_order_of_the_study(tiny):
    assert tiny.chosen("datasets", "waveform, twonorm") == ["twonorm", "waveform"]
    with pytest.raises(InvalidArgument, match="--methods='our' is not known. Did you mean 'ours'"):
        tiny.chosen("methods", "our")


def test_objects_are_built_from_tables():
    model = build({"call": "kernelect.LSSVC", "prior": {"none": True}, "kernel": {"call": "kernelect.kernels.RBF"}})
    assert model.prior is None
    assert type(model.kernel).__name__ == "RBF"
    assert build({"call": "numpy.add", "args": [1, 2]}) == np.int64(3)
    with pytest.raises(InvalidArgument, match="was not found"):
        build({"call": "kernelect.LSSVD"})
    with pytest.raises(InvalidArgument, match="cannot be called with"):
        build({"call": "kernelect.LSSVC", "kernal": "rbf"})


WRONG = [
    ('name = "tiny"', "name = 3", "name = 3 in the definition must be text"),
    ('name = "tiny"', 'name = "../tiny"', "since files are named by it"),
    ("splits = 3", 'splits = "three"', "splits = 'three' in the definition must be a whole number"),
    ("splits = 3", "splits = 0", "splits = 0 in the definition must be a whole number from 1"),
    ("splits = 3", "splits = true", "splits = True in the definition must be a whole number"),
    ("splits = 3", "seed = 99999999999999999999", "seed = 99999999999999999999 in the definition"),
    ("splits = 3", "seed = -1", "seed = -1 in the definition"),
    ("splits = 3", "time_limit = 0", "time_limit = 0 in the definition must be a positive number"),
    ("splits = 3", 'time_limit = "long"', "time_limit = 'long' in the definition must be a number"),
    ('default = "ours"', 'default = "our"', "Did you mean 'ours'"),
    ('default = "ours"', "notes = []", "notes = \\[\\] in the definition must be text"),
    ("[protocol]\n", 'protocol = "draws"\n[other]\n', "protocol = 'draws'|the key in the definition='other'"),
    ("rows = 40", 'rows = "forty"', "rows = 'forty' in the protocol of the definition must be a whole number"),
    ("rows = 40", "rows = -1", "rows = -1 in the protocol"),
    ("rows = 40", 'fraction = "half"', "fraction = 'half' in the protocol of the definition must be a number"),
    ("rows = 40", "kind2 = 1\ngroups = [1]", r"groups = \[1\] in the protocol .* a list of which each is text"),
    ("twonorm = {}", "twonorm = 1", "datasets.twonorm = 1 in the definition must be a table"),
    ("twonorm = {}", '"a/b" = {}', "'a/b', a name in datasets"),
    ("twonorm = {}", "twonorm = {rows = 1.5}", "rows = 1.5 in the data set 'twonorm' of the definition"),
    ("twonorm = {}", 'twonorm = {openml = "x"}', "openml = 'x' in the data set 'twonorm'"),
    ('label = "LSSVC"', "label = 1", "label = 1 in the method 'ours' of the definition must be text"),
    ('label = "LSSVC"', "runner = 1", "runner = 1 in the method 'ours'"),
    ('label = "LSSVC"', "options = 1", "options = 1 in the method 'ours' of the definition must be a table"),
    ('label = "LSSVC"', 'requires = "torch"', "requires = 'torch' in the method 'ours' .* a list"),
    ('label = "LSSVC"', "needs = 1", "needs = 1 in the method 'ours'"),
    ('label = "LSSVC"', "splits = 0.5", "splits = 0.5 in the method 'ours'"),
    ("[[tables]]", "[tables]", "must be a list: write each table below"),
    ('title = "Test error, %"', "title = 1", "title = 1 in a table of the definition must be text"),
    ('metric = "error"', "digits = 2", "a table of the definition is not complete"),
    ('metric = "error"', 'metric = "error"\ndigits = 99', "digits = 99 in the table"),
    ('metric = "error"', 'metric = "error"\nkind = "mean"', "Did you mean 'means'"),
    ('metric = "error"', 'metric = "error"\nmethods = "ours"', "methods = 'ours' in a table"),
    ("twonorm = [5.0, 0.5]", 'twonorm = "five"', "published = .* must be a table"),
    ("[published.error.column]\ntwonorm = [5.0, 0.5]", "[published]\nerror = 5", "published = .* must be a table"),
]


@pytest.mark.parametrize(("old", "new", "words"), WRONG, ids=[new.partition("\n")[0] for _, new, _ in WRONG])
def test_values_of_a_wrong_type_or_range(text, old, new, words):
    assert old in text
    with pytest.raises(InvalidArgument, match=words):
        parse_study(text.replace(old, new, 1))


def test_methods_that_are_no_table(text):
    head = text.partition("[methods.ours]")[0].replace('name = "tiny"', 'name = "tiny"\nmethods = ["ours"]')
    with pytest.raises(InvalidArgument, match=r"methods = \['ours'\] in the definition must be a table"):
        parse_study(head)
    with pytest.raises(InvalidArgument, match="datasets = 'twonorm' in the definition must be a table"):
        parse_study('name = "a"\ndatasets = "twonorm"\n[protocol]\nkind = "draws"\n[methods.a]\n')


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"call": 3}, "3 must be text of the form package.module.name"),
        ({"call": "kernelect.LSSVC", "args": 3}, "args = 3 of call = 'kernelect.LSSVC' must be a list"),
        ({"call": "builtins.int", "args": ["x"]}, r"cannot be called with \['x', {}\] \(ValueError"),
        ({"call": "sys.exit", "args": [0]}, r"call = 'sys.exit' cannot be called with .* \(SystemExit: 0\)"),
        ({"call": "studies.leaves.anything"}, r"'studies.leaves.anything' was not found \(SystemExit: 3\)"),
    ],
)
def test_calls_that_go_wrong_are_sentences(entry, words):
    with pytest.raises(InvalidArgument, match=words):
        build(entry)
