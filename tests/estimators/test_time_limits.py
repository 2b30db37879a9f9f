"""Estimators with a time limit: fewer rows where all would take too long, and a model in any case."""

import time
import tracemalloc
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from kernelect import GPC, LSSVC, LSSVR, RVC, RVR, SVC, KernelClassifier, KernelRegressor
from kernelect.datasets import twonorm, waveform
from kernelect.estimators._training import LabelledTraining
from kernelect.machines import LSSVM
from kernelect.numerics import NEVER, Deadline
from kernelect.selection import Pace

CLASSIFIERS = [LSSVC(), SVC(), SVC(criterion="span"), SVC(criterion="loo"), GPC(), RVC()]
REGRESSORS = [LSSVR(), RVR()]
N = 260


@pytest.fixture
def slow(monkeypatch):
    """A computer on which 120 rows of any machine are more than there is time for."""
    monkeypatch.setattr(Pace, "measured", lambda: Pace(1.0))


def rows_of(model):
    """Return the rows that the model learned from."""
    return np.flatnonzero(model.model_.training.weights)


def fitted(model, X, y):
    with pytest.warns(ConvergenceWarning) as caught:
        model.set_params(time_limit=0.05, random_state=0).fit(X, y)
    assert len(caught) == 1
    assert "raise time_limit" in str(caught[0].message)
    return model


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
def test_classifiers_take_the_rows_they_have_time_for(model, slow):
    X, y = twonorm(N, random_state=0)
    model = fitted(model, X, y)
    assert f"there was time for 100 of {N} rows (time_limit)" in model.selection_.status
    assert len(np.unique(model.support_ if hasattr(model, "support_") else rows_of(model))) <= 100
    X_new, y_new = twonorm(500, random_state=1)
    assert model.score(X_new, y_new) > 0.75  # always the same answer: 0.5
    assert np.all(np.isfinite(model.predict_proba(X_new)))


@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_regressors_take_the_rows_they_have_time_for(model, slow):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(N, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=N)
    model = fitted(model, X, y)
    assert f"there was time for 100 of {N} rows (time_limit)" in model.selection_.status
    assert model.score(X, y) > 0.1


def test_rows_without_time_are_left_out_all_along(slow):
    """What leave-one-out says of them is the prediction of the model, which never saw them."""
    X, y = twonorm(N, random_state=0)
    model = fitted(LSSVC(), X, y)
    unseen = np.setdiff1d(np.arange(N), rows_of(model))
    assert len(unseen) == N - 100
    np.testing.assert_allclose(model.loo_decision_[unseen], model.decision_function(X[unseen]))
    gp = fitted(GPC(), X, y)
    unseen = np.setdiff1d(np.arange(N), rows_of(gp))
    np.testing.assert_allclose(gp.loo_proba_[unseen], gp.predict_proba(X[unseen]))


def test_precomputed_kernels_too(slow):
    X, y = twonorm(N, random_state=0)
    model = fitted(LSSVC("precomputed"), X @ X.T, y)
    assert len(rows_of(model)) == len(model.model_.components[0].kernel_part.places) == 100
    assert model.score(X @ X.T, y) > 0.9


def test_without_a_limit_nothing_is_measured(monkeypatch):
    monkeypatch.setattr(Pace, "measured", lambda: pytest.fail("no limit, no pace"))
    data = training(*twonorm(50, random_state=0))
    kept, searching = data.in_time(LSSVM(), NEVER)
    assert kept is data
    assert searching == NEVER


def training(X, y):
    classes, index = np.unique(y, return_inverse=True)
    return LabelledTraining(
        X=X,
        targets=np.eye(len(classes))[index],
        weights=np.ones(len(X)),
        kept=np.ones(len(X), dtype=bool),
        classes=classes,
        index=index,
    )


def test_every_class_keeps_two_rows_at_least(slow):
    X, y = waveform(400, random_state=0)
    y = np.where(np.arange(400) < 3, 7, y % 2)
    data, _ = training(X, y).in_time(LSSVM(), Deadline(1.0, lambda: 0.0))
    assert data.dropped == 400 - data.kept.sum() > 250
    kept = y[data.kept]
    assert np.sum(kept == 7) == 2
    assert np.mean(kept == 1) == pytest.approx(np.mean(y == 1), abs=0.05)


def test_groups_stay_several(slow):
    X, y = twonorm(400, random_state=0)
    groups = np.where(np.arange(400) == 17, 1, 0)
    kept = replace(training(X, y), groups=groups).in_time(LSSVM(), Deadline(1.0, lambda: 0.0))[0].kept
    assert set(groups[kept]) == {0, 1}


def test_the_rows_do_not_depend_on_their_order(slow):
    X, y = twonorm(300, random_state=0)
    order = np.random.default_rng(0).permutation(300)
    deadline = Deadline(1.0, lambda: 0.0)
    here = training(X, y).in_time(LSSVM(), deadline)[0].kept
    there = training(X[order], y[order]).in_time(LSSVM(), deadline)[0].kept
    np.testing.assert_array_equal(here[order], there)


def test_time_for_the_model_itself_is_set_aside(monkeypatch):
    monkeypatch.setattr(Pace, "measured", lambda: Pace(LSSVM().work(50, 1) / 2.0))
    data, searching = training(*twonorm(50, random_state=0)).in_time(LSSVM(), Deadline(100.0, lambda: 0.0))
    assert not data.dropped
    assert searching.at == pytest.approx(96.0)


def test_a_limit_that_is_far_away_changes_nothing():
    X, y = twonorm(120, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        limited, free = LSSVC(time_limit=1000.0).fit(X, y), LSSVC().fit(X, y)
    np.testing.assert_array_equal(limited.decision_function(X), free.decision_function(X))


def test_members_of_a_mixture_speak_of_the_same_rows(slow):
    """The door drops rows for all of them, so that spreads and intervals can be mixed."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(N, 3))
    y = X[:, 0] + 0.1 * rng.normal(size=N)
    with pytest.warns(ConvergenceWarning, match=rf"left no time for \d+ of \d+ candidates and {N - 100} rows"):
        model = KernelRegressor("fast", time_limit=0.05, random_state=0).fit(X, y)
    assert len(rows_of(model)) == 100
    for component in model.model_.components:
        np.testing.assert_array_equal(component.spread.rows, rows_of(model))
    low, high = model.predict_interval(X[:5])
    assert (low < high).all()
    assert model.score(X, y) > 0.5


def test_a_follower_without_time_is_not_begun(monkeypatch):
    """Least squares have time and posteriors, which take four times as long, have not."""
    X, y = twonorm(60, random_state=0)
    monkeypatch.setattr(Pace, "measured", lambda: Pace(Pace(1.0).fit_seconds(LSSVM(), 60, 1) / 100.0))
    with pytest.warns(ConvergenceWarning, match="left no time for 2 of 5 candidates"):
        model = KernelClassifier("fast", time_limit=320.0, random_state=0).fit(X, y)
    assert [member.candidate.machine for member in model.members] == ["lssvm", "forest", "lssvm"]


def wide(rng):
    """Return sixty rows of 6830 columns and nine classes, as tables of genes are."""
    y = rng.integers(9, size=60)
    return rng.normal(size=(60, 6830)) + 0.7 * rng.normal(size=(9, 6830))[y] * (rng.random(6830) < 0.1), y


def of_many_classes(rng):
    y = np.arange(2180) % 109
    return 1.5 * rng.normal(size=(109, 20))[y] + rng.normal(size=(2180, 20)), y


def long(rng):
    X = rng.normal(size=(50_000, 50))
    return X, X[:, 0] + X[:, 1] ** 2 + rng.normal(size=50_000) > 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "data"),
    [
        (GPC(time_limit=1.0), long),
        (KernelClassifier(time_limit=5.0), wide),
        (KernelClassifier(time_limit=12.0), of_many_classes),
    ],
    ids=["50 000 rows", "6830 columns", "109 classes"],
)
def test_limits_hold_for_tables_that_are_large_in_one_way(model, data, rng, monkeypatch):
    """In processor time, and with room because other work may go on: ``benchmarks/time_limits.py`` measures."""
    X, y = data(rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clone(model).set_params(time_limit=0.5).fit(X[:40, :3], np.arange(40) % 2)  # imports
    monkeypatch.setattr(time, "monotonic", time.process_time)
    monkeypatch.setattr(time, "perf_counter", time.process_time)
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    assert time.process_time() - began < 1.5 * model.time_limit + 5.0  # without: 23 s, 58 s, minutes


@pytest.mark.slow
def test_a_limit_of_time_is_one_of_memory(rng):
    """Arrays of all rows and landmarks took 1.9 GB before the first second was over."""
    X, y = long(rng)
    tracemalloc.start()
    try:
        with pytest.warns(ConvergenceWarning, match="time_limit"):
            GPC(time_limit=1.0).fit(X, y)
        assert tracemalloc.get_traced_memory()[1] < 400 * 2**20
    finally:
        tracemalloc.stop()
