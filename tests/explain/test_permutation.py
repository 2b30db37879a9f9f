"""The permutation estimate: unbiased, with standard errors that mean what they say."""

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as sk

from kernelect import LSSVC, LSSVR
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.explain import shapley_values
from kernelect.kernels import ARD, RBF, from_sklearn

#: A Gaussian that is not recognised as one: the square of a wider Gaussian.
WRAPPED = from_sklearn(sk.Exponentiation(sk.RBF(2.0, "fixed"), 2))
SAME = RBF(2.0 / (2.0 * 2.0**2))


@pytest.fixture(scope="module")
def rows():
    generator = np.random.default_rng(2)
    X = generator.normal(size=(40, 4))
    X[:, 1] += X[:, 0]  # so that whole rows and marginals differ
    return X, np.sin(X[:, 0]) * X[:, 1] + X[:, 2]


@pytest.mark.parametrize("absent", ["marginals", "interventional"])
def test_estimates_lie_about_the_exact_values_as_their_errors_say(rows, absent):
    X, y = rows
    exact = shapley_values(LSSVR(SAME, regularization=0.1).fit(X, y), X[:8], absent=absent)
    model = LSSVR(WRAPPED, regularization=0.1).fit(X, y)
    found = shapley_values(model, X[:8], absent=absent, n_permutations=600)
    assert found.method == "permutation"
    z = (found.values - exact.values) / found.standard_errors
    assert np.sqrt(np.mean(z**2)) < 1.6
    assert np.abs(z).max() < 4.5
    assert found.standard_errors.max() < 0.1


def test_marginals_and_whole_rows_are_told_apart(rows):
    # Background columns depend on each other here, so the two values differ by more than their errors.
    X, y = rows
    model = LSSVR(SAME, regularization=0.1).fit(X, y)
    for absent, other in (("marginals", "interventional"), ("interventional", "marginals")):
        found = shapley_values(model, X, absent=absent, method="permutation", n_permutations=600)
        right, wrong = (shapley_values(model, X, absent=form).base_values[0] for form in (absent, other))
        assert abs(found.base_values[0] - right) < abs(found.base_values[0] - wrong)


def test_values_add_up_to_the_decision(rows):
    X, y = rows
    model = LSSVC(ARD(np.full(4, 0.2)), regularization=0.1).fit(X, np.digitize(y, [-0.5, 0.5]))
    found = shapley_values(model, X[:5], method="permutation", n_permutations=5)
    np.testing.assert_allclose(found.totals, model.decision_function(X[:5]), atol=1e-12)
    assert found.error < 1e-12
    assert found.values.shape == found.standard_errors.shape == (5, 4, 3)
    np.testing.assert_array_equal(found.base_values, found.base_values[:1].repeat(5, axis=0))


def test_the_seed_decides(rows, monkeypatch):
    X, y = rows
    model = LSSVR(WRAPPED, regularization=0.1).fit(X, y)
    first = shapley_values(model, X[:5], n_permutations=4, random_state=1)
    assert not np.allclose(first.values, shapley_values(model, X[:5], n_permutations=4, random_state=2).values)
    monkeypatch.setattr("kernelect.explain.permutation._ROWS", 1)  # row by row
    np.testing.assert_allclose(
        shapley_values(model, X[:5], n_permutations=4, random_state=1).values, first.values, atol=1e-12
    )


def test_what_an_estimate_cannot_do(rows):
    X, y = rows
    model = LSSVR(WRAPPED, regularization=0.1).fit(X, y)
    with pytest.raises(MissingCapability, match="interactions=True needs an exact form.*such as 'ard'"):
        shapley_values(model, X, interactions=True)
    with pytest.raises(MissingCapability, match="absent='neutral' needs an exact form"):
        shapley_values(model, X, absent="neutral")
    with pytest.raises(InvalidArgument, match="n_permutations=1 must be a whole number of at least 2"):
        shapley_values(model, X, n_permutations=1)
