"""The support vector machine without bias: optimality, against other solvers, and its chain of solvers."""

from dataclasses import replace

import numpy as np
import pytest

from kernelect.exceptions import InvalidArgument, SingularSystem
from kernelect.machines import SVM
from kernelect.machines.svm import box_qp
from kernelect.machines.svm.box_program import BoxQP
from kernelect.machines.svm.box_qp import solve_box_qp
from kernelect.machines.svm.interior_point import interior_point
from oracles import svm as slow
from oracles.solutions import record

SLACKS = ["linear", "quadratic"]


def overlapping(rng, n=60, d=3, noise=0.8):
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] + noise * rng.normal(size=n) > 0, 1.0, -1.0)


def rbf(X, amplitude=2.0, gamma=0.3, offset=0.3):
    squares = ((X[:, None] - X) ** 2).sum(axis=-1)
    return amplitude * np.exp(-gamma * squares) + offset


@pytest.fixture
def problem(rng):
    X, y = overlapping(rng)
    return rbf(X), y, rng.uniform(0.5, 2.0, size=len(y))


def solved(slack, gram, y, C, weights, warm=None):
    state = SVM(slack).fit(gram, y[:, None], C, weights, warm)
    return state, state.solutions[0]


@pytest.mark.parametrize("slack", SLACKS)
@pytest.mark.parametrize("C", [0.05, 1.0, 50.0])
def test_the_optimality_conditions_hold(problem, slack, C):
    gram, y, weights = problem
    state, solution = solved(slack, gram, y, C, weights)
    alpha, box = solution.alpha, C * weights
    ridge = 1.0 / box if slack == "quadratic" else state.ridge
    z = y * (gram @ (y * alpha) + ridge * (y * alpha))
    upper = np.inf if slack == "quadratic" else box
    assert (alpha >= 0).all()
    assert (alpha <= upper).all()
    free = (alpha > 0) & (alpha < upper)
    np.testing.assert_allclose(z[free], 1.0, atol=1e-9)
    assert (z[alpha == 0] >= 1.0 - 1e-9).all()
    if slack == "linear":
        assert (z[alpha == box] <= 1.0 + 1e-9).all()
    assert solution.optimal


@pytest.mark.parametrize("slack", SLACKS)
def test_the_duality_gap_vanishes(problem, slack):
    gram, y, weights = problem
    state, solution = solved(slack, gram, y, 1.5, weights)
    primal = slow.primal_objective(gram, y, 1.5, weights, state.dual_coef[:, 0], slack)
    dual = slow.dual_objective(gram, y, 1.5, weights, solution.alpha, slack)
    assert primal == pytest.approx(dual, rel=1e-8)


@pytest.mark.parametrize("slack", SLACKS)
@pytest.mark.parametrize("C", [0.3, 3.0])
def test_liblinear_on_rows_of_the_cholesky_factor_decides_alike(problem, slack, C):
    gram, y, weights = problem
    state, _ = solved(slack, gram, y, C, weights)
    expected = slow.liblinear_decisions(gram, y, C, weights, slack)
    np.testing.assert_allclose(SVM(slack).decide(state, gram)[:, 0], expected, atol=2e-5)


@pytest.mark.parametrize("slack", SLACKS)
def test_a_doubled_weight_is_a_doubled_row(problem, slack):
    gram, y, _ = problem
    weights = np.where(np.arange(len(y)) % 3 == 0, 2.0, 1.0)
    rows = np.repeat(np.arange(len(y)), weights.astype(int))
    state, _ = solved(slack, gram, y, 0.7, weights)
    repeated, _ = solved(slack, gram[np.ix_(rows, rows)], y[rows], 0.7, np.ones(len(rows)))
    np.testing.assert_allclose(gram @ state.dual_coef, gram[:, rows] @ repeated.dual_coef, atol=1e-6)


@pytest.mark.parametrize("slack", SLACKS)
def test_the_order_of_rows_does_not_matter(problem, slack, rng):
    gram, y, weights = problem
    order = rng.permutation(len(y))
    state, _ = solved(slack, gram, y, 1.0, weights)
    shuffled, _ = solved(slack, gram[np.ix_(order, order)], y[order], 1.0, weights[order])
    np.testing.assert_allclose(shuffled.dual_coef, state.dual_coef[order], atol=1e-9)


@pytest.mark.parametrize("slack", SLACKS)
def test_a_warm_start_reaches_the_same_solution_in_few_pivots(rng, slack):
    X, y = overlapping(rng, 400)
    weights = np.ones(len(y))
    first, _ = solved(slack, rbf(X), y, 1.0, weights)
    gram = rbf(X, amplitude=2.02, gamma=0.303)
    warm_state, warm = solved(slack, gram, y, 1.0, weights, first)
    again, _ = solved(slack, gram, y, 1.0, weights)
    np.testing.assert_allclose(warm_state.dual_coef, again.dual_coef, atol=1e-9)
    assert warm.method == "active set, warm"
    assert warm.pivots <= 3


@pytest.mark.parametrize("slack", SLACKS)
def test_the_coarse_start_of_many_rows_gives_the_solution_of_the_interior_point(rng, slack):
    X, y = overlapping(rng, 700)
    gram = rbf(X)
    _, solution = solved(slack, gram, y, 2.0, np.ones(len(y)))
    problem = SVM(slack).problems(gram, y[:, None], 2.0, np.ones(len(y)))[0]
    point = interior_point(problem.gram, problem.ridge, problem.labels, problem.upper)
    np.testing.assert_allclose(solution.alpha, point.alpha, atol=1e-6)


def ill_conditioned(rng, n=80):
    """A wide kernel of large amplitude on few inputs, as crabs at C = 200, k0 = 125, l = 17."""
    X, y = overlapping(rng, n, d=2, noise=0.05)
    gram = rbf(X, amplitude=125.0, gamma=1.0 / (2 * 17.0**2))
    return gram, y


def test_a_nearly_singular_kernel_is_solved_and_classifies(rng):
    gram, y = ill_conditioned(rng)
    assert np.linalg.cond(gram) > 1e10
    state, solution = solved("linear", gram, y, 200.0, np.ones(len(y)))
    assert solution.optimal
    assert np.mean(np.sign(gram @ state.dual_coef[:, 0]) == y) > 0.95


def test_each_link_of_the_chain_reaches_the_same_solution(rng, monkeypatch):
    gram, y = ill_conditioned(rng)
    problem = SVM("linear").problems(gram, y[:, None], 200.0, np.ones(len(y)))[0]
    everyone = np.full(len(y), box_qp.FREE, dtype=np.int8)
    assert box_qp.pivot(problem, everyone) is None  # plain pivoting cycles: the others are needed
    found = [solve_box_qp(problem)]
    monkeypatch.setattr(box_qp, "_coarse_to_fine", lambda problem: None)
    found.append(solve_box_qp(problem))
    assert [each.method for each in found] == ["active set", "interior point"]
    values = [slow.dual_objective(gram, y, 200.0, np.ones(len(y)), each.alpha, "linear") for each in found]
    assert values[0] == pytest.approx(values[1], rel=1e-7)
    assert all(each.optimal for each in found)


def test_an_unsolved_machine_says_so(rng, monkeypatch):
    """The interior point stopped short, and no pivoting after it: the check must notice."""
    gram, y = ill_conditioned(rng)
    monkeypatch.setattr(box_qp, "pivot", lambda *args, **options: None)
    monkeypatch.setattr("kernelect.machines.svm.interior_point._MAX_ITERATIONS", 3)
    state, solution = solved("linear", gram, y, 200.0, np.ones(len(y)))
    assert not solution.optimal
    assert not state.optimal
    assert "solved to" in SVM().doubt(state)
    assert "interior point" in SVM().doubt(state)


def test_duplicated_rows_with_opposite_labels_end_at_their_bounds():
    gram = np.ones((2, 2))
    _, solution = solved("linear", gram, np.array([1.0, -1.0]), 3.0, np.ones(2))
    np.testing.assert_allclose(solution.alpha, 3.0)
    state, quadratic = solved("quadratic", gram, np.array([1.0, -1.0]), 3.0, np.ones(2))
    np.testing.assert_allclose(quadratic.alpha, 3.0)  # theta = 0, alpha = C (1 - 0)
    np.testing.assert_allclose(gram @ state.dual_coef, 0.0, atol=1e-12)


def test_one_row_and_one_label():
    for slack, expected in (("linear", 0.5), ("quadratic", 1.0 / (2.0 + 1.0 / 7.0))):
        _, solution = solved(slack, np.array([[2.0]]), np.array([1.0]), 7.0, np.ones(1))
        assert solution.alpha[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("slack", SLACKS)
def test_a_looser_tolerance_is_kept_and_costs_no_more_pivots(rng, slack):
    X, y = overlapping(rng, 400, d=8)
    gram, weights = rbf(X, gamma=0.1), np.ones(400)
    loose = SVM(slack, tolerance=1e-2).fit(gram, y[:, None], 1.0, weights).solutions[0]
    exact = SVM(slack).fit(gram, y[:, None], 1.0, weights).solutions[0]
    assert loose.violation <= 1e-2
    assert exact.violation <= 1e-9
    assert loose.pivots <= exact.pivots
    np.testing.assert_allclose(gram @ (y * loose.alpha), gram @ (y * exact.alpha), atol=0.2)


def test_a_row_with_an_upper_bound_of_zero_is_left_out(problem):
    gram, y, _ = problem
    keep = np.arange(len(y)) != 5
    upper = np.where(keep, 0.8, 0.0)
    ridge = np.full(len(y), 1e-10)
    without = solve_box_qp(BoxQP(gram=gram, ridge=ridge, labels=y, upper=upper, target=y))
    smaller = solve_box_qp(
        BoxQP(gram=gram[np.ix_(keep, keep)], ridge=ridge[keep], labels=y[keep], upper=upper[keep], target=y[keep])
    )
    assert without.alpha[5] == 0.0
    np.testing.assert_allclose(without.alpha[keep], smaller.alpha, atol=1e-9)
    point = interior_point(gram, ridge, y, upper)
    np.testing.assert_allclose(point.alpha, without.alpha, atol=1e-6)


@pytest.mark.parametrize("slack", SLACKS)
@pytest.mark.parametrize("row", [0, 123])
def test_a_cold_start_of_many_rows_with_one_left_out(rng, slack, row):
    X, y = overlapping(rng, 300)
    problem = SVM(slack).problems(rbf(X), y[:, None], 1.0, np.ones(300))[0]
    upper = problem.upper.copy()
    upper[row] = 0.0
    found = solve_box_qp(replace(problem, upper=upper))
    keep = np.arange(300) != row
    expected = SVM(slack).fit(rbf(X)[np.ix_(keep, keep)], y[keep, None], 1.0, np.ones(299)).solutions[0]
    assert found.alpha[row] == 0.0
    assert found.optimal
    np.testing.assert_allclose(found.alpha[keep], expected.alpha, atol=1e-6)


def test_several_columns_are_machines_of_their_own(problem):
    gram, y, weights = problem
    targets = np.column_stack([y, -y, np.roll(y, 1)])
    state = SVM().fit(gram, targets, 1.0, weights)
    for column in range(3):
        alone = SVM().fit(gram, targets[:, [column]], 1.0, weights)
        np.testing.assert_allclose(state.dual_coef[:, column], alone.dual_coef[:, 0], atol=1e-12)


def test_marginal_and_bounded_support_vectors_are_told_apart(problem):
    gram, y, weights = problem
    machine = SVM("linear")
    state = machine.fit(gram, y[:, None], 1.0, weights)
    binary = machine.binary(
        record(machine, gram, y[:, None], 1.0, weights, state),
        0,
    )
    assert len(binary.free)
    assert len(binary.bounded)
    np.testing.assert_allclose(binary.margins[binary.free], 1.0, atol=1e-9)
    np.testing.assert_array_equal(binary.alpha[binary.bounded], weights[binary.bounded])
    assert (binary.slacks[binary.free] == 0).all()
    assert (binary.slacks[binary.bounded] > 0).all()


@pytest.mark.parametrize("slack", SLACKS)
def test_a_kernel_matrix_that_is_not_finite_is_refused(slack):
    y = np.array([1.0, -1.0, 1.0])
    with pytest.raises(SingularSystem, match="NaN or infinite"):
        solved(slack, np.full((3, 3), np.nan), y, 1.0, np.ones(3))


def test_a_misspelt_slack_is_refused():
    with pytest.raises(InvalidArgument, match=r"slack='squared' is not known.*'linear', 'quadratic'"):
        SVM("squared")


@pytest.mark.parametrize("tolerance", [1e-3, 1e-9])
@pytest.mark.parametrize("n", [80, 700])
def test_the_reported_gradient_and_violation_are_those_of_the_solution(rng, n, tolerance):
    """They are carried through the pivots, and evaluated afresh only where rounding matters."""
    X, y = overlapping(rng, n)
    gram = rbf(X)
    state = SVM("linear", tolerance).fit(gram, y[:, None], 1.0, np.ones(n))
    solution = state.solutions[0]
    gradient = 1.0 - y * (gram @ (y * solution.alpha) + state.ridge * y * solution.alpha)
    np.testing.assert_allclose(solution.gradient, gradient, atol=max(0.02 * tolerance, 1e-11))
    inside = (solution.alpha > 0) & (solution.alpha < 1.0)
    worst = np.select([inside, solution.alpha == 0], [np.abs(gradient), gradient], -gradient).max()
    assert worst <= solution.violation + 0.02 * tolerance
    assert solution.violation <= solution.tolerance


def exact_violation(problem, solution):
    """Largest violation of the optimality conditions, in extended precision."""
    alpha, y = solution.alpha.astype(np.longdouble), problem.labels.astype(np.longdouble)
    g = 1 - y * (problem.gram.astype(np.longdouble) @ (y * alpha) + problem.ridge.astype(np.longdouble) * y * alpha)
    wrong = np.select([alpha <= 0, alpha >= problem.upper], [g, -g], abs(g))
    return float(wrong[problem.upper > 0].max())


@pytest.mark.parametrize("weight", [1e-14, 1e-12, 1e-6])
def test_one_tiny_weight_does_not_loosen_the_conditions_of_all_rows(rng, weight):
    X, y = overlapping(rng, 300)
    weights = np.ones(300)
    weights[7] = weight
    (problem,) = SVM("quadratic").problems(rbf(X, amplitude=10.0), y[:, None], 1.0, weights)
    solution = box_qp.solve_box_qp(problem)
    assert solution.tolerance < 1e-8
    assert exact_violation(problem, solution) < 1e-8


@pytest.mark.parametrize("C", [1e3, 1e5, 1e7])
def test_where_pivoting_ends_at_no_solution_the_interior_point_goes_on(C):
    generator = np.random.default_rng(18)
    X, y = generator.normal(size=(300, 3)), np.where(generator.random(300) < 0.5, 1.0, -1.0)
    (problem,) = SVM("linear").problems(X @ X.T + 1.0, y[:, None], C, np.ones(300))
    solution = box_qp.solve_box_qp(problem)
    assert solution.optimal
    assert exact_violation(problem, solution) <= 2.0 * solution.tolerance < 1e-3


@pytest.mark.parametrize("amplitude", [1e-12, 1.5, 190.0])
@pytest.mark.parametrize("C", [1e-8, 1e-3, 0.1])
def test_bounded_rows_are_at_their_bound_exactly(rng, amplitude, C):
    """Where all rows are free first, beta is huge, and must leave no trace."""
    X = rng.normal(size=(40, 2))
    gram, y = rbf(np.vstack([X, X]), amplitude, 0.1, 0.1 * amplitude), np.repeat([1.0, -1.0], 40)
    _, solution = solved("linear", gram, y, C, np.ones(80))
    np.testing.assert_array_equal(solution.alpha, C)
    assert solution.optimal


def test_a_warm_start_from_the_other_slack_and_rows_without_weight(problem):
    gram, y, weights = problem
    weights[3] = 0.0
    other, _ = solved("linear", gram, y, 0.1, weights)
    warm, cold = (solved("quadratic", gram, y, 0.1, weights, start)[1] for start in (other, None))
    assert warm.optimal
    np.testing.assert_allclose(warm.alpha, cold.alpha, atol=1e-9)
    assert warm.alpha[3] == 0.0
