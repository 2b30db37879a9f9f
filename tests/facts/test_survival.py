"""Survival curves of rows left out: Kaplan and Meier by loops, thirds of the rows, and the picture of a page."""

import numpy as np
import pandas as pd
import pytest

from kernelect import KernelSurvival
from kernelect.facts import Judge, gather_for_page
from kernelect.facts.survival import Horizon, SurvivalCalibration, SurvivalCurves, calibration_score
from kernelect.facts.what_if import describe_what_if
from kernelect.mixture.gaussian_processes import GaussianProcess
from kernelect.numerics import kaplan_meier
from kernelect.plots import SurvivalCalibrationDisplay, SurvivalDisplay
from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table
from oracles import limits as slow

RNG = np.random.default_rng(0)
TIME, EVENT = RNG.integers(1, 12, 60).astype(float), RNG.random(60) < 0.6


def slow_kaplan_meier(time, event, at):
    """Return share, standard error and rows at risk at one time, moment by moment."""
    share, total = 1.0, 0.0
    for moment in sorted(set(time[event])):
        if moment <= at:
            deaths = sum(1 for t, e in zip(time, event, strict=True) if t == moment and e)
            there = sum(1 for t in time if t >= moment)
            share *= 1.0 - deaths / there
            total += deaths / (there * (there - deaths)) if there > deaths else np.inf
    return share, share * np.sqrt(total) if share > 0.0 else 0.0, sum(1 for t in time if t >= at)


def test_kaplan_meier_moment_by_moment():
    at = np.array([0.0, 0.5, 1.0, 3.0, 7.2, 11.0, 20.0])
    expected = np.array([slow_kaplan_meier(TIME, EVENT, each) for each in at]).T
    np.testing.assert_allclose(kaplan_meier(TIME, EVENT, at), expected, rtol=1e-12)


def test_the_last_rows_may_all_have_their_event():
    share, error, _ = kaplan_meier(np.array([1.0, 2.0, 2.0]), np.ones(3, dtype=bool), np.array([1.5, 2.0, 3.0]))
    np.testing.assert_allclose(share, [2.0 / 3.0, 0.0, 0.0])
    assert np.isfinite(error).all()


def test_scores_of_survival_row_by_row():
    risk = np.round(RNG.normal(size=60), 1)
    horizon = Horizon.of(TIME, EVENT)
    rows = np.arange(60)
    survival = RNG.random((60, len(horizon.times)))
    harrell, uno = horizon.ranks(rows, -risk)
    assert harrell.value == pytest.approx(slow.concordance(TIME, EVENT, risk), rel=1e-12)
    assert uno.value == pytest.approx(slow.weighted_concordance(TIME, EVENT, risk, horizon.grid[-1]), rel=1e-12)
    scores = [slow.brier(TIME, EVENT, survival[:, k], at) for k, at in enumerate(horizon.grid)]
    steps = np.diff(horizon.grid)
    area = sum(step * 0.5 * (a + b) for step, a, b in zip(steps, scores, scores[1:], strict=False))
    assert horizon.brier(rows, survival).losses.mean() == pytest.approx(area / steps.sum(), rel=1e-12)
    assert np.quantile(TIME[EVENT], 0.1) == horizon.grid[0]
    assert np.quantile(TIME[EVENT], 0.8) == horizon.grid[-1]


def test_the_right_curve_has_the_best_brier_score():
    rng = np.random.default_rng(1)
    rate = np.exp(rng.normal(size=400))
    time, end = rng.exponential(1.0 / rate), rng.exponential(2.0, size=400)
    horizon = Horizon.of(np.minimum(time, end), time <= end)

    def score(curves):
        return horizon.brier(np.arange(400), curves).losses.mean()

    right = np.exp(-rate[:, None] * horizon.times)
    assert score(right) < min(score(right**0.5), score(right**2), score(np.full_like(right, 0.5)))
    said = horizon.of_quarters(right)[:, 1]
    good, bad = (calibration_score(horizon.time, horizon.event, each, horizon.quarters[1]) for each in (said, said**3))
    assert good.value < 3.0 * good.standard_error < bad.value


def test_a_horizon_of_one_event_is_a_point():
    horizon = Horizon.of(np.array([2.0, 3.0, 4.0]), np.array([True, False, False]))
    survival = np.full((3, len(horizon.times)), 0.5)
    np.testing.assert_allclose(horizon.brier(np.arange(3), survival).losses, 0.25)


def test_thirds_by_predicted_time():
    predicted = RNG.normal(size=60)
    record = SurvivalCurves.of(TIME, EVENT, predicted)
    early = np.argsort(predicted)[:20]
    assert record.groups == ("expected early (20 rows)", "in between (20 rows)", "expected late (20 rows)")
    np.testing.assert_allclose(record.alive[0], kaplan_meier(TIME[early], EVENT[early], record.time)[0])
    assert record.time[-1] == TIME[EVENT].max()
    np.testing.assert_array_equal(record.at_risk[:, 0], 20.0)
    assert SurvivalCurves.of(TIME[:14], EVENT[:14], predicted[:14]) is None
    assert SurvivalCurves.of(TIME[:15], np.ones(15, dtype=bool), predicted[:15]) is not None


def test_the_picture_has_a_line_for_each_third():
    pytest.importorskip("matplotlib")
    record = SurvivalCurves.of(TIME, EVENT, -TIME)
    ax = SurvivalDisplay(record).plot()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(record.groups)
    assert ax.get_xticklabels()[0].get_text().split() == ["0", "20", "20", "20"]


def test_a_page_of_survival_times_shows_no_pictures_of_numbers():
    X = RNG.normal(size=(60, 2))
    time, end = np.exp(X[:, 0] + 0.3 * RNG.normal(size=60)), RNG.exponential(3.0, size=60)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(days=np.minimum(time, end), status=time <= end)
    schema, rows, _ = describe_table(frame, "days", event="status")
    model = fit_table(rows, schema, MachineOptions(), FoldOptions(2))
    page = gather_for_page(model, rows.X, rows.y, assessment=model.assessment)
    kinds = [each["kind"] for each in page["pictures"]]
    assert {"survival", "survival calibration"} <= set(kinds)
    assert not {"residuals", "trend"} & set(kinds)
    labels = {each["record"]["label"] for each in page["pictures"] if each["kind"] == "dependence"}
    assert labels == {"median time"}


def test_what_if_of_times_has_a_survival_curve():
    X = RNG.normal(size=(60, 2))
    time, end = np.exp(X[:, 0] + 0.3 * RNG.normal(size=60)), RNG.exponential(3.0, size=60)
    seen = time <= end
    model = KernelSurvival([GaussianProcess(tied=True)]).fit(X, np.minimum(time, end), event=seen)
    assessment = Judge(np.minimum(time, end), event=seen).assess(model)
    facts, _ = describe_what_if(model, X, np.minimum(time, end), assessment, np.random.default_rng(0))
    curve, first = facts["survival"], np.array(facts["rows"][0])
    assert curve["times"][-1] == pytest.approx(np.minimum(time, end)[seen].max())
    expected = model.predict_survival_function(first[None], curve["times"])[0]
    np.testing.assert_allclose(curve["start"], expected, atol=1e-9)
    # As the page finds it: place and deviation from the median and both ends.
    score = lambda t: np.interp(np.log(t), curve["knots"], curve["heights"])  # noqa: E731
    low, high = (model.model_.numbers.scale.forward(end)[0] for end in model.predict_interval(first[None], 0.9))
    middle = model.model_.numbers.scale.forward(model.predict_median(first[None]))[0]
    deviation = (high - low) / (curve["high"] - curve["low"])
    found = np.interp((np.array(curve["scores"]) - middle) / deviation, curve["at"], curve["later"])
    np.testing.assert_allclose(found, expected, atol=2e-3)
    inside = np.exp(curve["knots"][0] + 0.5 * (curve["knots"][1] - curve["knots"][0]))
    assert score(inside) == pytest.approx(model.model_.numbers.scale.forward(np.array([inside]))[0])
    assert facts["signed"]
    left = np.flatnonzero(~seen)[0]
    assert any(name.startswith(f"row {left + 1} (observed > ") for name in facts["row_names"])
    assert any(name.startswith(f"row {np.flatnonzero(seen)[0] + 1} (observed ") for name in facts["row_names"])


def test_calibration_of_survival_in_thirds():
    said = RNG.random((60, 3))
    times = np.array([3.0, 5.0, 8.0])
    record = SurvivalCalibration.of(TIME, EVENT, said, times)
    third = np.argsort(said[:, 1], kind="stable")[40:]
    assert record.said[1, 2] == pytest.approx(said[third, 1].mean())
    expected = slow_kaplan_meier(TIME[third], EVENT[third], 5.0)
    assert (record.alive[1, 2], record.error[1, 2]) == pytest.approx(expected[:2])
    assert SurvivalCalibration.of(TIME[:14], EVENT[:14], said[:14], times) is None
    pytest.importorskip("matplotlib")
    ax = SurvivalCalibrationDisplay(record).plot()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["until 3", "until 5", "until 8"]
