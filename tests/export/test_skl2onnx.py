import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelect import LSSVC
from kernelect.exceptions import MissingCapability
from kernelect.export import register_skl2onnx
from oracles.exported import GAUSSIAN, THREE, answers, model, rows_for

skl2onnx = pytest.importorskip("skl2onnx")
runtime = pytest.importorskip("onnxruntime")


def run(written, rows):
    session = runtime.InferenceSession(written.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: rows})


@pytest.mark.parametrize(("kind", "tolerance"), [(np.float64, 1e-9), (np.float32, 1e-4)])
def test_pipelines_are_converted_with_the_steps_of_others(kind, tolerance):
    register_skl2onnx()
    X, y = THREE
    fitted = make_pipeline(StandardScaler(), LSSVC(GAUSSIAN, regularization=0.1)).fit(X, y)
    options = {id(fitted): {"zipmap": False}}
    written = skl2onnx.to_onnx(fitted, X[:1].astype(kind), target_opset=19, options=options)
    label, probabilities = run(written, X.astype(kind))
    np.testing.assert_allclose(probabilities, fitted.predict_proba(X), atol=tolerance)
    np.testing.assert_array_equal(label, fitted.predict(X))


@pytest.mark.parametrize("name", ["GPC", "SVC, plain", "RVC", "LSSVR, two targets", "RVR", "BasisSearchRegressor"])
def test_every_kind_of_estimator(name):
    register_skl2onnx()
    fitted, rows = model(name), rows_for(name)
    options = {id(fitted): {"zipmap": False}} if hasattr(fitted, "classes_") else None
    found = run(skl2onnx.to_onnx(fitted, rows[:1], target_opset=19, options=options), rows)
    np.testing.assert_allclose(found[-1], answers(fitted, rows), rtol=1e-9, atol=1e-9)


def test_an_old_version_of_the_operators_is_refused():
    register_skl2onnx()
    with pytest.raises(MissingCapability, match="target_opset=15 lacks operators"):
        skl2onnx.to_onnx(model("LSSVR"), rows_for("LSSVR")[:1], target_opset=15)
