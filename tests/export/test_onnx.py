import json

import numpy as np
import pandas as pd
import pytest

from kernelect import GPC, LSSVR, KernelRegressor
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.export import onnx_inputs, to_c, to_onnx
from kernelect.kernels import RBF, Matern
from oracles.exported import HOSTILE, MODELS, answers, hostile_pipeline, model, rows_for

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")


def run(written, inputs):
    session = runtime.InferenceSession(written.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, inputs), strict=True))


@pytest.mark.parametrize("name", MODELS)
def test_every_estimator_in_either_precision(name):
    fitted, rows = model(name), rows_for(name)
    expected = answers(fitted, rows)
    for real, tolerance in (("double", 1e-9), ("float32", 1e-4)):
        found = run(to_onnx(fitted, real=real), {"numbers": rows})
        if "label" not in found:
            np.testing.assert_allclose(found["value"], expected, rtol=tolerance, atol=tolerance)
            continue
        np.testing.assert_allclose(found["probabilities"], expected, atol=tolerance)
        decision = fitted.decision_function(rows).reshape(len(rows), -1)
        np.testing.assert_allclose(found["decision"], decision, rtol=100 * tolerance, atol=100 * tolerance)
        np.testing.assert_array_equal(found["label"], fitted.classes_[expected.argmax(axis=1)])


def test_hostile_names_missing_cells_and_unseen_levels():
    pipeline, rows = hostile_pipeline()
    expected = answers(pipeline, rows)
    for real, tolerance in (("double", 1e-9), ("float32", 1e-4)):
        written = to_onnx(pipeline, real=real)
        found = run(written, onnx_inputs(written, rows))
        np.testing.assert_allclose(found["probabilities"], expected, atol=tolerance)
        assert set(found["label"]) <= {"</script>", "plain"}
    columns = json.loads(next(entry.value for entry in written.metadata_props if entry.key == "columns"))
    assert [each["name"] for each in columns["categories"]] == HOSTILE[2:4]


def test_levels_that_are_numbers_are_found_whatever_their_type():
    frame = pd.DataFrame({"grade": np.tile([1.0, 2.0, 7.5], 20), "x": np.arange(60.0)})
    frame.loc[0, "grade"] = np.nan
    door = KernelRegressor(effort="fast", random_state=0, columns={"grade": "category"})
    door.fit(frame, np.where(frame["grade"] == 2.0, 3.0, 0.0) + 0.1 * np.sin(frame["x"]))
    written = to_onnx(door)
    found = run(written, onnx_inputs(written, frame))["value"][:, 0]
    np.testing.assert_allclose(found, door.predict(frame), atol=1e-9)


def test_operators_are_plain_ones_of_the_stated_version():
    written = to_onnx(model("GPC, hinge"))
    assert [(each.domain, each.version) for each in written.opset_import] == [("", 19)]
    assert {node.domain for node in written.graph.node} == {""}


def test_any_number_of_rows():
    written, rows = to_onnx(model("RVC")), rows_for("RVC")
    one = run(written, {"numbers": rows[:1]})["probabilities"]
    np.testing.assert_allclose(one, run(written, {"numbers": rows})["probabilities"][:1], atol=1e-14)


def test_a_constant_model_answers_for_every_row():
    X = np.random.default_rng(0).normal(size=(20, 2))
    found = run(to_onnx(LSSVR("rbf").fit(X, np.full(20, 2.5))), {"numbers": X})
    np.testing.assert_allclose(found["value"], np.full((20, 1), 2.5))


def test_bad_arguments():
    with pytest.raises(InvalidArgument, match="real='half' must be 'double' or 'float32'"):
        to_onnx(model("LSSVR"), real="half")
    with pytest.raises(MissingCapability, match=r"The model holds \d+ numbers, more than max_numbers=50"):
        to_onnx(model("LSSVR"), max_numbers=50)


def test_rows_without_the_columns_of_the_model_are_refused_in_a_sentence():
    written, rows = to_onnx(model("LSSVR")), rows_for("LSSVR")
    names = [f"x{j}" for j in range(rows.shape[1])]
    frame = pd.DataFrame(rows, columns=names)
    np.testing.assert_array_equal(onnx_inputs(written, frame)["numbers"], rows)
    np.testing.assert_array_equal(onnx_inputs(written, dict(frame))["numbers"], rows)
    with pytest.raises(InvalidArgument, match="rows must be a DataFrame .* got ndarray"):
        onnx_inputs(written, rows)
    with pytest.raises(InvalidArgument, match="rows has no column 'x0', which the model takes"):
        onnx_inputs(written, frame.drop(columns="x0"))


def test_the_variance_of_a_posterior_is_written_with_the_directions_that_matter():
    """A smooth kernel has few of them, and none that a double could show is left out."""
    rng = np.random.default_rng(0)
    X, rows = rng.normal(size=(80, 2)), 2.0 * rng.normal(size=(200, 2))
    labels = X[:, 0] + 0.5 * rng.normal(size=80) > 0.0
    smooth, rough = (GPC(kernel).fit(X, labels) for kernel in (RBF(0.1), Matern(1.5, 0.1)))
    decided = run(to_onnx(smooth), {"numbers": rows})["decision"]
    np.testing.assert_allclose(decided.ravel(), smooth.decision_function(rows), rtol=0.0, atol=5e-14)
    assert len(to_c(smooth)) < 0.75 * len(to_c(rough))
