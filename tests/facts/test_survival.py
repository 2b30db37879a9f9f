"""Survival curves of rows left out: Kaplan and Meier by loops, thirds of the rows, and the picture of a page."""

import numpy as np
import pandas as pd
import pytest

from kernelect.facts import gather_for_page
from kernelect.facts.survival import SurvivalCurves
from kernelect.numerics import kaplan_meier
from kernelect.plots import SurvivalDisplay
from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table

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
    assert "20 / 20 / 20" in ax.get_xticklabels()[0].get_text()


def test_a_page_of_survival_times_shows_no_pictures_of_numbers():
    X = RNG.normal(size=(60, 2))
    time, end = np.exp(X[:, 0] + 0.3 * RNG.normal(size=60)), RNG.exponential(3.0, size=60)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(days=np.minimum(time, end), status=time <= end)
    schema, rows, _ = describe_table(frame, "days", event="status")
    model = fit_table(rows, schema, MachineOptions(), FoldOptions(2))
    page = gather_for_page(model, rows.X, rows.y, assessment=model.assessment)
    kinds = [each["kind"] for each in page["pictures"]]
    assert "survival" in kinds
    assert not {"residuals", "trend"} & set(kinds)
