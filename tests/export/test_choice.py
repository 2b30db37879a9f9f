"""Labels of exports against ``kernelect predict``, where a model file keeps a threshold or costs."""

from shutil import which

import numpy as np
import pandas as pd
import pytest

from kernelect.export import onnx_inputs, to_c, to_javascript, to_onnx
from kernelect.export.evaluate import coded_rows
from kernelect.export.models import program_of
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

STAKES = {
    "none": {},
    "costs of two classes": {"costs": ["yes:no=8"]},
    "F1": {"metric": "f1"},
    "costs of three classes": {"costs": ["low:high=9,middle:high=9"]},
}


@pytest.fixture(scope="module", params=STAKES)
def told(request, tmp_path_factory):
    """A model as its file holds it, rows, the labels of ``predict``, and whether the likeliest class is another."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=90), "z": rng.normal(size=90)})
    value = frame["x"] + rng.normal(size=90)
    three = request.param == "costs of three classes"
    edges, names = ([-0.5, 0.7], ["low", "middle", "high"]) if three else ([1.2], ["no", "yes"])
    schema, rows, _ = describe_table(frame.assign(y=np.array(names)[np.digitize(value, edges)]), "y")
    schema = with_stakes(schema, rows, **STAKES[request.param])
    path = tmp_path_factory.mktemp("choice") / "m.skops"
    save_model(fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), FoldOptions(0)), path)
    model, _ = load_model(path)
    labels = predict_table(model, rows.X)["prediction"].tolist()
    likeliest = model.estimator.classes_[model.pipeline.predict_proba(rows.X).argmax(axis=1)].tolist()
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
    assert [model.estimator.classes_[each["place"]] for each in found] == labels
