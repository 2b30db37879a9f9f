"""A function in the place of a kernel: the fit of the kernel that it is, without gradient, file or export."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

from kernelect import GPC, LSSVC, LSSVR, RVR, SVC
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.explain import shapley_values
from kernelect.export import to_c, to_onnx
from kernelect.kernels import RBF, FunctionKernel, as_kernel
from oracles.differences import gradient

X = np.random.default_rng(0).normal(size=(50, 3))
Y = np.sin(X[:, 0]) + 0.1 * X[:, 1]


def wide(A, B):
    return rbf_kernel(A, B, gamma=0.4)


@pytest.mark.parametrize(
    "model",
    [LSSVC(regularization=0.3), LSSVR(regularization=0.3), SVC(C=1.0), SVC(C=1.0, criterion="span"), GPC(), RVR()],
    ids=lambda model: type(model).__name__,
)
def test_a_function_is_the_kernel_that_it_computes(model):
    y = Y if isinstance(model, LSSVR | RVR) else Y > 0.0
    own = clone(model).set_params(kernel=wide).fit(X, y)
    built_in = clone(model).set_params(kernel=RBF(0.4)).fit(X, y)
    ask = "predict" if isinstance(model, LSSVR | RVR) else "predict_proba"
    np.testing.assert_allclose(getattr(own, ask)(X), getattr(built_in, ask)(X), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(own.feature_importances_, built_in.feature_importances_, rtol=1e-4, atol=1e-8)
    assert own.selection_.n_evaluations == 1 or not isinstance(model, GPC)


def test_the_ridge_is_still_selected_and_probabilities_have_the_diagonal():
    model = LSSVC(lambda A, B: A @ B.T + 1.0).fit(X, Y > 0.0)
    assert model.selection_.n_evaluations > 1
    np.testing.assert_allclose(FunctionKernel(wide).diagonal(np.vstack([X, X])), 1.0)


def test_the_derivative_in_points_is_the_one_of_differences():
    kernel, weights = as_kernel(wide), np.random.default_rng(1).normal(size=(4, 3))
    theta, points = kernel.cross_pullback(X[:4], X[4:7], weights)
    assert theta.shape == (0,)
    flat = X[4:7].ravel().copy()
    expected = gradient(lambda z: float(np.sum(weights * kernel.cross(X[:4], z.reshape(3, 3)))), flat)
    np.testing.assert_allclose(points.ravel(), expected, rtol=1e-5, atol=1e-8)


def test_functions_stay_in_python(tmp_path):
    model = LSSVR(wide, regularization=0.3).fit(X, Y)
    for export in (to_c, to_onnx):
        with pytest.raises(MissingCapability, match="no form without Python"):
            export(model)
    with pytest.raises(InvalidArgument, match="a kernel that is a function of your own"):
        model.model_.save(tmp_path / "model.kernelect")
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_shapley_values_of_a_function_are_by_permutations():
    model = LSSVR(wide, regularization=0.3).fit(X, Y)
    found = shapley_values(model, X[:2], X[:10], n_permutations=20)
    assert found.method != "exact"
    total = found.base_values + found.values.sum(axis=1)
    np.testing.assert_allclose(total, model.predict(X[:2]), rtol=1e-6)


def test_what_a_function_returns_is_checked():
    with pytest.raises(InvalidArgument, match=r"returned an array of shape \(50,\) for 50 and 50 rows"):
        LSSVR(lambda A, B: np.ones(len(A))).fit(X, Y)
    with pytest.raises(InvalidArgument, match="a function of two arrays"):
        LSSVR(3).fit(X, Y)
