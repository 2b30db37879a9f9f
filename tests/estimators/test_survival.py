"""KernelSurvival: risks, survival functions, leave-one-out, edges, files, explanations and exports."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import lognorm

import kernelect
from kernelect import GPR, KernelSurvival
from kernelect.exceptions import InvalidArgument
from kernelect.explain import shapley_values
from kernelect.export.evaluate import evaluate
from kernelect.export.models import program_of
from kernelect.kernels import RBF, Constant
from kernelect.numerics import concordance
from oracles import limits as slow

FIXED = 2.0 * RBF(gamma=0.3) + Constant(0.5)


def study(n=90, seed=0, unit=1.0):
    """Return inputs, times and events; a third of the rows leave before their event."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    time = np.exp(X[:, 0] + np.sin(2.0 * X[:, 1]) + 0.4 * rng.normal(size=n))
    end = rng.exponential(4.0, size=n)
    return X, unit * np.minimum(time, end), time <= end


def structured(time, event, names=("event", "time")):
    return np.array(list(zip(event, time, strict=True)), dtype=[(names[0], bool), (names[1], float)])


X, TIME, EVENT = study()
Z = study(12, 1)[0]


@pytest.fixture(scope="module")
def model():
    return KernelSurvival("rbf").fit(X, TIME, event=EVENT)


def test_it_orders_new_rows(model):
    rows, time, event = study(400, 5)
    found = model.score(rows, time, event)
    assert found > 0.8
    assert found == pytest.approx(slow.concordance(time, event, model.predict(rows)), abs=1e-12)
    assert model.score(rows, structured(time, event)) == found


def test_concordance_with_ties_and_its_error():
    rng = np.random.default_rng(0)
    time, event, risk = rng.integers(1, 6, 60).astype(float), rng.random(60) < 0.6, rng.integers(0, 4, 60).astype(float)
    value, error = concordance(time, event, risk)
    assert value == pytest.approx(slow.concordance(time, event, risk), abs=1e-12)
    draws = [rng.integers(0, 60, 60) for _ in range(400)]
    spread = np.std([concordance(time[rows], event[rows], risk[rows])[0] for rows in draws])
    assert error == pytest.approx(spread, rel=0.2)


def test_both_forms_of_the_target_are_the_same(model):
    for names in (("event", "time"), ("status", "days")):
        again = KernelSurvival("rbf").fit(X, structured(TIME, EVENT, names))
        np.testing.assert_array_equal(again.predict(Z), model.predict(Z))
    turned = np.array(list(zip(TIME, EVENT, strict=True)), dtype=[("time", float), ("event", bool)])
    np.testing.assert_array_equal(KernelSurvival("rbf").fit(X, turned).predict(Z), model.predict(Z))
    np.testing.assert_array_equal(KernelSurvival("rbf").fit(X, TIME, EVENT.astype(int)).predict(Z), model.predict(Z))


def test_survival_functions_are_log_normal_and_fall(model):
    times = np.array([0.0, 0.1, 1.0, 5.0, 1e9])
    found = model.predict_survival_function(Z, times)
    assert found.shape == (12, 5)
    assert np.all(np.diff(found, axis=1) <= 0.0)
    np.testing.assert_array_equal(found[:, 0], 1.0)
    mean, deviation = model.model_.on_scale(Z)
    expected = lognorm(s=deviation[:, 0], scale=np.exp(mean[:, 0])).sf(times[:, None]).T
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(model.predict(Z), -mean[:, 0])
    own = np.array(
        [
            model.predict_survival_function(row[None], [m])[0, 0]
            for row, m in zip(Z, model.predict_median(Z), strict=True)
        ]
    )
    np.testing.assert_allclose(own, 0.5, atol=1e-12)
    lower, upper = model.predict_interval(Z, coverage=0.8)
    ends = [model.predict_survival_function(row[None], [a, b])[0] for row, a, b in zip(Z, lower, upper, strict=True)]
    np.testing.assert_allclose(ends, np.tile([0.9, 0.1], (12, 1)), atol=1e-12)
    assert model.predict_survival_function(Z).shape == (12, EVENT.sum())
    np.testing.assert_array_equal(model.unique_times_, np.sort(TIME[EVENT]))


def test_events_alone_are_regression_of_logarithms():
    survival, numbers = KernelSurvival("rbf").fit(X, TIME), GPR("rbf").fit(X, np.log(TIME))
    np.testing.assert_allclose(-survival.predict(Z), numbers.predict(Z), rtol=1e-10)
    np.testing.assert_allclose(-survival.loo_prediction_, numbers.loo_prediction_, rtol=1e-10)


def test_rows_without_event_are_used_for_what_they_say(model):
    """To drop them, or to take them for events, expects events too early."""
    rng = np.random.default_rng(8)
    rows = rng.normal(size=(2000, 2))
    truth = rows[:, 0] + np.sin(2.0 * rows[:, 1])
    biases = [
        np.mean(-fitted.predict(rows) - truth)
        for fitted in (model, KernelSurvival("rbf").fit(X, TIME), KernelSurvival("rbf").fit(X[EVENT], TIME[EVENT]))
    ]
    assert abs(biases[0]) < 0.15
    assert biases[1] < -0.3
    assert biases[2] < biases[0] - 0.05


def test_leave_one_out(model):
    assert model.loo_score_ == pytest.approx(slow.concordance(TIME, EVENT, model.loo_prediction_), abs=1e-12)
    assert 0.0 < model.loo_score_error_ < 0.1
    rows, time, event = study(600, 5)
    assert model.loo_score_ == pytest.approx(model.score(rows, time, event), abs=3.0 * model.loo_score_error_)
    known = KernelSurvival(FIXED).fit(X, TIME, EVENT, np.where(np.arange(90) < 4, 0.0, 1.0))
    mean, deviation = (each[:4, 0] for each in known.model_.on_scale(X[:4]))
    z = (mean - np.log(TIME[:4])) / deviation
    expected = np.where(EVENT[:4], -0.5 * z**2 - np.log(deviation) - 0.5 * np.log(2.0 * np.pi), np.log(ndtr(z)))
    np.testing.assert_allclose(known.loo_log_likelihood_[:4], expected, rtol=1e-8)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_the_unit_of_time_does_not_matter(model, unit):
    other = KernelSurvival("rbf").fit(X, unit * TIME, EVENT)
    np.testing.assert_allclose(other.predict_median(Z) / unit, model.predict_median(Z), rtol=1e-5)


def test_one_event_among_many_rows():
    event = np.zeros(90, dtype=bool)
    event[7] = True
    found = KernelSurvival("rbf").fit(X, TIME, event)
    curve = found.predict_survival_function(Z, [np.median(TIME)])
    assert np.all((curve > 0.5) & (curve <= 1.0))


def test_an_event_at_time_0_came_before_all_others(model):
    time = TIME.copy()
    time[:2] = 0.0
    event = EVENT.copy()
    event[:2] = True, False
    found = KernelSurvival("rbf").fit(X, time, event)
    assert np.isfinite(found.predict(Z)).all()
    assert found.loo_log_likelihood_[0] < 0.0
    assert found.loo_log_likelihood_[1] == pytest.approx(0.0, abs=1e-12)  # it says nothing
    np.testing.assert_allclose(
        found.predict(Z),
        KernelSurvival("rbf").fit(np.delete(X, 1, 0), np.delete(time, 1), np.delete(event, 1)).predict(Z),
        atol=0.01,
    )


def test_ties_of_whole_days():
    days = np.ceil(TIME)
    found = KernelSurvival("rbf").fit(X, days, EVENT)
    assert found.loo_score_ > 0.75
    assert np.isfinite(found.predict_survival_function(Z)).all()


@pytest.mark.parametrize(
    ("y", "event", "words"),
    [
        (TIME, np.zeros(90, dtype=bool), "event is false in all 90 rows.*wrong way round"),
        (-TIME, EVENT, "negative time"),
        (np.where(EVENT, TIME, np.nan), EVENT, "missing or infinite: leave these rows out"),
        (TIME, np.full(90, 2), "event holds 2: it must be true or 1"),
        (TIME, EVENT[:5], r"event has shape \(5,\), and y has 90 rows"),
        (structured(TIME, EVENT), EVENT, "takes the place of event="),
        (np.column_stack([TIME, EVENT]), None, "should be a structured array"),
        (0.0 * TIME, EVENT, "no event at a time above 0"),
    ],
)
def test_times_that_cannot_be_are_refused(y, event, words):
    with pytest.raises(InvalidArgument, match=words):
        KernelSurvival().fit(X, y, event)


def test_other_refusals(model):
    with pytest.raises(InvalidArgument, match="must be a list of numbers of at least 0"):
        model.predict_survival_function(Z, [-1.0])
    with pytest.raises(InvalidArgument, match="No two of these times can be ordered"):
        model.score(Z[:2], [1.0, 1.0])
    with pytest.raises(InvalidArgument, match="leaves no row with an event"):
        KernelSurvival().fit(X, TIME, EVENT, np.where(EVENT, 0.0, 1.0))


def test_a_saved_model_and_its_export_say_the_same(model, tmp_path):
    model.model_.save(tmp_path / "m.kernelect")
    loaded = kernelect.load(tmp_path / "m.kernelect")
    np.testing.assert_array_equal(loaded.predict(Z), model.predict_median(Z))
    np.testing.assert_array_equal(loaded.predict_interval(Z), model.predict_interval(Z))
    np.testing.assert_array_equal(loaded.on_scale(Z), model.model_.on_scale(Z))
    program = program_of(model, 0.9)
    result, ends = (evaluate(program.with_outputs([node]), Z)[-1] for node in (program.result, program.ends))
    np.testing.assert_allclose(result[:, 0], model.predict_median(Z), rtol=1e-9)
    np.testing.assert_allclose(ends, np.column_stack(model.predict_interval(Z)), rtol=1e-7)


def test_shapley_values_add_up_on_the_logarithm_of_time(model):
    found = shapley_values(model, Z)
    assert found.method == "exact"
    assert found.explained == "logarithm of the prediction"
    np.testing.assert_allclose(found.totals, -model.predict(Z), atol=1e-8)
