"""Every estimator of the library, against all coalitions of its own decision."""

from functools import cache

import numpy as np
import pytest
from sklearn.base import clone

from kernelect import GPC, LSSVC, LSSVR, RVC, RVR, SVC, BasisSearchRegressor
from kernelect.dictionaries import Fourier, Functions, KernelFunctions, LinearTerms, PolynomialTerms
from kernelect.exceptions import InvalidArgument
from kernelect.explain import expansion_of, shapley_values
from kernelect.kernels import ARD, RBF, Constant
from oracles import shapley as oracle

WIDTHS = [0.3, 0.1, 0.5]
FULL = 2.0 * ARD(WIDTHS) + Constant(0.3)


def three_inputs():
    generator = np.random.default_rng(11)
    X = generator.normal(size=(60, 3))
    f = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2]
    return X, f + 0.1 * generator.normal(size=60), np.where(f > 0.0, "yes", "no"), np.digitize(f, [-0.5, 0.5])


X, REAL, TWO, THREE = three_inputs()
BACKGROUND = X[50:53]


def latent(model):
    return lambda rows: model.latent_mean_and_variance(rows)[0]


def rvm_mean(model):
    return lambda rows: shaped(model, model.model_.components[0].mean(rows))


def posterior_mean(model):
    part = model.model_.components[0].kernel_part
    return lambda rows: shaped(model, part.kernel.cross(rows, part.vectors) @ part.coefficients)


def shaped(model, values):
    return values[:, 0] if len(model.classes_) == 2 else values


#: Model, target, what is explained and how the model itself computes it.
MODELS = {
    "LSSVC, two classes": (
        LSSVC(ARD(WIDTHS), regularization=0.3),
        TWO,
        "decision value",
        lambda m: m.decision_function,
    ),
    "LSSVC, three classes": (
        LSSVC(RBF(0.3), regularization=0.3),
        THREE,
        "decision value",
        lambda m: m.decision_function,
    ),
    "LSSVR": (LSSVR(ARD(WIDTHS), regularization=0.3), REAL, "prediction", lambda m: m.predict),
    "LSSVR, two targets": (
        LSSVR(RBF(0.3), regularization=0.3),
        np.column_stack([REAL, X[:, 0]]),
        "prediction",
        lambda m: m.predict,
    ),
    "SVC by its posterior": (SVC(FULL, C=1.0), TWO, "latent mean", posterior_mean),
    "SVC by its posterior, three classes": (SVC(FULL, C=1.0), THREE, "latent mean", posterior_mean),
    "SVC, plain": (SVC(FULL, C=1.0, predictor="svm"), TWO, "decision value", lambda m: m.decision_function),
    "SVC, ensemble": (
        SVC("rbf", criterion="span", n_restarts=2, ensemble=True, max_iter=5, tol=0.1),
        TWO,
        "decision value",
        lambda m: m.decision_function,
    ),
    "GPC": (GPC(FULL), TWO, "latent mean", latent),
    "GPC, three classes": (GPC(FULL), THREE, "latent mean", latent),
    "RVC": (RVC(ARD(WIDTHS)), TWO, "latent mean", rvm_mean),
    "RVC, three classes": (RVC(RBF(0.3)), THREE, "latent mean", rvm_mean),
    "RVC, movable centres": (RVC(RBF(0.3), centres="movable"), TWO, "latent mean", rvm_mean),
    "RVC, dictionary": (RVC(dictionary=PolynomialTerms(2)), TWO, "latent mean", rvm_mean),
    "RVR": (RVR(ARD(WIDTHS)), REAL, "prediction", lambda m: m.predict),
    "RVR, dictionary": (RVR(dictionary="linear"), REAL, "prediction", lambda m: m.predict),
    "basis search, kernels": (
        BasisSearchRegressor(KernelFunctions(ARD(WIDTHS))),
        REAL,
        "prediction",
        lambda m: m.predict,
    ),
    "basis search, polynomials": (BasisSearchRegressor(PolynomialTerms(4)), REAL, "prediction", lambda m: m.predict),
    "basis search, waves": (BasisSearchRegressor(Fourier(3)), REAL, "prediction", lambda m: m.predict),
    "basis search, columns": (BasisSearchRegressor("precomputed"), REAL, "prediction", lambda m: m.predict),
    "basis search, all of them": (
        BasisSearchRegressor([LinearTerms(), PolynomialTerms(2), Fourier(2), KernelFunctions(RBF(0.4))]),
        REAL,
        "prediction",
        lambda m: m.predict,
    ),
    "basis search, two targets": (
        BasisSearchRegressor(PolynomialTerms(2)),
        np.column_stack([REAL, X[:, 0] ** 2 + 0.1 * X[:, 2]]),
        "prediction",
        lambda m: m.predict,
    ),
}


@cache
def fitted(name):
    estimator, target, _, decision = MODELS[name]
    model = clone(estimator).fit(X, target)
    return model, decision(model)


@pytest.mark.parametrize("absent", ["marginals", "interventional", "neutral"])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_values_are_those_of_all_coalitions(name, absent):
    (model, f), explained = fitted(name), MODELS[name][2]
    background = None if absent == "neutral" else BACKGROUND
    found = shapley_values(model, X[:2], background, interactions=True, absent=absent)
    assert found.explained == explained
    assert found.method == "exact"
    for row in range(2):
        if absent == "neutral":
            value = oracle.neutral(expansion_of(model), X[row])
        else:
            value = getattr(oracle, absent)(f, X[row], BACKGROUND, [[0], [1], [2]])
        phi, base = oracle.shapley(value, 3)
        np.testing.assert_allclose(found.values[row], phi, atol=1e-10)
        np.testing.assert_allclose(found.base_values[row], base, atol=1e-10)
        np.testing.assert_allclose(found.interactions[row], oracle.interactions(value, 3), atol=1e-10)
    np.testing.assert_allclose(found.totals, f(X[:2]), atol=1e-10)
    assert found.error < 1e-10


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_expansion_is_the_model(name):
    model, f = fitted(name)
    expansion = expansion_of(model)
    values = expansion.decide(expansion.inputs(X))
    np.testing.assert_allclose(values[:, 0] if expansion.single else values, f(X), atol=1e-10)
    assert expansion.players == ("x0", "x1", "x2")


def test_outputs_are_named():
    two = shapley_values(LSSVC(RBF(0.3), regularization=0.3).fit(X, TWO), X[:4])
    three = shapley_values(LSSVC(RBF(0.3), regularization=0.3).fit(X, THREE), X[:4])
    assert two.output_names == ("yes",)
    assert two.values.shape == (4, 3)
    assert three.output_names == (0, 1, 2)
    assert three.values.shape == (4, 3, 3)
    assert three.base_values.shape == (4, 3)


@pytest.mark.parametrize(
    "estimator", [LSSVC("precomputed"), SVC("precomputed"), GPC("precomputed"), RVC("precomputed")]
)
def test_precomputed_kernels_are_explained_by_training_rows(estimator):
    gram = RBF(0.3).gram(X)
    model = estimator.fit(gram, TWO)
    found = shapley_values(model, gram[:2], gram)
    assert found.values.shape == (2, 60)
    assert "does not tell the inputs" in found.remarks[0]
    value = oracle.interventional(
        lambda rows: expansion_of(model).decide([rows])[:, 0], gram[0], gram, [[j] for j in range(60)]
    )
    # A linear function: what a player adds to nobody is its value.
    alone = [value({j}) - value(set()) for j in range(60)]
    np.testing.assert_allclose(found.values[0], alone, atol=1e-10)


def test_rows_of_no_weight_are_no_vectors():
    weights = np.r_[np.zeros(5), np.ones(55)]
    gram = RBF(0.3).gram(X)
    by_rows = LSSVR(RBF(0.3), regularization=0.3).fit(X, REAL, weights)
    by_gram = LSSVR("precomputed", regularization=0.3).fit(gram, REAL, weights)
    values = [e.decide(e.inputs(rows)) for e, rows in ((expansion_of(by_rows), X), (expansion_of(by_gram), gram))]
    np.testing.assert_allclose(values[0], values[1], atol=1e-10)
    assert len(expansion_of(by_rows).parts[0].part.vectors) == 55


def test_a_sparse_model_asks_for_background():
    model = RVR(ARD(WIDTHS)).fit(X, REAL)
    with pytest.raises(
        InvalidArgument, match="RVR does not keep all of them: give background=, such as the training rows"
    ):
        shapley_values(model, X[:19])
    found = shapley_values(model, X[:20])
    assert found.background == "20 explained rows"
    np.testing.assert_array_equal(found.values, shapley_values(model, X[:20], X[:20]).values)


def test_a_constant_model_has_values_of_zero():
    found = shapley_values(BasisSearchRegressor("rbf").fit(X, np.full(60, 3.0)), X)
    np.testing.assert_array_equal(found.values, 0.0)
    np.testing.assert_array_equal(found.base_values, 3.0)


def test_functions_of_the_users_own_are_estimated():
    model = BasisSearchRegressor(Functions([np.sin, lambda X: X[:, 1] * X[:, 2]])).fit(X, REAL)
    found = shapley_values(model, X[:3], X, n_permutations=400)
    assert found.method == "permutation"
    assert found.remarks == ("CallableColumns are not products over inputs: the values are estimated by permutations.",)
    value = oracle.interventional(model.predict, X[0], X, [[0], [1], [2]])
    shares = oracle.shapley(value, 3)[0]
    assert abs(found.values[0] - shares).max() < 0.3


@pytest.mark.parametrize(
    ("machine", "latent"),
    [(LSSVC(), False), (SVC(predictor="svm"), False), (SVC(), True), (GPC(), True), (RVC(), True)],
    ids=["lssvc", "plain svc", "svc", "gpc", "rvc"],
)
def test_a_remark_tells_where_values_do_not_add_up_to_the_decision_value(machine, latent):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    machine.fit(X, X[:, 0] + 0.5 * rng.normal(size=40) > 0.0)
    found = shapley_values(machine, X[:5], X)
    assert np.allclose(found.totals, machine.decision_function(X[:5]), rtol=1e-6) != latent
    assert any("The decision value also depends on its variance" in remark for remark in found.remarks) == latent
