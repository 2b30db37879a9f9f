"""Labels of exports against ``kernelect predict``, where a model file keeps a threshold or costs."""

from dataclasses import replace
from functools import cache
from shutil import which

import numpy as np
import pandas as pd
import pytest

from kernelect.export import onnx_inputs, to_c, to_javascript, to_onnx
from kernelect.export.evaluate import coded_rows
from kernelect.export.models import program_of
from kernelect.model.decisions import Decision
from kernelect.tabular import (
    FoldOptions,
    MachineOptions,
    describe_table,
    fit_table,
    load_model,
    predict_table,
    save_model,
)
from kernelect.tabular.stakes import with_stakes
from oracles.compiled import choose_in_c, compiler
from oracles.scripts import run_script
from speeds import slowly

STAKES = {
    "none": {},
    "costs of two classes": {"costs": ["yes:no=8"]},
    "F1": {"metric": "f1"},
    "costs of three classes": {"costs": ["low:high=9,middle:high=9"]},
}


def fitted(three, stakes):
    """Return a model of a table with two or three classes, and its rows."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=90), "z": rng.normal(size=90)})
    value = frame["x"] + rng.normal(size=90)
    edges, names = ([-0.5, 0.7], ["low", "middle", "high"]) if three else ([1.2], ["no", "yes"])
    schema, rows, _ = describe_table(frame.assign(y=np.array(names)[np.digitize(value, edges)]), "y")
    schema = with_stakes(schema, rows, **stakes)
    return fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), FoldOptions(0)), rows


@pytest.fixture(scope="module", params=STAKES)
def told(request, tmp_path_factory):
    """A model as its file holds it, rows, the labels of ``predict``, and whether the likeliest class is another."""
    model, rows = fitted(request.param == "costs of three classes", STAKES[request.param])
    path = tmp_path_factory.mktemp("choice") / "m.kernelect"
    save_model(model, path)
    model, _ = load_model(path)
    labels = predict_table(model, rows.X)["prediction"].tolist()
    likeliest = model.classes_[model.predict_proba(rows.X).argmax(axis=1)].tolist()
    assert (labels != likeliest) == (request.param != "none")
    return model, rows.X, labels


def test_onnx_names_the_class_of_predict(told):
    runtime = pytest.importorskip("onnxruntime")
    model, X, labels = told
    for real in ("double", "float32"):
        written = to_onnx(model, real=real)
        session = runtime.InferenceSession(written.SerializeToString(), providers=["CPUExecutionProvider"])
        assert session.run(["label"], onnx_inputs(written, X))[0].tolist() == labels


@pytest.mark.skipif(compiler() is None, reason="there is no gcc")
@pytest.mark.parametrize("real", ["double", "float"])
def test_c_names_the_class_of_predict(told, real, tmp_path):
    model, X, labels = told
    coded = coded_rows(program_of(model), X.to_numpy(dtype=object).tolist())
    assert choose_in_c(to_c(model, real=real), coded, tmp_path, real) == labels


@pytest.mark.skipif(which("node") is None, reason="there is no node")
def test_javascript_names_the_class_of_predict(told):
    model, X, labels = told
    found = run_script(to_javascript(model), X.to_numpy(dtype=object).tolist())
    assert [each["label"] for each in found] == labels
    assert [model.classes_[each["place"]] for each in found] == labels


@cache
def plain(three):
    return fitted(three, {})


def wild_decision(rng, three):
    """Return a threshold or costs of any size, from next to nothing to enormous."""
    if three:
        costs = 10.0 ** rng.uniform(-9.0, 9.0, size=(3, 3)) * (rng.random((3, 3)) < 0.8) * ~np.eye(3, dtype=bool)
        return Decision("cost", 0, None, tuple(map(tuple, costs.tolist())))
    threshold = float(rng.choice([rng.random(), rng.random() ** 8, 1.0 - rng.random() ** 8, 0.0, 1.0, -1.0]))
    return Decision("cost", int(rng.integers(2)), threshold, None)


def sure(decision, p, digits):
    """Return the rows whose class does not change with the last digits of their probabilities."""
    if decision.threshold is not None:
        return np.abs(p[:, decision.positive] - decision.threshold) > digits
    costs = np.sort(p @ np.array(decision.costs), axis=1)
    return costs[:, 1] - costs[:, 0] > digits * np.max(decision.costs)


@pytest.mark.parametrize("three", [False, True])
@pytest.mark.parametrize("seed", [0, *slowly(1, 2, 3)])
def test_any_threshold_and_any_costs(seed, three, tmp_path):
    (model, rows), rng = plain(three), np.random.default_rng(seed)
    model = replace(model, model=model.model.with_decision(wild_decision(rng, three)))
    X = pd.DataFrame(rng.normal(scale=2.0, size=(200, 2)), columns=list(rows.X.columns))
    labels, p = np.array(predict_table(model, X)["prediction"].tolist()), model.predict_proba(X)
    cells = X.to_numpy(dtype=object).tolist()
    found = {}
    if compiler() is not None:
        header, coded = to_c(model), coded_rows(program_of(model), cells)
        found["C"] = choose_in_c(header, coded, tmp_path)
    if which("node") is not None:
        found["JavaScript"] = [each["label"] for each in run_script(to_javascript(model), cells)]
    runtime = pytest.importorskip("onnxruntime")
    for real in ("double", "float32"):
        written = to_onnx(model, real=real)
        session = runtime.InferenceSession(written.SerializeToString(), providers=["CPUExecutionProvider"])
        found[real] = session.run(["label"], onnx_inputs(written, X))[0].tolist()
    for name, each in found.items():
        clear = sure(model.decision, p, 1e-4 if name == "float32" else 1e-9)
        assert np.array(each)[clear].tolist() == labels[clear].tolist(), name
