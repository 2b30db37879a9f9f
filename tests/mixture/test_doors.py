"""The one door: arrays and DataFrames in, weighted candidates, honest left-out values out."""

import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris, make_friedman1, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss

from kernelect import LSSVR, KernelClassifier, KernelRegressor
from kernelect.exceptions import InvalidArgument, LostCellsWarning
from kernelect.mixture import relevance
from kernelect.mixture.base import LABELS, LANDMARKS, NUMBERS, Member, MixtureTask, posteriors_take_part
from kernelect.mixture.efforts import candidates_of
from kernelect.mixture.gaussian_processes import GaussianProcess
from kernelect.mixture.kernel_machines import kernel_of
from kernelect.mixture.relevance import column_relevances
from kernelect.model import BagJackknife, BoxPart, ExactJackknife, Predictive, Tempered
from oracles.forest import mean_of
from speeds import slowly


def people(n=120, seed=0):
    """A table with numbers, text, booleans, dates and missing cells; labels and numbers to learn."""
    generator = np.random.default_rng(seed)
    age, town = generator.normal(50, 12, n), generator.choice(["here", "there", "far"], n, p=[0.5, 0.3, 0.2])
    day = pd.Timestamp("2020-01-01") + pd.to_timedelta(generator.integers(0, 900, n), unit="D")
    f = (age - 50) / 12 + np.where(town == "far", 1.5, -0.5)
    frame = pd.DataFrame(
        {
            "age": np.where(generator.random(n) < 0.1, np.nan, age),
            "town": town,
            "member": generator.random(n) < 0.5,
            "since": day,
            "noise": generator.normal(size=n),
        }
    )
    labels = np.where(f + 0.5 * generator.normal(size=n) > 0, "yes", "no")
    return frame, labels, f + 0.3 * generator.normal(size=n)


@pytest.fixture(scope="module")
def classifier():
    frame, labels, _ = people()
    return KernelClassifier("fast").fit(frame, labels)


@pytest.fixture(scope="module")
def regressor():
    frame, _, y = people(300)
    return KernelRegressor("fast").fit(frame, y)


def test_labels_from_a_table_as_it_comes(classifier):
    frame, labels, _ = people(400, seed=1)
    p = classifier.predict_proba(frame)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert log_loss(labels, p) < 0.45
    np.testing.assert_array_equal(classifier.predict(frame), classifier.classes_[p.argmax(axis=1)])


def test_numbers_from_a_table_as_it_comes(regressor):
    frame, _, y = people(400, seed=1)
    assert regressor.score(frame, y) > 0.6
    mean, deviation = regressor.predict(frame, return_std=True)
    assert 0.7 < np.sqrt(np.mean(((y - mean) / deviation) ** 2)) < 1.4
    lower, upper = regressor.predict_interval(frame, coverage=0.9)
    assert 0.82 < np.mean((lower <= y) & (y <= upper)) < 0.97


def test_pandas_and_polars_give_the_same(classifier):
    frame, labels, _ = people()
    polar = pl.from_pandas(frame)
    np.testing.assert_allclose(
        KernelClassifier("fast").fit(polar, labels).predict_proba(polar), classifier.predict_proba(frame), atol=1e-8
    )


def test_candidates_are_a_record(classifier):
    table = classifier.candidates_.to_frame()
    assert list(table) == ["view", "kernel", "machine", "score", "standard_error", "weight", "seconds", "status"]
    assert table["weight"].sum() == pytest.approx(1.0)
    assert table["weight"].is_monotonic_decreasing
    assert (table["standard_error"] > 0).all()


def test_the_mixture_is_better_than_most_of_its_members_on_rows_left_out(classifier):
    _, labels, _ = people()
    index = np.searchsorted(classifier.classes_, labels)
    mixed = -np.log(classifier.loo_proba_[np.arange(len(index)), index]).mean()
    assert mixed < np.median(classifier.candidates_.score)


def test_columns_matter_as_they_should(classifier, regressor):
    for model in (classifier, regressor):
        share = dict(zip(model.feature_names_in_, model.feature_importances_, strict=True))
        assert sum(share.values()) == pytest.approx(1.0)
        assert min(share["age"], share["town"]) > max(share["noise"], share["member"])


def without(component, row, Z, y, Z_new):
    """Return what a component without a row predicts: refitted, or by the trees that have not seen it."""
    V, V_new, part = component.view(Z), component.view(Z_new), component.parts[0]
    if isinstance(part, BoxPart):
        trees = np.flatnonzero(component.spread.out[row])
        return np.array([(component.constant + mean_of(part.trees, trees, one))[0] for one in V_new])
    fixed = LSSVR(part.kernel, regularization=component.spread.ridge)
    rest = np.arange(len(y)) != row
    return fixed.fit(V[rest], y[rest]).predict(V_new)


def test_left_out_predictions_are_close_to_refits():
    X, y = make_friedman1(40, n_features=5, noise=1.0, random_state=0)
    model = KernelRegressor("fast").fit(X, y)
    Z = model.model_.inputs(X)
    for row in (0, 7, 21):
        for each in model.model_.components:
            assert each.left_out[row, 0] == pytest.approx(without(each, row, Z, y, Z[[row]])[0], abs=1e-8)


def test_jackknife_of_the_mixture_against_refits():
    X, y = make_friedman1(30, n_features=5, noise=1.0, random_state=0)
    X_new = make_friedman1(4, n_features=5, random_state=1)[0]
    model = KernelRegressor("fast").fit(X, y)
    Z, Z_new = model.model_.inputs(X), model.model_.inputs(X_new)
    said = np.zeros((len(X), len(X_new)))
    for row in range(len(X)):
        for component, weight in zip(model.model_.components, model.shares, strict=True):
            said[row] += weight * without(component, row, Z, y, Z_new)
    left_out = np.tensordot(model.shares, [each.left_out for each in model.model_.components], 1)
    spread = np.abs(y[:, None] - left_out)
    rank = int(np.ceil(0.8 * (len(X) + 1))) - 1
    lower, upper = model.predict_interval(X_new, coverage=0.8)
    np.testing.assert_allclose(upper, np.sort(said + spread, axis=0)[rank], atol=1e-7)
    np.testing.assert_allclose(lower, -np.sort(spread - said, axis=0)[rank], atol=1e-7)


def test_weights_follow_what_is_left_out():
    """On rings a linear candidate explains nothing, and gets next to no weight."""
    X, y = make_moons(150, noise=0.15, random_state=0)
    table = KernelClassifier().fit(X, y).candidates_.to_frame()
    assert table.loc[table["kernel"] == "linear", "weight"].max() < 0.05


@pytest.mark.parametrize("permuted", ["rows", "columns", "levels", "jobs"])
def test_nothing_depends_on_order_spelling_or_jobs(classifier, permuted):
    frame, labels, _ = people()
    generator, other, named, jobs = np.random.default_rng(0), frame, labels, None
    query = frame
    if permuted == "rows":
        order = generator.permutation(len(frame))
        other, named = frame.iloc[order].reset_index(drop=True), labels[order]
    elif permuted == "columns":
        other = query = frame[generator.permutation(frame.columns)]
    elif permuted == "levels":
        spelling = {"here": "z", "there": "y", "far": "x"}
        other = query = frame.assign(town=frame["town"].map(spelling))
    else:
        jobs = 2
    found = KernelClassifier("fast", n_jobs=jobs).fit(other, named).predict_proba(query)
    np.testing.assert_allclose(found, classifier.predict_proba(frame), atol=1e-4)


@pytest.mark.parametrize("door", [KernelClassifier, KernelRegressor])
def test_texts_of_a_batch_do_not_change_how_its_other_rows_are_read(door):
    x = np.random.default_rng(0).uniform(1, 9, 80)
    day = pd.date_range("2020-01-01", periods=80, freq="3D")
    learnt = pd.DataFrame({"x": [f"{value:.3f}" for value in x], "day": day.strftime("%m/%d/%Y")})
    y = x + day.day_of_year.to_numpy() / 30.0
    model = door("fast").fit(learnt, y if door is KernelRegressor else y > np.median(y))
    new = pd.DataFrame(
        {
            "x": ["2.500", "2,5", "1.234,5", None, "7.125"],
            "day": ["03/02/2020", "2020-03-02", "03/02/2020", "05/06/2020", None],
        }
    )
    say = model.predict if door is KernelRegressor else model.predict_proba
    alone = np.concatenate([say(new.iloc[[row]]) for row in range(len(new))])
    np.testing.assert_allclose(say(new), alone, rtol=1e-10)
    np.testing.assert_allclose(alone[0], alone[1], rtol=1e-10)


@pytest.mark.parametrize("door", [KernelClassifier, KernelRegressor])
def test_one_warning_tells_which_cells_count_as_missing(door):
    x = np.linspace(1.0, 9.0, 60)
    frame = pd.DataFrame({"x": np.where(x < 2.0, -99.0, x), "far": np.where(x > 8.0, np.inf, x)})
    y = x if door is KernelRegressor else x > 5.0
    words = f"{door.__name__}: Column 'x' has -99, which counts as missing .*Column 'far' has numbers that are inf"
    with pytest.warns(LostCellsWarning, match=words) as told:
        model = door("fast").fit(frame, y)
    assert len(told) == 1
    with pytest.warns(LostCellsWarning, match=f"{door.__name__}: Column 'far' has numbers that are infinite"):
        model.predict(frame)
    model.predict(frame.replace(np.inf, np.nan))
    door("fast", columns={"x": "number"}).fit(frame[["x"]], y)
    with pytest.warns(ConvergenceWarning, match="left no time for .* Column 'x' has -99") as told:
        door("fast", time_limit=0.01).fit(frame, y)
    assert len(told) == 1


def task(n_rows=60, n_classes=None, *, groups=None, weights=None):
    """Return a task without columns, of numbers or of labels."""
    labels = n_classes is not None
    return MixtureTask(
        views=None,
        Z=np.zeros((n_rows, 2)),
        y=np.arange(n_rows) % n_classes if labels else np.zeros(n_rows),
        weights=np.ones(n_rows) if weights is None else weights,
        groups=groups,
        labels=labels,
    )


def able(effort, given):
    """Return the candidates of an effort that take part in a task."""
    return [each for each in candidates_of(effort) if each.takes_part(given)]


def test_efforts_grow():
    for n_classes in (None, 2, 9):
        counts = [len(able(effort, task(n_classes=n_classes))) for effort in ("fast", "balanced", "best")]
        assert counts == sorted(set(counts))
    with pytest.raises(InvalidArgument, match="effort='quick' is not known"):
        KernelClassifier("quick").fit(np.eye(6), [0, 1, 0, 1, 0, 1])


def posteriors(candidates):
    return sum(isinstance(candidate, GaussianProcess) for candidate in candidates)


@pytest.mark.parametrize("effort", ["fast", "balanced", "best"])
def test_many_classes_have_half_of_the_posteriors(effort):
    few, many = (posteriors(able(effort, task(n_classes=n_classes))) for n_classes in (4, 5))
    assert many == few // 2 >= 1
    assert posteriors(able(effort, task())) == 0


def test_labels_without_posteriors_have_the_machines_of_numbers():
    X, y = load_iris(return_X_y=True)
    grouped = KernelClassifier("fast").fit(X, y, groups=np.arange(150) // 3)
    assert list(grouped.candidates_.candidate) == able("fast", task())
    assert task(100, 2, groups=np.arange(100) // 2).situation == NUMBERS


@pytest.mark.parametrize(("n_outputs", "most"), [(1, 2000), (3, 2000), (7, 1507), (32, 908)])
def test_posteriors_take_part_up_to_so_many_rows_of_so_many_classes(n_outputs, most):
    assert posteriors_take_part(most, n_outputs)
    assert not posteriors_take_part(most + 1, n_outputs)


def test_rows_of_no_weight_do_not_decide_which_candidates_there_are():
    weights = np.where(np.arange(2100) < 1900, 1.0, 0.0)
    assert task(2100, 2, weights=weights).situation == LABELS
    assert task(2100, 2).situation == LANDMARKS


def test_posteriors_of_several_classes_take_fewer_steps_on_all_rows():
    leads = []
    for n_classes in (2, 3):
        leader = Member(candidate=None, component=None, status="", shape=np.zeros(2))
        leads.append(GaussianProcess().lead(replace(task(30, n_classes), leader=leader)).last_steps)
    assert leads == [3, 1]


def test_a_time_limit_keeps_the_first_candidate_and_says_so():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match=r"time_limit=1e-09 left no time for 7 of 8 candidates"):
        model = KernelClassifier(time_limit=1e-9).fit(X, y)
    assert len(model.members) == 1
    assert model.score(X, y) > 0.5
    assert (model.candidates_.weight > 0).sum() == 1


def test_followers_take_less_time_than_the_whole_way():
    X, y = make_friedman1(200, n_features=8, noise=1.0, random_state=0)
    model = KernelRegressor().fit(X, y)
    steps = [member.n_evaluations for member in model.members if member.n_evaluations]
    assert np.median(steps[1:]) < 0.7 * steps[0]


def test_weights_of_rows_and_classes():
    frame, labels, y = people(80)
    weights = np.where(np.arange(80) % 4 == 0, 0.0, 1.0)
    kept = weights > 0
    ours = KernelRegressor("fast").fit(frame, y, weights).predict(frame)
    assert np.all(np.isfinite(ours))
    rare = KernelClassifier("fast", class_weight={"no": 1.0, "yes": 20.0}).fit(frame[kept], labels[kept])
    plain = KernelClassifier("fast").fit(frame[kept], labels[kept])
    assert rare.predict_proba(frame)[:, 1].mean() > plain.predict_proba(frame)[:, 1].mean()


def test_several_targets():
    frame, _, y = people(80)
    model = KernelRegressor("fast").fit(frame, np.column_stack([y, -2.0 * y]))
    mean, deviation = model.predict(frame[:5], return_std=True)
    assert mean.shape == deviation.shape == (5, 2)
    assert model.predict_interval(frame[:5])[0].shape == (5, 2)


def test_a_wild_row_sends_no_prediction_far_away():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(80, 3))
    curve = 3.0 * X[:, 0] + 2.0 * X[:, 0] ** 2  # rows left out do not support a straight line
    y = np.column_stack([curve, 100.0 - X[:, 1]]) + 0.1 * generator.normal(size=(80, 2))
    model = KernelRegressor("balanced", target="identity").fit(X, y)
    low, high = y.min(axis=0), y.max(axis=0)
    room = 0.5 * (high - low)
    wild = np.array([[1e6, -1e6, 0.0]])
    linear = next(member for member in model.members if member.candidate.kernel == "linear")
    seen = linear.component.view(model.model_.inputs(wild))
    assert np.abs(linear.component.mean(seen)).max() > 1e5
    assert np.all((model.predict(wild) >= low - room) & (model.predict(wild) <= high + room))
    lower, upper = model.predict_interval(wild)
    assert np.all(upper - lower < 4.0 * (high - low))
    # Where inputs are as usual nothing is limited.
    np.testing.assert_allclose(model.predict(X), y, atol=1.0)
    assert np.all((model.loo_prediction_ >= low - room) & (model.loo_prediction_ <= high + room))


def test_awkward_columns():
    frame, labels, _ = people(60)
    frame = frame.assign(text=[f"row {i} says" for i in range(60)], same=1, none=np.nan)
    model = KernelClassifier("fast").fit(frame, labels)
    relevance = dict(zip(model.feature_names_in_, model.feature_importances_, strict=True))
    assert relevance["text"] == relevance["same"] == relevance["none"] == 0.0
    unseen = frame.assign(town="somewhere never seen")
    assert np.all(np.isfinite(model.predict_proba(unseen)))


def test_only_categories():
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(generator.choice(list("abc"), size=(90, 4)), columns=list("pqrs"))
    labels = (frame["p"] == "a") ^ (generator.random(90) < 0.1)
    model = KernelClassifier().fit(frame, labels)
    assert {c.kernel for c in model.candidates_.candidate} == {"category", "linear", "partitions"}
    assert model.feature_importances_.argmax() == 0


def test_many_columns_share_a_width():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 220))
    model = KernelClassifier("fast").fit(X, X[:, 0] > 0)
    assert {(c.kernel, c.tied) for c in model.candidates_.candidate} <= {
        ("ard", True),
        ("linear", False),
        ("partitions", False),
    }


def test_bad_input_is_refused_in_words():
    frame, labels, _ = people(30)
    with pytest.raises(InvalidArgument, match="y holds one class only"):
        KernelClassifier().fit(frame, ["a"] * 30)
    with pytest.raises(InvalidArgument, match="X has no column to learn from"):
        KernelClassifier().fit(frame[["town"]].assign(town="x"), labels)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        KernelClassifier().fit(frame, labels[:-1])


def test_a_refused_fit_changes_nothing(classifier):
    frame, labels, _ = people()
    model = clone(classifier).fit(frame, labels)
    with pytest.raises(InvalidArgument):
        model.fit(frame, ["a"] * len(frame))
    np.testing.assert_array_equal(model.predict(frame), classifier.predict(frame))


def test_kernels_of_tables():
    assert kernel_of("ard", np.arange(2), np.arange(0)).__class__.__name__ == "ARD"
    assert repr(kernel_of("ard", np.arange(0), np.arange(2))).startswith("Category")
    assert repr(kernel_of("linear", np.arange(0), np.arange(2))) == "Agreement()"
    for name in ("ard", "linear", "product-laplace"):
        X = np.column_stack([np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 3])
        kernel = kernel_of(name, np.arange(2), np.array([2])).start(X)
        assert np.linalg.eigvalsh(kernel.gram(X)).min() > -1e-9


def test_progress_is_told():
    X, y = load_iris(return_X_y=True)
    seen = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KernelClassifier("fast", verbose=seen.append).fit(X, y)
    assert str(seen[0].candidate) == "lssvm, ard, as it is"
    assert len(seen) == seen[0].of  # who watches knows how many there are, and how good each of them is
    assert 0.0 < seen[0].loss < 1.0
    assert isinstance(seen[0].component.link, Tempered)
    assert isinstance(seen[1].component.parts[0], BoxPart)
    assert isinstance(seen[-1].component.link, Predictive)
    losses = [-np.log(member.left_out[np.arange(len(y)), y]).mean() for member in seen]
    np.testing.assert_allclose([member.loss for member in seen], losses)


def test_relevance_of_very_many_columns_takes_no_prediction_per_column(monkeypatch):
    X = np.random.default_rng(0).normal(size=(40, 320))
    asked = []
    monkeypatch.setattr(relevance, "_said", lambda model, values, Z: asked.append(Z) or Z[:, :1])
    model = KernelRegressor("fast").fit(X, X[:, 3])
    assert not asked
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.feature_importances_.argmax() == 3


@pytest.mark.parametrize(("weight", "counts"), [(0.34, False), (0.36, True)])
def test_members_of_little_weight_do_not_count_in_the_relevance(weight, counts):
    """Less than 0.7 of the mean weight, which is 0.35 for two members."""

    def component(column):
        return SimpleNamespace(view=lambda Z: Z, answers=lambda Z: Z[:, [column]])

    model = SimpleNamespace(
        coding=SimpleNamespace(owners=np.arange(2)),
        n_columns=2,
        head=SimpleNamespace(weights=np.array([1.0 - weight, weight])),
        components=(component(0), component(1)),
    )
    Z = np.random.default_rng(0).normal(size=(50, 2))
    assert (column_relevances(model, (), lambda answers: answers, Z)[1] > 0.0) == counts


def test_notebooks_show_the_candidates(classifier):
    shown = classifier._repr_mimebundle_()["text/html"]
    assert classifier._repr_html_().endswith(classifier.candidates_._repr_html_())
    assert "kernelect.report.show(model, X, y)" in shown
    assert shown.count("<td>Least squares, ") == sum(c.machine == "lssvm" for c in classifier.candidates_.candidate)
    heaviest = classifier.candidates_.to_frame().iloc[0]
    assert shown.index(f"{heaviest['weight']:.1%}") < shown.index("<td>Random forest</td>")
    assert "Random forest" not in KernelClassifier()._repr_mimebundle_()["text/html"]
    with config_context(display="text"):
        assert "text/html" not in classifier._repr_mimebundle_()


def test_deviations_stay_within_the_range_of_the_targets(monkeypatch):
    """Off a grid of rows that repeat, a rough kernel with next to no ridge claimed 80 times the targets' spread."""
    X, y = make_friedman1(40, n_features=5, noise=1.0, random_state=0)
    model = KernelRegressor("fast", target="identity").fit(X, y)
    for kind in (BagJackknife, ExactJackknife):
        monkeypatch.setattr(kind, "deviation", lambda self, component, V: np.full((len(V), 1), 1e9))
    deviations = model.predict(X + 0.3, return_std=True)[1]
    assert 0.2 * np.ptp(y) < deviations.max() < 3.0 * np.ptp(y)


def test_candidates_fitted_in_threads_leave_the_filters_of_warnings_alone(rng):
    X, before = rng.normal(size=(60, 3)), list(warnings.filters)
    for _ in range(3):
        KernelRegressor(n_jobs=4).fit(X, X[:, 0])
    assert list(warnings.filters) == before


@pytest.mark.parametrize("grouped", [True, *slowly(False)])
@pytest.mark.parametrize("door", [KernelClassifier, KernelRegressor])
def test_the_order_of_rows_with_categories_and_gaps_changes_nothing(rng, door, grouped):
    n = 90
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc")).assign(g=rng.choice(list("xyz"), n))
    y = np.sin(frame["a"]) + frame["b"] + 0.1 * rng.normal(size=n)
    y = (y > 0).to_numpy() if door is KernelClassifier else y.to_numpy()
    frame.loc[::7, "a"] = np.nan
    groups, order = (np.arange(n) // 5 if grouped else None), rng.permutation(n)
    given = door("fast").fit(frame, y, groups=groups)
    shuffled = door("fast").fit(frame.iloc[order], y[order], groups=groups[order] if grouped else None)
    np.testing.assert_allclose(shuffled.predict(frame), given.predict(frame), atol=1e-6)
    np.testing.assert_allclose(shuffled.feature_importances_, given.feature_importances_, atol=1e-6)
