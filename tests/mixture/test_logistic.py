"""Labels on landmarks: when logistic regression refits a least-squares machine, and what it then says."""

from dataclasses import replace

import numpy as np
import pytest

from kernelect import LSSVC, KernelClassifier
from kernelect.criteria.calibration import calibrated_log_loss, probabilities
from kernelect.kernels import RBF
from kernelect.mixture import logistic
from kernelect.mixture.bags import FOLDS, even_rows, units_of
from kernelect.mixture.candidates import candidates_for
from kernelect.mixture.logistic import Labelled, by_own_loss
from kernelect.numerics import NEVER, Deadline

HOW = "coefficients then refitted by the log-loss"


@pytest.fixture(scope="module")
def classes(rng_of):
    """Six hundred rows of four classes along one input, whose middle ones least squares masks."""
    rng = rng_of(0)
    X = rng.uniform(-2.0, 2.0, size=(600, 2))
    return X, np.digitize(X[:, 0] + 0.1 * rng.normal(size=600), [-1.0, 0.0, 1.0])


@pytest.fixture(scope="module")
def rng_of():
    return np.random.default_rng


@pytest.fixture(scope="module")
def machine(classes):
    return fitted(classes)


def fitted(classes, weight=1.0):
    """Return the same machine for rows of any weight, on the first rows as landmarks."""
    model = LSSVC(RBF(gamma=1.0), regularization=0.1 * weight, landmarks=classes[0][:25], prior=None)
    return model.fit(*classes, sample_weight=np.full(len(classes[1]), weight))


def labelled(classes, groups=None, weights=None):
    X, y = classes
    return Labelled(X, y, np.ones(len(y)) if weights is None else weights, groups)


def loss_of_new_rows(model, rng):
    X = rng.uniform(-2.0, 2.0, size=(4000, 2))
    y = np.digitize(X[:, 0] + 0.1 * rng.normal(size=4000), [-1.0, 0.0, 1.0])
    return -np.log(model.predict_proba(X)[np.arange(4000), y]).mean()


def test_several_classes_gain_and_new_rows_confirm_it(classes, machine, rng_of):
    refitted = by_own_loss(machine, labelled(classes), NEVER, 0)
    assert refitted.selection_.status.endswith(HOW)
    before, after = (loss_of_new_rows(model, rng_of(1)) for model in (machine, refitted))
    assert after < 0.9 * before
    claimed = calibrated_log_loss(refitted.loo_decision_, classes[1], np.ones(600))
    assert claimed == pytest.approx(after, rel=0.25)
    assert machine.selection_.status != refitted.selection_.status  # the machine that came in is as it was
    assert refitted.feature_importances_.sum() == pytest.approx(1.0)
    assert refitted.feature_importances_[0] > refitted.feature_importances_[1]


def test_rows_left_out_are_those_of_machines_without_their_fold(classes, machine):
    """Swapping the labels of one fold changes nothing about what is said of that fold at given coefficients."""
    data = labelled(classes)
    rows = even_rows(np.column_stack([data.V, data.index, data.weights]), data.weights, 10_000)
    assert sorted(rows) == list(range(600))
    part = data.part(rows)
    least_squares, targets = logistic._least_squares(machine, part, machine.regularization_)
    folded = logistic._folded(machine, least_squares, part, 0)
    moved = folded.index.copy()
    moved[folded.fold == 2] = 3 - moved[folded.fold == 2]
    swapped = replace(folded, index=moved)
    start = np.zeros_like(folded.start(targets, 1.0))
    decided, again = (each.left_out(each.minimized(start, 0.3, 2000, tol=1e-13)) for each in (folded, swapped))
    inside = folded.fold == 2
    said, also = (probabilities(each[inside], 1.0) for each in (decided, again))
    np.testing.assert_allclose(said, also, atol=2e-3)
    assert np.abs(decided[~inside] - again[~inside]).max() > 0.1


def test_the_machine_stays_where_rows_left_out_prefer_it(classes, machine, monkeypatch):
    monkeypatch.setattr(logistic, "RIDGES", (1e6,))
    monkeypatch.setattr(logistic, "MAX_ITER", 500)
    assert by_own_loss(machine, labelled(classes), NEVER, 0) is machine


def test_smaller_ridges_are_tried_as_long_as_rows_left_out_gain(classes, machine, monkeypatch):
    tried = []

    def minimized(self, solution, ridge, max_iter, deadline):
        tried.append(ridge)
        return solution * {0.3: 1.0, 0.1: 1.2, 0.03: 9.0}[ridge]

    monkeypatch.setattr(logistic.FoldedLogistic, "minimized", minimized)
    losses = iter([0.5, 0.6, 0.4])
    monkeypatch.setattr(logistic, "calibrated_log_loss", lambda *of: next(losses))
    folded = logistic._folded(machine, *_solved(machine, classes), 0)
    start = folded.start(np.eye(4)[folded.index], 1.0)
    np.testing.assert_array_equal(logistic._best(folded, start, NEVER), start)
    assert tried == [0.3, 0.1]


def _solved(machine, classes):
    data = labelled(classes)
    part = data.part(np.arange(600))
    return logistic._least_squares(machine, part, machine.regularization_)[0], part


def test_exact_machines_and_fits_without_time_stay_as_they_are(classes, machine):
    exact = LSSVC("rbf", landmarks=None).fit(classes[0][:60], classes[1][:60])
    few = Labelled(classes[0][:60], classes[1][:60], np.ones(60), None)
    assert by_own_loss(exact, few, NEVER, 0) is exact
    assert by_own_loss(machine, labelled(classes), Deadline.after(0.0), 0) is machine


def test_rows_beyond_the_scores_that_fit_are_predicted(classes, machine, monkeypatch):
    monkeypatch.setattr(logistic, "MOST_SCORES", 25 * 400)
    refitted = by_own_loss(machine, labelled(classes), NEVER, 0)
    assert refitted.selection_.status.endswith(HOW)
    same = np.isclose(refitted.loo_decision_, refitted.decision_function(classes[0]), rtol=0, atol=1e-12).all(axis=1)
    assert same.sum() == 200


def test_order_of_rows_and_unit_of_weights_do_not_matter(classes, machine):
    order = np.random.default_rng(3).permutation(600)
    refitted = by_own_loss(machine, labelled(classes), NEVER, 0)
    again = by_own_loss(machine, labelled((classes[0][order], classes[1][order])), NEVER, 0)
    np.testing.assert_allclose(again.dual_coef_, refitted.dual_coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(again.loo_decision_, refitted.loo_decision_[order], rtol=1e-6, atol=1e-8)
    heavy = by_own_loss(fitted(classes, 4.0), labelled(classes, weights=np.full(600, 4.0)), NEVER, 0)
    np.testing.assert_allclose(heavy.decision_function(classes[0]), refitted.decision_function(classes[0]), atol=1e-5)


def test_groups_stay_in_one_fold(classes, machine):
    groups = np.arange(600) // 7
    part = labelled(classes, groups=groups).part(np.arange(600))
    np.testing.assert_array_equal(part.groups, units_of(groups, np.arange(600)))
    fold = logistic._folded(machine, logistic._least_squares(machine, part, machine.regularization_)[0], part, 0).fold
    assert all(len(np.unique(fold[groups == group])) == 1 for group in np.unique(groups))
    assert len(np.unique(fold)) == FOLDS


@pytest.mark.slow
def test_a_mixture_of_many_labelled_rows_has_refitted_machines(rng_of):
    rng = rng_of(5)
    X = rng.uniform(-2.0, 2.0, size=(2040, 2))
    y = np.digitize(X[:, 0] + 0.2 * rng.normal(size=2040), [-0.7, 0.7])
    model = KernelClassifier("fast").fit(X, y)
    assert set(model.candidates_.candidate) == set(candidates_for("fast", 3, on_landmarks=True))
    refitted = [member for member in model.members if HOW in member.status]
    assert refitted
    for member in refitted:
        decided = member.estimator.loo_decision_
        np.testing.assert_allclose(member.left_out, probabilities(decided, member.estimator._inverse_temperature))


def test_labels_on_landmarks_have_fewer_kernels():
    for effort, fewer in (("fast", 0), ("balanced", 3), ("best", 6)):
        numbers, labels = candidates_for(effort, None), candidates_for(effort, 3, on_landmarks=True)
        assert len(numbers) - len(labels) == fewer
        assert set(labels) <= set(numbers)
