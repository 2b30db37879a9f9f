"""KernelSurvival: risks, survival functions, leave-one-out, scales, edges, tables, files, explanations and exports."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

import kernelect
from kernelect import KernelSurvival
from kernelect.exceptions import InvalidArgument
from kernelect.explain import shapley_values
from kernelect.export import to_javascript
from kernelect.export.evaluate import evaluate
from kernelect.export.models import program_of
from kernelect.export.rows import checked_rows
from kernelect.mixture import gaussian_processes
from kernelect.mixture.gaussian_processes import GaussianProcess
from kernelect.mixture.survival_forest import SurvivalForest
from kernelect.numerics import concordance
from oracles import limits as slow

QUICK = [GaussianProcess(tied=True), SurvivalForest(n_trees=20)]


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
    return KernelSurvival(QUICK).fit(X, TIME, event=EVENT)


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
        again = KernelSurvival(QUICK).fit(X, structured(TIME, EVENT, names))
        np.testing.assert_array_equal(again.predict(Z), model.predict(Z))
    turned = np.array(list(zip(TIME, EVENT, strict=True)), dtype=[("time", float), ("event", bool)])
    np.testing.assert_array_equal(KernelSurvival(QUICK).fit(X, turned).predict(Z), model.predict(Z))
    np.testing.assert_array_equal(KernelSurvival(QUICK).fit(X, TIME, EVENT.astype(int)).predict(Z), model.predict(Z))


def test_survival_functions_fall_and_agree_with_medians_and_intervals(model):
    times = np.array([0.0, 0.1, 1.0, 5.0, 1e9])
    found = model.predict_survival_function(Z, times)
    assert found.shape == (12, 5)
    assert np.all(np.diff(found, axis=1) <= 0.0)
    np.testing.assert_array_equal(found[:, 0], 1.0)
    at_median = model.predict_survival_function(Z, np.sort(model.predict_median(Z)))
    np.testing.assert_allclose(np.diagonal(at_median[np.argsort(model.predict_median(Z))]), 0.5, atol=1e-9)
    lower, upper = model.predict_interval(Z, coverage=0.8)
    ends = [model.predict_survival_function(row[None], [a, b])[0] for row, a, b in zip(Z, lower, upper, strict=True)]
    np.testing.assert_allclose(ends, np.tile([0.9, 0.1], (12, 1)), atol=1e-9)
    np.testing.assert_array_equal(model.unique_times_, np.sort(TIME[EVENT]))
    order = np.argsort(model.predict(Z))
    assert np.all(np.diff(model.predict_median(Z)[order]) <= 0.0)


def test_survival_functions_can_be_called_as_in_scikit_survival(model):
    """Its scorers call each with times; its own test compares them with the array."""
    at_events = model.predict_survival_function(Z, return_array=True)
    assert at_events.shape == (12, EVENT.sum())
    found = model.predict_survival_function(Z)
    assert found.shape == (12,)
    for curve, expected in zip(found, at_events, strict=True):
        np.testing.assert_allclose(curve(model.unique_times_), expected, rtol=1e-12)
        np.testing.assert_array_equal(curve.x, model.unique_times_)
        np.testing.assert_array_equal(curve.y, curve(curve.x))
        assert curve(1.0) == curve([1.0])[0]
    with pytest.raises(InvalidArgument, match="must be a list of numbers of at least 0"):
        found[0](-1.0)


def test_events_alone_are_regression_on_the_scale_of_times():
    """One member, and no noise of its own around it."""
    survival = KernelSurvival([GaussianProcess(tied=True)]).fit(X, TIME)
    (component,), scale = survival.model_.components, survival.model_.numbers.scale
    y = scale.forward(TIME)
    unit, kernel = y.std(), component.kernel_part.kernel
    rows, noise = component.kernel_part.vectors, component.spread.noise / unit
    mean, _, left_out, _ = slow.regression(kernel, rows, (y - y.mean()) / unit, noise, survival.model_.inputs(Z))
    gap = -survival.predict(Z) - (unit * mean + y.mean())
    np.testing.assert_allclose(gap, gap[0], atol=1e-6)  # the median of skewed noise is not its mean
    np.testing.assert_allclose(-survival.loo_prediction_ - (unit * left_out + y.mean()), gap[0], atol=1e-6)


@pytest.mark.parametrize("shape", ["normal", "early", "late"])
def test_noise_may_lean_to_one_side(shape):
    """With little to tell rows apart, survival functions are those of Kaplan and Meier, whatever the law."""
    rng = np.random.default_rng(3)
    W = {
        "normal": rng.normal(size=600),
        "early": np.log(rng.exponential(size=600)),
        "late": -np.log(rng.exponential(size=600)),
    }
    time, rows = np.exp(0.5 * W[shape]), rng.normal(size=(600, 1))
    found = KernelSurvival([GaussianProcess(kernel="linear")]).fit(rows, time)
    at = np.quantile(time, [0.05, 0.25, 0.5, 0.75, 0.95])
    np.testing.assert_allclose(
        found.predict_survival_function([[0.0]], at)[0], [0.95, 0.75, 0.5, 0.25, 0.05], atol=0.03
    )


def test_rows_without_event_are_used_for_what_they_say(model):
    """To drop them, or to take them for events, expects events too early."""
    rng = np.random.default_rng(8)
    rows = rng.normal(size=(2000, 2))
    truth = rows[:, 0] + np.sin(2.0 * rows[:, 1])
    biases = [
        np.mean(np.log(fitted.predict_median(rows)) - truth)
        for fitted in (model, KernelSurvival(QUICK).fit(X, TIME), KernelSurvival(QUICK).fit(X[EVENT], TIME[EVENT]))
    ]
    assert abs(biases[0]) < 0.15
    assert biases[1] < -0.3
    assert biases[2] < biases[0] - 0.05


def test_leave_one_out(model):
    assert model.loo_score_ == pytest.approx(slow.concordance(TIME, EVENT, model.loo_prediction_), abs=1e-12)
    assert 0.0 < model.loo_score_error_ < 0.1
    rows, time, event = study(600, 5)
    assert model.loo_score_ == pytest.approx(model.score(rows, time, event), abs=3.0 * model.loo_score_error_)
    new = fresh_log_likelihood(model, rows, time, event)
    assert model.loo_log_likelihood_.mean() == pytest.approx(new, abs=0.15)


def fresh_log_likelihood(model, rows, time, event):
    """Return the mean log-likelihood of new rows by differences of their survival functions."""
    step = 1e-4
    ends = [
        np.diagonal(model.predict_survival_function(rows, np.sort(time * np.exp(d)))[np.argsort(time)])
        for d in (-step, 0.0, step)
    ]
    density = (ends[0] - ends[2]) / (2.0 * step)
    order = event[np.argsort(time)]
    return np.mean(np.log(np.where(order, density, ends[1])))


def test_groups_leave_together():
    """Pairs of nearly equal rows with equal times: without their twins, rows are known less well."""
    rng = np.random.default_rng(2)
    twins = np.repeat(X, 2, axis=0) + 1e-3 * rng.normal(size=(180, 2))
    time, event = np.repeat(TIME, 2), np.repeat(EVENT, 2)
    alone = KernelSurvival(QUICK).fit(twins, time, event)
    paired = KernelSurvival(QUICK).fit(twins, time, event, groups=np.arange(180) // 2)
    assert paired.loo_log_likelihood_.mean() < alone.loo_log_likelihood_.mean() - 0.1


def test_many_rows_in_groups_have_a_bound(monkeypatch):
    monkeypatch.setattr(gaussian_processes, "MOST_GROUPED_ROWS", 60)
    found = KernelSurvival(QUICK).fit(X, TIME, EVENT, groups=np.arange(90))
    posterior, forest = found.model_.components
    assert len(posterior.kernel_part.vectors) == 60
    assert len(posterior.left_out) == len(forest.left_out) == 90
    assert found.loo_score_ > 0.7


@pytest.mark.slow
@pytest.mark.parametrize("time_limit", [None, 1.0])
def test_many_rows_are_spanned_by_landmarks(time_limit):
    """On 1000 of 3000 such rows, concordance on new ones was 0.81, and 0.85 on all."""
    rows, time, event = study(2100, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = KernelSurvival([GaussianProcess(tied=True)], time_limit=time_limit).fit(rows, time, event)
    (posterior,) = found.model_.components
    assert len(posterior.kernel_part.vectors) < len(posterior.left_out) == 2100
    assert found.loo_score_ > 0.8
    assert found.score(*study(500, 4)) > 0.8


def test_tables_are_coded_as_everywhere():
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(kind=np.where(X[:, 0] > 0.0, "high", "low"))
    frame.loc[3, "b"] = np.nan
    found = KernelSurvival(QUICK).fit(frame, TIME, EVENT)
    assert found.feature_importances_.shape == (3,)
    assert found.feature_importances_.sum() == pytest.approx(1.0)
    assert np.isfinite(found.predict(frame)).all()
    assert list(found.candidates_.to_frame()["machine"]) != []


def test_a_weight_of_two_is_a_row_twice():
    weights = np.where(np.arange(90) < 20, 2.0, 1.0)
    once = KernelSurvival(QUICK).fit(X, TIME, EVENT, weights)
    rows = np.concatenate([np.arange(90), np.arange(20)])
    twice = KernelSurvival(QUICK).fit(X[rows], TIME[rows], EVENT[rows])
    np.testing.assert_allclose(once.predict(Z), twice.predict(Z), atol=1e-6)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_the_unit_of_time_does_not_matter(model, unit):
    other = KernelSurvival(QUICK).fit(X, unit * TIME, EVENT)
    np.testing.assert_allclose(other.predict_median(Z) / unit, model.predict_median(Z), rtol=1e-5)


def test_one_event_among_many_rows():
    event = np.zeros(90, dtype=bool)
    event[7] = True
    found = KernelSurvival(QUICK).fit(X, TIME, event)
    curve = found.predict_survival_function(Z, [np.median(TIME)])
    assert np.all((curve > 0.5) & (curve <= 1.0))


def test_an_event_at_time_0_came_before_all_others(model):
    time = TIME.copy()
    time[:2] = 0.0
    event = EVENT.copy()
    event[:2] = True, False
    found = KernelSurvival(QUICK).fit(X, time, event)
    assert np.isfinite(found.predict(Z)).all()
    assert found.loo_log_likelihood_[0] < 0.0
    assert found.loo_log_likelihood_[1] == pytest.approx(0.0, abs=1e-12)  # it says nothing
    np.testing.assert_allclose(
        found.predict(Z),
        KernelSurvival(QUICK).fit(np.delete(X, 1, 0), np.delete(time, 1), np.delete(event, 1)).predict(Z),
        atol=0.1,  # a forest of other rows
    )


def test_ties_of_whole_days():
    days = np.ceil(TIME)
    found = KernelSurvival(QUICK).fit(X, days, EVENT)
    assert found.loo_score_ > 0.75
    assert np.isfinite(found.predict_survival_function(Z, return_array=True)).all()


@pytest.mark.parametrize(
    ("y", "event", "words"),
    [
        (TIME, np.zeros(90, dtype=bool), "event is false in all 90 rows.*wrong way round"),
        (-TIME, EVENT, "negative time"),
        (TIME + 1j, EVENT, "Complex data not supported"),
        (np.full(90, "ten days"), EVENT, "y holds something that is no time .*'ten days'"),
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


def test_shapley_values_add_up_on_the_scale_of_times(model):
    found = shapley_values(model, Z)
    assert found.method == "exact"
    assert found.explained == "normal score of the prediction"
    np.testing.assert_allclose(found.totals, -model.predict(Z), atol=1e-8)


def test_an_estimator_is_exported_with_its_medians(model):
    assert "NAME.predict" not in to_javascript(model, name="study")  # which compares the script with the model
    rows = checked_rows(model, program_of(model))
    np.testing.assert_allclose(evaluate(program_of(model), rows)[-1][:, 0], model.predict_median(rows), rtol=1e-6)
