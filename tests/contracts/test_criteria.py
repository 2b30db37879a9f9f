"""Laws of every criterion: its derivatives, the order of the rows, and what it says of a machine that knows nothing."""

from dataclasses import replace

import numpy as np
import pytest

from contracts.declared import require_instances
from contracts.parts import CRITERIA, CRITERIA_ASIDE, gram_and_targets, solved, targets_of
from kernelect.machines import RVM


def over(cases):
    return pytest.mark.parametrize("case", cases.values(), ids=cases)


every_criterion = over(CRITERIA)
with_gradient = over({name: case for name, case in CRITERIA.items() if case.criterion.has_gradient})


def problem(case):
    gram, y, labels, _ = gram_and_targets()
    gram = gram + np.diag(np.linspace(0.0, 0.05, len(gram)))  # no two rows share the largest diagonal
    return gram, targets_of(case.machine, y, labels), np.random.default_rng(2).uniform(0.6, 1.4, size=len(gram))


def test_every_criterion_has_an_instance():
    require_instances("criterion", [case.criterion for case in CRITERIA.values()], "CRITERIA", CRITERIA_ASIDE)


def entries(case, n):
    """Return the entries of the Gram matrix to move: some pairs, and for an RVM of columns that are in the model."""
    pairs = [(0, 0), (1, 5), (7, 3), (11, 11), (20, 2), (23, 22)]
    if isinstance(case.machine, RVM):
        (fit,) = solved(case, *problem(case)).state.fits
        return [(i, int(k) - 1) for i, k in zip((0, 5, 13), fit.active[fit.active > 0], strict=False)]
    return pairs


def value_at(case, gram, targets, weights, constant=None, warm=None):
    return case.criterion.value(solved(case, gram, targets, weights, constant, warm)).value


@with_gradient
def test_the_derivative_in_the_gram_matrix_is_that_of_differences(case):
    gram, targets, weights = problem(case)
    here = solved(case, gram, targets, weights)
    found = case.criterion.value_and_gradient(here).grad_gram
    symmetric = not isinstance(case.machine, RVM)
    step = 1e-4 if symmetric else 2e-3
    for i, j in entries(case, len(gram)):
        move = np.zeros(gram.shape)
        move[i, j] = step
        if symmetric:
            move[j, i] = step
        values = [value_at(case, gram + sign * move, targets, weights, warm=here.state) for sign in (1, -1)]
        expected = (values[0] - values[1]) / (2 * step)
        by_entry = found[i, j] + (found[j, i] if symmetric and i != j else 0.0)
        # The precisions of an RVM are at their peak to a few digits only.
        allowed = 0.15 if case.criterion.sampled else 1e-4 if symmetric else 1e-2
        assert by_entry == pytest.approx(expected, rel=allowed, abs=allowed * np.abs(found).max())


@over(
    {
        name: case
        for name, case in CRITERIA.items()
        if case.criterion.has_gradient
        and not isinstance(case.machine, RVM)
        and "probit" not in repr(case.machine).lower()
    }
)
def test_the_derivative_in_the_constant_is_that_of_differences(case):
    gram, targets, weights = problem(case)
    found = case.criterion.value_and_gradient(solved(case, gram, targets, weights)).grad_regularization
    step = 1e-5 * case.constant
    ahead, behind = (value_at(case, gram, targets, weights, case.constant + sign * step) for sign in (1, -1))
    assert found == pytest.approx((ahead - behind) / (2 * step), rel=1e-4, abs=1e-6)


@with_gradient
def test_the_value_is_the_same_with_and_without_gradient_and_the_gradient_is_symmetric(case):
    here = solved(case, *problem(case))
    alone, both = case.criterion.value(here), case.criterion.value_and_gradient(here)
    assert both.value == pytest.approx(alone.value, rel=1e-12)
    np.testing.assert_allclose(both.pointwise, alone.pointwise, rtol=1e-9, atol=1e-12)
    assert both.grad_gram.shape == here.gram.shape
    if not isinstance(case.machine, RVM):
        np.testing.assert_allclose(both.grad_gram, both.grad_gram.T, atol=1e-12 * np.abs(both.grad_gram).max())


@over({name: case for name, case in CRITERIA.items() if not case.criterion.has_gradient})
def test_a_criterion_without_gradient_gives_none(case):
    found = case.criterion.value_and_gradient(solved(case, *problem(case)))
    assert found.grad_gram is None


@every_criterion
def test_the_order_of_the_rows_does_not_matter(case):
    gram, targets, weights = problem(case)
    order = np.random.default_rng(5).permutation(len(gram))
    shuffled = replace(case, criterion=case.criterion.on_rows(order))
    found = shuffled.criterion.value(solved(shuffled, gram[np.ix_(order, order)], targets[order], weights[order]))
    expected = case.criterion.value(solved(case, gram, targets, weights))
    allowed = 0.02 if case.criterion.sampled else 1e-4 if isinstance(case.machine, RVM) else 1e-7
    assert found.value == pytest.approx(expected.value, rel=allowed)


@every_criterion
def test_a_machine_that_knows_nothing_is_worth_what_the_formula_says(case):
    gram, targets, _ = problem(case)
    if case.ignorant is None:
        gram = np.full(gram.shape, 1e-14) * np.eye(len(gram)) if not isinstance(case.machine, RVM) else 0.0 * gram
    found = value_at(case, gram, targets, np.ones(len(gram)), case.ignorant)
    expected = case.limit(targets, gram) if callable(case.limit) else case.limit
    assert found == pytest.approx(expected, rel=1e-5)


@every_criterion
def test_nats_rise_with_the_value_and_say_how_fast(case):
    here = solved(case, *problem(case))
    value = case.criterion.value(here).value
    step = 1e-5 * max(abs(value), 1e-3)
    nats, slope = case.criterion.nats(value, here)
    ahead, behind = (case.criterion.nats(value + sign * step, here)[0] for sign in (1, -1))
    assert np.isfinite(nats)
    assert slope > 0.0
    assert slope == pytest.approx((ahead - behind) / (2 * step), rel=1e-4)


@every_criterion
def test_there_is_a_figure_for_every_row(case):
    here = solved(case, *problem(case))
    pointwise = case.criterion.value(here).pointwise
    assert len(pointwise) == len(here.gram)
    assert np.isfinite(pointwise).all()


#: Criteria of machines that also learn real targets, where they say how they grow with their unit.
of_real_targets = over(
    {
        name: case
        for name, case in CRITERIA.items()
        if {"lssvm", "rvm"} & set(case.criterion.judges) and case.criterion.rescales
    }
)


@of_real_targets
def test_real_targets_in_another_unit_have_the_value_that_it_foretells(case):
    gram, y, _, _ = gram_and_targets()
    machine = RVM(regression=True) if isinstance(case.machine, RVM) else case.machine
    real, weights, unit = replace(case, machine=machine), np.ones(len(gram)), 16.0
    small, large = (solved(real, gram, size * (y - y.mean())[:, None], weights) for size in (1.0, unit))
    values = [case.criterion.value(fitted).value for fitted in (small, large)]
    assert case.criterion.rescaled(np.array(values[:1]), unit, float(len(gram)))[0] == pytest.approx(
        values[1], rel=1e-6
    )
    nats = [case.criterion.nats(value, fitted)[0] for value, fitted in zip(values, (small, large), strict=True)]
    assert case.criterion.nats_shift(unit, small) == pytest.approx(nats[1] - nats[0], rel=1e-6)
