"""Relevance vector machines on many rows: the way on a part of them, its end on all."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from kernelect import RVC, RVR
from kernelect.dictionaries import KernelFunctions
from kernelect.selection import parts

SHAPE = "widths of a least-squares machine"


@pytest.fixture
def few(monkeypatch):
    """Parts are used from 150 rows on, so that tests are quick."""
    monkeypatch.setattr(parts, "MANY_ROWS", 160)
    monkeypatch.setattr(parts, "_LEAST", 150)
    monkeypatch.setattr(parts, "GUIDED_FROM", 100)
    monkeypatch.setattr(parts, "GUIDED_LEAST", 80)
    monkeypatch.setattr(parts, "_PER_PARAMETER", 1)


def friedman(n=200, seed=0):
    return make_friedman1(n, n_features=8, noise=1.0, random_state=seed)


def labels(n=240, seed=0):
    """Two of eight inputs decide, by their product."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8))
    return X, X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=n) > 0


def rows_searched(monkeypatch, model, X, y):
    """Fit, and return label, rows and evaluations of every search of the machine itself."""
    seen, search = [], parts.Run.search

    def noted(run, label, directions, **options):
        found = search(run, label, directions, **options)
        if run.objective.machine.name == "rvm":
            seen.append((label, len(run.objective.X), len(found.trace)))
        return found

    monkeypatch.setattr(parts.Run, "search", noted)
    model.fit(X, y)
    return seen


def test_a_scan_is_made_on_a_part_and_only_its_end_on_all_rows(few, monkeypatch):
    seen = rows_searched(monkeypatch, RVC(), *labels())
    assert [label for label, rows, _ in seen if rows == 150] == ["spherical", "all parameters", SHAPE]
    on_all = [(label, count) for label, rows, count in seen if rows == 240]
    assert [label for label, _ in on_all] == ["widths together", "all parameters"]
    assert on_all[0][1] <= 5


@pytest.mark.parametrize("criterion", ["cv", "centre-evidence", "occam-evidence"])
def test_a_single_width_is_scanned_in_short_steps_on_all_rows(few, monkeypatch, criterion):
    seen = rows_searched(monkeypatch, RVR("rbf", criterion=criterion), *friedman(160))
    counts = {rows: count for label, rows, count in seen if label == "all parameters"}
    assert set(counts) == {150, 160}
    assert counts[160] < counts[150]


def test_a_scan_on_fewer_rows_is_one_on_all_of_them(monkeypatch):
    assert {rows for _, rows, _ in rows_searched(monkeypatch, RVC(), *labels(150))} == {150}


def test_a_scan_that_has_little_time_is_made_on_fewer_rows(few, monkeypatch):
    """Fewer rows and the widths that matter are better than more rows and half a scan."""
    monkeypatch.setattr(parts.Run, "seconds", lambda self, rows: 4.5 * (rows / 130) ** 2)  # 40 have 180 of 600 s
    assert 100 <= rows_searched(monkeypatch, RVC(time_limit=600), *labels())[0][1] < 150


def test_restarts_and_other_searches_see_all_rows(few, monkeypatch):
    for options in ({"n_restarts": 1, "search": "scan"}, {"search": "nelder-mead"}):
        model = RVC("rbf", random_state=0, **options)
        assert {rows for _, rows, _ in rows_searched(monkeypatch, model, *labels(160))} == {160}
        monkeypatch.undo()


def test_it_ends_about_where_a_scan_of_all_rows_ends(few, monkeypatch):
    X, y = labels()
    quick = RVC().fit(X, y)
    monkeypatch.setattr(parts, "MANY_ROWS", 10**9)
    whole = RVC().fit(X, y)
    assert quick.selection_.value <= whole.selection_.value + 10.0  # nats of 240 rows, five folds of them
    assert abs(quick.score(X, y) - whole.score(X, y)) < 0.05


def test_a_search_by_gradient_begins_at_the_widths_of_a_least_squares_machine(few, monkeypatch):
    X, y = friedman()
    seen = rows_searched(monkeypatch, RVR(), X, y)
    assert [label for label, rows, _ in seen if rows < 200][:2] == ["spherical", "all parameters"]
    assert "second basin" not in [label for label, _, _ in seen]
    monkeypatch.undo()
    whole = RVR().fit(X, y)
    on_all = sum(count for _, rows, count in seen if rows == len(X))
    assert on_all < 0.4 * whole.selection_.n_evaluations


def test_a_dictionary_has_no_least_squares_machine_to_ask(few, monkeypatch):
    X, y = friedman(160)
    dictionary = KernelFunctions("ard", max_centres=20)
    seen = rows_searched(monkeypatch, RVR(dictionary=dictionary), X[:, :2], y)
    assert "criterion alone" in [label for label, _, _ in seen]  # the way of the machines with a gradient


def test_a_part_that_finds_nothing_leaves_the_scan_to_all_rows(few, monkeypatch):
    X, y = labels()
    monkeypatch.setattr(parts, "_FAR", -1.0)
    seen = rows_searched(monkeypatch, RVC(), X, y)
    assert ("spherical", len(X)) in [(label, rows) for label, rows, _ in seen]
    assert "widths together" not in [label for label, _, _ in seen]


def test_the_order_of_rows_does_not_matter(few):
    for machine, (X, y) in ((RVC(), labels()), (RVC("rbf"), labels())):
        order = np.random.default_rng(0).permutation(len(X))
        here = machine.fit(X, y).decision_function(X)
        np.testing.assert_allclose(machine.fit(X[order], y[order]).decision_function(X), here, rtol=1e-6, atol=1e-6)
