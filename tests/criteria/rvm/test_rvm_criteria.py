"""Criteria of the relevance vector machine: derivatives in the design, folds, leave-one-out."""

import numpy as np
import pytest
from scipy.optimize import root

from instances import wavy
from kernelect.criteria import (
    RVMCentreEvidence,
    RVMCrossValidation,
    RVMEvidence,
    RVMLeaveOneOut,
    RVMOccamEvidence,
)
from kernelect.criteria.rvm import leave_one_out as rvm_leave_one_out
from kernelect.criteria.rvm.held_out import held_log_odds, held_out_losses
from kernelect.datasets import twonorm
from kernelect.exceptions import InvalidArgument
from kernelect.kernels import ARD, RBF
from kernelect.kernels.centres import GaussianCentres
from kernelect.machines import RVM, RVMState, Sequential
from kernelect.machines.rvm import CentreState
from kernelect.machines.rvm import centres as rvm_centres
from kernelect.machines.rvm.likelihoods import Bernoulli
from kernelect.machines.rvm.machine import active_design
from kernelect.machines.rvm.polish import SparseFit, evidence_slope, packed_logarithms, posterior_at
from kernelect.machines.rvm.posterior import find_mode
from oracles.rvm import central_difference
from oracles.solutions import record, solved


def fitted(gram, t, regression=False):
    return solved(RVM(regression), gram, t[:, None])


def followed(point, gram):
    """The same functions with precisions exactly at their best for another Gram matrix."""
    fit = point.state.fits[0]
    design = active_design(fit, gram)

    def slope(x):
        moved = posterior_at(fit, design, x)
        return evidence_slope(moved.posterior, design, moved.likelihood)

    found = root(slope, packed_logarithms(fit.posterior.alpha, fit.likelihood), tol=1e-12)
    assert np.abs(slope(found.x)).max() < 1e-8
    state = RVMState((posterior_at(fit, design, found.x),))
    return record(point.machine, gram, point.targets, 1.0, point.weights, state)


@pytest.mark.parametrize("criterion", [RVMEvidence(), RVMOccamEvidence()], ids=lambda c: c.name)
@pytest.mark.parametrize("regression", [False, True], ids=["labels", "normal"])
def test_gradient_in_widths_by_differences(criterion, regression):
    X, y, labels = wavy(50, seed=2)
    t = y if regression else labels
    theta = np.log([0.3, 0.2])
    gram, pull = ARD(np.exp(theta)).linearize(X)
    point = followed(fitted(gram, t, regression), gram)
    gradient = pull(criterion.value_and_gradient(point).grad_gram)
    expected = np.empty(2)
    for j, step in enumerate(1e-3 * np.eye(2)):
        ahead, behind = (followed(point, ARD(np.exp(theta + s * step)).gram(X)) for s in (1, -1))
        expected[j] = (criterion.value(ahead).value - criterion.value(behind).value) / 2e-3
    np.testing.assert_allclose(gradient, expected, rtol=1e-4, atol=1e-4)


def test_evidence_of_several_outputs_is_their_sum():
    X, _, labels = wavy()
    gram = RBF(0.4).gram(X)
    both = RVM().fit(gram, np.column_stack([labels, -labels]), 1.0, np.ones(60))
    one = RVM().fit(gram, labels[:, None], 1.0, np.ones(60))
    point = record(RVM(), gram, labels[:, None], 1.0, np.ones(60), both)
    assert RVMEvidence().value(point).value == pytest.approx(-2 * one.log_evidence, abs=1e-3)


def test_occam_charges_about_two_nats_for_a_determined_function():
    X, y, _ = wavy()
    point = fitted(RBF(0.3).gram(X), y, regression=True)
    extra = RVMOccamEvidence().value(point).value - RVMEvidence().value(point).value
    count = len(point.state.fits[0].active)
    assert 0.5 * count < extra < 2.06 * count


def test_cross_validation_is_the_loop_over_parts():
    X, _, labels = wavy()
    gram, parts = RBF(0.4).gram(X), np.arange(60) % 4
    point = fitted(gram, labels)
    losses = np.empty(60)
    for part in range(4):
        out = parts == part
        rest = fitted_rows(gram, labels, ~out)
        losses[out] = held_out_losses(rest, gram[np.ix_(out, ~out)], labels[out, None], "log")
    criterion = RVMCrossValidation(parts=parts)
    assert criterion.value(point).value == pytest.approx(losses.mean(), abs=1e-10)


def test_functions_leave_with_the_rows_they_are_centred_on():
    X, _, labels = wavy()
    centres = np.array([3, 7, 8, 20, 33, 41, 50, -1])  # the last is a row of no part
    points = np.vstack([X[centres[:-1]], [[9.0] * X.shape[1]]])
    design, parts = RBF(0.4).cross(X, points), np.arange(60) % 4
    criterion = RVMCrossValidation(parts=parts).centred_on(centres)
    losses = np.empty(60)
    for part in range(4):
        rows = [i for i in range(60) if parts[i] != part]
        columns = [j for j, row in enumerate(centres) if row < 0 or parts[row] != part]
        machine = RVM(algorithm=Sequential(polished=False, tol=max(2e-4 * len(rows), 0.01)))
        state = machine.fit(design[np.ix_(rows, columns)], labels[rows, None], 1.0, np.ones(len(rows)))
        out = parts == part
        losses[out] = held_out_losses(state, design[np.ix_(out, columns)], labels[out, None], "log")
    assert criterion.value(fitted(design, labels)).value == pytest.approx(losses.mean(), abs=1e-10)


@pytest.mark.parametrize("regression", [False, True])
def test_leave_one_out_takes_each_row_s_own_function_wherever_its_column_is(regression):
    X, y, labels = wavy(40, seed=4)
    gram, t = RBF(0.4).gram(X), y if regression else labels
    centres = np.random.default_rng(0).permutation(40)
    expected = RVMLeaveOneOut().value(fitted(gram, t, regression))
    found = RVMLeaveOneOut().centred_on(centres).value(fitted(gram[:, centres], t, regression))
    np.testing.assert_allclose(found.pointwise, expected.pointwise, atol=1e-6)


def fitted_rows(gram, t, rows):
    machine = RVM(algorithm=Sequential(polished=False, tol=max(2e-4 * rows.sum(), 0.01)))
    return machine.fit(gram[np.ix_(rows, rows)], t[rows, None], 1.0, np.ones(rows.sum()))


def test_log_loss_is_that_of_moderated_probabilities():
    X, _, labels = wavy()
    gram = RBF(0.4).gram(X)
    fit = fitted_rows(gram, labels, np.ones(60, dtype=bool)).fits[0]
    Phi = active_design(fit, gram)
    Sigma = np.linalg.inv(Phi.T @ np.diag(fit.posterior.slopes.curvature) @ Phi + np.diag(fit.posterior.alpha))
    v = np.array([row @ Sigma @ row for row in Phi])
    p = 1 / (1 + np.exp(-labels * (Phi @ fit.posterior.weights) / np.sqrt(1 + np.pi * v / 8)))
    found = held_out_losses(RVMState((fit,)), gram, labels[:, None], "log")
    np.testing.assert_allclose(found, -np.log(p), rtol=1e-6)


@pytest.mark.parametrize("regression", [False, True])
def test_leave_one_out_is_close_to_refits_from_nothing(regression):
    X, y, labels = wavy(40, seed=4)
    gram, t = RBF(0.4).gram(X), y if regression else labels
    point = fitted(gram, t, regression)
    found = RVMLeaveOneOut().value(point)
    slow = np.empty(40)
    for i in range(40):
        rest = np.arange(40) != i
        machine = RVM(regression, Sequential(polished=False))
        state = machine.fit(gram[np.ix_(rest, rest)], t[rest, None], 1.0, np.ones(39))
        slow[i] = held_out_losses(state, gram[i : i + 1, rest], t[i : i + 1, None], "error")[0]
    assert found.value == pytest.approx(slow.mean(), rel=0.2)
    assert np.corrcoef(found.pointwise, slow)[0, 1] > 0.8


@pytest.mark.parametrize("width", [0.01, 0.05, 0.2])
def test_rows_counted_as_right_without_a_refit_are_right(width, monkeypatch):
    X, y = twonorm(150, random_state=3)
    point = fitted(RBF(width).gram(X), np.where(y > 0, 1.0, -1.0))
    refits, loss = [], RVMLeaveOneOut._loss
    monkeypatch.setattr(RVMLeaveOneOut, "_loss", lambda *parts: refits.append(parts[-1]) or loss(*parts))
    found = RVMLeaveOneOut().value(point).pointwise
    skipped = 150 - len(refits)
    monkeypatch.setattr(rvm_leave_one_out, "_SURE", np.inf)
    np.testing.assert_array_equal(found, RVMLeaveOneOut().value(point).pointwise)
    assert skipped > 50


def test_closed_form_of_a_row_left_out_is_close_to_the_mode_without_it():
    X, _, labels = wavy(50, seed=2)
    gram = RBF(0.3).gram(X)
    fit = fitted(gram, labels).state.fits[0]
    design = active_design(fit, gram)
    found = held_log_odds(fit, design)
    slow = np.empty(50)
    for i in range(50):
        without = find_mode(
            design, fit.posterior.alpha, Bernoulli(targets=labels, sample_weight=np.where(np.arange(50) == i, 0.0, 1.0))
        )
        slow[i] = design[i] @ without.weights
    moved = np.abs(slow - design @ fit.posterior.weights)
    assert np.all(np.abs(found - slow) <= 0.02 + 0.5 * moved)
    assert np.median(np.abs(found - slow)) < 0.1 * np.median(moved)


def test_precisions_that_follow_the_kernel_have_the_evidence_of_their_own_mode():
    X, _, labels = wavy(50, seed=2)
    gram = RBF(0.3).gram(X)
    fit: SparseFit = fitted(gram, labels).state.fits[0]
    again = find_mode(active_design(fit, gram), fit.posterior.alpha, fit.likelihood)
    assert again.log_evidence == pytest.approx(fit.log_evidence, abs=1e-6)


@pytest.mark.parametrize("kernel", [lambda theta: ARD(np.exp(theta)), lambda theta: RBF(float(np.exp(theta[0])))])
@pytest.mark.parametrize("regression", [False, True], ids=["labels", "normal"])
def test_gradient_of_the_centre_evidence_by_differences(kernel, regression, monkeypatch):
    """Weights and centres are at their joint mode, precisions where the plain evidence has them."""
    monkeypatch.setattr(rvm_centres, "_DECREMENT", 1e-18)
    X, y, labels = wavy(40, seed=2)
    theta = np.log([0.3, 0.2]) if isinstance(kernel(np.zeros(2)), ARD) else np.log([0.25])
    criterion = RVMCentreEvidence()
    point = fitted(kernel(theta).gram(X), y if regression else labels, regression)

    def at(theta):
        geometry, gram = GaussianCentres.of(kernel(theta), X), kernel(theta).gram(X)
        there = followed(point, gram)
        moved = tuple(rvm_centres.joint_mode(rvm_centres.at_rows(f, X, geometry, 1.0)) for f in there.state.fits)
        state = CentreState(there.state.fits, moved)
        return record(point.machine, gram, point.targets, 1.0, point.weights, state), geometry

    here, geometry = at(theta)
    found = criterion.value_and_gradient(here)
    gradient = kernel(theta).linearize(X)[1](found.grad_gram) + geometry.in_theta(found.grad_widths)
    expected = central_difference(lambda theta: criterion.value(at(theta)[0]).value, theta, step=1e-4)
    np.testing.assert_allclose(gradient, expected, rtol=1e-4, atol=1e-4)


def test_printed_constants_cost_every_function_the_logarithm_of_two_pi_and_the_constant_half_of_it():
    X, _, labels = wavy(40, seed=2)
    fit = fitted(RBF(0.3).gram(X), labels).state.fits[0]
    moved = rvm_centres.joint_mode(rvm_centres.at_rows(fit, X, GaussianCentres.of(RBF(0.3), X), 1.0))
    mended, printed = (rvm_centres.scalar_evidence(moved, printed=flag) for flag in (False, True))
    assert len(moved.moves) > 1
    assert mended - printed == pytest.approx((len(moved.moves) + 0.5 * moved.constant) * np.log(2.0 * np.pi))


def test_centres_under_a_flat_prior_end_where_the_likelihood_has_no_slope_in_them():
    X, _, labels = wavy(40, seed=2)
    fit = fitted(RBF(0.3).gram(X), labels).state.fits[0]
    begun = rvm_centres.at_rows(fit, X, GaussianCentres.of(RBF(0.3), X), np.inf)
    moved = rvm_centres.settled(begun, 0)
    assert moved.height(moved.design()) > begun.height(begun.design())
    assert np.abs(rvm_centres.gradient(moved)[0]).max() < 1e-2
    again = rvm_centres.settled(begun, 5)
    assert not np.allclose(again.alpha[: len(moved.alpha)], moved.alpha[: len(again.alpha)])


def test_a_flat_prior_moves_no_centre_along_an_input_that_never_varies():
    X, _, labels = wavy(40, seed=2)
    wide = np.column_stack([X, np.ones(len(X))])
    fit = fitted(RBF(0.3).gram(X), labels).state.fits[0]
    ends = []
    for inputs in (X, wide):
        begun = rvm_centres.at_rows(fit, inputs, GaussianCentres.of(RBF(0.3), inputs), np.inf)
        ends.append(rvm_centres.settled(begun, 2))
    plain, other = ends
    np.testing.assert_array_equal(other.moves[:, X.shape[1]], 0.0)
    assert other.height(other.design()) == pytest.approx(plain.height(plain.design()), abs=1e-2)  # the end of a search
    np.testing.assert_allclose(other.design(), plain.design(), atol=0.02)


def test_the_proper_form_needs_a_proper_prior():
    with pytest.raises(InvalidArgument, match=r"tau=inf is a flat prior"):
        RVMCentreEvidence(tau=np.inf)
    assert RVMCentreEvidence().has_gradient
    assert not RVMCentreEvidence(form="printed", tau=np.inf).has_gradient
