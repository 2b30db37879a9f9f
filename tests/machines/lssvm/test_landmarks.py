"""The LS-SVM on landmarks against its normal equations, refits and the full machine."""

from dataclasses import replace
from functools import reduce
from operator import add

import mpmath
import numpy as np
import pytest

from kernelect.exceptions import SingularSystem
from kernelect.kernels import ARD, RBF, Linear
from kernelect.machines import LSSVM
from kernelect.machines.lssvm.groups_left_out import left_out, without_own_function
from kernelect.machines.lssvm.landmarks import MachineRows, WhitenedFrame, epsilon, moments, solve
from kernelect.machines.lssvm.spread import LandmarkSpread, left_out_precision
from oracles import landmarks as slow
from oracles import lssvm as full

MU = 0.3


@pytest.fixture
def problem(data, rng):
    """Kernel values between 30 rows and 8 of them, the landmarks' own, targets and weights."""
    X, targets, weights = data
    chosen = rng.choice(len(X), 8, replace=False)
    kernel = ARD([0.3, 0.1, 0.5])
    return kernel.cross(X[chosen], X), kernel.gram(X[chosen]), targets, weights, chosen


def solved(cross, gram, targets, weights, mu=MU, step=None):
    """Return frame and state from blocks of ``step`` rows."""
    frame = WhitenedFrame.of(gram, targets[:3].mean(axis=0))
    blocks = cut(cross, targets, weights, step or len(targets))
    return frame, solve(frame, reduce(add, (moments(frame, block) for block in blocks)), mu)


def cut(cross, targets, weights, step):
    parts = [slice(first, first + step) for first in range(0, len(targets), step)]
    return [MachineRows.of(cross[:, part].copy(), targets[part], weights[part]) for part in parts]


def judged(state, cross, targets, weights):
    return left_out(state, MachineRows.of(cross.copy(), targets, weights))


@pytest.mark.parametrize("mu", [1e-3, 0.1, 10.0])
def test_coefficients_solve_the_normal_equations(problem, mu):
    cross, gram, targets, weights, _ = problem
    _, state = solved(cross, gram, targets, weights, mu)
    beta, b = slow.solve(cross, gram, targets, mu, weights)
    np.testing.assert_allclose(state.dual_coef, beta, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(state.intercept, b, rtol=1e-8)
    np.testing.assert_allclose(state.decide(cross), cross.T @ beta + b, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("mu", [1e-3, 0.1, 10.0])
def test_leave_one_out_residuals_are_those_of_n_refits(problem, mu):
    cross, gram, targets, weights, _ = problem
    _, state = solved(cross, gram, targets, weights, mu)
    expected = slow.leave_one_out_residuals(cross, gram, targets, mu, weights)
    np.testing.assert_allclose(judged(state, cross, targets, weights).residuals, expected, atol=1e-9)


def test_blocks_of_unequal_size_give_the_machine_of_all_rows(problem):
    cross, gram, targets, weights, _ = problem
    _, whole = solved(cross, gram, targets, weights)
    _, parts = solved(cross, gram, targets, weights, step=7)
    np.testing.assert_allclose(parts.dual_coef, whole.dual_coef, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(parts.intercept, whole.intercept, rtol=1e-10)


def test_an_empty_block_changes_nothing(problem):
    cross, gram, targets, weights, _ = problem
    frame = WhitenedFrame.of(gram, np.zeros(2))
    rows = moments(frame, MachineRows.of(cross.copy(), targets, weights))
    none = moments(frame, MachineRows.of(cross[:, :0].copy(), targets[:0], weights[:0]))
    np.testing.assert_array_equal((rows + none).second, rows.second)
    assert (rows + none).count == len(targets)


def test_single_precision_blocks_are_read_in_double(problem):
    cross, gram, targets, weights, _ = problem
    single = cross.astype(np.float32)
    frame = WhitenedFrame.of(gram, np.zeros(2))
    rounded = solve(frame, moments(frame, MachineRows.of(single, targets.astype(np.float32), weights)), MU)
    beta, b = slow.solve(single.astype(float), gram, targets.astype(np.float32).astype(float), MU, weights)
    np.testing.assert_allclose(rounded.decide(cross), cross.T @ beta + b, rtol=1e-8)
    assert np.array_equal(single, cross.astype(np.float32))  # the caller's block is left as it was


def test_with_all_rows_as_landmarks_it_is_the_full_machine(data):
    X, targets, weights = data
    gram = RBF(0.2).gram(X)
    frame, state = solved(gram, gram, targets, weights)
    whole = LSSVM().fit(gram, targets, MU, weights)
    np.testing.assert_allclose(state.decide(gram), LSSVM().decide(whole, gram), atol=1e-6)
    residuals = whole.leave_one_out_residuals(whole.bordered_diagonal())
    np.testing.assert_allclose(judged(state, gram, targets, weights).residuals, residuals, atol=1e-6)
    spread = spread_of(state, frame, gram, X, targets, weights)
    np.testing.assert_allclose(spread.precision, whole.bordered_diagonal(), rtol=1e-6)
    new = RBF(0.2).cross(X, X + 0.3)
    half = whole.factor.half_solve(new)
    bias = (1.0 - whole.ones_solution @ new) ** 2 / whole.ones_total
    variance = 1.0 + MU - np.einsum("ij,ij->j", half, half) + bias
    np.testing.assert_allclose(
        spread.variance(gram, np.ones(len(X)), new.copy()), np.outer(variance, spread.scale), rtol=1e-5
    )


def test_the_variance_far_from_all_landmarks_is_that_of_the_kernel(data):
    X, targets, weights = data
    kernel = RBF(0.2)
    cross, gram = kernel.cross(X[:8], X), kernel.gram(X[:8])
    frame, state = solved(cross, gram, targets, weights)
    spread = spread_of(state, frame, cross, X, targets, weights)
    far = kernel.cross(X[:8], X + 100.0)
    # The intercept is uncertain too, and so is where its level is taken from.
    assert np.all(spread.variance(gram, np.ones(len(X)), far) >= 1.0 * spread.scale)


def test_a_doubled_weight_is_a_duplicated_row(problem):
    cross, gram, targets, _, _ = problem
    weights = np.ones(len(targets))
    twice = np.r_[0, np.arange(len(targets))]
    _, repeated = solved(cross[:, twice], gram, targets[twice], np.ones(len(twice)))
    weights[0] = 2.0
    _, weighted = solved(cross, gram, targets, weights)
    np.testing.assert_allclose(weighted.decide(cross), repeated.decide(cross), rtol=1e-9, atol=1e-10)


def test_targets_far_from_zero_lose_no_digits(problem):
    cross, gram, targets, weights, _ = problem
    _, near = solved(cross, gram, targets, weights)
    _, far = solved(cross, gram, targets + 1e8, weights)
    expected = judged(near, cross, targets, weights).residuals
    np.testing.assert_allclose(judged(far, cross, targets + 1e8, weights).residuals, expected, atol=1e-6)


def test_nan_in_a_block_is_refused_in_words(problem):
    cross, gram, targets, weights, _ = problem
    spoilt = cross.copy()
    spoilt[2, 3] = np.nan
    with pytest.raises(SingularSystem, match="NaN or infinite"):
        solved(spoilt, gram, targets, weights)


@pytest.mark.parametrize("gamma", [1e-6, 1e-3, 0.3])
@pytest.mark.parametrize("mu", [1e-6, 1e-2])
def test_wide_kernels_lose_few_digits(gamma, mu, rng):
    """Against 60-digit arithmetic on the same kernel values: landmarks nearly in line, rows nearly constant."""
    X = rng.normal(size=(14, 2))
    y = np.sin(2.0 * X[:, :1]) + 3.0
    cross, gram = RBF(gamma).cross(X[:6], X), RBF(gamma).gram(X[:6])
    _, state = solved(cross, gram, y, np.ones(14), mu)
    block = judged(state, cross, y, np.ones(14))
    with mpmath.workdps(60):
        F = mpmath.matrix(np.hstack([cross.T, np.ones((14, 1))]).tolist())
        penalty = mpmath.zeros(7)
        penalty[:6, :6] = mu * (mpmath.matrix(gram.tolist()) + mpmath.mpf(epsilon(gram)) * mpmath.eye(6))
        inverse = (F.T * F + penalty) ** -1
        fitted = F * (inverse * (F.T * mpmath.matrix(y.tolist())))
        leverage = np.array([float((F[i, :] * inverse * F[i, :].T)[0]) for i in range(14)])
    np.testing.assert_allclose(block.leverage, leverage, atol=1e-7)
    np.testing.assert_allclose(block.errors[:, 0], y[:, 0] - [float(value) for value in fitted], atol=1e-7)


def test_a_kernel_of_low_rank_needs_no_special_care(data):
    X, targets, weights = data
    cross, gram = Linear().cross(X[:12], X), Linear().gram(X[:12])  # rank 3
    _, state = solved(cross, gram, targets, weights)
    np.testing.assert_allclose(
        judged(state, cross, targets, weights).residuals,
        full.leave_one_out_residuals(Linear().gram(X), targets, MU, weights),
        atol=1e-5,
    )


def test_equal_landmarks_and_a_single_one_give_a_machine(data):
    X, targets, weights = data
    for chosen in ([0, 0, 0, 4], [2]):
        cross, gram = RBF(0.2).cross(X[chosen], X), RBF(0.2).gram(X[chosen])
        _, state = solved(cross, gram, targets, weights)
        expected = slow.leave_one_out_residuals(cross, gram, targets, MU, weights)
        np.testing.assert_allclose(judged(state, cross, targets, weights).residuals, expected, atol=1e-6)


def test_a_landmark_leaves_with_its_row(problem):
    cross, gram, targets, weights, chosen = problem
    _, state = solved(cross, gram, targets, weights)
    landmark = np.full(len(targets), -1)
    landmark[chosen] = np.arange(len(chosen))
    expected = slow.residuals_without_own_function(cross, gram, targets, MU, weights, landmark)
    block = judged(state, cross, targets, weights)
    np.testing.assert_allclose(without_own_function(state, block, landmark).residuals, expected, atol=1e-8)
    assert np.abs(expected - block.residuals)[chosen].max() > 1e-3  # it is another figure
    np.testing.assert_allclose(block.residuals, judged(state, cross, targets, weights).residuals)  # nothing overwritten


def spread_of(state, frame, cross, X, targets, weights):
    """Return the spread with all rows; their own k(x, x) is 1."""
    block = judged(state, cross, targets, weights)
    unspanned = 1.0 - frame.spanned(frame.whitened(cross.copy()))
    precision = left_out_precision(state, unspanned, block.room, weights)
    scale = np.average(block.residuals**2 * precision[:, None], axis=0, weights=weights)
    return LandmarkSpread(
        state=state.state(),
        epsilon=frame.epsilon,
        noise=MU,
        inputs=X,
        residuals=block.residuals,
        weights=weights,
        precision=precision,
        scale=scale,
    )


def test_decisions_of_machines_that_lack_a_row(problem, data, rng):
    cross, gram, targets, weights, _ = problem
    frame, state = solved(cross, gram, targets, weights)
    new = rng.uniform(0.0, 1.0, size=(len(cross), 5))
    expected = slow.leave_one_out_decisions_at(cross, gram, new, targets, MU, weights)
    spread = spread_of(state, frame, cross, data[0], targets, weights)
    np.testing.assert_allclose(spread.decided_without(cross.copy(), new.copy()), expected, atol=1e-9)


def test_a_row_alone_on_its_landmark_has_a_finite_residual(data):
    """Where rounding leaves nothing of 1 - h, a residual is large, not infinite."""
    X, targets, weights = data
    gram = RBF(500.0).gram(X)
    _, state = solved(gram, gram, targets, weights, mu=1e-14)
    block = judged(state, gram, targets, weights)
    assert np.all(np.isfinite(block.residuals))
    assert np.all(np.isfinite(replace(block, leverage=np.ones(len(X))).residuals))


def test_the_first_landmarks_are_a_machine_of_their_own(problem):
    cross, gram, targets, weights, _ = problem
    frame = WhitenedFrame.of(gram, np.zeros(2))
    total = moments(frame, MachineRows.of(cross.copy(), targets, weights))
    leading = solve(frame.leading(5), total.leading(5), MU)
    _, alone = solved(cross[:5], gram[:5, :5], targets, weights)
    np.testing.assert_allclose(leading.decide(cross[:5]), alone.decide(cross[:5]), rtol=1e-9)
