"""``kernelect fit --engine``: a Parquet file piece by piece, here and on a real scheduler with two workers."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from kernelect.mixture.efforts import EFFORTS
from kernelect.mixture.forest import RandomForest
from kernelect.mixture.kernel_machines import KernelMachine
from kernelect.selection.landmarks import request, stages
from kernelect.tabular import load_model, match_columns, predict_table, read_table
from speeds import slowly

pytest.importorskip("pyarrow")
FIT = ("fit", "big.parquet", "--target", "value", "--machine", "lssvm", "--kernel", "rbf", "--folds", "0")


@pytest.fixture(autouse=True)
def few(monkeypatch, tmp_path):
    monkeypatch.setattr(request, "EXACT_ROWS", 100)
    monkeypatch.setattr("kernelect.estimators._elsewhere.EXACT_ROWS", 100)
    monkeypatch.setattr(request, "FIRST", 20)
    monkeypatch.setattr(request, "MOST", 20)
    monkeypatch.setattr(stages, "PART_ROWS", 100)
    monkeypatch.setattr("kernelect.selection.landmarks.fit.MORE_ROWS", 150)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=400), "b": rng.uniform(-2, 2, 400), "kind": rng.choice(["p", "q"], 400)})
    frame["value"] = np.sin(2 * frame["b"]) + frame["a"] * (frame["kind"] == "p") + 0.1 * rng.normal(size=400)
    frame.to_parquet(tmp_path / "big.parquet", row_group_size=130)


@pytest.fixture
def cluster():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'kernelect[dask]'")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as found:
        yield found.scheduler_address


def predictions(folder):
    model, _ = load_model(folder / "model.kernelect")
    table = read_table(folder.parent / "big.parquet")
    return predict_table(model, match_columns(model.schema, table)[0])


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("engine", ["local", *slowly("cluster")])
def test_every_engine_gives_the_same_model(run, tmp_path, request, report_page, engine):
    engine = request.getfixturevalue("cluster") if engine == "cluster" else engine
    run(*FIT, "--out", "whole")
    outcome = run(*FIT, "--engine", engine, "--out", "parts")
    assert "Predicting value from big.parquet" in outcome.stdout
    assert "The table was read piece by piece" in outcome.stdout
    expected, found = predictions(tmp_path / "whole"), predictions(tmp_path / "parts")
    pd.testing.assert_frame_equal(found, expected, rtol=1e-8, atol=1e-8)
    run("predict", "whole/model.kernelect", "big.parquet", "--engine", engine, "--out", "parts.csv", "--quiet")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "parts.csv"), expected, rtol=1e-8, atol=1e-8)
    assert [facts["pictures"] for facts in report_page] == [[{"rows": 400}]] * 2


MIXTURE = ("fit", "big.parquet", "--target", "value", "--effort", "fast", "--folds", "0", "--no-report")


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("engine", ["local", *slowly("cluster")])
def test_auto_is_the_mixture_of_the_rows_in_memory(run, tmp_path, request, monkeypatch, engine):
    monkeypatch.setitem(EFFORTS, "fast", (KernelMachine(tied=True), RandomForest(n_trees=10)))
    engine = request.getfixturevalue("cluster") if engine == "cluster" else engine
    run(*MIXTURE, "--out", "whole")
    outcome = run(*MIXTURE, "--engine", engine, "--out", "parts", "--json")
    assert json.loads(outcome.stdout)["machine"]["class"] == "KernelRegressor"
    expected, found = predictions(tmp_path / "whole"), predictions(tmp_path / "parts")
    pd.testing.assert_frame_equal(found, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--engine", "cluster"), "must be local or an address"),
        (("--engine", "local", "--metric", "mae"), "--metric 'mae' needs all rows in memory"),
        (("--engine", "local", "--machine", "rvm"), "machine='rvm' needs all rows in memory"),
    ],
)
def test_what_is_refused(run, words, message):
    assert message in run(*FIT, *words, code=2).stderr


def test_predictions_piece_by_piece(run, tmp_path):
    run(*FIT, "--engine", "local", "--no-report", "--out", "o")
    whole = pd.read_csv(io.StringIO(run("predict", "o/model.kernelect", "big.parquet").stdout))
    pieces = run("predict", "o/model.kernelect", "big.parquet", "--engine", "local").stdout
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(pieces)), whole, rtol=1e-8)
    assert (
        "--json holds all predictions"
        in run("predict", "o/model.kernelect", "big.parquet", "--engine", "local", "--json", code=2).stderr
    )
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n")
    outcome = run("predict", "o/model.kernelect", "bad.csv", "--engine", "local", "--out", "p.csv", code=1)
    assert "lacks 1 column the model needs" in outcome.stderr
    assert not (tmp_path / "p.csv").exists()


def test_an_engine_needs_a_target(run):
    assert "Name the column to predict with --target" in run("fit", "big.parquet", "--engine", "local", code=2).stderr
