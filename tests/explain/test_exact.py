"""Exact values against all coalitions, for every kernel, stand-in and group of inputs."""

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as sk
from sklearn.preprocessing import StandardScaler

from instances import KERNELS as INSTANCES
from kernelect import LSSVR
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.explain import Explainer, shapley_values
from kernelect.explain.exact import Prepared
from kernelect.explain.summands import kernel_summands
from kernelect.kernels import (
    ARD,
    RBF,
    Category,
    Constant,
    FunctionKernel,
    Linear,
    Matern,
    Polynomial,
    ProductLaplace,
    ProductMatern,
    RationalQuadratic,
    SklearnKernel,
    from_sklearn,
)
from kernelect.model import KernelPart
from oracles import shapley as oracle
from speeds import slowly

WIDTHS = np.array([0.1, 0.4, 0.25, 0.05])
KERNELS = {
    "rbf": RBF(0.3),
    "ard": ARD(WIDTHS),
    "ard without an input": ARD([0.1, 0.0, 0.25, 0.05]),
    "linear": Linear(),
    "square": Polynomial(2, gamma=0.3, coef0=0.7),
    "cube": Polynomial(3, gamma=0.2, coef0=0.7),
    "fourth power": Polynomial(4, gamma=0.1, coef0=0.7),
    "scaled and shifted": 2.0 * ARD(WIDTHS) + Constant(0.1),
    "sum": RBF(0.3) + 0.5 * Linear(),
    "product": RBF(0.3) * Polynomial(2, gamma=0.2, coef0=0.7),
    "two powers": Polynomial(2, gamma=0.3, coef0=0.7) * Linear(),
    "product laplace": ProductLaplace(WIDTHS),
    "product matern": ProductMatern([0.1, 0.0, 0.25, 0.05]),
    "numbers and categories": 2.0 * ProductLaplace(WIDTHS[:3]).on([3, 1, 0]) * Category([0.8]).on([2])
    + RBF(0.2).on([0]),
    "some columns": Polynomial(2, gamma=0.3, coef0=0.7, centre=[0.5, -0.2]).on([2, 0]) * RBF(0.1).on([1]),
    "product of sums": (RBF(0.3) + Linear()) * (ARD(WIDTHS) + Constant(0.5)),
}

#: Radial kernels are mixtures of Gaussians, off by some 1e-12 times the coefficients.
MIXTURES = {
    "matern32": Matern(1.5, 0.3),
    "matern52-ard": Matern(2.5, WIDTHS),
    "rational quadratic": RationalQuadratic(0.3, alpha=0.7),
    "rational quadratic, elliptical": RationalQuadratic(WIDTHS, alpha=3.0),
    "matern in a sum": Matern(1.5, 0.4) * 3.0 + Linear(),
}

#: All kernels for which laws run, except scikit-learn's own.
LAWFUL = {
    name: kernel.start(np.eye(3))
    for name, kernel in INSTANCES.items()
    if not isinstance(kernel, SklearnKernel | FunctionKernel)
}

FORMS = ["marginals", "interventional"]


def one_each(d):
    return [[j] for j in range(d)]


@pytest.fixture(scope="module")
def rows():
    generator = np.random.default_rng(3)
    X = generator.normal(size=(25, 4)) * [1.0, 2.0, 0.5, 1.0] + [0.0, 1.0, -1.0, 0.0]
    background = X[:3] + generator.normal(size=(3, 4))
    X[:, 2], background[:, 2] = X[:, 2].round(), background[:, 2].round()  # codes, where a kernel wants such
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2], background


def fitted(kernel, rows):
    X, y, _ = rows
    return LSSVR(kernel, regularization=0.5).fit(X, y)


@pytest.mark.parametrize("absent", FORMS)
@pytest.mark.parametrize("name", KERNELS)
def test_values_and_interactions_are_those_of_all_coalitions(name, absent, rows):
    model, (X, _, background) = fitted(KERNELS[name], rows), rows
    found = shapley_values(model, X[:2], background, interactions=True, absent=absent)
    for row in range(2):
        value = getattr(oracle, absent)(model.predict, X[row], background, one_each(4))
        phi, base = oracle.shapley(value, 4)
        np.testing.assert_allclose(found.values[row], phi, atol=1e-12)
        np.testing.assert_allclose(found.base_values[row], base, atol=1e-12)
        np.testing.assert_allclose(found.interactions[row], oracle.interactions(value, 4), atol=1e-12)
    assert found.method == "exact"
    assert found.remarks == ()


@pytest.mark.parametrize("absent", FORMS)
@pytest.mark.parametrize("name", MIXTURES)
def test_radial_kernels_are_off_by_no_more_than_they_say(name, absent, rows):
    model, (X, _, background) = fitted(MIXTURES[name], rows), rows
    found = shapley_values(model, X[:1], background, interactions=True, absent=absent)
    value = getattr(oracle, absent)(model.predict, X[0], background, one_each(4))
    size = np.abs(model.dual_coef_).sum()
    np.testing.assert_allclose(found.values[0], oracle.shapley(value, 4)[0], atol=2e-12 * size)
    np.testing.assert_allclose(found.interactions[0], oracle.interactions(value, 4), atol=4e-12 * size)
    assert found.remarks == ()  # so little is not worth a word


@pytest.mark.parametrize("name", LAWFUL)
def test_every_kernel_of_the_library_has_an_exact_form(name, rng):
    X, background = rng.normal(size=(12, 3)), rng.normal(size=(2, 3))
    part = KernelPart(kernel=LAWFUL[name], vectors=X, coefficients=rng.normal(size=(12, 1)))
    out, base = np.zeros((1, 3, 1)), 0.0
    for summand in kernel_summands(part.kernel, part.vectors, part.coefficients):
        prepared = Prepared.of(summand, np.arange(3), background, "marginals")
        prepared.add_values(X[:1], out)
        base += prepared.base()
    value = oracle.marginals(part.values, X[0], background, one_each(3))
    phi, nobody = oracle.shapley(value, 3)
    np.testing.assert_allclose(out[0], phi, atol=1e-10)
    np.testing.assert_allclose(base, nobody, atol=1e-10)


@pytest.mark.parametrize("absent", ["interventional", *slowly("marginals")])
def test_ten_inputs(absent):
    generator = np.random.default_rng(8)
    X = generator.normal(size=(30, 10))
    model = LSSVR(ARD(generator.uniform(0.02, 0.2, size=10)), regularization=0.5).fit(X, np.sin(X[:, 0]) + X[:, 1])
    background = generator.normal(size=(2, 10))
    found = shapley_values(model, X[:1], background, interactions=True, absent=absent)
    value = getattr(oracle, absent)(model.predict, X[0], background, one_each(10))
    np.testing.assert_allclose(found.values[0], oracle.shapley(value, 10)[0], atol=1e-10)
    np.testing.assert_allclose(found.interactions[0], oracle.interactions(value, 10), atol=1e-10)


def test_a_neutral_stand_in_is_the_kernel_of_the_other_inputs(rows):
    model, (X, _, _) = fitted(2.0 * ARD(WIDTHS) + Linear(), rows), rows

    def value(S):
        present = np.isin(np.arange(4), list(S))
        kernel = 2.0 * ARD(np.where(present, WIDTHS, 0.0))
        middle = X.mean(axis=0)  # where the inner product has its origin
        linear = ((model.X_fit_ - middle) * present) @ (X[0] - middle)
        return model.intercept_ + model.dual_coef_ @ (kernel.cross(model.X_fit_, X[:1])[:, 0] + linear)

    found = shapley_values(model, X[:1], interactions=True, absent="neutral")
    phi, base = oracle.shapley(value, 4)
    np.testing.assert_allclose(found.values[0], phi, atol=1e-12)
    np.testing.assert_allclose(found.base_values[0], base, atol=1e-12)
    np.testing.assert_allclose(found.interactions[0], oracle.interactions(value, 4), atol=1e-12)
    assert found.background == "none"


@pytest.mark.parametrize("absent", FORMS)
@pytest.mark.parametrize("name", ["ard", "product", "cube"])
def test_inputs_of_one_player_enter_together(name, absent, rows):
    X, _, background = rows
    model = fitted(KERNELS[name], rows)
    owners, groups = np.array([0, 1, 0, 2]), [[0, 2], [1], [3]]
    out = np.zeros((1, 3, 1))
    for summand in kernel_summands(model.kernel_, model.X_fit_, model.dual_coef_[:, None]):
        Prepared.of(summand, owners, background, absent).add_values(X[:1], out)
    value = getattr(oracle, absent)(model.predict, X[0], background, groups)
    np.testing.assert_allclose(out[0, :, 0], oracle.shapley(value, 3)[0], atol=1e-12)


@pytest.mark.parametrize("absent", ["marginals", "interventional", "neutral"])
def test_values_add_up_with_two_hundred_inputs(absent):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(80, 200))
    model = LSSVR(ARD(np.full(200, 0.003)), regularization=0.1).fit(X, X[:, 0] + X[:, 1] ** 2)
    background = None if absent == "neutral" else X[:4]
    found = shapley_values(model, X[:3], background, absent=absent)
    np.testing.assert_allclose(found.totals, model.predict(X[:3]), atol=1e-11)
    assert found.error < 1e-11


def test_a_factor_of_zero_divides_nothing():
    # exp(-1e6) underflows to 0: products without a player must not be got by division.
    X = np.array([[0.0, 0.0], [0.0, 1000.0], [1000.0, 0.0], [1000.0, 1000.0]])
    model = LSSVR(RBF(1.0), regularization=0.1).fit(X, [0.0, 1.0, 1.0, 3.0])
    found = shapley_values(model, X, X)
    for row in range(4):
        value = oracle.marginals(model.predict, X[row], X, one_each(2))
        np.testing.assert_allclose(found.values[row], oracle.shapley(value, 2)[0], atol=1e-12)


@pytest.mark.parametrize("name", ["ard", "cube", "product"])
def test_a_wild_row_spoils_no_other(name, rows):
    model, (X, _, background) = fitted(KERNELS[name], rows), rows
    wild = np.vstack([X[:2], np.full((1, 4), 1e200)])
    found = shapley_values(model, wild, background)
    assert np.isfinite(found.values).all()
    np.testing.assert_allclose(found.values[:2], shapley_values(model, X[:2], background).values, atol=1e-13)


def test_blocks_of_rows_products_and_background_change_nothing(monkeypatch, rows):
    model, (X, _, background) = fitted(KERNELS["product"], rows), rows
    whole = [shapley_values(model, X, background, absent=absent) for absent in FORMS]
    monkeypatch.setattr("kernelect.explain.exact._NUMBERS", 1)
    monkeypatch.setattr("kernelect.explain.exact._CACHED", 1)
    monkeypatch.setattr("kernelect.explain.quadrature._BLOCK", 1)
    monkeypatch.setattr("kernelect.explain.quadrature._FEWEST", 3)
    for absent, before in zip(FORMS, whole, strict=True):
        np.testing.assert_allclose(
            shapley_values(model, X, background, absent=absent).values, before.values, atol=1e-13
        )


def test_training_rows_are_the_background(rows):
    model, (X, _, _) = fitted(KERNELS["ard"], rows), rows
    by_default = shapley_values(model, X[:2])
    np.testing.assert_array_equal(by_default.values, shapley_values(model, X[:2], X).values)
    assert by_default.background == "25 training rows"


def test_interventional_values_take_at_most_a_hundred_training_rows():
    X = np.random.default_rng(0).normal(size=(130, 2))
    model = LSSVR(RBF(0.3), regularization=0.5).fit(X, X[:, 0])
    assert shapley_values(model, X[:1], absent="interventional").background == "100 of 130 training rows"
    assert shapley_values(model, X[:1], X, absent="interventional").background == "130 given rows"


def test_an_explainer_serves_many_rows(rows):
    model, (X, _, background) = fitted(KERNELS["ard"], rows), rows
    explainer = Explainer.of(model, background)
    together = shapley_values(model, X[:4], background).values
    np.testing.assert_allclose(np.vstack([explainer.explain(X[i : i + 1]).values for i in range(4)]), together)


def test_kernels_without_an_exact_form_say_so(rows):
    model, (X, _, _) = fitted(from_sklearn(sk.Exponentiation(sk.RBF(1.0, "fixed"), 2)), rows), rows
    with pytest.raises(
        MissingCapability, match="SklearnKernel is not a sum of products over inputs.*method='permutation'"
    ):
        shapley_values(model, X[:1], method="exact")
    found = shapley_values(model, X[:1], n_permutations=3)
    assert found.method == "permutation"
    assert found.remarks == (
        "SklearnKernel is not a sum of products over inputs: the values are estimated by permutations.",
    )


def test_bad_arguments(rows):
    model, (X, _, _) = fitted(KERNELS["ard"], rows), rows
    with pytest.raises(InvalidArgument, match="absent='marginal' is not known. Did you mean 'marginals'"):
        shapley_values(model, X, absent="marginal")
    with pytest.raises(InvalidArgument, match="method='sampling' is not known"):
        shapley_values(model, X, method="sampling")
    with pytest.raises(InvalidArgument, match="background must be left out with absent='neutral'"):
        shapley_values(model, X, X, absent="neutral")
    with pytest.raises(InvalidArgument, match=r"X must hold rows and columns, got shape \(4,\)"):
        shapley_values(model, X[0])
    with pytest.raises(InvalidArgument, match="X has 3 columns, but the model has 4"):
        shapley_values(model, X[:, :3])
    with pytest.raises(InvalidArgument, match="background holds NaN or infinite values"):
        shapley_values(model, X, np.full((2, 4), np.nan))
    with pytest.raises(InvalidArgument, match=r"model=StandardScaler\(...\) is not a model of kernelect"):
        shapley_values(StandardScaler().fit(X), X)
