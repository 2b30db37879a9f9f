"""Columns with an offset far beyond their range: differences are exact, so a model is as good as without it."""

import numpy as np
import pandas as pd
import pytest

from kernelect import (
    GPC,
    GPR,
    LSSVC,
    LSSVR,
    RVC,
    RVR,
    SVC,
    BasisSearchRegressor,
    KernelClassifier,
    KernelOrdinal,
    KernelRegressor,
)
from kernelect.inputs.coding import fit_coding
from kernelect.inputs.frame import as_frame
from kernelect.kernels.scale import input_scales

STEPS = np.random.default_rng(0).permutation(80).astype(float)
OFFSETS = {
    "2^53 + 2k": 2.0**53 + 2.0 * STEPS,
    "minus": -(2.0**53) - 2.0 * STEPS,
    "1e15 + k": 1e15 + STEPS,
    "1e9 + 1e-3 k": 1e9 + 1e-3 * STEPS,
    "nanoseconds": 1.7e18 + 1e9 * STEPS,
}


def table(column):
    rng = np.random.default_rng(1)
    place = (STEPS - STEPS.mean()) / STEPS.std()
    return np.column_stack([column, rng.normal(size=80)]), np.sin(2.0 * place) + 0.1 * rng.normal(size=80)


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("kernel", ["ard", "rbf", "product-laplace"])
def test_a_regression_sees_the_column(kernel, offset):
    # With one width for both inputs they need the same spread.
    X, y = table(OFFSETS[offset])
    X[:, 1] *= X[:, 0].std() if kernel == "rbf" else 1.0
    model = LSSVR(kernel).fit(X, y)
    assert np.std(y - model.loo_prediction_) < (0.5 if kernel == "rbf" else 0.3) * np.std(y)


REGRESSORS = [
    *(GPR(), BasisSearchRegressor(), BasisSearchRegressor("polynomial"), LSSVR(landmarks=20), RVR(landmarks=20)),
    pytest.param(RVR(), marks=pytest.mark.slow),
]


@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_every_regressor_sees_the_column(model):
    X, y = table(OFFSETS["2^53 + 2k"])
    found = model.fit(X, y).predict(X)
    assert np.std(y - found) < 0.85 * np.std(y)  # without the column 1.0, by polynomials of degree 2 0.8, by others 0.1
    near = table(STEPS)[0]
    np.testing.assert_allclose(found, model.fit(near, y).predict(near), atol=0.1)


CLASSIFIERS = [
    *(SVC(), SVC(slack="quadratic"), SVC(criterion="span"), RVC(), KernelOrdinal("fast")),
    *(LSSVC(landmarks=20), SVC(landmarks=20), GPC(landmarks=20), RVC(landmarks=20), KernelClassifier("fast")),
]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
def test_every_classifier_sees_the_column(model):
    X, y = table(OFFSETS["2^53 + 2k"])
    assert model.fit(X, y > 0).score(X, y > 0) > 0.9


@pytest.mark.parametrize("offset", OFFSETS)
def test_a_column_of_a_frame_is_no_constant(offset):
    X, y = table(OFFSETS[offset])
    frame = pd.DataFrame(X, columns=["far", "other"])
    codes = fit_coding(as_frame(frame))(as_frame(frame))
    np.testing.assert_allclose(codes[:, 0].std(), 1.0, rtol=1e-6)
    np.testing.assert_allclose(np.abs(np.corrcoef(codes[:, 0], STEPS)[0, 1]), 1.0, rtol=1e-9)
    model = KernelRegressor("fast").fit(frame, y)
    assert np.std(y - model.loo_prediction_) < 0.3 * np.std(y)


def test_what_rounding_leaves_of_a_constant_is_no_spread():
    column = np.array([0.1 + 0.2, 0.3, 0.15 + 0.15, 0.7 - 0.4] * 5)
    assert len(np.unique(column)) > 1
    np.testing.assert_array_equal(input_scales(column[:, None]), [0.0])
