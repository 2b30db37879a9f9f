"""Criteria of support vector machines against direct formulas, refits and central differences."""

import numpy as np
import pytest

from kernelect.criteria import (
    GACV,
    PRESS,
    JaakkolaHaussler,
    LaplaceEvidence,
    LeaveOneOut,
    RadiusMargin,
    Span,
    SupportVectorCount,
    UnsmoothedSpan,
)
from kernelect.criteria.svm.span import span_corrected_margins
from kernelect.exceptions import MissingCapability
from kernelect.machines import LSSVM, SVM
from kernelect.machines.svm.box_program import LOWER
from oracles import svm as slow
from oracles.differences import gradient
from oracles.solutions import record, solved

SLACKS = ["linear", "quadratic"]
ALL = [
    LaplaceEvidence(),
    Span(),
    GACV(),
    RadiusMargin(),
    UnsmoothedSpan(),
    JaakkolaHaussler(),
    SupportVectorCount(),
    LeaveOneOut(),
]
PAIRS = [pytest.param(each, slack, id=f"{each.name}-{slack}") for each in ALL for slack in each.slacks]
SMOOTH = [
    pytest.param(each, slack, id=f"{each.name}-{slack}") for each in ALL if each.has_gradient for slack in each.slacks
]


def fitted_at(gram, targets, C, weights, slack):
    found = solved(SVM(slack), gram, targets.reshape(len(gram), -1), C, weights)
    assert found.state.optimal
    return found


def problem(seed=0, n=24, noise=0.8, gamma=0.4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] + noise * rng.normal(size=n) > 0, 1.0, -1.0)
    squares = ((X[:, None] - X) ** 2).sum(axis=-1)
    # A diagonal without ties: the radius then belongs to one row, and its derivative is unique.
    gram = 2.0 * np.exp(-gamma * squares) + 0.3 + np.diag(np.linspace(0.0, 0.1, n))
    return gram, y


def alpha_of(fitted):
    return fitted.state.solutions[0].alpha


@pytest.mark.parametrize("slack", SLACKS)
@pytest.mark.parametrize("C", [0.6, 1.0, 4.0])
def test_laplace_evidence_is_the_papers_formula(slack, C):
    gram, y = problem()
    fitted = fitted_at(gram, y, C, np.ones(len(y)), slack)
    expected = slow.laplace_evidence(gram, y, C, alpha_of(fitted), slack)
    assert LaplaceEvidence().value(fitted).value == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("C", [0.6, 4.0])
def test_smoothed_span_is_the_papers_formula(C):
    gram, y = problem()
    fitted = fitted_at(gram, y, C, np.ones(len(y)), "quadratic")
    assert Span().value(fitted).value == pytest.approx(slow.smoothed_span(gram, y, C, alpha_of(fitted)), rel=1e-9)


@pytest.mark.parametrize("C", [0.6, 4.0])
def test_smoothed_span_of_linear_slack_leaves_each_row_out_of_the_free_ones(C):
    gram, y = problem()
    fitted = fitted_at(gram, y, C, np.ones(len(y)), "linear")
    expected = slow.smoothed_span_linear(gram, y, C, alpha_of(fitted))
    assert Span().value(fitted).value == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("C", [0.3, 4.0, 20.0])
def test_gacv_is_the_papers_formula(C):
    gram, y = with_one_label_turned()
    fitted = fitted_at(gram, y, C, np.ones(len(y)), "linear")
    assert GACV().value(fitted).value == pytest.approx(slow.gacv(gram, y, C, alpha_of(fitted)), rel=1e-7)


def with_one_label_turned():
    """A linear kernel, and the farthest row has the wrong label: its margin lies below -1."""
    X = np.random.default_rng(0).normal(size=(24, 2))
    y = np.sign(X[:, 0])
    y[np.argmax(np.abs(X[:, 0]))] *= -1
    return X @ X.T + 0.3 + 0.01 * np.eye(24), y


def test_gacv_counts_rows_beyond_minus_one_twice():
    gram, y = with_one_label_turned()
    fitted = fitted_at(gram, y, 0.3, np.ones(len(y)), "linear")
    margins = y * (gram @ (y * alpha_of(fitted)))
    assert (margins < -1).any()  # the test above would else not see f = 2


@pytest.mark.parametrize(("criterion", "slack"), SMOOTH)
def test_grad_gram_is_the_derivative_in_every_entry(criterion, slack):
    gram, y = problem(n=12)
    weights = np.linspace(0.6, 1.7, len(y))
    found = criterion.value_and_gradient(fitted_at(gram, y, 0.7, weights, slack))

    def of_symmetric_part(matrix):
        return criterion.value(fitted_at(0.5 * (matrix + matrix.T), y, 0.7, weights, slack)).value

    expected = gradient(of_symmetric_part, gram)
    np.testing.assert_allclose(found.grad_gram, expected, rtol=2e-5, atol=2e-7)
    assert found.value == pytest.approx(of_symmetric_part(gram), rel=1e-12)


@pytest.mark.parametrize(("criterion", "slack"), SMOOTH)
@pytest.mark.parametrize("C", [0.4, 1.3, 6.0])
def test_derivative_in_C(criterion, slack, C):
    gram, y = problem()
    weights = np.linspace(0.6, 1.7, len(y))
    found = criterion.value_and_gradient(fitted_at(gram, y, C, weights, slack))
    expected = gradient(
        lambda at: criterion.value(fitted_at(gram, y, float(at[0]), weights, slack)).value, np.array([C])
    )
    assert found.grad_regularization == pytest.approx(expected[0], rel=1e-5, abs=1e-8)


@pytest.mark.parametrize(("criterion", "slack"), SMOOTH)
def test_gradients_without_free_support_vectors(criterion, slack):
    gram, y = problem()
    found = criterion.value_and_gradient(fitted_at(gram, y, 1e-3, np.ones(len(y)), slack))
    direction = np.cos(np.add.outer(np.arange(24.0), np.arange(24.0)))

    def along(step):
        return criterion.value(fitted_at(gram + float(step[0]) * direction, y, 1e-3, np.ones(len(y)), slack)).value

    assert np.sum(found.grad_gram * direction) == pytest.approx(gradient(along, np.zeros(1))[0], rel=1e-4, abs=1e-8)


@pytest.mark.parametrize(("criterion", "slack"), PAIRS)
def test_the_order_of_rows_does_not_matter(criterion, slack, rng):
    gram, y = problem()
    weights, order = np.linspace(0.6, 1.7, len(y)), rng.permutation(len(y))
    found = criterion.value(fitted_at(gram, y, 1.0, weights, slack))
    shuffled = criterion.value(fitted_at(gram[np.ix_(order, order)], y[order], 1.0, weights[order], slack))
    assert shuffled.value == pytest.approx(found.value, rel=1e-9)


@pytest.mark.parametrize(("criterion", "slack"), PAIRS)
def test_several_machines_are_summed(criterion, slack):
    gram, y = problem()
    targets = np.column_stack([y, np.roll(y, 3)])
    both = criterion.value_and_gradient(fitted_at(gram, targets, 1.0, np.ones(len(y)), slack))
    parts = [criterion.value_and_gradient(fitted_at(gram, column, 1.0, np.ones(len(y)), slack)) for column in targets.T]
    assert both.value == pytest.approx(sum(part.value for part in parts), rel=1e-12)
    assert both.pointwise.shape == targets.shape
    if criterion.has_gradient:
        np.testing.assert_allclose(both.grad_gram, sum(part.grad_gram for part in parts), atol=1e-14)
        assert both.grad_regularization == pytest.approx(sum(part.grad_regularization for part in parts))


@pytest.mark.parametrize(("criterion", "slack"), PAIRS)
def test_invariance_under_a_change_of_scale_is_as_declared(criterion, slack):
    gram, y = problem()
    found = criterion.value(fitted_at(gram, y, 1.0, np.ones(len(y)), slack)).value
    scaled = criterion.value(fitted_at(4.0 * gram, y, 0.25, np.ones(len(y)), slack)).value
    assert (scaled == pytest.approx(found, rel=1e-9)) == criterion.scale_invariant


@pytest.mark.parametrize("slack", SLACKS)
@pytest.mark.parametrize("C", [0.5, 5.0])
def test_leave_one_out_by_retraining_is_that_of_n_refits(slack, C):
    gram, y = problem()

    def alpha(sub_gram, sub_labels):
        return alpha_of(fitted_at(sub_gram, sub_labels, C, np.ones(len(sub_labels)), slack))

    found = LeaveOneOut().value(fitted_at(gram, y, C, np.ones(len(y)), slack))
    expected = slow.leave_one_out_decisions(alpha, gram, y)
    np.testing.assert_allclose(found.pointwise[:, 0], expected, atol=1e-7)
    assert found.value == np.mean((expected > 0) != (y > 0))


@pytest.mark.parametrize("slack", SLACKS)
def test_span_is_exact_leave_one_out_where_no_row_changes_sides(slack):
    """Rows whose removal leaves every other row on its side: there the span rule is an identity."""
    gram, y = problem(n=40, gamma=8.0)
    C, everyone = 1.0, np.ones(40)
    fitted = fitted_at(gram, y, C, everyone, slack)
    sides = fitted.state.solutions[0].sides
    by_span = span_corrected_margins(fitted.machine.binary(fitted, 0))
    exact = y * LeaveOneOut().value(fitted).pointwise[:, 0]
    unchanged = []
    for row in range(40):
        others = np.delete(np.arange(40), row)
        refit = fitted_at(gram[np.ix_(others, others)], y[others], C, everyone[others], slack)
        if np.array_equal(refit.state.solutions[0].sides, sides[others]):
            unchanged.append(row)
    support = [row for row in unchanged if sides[row] != LOWER]
    assert len(support) >= 3
    np.testing.assert_allclose(by_span[unchanged], exact[unchanged], atol=1e-6)


@pytest.mark.parametrize("slack", SLACKS)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "bound", [RadiusMargin(), JaakkolaHaussler(), SupportVectorCount()], ids=lambda each: each.name
)
def test_bounds_are_no_smaller_than_the_leave_one_out_error(bound, slack, seed):
    gram, y = problem(seed)
    for C in (0.1, 1.0, 10.0):
        fitted = fitted_at(gram, y, C, np.ones(len(y)), slack)
        assert bound.value(fitted).value >= LeaveOneOut().value(fitted).value - 1e-12


def test_the_radius_from_the_origin_bounds_where_the_ball_does_not():
    """Two equal rows with opposite labels: leave-one-out error 1, and a ball of radius^2 1/C claims 1/2."""
    fitted = fitted_at(np.ones((2, 2)), np.array([1.0, -1.0]), 3.0, np.ones(2), "quadratic")
    assert LeaveOneOut().value(fitted).value == 1.0
    assert RadiusMargin().value(fitted).value == pytest.approx((1.0 + 1.0 / 3.0) * 3.0)


def test_rows_that_are_no_support_vectors_count_in_the_smoothed_span():
    gram, y = problem(noise=0.0)
    fitted = fitted_at(gram, y, 100.0, np.ones(len(y)), "quadratic")
    found = Span().value(fitted)
    silent = alpha_of(fitted) == 0
    assert silent.any()
    np.testing.assert_allclose(found.pointwise[silent, 0], 1.0 / (1.0 + np.exp(5.0)))


@pytest.mark.parametrize("slack", SLACKS)
def test_the_laplace_evidence_tells_its_degenerate_limit(slack):
    gram, y = problem()
    ordinary = fitted_at(gram, y, 0.6, np.ones(len(y)), slack)
    assert LaplaceEvidence().doubt(ordinary) == ""
    ridge = fitted_at(1e6 * (gram + np.eye(len(y))), y, 5.0, np.ones(len(y)), slack)
    assert "degenerate limit ln kappa(C)" in LaplaceEvidence().doubt(ridge)
    flipped = fitted_at(1e6 * (gram + np.eye(len(y))), -np.roll(y, 5), 5.0, np.ones(len(y)), slack)
    assert LaplaceEvidence().value(flipped).value == pytest.approx(LaplaceEvidence().value(ridge).value, abs=0.02)


@pytest.mark.parametrize("criterion", ALL, ids=lambda each: each.name)
def test_nats_rise_with_the_value_and_know_their_slope(criterion):
    gram, y = problem()
    fitted = fitted_at(gram, y, 1.0, np.ones(len(y)), "linear")
    values = np.linspace(0.0, 1.2, 25)
    nats = [criterion.nats(value, fitted)[0] for value in values]
    assert (np.diff(nats) > 0).all()
    for value in (0.0, 0.05, 0.4, 1.1):
        ahead, behind = criterion.nats(value + 1e-6, fitted)[0], criterion.nats(value - 1e-6, fitted)[0]
        assert criterion.nats(value, fitted)[1] == pytest.approx((ahead - behind) / 2e-6, rel=1e-4)


def test_gacv_refuses_quadratic_slack_and_other_machines_are_refused():
    with pytest.raises(MissingCapability, match="criterion='gacv' is not defined for slack='quadratic'"):
        GACV().check(SVM("quadratic"))
    gram, y = problem()
    state = LSSVM().fit(gram, y[:, None], 1.0, np.ones(len(y)))
    other = record(LSSVM(), gram, y[:, None], 1.0, np.ones(len(y)), state)
    assert PRESS().value(other).value > 0
    with pytest.raises(
        MissingCapability, match="of the machine 'svm' cannot judge a solution of 'lssvm': use one of 'press'"
    ):
        Span().value(other)
