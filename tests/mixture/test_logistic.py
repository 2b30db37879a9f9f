"""Labels on landmarks: when logistic regression refits a least-squares machine, and what it then says."""

from dataclasses import replace

import numpy as np
import pytest

from kernelect import LSSVC, KernelClassifier
from kernelect.criteria.calibration import calibrated_log_loss, probabilities
from kernelect.export import reduce
from kernelect.kernels import RBF
from kernelect.mixture import logistic
from kernelect.mixture.bags import FOLDS, even_rows, units_of
from kernelect.mixture.base import LANDMARKS, NUMBERS, MixtureTask, Views
from kernelect.mixture.efforts import candidates_of
from kernelect.mixture.logistic import Labelled, LogisticRefit, refitted_by_log_loss
from kernelect.numerics import NEVER, Deadline

HOW = "coefficients then refitted by the log-loss"


def drawn(n, seed, noise=0.1):
    """Rows of four classes along one of two inputs, whose middle ones least squares masks."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, size=(n, 2))
    return X, np.digitize(X[:, 0] + noise * rng.normal(size=n), [-1.0, 0.0, 1.0])


@pytest.fixture(scope="module")
def classes():
    return drawn(600, 0)


@pytest.fixture(scope="module")
def machine(classes):
    return fitted(*classes)


def fitted(X, y, weights=None, landmarks=None):
    """Return the same machine for rows of any weight, on the first rows as landmarks unless given."""
    weights = np.ones(len(y)) if weights is None else weights
    points = X[:25] if landmarks is None else landmarks
    model = LSSVC(RBF(gamma=1.0), regularization=0.1 * weights[weights > 0].mean(), landmarks=points, prior=None)
    return model.fit(X, y, sample_weight=weights)


def refitted(machine, X, y, weights=None, deadline=NEVER):
    data = Labelled(V=X, index=y, weights=np.ones(len(y)) if weights is None else weights)
    return refitted_by_log_loss(machine, data, deadline, 0)


def log_loss(model, X, y):
    return -np.log(model.predict_proba(X)[np.arange(len(y)), y]).mean()


def folded(machine, X, y):
    part = Labelled(V=X, index=y, weights=np.ones(len(y))).part(4, 10_000, 0)
    targets = np.where(part.index[:, None] == np.arange(4), 1.0, -1.0)
    least_squares = logistic._least_squares(machine, part, targets, machine.regularization_)
    return logistic._folded(machine, least_squares, part), targets


def test_several_classes_gain_and_new_rows_confirm_it(classes, machine):
    found = refitted(machine, *classes)
    assert found.model_.components[0].refitted
    assert not machine.model_.components[0].refitted  # the machine that came in is as it was
    before, after = (log_loss(model, *drawn(4000, 1)) for model in (machine, found))
    assert after < 0.9 * before
    assert calibrated_log_loss(found.loo_decision_, classes[1], np.ones(600)) == pytest.approx(after, rel=0.25)
    assert found.feature_importances_.sum() == pytest.approx(1.0)
    assert found.feature_importances_[0] > found.feature_importances_[1]


def test_labels_of_a_fold_say_nothing_about_it(classes, machine):
    whole, targets = folded(machine, *classes)
    moved = np.where(whole.fold == 2, 3 - whole.index, whole.index)
    start = np.zeros_like(whole.start(targets, 1.0))
    decided, again = (
        each.left_out(each.minimized(start, 0.3, 2000, tol=1e-13)) for each in (whole, replace(whole, index=moved))
    )
    inside = whole.fold == 2
    said, also = (probabilities(each[inside], 1.0) for each in (decided, again))
    np.testing.assert_allclose(said, also, atol=2e-3)
    assert np.abs(decided[~inside] - again[~inside]).max() > 0.1


def test_the_machine_stays_where_rows_left_out_prefer_it(classes, machine, monkeypatch):
    monkeypatch.setattr(logistic, "RIDGES", (1e6,))
    monkeypatch.setattr(logistic, "MAX_ITER", 500)
    assert refitted(machine, *classes) is machine


def test_a_loss_that_is_no_number_is_no_gain(classes, machine, monkeypatch):
    monkeypatch.setattr(logistic, "_loss", lambda *of: float("nan"))
    assert refitted(machine, *classes) is machine


def test_smaller_ridges_are_tried_as_long_as_rows_left_out_gain(classes, machine, monkeypatch):
    tried = []

    def minimized(self, solution, rho, max_iter, deadline):
        tried.append(rho)
        return solution * {0.3: 1.0, 0.1: 1.2, 0.03: 9.0}[rho]

    monkeypatch.setattr(logistic.FoldedLogistic, "minimized", minimized)
    losses = iter([0.5, 0.6, 0.4])
    monkeypatch.setattr(logistic, "calibrated_log_loss", lambda *of: next(losses))
    whole, targets = folded(machine, *classes)
    start = whole.start(targets, 1.0)
    np.testing.assert_array_equal(logistic._best(whole, start, NEVER), start)
    assert tried == [0.3, 0.1]


def test_exact_machines_and_fits_without_time_stay_as_they_are(classes, machine):
    few = classes[0][:60], classes[1][:60]
    exact = LSSVC("rbf", landmarks=None).fit(*few)
    assert refitted(exact, *few) is exact
    assert refitted(machine, *classes, deadline=Deadline.after(0.0)) is machine


@pytest.mark.parametrize("width", [25, 20 * FOLDS])
def test_rows_beyond_those_that_fit_are_predicted(classes, machine, monkeypatch, width):
    """Room is for as many scores, or for what all folds say of as many rows, whichever is more for a row."""
    X, y = classes
    if width > 25:  # more classes than landmarks
        y = y + 4 * (np.arange(600) % 5)
        machine = fitted(X, y)
    monkeypatch.setattr(logistic, "MOST_NUMBERS", width * 400)
    parts = []
    keep = logistic.Labelled.part

    def part(self, *args):
        parts.append(keep(self, *args))
        return parts[-1]

    monkeypatch.setattr(logistic.Labelled, "part", part)
    found = refitted(machine, X, y)
    assert len(parts[0].rows) == 400
    if found is not machine:
        same = np.isclose(found.loo_decision_, found.decision_function(X), rtol=0, atol=1e-12).all(axis=1)
        assert set(np.flatnonzero(~same)) <= set(parts[0].rows)
        assert same.sum() >= 200


def test_whole_groups_are_taken_in_any_order():
    rng = np.random.default_rng(4)
    table, groups = rng.normal(size=(100, 2)), rng.integers(20, size=100)
    weights = np.where(np.arange(100) < 5, 0.0, 1.0)
    rows = even_rows(table, weights, 50, groups)
    assert 40 < len(rows) <= 50
    assert not (set(groups[rows]) & set(groups[[i for i in range(5, 100) if i not in set(rows)]]))
    order = rng.permutation(100)
    again = even_rows(table[order], weights[order], 50, groups[order])
    np.testing.assert_array_equal(order[again], rows)
    assert len(even_rows(table, weights, 1, np.zeros(100, dtype=int))) == 95  # one group is always taken


@pytest.mark.parametrize("groups", [None, np.arange(100) // 3])
def test_rows_are_the_same_in_any_units(groups):
    rng = np.random.default_rng(6)
    table, units = rng.normal(size=(100, 3)), np.array([3.0, 1e9, 0.7])
    rows = even_rows(table, np.ones(100), 50, groups)
    np.testing.assert_array_equal(even_rows(table * units + 1.0, np.ones(100), 50, groups), rows)
    if groups is not None:
        kept = np.arange(100)
        np.testing.assert_array_equal(units_of(groups, kept, table * units), units_of(groups, kept, table))


def test_equal_rows_of_different_groups_have_the_same_units_in_any_order():
    rng = np.random.default_rng(5)
    table, groups = rng.integers(2, size=(40, 2)).astype(float), np.arange(40) // 4
    rows, order = np.arange(40), rng.permutation(40)
    units = units_of(groups, rows, table)
    np.testing.assert_array_equal(units_of(groups[order], rows, table[order]), units[order])


def test_order_of_rows_names_of_classes_and_unit_of_weights_do_not_matter(classes, machine):
    X, y = classes
    order, names, new = np.random.default_rng(3).permutation(600), np.array([2, 0, 3, 1]), drawn(50, 1)[0]
    found, points = refitted(machine, X, y), machine.landmarks_
    shuffled = refitted(fitted(X[order], y[order], landmarks=points), X[order], y[order])
    np.testing.assert_allclose(shuffled.predict_proba(new), found.predict_proba(new), atol=1e-6)
    np.testing.assert_allclose(shuffled.loo_decision_, found.loo_decision_[order], atol=1e-5)
    renamed = refitted(fitted(X, names[y], landmarks=points), X, names[y])
    np.testing.assert_allclose(renamed.predict_proba(new)[:, names], found.predict_proba(new), atol=1e-6)
    weights = np.full(600, 4.0)
    heavy = refitted(fitted(X, y, weights), X, y, weights)
    np.testing.assert_allclose(heavy.predict_proba(new), found.predict_proba(new), atol=1e-6)
    assert all(model.model_.components[0].refitted for model in (found, shuffled, renamed, heavy))


def test_rows_of_no_weight_are_not_there(classes):
    X, y = classes
    weights = np.where(np.arange(600) < 450, 1.0, 0.0)
    with_them = refitted(fitted(X, y, weights), X, y, weights)
    without = refitted(fitted(X[:450], y[:450]), X[:450], y[:450])
    new = drawn(50, 1)[0]
    np.testing.assert_allclose(with_them.predict_proba(new), without.predict_proba(new), atol=1e-6)
    np.testing.assert_allclose(with_them.loo_decision_[:450], without.loo_decision_, atol=1e-5)


def test_a_class_of_one_row_does_not_keep_the_others_from_gaining(classes):
    X, y = classes[0], classes[1].copy()
    y[17] = 4
    found = refitted(fitted(X, y), X, y)
    assert found.model_.components[0].refitted
    lost = -np.log(found.model_.training.left_out[17, 4])
    assert lost < 12.0


def task(n_rows, n_classes=None, groups=None):
    y = np.zeros(n_rows) if n_classes is None else np.arange(n_rows) % n_classes
    return MixtureTask(
        views=None, Z=np.zeros((n_rows, 1)), y=y, weights=np.ones(n_rows), groups=groups, labels=n_classes is not None
    )


def able(effort, given):
    return [each for each in candidates_of(effort) if each.takes_part(given)]


def test_groups_are_not_refitted():
    assert task(2100, 2).situation == LANDMARKS
    grouped = task(2100, 2, groups=np.arange(2100) // 7)
    assert grouped.situation == NUMBERS
    assert not any(isinstance(each, LogisticRefit) for each in able("balanced", grouped))


def test_least_squares_leaves_a_part_of_the_time_to_the_refit(monkeypatch):
    given = []
    monkeypatch.setattr(LogisticRefit, "_fitted", lambda self, task, deadline: given.append(deadline) or (None, None))
    monkeypatch.setattr(LogisticRefit, "_member", lambda self, task, machine, shape: None)
    monkeypatch.setattr(logistic, "refitted_by_log_loss", lambda machine, data, deadline, seed: given.append(deadline))
    views = Views(None, None)
    LogisticRefit().fit(replace(task(50, 2), views=views, deadline=Deadline(100.0, clock=lambda: 0.0)))
    searching, whole = (deadline.left() for deadline in given)
    assert 0.8 * whole < searching < 0.9 * whole


@pytest.fixture(scope="module")
def mixture():
    return KernelClassifier("fast").fit(*drawn(2040, 5, noise=0.2))


@pytest.mark.slow
def test_a_mixture_of_many_labelled_rows_has_refitted_machines(mixture):
    assert set(mixture.candidates_.candidate) == set(able("fast", task(2100, 4)))
    found = [member for member in mixture.members if HOW in member.in_words]
    assert found
    for member in found:
        component = member.component
        assert component.refitted
        decided = probabilities(component.left_out, component.link.inverse_temperature)
        np.testing.assert_allclose(member.left_out, decided)


@pytest.mark.slow
def test_smaller_models_are_of_least_squares_and_say_so(mixture):
    smaller = reduce(mixture, 10)
    assert any("those of least squares" in remark for remark in smaller.remarks)
    assert not any(HOW in member.in_words for member in smaller.model.members)
    assert not any("those of least squares" in remark for remark in reduce(mixture, 10**9).remarks)


def test_labels_on_landmarks_have_fewer_kernels_and_no_posteriors():
    for effort, fewer in (("fast", 0), ("balanced", 3), ("best", 6)):
        numbers, labels = (list(map(str, able(effort, task(2100, n_classes)))) for n_classes in (None, 3))
        assert len(numbers) - len(labels) == fewer
        assert set(labels) <= set(numbers)
