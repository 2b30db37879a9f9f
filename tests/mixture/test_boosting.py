"""Boosted partitions of a mixture: against scikit-learn's models, rows out of bag, rounds, order and units."""

from typing import NamedTuple

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from kernelect import KernelClassifier, KernelRegressor
from kernelect.criteria.calibration import probabilities
from kernelect.explain import shapley_values
from kernelect.export.evaluate import evaluate
from kernelect.export.models import program_of
from kernelect.mixture import boosting as module
from kernelect.mixture import partitions
from kernelect.mixture.bags import FOLDS, dealt
from kernelect.mixture.base import MixtureTask
from kernelect.mixture.boosting import Bins, BoostedTrees, Boosting, least_seconds
from kernelect.mixture.forest import RandomForest
from kernelect.mixture.trees import RankedColumns
from kernelect.numerics import Deadline
from oracles.forest import mean_of
from oracles.mixtures import evenly

NUMERIC, CATEGORICAL = np.array([0, 1]), np.array([2])


def table(n=150, seed=0):
    """Return two numbers and a category, a step in one of the numbers, and an effect of one level."""
    rng = np.random.default_rng(seed)
    Z = np.column_stack([rng.normal(size=(n, 2)), rng.integers(4, size=n)])
    return Z, np.where(Z[:, 0] > 0.3, 2.0, 0.0) + (Z[:, 2] == 1) + 0.3 * rng.normal(size=n)


def labels(y, n_classes):
    return np.digitize(y, [1.0, 1.9][: n_classes - 1])


class Grown(NamedTuple):
    component: object
    said: object
    grower: object


def grown(Z, y, *, n_classes=None, n_rounds=20, groups=None, weights=None, deadline=None):
    """Return boosted trees as a component, what they say of rows out of bag, and who grew them."""
    grower = Boosting(n_rounds, 0, n_classes)
    boosted = grower.fit(
        Z,
        y,
        np.ones(len(Z)) if weights is None else weights,
        numeric=NUMERIC,
        categorical=CATEGORICAL,
        groups=groups,
        deadline=deadline or Deadline.after(None),
    )
    return Grown(boosted, boosted.left_out_answers(), grower)


def by_definition(boosted, Z, y, bags, n_classes):
    """Return the mean of what scikit-learn's models of every bag say (n, k), and what each says of rows outside."""
    E = RankedColumns.of(boosted.view.indicators(Z)).R
    n_rounds = len(boosted.parts[0].trees) // (FOLDS * boosted.parts[0].trees.boxes.shape[1])
    kind = HistGradientBoostingRegressor if n_classes is None else HistGradientBoostingClassifier
    inside, outside = [], np.zeros((len(E), boosted.parts[0].trees.boxes.shape[1]))
    for bag in bags.T:
        model = kind(random_state=0, **{**module._OPTIONS, "max_iter": n_rounds, "max_features": 1.0})
        model.fit(E[bag], y[bag])
        answer = model.predict if n_classes is None else model.decision_function
        inside.append(answer(E).reshape(len(E), -1))
        outside[~bag] = answer(E[~bag]).reshape(np.sum(~bag), -1)
    return np.mean(inside, axis=0), outside


@pytest.mark.parametrize("n_classes", [None, 2, 3])
def test_the_mean_of_models_that_each_miss_a_fifth_of_the_rows(n_classes, monkeypatch):
    monkeypatch.setitem(module._OPTIONS, "max_features", 1.0)
    monkeypatch.setitem(module._OPTIONS, "l2_regularization", 0.0)  # or targets in their own unit differ
    kept, plain = [], Boosting._judged
    monkeypatch.setattr(Boosting, "_judged", lambda self, *given: kept.append(~given[4]) or plain(self, *given))
    Z, y = table()
    Z[:, 1] = np.round(Z[:, 1])  # ties
    y = y if n_classes is None else labels(y, n_classes)
    boosted, said, _ = grown(Z, y, n_classes=n_classes)
    expected, left_out = by_definition(boosted, Z, y, kept[0], n_classes)
    np.testing.assert_allclose(boosted.mean(boosted.view(Z)), expected, atol=1e-6)
    left_out = left_out if n_classes is None else probabilities(left_out, boosted.link.inverse_temperature)
    np.testing.assert_allclose(said, left_out, atol=1e-6)
    np.testing.assert_array_equal(kept[0].sum(axis=1), FOLDS - 1)


def test_intervals_are_made_of_the_bag_without_a_row():
    Z, y = table()
    boosted, said, _ = grown(Z, y)
    per_bag = len(boosted.parts[0].trees) // FOLDS
    E = boosted.view.indicators(Z)
    for row in (0, 50, 149):
        (bag,) = np.flatnonzero(boosted.spread.out[row])
        trees = range(bag * per_bag, (bag + 1) * per_bag)
        expected = [boosted.constant + mean_of(boosted.parts[0].trees, trees, one) for one in E[:3]]
        np.testing.assert_allclose(
            next(boosted.spread.without(boosted, [boosted.view(Z[:3])]))[row], expected, atol=1e-12
        )
        np.testing.assert_allclose(
            said[row], boosted.constant + mean_of(boosted.parts[0].trees, trees, E[row]), atol=1e-12
        )
    np.testing.assert_allclose(boosted.spread.residuals, y[:, None] - said, atol=1e-12)


def test_a_step_along_one_input_is_found():
    Z, y = table(300)
    _, said, grower = grown(Z, y, n_rounds=80)
    assert np.mean((said[:, 0] - y) ** 2) < 0.25 * y.var()
    assert grower.feature_importances_.argmax() == 0


@pytest.mark.parametrize("n_classes", [None, 2, 3])
def test_order_units_and_names_change_nothing(n_classes):
    Z, y = table()
    y = y if n_classes is None else labels(y, n_classes)
    rows, columns = np.random.default_rng(1).permutation(len(Z)), [1, 0, 2]
    _, here, _ = grown(Z, y, n_classes=n_classes)
    moved = Z[np.ix_(rows, columns)] * [1000.0, 0.5, 1.0] + [5.0, -3.0, 0.0]
    moved[:, 2] = 3 - moved[:, 2]  # the levels have other codes
    there = y if n_classes is None else n_classes - 1 - y  # and the classes other names
    _, found, _ = grown(moved, there[rows], n_classes=n_classes)
    found = found if n_classes is None else found[:, ::-1]
    np.testing.assert_allclose(found, here[rows], atol=1e-9)


def test_groups_leave_together():
    Z, y = table()
    boosted, _, _ = grown(Z, y, groups=np.arange(len(Z)) // 5)
    bags = boosted.spread.out.reshape(30, 5, FOLDS)
    assert (bags == bags[:, :1]).all()


def test_rows_are_dealt_class_by_class():
    classes = np.repeat([0, 1], [90, 10])
    fold = dealt(np.arange(100), classes, 0)
    np.testing.assert_array_equal(np.bincount(fold[classes == 1]), [2] * FOLDS)
    np.testing.assert_array_equal(np.bincount(fold), [20] * FOLDS)


def test_a_bag_may_lack_a_class():
    Z, y = table()
    y = labels(y, 2)
    y[:3] = 2
    boosted, said, _ = grown(Z, y, n_classes=3, groups=np.where(y == 2, 0, np.arange(len(Z))))
    assert said.shape == (150, 3)
    # Nothing was learned of them by those who judge them, and yet no row costs more than 14 nats.
    assert np.exp(-14.0) < said[y == 2, 2].min() < said[y == 2, 2].max() < 1e-5
    assert np.isfinite(boosted.answers(boosted.view(Z))).all()


def test_bags_that_lack_a_class_know_a_millionth_of_it():
    """Enough to name the class; its probability is that of a millionth of its rows."""
    Z, y = table()
    y = np.where(np.arange(150) < 100, 2, labels(y, 2))
    boosted, _, _ = grown(Z, y, n_classes=3, groups=np.where(y == 2, 0, np.arange(150)))
    said = probabilities(boosted.left_out[y == 2], 1.0)[:, 2]  # before a temperature is chosen
    assert 1.5e-6 < np.median(said) < 4e-6  # 100 rows to 50, and a few rounds that know nothing of the class


def test_rounds_are_chosen_on_rows_outside():
    Z, y = table(400)
    noise = np.random.default_rng(3).normal(size=400)
    found, _, _ = grown(Z, y, n_rounds=160)
    nothing, said, grower = grown(Z, noise, n_rounds=160)
    assert len(nothing.parts[0].trees) // FOLDS < 5 < len(found.parts[0].trees) // FOLDS
    assert np.mean((said[:, 0] - noise) ** 2) < 1.1 * noise.var()
    assert grower.status == f"{len(nothing.parts[0].trees) // FOLDS} rounds, chosen on rows left out"


def test_rounds_stop_when_the_best_one_is_long_past(monkeypatch):
    asked = []
    plain = Boosting._go_on
    monkeypatch.setattr(Boosting, "_go_on", lambda self, *given: asked.append(given[-1]) or plain(self, *given))
    Z, _ = table()
    grown(Z, np.random.default_rng(3).normal(size=len(Z)), n_rounds=160)
    assert asked[0] == 10
    assert asked[-1] < 160


def test_time_that_is_up_leaves_the_first_rounds():
    Z, y = table()
    boosted, _, grower = grown(Z, y, n_rounds=80, deadline=Deadline.after(0.0))
    assert grower.status.startswith("time was up; ")
    assert len(boosted.parts[0].trees) <= 10 * FOLDS


def test_rows_of_weight_0_are_not_there():
    Z, y = table()
    weights = np.ones(len(Z))
    weights[100:] = 0.0
    part, full = grown(Z, y, weights=weights)[0], grown(Z[:100], y[:100])[0]
    np.testing.assert_allclose(part.mean(part.view(Z)), full.mean(full.view(Z)))


def test_bins_hold_as_many_rows_each_and_keep_few_values_apart():
    ranks = np.column_stack([np.arange(1000.0), np.arange(1000.0) % 3])
    bins = Bins.of(ranks)
    assert bins.codes.max(axis=0).tolist() == [254.0, 2.0]
    counts = np.bincount(bins.codes[:, 0].astype(int))
    assert counts.min() >= 3
    assert counts.max() <= 4
    for code in (0, 100, 254):
        assert bins.last[0][code] == ranks[bins.codes[:, 0] == code, 0].max()


def task(n_rows, y, *, labels):
    Z = np.zeros((n_rows, 2))
    return MixtureTask(views=None, Z=Z, y=y, weights=np.ones(n_rows), groups=None, labels=labels)


@pytest.mark.parametrize(
    ("n_rows", "y", "labels", "expected"),
    [
        (999, None, False, False),
        (1000, None, False, True),
        (1000, 2, False, False),
        (999, 2, True, False),
        (1000, 2, True, True),
        (1000, module.MOST_BOOSTED_CLASSES, True, True),
        (1000, module.MOST_BOOSTED_CLASSES + 1, True, False),
    ],
)
def test_where_boosted_trees_take_part(n_rows, y, labels, expected):
    numbers = np.zeros(n_rows) if y is None else np.zeros((n_rows, y))
    given = np.arange(n_rows) % y if labels else numbers
    assert BoostedTrees().takes_part(task(n_rows, given, labels=labels)) is expected


def test_many_rows_have_no_trees(monkeypatch):
    monkeypatch.setattr(partitions, "MOST_TREE_ROWS", 2500)
    few, many = (task(count, np.zeros(count), labels=False) for count in (2500, 2501))
    for trees in (RandomForest(), BoostedTrees()):
        assert trees.takes_part(few)
        assert not trees.takes_part(many)


def test_the_first_rounds_take_longer_with_rows_columns_and_classes_up_to_a_limit():
    assert least_seconds(1000, 10, 3) == pytest.approx(6 * least_seconds(1000, 5, 1))
    assert least_seconds(10**7, 5, 1) == least_seconds(Boosting.most_rows, 5, 1)


@pytest.fixture
def few_rows(monkeypatch):
    monkeypatch.setattr(module, "LEAST_BOOSTED_ROWS", 50)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_doors_are_explained_and_exported_with_it(few_rows, classes):
    generator = np.random.default_rng(11)
    X = generator.normal(size=(90, 3))
    f = np.where(X[:, 0] > 0.0, 2.0, 0.0) + X[:, 1]
    if classes:
        model = KernelClassifier("fast").fit(X, np.digitize(f, [1.0] if classes == 2 else [0.0, 2.0]))
    else:
        model = KernelRegressor("fast", target="identity").fit(X, f)
    assert model.members[2].candidate.machine == "boosting"
    model.model_ = evenly(model.model_)
    answer = model.predict_proba(X[:7]) if classes else model.predict(X[:7])[:, None]
    np.testing.assert_allclose(evaluate(program_of(model), X[:7])[-1].reshape(answer.shape), answer, atol=1e-9)
    marginal, rows = (shapley_values(model, X[:2], background=each) for each in (None, X[2:20]))
    totals = [found.values.sum(axis=1) + found.base_values for found in (marginal, rows)]
    np.testing.assert_allclose(*totals, atol=1e-9)
    if not classes:
        lower, upper = model.predict_interval(X[:7])
        assert (lower <= upper).all()
        assert (model.predict(X[:7], return_std=True)[1] > 0.0).all()


def test_time_that_is_too_short_leaves_it_out(few_rows, monkeypatch):
    monkeypatch.setattr(module, "least_seconds", lambda *_: 1e9)
    Z, y = table(120)
    with pytest.warns(Warning, match="left no time"):
        model = KernelRegressor("fast", time_limit=30.0).fit(Z, y)
    assert "boosting" not in {member.candidate.machine for member in model.members}


def test_many_classes_have_fewer_rounds(monkeypatch):
    asked = []
    monkeypatch.setattr(module, "_MOST_TREES", 36)
    plain = Boosting._go_on
    monkeypatch.setattr(Boosting, "_go_on", lambda self, *given: asked.append(given[-1]) or plain(self, *given))
    Z, y = table(300)
    grown(Z, labels(y, 3), n_classes=3, n_rounds=160)
    assert asked[-1] <= 12
