"""Every stage of a subset search ends when its time is up, with a model; time is counted in looks at the clock."""

import time

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.exceptions import ConvergenceWarning

from kernelect import BasisSearchRegressor
from kernelect.dictionaries import DesignMatrix
from kernelect.numerics import Deadline
from kernelect.results import Evaluation
from kernelect.search import Budget
from kernelect.subsets import (
    OLS,
    PTA,
    SFFS,
    FitOptions,
    Oscillating,
    SubsetRows,
    WalkOptions,
    fit_subset,
    gathered_moments,
    moments,
)


class Clock:
    """Every look at it takes a hundredth of a second."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        self.now += 0.01
        return self.now


@pytest.fixture
def friedman():
    return make_friedman1(400, random_state=0)


def test_widths_and_subset_share_the_time_limit(friedman, monkeypatch):
    """The search for widths leaves half of the time to the search for functions."""
    X, y = friedman
    rows = []
    monkeypatch.setattr(time, "monotonic", Clock())
    with pytest.warns(ConvergenceWarning, match="time limit"):
        model = BasisSearchRegressor(time_limit=0.6, verbose=rows.append).fit(X, y)
    widths = [row for row in rows if isinstance(row, Evaluation)]
    assert 5 <= len(widths) <= 16  # two looks and more for each; 35 evaluations without a limit
    assert 10 <= len(model.selection_.trace) <= 30
    assert "time limit" in model.selection_.status
    assert model.score(X, y) > 0.5


@pytest.mark.parametrize(
    "strategy", [PTA(1, 0), PTA(2, 1), SFFS(), Oscillating(3), OLS("validation"), OLS("evidence")], ids=repr
)
def test_every_strategy_stops_and_keeps_a_model(strategy, rng):
    D = rng.normal(size=(200, 80))
    sample = SubsetRows(
        X=D,
        T=D[:, :40] @ rng.normal(size=(40, 1)) + 0.1 * rng.normal(size=(200, 1)),
        weights=np.ones(200),
        intercept=True,
    )

    def steps(deadline):
        options = FitOptions(strategy=strategy, walk=WalkOptions(deadline=deadline), generator=np.random.default_rng(0))
        found = fit_subset(DesignMatrix(), sample, options)
        return len(found.selection.trace), found

    unlimited, _ = steps(Deadline())
    limited, found = steps(Deadline(100.35, Clock()))
    assert limited <= 35 < unlimited
    assert not found.selection.converged
    assert "time limit" in found.selection.status
    assert len(found.indices) >= 1


def test_sums_over_a_part_of_the_rows_are_those_of_that_part(rng, monkeypatch):
    monkeypatch.setattr(moments, "_BLOCK_ELEMENTS", 64 * 5)
    D, T, s = rng.normal(size=(640, 5)) + 3.0, rng.normal(size=(640, 2)) + 1.0, rng.uniform(0.5, 2.0, size=640)
    sample, candidates = SubsetRows(X=D, T=T, weights=s, intercept=True), DesignMatrix().build(D)
    found = gathered_moments(candidates, sample, Deadline(100.025, Clock()))
    assert len(found.rows) == 3 * 64
    part = gathered_moments(candidates, sample.rows(found.rows))
    for name in ("gram", "projections", "energy", "means"):
        np.testing.assert_allclose(getattr(found, name), getattr(part, name), rtol=1e-10, atol=1e-10)
    assert found.n_rows == pytest.approx(part.n_rows)
    assert gathered_moments(candidates, sample).rows is None


def test_a_fit_on_a_part_of_the_rows_says_so(rng, monkeypatch):
    monkeypatch.setattr(moments, "_BLOCK_ELEMENTS", 64 * 5)
    D = rng.normal(size=(6400, 5))
    sample = SubsetRows(X=D, T=D[:, :2].sum(axis=1, keepdims=True), weights=np.ones(6400), intercept=True)
    walk = WalkOptions(deadline=Deadline(100.3, Clock()))
    found = fit_subset(DesignMatrix(), sample, FitOptions(strategy=PTA(1, 0), walk=walk))
    assert 0 < len(found.rows) < 6400
    assert f"time sufficed for {len(found.rows)} of 6400 rows" in found.selection.status
    np.testing.assert_allclose(found.posterior.coef, np.ones((2, 1)), atol=1e-6)


def test_a_budget_takes_keywords_only():
    """A deadline once landed in the place of another argument."""
    with pytest.raises(TypeError, match="positional"):
        Budget(200, 1e-5, 0.5)
