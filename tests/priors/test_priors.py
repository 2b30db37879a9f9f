"""Priors: their values as written in the papers, gradients, pruning, and the collapse."""

from dataclasses import replace

import numpy as np
import pytest

from instances import KERNELS, WIDTHS, WITH_WIDTHS
from kernelect import LSSVC, LSSVR
from kernelect.criteria import PRESS
from kernelect.datasets import sparse_inputs, twonorm
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.kernels import ARD, RBF, Constant, Linear
from kernelect.machines import LSSVM
from kernelect.parameters import ParameterSpace
from kernelect.priors import Curvature, Evidence, Gaussian, Laplace, Shrinkage, Slope, as_prior
from kernelect.selection import SelectionObjective
from oracles import lssvm as slow
from oracles import priors as written
from oracles.differences import gradient

PRIORS = {
    "none": None,
    "gaussian": Gaussian(),
    "gaussian, given precisions": Gaussian(xi=0.7, zeta=0.3),
    "laplace": Laplace(),
    "shrinkage": Shrinkage(),
    "evidence": Evidence(1.7),
    "curvature": Curvature(),
    "slope": Slope(),
}


def objective_of(kernel, prior, data, mu=0.3):
    X, targets, weights = data
    ridge = ParameterSpace.single("regularization", np.log(mu))
    space = ParameterSpace.joined([kernel.space(X), ridge])
    return SelectionObjective(
        X=X,
        targets=targets,
        weights=weights,
        kernel=kernel,
        space=space,
        machine=LSSVM(),
        criterion=PRESS(),
        prior=prior,
    )


@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel_with_every_prior_has_the_right_gradient(name, prior, data):
    if prior is not None and not isinstance(prior, Curvature | Slope) and name not in WITH_WIDTHS:
        with pytest.raises(MissingCapability, match=r"needs widths \(gamma\), and the .* kernel has none: use prior="):
            objective_of(KERNELS[name], prior, data)
        return
    objective = objective_of(KERNELS[name], prior, data)
    theta = objective.space.start
    _, found = objective(theta)
    expected = gradient(objective.value, theta)
    rounding = 1e-9 * abs(objective.value(theta)) / 1e-5  # of a difference with step 1e-5
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=max(1e-5 * np.abs(expected).max(), 1e-4 * rounding))


@pytest.fixture
def single(data):
    X, targets, _ = data
    return X, targets[:, :1], np.ones(len(X))


@pytest.mark.parametrize(
    ("prior", "formula"),
    [
        (Gaussian(), written.gaussian),
        (Gaussian(xi=0.7, zeta=0.3), lambda Q, n, g: 0.3 * Q + 0.7 * np.sum(np.square(g)) / 2),
        (Laplace(), written.laplace),
        (Shrinkage(), written.shrinkage),
        (Shrinkage(2.0, 0.5), lambda Q, n, g: written.shrinkage(Q, n, g, 2.0, 0.5)),
        (Evidence(1.7), lambda Q, n, g: written.evidence(Q, n, g, 1.7)),
    ],
)
def test_values_are_the_papers(prior, formula, single):
    X, targets, weights = single
    Q = slow.press(ARD(WIDTHS).gram(X), targets, 0.3, weights)
    objective = objective_of(ARD(WIDTHS), prior, single)
    assert objective.value(objective.space.start) == pytest.approx(formula(Q, len(X), WIDTHS), rel=1e-10)


@pytest.mark.parametrize(
    ("prior", "definition"),
    [(Curvature(), written.curvature_of_gaussian_kernel), (Slope(), written.slope_of_gaussian_kernel)],
)
def test_derivatives_are_those_of_the_decision_function(prior, definition, single):
    X, targets, weights = single
    alpha, _ = slow.solve_bordered(ARD(WIDTHS).gram(X), targets, 0.3, weights)
    omega = definition(X, alpha[:, 0], WIDTHS)
    Q = slow.press(ARD(WIDTHS).gram(X), targets, 0.3, weights)
    expected = len(X) / 2 * np.log(Q) + 3 / 2 * np.log(omega)
    objective = objective_of(ARD(WIDTHS), prior, single)
    assert objective.value(objective.space.start) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [({"xi": 1.0}, "zeta=None belong together"), ({"xi": -1.0, "zeta": 1.0}, "xi=-1.0 must be a positive number")],
)
def test_precisions_of_the_gaussian_prior_are_checked(arguments, words):
    with pytest.raises(InvalidArgument, match=words):
        Gaussian(**arguments)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # widths of some inputs end at 0
def test_a_machine_is_selected_under_given_precisions():
    X, y = twonorm(60, random_state=0)
    weak, strong = (LSSVC(prior=Gaussian(xi=xi, zeta=1.0)).fit(X, y) for xi in (1e-2, 1e4))
    assert np.sum(strong.kernel_.gamma**2) < 0.1 * np.sum(weak.kernel_.gamma**2)


def test_a_straight_function_has_no_curvature_to_speak_of(single):
    objective = objective_of(Linear(), Curvature(), single)
    _, found = objective(objective.space.start)
    _, alone = objective.criterion_alone(objective.space.start)
    Q = objective.criterion_alone(objective.space.start)[0]
    np.testing.assert_allclose(found, len(single[0]) / 2 / Q * alone)


def test_fixed_values_are_evaluated_once_in_the_papers_units(single):
    X, targets, weights = single
    Q = slow.press(ARD(WIDTHS).gram(X), targets, 0.3, weights)
    for prior, expected in [
        (None, Q),
        ("gaussian", written.gaussian(Q, len(X), WIDTHS)),
        ("laplace", written.laplace(Q, len(X), WIDTHS)),
        ("shrinkage", written.shrinkage(Q, len(X), WIDTHS)),
        ("auto", written.shrinkage(Q, len(X), WIDTHS)),
        ("evidence", written.gaussian(Q, len(X), WIDTHS)),  # g = d until widths are searched
    ]:
        model = LSSVR(ARD(WIDTHS), regularization=0.3, prior=prior).fit(X, targets[:, 0])
        assert model.selection_.value == pytest.approx(expected, rel=1e-10)
        assert model.selection_.n_evaluations == 1
        assert "nothing was left to select" in model.selection_.status


def test_equal_widths_cost_shrinkage_the_least_and_in_any_units(rng):
    X, y = twonorm(100, random_state=3)
    units = 10.0 ** rng.uniform(-4, 4, size=20)
    plain, scaled = LSSVC().fit(X, y), LSSVC().fit(X * units, y)
    assert scaled.selection_.value == pytest.approx(plain.selection_.value, rel=1e-6)
    np.testing.assert_allclose(scaled.predict(X * units), plain.predict(X))


def test_the_laplace_prior_prunes_inputs_exactly_and_keeps_those_that_matter():
    X, y = sparse_inputs(300, n_features=10, random_state=1)
    model = LSSVC(prior="laplace").fit(X, y)
    pruned = model.kernel_.gamma == 0.0
    assert not pruned[:3].any()
    assert pruned[3:].sum() >= 3
    np.testing.assert_array_equal(model.feature_importances_[pruned], 0.0)


def test_the_laplace_prior_obeys_its_condition_at_zero():
    """dL/dgamma_j > 0 at gamma_j = 0 for every pruned input, by one-sided differences."""
    X, y = sparse_inputs(200, n_features=8, random_state=2)
    model = LSSVC(prior="laplace").fit(X, y)
    gamma, mu = model.kernel_.gamma, model.regularization_
    pruned = np.flatnonzero(gamma == 0.0)
    assert len(pruned)
    targets, weights, on = np.where(y > 0, 1.0, -1.0)[:, None], np.ones(len(y)), gamma[gamma > 0]

    def misfit(widths):
        state = LSSVM().fit(ARD(widths).gram(X), targets, mu, weights)
        residuals = state.leave_one_out_residuals(state.bordered_diagonal())
        return len(y) / 2 * np.log(0.5 * np.sum(residuals**2))

    threshold = 0.5 * len(on) / (0.5 * on.sum())
    for j in pruned:
        step = 1e-5 * on.max()
        nudged = gamma.copy()
        nudged[j] = step
        assert (misfit(nudged) - misfit(gamma)) / step + threshold > 0


def test_the_evidence_prior_counts_well_determined_widths():
    X, y = sparse_inputs(200, n_features=6, random_state=4)
    model = LSSVC(prior="evidence").fit(X, y)
    assert model.selection_.converged
    assert model.feature_importances_[:3].min() > model.feature_importances_[3:].max()


def test_the_count_of_well_determined_widths_is_mackays(single):
    X, targets, weights = single
    g, n = 2.2, len(X)
    objective = objective_of(ARD(WIDTHS), Evidence(g), single)
    theta, free = objective.space.start, replace(objective.space, free=np.ones(4, dtype=bool))
    zeta = (n - g) / (2.0 * slow.press(ARD(WIDTHS).gram(X), targets, 0.3, weights))
    assert objective.misfit_slope(theta) == pytest.approx(zeta)
    revision = Evidence(g).revise(objective.criterion_alone, zeta, theta, free)

    def Q(gammas):
        return slow.press(ARD(gammas).gram(X), targets, 0.3, weights)

    steps = 1e-3 * WIDTHS
    hessian = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            e, f = np.eye(3)[i] * steps[i], np.eye(3)[j] * steps[j]
            hessian[i, j] = (Q(WIDTHS + e + f) - Q(WIDTHS + e - f) - Q(WIDTHS - e + f) + Q(WIDTHS - e - f)) / (
                4 * steps[i] * steps[j]
            )
    eigenvalues = np.maximum(np.linalg.eigvalsh(zeta * hessian), 0.0)
    xi = g / np.sum(WIDTHS**2)
    assert revision.prior.well_determined == pytest.approx(np.sum(eigenvalues / (eigenvalues + xi)), rel=1e-2)


def test_the_collapse_of_equation_15_is_reported_and_bounded(rng):
    X = rng.normal(size=(150, 5))  # a noisy linear problem: nothing holds the widths up
    y = np.sign(X.sum(axis=1) + np.sqrt(5) * rng.normal(size=150))
    with pytest.warns(UserWarning, match="the prior has no minimum here: all widths collapsed"):
        model = LSSVC(prior="gaussian").fit(X, y)
    assert not model.selection_.converged
    assert model.selection_.at_bound
    assert np.isfinite(model.decision_function(X)).all()


def test_the_laplace_prior_prunes_inputs_not_spherical_kernels(rng):
    X = rng.uniform(size=(60, 3))
    model = LSSVR(Constant() * RBF() + RBF(), prior="laplace").fit(X, np.sin(5 * X[:, 0]) + 0.1 * rng.normal(size=60))
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("prior", ["gaussian", "laplace", "evidence", "shrinkage", "curvature", "slope"])
def test_inputs_that_are_all_constant_leave_nothing_to_charge(prior):
    model = LSSVR(prior=prior).fit(np.ones((10, 2)), np.arange(10.0))
    np.testing.assert_allclose(model.predict(np.ones((1, 2))), 4.5)


def test_auto_is_shrinkage_for_elliptical_kernels_only(rng):
    X = rng.normal(size=(10, 2))
    assert isinstance(as_prior("auto", ARD().space(X)), Shrinkage)
    assert as_prior("auto", RBF().space(X)) is None
    assert as_prior(None, ARD().space(X)) is None


@pytest.mark.parametrize("prior", ["gausian", 3])
def test_unknown_priors_are_named(prior, rng):
    with pytest.raises(InvalidArgument, match=r"prior=.* is not known"):
        as_prior(prior, RBF().space(rng.normal(size=(5, 2))))
