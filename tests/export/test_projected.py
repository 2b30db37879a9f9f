"""Models on landmarks with fewer of them: nearest to what they say, and still exported as they predict."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from instances import wavy
from kernelect import LSSVC, LSSVR
from kernelect.export.evaluate import evaluate
from kernelect.export.models import program_of
from kernelect.export.projected import landmarks_of, on_fewer_landmarks
from kernelect.export.reduce import reduce
from kernelect.kernels import RBF
from oracles.exported import mixture

X, REAL, _ = wavy(150)
LABELS = np.digitize(REAL, np.quantile(REAL, [0.3, 0.6]))


def generator():
    return np.random.default_rng(0)


@pytest.mark.parametrize(
    "model",
    [
        LSSVC(RBF(0.5), regularization=0.1, landmarks=40).fit(X, LABELS > 0),
        LSSVC(RBF(0.5), regularization=0.1, landmarks=40).fit(X, LABELS),
        make_pipeline(StandardScaler(), LSSVC(RBF(0.5), regularization=0.1, landmarks=40)).fit(X, LABELS),
    ],
    ids=["two classes", "three classes", "pipeline"],
)
def test_what_is_said_at_the_landmarks_is_met_by_least_squares(model):
    assert landmarks_of(model) == 40
    small, remarks = on_fewer_landmarks(model, 15, generator())
    assert landmarks_of(small) == 15
    assert remarks == ()
    machine, fewer = (each[-1] if hasattr(each, "steps") else each for each in (model, small))
    assert {tuple(z) for z in fewer.landmarks_} < {tuple(z) for z in machine.landmarks_}
    Z = machine.landmarks_
    design = np.column_stack([fewer.kernel_.cross(Z, fewer.landmarks_), np.ones(40)])
    rest = machine._decide(Z) - fewer._decide(Z)
    np.testing.assert_allclose(design.T @ rest, 0.0, atol=1e-9)  # the normal equations
    np.testing.assert_allclose(evaluate(program_of(small), X)[-1], small.predict_proba(X), atol=1e-9)
    found = reduce(model, 15)
    moved = np.sqrt(np.mean((found.model.predict_proba(X) - model.predict_proba(X)) ** 2))
    assert (found.vectors, found.vectors_before, found.score) == (15, 40, "probabilities")
    assert 0.2 * moved < found.loss < 5.0 * moved  # other rows than the landmarks
    assert f"15 of 40 landmarks are kept: at all 40 of them the probabilities move by {found.loss:.2g}" in (
        found.in_words()
    )


@pytest.mark.parametrize("weights", [None, 1.0 + (np.arange(150) % 3)], ids=["plain", "weighted"])
@pytest.mark.parametrize("targets", [REAL, np.column_stack([REAL, X[:, 0]])], ids=["one", "two"])
def test_fewer_landmarks_of_numbers_are_a_refit_of_all_rows(targets, weights):
    model = LSSVR(RBF(0.5), regularization=0.1, landmarks=40).fit(X, targets, weights)
    found = reduce(model, 15)
    small, kept = found.model, found.model.landmarks_
    again = LSSVR(RBF(0.5), regularization=0.1, landmarks=kept, prior=None).fit(X, targets, weights)
    np.testing.assert_allclose(small.predict(X), again.predict(X), atol=1e-9)
    rows = small._interval_rows
    errors = np.array([without(row, kept, targets, weights) for row in rows])
    np.testing.assert_allclose(small._spread.residuals, errors, atol=1e-9)
    variance = targets[rows].reshape(len(rows), -1).var(axis=0)
    assert found.loss == pytest.approx(np.mean(errors**2 / variance))
    assert found.loss > found.loss_before
    assert "15 of 40 vectors are kept: the leave-one-out squared error is" in found.in_words()
    lower, upper = small.predict_interval(X)
    assert 0.8 < np.mean((lower <= targets) & (targets <= upper)) <= 1.0
    before, after = (each.predict(X, return_std=True)[1].mean() for each in (model, small))
    assert after > before
    expected = small.predict(X).reshape(len(X), -1)
    np.testing.assert_allclose(evaluate(program_of(small), X)[-1].reshape(expected.shape), expected, atol=1e-9)


def without(row, landmarks, targets, weights):
    """Return the error at a row of the machine fitted without it, and without the landmark that it is."""
    others, own = np.arange(len(X)) != row, (landmarks == X[row]).all(axis=1)
    machine = LSSVR(RBF(0.5), regularization=0.1, landmarks=landmarks[~own], prior=None)
    machine.fit(X[others], targets[others], None if weights is None else weights[others])
    return np.atleast_1d(targets[row] - machine.predict(X[[row]])[0])


def test_groups_keep_their_residuals():
    groups = np.arange(150) // 3
    model = LSSVR(RBF(0.5), regularization=0.1, landmarks=40).fit(X, REAL, groups=groups)
    found = reduce(model, 30)
    assert found.score == "predictions"
    assert "in standard deviations of the predictions" in found.in_words()
    again = LSSVR(RBF(0.5), regularization=0.1, landmarks=found.model.landmarks_, prior=None)
    again.fit(X, REAL, groups=groups)
    ends = [np.array(each.predict_interval(X[:5])) for each in (found.model, again)]
    np.testing.assert_allclose(ends[0], ends[1], atol=0.3 * REAL.std())
    np.testing.assert_array_equal(found.model._spread.residuals, model._spread.residuals)


def test_enough_landmarks_are_kept_as_they_are():
    model = LSSVR(RBF(0.5), regularization=0.1, landmarks=40).fit(X, REAL)
    np.testing.assert_array_equal(on_fewer_landmarks(model, 40, generator())[0].predict(X), model.predict(X))
    assert landmarks_of(LSSVR(RBF(0.5), regularization=0.1).fit(X, REAL)) == 0


@pytest.mark.parametrize("labels", [True, False])
def test_mixtures_keep_their_weights_and_lose_what_grows_with_the_rows(labels):
    whole = mixture(labels)
    assert landmarks_of(whole) == 0
    forest = next(member for member in whole._members if member.candidate.machine == "forest")
    door = reduce(whole, 25).model
    weights = door._weights
    door._members, door._weights = (*door._members, forest), np.append(0.7 * weights, 0.3)
    small, remarks = on_fewer_landmarks(door, 10, generator())
    assert landmarks_of(door) == 25
    assert landmarks_of(small) == 10
    assert "the forest, with 30 % of the weight" in remarks[0]
    np.testing.assert_allclose(small._weights, weights)
    found = reduce(door, 10)
    assert (found.vectors, found.vectors_before, found.remarks) == (10, 25, remarks)
    assert found.score == ("probabilities" if labels else "predictions")
    assert 0.0 < found.loss < 1.0
