"""The factored model against dense matrices: increments, coefficients, and drift."""

from functools import partial

import numpy as np
import pytest

from kernelect.dictionaries import DesignMatrix
from kernelect.subsets import SubsetRows, gathered_moments
from kernelect.subsets.evidence import occam_factor
from kernelect.subsets.factored import FactoredModel
from oracles import basis as slow


def moments_of(D, T, weights=None):
    weights = np.ones(len(D)) if weights is None else weights
    return gathered_moments(DesignMatrix().build(D), SubsetRows(X=D, T=T, weights=weights, intercept=False))


@pytest.fixture(params=[1, 3], ids=["one output", "three outputs"])
def problem(request, rng):
    D = rng.normal(size=(25, 12)) @ np.diag(np.geomspace(0.1, 10.0, 12))
    T = D[:, :4] @ rng.normal(size=(4, request.param)) + 0.5 * rng.normal(size=(25, request.param))
    return D, T


def model_at(D, T, chosen, lam):
    model = FactoredModel(moments_of(D, T))
    model.reset(np.array(chosen, dtype=np.intp), lam)
    return model


def test_the_slow_likelihood_is_that_of_the_dense_covariance(problem):
    D, T = problem
    Phi = D[:, [3, 7, 1]]
    dense = slow.log_likelihood(Phi, T, 0.3, slow.best_noise(Phi, T, 0.3))
    assert slow.profile(Phi, T, 0.3) == pytest.approx(dense, abs=1e-9)


@pytest.mark.parametrize("lam", [1e-4, 0.3, 50.0])
def test_every_addition_gains_what_the_dense_likelihood_gains(problem, lam):
    D, T = problem
    chosen = [3, 7, 1]
    model = model_at(D, T, chosen, lam)
    gains, before = model.addition_gains(), slow.profile(D[:, chosen], T, lam)
    for j in set(range(D.shape[1])) - set(chosen):
        assert gains[j] == pytest.approx(slow.profile(D[:, [*chosen, j]], T, lam) - before, abs=1e-8)
    assert np.all(np.isneginf(gains[chosen]))


@pytest.mark.parametrize("lam", [1e-6, 0.3, 50.0])
def test_every_removal_gains_what_the_dense_likelihood_gains(problem, lam):
    D, T = problem
    chosen = [3, 7, 1, 10]
    gains, before = model_at(D, T, chosen, lam).removal_gains(), slow.profile(D[:, chosen], T, lam)
    for position in range(len(chosen)):
        rest = chosen[:position] + chosen[position + 1 :]
        assert gains[position] == pytest.approx(slow.profile(D[:, rest], T, lam) - before, abs=1e-8)


@pytest.mark.parametrize("lam", [1e-4, 0.3, 50.0])
def test_gains_in_the_evidence_are_those_of_dense_matrices(rng, lam):
    """Equation 8, at an alpha and a beta that are best for no model."""
    D = rng.normal(size=(25, 12)) @ np.diag(np.geomspace(0.1, 10.0, 12))
    T, chosen, beta = rng.normal(size=(25, 1)), [3, 7, 1, 10], 1.7
    model, t = model_at(D, T, chosen, lam), T[:, 0]
    occam = partial(occam_factor, n_rows=25.0)
    before = slow.mackay_at(D[:, chosen], t, lam * beta, beta)
    added, removed = model.addition_evidence_gains(beta, occam), model.removal_evidence_gains(beta, occam)
    for j in set(range(12)) - set(chosen):
        after = slow.mackay_at(D[:, [*chosen, j]], t, lam * beta, beta)
        assert added[j] == pytest.approx(after - before, abs=1e-7)
    assert np.all(np.isneginf(added[chosen]))
    for position in range(4):
        rest = chosen[:position] + chosen[position + 1 :]
        after = slow.mackay_at(D[:, rest], t, lam * beta, beta)
        assert removed[position] == pytest.approx(after - before, abs=1e-7)


def test_adding_and_removing_leads_to_the_same_state_as_factorising_anew(problem):
    D, T = problem
    model = model_at(D, T, [], 0.2)
    for j in (5, 2, 9, 0, 11, 4):
        model.add(j)
    for position in (1, 0, 3):
        model.remove(position)
    fresh = model_at(D, T, model.chosen, 0.2)
    np.testing.assert_allclose(model.spare, fresh.spare, atol=1e-10 * np.diagonal(model.moments.gram).max())
    np.testing.assert_allclose(model.pull, fresh.pull, atol=1e-9)
    np.testing.assert_allclose(model.misfit, fresh.misfit, rtol=1e-12)
    np.testing.assert_allclose(model.coefficients(), fresh.coefficients(), rtol=1e-9)
    assert model.log_likelihood() == pytest.approx(slow.profile(D[:, model.chosen], T, 0.2), abs=1e-9)


def test_coefficients_are_those_of_ridge_regression(problem):
    D, T = problem
    chosen = [0, 6, 8]
    Phi = D[:, chosen]
    expected = np.linalg.solve(Phi.T @ Phi + 0.7 * np.eye(3), Phi.T @ T)
    np.testing.assert_allclose(model_at(D, T, chosen, 0.7).coefficients(), expected, rtol=1e-9)


def test_two_thousand_operations_drift_less_than_1e_8(rng):
    """Wide Gaussian functions, where rank-one updates of the covariance drift by tens of per cent."""
    x = np.sort(rng.uniform(-1, 1, 120))
    D = np.exp(-2.0 * (x[:, None] - x[::2]) ** 2)
    T = np.sin(4.0 * x)[:, None] + 0.1 * rng.normal(size=(120, 1))
    lam = 1e-6 * np.linalg.norm(D, 2) ** 2
    model = model_at(D, T, [], lam)
    while len(model) < 20:
        model.add(int(np.argmax(model.addition_gains())))
    for number in range(1000):
        model.remove(int(rng.integers(len(model))))
        candidates = np.flatnonzero(np.isfinite(model.addition_gains()))
        model.add(int(rng.choice(candidates)))
        if number % 250 == 249:
            fresh = model_at(D, T, model.chosen, lam)
            assert model.log_likelihood() == pytest.approx(fresh.log_likelihood(), abs=1e-8)
    exact = slow.profile(D[:, model.chosen], T, lam)
    assert model.log_likelihood() == pytest.approx(exact, rel=1e-8)
    np.testing.assert_allclose(model.removal_gains(), fresh.removal_gains(), atol=1e-8 * abs(exact))
    norms = np.diagonal(model.moments.gram)
    np.testing.assert_allclose(model.spare / norms, fresh.spare / norms, atol=1e-8)


def test_an_explained_candidate_is_never_added(rng):
    D = rng.normal(size=(30, 3))
    D = np.column_stack([D, D[:, 0] + D[:, 1]])
    model = model_at(D, rng.normal(size=(30, 1)), [0, 1], 1e-10)
    assert np.isneginf(model.addition_gains()[3])
    assert np.isfinite(model.addition_gains()[2])


def test_the_first_function_is_the_one_with_the_largest_normalised_projection(problem):
    D, T = problem
    gains = model_at(D, T, [], 1.0).addition_gains()
    if T.shape[1] == 1:
        assert np.argmax(gains) == np.argmax((D.T @ T[:, 0]) ** 2 / np.sum(D**2, axis=0))
    else:  # several outputs: the largest fall of sum_k ln A_k
        energy = np.sum(T**2, axis=0)
        left = energy - (D.T @ T) ** 2 / np.sum(D**2, axis=0)[:, None]
        assert np.argmax(gains) == np.argmin(np.log(left / energy).sum(axis=1))
