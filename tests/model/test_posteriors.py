"""Covariances, draws, weights of inputs and evidences, against slow definitions."""

import pickle

import numpy as np
import pytest
from scipy import linalg
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process import kernels as sk

from kernelect import GPC, GPR, LSSVC, LSSVR, RVC, RVR, SVC, BasisSearchRegressor, KernelRegressor
from kernelect.criteria import EPEvidence
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.kernels import RBF, Constant, Linear
from kernelect.machines import EP, Probit
from kernelect.model import KernelPart, spreads
from kernelect.model.smaller import fewer_rows
from kernelect.numerics import Bordered
from oracles.solutions import record

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = X[:, 0] - 0.5 * X[:, 1] + 0.2 * RNG.normal(size=40)
NEW = RNG.normal(size=(7, 3))
REGRESSORS = [LSSVR("rbf"), LSSVR("linear"), RVR("rbf"), BasisSearchRegressor()]


@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
@pytest.mark.parametrize("several", [False, True])
def test_the_diagonal_of_covariances_is_the_squared_deviation(model, several):
    if several and isinstance(model, RVR):
        pytest.skip("RVR has one target")
    model.fit(X, np.column_stack([Y, Y**2]) if several else Y)
    mean, deviation = model.predict(NEW, return_std=True)
    same, covariance = model.predict(NEW, return_cov=True)
    np.testing.assert_array_equal(mean, same)
    assert covariance.shape == ((7, 7, 2) if several else (7, 7))
    np.testing.assert_allclose(np.sqrt(np.diagonal(covariance).T), deviation, rtol=1e-8)


@pytest.mark.parametrize(("most", "times"), [(len(X), 1), (len(X) - 1, 3)])
def test_only_a_small_model_keeps_its_factor_and_never_in_a_pickle(monkeypatch, most, times):
    model, done = LSSVR(RBF(0.3), regularization=0.2).fit(X, Y), []
    factorised = Bordered.of.__func__
    monkeypatch.setattr(spreads, "_KEPT_ROWS", most)
    monkeypatch.setattr(Bordered, "of", classmethod(lambda cls, *parts: done.append(cls) or factorised(cls, *parts)))
    size = len(pickle.dumps(model))
    model.predict(NEW, return_std=True)
    model.predict_interval(NEW)
    model.predict(NEW, return_cov=True)
    assert len(done) == times
    assert len(pickle.dumps(model)) == size


def test_covariances_are_those_of_the_gaussian_process_with_a_flat_constant():
    """A constant of prior variance 1e4 is added to the kernel."""
    model = LSSVR(RBF(0.3), regularization=0.2).fit(X, Y)
    kernel, spread = RBF(0.3), model.model_.components[0].spread
    K, k, kk = (kernel.cross(A, B) + 1e4 for A, B in ((X, X), (X, NEW), (NEW, NEW)))
    ridge = 0.2 * np.eye(40)
    expected = spread.scale[0] ** 2 * (kk + 0.2 * np.eye(7) - k.T @ linalg.solve(K + ridge, k, assume_a="pos"))
    np.testing.assert_allclose(model.predict(NEW, return_cov=True)[1], expected, rtol=1e-3, atol=1e-6)


def test_draws_have_the_posteriors_mean_and_covariance():
    model = RVR("rbf").fit(X, Y)
    mean, covariance = model.predict(NEW, return_cov=True)
    draws = model.sample_y(NEW, 20000, random_state=0)
    assert draws.shape == (7, 20000)
    scale = np.sqrt(np.diagonal(covariance))
    np.testing.assert_allclose((draws.mean(axis=1) - mean) / scale, 0.0, atol=0.03)
    np.testing.assert_allclose(np.cov(draws) / np.outer(scale, scale), covariance / np.outer(scale, scale), atol=0.04)
    np.testing.assert_array_equal(model.sample_y(NEW, 3, random_state=1), model.sample_y(NEW, 3, random_state=1))
    several = LSSVR("rbf").fit(X, np.column_stack([Y, Y**2]))
    assert several.sample_y(NEW, 4).shape == (7, 2, 4)


def test_models_without_a_joint_posterior_say_so():
    with pytest.raises(MissingCapability, match="no joint posterior.*return_std=True"):
        LSSVR("rbf", landmarks=10, random_state=0).fit(X, Y).predict(NEW, return_cov=True)
    door = KernelRegressor("fast").fit(X, Y)
    with pytest.raises(MissingCapability, match="mixes several machines"):
        door.sample_y(NEW)
    with pytest.raises(InvalidArgument, match="exclude each other"):
        door.predict(NEW, return_std=True, return_cov=True)


@pytest.mark.parametrize(
    "model",
    [LSSVC("linear"), LSSVC(Constant(2.0) * Linear() + Constant(1.0)), SVC("linear", criterion="span"), GPC("linear")],
    ids=repr,
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_of_inputs_are_the_slopes_of_the_mean(model, n_classes):
    y = np.digitize(Y, [0.0] if n_classes == 2 else [-0.4, 0.4])
    model.fit(X, y)
    assert model.coef_.shape == ((1, 3) if n_classes == 2 else (3, 3))
    (component,) = model.model_.components
    slopes = component.mean(NEW[:1] + np.eye(3)) - component.mean(NEW[:1])
    np.testing.assert_allclose(model.coef_, slopes.T, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(NEW @ model.coef_.T + model.intercept_, component.mean(NEW), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("model", [LSSVR("linear"), GPR("linear"), RVR("linear")], ids=repr)
def test_regressors_have_one_weight_per_input_and_the_constant_that_belongs_to_them(model):
    model.fit(X + 9.0, Y)
    np.testing.assert_allclose(model.coef_, [1.0, -0.5, 0.0], atol=0.15)
    np.testing.assert_allclose(model.predict(NEW), NEW @ model.coef_ + model.intercept_, rtol=1e-8)


def test_several_targets_have_weights_of_their_own():
    model = LSSVR("linear").fit(X, np.column_stack([Y, -Y]))
    assert model.coef_.shape == (2, 3)
    np.testing.assert_allclose(model.predict(NEW), NEW @ model.coef_.T + model.intercept_, rtol=1e-8)


def test_other_kernels_have_the_constant_of_their_dual_coefficients():
    model = LSSVR("rbf").fit(X, Y)
    values = model.kernel_.cross(NEW, model.X_fit_)
    np.testing.assert_allclose(model.predict(NEW), values @ model.dual_coef_ + model.intercept_)
    with pytest.raises(AttributeError, match="GPR has no intercept_: its kernel holds the constant"):
        _ = GPR("rbf").fit(X, Y).intercept_


@pytest.mark.parametrize("model", [LSSVC("rbf"), RVC("rbf"), SVC("rbf"), GPC(RBF(1.0) * Linear())], ids=repr)
def test_other_kernels_have_no_weights_of_inputs(model):
    model.fit(X, Y > 0.0)
    assert not hasattr(model, "coef_")
    with pytest.raises(AttributeError, match="not linear in its inputs and has no coef_: use kernel='linear'"):
        _ = model.coef_


def test_the_evidence_is_that_of_the_posterior_without_a_prior():
    kernel, y = 2.0 * RBF(0.3) + Constant(0.5), np.where(Y > 0.0, 1.0, -1.0)
    model, gram = GPC(kernel).fit(X, y), kernel.gram(X)
    state = EP(Probit()).fit(gram, y[:, None], 1.0, np.ones(40))
    expected = -40.0 * EPEvidence().value(record(EP(Probit()), gram, y[:, None], 1.0, np.ones(40), state)).value
    assert model.log_marginal_likelihood_value_ == pytest.approx(expected, rel=1e-6)
    laplace = GaussianProcessClassifier(sk.RBF(1.5), optimizer=None).fit(X, y).log_marginal_likelihood_value_
    assert model.log_marginal_likelihood_value_ == pytest.approx(laplace, abs=8.0)  # another kernel, another link
    posterior = SVC(kernel, C=1.0).fit(X, y)
    assert posterior.log_marginal_likelihood_value_ == pytest.approx(-40.0 * posterior.selection_.value, rel=1e-6)
    assert not hasattr(SVC(kernel, C=1.0, criterion="span").fit(X, y), "log_marginal_likelihood_value_")


def test_directions_that_explain_a_negligible_variance_are_left_out():
    """Up to 1e-12 of k(x, x), and no further; a matrix that was made smaller before stays."""
    far = KernelPart(kernel=RBF(1.0), vectors=1e3 * np.eye(3), coefficients=np.zeros((3, 1)))  # its Gram matrix is I
    shares = np.array([1.0, 1.5e-12, 0.7e-12])
    found = fewer_rows(np.diag(np.sqrt(shares)), far)
    assert found.shape == (2, 3)
    np.testing.assert_allclose(found.T @ found, np.diag([*shares[:2], 0.0]), atol=1e-15)
    assert fewer_rows(found, far, 0.5) is found
