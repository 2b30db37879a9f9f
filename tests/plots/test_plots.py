"""Pictures, through their records first."""

import sys

import numpy as np
import pytest

from kernelect import LSSVC, RVC, RVR, SVC, BasisSearchRegressor
from kernelect.datasets import sparse_inputs
from kernelect.exceptions import InvalidArgument, MissingExtra
from kernelect.plots import EvolutionDisplay, RelevanceDisplay, SizesDisplay, TraceDisplay


@pytest.fixture(scope="module")
def model():
    return LSSVC().fit(*sparse_inputs(150, n_features=5, random_state=0))


def test_the_trace_record_holds_every_evaluation(model):
    display = TraceDisplay.from_estimator(model)
    np.testing.assert_array_equal(display.value, model.selection_.trace.value)
    assert len(display.runs) == int(display.run.max()) + 1
    assert display.runs[:2] == ("spherical", "all parameters")
    for number in range(len(display.runs)):
        of_run = display.run == number
        assert display.best[of_run][-1] == display.value[of_run].min()


def test_the_trace_picture_shows_every_run_by_name(model):
    ax = TraceDisplay.from_selection(model.selection_).plot()
    assert [text.get_text() for text in ax.texts] == list(model.selection_.runs)
    drawn = np.concatenate([line.get_ydata() for line in ax.lines if line.get_linestyle() == "None"])
    np.testing.assert_array_equal(drawn, model.selection_.trace.value)


def test_relevance_is_sorted_and_named(model):
    display = RelevanceDisplay.from_estimator(model)
    assert display.relevance.sum() == pytest.approx(1.0)
    assert (np.diff(display.relevance) <= 0).all()
    assert set(display.names[:3]) == {"x0", "x1", "x2"}
    ax = display.plot()
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], 100 * display.relevance)
    assert [label.get_text() for label in ax.get_yticklabels()] == list(display.names)


def test_many_inputs_are_cut_and_counted():
    ax = RelevanceDisplay.from_values(np.full(50, 0.02), [f"<b>{j}</b>" for j in range(50)]).plot(most=10)
    assert len(ax.patches) == 10
    assert ax.texts[0].get_text() == "and 40 more"


def test_the_rest_of_many_inputs_does_not_dwarf_the_single_ones():
    relevance = np.r_[0.05, 0.03, np.full(92, 0.01)]
    display = RelevanceDisplay.from_values(relevance).gathered(2)
    assert display.names == ("x0", "x1", "92 others together")
    assert display.relevance.sum() == pytest.approx(1.0)
    ax = display.plot()
    assert ax.get_xlim()[1] == pytest.approx(5.75)
    assert ax.texts[0].get_text() == "92.0 %"


def test_a_missing_matplotlib_is_explained(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtra, match=r"RelevanceDisplay.plot needs matplotlib: .*kernelect\[plots\]"):
        RelevanceDisplay.from_values(np.ones(2) / 2).plot()


@pytest.fixture(scope="module")
def stopped():
    X, y = sparse_inputs(80, n_features=3, random_state=0)
    return SVC(early_stopping=True, random_state=0).fit(X, y)


def test_the_evolution_record_holds_the_run(model):
    display = EvolutionDisplay.from_estimator(model)
    trace = model.selection_.trace
    np.testing.assert_array_equal(display.theta, trace.theta)
    np.testing.assert_array_equal(display.gradient_norm, trace.gradient_norm)
    np.testing.assert_array_equal(display.value, trace.value)
    assert display.error is None
    reach = np.ptp(trace.theta, axis=0)
    assert display.moving == tuple(index for index in np.argsort(-reach, kind="stable") if reach[index] > 0)


def test_the_evolution_shows_the_error_that_early_stopping_found(stopped):
    display = EvolutionDisplay.from_estimator(stopped)
    known = np.isfinite(display.error)
    assert 0 < known.sum() < len(known)
    at = np.flatnonzero((display.theta == stopped.selection_.theta).all(axis=1) & known)
    assert display.error[at[0]] == np.nanmin(display.error)
    axes = display.plot()
    assert len(axes) == 4
    np.testing.assert_allclose(axes[3].lines[0].get_ydata(), 100 * display.error[known])
    np.testing.assert_array_equal(axes[1].lines[0].get_ydata(), display.gradient_norm)


def test_the_evolution_names_what_moved_furthest(model):
    display = EvolutionDisplay.from_selection(model.selection_)
    axes = display.plot()
    labels = [text.get_text() for text in axes[0].get_legend().get_texts()]
    assert labels == [model.selection_.names[index] for index in display.moving[:6]]
    drawn = {tuple(line.get_ydata()) for line in axes[0].lines}
    assert {tuple(display.theta[:, index]) for index in display.moving} <= drawn


def test_an_error_that_does_not_fit_the_run_is_refused(model):
    with pytest.raises(InvalidArgument, match=r"error of shape \(3,\) is not possible"):
        EvolutionDisplay.from_selection(model.selection_, np.zeros(3))
    with pytest.raises(InvalidArgument, match="axes holds 2 axes"):
        EvolutionDisplay.from_selection(model.selection_).plot([None, None])


def test_sizes_show_the_best_of_every_size_and_the_chosen_one(rng):
    X = rng.uniform(-1, 1, size=(80, 2))
    model = BasisSearchRegressor(strategy="forward").fit(X, np.sin(4 * X[:, 0]) + 0.1 * rng.normal(size=80))
    display = SizesDisplay.from_estimator(model)
    assert display.size[0] == 0
    assert display.evidence[0] == pytest.approx(-model.selection_.null_value)
    assert display.chosen == len(model.coef_)
    assert display.evidence.max() == pytest.approx(-model.selection_.value)
    ax = display.plot()
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), display.evidence)


@pytest.mark.parametrize("machine", [RVC(kernel="rbf"), RVR(kernel="rbf")], ids=["labels", "values"])
def test_sizes_of_a_relevance_vector_machine_go_down_to_the_model_of_nothing(rng, machine):
    X = rng.uniform(-1, 1, size=(60, 2))
    y = np.sin(4 * X[:, 0]) + 0.1 * rng.normal(size=60)
    y = y if machine._regression else (y > 0).astype(int)
    display = SizesDisplay.from_estimator(machine.fit(X, y), X, y)
    assert display.size[0] == 0
    assert display.size[-1] == display.chosen >= 1
    assert display.evidence[-1] > display.evidence[0]
    if not machine._regression:  # without any function each label has probability 1/2
        assert display.evidence[0] == pytest.approx(-60 * np.log(2.0))
    with pytest.raises(InvalidArgument, match="needs X and y"):
        SizesDisplay.from_estimator(machine)
