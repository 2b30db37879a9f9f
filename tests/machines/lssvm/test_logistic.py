"""Logistic regression in the scores of landmarks against plain minimisation, fold by fold."""

from dataclasses import replace

import numpy as np
import pytest

from kernelect.kernels import ARD
from kernelect.machines.lssvm.landmarks import MachineRows, WhitenedFrame, moments, solve
from kernelect.machines.lssvm.logistic import FoldedLogistic
from kernelect.numerics import Deadline
from oracles import differences
from oracles import landmarks as least_squares
from oracles import logistic as slow

MU, RHO = 0.3, 0.4


def targets_of(index, n_classes):
    return np.where(index == 1, 1.0, -1.0)[:, None] if n_classes == 2 else np.eye(n_classes)[index]


@pytest.fixture(params=[2, 3])
def problem(request, rng):
    """Thirty rows of two or three classes on six landmarks, with weights."""
    n_classes, X = request.param, rng.normal(size=(30, 3))
    index = np.digitize(X[:, 0] + 0.8 * rng.normal(size=30), [0.0] if n_classes == 2 else [-0.5, 0.5])
    weights, fold, kernel = rng.uniform(0.5, 2.0, size=30), rng.permutation(np.arange(30) % 3), ARD([0.3, 0.1, 0.5])
    cross, gram = kernel.cross(X[:6], X), kernel.gram(X[:6])
    targets = targets_of(index, n_classes)
    frame = WhitenedFrame.of(gram, targets.mean(axis=0))
    state = solve(frame, moments(frame, MachineRows.of(cross.copy(), targets, weights)), MU)
    folded = FoldedLogistic(
        scores=state.scores(cross.copy()),
        ridge=MU * state.inverse_factor @ state.inverse_factor.T,
        index=index,
        n_classes=n_classes,
        weights=weights,
        fold=fold,
    )
    return folded, state, cross, gram, targets


def by_fold(folded, state, solution):
    """Return coefficients and intercepts of every fold from a solution in scores."""
    each = solution.reshape(len(solution), folded.n_folds, -1)
    return [
        (state.transform.T @ each[:-1, f], each[-1, f] - state.offset @ each[:-1, f]) for f in range(folded.n_folds)
    ]


def test_every_fold_is_the_minimum_without_its_rows(problem):
    folded, state, cross, gram, targets = problem
    solution = folded.minimized(np.zeros_like(folded.start(targets, 1.0)), RHO, 3000, tol=1e-14)
    expected = slow.folds(cross, gram, folded.index, folded.weights, RHO * MU, folded.n_outputs, folded.fold)
    decided = folded.left_out(solution)
    for number, (beta, b) in enumerate(by_fold(folded, state, solution)):
        rows = folded.fold == number
        np.testing.assert_allclose(decided[rows], cross[:, rows].T @ beta + b, atol=1e-9)
        slow_beta, slow_b = expected[number]
        found, known = (as_log_odds(cross.T @ each + bias) for each, bias in ((beta, b), (slow_beta, slow_b)))
        np.testing.assert_allclose(found, known, atol=2e-4)


def test_turned_coordinates_have_the_same_value_and_few_steps_reach_the_minimum(problem, rng):
    folded, *_, targets = problem
    start = folded.start(targets, 1.0)
    scores = folded.scores.copy()
    turned, there = folded.turned(start, RHO)
    folded = replace(folded, scores=scores)  # which turning overwrites
    np.testing.assert_allclose(turned.left_out(there), folded.left_out(start), atol=1e-9)
    for mine, other in zip(turned.mean(there), folded.mean(start), strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-9)
    value, gradient = turned.value_and_gradient(there, RHO)
    assert value == pytest.approx(folded.value_and_gradient(start, RHO)[0], rel=1e-9)
    by_differences = differences.gradient(
        lambda x: turned.value_and_gradient(x.reshape(there.shape), RHO)[0], there.reshape(-1)
    )
    np.testing.assert_allclose(gradient.reshape(-1), by_differences, rtol=1e-5, atol=1e-6)
    least = folded.value_and_gradient(folded.minimized(start, RHO, 3000, tol=1e-14), RHO)[0]
    few = turned.value_and_gradient(turned.minimized(there, RHO, 6, tol=0.0), RHO)[0]
    usual = folded.value_and_gradient(folded.minimized(start, RHO, 6, tol=0.0), RHO)[0]
    assert few - least < 1e-3 * least
    assert few - least < 0.3 * (usual - least)


def test_no_label_of_a_fold_turns_its_coordinates(problem):
    """Curvatures are those of rows left out: where the start does not know them, labels change nothing."""
    folded, *_, targets = problem
    start = np.zeros_like(folded.start(targets, 1.0))
    other = replace(folded, index=folded.index[::-1].copy(), scores=folded.scores.copy())
    np.testing.assert_array_equal(*(each.turned(start, RHO)[0].turn for each in (folded, other)))


def as_log_odds(decision):
    """Several classes share a constant that no probability depends on."""
    return decision if decision.shape[1] == 1 else decision - decision.mean(axis=1, keepdims=True)


def test_the_value_is_the_sum_over_folds_and_has_this_gradient(problem, rng):
    folded, state, cross, gram, targets = problem
    solution = rng.normal(size=folded.start(targets, 1.0).shape)
    value, gradient = folded.value_and_gradient(solution, RHO)
    expected, mean = 0.0, np.average(cross, axis=1, weights=folded.weights)
    for number, (beta, b) in enumerate(by_fold(folded, state, solution)):
        rest = folded.fold != number
        expected += slow.loss(beta, b, mean, cross[:, rest], gram, folded.index[rest], folded.weights[rest], RHO * MU)
    assert value == pytest.approx(expected, rel=1e-7)
    by_differences = differences.gradient(
        lambda x: folded.value_and_gradient(x.reshape(solution.shape), RHO)[0], solution.reshape(-1)
    )
    np.testing.assert_allclose(gradient.reshape(-1), by_differences, rtol=1e-5, atol=1e-6)


def test_a_search_begins_at_least_squares_without_the_fold(problem):
    folded, state, cross, gram, targets = problem
    start = folded.start(targets, 2.5)
    # Without a fold, least squares has the offset of all rows: only its coefficients are those of a refit with it.
    mean = np.average(targets, axis=0, weights=folded.weights)
    centre = np.average(cross, axis=1, weights=folded.weights)
    for number, (beta, b) in enumerate(by_fold(folded, state, start)):
        rest = folded.fold != number
        K, s = (cross - centre[:, None])[:, rest], folded.weights[rest]
        system = (K * s) @ K.T + MU * least_squares.landmark_matrix(gram)
        expected = 2.5 * np.linalg.solve(system, (K * s) @ (targets - mean)[rest])
        np.testing.assert_allclose(beta, expected, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(b, 2.5 * mean - centre @ expected, rtol=1e-6, atol=1e-7)


def test_the_ridge_of_least_squares_is_what_the_scores_leave_of_the_identity(problem):
    folded = problem[0]
    np.testing.assert_allclose(folded.ridge, np.eye(6) - (folded.scores * folded.weights) @ folded.scores.T, atol=1e-9)


def test_a_class_that_a_fold_holds_alone_has_a_finite_intercept(problem):
    folded, _, _, _, targets = problem
    alone = replace(folded, fold=np.where(folded.index == 1, 1, np.where(folded.fold == 1, 0, folded.fold)))
    start = np.zeros_like(alone.start(targets, 1.0))
    decided = [alone.left_out(alone.minimized(start, RHO, steps, tol=1e-14)) for steps in (300, 3000)]
    np.testing.assert_allclose(*decided, atol=1e-3)
    assert np.abs(decided[0]).max() < 10.0


def test_the_mean_of_the_folds_predicts(problem, rng):
    folded, _, _, _, targets = problem
    solution = rng.normal(size=folded.start(targets, 1.0).shape)
    v, b = folded.mean(solution)
    k = folded.n_outputs
    np.testing.assert_allclose(v, sum(solution[:-1, f * k : (f + 1) * k] for f in range(3)) / 3)
    np.testing.assert_allclose(b, sum(solution[-1, f * k : (f + 1) * k] for f in range(3)) / 3)


def test_a_search_ends_when_time_is_up(problem):
    folded, _, _, _, targets = problem
    start = np.zeros_like(folded.start(targets, 1.0))
    short, whole = (folded.minimized(start, RHO, 500, deadline) for deadline in (Deadline.after(0.0), Deadline()))
    assert folded.value_and_gradient(short, RHO)[0] > folded.value_and_gradient(whole, RHO)[0] + 1e-6
