"""Definitions: what is read, and what is said of what cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from kernelect.exceptions import InvalidArgument
from kernelect.studies import builtin_studies, parse_study, read_study
from kernelect.studies.build import build


@pytest.mark.parametrize("name", builtin_studies())
def test_builtin_definitions_are_whole(name):
    study = read_study(name)
    for columns in study.published.values():
        known = {method.published for method in study.methods.values()} | set(study.methods)
        assert set(columns) <= known
        for figures in columns.values():
            assert set(figures) <= set(study.datasets) | set(study.methods)
    for method in study.methods.values():
        if method.estimator is not None and not method.requires:
            assert hasattr(build(method.estimator), "fit")


def test_builtin_names():
    assert builtin_studies() == ["barrio", "cawley2007", "gold2003", "kropotov", "peers"]


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
