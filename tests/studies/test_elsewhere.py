"""Peers in environments of their own: files there and back, what is missing, time limits, failures."""

import os
import stat
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from kernelect.cli.commands import kernelect as group
from kernelect.exceptions import InvalidArgument
from kernelect.studies import Plan, read_study
from kernelect.studies.cells import DONE, FAILED, TIMED_OUT, Key, Task, run_cell
from kernelect.studies.definition import Method
from kernelect.studies.elsewhere import environment_folder, fit_elsewhere, is_made, make_environment
from kernelect.studies.splits import Problem

PACKAGES = ("interpret-core==0.0",)

#: Stands for the package: trees of scikit-learn that take the arguments of explainable boosting. Python's own module of
#: statistics is imported, which a file of the same name beside the program must not hide.
PEER = """
import os
from statistics import mean
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

def looks_at(X):
    if "broken" in os.environ.get("TRIED", ""):
        raise ValueError("columns of this kind are not known")

class ExplainableBoostingClassifier(HistGradientBoostingClassifier):
    def __init__(self, n_jobs=None, random_state=None):
        self.n_jobs = n_jobs
        super().__init__(random_state=random_state, categorical_features="from_dtype")
    def fit(self, X, y):
        looks_at(X)
        return super().fit(X, y)

class ExplainableBoostingRegressor(HistGradientBoostingRegressor):
    def __init__(self, n_jobs=None, random_state=None):
        self.n_jobs = n_jobs
        super().__init__(random_state=random_state, categorical_features="from_dtype")
"""


@pytest.fixture
def method(tmp_path, monkeypatch):
    """A method whose environment is this one, with a package that stands for the peer's."""
    monkeypatch.setenv("KERNELECT_ENVIRONMENTS", str(tmp_path / "environments"))
    folder = environment_folder(PACKAGES)
    package = tmp_path / "packages" / "interpret"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "glassbox.py").write_text(PEER)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nPYTHONPATH={package.parent} exec {sys.executable} "$@"\n')
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    (folder / "versions.txt").write_text("interpret-core==0.0\nnumpy==2.0\n")
    return Method(
        name="ebm",
        label="ebm",
        packages=PACKAGES,
        runner="kernelect.studies.elsewhere:fit_elsewhere",
        estimator={"peer": "explainable-boosting"},
    )


def frame(n):
    rng = np.random.default_rng(3)
    words = np.where(rng.random(n) < 0.1, None, rng.choice(["ä, b", "<c>", ""], n)).astype(object)
    numbers = np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n))
    X = pd.DataFrame({"word": words, "number": numbers, "truth": rng.random(n) < 0.5})
    return X, (X["word"] == "<c>") * 2.0 + X["truth"] + np.nan_to_num(numbers)


def problem_of(labels):
    X, target = frame(160)
    y = np.where(target > 1.0, "yes", "no") if labels else target.to_numpy()
    return Problem(X=X[:120], y=y[:120], X_test=X[120:], y_test=y[120:])


@pytest.mark.parametrize("labels", [True, False])
def test_a_peer_elsewhere_scores_as_it_does_here(method, labels):
    problem = problem_of(labels)
    found = fit_elsewhere(problem, method, None, seed=5)
    kind = HistGradientBoostingClassifier if labels else HistGradientBoostingRegressor
    levels = sorted(problem.X["word"].dropna().unique())
    X, X_test = (
        part.assign(word=pd.Categorical(part["word"], levels), truth=part["truth"].astype(float))
        for part in (problem.X, problem.X_test)
    )
    model = kind(random_state=5, categorical_features="from_dtype").fit(X, problem.y)
    predicted = model.predict(X_test)
    if labels:
        assert found["loss"] == 100.0 * np.mean(predicted != problem.y_test)
        p = model.predict_proba(X_test)[np.arange(40), (problem.y_test == "yes").astype(int)]
        assert found["log_loss"] == pytest.approx(-np.log(p).mean(), rel=1e-9)
    else:
        expected = 100.0 * np.sqrt(np.mean((predicted - problem.y_test) ** 2)) / np.std(problem.y_test)
        assert found["loss"] == pytest.approx(expected, rel=1e-9)
    assert found["versions"] == "interpret-core==0.0"
    assert found["fit_seconds"] > 0.0


def cell(method, limit=None):
    return Task(
        key=Key("made up", "ebm", 0),
        method=method,
        problem=problem_of(labels=True),
        needed=None,
        seed=0,
        time_limit=limit,
        threads=1,
    )


def test_a_cell_keeps_what_a_peer_says_when_it_fails(method, monkeypatch):
    assert run_cell(cell(method)).state == DONE
    monkeypatch.setenv("TRIED", "broken")
    ended = run_cell(cell(method))
    assert ended.state == FAILED
    assert ended.message == "RuntimeError: ValueError: columns of this kind are not known"


def test_a_peer_that_is_not_known_is_named(method):
    ended = run_cell(cell(replace(method, estimator={"peer": "lightgmb"})))
    assert ended.message.startswith("RuntimeError: peer = 'lightgmb' is not known: give one of autogluon, lightgbm")


def test_a_time_limit_ends_the_process_of_a_peer(method, tmp_path):
    python = environment_folder(PACKAGES) / "bin" / "python"
    python.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/process\nexec sleep 300\n")
    ended = run_cell(cell(method, limit=1.5))
    assert ended.state == TIMED_OUT
    assert ended.seconds < 100.0
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "process").read_text()), 0)


def test_a_method_without_its_environment_is_skipped_with_the_way_out(method, monkeypatch, tmp_path):
    study = replace(read_study("public"), methods={"ebm": method})
    assert Plan(study=study, datasets=("glass",), methods=("ebm",)).skipped() == {}
    monkeypatch.setenv("KERNELECT_ENVIRONMENTS", str(tmp_path / "none"))
    skipped = Plan(study=study, datasets=("glass",), methods=("ebm",)).skipped()
    assert skipped == {"ebm": "ebm is skipped: it runs in an environment of its own, which --install makes"}


STUDY = """
name = "tiny"
splits = 1
[protocol]
kind = "draws"
rows = 30
test_rows = 30
[datasets]
twonorm = {}
[methods.one]
packages = ["far==1.0"]
[methods.other]
packages = ["far==1.0"]
[methods.third]
packages = ["further==1.0"]
"""


def test_install_makes_the_environments_of_the_chosen_methods_once(monkeypatch, tmp_path):
    made = []
    monkeypatch.setenv("KERNELECT_ENVIRONMENTS", str(tmp_path))
    monkeypatch.setattr("kernelect.studies.run.make_environment", made.append)
    (tmp_path / "tiny.toml").write_text(STUDY)
    options = ["--methods", "one,other", "--out", str(tmp_path / "r.sqlite")]
    CliRunner().invoke(group, ["study", "run", str(tmp_path / "tiny.toml"), *options])
    assert made == []
    CliRunner().invoke(group, ["study", "run", str(tmp_path / "tiny.toml"), *options, "--install"])
    assert made == [("far==1.0",)]


def wheel(folder):
    """Write the smallest wheel, which pip installs without any index."""
    path, info = folder / "tiny_peer-1.5-py3-none-any.whl", "tiny_peer-1.5.dist-info"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("tiny_peer.py", "there = True\n")
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-peer\nVersion: 1.5\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")
    return str(path)


@pytest.mark.slow
def test_an_environment_is_made_whole_or_not_at_all(monkeypatch, tmp_path):
    monkeypatch.setenv("KERNELECT_ENVIRONMENTS", str(tmp_path / "environments"))
    good, missing = (wheel(tmp_path),), (str(tmp_path / "nowhere-1.0-py3-none-any.whl"),)
    make_environment(good)
    assert is_made(good)
    assert "tiny" in (environment_folder(good) / "versions.txt").read_text()
    with pytest.raises(InvalidArgument, match=r"pip could not install .*nowhere.*leave these methods out"):
        make_environment(missing)
    assert not is_made(missing)
