"""Columns far from zero beside their range: every form of a model subtracts first, as Python does."""

from shutil import which

import numpy as np
import pytest

import kernelect
from estimators.test_offsets import OFFSETS, table
from kernelect import GPC, LSSVC, LSSVR, RVC, SVC, BasisSearchRegressor, KernelClassifier, KernelRegressor
from kernelect.export import to_c, to_javascript, to_onnx
from oracles.compiled import compiler, run_c
from oracles.exported import answers
from oracles.scripts import run_script

#: Of probabilities and of targets near 1; the ridge of LSSVC is so small that coefficients of 1e9 cancel at any offset.
NEAR = 1e-5

MACHINES = {
    "LSSVR": LSSVR(),
    "LSSVR on landmarks": LSSVR(landmarks=20),
    "BasisSearchRegressor": BasisSearchRegressor(),
    "KernelRegressor": KernelRegressor("fast"),
    "LSSVC": LSSVC(),
    "SVC": SVC(),
    "GPC": GPC(),
    "GPC on landmarks": GPC(landmarks=20),
    "RVC": RVC(),
    "KernelClassifier": KernelClassifier("fast"),
}


@pytest.fixture(scope="module", params=list(MACHINES))
def fitted(request):
    """A model of a column with an offset and an ordinary one, its rows, and what it answers for them."""
    X, y = table(OFFSETS["2^53 + 2k"])
    model = MACHINES[request.param]
    model.fit(X, y > 0 if hasattr(model, "predict_proba") else y)
    expected = answers(model, X)
    assert np.std(expected[:, -1]) > 0.2
    return model, X, expected


@pytest.mark.skipif(compiler() is None, reason="there is no gcc")
def test_c(fitted, tmp_path):
    model, X, expected = fitted
    np.testing.assert_allclose(run_c(to_c(model), X, tmp_path), expected, atol=NEAR)


@pytest.mark.skipif(which("node") is None, reason="there is no node")
def test_javascript(fitted):
    model, X, expected = fitted
    found = [each.get("values") or each["probabilities"] for each in run_script(to_javascript(model), X.tolist())]
    np.testing.assert_allclose(found, expected, atol=NEAR)


def test_onnx(fitted):
    runtime = pytest.importorskip("onnxruntime")
    model, X, expected = fitted
    written = to_onnx(model)
    session = runtime.InferenceSession(written.SerializeToString(), providers=["CPUExecutionProvider"])
    name = "probabilities" if hasattr(model, "predict_proba") else "value"
    np.testing.assert_allclose(session.run([name], {"numbers": X})[0], expected, atol=NEAR)


def test_a_file(fitted, tmp_path):
    model, X, expected = fitted
    model.model_.save(tmp_path / "m")
    loaded = kernelect.load(tmp_path / "m")
    found = loaded.predict_proba(X) if hasattr(model, "predict_proba") else loaded.predict(X)
    np.testing.assert_allclose(np.reshape(found, expected.shape), expected, rtol=1e-12)
