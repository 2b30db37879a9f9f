"""Where rows left out support a straight line, predictions follow it beyond the targets seen."""

import numpy as np
import pytest

import kernelect
from kernelect import KernelRegressor
from kernelect.export import to_onnx


def heavy(seed, *, noise=0.3, bend=0.0):
    """Return rows, and targets that are linear in them up to a bend."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 3))
    return X, X @ [1.0, -2.0, 0.5] + bend * X[:, 0] ** 2 + noise * rng.standard_normal(120)


FAR = np.array([[200.0, -300.0, 100.0], [-90.0, 0.0, 0.0]])
TRUTH = FAR @ [1.0, -2.0, 0.5]


@pytest.fixture(scope="module")
def line():
    return KernelRegressor().fit(*heavy(0))


def test_predictions_go_on_along_a_straight_line(line):
    assert line.model_.numbers.straight is not None
    np.testing.assert_allclose(line.predict(FAR), TRUTH, rtol=0.15)


def test_intervals_go_along(line):
    lower, upper = line.predict_interval(FAR)
    mean = line.predict(FAR)
    assert (lower < mean).all()
    assert (mean < upper).all()


def test_a_line_is_part_of_what_is_predicted_among_the_rows_only_by_its_weight(line):
    X, _ = heavy(1)
    head, answers = line.model_.numbers, line.model_.answers(line.model_.inputs(X))
    np.testing.assert_allclose(
        line.predict(X), sum(w * each[:, 0] for w, each in zip(head.weights, answers, strict=True))
    )


@pytest.mark.parametrize(
    "data", [{"noise": 1.5}, {"noise": 0.01, "bend": 0.25}], ids=["a line with large errors", "others are far better"]
)
def test_limits_hold_where_a_line_is_not_supported(data):
    X, y = heavy(0, **data)
    model = KernelRegressor().fit(X, y)
    assert model.model_.numbers.straight is None
    assert np.abs(model.predict(FAR)).max() < np.abs(y).max() + np.ptp(y)


def test_a_file_and_an_export_go_along(line, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    line.model_.save(tmp_path / "line.kernelect")
    np.testing.assert_allclose(kernelect.load(tmp_path / "line.kernelect").predict(FAR), line.predict(FAR))
    session = runtime.InferenceSession(to_onnx(line).SerializeToString())
    name = session.get_inputs()[0].name
    kind = np.float64 if "double" in session.get_inputs()[0].type else np.float32
    found = session.run(None, {name: FAR.astype(kind)})[0]
    np.testing.assert_allclose(np.ravel(found), line.predict(FAR), rtol=1e-4)


def test_a_line_that_is_much_worse_than_the_mixture_is_not_followed():
    """Its error is a twentieth of the targets' deviation, and three times that of the mixture."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3.0, 3.0, (80, 1))
    y = X[:, 0] + 0.12 * np.sin(3.0 * X[:, 0]) + 0.02 * rng.normal(size=80)
    assert KernelRegressor(target="identity").fit(X, y).model_.numbers.straight is None
