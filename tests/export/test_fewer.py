"""Models on landmarks with fewer of them: a refit of all rows, with its leave-one-out, and exported as it predicts."""

from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, log_softmax
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from instances import wavy
from kernelect import LSSVC, LSSVR, KernelClassifier, KernelRegressor
from kernelect.criteria.calibration import fit_temperature
from kernelect.exceptions import MissingCapability
from kernelect.export import reduce, size_curve
from kernelect.export.evaluate import evaluate
from kernelect.export.fewer import _among, known_rows, landmarks_of
from kernelect.export.models import program_of
from kernelect.kernels import RBF
from kernelect.mixture import folds
from kernelect.selection.landmarks import request
from oracles.exported import mixture
from oracles.fewer import left_out_by_refits
from speeds import slowly

X, REAL, _ = wavy(100)
LABELS = np.digitize(REAL, np.quantile(REAL, [0.3, 0.6]))
GROUPS = np.random.default_rng(1).permutation(np.arange(100) // 4)
HEAVY = 1.0 + (np.arange(100) % 3)

#: Rows given as they are, with weights, in groups.
GIVEN = {"plain": (None, None), "weighted": (HEAVY, None), "groups": (None, GROUPS)}


@pytest.fixture(params=["weighted", "groups", *slowly("plain")], name="given")
def _given(request):
    return GIVEN[request.param]


def on_landmarks(estimator, y, weights=None, groups=None):
    machine = estimator(RBF(0.5), regularization=0.1, landmarks=40, prior=None, random_state=0)
    return machine.fit(X, y, weights, groups)


def log_losses(decisions, index, inverse_temperature):
    if decisions.shape[1] == 1:
        return -np.log(expit(inverse_temperature * decisions[:, 0] * (2.0 * index - 1.0)))
    return -log_softmax(inverse_temperature * decisions, axis=1)[np.arange(len(index)), index]


@pytest.mark.parametrize("labels", [LABELS, *slowly(LABELS > 0)], ids=["three", "two"])
def test_fewer_landmarks_of_labels_are_a_refit_of_all_rows(labels, given):
    model = on_landmarks(LSSVC, labels, *given)
    found = reduce(model, 15)
    small = found.model
    again = LSSVC(RBF(0.5), regularization=0.1, landmarks=small.landmarks_, prior=None).fit(X, labels, *given)
    np.testing.assert_allclose(small.decision_function(X), again.decision_function(X), atol=1e-9)
    index, weights = labels.astype(int), np.ones(100) if given[0] is None else given[0]
    losses = []
    for machine, told in ((small, found.loss), (model, found.loss_before)):
        decisions = left_out_by_refits(machine, X, labels, *given)
        np.testing.assert_allclose(np.reshape(machine.loo_decision_, decisions.shape), decisions, atol=1e-9)
        calm = fit_temperature(decisions[:, 0] if decisions.shape[1] == 1 else decisions, index, weights)
        losses.append(log_losses(decisions, index, calm))
        assert told == pytest.approx(losses[-1].mean(), rel=1e-6)
    assert found.standard_error == pytest.approx((losses[0] - losses[1]).std() / np.sqrt(100), rel=1e-6)
    assert (found.vectors, found.vectors_before, found.remarks) == (15, 40, ())
    assert "15 of 40 vectors are kept: the leave-one-out log-loss is" in found.in_words()
    np.testing.assert_allclose(evaluate(program_of(small), X)[-1], small.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("targets", [REAL, *slowly(np.column_stack([REAL, X[:, 0]]))], ids=["one", "two"])
def test_fewer_landmarks_of_numbers_are_a_refit_of_all_rows(targets, given):
    model = on_landmarks(LSSVR, targets, *given)
    found = reduce(model, 15)
    small = found.model
    again = LSSVR(RBF(0.5), regularization=0.1, landmarks=small.landmarks_, prior=None).fit(X, targets, *given)
    np.testing.assert_allclose(small.predict(X), again.predict(X), atol=1e-9)
    said = left_out_by_refits(small, X, targets, *given)
    np.testing.assert_allclose(np.reshape(small.loo_prediction_, said.shape), said, atol=1e-9)
    errors = np.reshape(targets, said.shape) - said
    assert found.loss == pytest.approx(np.mean(errors**2 / targets.reshape(100, -1).var(axis=0)))
    assert found.loss > found.loss_before
    assert "15 of 40 vectors are kept: the leave-one-out unexplained variance is" in found.in_words()
    lower, upper = small.predict_interval(X)
    assert 0.8 < np.mean((lower <= targets) & (targets <= upper)) <= 1.0
    before, after = (each.predict(X, return_std=True)[1].mean() for each in (model, small))
    assert after > before
    expected = small.predict(X).reshape(len(X), -1)
    np.testing.assert_allclose(evaluate(program_of(small), X)[-1].reshape(expected.shape), expected, atol=1e-9)


def test_all_landmarks_are_the_machine_as_it_was(given):
    model = on_landmarks(LSSVR, REAL, *given)
    same = model.with_model(replace(model.model_, components=(_among(model.model_.components[0], np.arange(40)),)))
    np.testing.assert_allclose(same.predict(X), model.predict(X), atol=1e-9)
    np.testing.assert_allclose(same.model_.components[0].left_out[:, 0], model.loo_prediction_, atol=1e-9)
    np.testing.assert_allclose(same.predict(X, return_std=True)[1], model.predict(X, return_std=True)[1], rtol=1e-9)
    np.testing.assert_allclose(same.predict_interval(X), model.predict_interval(X), atol=1e-9)
    variances = [each.model_.jackknife.left_out_variance() for each in (same, model)]
    np.testing.assert_allclose(*variances, rtol=1e-9)
    assert reduce(model, 40).model is model
    assert reduce(model, 40).loss == reduce(model, 40).loss_before


def test_a_part_of_the_rows_stands_for_all(monkeypatch):
    """Where more rows were fitted than are kept, the loss is the mean over those that are, half of each class here."""
    monkeypatch.setattr("kernelect.selection.landmarks.intervals._KEPT_ROWS", 70)
    model = on_landmarks(LSSVC, np.median(REAL) < REAL)
    found = reduce(model, 15)
    rows = found.model.loo_rows_
    assert len(rows) == len(found.model.loo_decision_) == 70
    assert np.sum((np.median(REAL) < REAL)[rows]) == 35
    steep = model.model_.components[0].link.inverse_temperature
    own = expit(steep * model.loo_decision_ * np.where(np.median(REAL) < REAL, 1.0, -1.0))[rows]
    assert found.loss_before == pytest.approx(-np.log(own).mean())
    again = reduce(found.model, 10)  # what is kept once is kept
    assert again.loss_before == pytest.approx(found.loss)


def test_labels_keep_the_sums_of_some_landmarks(monkeypatch, given):
    """A classifier on many landmarks would be mostly these sums: smaller models are made of some of them."""
    monkeypatch.setattr(LSSVC, "_keeps_fewer", 25)
    model = on_landmarks(LSSVC, LABELS, *given)
    assert model.model_.components[0].sampled.state.transform.shape == (25, 25)
    for most, kept in ((15, 15), (30, 25)):
        found = reduce(model, most)
        assert (found.vectors, found.vectors_before) == (kept, 40)
        again = LSSVC(RBF(0.5), regularization=0.1, landmarks=found.model.landmarks_, prior=None).fit(X, LABELS, *given)
        np.testing.assert_allclose(found.model.decision_function(X), again.decision_function(X), atol=1e-9)
        decisions = left_out_by_refits(found.model, X, LABELS, *given)
        np.testing.assert_allclose(found.model.loo_decision_, decisions, atol=1e-9)


def test_a_model_without_its_training_rows_cannot_be_made_smaller():
    model = on_landmarks(LSSVC, LABELS)
    bare = model.with_model(replace(model.model_, training=None))
    with pytest.raises(MissingCapability, match="keeps nothing of its training rows"):
        reduce(bare, 15)


def test_groups_that_are_kept_are_whole(monkeypatch):
    monkeypatch.setattr("kernelect.selection.landmarks.intervals._KEPT_ROWS", 70)
    model = on_landmarks(LSSVC, LABELS, groups=GROUPS)
    rows = reduce(model, 15).model.loo_rows_
    assert 60 < len(rows) <= 70
    np.testing.assert_array_equal(rows, np.flatnonzero(np.isin(GROUPS, GROUPS[rows])))
    monkeypatch.setattr("kernelect.selection.landmarks.intervals._KEPT_ROWS", 1)
    one = reduce(on_landmarks(LSSVC, LABELS, groups=GROUPS), 15).model.loo_rows_
    assert len(set(GROUPS[one])) == 1


@pytest.mark.parametrize(("estimator", "y"), [(LSSVC, LABELS), (LSSVR, REAL)])
def test_the_curve_of_a_model_on_landmarks(estimator, y):
    model = make_pipeline(StandardScaler(), estimator(RBF(0.5), regularization=0.1, landmarks=40, random_state=0)).fit(
        X, y
    )
    curve = size_curve(model, (5, 15, 100))
    assert curve.vectors.tolist() == [5, 15, 40]
    assert curve.loss[0] > curve.loss[2]
    assert curve.loss[1] == pytest.approx(reduce(model, 15).loss)
    assert curve.standard_error[-1] == 0.0


@pytest.mark.parametrize("labels", [True, *slowly(False)])
def test_mixtures_on_landmarks_are_weighed_again(labels, monkeypatch):
    monkeypatch.setattr(request, "EXACT_ROWS", 60)
    monkeypatch.setattr(request, "FIRST", 40)
    monkeypatch.setattr(folds, "FEW_ROWS", 0)  # what is said of rows left out then comes from the weights of all
    door = KernelClassifier if labels else KernelRegressor
    y = LABELS if labels else REAL
    whole = door("fast", random_state=0).fit(X, y)
    others = [member for member in whole.members if member.candidate.machine != "lssvm"]
    count = landmarks_of(whole)
    assert count >= 40
    found = reduce(whole, 15)
    small = found.model
    assert landmarks_of(small) == found.vectors == 15
    assert len(small.members) == len(whole.members) - len(others)
    kind = LSSVC if labels else LSSVR
    for component in small.model_.components:
        V, part = component.view(small.model_.inputs(X)), component.kernel_part
        machine = kind(part.kernel, regularization=component.sampled.state.regularization, landmarks=part.vectors)
        targets = y if labels else whole.target_scale_.forward(y)
        said = left_out_by_refits(machine.fit(V, targets), V, targets)
        np.testing.assert_allclose(np.reshape(component.left_out, said.shape), said, atol=1e-6)
    scores = small.left_out_losses(y)[0]
    assert found.loss == pytest.approx(scores.mean())
    assert found.loss_before == pytest.approx(whole.left_out_losses(y)[0].mean())
    assert "That alone moves the leave-one-out" in found.remarks[0]
    curve = size_curve(whole, (15,))
    assert curve.vectors.tolist() == [15, count]
    np.testing.assert_allclose(curve.loss, [found.loss, found.loss_before])
    if not labels:
        lower, upper = small.predict_interval(X)
        assert 0.8 < np.mean((lower <= y) & (y <= upper)) <= 1.0
        assert np.all(small.predict(X, return_std=True)[1] > 0.0)


@pytest.mark.parametrize("labels", [True, False])
def test_a_mixture_loses_what_grows_with_the_rows_even_if_it_keeps_its_landmarks(labels):
    whole = mixture(labels)
    assert landmarks_of(whole) == 0
    forest = next(member for member in whole.members if member.candidate.machine == "forest")
    door = copy(reduce(whole, 25).model)
    machines = door.members
    record, known = door.model_, known_rows(door.model_)
    trees = replace(forest.component, left_out=forest.component.left_out[known.numbers])
    head = replace(record.head, weights=np.append(0.7 * door.shares, 0.3))
    door.model_ = replace(record, components=(*record.components, trees), head=head)
    door._members = (*machines, replace(forest, component=trees))
    assert landmarks_of(door) == 25
    found = reduce(door, 40)
    assert found.vectors == found.vectors_before == 25
    assert len(found.model.members) == len(machines)
    assert "Left out to save room: the forest, with 30 % of the weight. That alone moves" in found.remarks[0]
    assert found.loss == pytest.approx(reduce(whole, 25).loss)


def test_a_spread_that_differs_between_rows_stays_with_them(monkeypatch):
    rng = np.random.default_rng(1)
    y = X[:, 0] + np.exp(X[:, 1]) * rng.normal(size=100)
    whole = KernelRegressor("fast", random_state=0).fit(X, y)
    assert whole.spread_differs
    monkeypatch.setattr("kernelect.selection.landmarks.intervals._KEPT_ROWS", 60)
    once = reduce(whole, 30).model
    twice = reduce(once, 15).model
    rows = twice.model_.training.numbers
    assert len(rows) == 60
    for small, places in ((once, np.arange(100)), (twice, rows)):
        lower, upper = small.predict_interval(X)
        assert np.corrcoef(np.log(upper - lower), X[:, 1])[0, 1] > 0.5
        deviation = small.predict(X, return_std=True)[1]
        assert np.corrcoef(np.log(deviation), X[:, 1])[0, 1] > 0.5
        scaled = (y[places] - small.model_.training.left_out[:, 0]) / deviation[places]
        assert 0.5 < np.sqrt(np.mean(scaled**2)) < 1.5


@pytest.mark.parametrize("labels", [True, False])
def test_what_trees_cost_is_measured_on_the_rows_that_machines_on_landmarks_keep(labels, monkeypatch):
    monkeypatch.setattr("kernelect.selection.landmarks.request.EXACT_ROWS", 100)
    monkeypatch.setattr("kernelect.selection.landmarks.intervals._KEPT_ROWS", 70)
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(300, 2))
    y = np.sin(2.0 * rows[:, 0]) + (rows[:, 1] > 0.3) + 0.2 * rng.normal(size=300)
    door = (KernelClassifier if labels else KernelRegressor)("fast", random_state=0).fit(rows, y > 0.5 if labels else y)
    assert any(member.candidate.machine == "forest" for member in door.members)
    assert landmarks_of(door) > 0
    assert len(known_rows(door.model_).rows) == 70
    found = reduce(door, 20)
    assert "Left out to save room: " in found.remarks[0]
