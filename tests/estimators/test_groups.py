"""Groups of rows: left out together in selection, leave-one-out values, calibration and intervals."""

import numpy as np
import pytest

from kernelect import LSSVC, LSSVR, KernelClassifier, KernelRegressor
from kernelect.exceptions import InvalidArgument
from kernelect.kernels import RBF
from oracles import landmarks as slow_on_landmarks
from oracles import lssvm as slow


@pytest.fixture(scope="module")
def subjects():
    """Twenty subjects with six rows each: the inputs tell the subject, and only the subject tells the target."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 6)
    X = rng.normal(size=(20, 3))[groups] + 0.02 * rng.normal(size=(120, 3))
    y = rng.normal(size=20)[groups] + 0.1 * rng.normal(size=120)
    return X, y, groups


def test_leave_one_out_values_are_those_of_refits_without_the_group(subjects):
    X, y, groups = subjects
    kernel, mu = RBF(0.3), 0.2
    model = LSSVR(kernel, regularization=mu).fit(X, y, groups=groups)
    expected = slow.leave_groups_out_residuals(kernel.gram(X), y[:, None], mu, np.ones(120), groups)
    np.testing.assert_allclose(y - model.loo_prediction_, expected[:, 0], rtol=1e-10, atol=1e-10)
    value = slow.group_press(kernel.gram(X), y[:, None], mu, np.ones(120), groups)
    assert model.selection_.value == pytest.approx(value, rel=1e-10)
    labels = np.where(y > 0, "high", "low")
    classifier = LSSVC(kernel, regularization=mu).fit(X, labels, groups=groups)
    signs = np.where(labels == "low", 1.0, -1.0)[:, None]
    expected = slow.leave_groups_out_residuals(kernel.gram(X), signs, mu, np.ones(120), groups)
    np.testing.assert_allclose(signs[:, 0] - classifier.loo_decision_, expected[:, 0], rtol=1e-10, atol=1e-10)


def predicted_without(model, new):
    """Return what machines without one row each, and its group, predict at new rows, (n, m, k)."""
    (found,) = model.model_.jackknife.without(model.model_.components[0], [new])
    return found


def test_predictions_without_a_group_are_those_of_refits(subjects):
    X, y, groups = subjects
    kernel, mu, new = RBF(0.3), 0.2, X[:5] + 0.1
    model = LSSVR(kernel, regularization=mu).fit(X, y, groups=groups)
    rest = groups != 3
    alone = LSSVR(kernel, regularization=mu).fit(X[rest], y[rest])
    np.testing.assert_allclose(predicted_without(model, new)[3 * 6, :, 0], alone.predict(new), rtol=1e-9)


def test_selection_by_groups_does_not_learn_who_a_subject_is(subjects):
    """By rows the table looks solved; by groups nothing is found, which is what new subjects get."""
    X, y, groups = subjects
    by_rows, by_groups = LSSVR("rbf").fit(X, y), LSSVR("rbf").fit(X, y, groups=groups)
    total = np.var(y)
    assert np.mean((y - by_rows.loo_prediction_) ** 2) < 0.1 * total
    assert np.mean((y - by_groups.loo_prediction_) ** 2) > 0.8 * total
    assert by_groups.selection_.criterion == "group-press"
    # A new subject: intervals that are calibrated on groups cover it, those of rows do not.
    rng = np.random.default_rng(1)
    new, targets = rng.normal(size=(200, 3)), rng.normal(size=200)
    covered = [
        np.mean((low < targets) & (targets < high))
        for low, high in (model.predict_interval(new, 0.9) for model in (by_rows, by_groups))
    ]
    assert covered[1] > 0.8 > covered[0]
    assert np.mean(by_groups.predict(new, return_std=True)[1]) > 2.0 * np.mean(by_rows.predict(X, return_std=True)[1])


def test_probabilities_are_calibrated_on_groups(subjects):
    X, y, groups = subjects
    labels = y > 0
    by_rows, by_groups = LSSVC("rbf").fit(X, labels), LSSVC("rbf").fit(X, labels, groups=groups)
    new = np.random.default_rng(2).normal(size=(200, 3))
    sure = [np.mean(model.predict_proba(new).max(axis=1)) for model in (by_rows, by_groups)]
    assert sure[1] < 0.65 < sure[0]


@pytest.mark.parametrize("door", [KernelClassifier, KernelRegressor])
def test_mixtures_leave_groups_out(door, subjects):
    X, y, groups = subjects
    names = np.array([f"subject {group}" for group in groups], dtype=object)
    target = y > 0 if door is KernelClassifier else y
    model = door(effort="fast").fit(X, target, groups=names)
    if door is KernelClassifier:
        assert {member.candidate.machine for member in model.members} == {"lssvm", "forest"}
        by_rows = door(effort="fast").fit(X, target)
        losses = [-np.mean(np.log(each.loo_proba_[np.arange(120), target.astype(int)])) for each in (by_rows, model)]
        assert losses[0] < 0.2  # as if new subjects were known
        assert losses[1] > 0.45  # 20 subjects in three dimensions: some widths do fit their labels by chance
    else:
        assert np.mean((y - model.loo_prediction_) ** 2) > 0.8 * np.var(y)
        low, high = model.predict_interval(X[:5])
        assert np.all(high - low > 1.0)


def test_groups_are_checked(subjects):
    X, y, groups = subjects
    with pytest.raises(InvalidArgument, match=r"one group only \('a'\): give at least two"):
        LSSVR().fit(X, y, groups=["a"] * 120)
    with pytest.raises(InvalidArgument, match=r"groups has the shape \(3,\), but \(120,\) is expected"):
        LSSVR().fit(X, y, groups=[1, 2, 3])
    with pytest.raises(InvalidArgument, match=r"groups\[1\] is nan: give every row a group"):
        LSSVR().fit(X, y, groups=[0.0, np.nan, *groups[2:]])
    with pytest.raises(InvalidArgument, match="criterion='gcv' does not leave out groups"):
        LSSVR(criterion="gcv").fit(X, y, groups=groups)
    weight = (groups == 0).astype(float)
    with pytest.raises(InvalidArgument, match="one group only"):
        LSSVR().fit(X, y, sample_weight=weight, groups=groups)


@pytest.fixture(scope="module")
def shuffled(subjects):
    """The subjects in no order, with weights of which some are 0."""
    order = np.random.default_rng(3).permutation(120)
    weights = np.where(np.arange(120) % 11 == 0, 0.0, np.linspace(0.5, 2.0, 120))
    return (*(part[order] for part in subjects), weights)


def test_groups_leave_a_machine_on_landmarks_with_their_landmarks(shuffled):
    X, y, groups, weights = shuffled
    kernel, mu, points = RBF(0.3), 0.2, X[::6]
    cross, gram = kernel.cross(points, X), kernel.gram(points)
    given = LSSVR(kernel, regularization=mu, landmarks=points).fit(X, y, weights, groups)
    expected = slow_on_landmarks.leave_groups_out_residuals(cross, gram, y[:, None], mu, weights, groups)
    np.testing.assert_allclose(y - given.loo_prediction_, expected[:, 0], rtol=1e-7, atol=1e-8)
    value = slow_on_landmarks.group_press(cross, gram, y[:, None], mu, weights, groups)
    assert given.selection_.value == pytest.approx(value, rel=1e-8)
    chosen = LSSVR(kernel, regularization=mu, landmarks=15, random_state=0).fit(X, y, weights, groups)
    landmark = slow_on_landmarks.places(X, chosen.landmarks_)
    assert np.sum(landmark >= 0) == 15
    cross, gram = kernel.cross(chosen.landmarks_, X), kernel.gram(chosen.landmarks_)
    expected = slow_on_landmarks.leave_groups_out_residuals(cross, gram, y[:, None], mu, weights, groups, landmark)
    np.testing.assert_allclose(y - chosen.loo_prediction_, expected[:, 0], rtol=1e-5, atol=1e-6)


def test_predictions_on_landmarks_without_a_group_are_those_of_refits(shuffled):
    X, y, groups, weights = shuffled
    kernel, mu, points, new = RBF(0.3), 0.2, X[::6], X[:5] + 0.1
    model = LSSVR(kernel, regularization=mu, landmarks=points).fit(X, y, weights, groups)
    row = 7
    jackknife = model.model_.jackknife
    rest = groups != groups[jackknife.rows[row]]
    alone = LSSVR(kernel, regularization=mu, landmarks=points).fit(X[rest], y[rest], weights[rest])
    np.testing.assert_allclose(predicted_without(model, new)[row, :, 0], alone.predict(new), rtol=1e-7)
    residuals = (y - model.loo_prediction_)[jackknife.rows]
    np.testing.assert_allclose(jackknife.residuals[:, 0], residuals, rtol=1e-8)
    exact = LSSVR(kernel, regularization=mu, landmarks=X).fit(X, y, weights, groups)
    dense = LSSVR(kernel, regularization=mu, landmarks=None).fit(X, y, weights, groups)
    variances = (machine.model_.jackknife.left_out_variance() for machine in (exact, dense))
    np.testing.assert_allclose(*variances, rtol=1e-4)


@pytest.mark.parametrize("door", [KernelClassifier, KernelRegressor])
def test_many_rows_are_left_out_by_groups_too(door, subjects, monkeypatch):
    """Beyond the rows of the exact machine the selection still does not learn who a subject is."""
    monkeypatch.setattr("kernelect.selection.landmarks.request.EXACT_ROWS", 100)
    monkeypatch.setattr("kernelect.selection.landmarks.request.FIRST", 40)
    X, y, groups = subjects
    by_groups = LSSVR("rbf").fit(X, y, groups=groups)
    assert by_groups.landmarks_ is not None
    assert by_groups.selection_.criterion == "group-press"
    assert np.mean((y - by_groups.loo_prediction_) ** 2) > 0.8 * np.var(y)
    target = y > 0 if door is KernelClassifier else y
    model = door(effort="fast").fit(X, target, groups=groups)
    machines = [member for member in model.members if member.candidate.machine == "lssvm"]
    assert all(member.component.sampled is not None for member in machines)
    assert all(len(member.component.kernel_part.vectors) < len(X) for member in machines)
    if door is KernelClassifier:
        assert -np.mean(np.log(model.loo_proba_[np.arange(120), target.astype(int)])) > 0.45  # as above
    else:
        assert np.mean((y - model.loo_prediction_) ** 2) > 0.8 * np.var(y)
        low, high = model.predict_interval(X[:5])
        assert np.all(high - low > 1.0)
