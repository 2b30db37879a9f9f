"""KernelRegressor where some targets are limits: what they are worth, forms of the target, and what fills them."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm
from sklearn.base import clone

import kernelect
from kernelect import KernelRegressor
from kernelect.exceptions import InvalidArgument
from kernelect.export.evaluate import evaluate
from kernelect.export.models import program_of
from kernelect.mixture.filled import Filled, expected
from kernelect.mixture.forest import RandomForest
from kernelect.mixture.gaussian_processes import GaussianProcess
from kernelect.mixture.kernel_machines import KernelMachine

RNG = np.random.default_rng(0)
X, Z = RNG.normal(size=(90, 2)), RNG.normal(size=(300, 2))
Y, TRUTH = (rows[:, 0] + np.sin(2.0 * rows[:, 1]) for rows in (X, Z))
Y = Y + 0.3 * RNG.normal(size=90)
LIMIT = float(np.quantile(Y, 0.4))
BELOW = LIMIT > Y
PAIR = np.where(BELOW, -np.inf, Y), np.maximum(Y, LIMIT)
QUICK = [GaussianProcess(), Filled(KernelMachine(kernel="product-laplace")), Filled(RandomForest(n_trees=20))]


@pytest.fixture(scope="module")
def model():
    return KernelRegressor(QUICK).fit(X, PAIR)


def error(model):
    return np.sqrt(np.mean((model.predict(Z) - TRUTH) ** 2))


def test_limits_are_worth_more_than_their_number(model):
    replaced = KernelRegressor("fast").fit(X, PAIR[1])
    left_out = KernelRegressor("fast").fit(X[~BELOW], Y[~BELOW])
    assert error(model) < 0.8 * min(error(replaced), error(left_out))
    lower, upper = model.predict_interval(Z, 0.9)
    new = TRUTH + 0.3 * np.random.default_rng(1).normal(size=300)
    assert 0.75 < np.mean((lower <= new) & (new <= upper)) < 0.97  # too short with few rows and many limits
    assert model.loo_prediction_.shape == (90,)
    assert all(np.isfinite(model.candidates_.score))


def test_texts_say_the_same(model):
    written = [f"<{LIMIT!r}" if below else repr(float(value)) for below, value in zip(BELOW, Y, strict=True)]
    np.testing.assert_array_equal(KernelRegressor(QUICK).fit(X, written).predict(Z), model.predict(Z))
    numbers = KernelRegressor("fast").fit(X, [repr(float(value)) for value in Y])
    np.testing.assert_array_equal(numbers.predict(Z), KernelRegressor("fast").fit(X, Y).predict(Z))
    np.testing.assert_array_equal(KernelRegressor("fast").fit(X, (Y, Y)).predict(Z), numbers.predict(Z))


def test_what_is_expected_of_a_limit():
    limits = np.array([[-np.inf, 0.3], [0.2, np.inf], [-0.1, 0.4], [0.7, 0.7]])
    said = np.array([[0.5, 0.4], [-1.0, 0.3], [1.0, 0.6], [0.0, 0.1]])
    found = expected(limits, said)
    for (lower, upper), (mean, deviation), value in zip(limits[:3], said, found, strict=False):
        law = norm(mean, deviation)
        mass = quad(law.pdf, lower, upper)[0]
        assert value == pytest.approx(quad(lambda t, law=law: t * law.pdf(t), lower, upper)[0] / mass, abs=1e-6)
    assert found[3] == 0.7


def test_members_that_saw_expected_numbers_borrow_how_sure_to_be(model):
    head, components = model.model_.numbers, model.model_.components
    leader, filled = components[0], components[1]
    known = Y >= LIMIT
    ratio = filled.claimed[:, 0] / leader.claimed[:, 0]
    residuals = (Y - filled.left_out_answers()[:, 0])[known] / leader.claimed[known, 0]
    np.testing.assert_allclose(ratio, np.sqrt(np.mean(residuals**2)), rtol=1e-9)
    np.testing.assert_array_equal(head.spread_weights, [1.0, 0.0, 0.0])
    inputs = model._validated(Z[:7])
    answers = [component.mean(component.view(inputs)) for component in components]
    middle = sum(weight * head.within(each) for weight, each in zip(head.weights, answers, strict=True))
    apart = sum(w * (head.within(each) - middle) ** 2 for w, each in zip(head.weights, answers, strict=True))
    own = leader.spread.deviation(leader, leader.view(inputs)) ** 2
    expected = head.widened(middle, head.calibration * np.sqrt(own + apart))
    np.testing.assert_allclose(model.model_.on_scale(inputs)[1], expected, rtol=1e-9)
    program = program_of(model, 0.9)
    ends = evaluate(program.with_outputs([program.ends]), Z[:7])[-1]
    np.testing.assert_allclose(ends, np.column_stack(model.predict_interval(Z[:7], 0.9)), rtol=1e-7)


def test_limits_of_the_logarithm(model):
    positive = np.where(BELOW, -np.inf, np.exp(Y)), np.exp(PAIR[1])
    found = KernelRegressor(QUICK, target="log").fit(X, positive)
    assert found.target_scale_.name == "log"
    lower, upper = found.predict_interval(Z)
    assert np.all(lower > 0.0)
    inside = np.log(np.maximum(lower, 1e-9)) <= model.predict(Z)
    assert np.mean(inside & (model.predict(Z) <= np.log(upper))) > 0.95


def test_a_scale_goes_on_below_a_limit():
    """Half the range of what is known of logarithms cut off predictions, and ends of intervals."""
    rng = np.random.default_rng(3)
    U = rng.uniform(0.0, 4.0, size=(80, 1))
    y = np.exp(U[:, 0] + 0.1 * rng.normal(size=80))
    limit, door = np.exp(2.5), KernelRegressor([GaussianProcess(tied=True)], target="log")
    found = clone(door).fit(U, (np.where(y < limit, -np.inf, y), np.maximum(y, limit)))
    lower, upper = found.predict_interval([[1.1], [1.4]])
    assert np.all((lower < np.exp([1.1, 1.4])) & (np.exp([1.1, 1.4]) < upper))
    assert lower[0] < lower[1]
    above = clone(door).fit(U, (np.minimum(y, limit), np.where(y > limit, np.inf, y)))
    assert above.target_scale_.low > found.target_scale_.low
    assert above.target_scale_.high > found.target_scale_.high


def half_hidden(function):
    """Return inputs, and what is known of numbers around a function: of the lower half, that they are below a limit."""
    rng = np.random.default_rng(1)
    U = rng.uniform(-3.0, 3.0, size=(150, 1))
    y = function(U[:, 0]) + 0.15 * rng.normal(size=150)
    limit = np.median(y)
    return U, (np.where(y < limit, -np.inf, y), np.maximum(y, limit))


def test_deviations_are_larger_where_no_number_was_seen(monkeypatch):
    """Stairs are steps among the numbers that are seen too, which a smooth function does not foresee."""
    U, pair = half_hidden(lambda u: 2.0 * np.round(u))
    door = KernelRegressor([GaussianProcess(tied=True)], target="identity")
    head = door.fit(U, pair).model_.numbers
    assert 1.5 < head.unseen < 5.0
    assert (head.seen_from, head.seen_to) == (pytest.approx(pair[0][np.isfinite(pair[0])].min()), None)
    found = door.model_.on_scale(door._validated([[-2.4], [2.4]]))
    turned = clone(door).fit(U, (-pair[1], -pair[0]))
    assert (turned.model_.numbers.seen_from, turned.model_.numbers.seen_to) == (None, pytest.approx(-head.seen_from))
    np.testing.assert_allclose(turned.model_.on_scale(door._validated([[-2.4], [2.4]]))[1], found[1], rtol=1e-3)
    program = program_of(turned, 0.9)
    ends = evaluate(program.with_outputs([program.ends]), U[:9])[-1]
    np.testing.assert_allclose(ends, np.column_stack(turned.predict_interval(U[:9])), rtol=1e-7)
    monkeypatch.setattr("kernelect.mixture.scales._MARKED_UNSEEN", np.inf)
    plain = clone(door).fit(U, pair)
    assert plain.model_.numbers.unseen == 1.0
    wider = found[1] / plain.model_.on_scale(door._validated([[-2.4], [2.4]]))[1]
    np.testing.assert_allclose(wider[:, 0], [head.unseen, 1.0], rtol=0.05)


def test_deviations_are_not_larger_below_a_limit_if_a_line_goes_on():
    U, pair = half_hidden(lambda u: u)
    assert KernelRegressor([GaussianProcess(tied=True)], target="identity").fit(U, pair).model_.numbers.unseen < 1.3


def test_limits_are_no_sign_of_skewness():
    rng = np.random.default_rng(0)
    U, noise = rng.uniform(size=(90, 3)), rng.normal(size=90)
    even, skewed = 10.0 + 8.0 * U[:, 0] + 3.0 * U[:, 1] + noise, np.exp(2.0 * U[:, 0] + U[:, 1] + 0.3 * noise)
    for y, name in ((even, "identity"), (skewed, "log")):
        limit = np.median(y)
        pair = np.where(y < limit, -np.inf, y), np.maximum(y, limit)
        assert KernelRegressor([GaussianProcess(tied=True)]).fit(U, pair).target_scale_.name == name


def test_a_saved_model_says_the_same(model, tmp_path):
    model.model_.save(tmp_path / "m.kernelect")
    loaded = kernelect.load(tmp_path / "m.kernelect")
    np.testing.assert_array_equal(loaded.predict(Z), model.predict(Z))
    np.testing.assert_array_equal(loaded.predict_interval(Z), model.predict_interval(Z))


def test_limits_above_all_numbers_are_refused():
    with pytest.raises(InvalidArgument, match="lie below it, and nothing of how far"):
        KernelRegressor().fit(X, (np.full(90, -np.inf), np.full(90, 9.0)))
    with pytest.raises(InvalidArgument, match="two columns with infinite numbers: give limits as a pair"):
        KernelRegressor().fit(X, np.column_stack(PAIR))
