"""Dictionaries: laws over every one of them, streaming, and what is dropped."""

import numpy as np
import pytest

from kernelect.dictionaries import (
    Bias,
    DesignMatrix,
    DictionaryDesign,
    Fourier,
    Functions,
    KernelFunctions,
    LinearTerms,
    PolynomialTerms,
    Union,
    as_dictionary,
)
from kernelect.exceptions import InvalidArgument, NotEnoughMemory
from kernelect.kernels import ARD, RBF, Matern
from kernelect.subsets import SubsetRows, gathered_moments
from kernelect.subsets.moments import _BLOCK_ELEMENTS
from oracles.differences import gradient

DICTIONARIES = [
    Bias(),
    LinearTerms(),
    PolynomialTerms(3),
    Fourier(4),
    Fourier(2, period=3.0),
    KernelFunctions(RBF(0.3)),
    KernelFunctions(ARD([0.1, 0.2, 0.3]), max_centres=5),
    KernelFunctions(Matern(1.5, 0.4), centres=np.arange(12.0).reshape(4, 3)),
    Functions([np.sin, lambda X: X[:, 0] * X[:, 1]], names=["sine", "product"]),
    DesignMatrix(),
    LinearTerms() + KernelFunctions(RBF(0.3)) + Bias(),
    as_dictionary(["linear", "bias", lambda X: np.abs(X[:, 0])]),
]


def label(dictionary):
    return repr(dictionary)[:40]


@pytest.mark.parametrize("dictionary", DICTIONARIES, ids=label)
class TestEveryDictionary:
    def test_shapes_agree(self, dictionary, data):
        X = data[0]
        built = dictionary.build(X)
        values = built.evaluate(X)
        assert values.shape == (len(X), len(built))
        assert len(built.describe()) == len(built)
        assert np.all(np.isfinite(values))

    def test_taking_some_is_taking_their_columns(self, dictionary, data, rng):
        X = data[0]
        built = dictionary.build(X)
        new = X + 0.1
        chosen = np.sort(rng.permutation(len(built))[: max(1, len(built) // 2)])
        np.testing.assert_allclose(built.take(chosen).evaluate(new), built.evaluate(new)[:, chosen], rtol=1e-12)
        assert built.take(chosen).describe() == [built.describe()[j] for j in chosen]

    def test_rows_are_independent(self, dictionary, data):
        X = data[0]
        built = dictionary.build(X)
        np.testing.assert_allclose(built.evaluate(X)[:7], built.evaluate(X[:7]), atol=1e-12)

    def test_design_has_the_gradient_of_its_kernels(self, dictionary, data, rng):
        X = data[0]
        design = DictionaryDesign(dictionary)
        values, pull = design.linearize(X)
        weights = rng.normal(size=values.shape)
        expected = gradient(lambda theta: np.sum(weights * design.with_theta(theta).linearize(X)[0]), design.theta)
        assert len(expected) == len(design.space(X)) == sum(len(kernel.theta) for kernel in dictionary.kernels)
        np.testing.assert_allclose(pull(weights), expected, rtol=1e-5, atol=1e-7)

    def test_names_are_distinct(self, dictionary, data):
        names = dictionary.build(data[0]).describe()
        assert len(set(names)) == len(names)


def test_polynomials_are_all_products_of_standardised_inputs(data):
    X = data[0]
    built = PolynomialTerms(2).build(X)
    assert built.describe() == ["x0", "x1", "x2", "x0^2", "x0 x1", "x0 x2", "x1^2", "x1 x2", "x2^2"]
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    np.testing.assert_allclose(built.evaluate(X)[:, 5], Z[:, 0] * Z[:, 2])


def test_kernel_functions_stand_at_the_data_once_each():
    X = np.array([[0.0], [1.0], [1.0], [3.0]])
    built = KernelFunctions(RBF(1.0)).build(X)
    np.testing.assert_array_equal(built.centres, [[0.0], [1.0], [3.0]])
    assert built.describe()[2] == "RBF at (3)"


def test_unions_open_unions_and_keep_kernels_in_order():
    joined = (LinearTerms() + KernelFunctions("ard")) + (Bias() + KernelFunctions("rbf"))
    assert len(joined.parts) == 4
    changed = joined.with_kernels((ARD([1.0]), RBF(2.0)))
    assert changed.parts[1].kernel.gamma == 1.0
    assert changed.parts[3].kernel.gamma == 2.0


@pytest.mark.parametrize("intercept", [False, True])
def test_streamed_moments_are_those_of_the_whole_matrix(intercept, rng):
    rows = _BLOCK_ELEMENTS // 40 + 1000  # more than one block of 40 columns
    D, T = rng.normal(size=(rows, 40)) + 5.0, rng.normal(size=(rows, 2)) + 3.0
    weights = rng.uniform(0.5, 2.0, size=rows)
    found = gathered_moments(DesignMatrix().build(D), SubsetRows(X=D, T=T, weights=weights, intercept=intercept))
    total = weights.sum()
    Dc = D - weights @ D / total if intercept else D
    Tc = T - weights @ T / total if intercept else T
    np.testing.assert_allclose(found.gram, Dc.T @ (weights[:, None] * Dc), rtol=1e-10, atol=1e-8)
    np.testing.assert_allclose(found.projections, Dc.T @ (weights[:, None] * Tc), atol=1e-8 * total)
    np.testing.assert_allclose(found.energy, weights @ Tc**2)
    assert found.n_rows == pytest.approx(total - intercept)


def test_centring_keeps_the_digits_of_columns_far_from_zero(rng):
    small = rng.normal(size=(500, 2))
    D, T = 1e8 + small, rng.normal(size=(500, 1))
    found = gathered_moments(DesignMatrix().build(D), SubsetRows(X=D, T=T, weights=np.ones(500), intercept=True))
    stored = D - 1e8  # what is left of the small numbers in double precision
    stored -= stored.mean(axis=0)
    np.testing.assert_allclose(found.gram, stored.T @ stored, rtol=1e-6)


def test_null_and_duplicate_columns_are_dropped_and_counted(rng):
    D = rng.normal(size=(30, 3))
    D = np.column_stack([D[:, 0], np.zeros(30), D[:, 1], D[:, 0], np.full(30, 7.0), D[:, 2], D[:, 2]])
    T = rng.normal(size=(30, 1))
    without = gathered_moments(DesignMatrix().build(D), SubsetRows(X=D, T=T, weights=np.ones(30), intercept=False))
    assert without.candidates.tolist() == [0, 2, 4, 5]
    assert (without.n_null, without.n_duplicate) == (1, 2)
    centred = gathered_moments(DesignMatrix().build(D), SubsetRows(X=D, T=T, weights=np.ones(30), intercept=True))
    assert centred.candidates.tolist() == [0, 2, 5]
    assert (centred.n_null, centred.n_duplicate) == (2, 2)


def wrong_shape(X):
    return np.ones((3, 2, 2))


@pytest.mark.parametrize(
    ("dictionary", "message"),
    [
        ([], "dictionary is empty"),
        (KernelFunctions(RBF(1.0), centres=np.zeros((0, 2))), "dictionary is empty"),
        ("gaussian", "dictionary='gaussian' is not known"),
        (3.0, "dictionary=3.0 must be a name"),
        (wrong_shape, "function 'wrong_shape' returned an array of shape"),
        (lambda X: X.sum(), r"returned an array of shape \(\)"),
        (lambda X: X[:-1, 0], r"returned an array of shape \(7,\) for 8 rows"),
        (lambda X: X[:, 0] * np.nan, "is NaN or infinite at some rows"),
        (Functions([np.sin, 3]), "functions holds 3, which cannot be called"),
        (Functions([np.sin], names=["a", "b"]), "names has 2 entries for 1 functions"),
        (PolynomialTerms(0), "degree=0 must be"),
        (PolynomialTerms(200), "lower the degree"),
        (Fourier(0), "order=0 must be"),
        (Fourier(2, period=-1.0), "period=-1.0 must be"),
        (KernelFunctions("rfb"), "kernel='rfb' is not known"),
        (KernelFunctions("precomputed"), "dictionary='precomputed'"),
        (KernelFunctions(RBF(1.0), centres="rows"), "centres='rows' must be"),
        (KernelFunctions(RBF(1.0), centres=[[1.0, 2.0, 3.0]]), r"centres has shape \(1, 3\) but X has 2 inputs"),
        (KernelFunctions(RBF(1.0), max_centres=0), "max_centres=0 must be"),
        (Bias(), "All 1 functions of the dictionary are constant"),
    ],
)
def test_bad_dictionaries_are_named(dictionary, message, rng):
    X = rng.normal(size=(20, 2))
    with pytest.raises(InvalidArgument, match=message):
        gathered_moments(
            as_dictionary(dictionary).build(X), SubsetRows(X=X, T=X[:, :1], weights=np.ones(20), intercept=True)
        )


def test_a_function_that_changes_its_width_is_named(rng):
    X = rng.normal(size=(20, 2))
    built = Functions([lambda X: X if len(X) == 8 else X[:, :1]], names=["odd"]).build(X)
    with pytest.raises(InvalidArgument, match="function 'odd' returned 1 columns, but 2 for the training rows"):
        built.evaluate(X)


def test_a_dictionary_too_large_for_the_memory_is_refused_before_it_is_built(rng, monkeypatch):
    monkeypatch.setattr("kernelect.subsets.moments.available_bytes", lambda: 1e4)
    X = rng.normal(size=(100, 2))
    with pytest.raises(NotEnoughMemory, match="A dictionary of 100 functions needs about .* Lower max_centres"):
        gathered_moments(
            KernelFunctions(RBF(1.0)).build(X), SubsetRows(X=X, T=X[:, :1], weights=np.ones(100), intercept=True)
        )


def test_a_union_of_nothing_is_empty(rng):
    assert len(Union(()).build(rng.normal(size=(3, 2)))) == 0
