"""Evidence against dense covariances, fine grids and two-dimensional quadrature."""

import numpy as np
import pytest
from scipy.special import gammaln

from kernelect.dictionaries import DesignMatrix
from kernelect.subsets import MacKayEvidence, MarginalLikelihood, QuadratureEvidence, SubsetRows, gathered_moments
from kernelect.subsets.evidence import GAMMA_FLOOR
from kernelect.subsets.posterior import Solver
from kernelect.subsets.profile import GramProfile, SingularProfile
from oracles import basis as slow
from oracles.differences import gradient


def moments_of(D, T, intercept=False, weights=None):
    weights = np.ones(len(D)) if weights is None else weights
    return gathered_moments(DesignMatrix().build(D), SubsetRows(X=D, T=T, weights=weights, intercept=intercept))


def everything(D):
    return np.arange(D.shape[1])


def case(name, rng, k=1):
    D = rng.normal(size=(40, 6)) @ np.diag([1.0, 2.0, 0.5, 1.0, 3.0, 0.1])
    signal = {"strong": 2.0, "weak": 0.15, "none": 0.0}[name]
    return D, signal * D @ rng.normal(size=(6, k)) + rng.normal(size=(40, k))


CASES = pytest.mark.parametrize("name", ["strong", "weak", "none"])


@CASES
@pytest.mark.parametrize("size", [1, 2, 6])
def test_quadrature_is_the_two_dimensional_integral(name, size, rng):
    D, T = case(name, rng)
    D = D[:, :size]
    value = QuadratureEvidence().score(moments_of(D, T), everything(D)).value
    assert value == pytest.approx(slow.evidence_by_two_dimensions(D, T[:, 0]), abs=1e-7)


@CASES
def test_quadrature_is_the_fine_grid_for_several_outputs(name, rng):
    D, T = case(name, rng, k=3)
    value = QuadratureEvidence().score(moments_of(D, T), everything(D)).value
    assert value == pytest.approx(slow.evidence_by_grid(D, T), abs=1e-7)


@CASES
def test_marginal_likelihood_is_the_best_dense_one(name, rng):
    D, T = case(name, rng, k=2)
    value = MarginalLikelihood().score(moments_of(D, T), everything(D)).value
    assert value == pytest.approx(slow.marginal_likelihood(D, T), abs=1e-8)


def test_mackay_is_equation_4_where_parameters_are_well_determined(rng):
    D, T = case("strong", rng)
    value = MacKayEvidence().score(moments_of(D, T), everything(D)).value
    assert value == pytest.approx(slow.mackay(D, T[:, 0]), abs=1e-6)
    # and close to the integral, whose prior density 1 / W and factor 2 pi it drops
    exact = slow.evidence_by_two_dimensions(D, T[:, 0])
    assert value + np.log(2 * np.pi) - np.log(np.log(1e14)) == pytest.approx(exact, abs=0.3)


@pytest.mark.parametrize("weight", [1.0, 1e4, 1e8])
def test_quadrature_sees_an_integrand_that_falls_off_steeply_at_the_bound(weight):
    """A perfect fit to rows of great weight: all of the integral lies within 2 / N of the smallest lambda."""
    N, size = 3.0 * weight, 5.25 * weight
    one = np.array([np.sqrt(size)])
    value = QuadratureEvidence().of(SingularProfile(one, one[:, None], np.zeros(1), N, 0.0)).value
    u = np.log(1e-12 * size) + np.concatenate([[0.0], np.geomspace(1e-14, np.log(1e14), 200_001)])
    share = np.exp(u) / (size + np.exp(u))  # of the targets' energy that is left; their projection is all of it
    misfit = np.maximum(size * share, 1e-14 * size)
    heights = -0.5 * N * (np.log(2.0 * np.pi * misfit / N) + 1.0) + 0.5 * np.log(share)
    integral = heights.max() + np.log(np.trapezoid(np.exp(heights - heights.max()), u)) - np.log(np.log(1e14))
    noise = gammaln(0.5 * N) - 0.5 * N * np.log(0.5 * N) + 0.5 * N
    assert value == pytest.approx(integral + noise, rel=1e-13, abs=1e-4)


def test_a_useless_function_is_not_rewarded(rng):
    """As gamma falls to 0 the printed equation (4) grows without bound."""
    t = rng.normal(size=40)
    phi = rng.normal(size=40)
    phi -= (1.0 - 1e-3) * t * (phi @ t) / (t @ t)
    D, T = phi[:, None], t[:, None]
    moments = moments_of(D, T)
    for criterion in (QuadratureEvidence(), MacKayEvidence(), MarginalLikelihood()):
        null = criterion.score(moments, np.zeros(0, dtype=int)).value
        assert criterion.score(moments, everything(D)).value < null + 0.05
    # The printed formula does reward it, the more so the larger lambda is.
    null = MacKayEvidence().score(moments, np.zeros(0, dtype=int)).value
    printed = [slow.mackay(D, t, lam) for lam in (1e4, 1e6, 1e8)]
    assert null < printed[0] < printed[1] < printed[2]
    assert 1.0 - 1e6 / (phi @ phi + 1e6) < GAMMA_FLOOR


def test_null_models_are_the_limits_of_useless_functions(rng):
    """A function of norm almost 0 against the targets changes nothing but costs at most ln W."""
    T = rng.normal(size=(30, 1))
    moments = moments_of(rng.normal(size=(30, 2)), T)
    nothing = np.zeros(0, dtype=int)
    assert QuadratureEvidence().score(moments, nothing).value == pytest.approx(slow.evidence_by_grid(T[:, :0], T))
    assert MarginalLikelihood().score(moments, nothing).value == pytest.approx(slow.marginal_likelihood(T[:, :0], T))


def test_an_intercept_is_a_constant_with_a_flat_prior_integrated_out(rng):
    """Against a numerical integral over the constant, at fixed lambda and beta."""
    D, T = case("weak", rng)
    t = T[:, 0] + 1.0
    lam, beta = 2.0, 0.8
    constants = np.linspace(-6, 8, 4001)
    # With columns centred, which changes the model by nothing but the meaning of the constant.
    centred = D - D.mean(axis=0)
    values = [slow.log_likelihood(centred, (t - c)[:, None], lam, [beta]) for c in constants]
    exact = max(values) + np.log(np.trapezoid(np.exp(np.array(values) - max(values)), constants))
    moments = moments_of(D, t[:, None], intercept=True)
    A = moments.energy[0] - moments.projections[:, 0] @ np.linalg.solve(
        moments.gram + lam * np.eye(6), moments.projections[:, 0]
    )
    N = moments.n_rows
    determinant = np.linalg.slogdet(moments.gram + lam * np.eye(6))[1] - 6 * np.log(lam)
    ours = moments.log_constant - 0.5 * (N * np.log(2 * np.pi / beta) + determinant + beta * A)
    assert ours == pytest.approx(exact, abs=1e-6)


@CASES
def test_slopes_are_the_derivatives_of_the_profile(name, rng):
    D, T = case(name, rng, k=2)
    moments = moments_of(D, T)
    gram = GramProfile(moments.gram, moments.projections, moments.energy, moments.n_rows, 0.0)
    sample = SubsetRows(X=D, T=T, weights=np.ones(40), intercept=False)
    singular = Solver.of(DesignMatrix().build(D), sample, np.zeros(6), 40.0, 0.0).profile()
    for profile in (gram, singular):
        height, slope = profile.log_likelihood, profile.slopes
        for u in (-6.0, 0.0, 4.0):
            first = gradient(lambda v, f=height: float(f(np.exp(v))[0]), np.array([u]))[0]
            second = gradient(lambda v, f=slope: f(float(np.exp(v[0])))[0], np.array([u]))[0]
            assert slope(float(np.exp(u))) == pytest.approx((first, second), abs=1e-5)


def test_both_profiles_agree_and_the_singular_one_keeps_digits(rng):
    x = np.linspace(-1, 1, 60)
    D = np.exp(-1.0 * (x[:, None] - x[::6]) ** 2)  # condition number of the Gram matrix beyond 1e16
    T = np.sin(3 * x)[:, None] + 1e-3 * rng.normal(size=(60, 1))
    moments = moments_of(D, T)
    gram = GramProfile(moments.gram, moments.projections, moments.energy, 60.0, 0.0)
    singular = Solver.of(
        DesignMatrix().build(D), SubsetRows(X=D, T=T, weights=np.ones(60), intercept=False), np.zeros(10), 60.0, 0.0
    ).profile()
    largest = singular.eigenvalues.max()
    lams = largest * np.array([1e-4, 1e-6])
    np.testing.assert_allclose(gram.log_likelihood(lams), singular.log_likelihood(lams), rtol=1e-6)
    lam = float(largest * 1e-14)
    exact = slow.exact_misfit(D, T[:, 0], lam)
    assert singular.misfits(np.array([lam]))[0, 0] == pytest.approx(exact, rel=1e-7)
