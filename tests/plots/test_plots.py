"""Pictures, through their records first."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from kernelect import LSSVC, LSSVR, RVC, RVR, SVC, BasisSearchRegressor, KernelRegressor, plots
from kernelect.datasets import sparse_inputs
from kernelect.exceptions import InvalidArgument, MissingCapability, MissingExtra
from kernelect.facts import Calibration, Confusion, Dependence, Relevance, Residuals, Surface
from kernelect.facts.material import RECORDS
from kernelect.facts.names import short_name
from kernelect.plots import (
    CalibrationDisplay,
    ConfusionDisplay,
    CriteriaCurveDisplay,
    DependenceDisplay,
    EvolutionDisplay,
    RecallsDisplay,
    RelevanceDisplay,
    ResidualsDisplay,
    SizesDisplay,
    SurfaceDisplay,
    TraceDisplay,
    WeightsDisplay,
)
from kernelect.plots.style import RecordDisplay


def test_every_record_that_a_report_shows_is_drawn_by_one_picture():
    found = [getattr(plots, name) for name in plots.__all__]
    drawn = [each.record_type() for each in found if issubclass(each, RecordDisplay)]
    assert sorted(map(repr, drawn)) == sorted(map(repr, RECORDS.values()))


@pytest.fixture(scope="module")
def model():
    return LSSVC().fit(*sparse_inputs(150, n_features=5, random_state=0))


def test_the_trace_record_holds_every_evaluation(model):
    display = TraceDisplay.from_estimator(model)
    np.testing.assert_array_equal(display.record.value, model.selection_.trace.value)
    assert len(display.record.runs) == int(display.record.run.max()) + 1
    assert display.record.runs[:2] == ("spherical", "all parameters")
    for number in range(len(display.record.runs)):
        of_run = display.record.run == number
        assert display.record.best[of_run][-1] == display.record.value[of_run].min()


def test_the_trace_picture_shows_every_run_by_name(model):
    ax = TraceDisplay.from_selection(model.selection_).plot()
    assert [text.get_text() for text in ax.texts] == list(model.selection_.runs)
    drawn = np.concatenate([line.get_ydata() for line in ax.lines if line.get_linestyle() == "None"])
    np.testing.assert_array_equal(drawn, model.selection_.trace.value)


def test_relevance_is_sorted_and_named(model):
    display = RelevanceDisplay.from_estimator(model)
    assert display.record.relevance.sum() == pytest.approx(1.0)
    assert (np.diff(display.record.relevance) <= 0).all()
    assert set(display.record.names[:3]) == {"x0", "x1", "x2"}
    ax = display.plot()
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], 100 * display.record.relevance)
    assert [label.get_text() for label in ax.get_yticklabels()] == list(display.record.names)


def test_weights_of_a_mixture_are_bars_the_heaviest_first(rng):
    X = rng.normal(size=(30, 2))
    mixture = KernelRegressor("fast").fit(X, X[:, 0] + 0.1 * rng.normal(size=30))
    display = WeightsDisplay.from_estimator(mixture)
    ax = display.plot()
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], 100 * display.record.weight)
    assert (np.diff(display.record.weight) <= 0).all()
    names = [short_name(name, 36) for name in display.record.names]
    assert [label.get_text() for label in ax.get_yticklabels()] == names
    with pytest.raises(MissingCapability, match="mixes several machines, each with a selection of its own"):
        TraceDisplay.from_estimator(mixture)


def test_many_inputs_are_cut_and_counted():
    ax = RelevanceDisplay.from_values(np.full(50, 0.02), [f"<b>{j}</b>" for j in range(50)]).plot(most=10)
    assert len(ax.patches) == 10
    assert ax.texts[0].get_text() == "and 40 more"


def test_the_rest_of_many_inputs_does_not_dwarf_the_single_ones():
    relevance = np.r_[0.05, 0.03, np.full(92, 0.01)]
    display = RelevanceDisplay(Relevance.from_values(relevance).gathered(2))
    assert display.record.names == ("x0", "x1", "92 others together")
    assert display.record.relevance.sum() == pytest.approx(1.0)
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


def test_the_evolution_has_a_panel_for_what_is_known_and_no_other(stopped):
    record = EvolutionDisplay.from_selection(stopped.selection_)
    other = np.arange(len(record.value), dtype=float)
    parts = {"gradient_norm": np.full(len(other), np.nan), "beside": other, "beside_label": "span"}
    beside = replace(record, **parts, number=10 * np.arange(len(other)))
    axes = beside.plot()
    assert [ax.get_ylabel() for ax in axes[2:]] == ["span", "validation error %"]
    assert len(axes) == 4  # hyper-parameters, criterion, the other criterion, error
    np.testing.assert_array_equal(axes[2].lines[0].get_ydata(), other)
    np.testing.assert_array_equal(axes[2].lines[0].get_xdata(), 10 * other + 1)


def test_the_evolution_draws_each_derivative_in_the_place_of_their_norm(model):
    record = EvolutionDisplay.from_selection(model.selection_)
    slopes = np.arange(record.theta.size, dtype=float).reshape(record.theta.shape)
    axes = replace(record, gradient=slopes).plot()
    assert len(axes) == len(record.plot()) == 3
    assert axes[1].get_ylabel() == "gradient"
    drawn = {tuple(line.get_ydata()) for line in axes[1].lines}
    assert {tuple(slopes[:, index]) for index in record.moving} <= drawn


def test_criteria_are_drawn_from_their_best_value_downwards():
    widths, error = np.array([0.1, 1.0, 10.0]), np.array([20.0, 10.0, 30.0])
    values = {"a": np.array([5.0, 3.0, 9.0]), "b": np.array([-1.0, 2.0, 0.0])}
    record = CriteriaCurveDisplay(x=widths, x_label="gamma", values=values, error=error)
    above, below = record.plot()
    curves = {line.get_label(): line.get_ydata() for line in above.lines if not line.get_label().startswith("_")}
    np.testing.assert_array_equal(curves["a"], [-2.0, 0.0, -6.0])
    np.testing.assert_array_equal(curves["b"], [0.0, -3.0, -1.0])
    assert sorted(line.get_xdata()[0] for line in below.lines if line.get_linestyle() == "--") == [0.1, 1.0]
    with pytest.raises(InvalidArgument, match="axes holds 1 axes"):
        record.plot([above])


def test_the_evolution_names_what_moved_furthest(model):
    display = EvolutionDisplay.from_selection(model.selection_)
    axes = display.plot()
    labels = [text.get_text() for text in axes[0].get_legend().get_texts()]
    assert labels == [model.selection_.names[index] for index in display.moving[:6]]
    drawn = {tuple(line.get_ydata()) for line in axes[0].lines}
    assert {tuple(display.theta[:, index]) for index in display.moving} <= drawn


def test_an_error_that_does_not_fit_the_run_is_refused(model):
    with pytest.raises(InvalidArgument, match=r"error of shape \(3,\) must have one number"):
        EvolutionDisplay.from_selection(model.selection_, np.zeros(3))
    with pytest.raises(InvalidArgument, match="axes holds 2 axes"):
        EvolutionDisplay.from_selection(model.selection_).plot([None, None])


def test_sizes_show_the_best_of_every_size_and_the_chosen_one(rng):
    X = rng.uniform(-1, 1, size=(80, 2))
    model = BasisSearchRegressor(strategy="forward").fit(X, np.sin(4 * X[:, 0]) + 0.1 * rng.normal(size=80))
    display = SizesDisplay.from_estimator(model)
    assert display.record.size[0] == 0
    assert display.record.evidence[0] == pytest.approx(-model.selection_.null_value)
    assert display.record.chosen == len(model.coef_)
    assert display.record.evidence.max() == pytest.approx(-model.selection_.value)
    ax = display.plot()
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), display.record.evidence)


@pytest.mark.parametrize("machine", [RVC(kernel="rbf"), RVR(kernel="rbf")], ids=["labels", "values"])
def test_sizes_of_a_relevance_vector_machine_go_down_to_the_model_of_nothing(rng, machine):
    X = rng.uniform(-1, 1, size=(60, 2))
    y = np.sin(4 * X[:, 0]) + 0.1 * rng.normal(size=60)
    y = y if machine._regression else (y > 0).astype(int)
    display = SizesDisplay.from_estimator(machine.fit(X, y), X, y)
    assert display.record.size[0] == 0
    assert display.record.size[-1] == display.record.chosen >= 1
    assert display.record.evidence[-1] > display.record.evidence[0]
    if not machine._regression:  # without any function each label has probability 1/2
        assert display.record.evidence[0] == pytest.approx(-60 * np.log(2.0))
    with pytest.raises(InvalidArgument, match="needs X and y"):
        SizesDisplay.from_estimator(machine)


def test_a_confusion_matrix_shows_counts_and_shares():
    display = ConfusionDisplay.from_predictions(["a", "a", "b"], ["a", "b", "b"])
    assert display.record.counts.tolist() == [[1, 1], [0, 1]]
    texts = {text.get_text() for text in display.plot().texts}
    assert texts == {"1\n50 %", "0", "1\n100 %"}


@pytest.mark.parametrize(("names", "turned"), [(["eight888"] * 4, False), (["nine99999"] * 4, True)])
def test_names_of_classes_are_turned_where_they_would_touch(names, turned):
    names = [f"{name[:-1]}{place}" for place, name in enumerate(names)]
    ax = ConfusionDisplay.from_predictions(names, names).plot()
    assert {label.get_rotation() != 0.0 for label in ax.get_xticklabels()} == {turned}


@pytest.mark.parametrize("display", [CalibrationDisplay, ConfusionDisplay])
@pytest.mark.parametrize("machine", [LSSVR(), KernelRegressor("fast")], ids=["machine", "mixture"])
def test_pictures_of_classes_refuse_numbers_in_a_sentence(display, machine, rng):
    X = rng.normal(size=(40, 2))
    machine.fit(X, X[:, 0])
    with pytest.raises(MissingCapability, match=r"predicts numbers and has no classes: draw ResidualsDisplay instead"):
        display.from_estimator(machine, X[:, 0])


@pytest.mark.parametrize(
    ("machine", "message"),
    [(KernelRegressor("fast"), "draw WeightsDisplay instead"), (BasisSearchRegressor(), "draw SizesDisplay instead")],
    ids=["mixture", "basis"],
)
def test_the_course_of_a_search_that_there_is_not_is_refused_in_a_sentence(machine, message, rng):
    X = rng.normal(size=(40, 2))
    with pytest.raises(MissingCapability, match=message):
        EvolutionDisplay.from_estimator(machine.fit(X, X[:, 0] + 0.1 * rng.normal(size=40)))


def test_large_counts_have_their_thousands_apart():
    ax = ConfusionDisplay.from_predictions(["a"] * 1200 + ["b"], ["a"] * 1200 + ["b"]).plot()
    assert "1\u202f200\n100 %" in {text.get_text() for text in ax.texts}


def test_residuals_show_every_row(rng):
    y = rng.normal(size=50)
    ax = ResidualsDisplay.from_predictions(y, y + 1.0).plot()
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), np.sort(y))


def test_calibration_shows_the_count_of_every_bin(rng):
    share = rng.uniform(size=200)
    display = CalibrationDisplay.from_predictions(rng.uniform(size=200) < share, np.column_stack([1 - share, share]))
    assert [text.get_text() for text in display.plot().texts] == [f"{count:.0f}" for count in display.record.count]


def test_pictures_of_a_machine_hold_its_exact_leave_one_out(model):
    _, y = sparse_inputs(150, n_features=5, random_state=0)
    for display, record in (
        (ConfusionDisplay.from_estimator(model, y), Confusion.from_estimator(model, y)),
        (CalibrationDisplay.from_estimator(model, y), Calibration.from_estimator(model, y)),
    ):
        np.testing.assert_equal(vars(display.record), vars(record))
    X, y = sparse_inputs(40, n_features=2, random_state=0)
    regressor = LSSVR(kernel="rbf").fit(X, y)
    display = ResidualsDisplay.from_estimator(regressor, y)
    np.testing.assert_equal(vars(display.record), vars(Residuals.from_estimator(regressor, y)))


@pytest.fixture
def dependence():
    shared = {"curves": np.zeros((0, 2)), "rug": np.zeros(0), "label": "probability"}
    return lambda **more: Dependence(name="colour", at=np.arange(2.0), **{**shared, **more})


def test_levels_are_named_and_classes_have_a_legend(dependence):
    record = dependence(levels=("blue", "red"), average=np.array([[0.1, 0.2], [0.9, 0.8]]), outputs=("a", "b"))
    ax = DependenceDisplay(record).plot()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["blue", "red"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]


def test_a_flat_line_does_not_look_like_a_finding(dependence):
    ax = DependenceDisplay(dependence(levels=(), average=np.array([[1.0, 1.0 + 1e-9]]), outputs=())).plot()
    low, high = ax.get_ylim()
    assert high - low == pytest.approx(0.02, rel=0.1)


def test_whole_numbers_have_no_ticks_between_them(dependence):
    ax = DependenceDisplay(dependence(levels=(), average=np.array([[0.1, 0.2]]), outputs=())).plot()
    low, high = ax.get_xlim()
    assert [tick for tick in ax.get_xticks() if low <= tick <= high] == [0.0, 1.0]


def test_shares_have_no_error_beyond_their_range():
    ax = RecallsDisplay.from_counts(("a", "b"), [[16.0, 0.0], [9.0, 1.0]]).plot()
    ends = [segment[:, 0] for bars in ax.collections for segment in bars.get_segments()]
    assert np.min(ends) >= 0.0
    assert np.max(ends) <= 100.0
    record = Calibration.from_predictions(["n", "y", "y", "y"], [[0.4, 0.6], [0.4, 0.6], [0.1, 0.9], [0.3, 0.7]])
    ax = CalibrationDisplay(record).plot()
    ends = [
        segment[:, 1] for bars in ax.collections if hasattr(bars, "get_segments") for segment in bars.get_segments()
    ]
    assert np.max(ends) <= 1.0


def test_dependence_of_a_machine_is_drawn(model):
    X, _ = sparse_inputs(150, n_features=5, random_state=0)
    display = DependenceDisplay.from_estimator(model, X, 1, random_state=3)
    np.testing.assert_equal(vars(display.record), vars(Dependence.from_estimator(model, X, 1, random_state=3)))


def test_a_curve_marks_the_selected_value():
    record = Surface(
        names=("gamma",),
        at=np.array([[1.0, 2.0, 4.0]]),
        rise=np.array([1.0, 0.0, np.inf]),
        chosen=np.array([2.0]),
        label="press",
        n_rows=3,
        n_samples=3,
    )
    ax = SurfaceDisplay(record).plot()
    assert ax.lines[1].get_xdata()[0] == 2.0
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), [1.0, 0.0, np.nan])


def test_a_surface_marks_the_selected_point():
    X, y = sparse_inputs(40, n_features=2, random_state=0)
    display = SurfaceDisplay.from_estimator(LSSVR(kernel="rbf").fit(X, y), X, y, size=5)
    ax = display.plot()
    assert (ax.lines[0].get_xdata()[0], ax.lines[0].get_ydata()[0]) == tuple(display.record.chosen)
    assert (ax.get_xlabel(), ax.get_ylabel()) == display.record.names


def test_limits_are_arrows():
    limited = np.array([[0.2, 0.5, -1.0], [0.4, 0.5, -1.0], [2.0, 1.5, 1.0]])
    record = Residuals.from_predictions([1.0, 2.0, 3.0], [1.1, 1.9, 3.0], limited=limited)
    ax = ResidualsDisplay(record).plot()
    plain = ResidualsDisplay(replace(record, limited=np.zeros((0, 3)))).plot()
    assert len(ax.collections) == len(plain.collections) + 2  # arrows down, and arrows up
    ends = [np.array(part.get_segments()) for part in ax.collections[-2:]]
    assert np.all(ends[0][:, :, 1].max(axis=1) == 0.5)
    assert np.all(ends[1][:, :, 1].min(axis=1) == 1.5)
