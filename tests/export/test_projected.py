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
        LSSVR(RBF(0.5), regularization=0.1, landmarks=40).fit(X, REAL),
        LSSVC(RBF(0.5), regularization=0.1, landmarks=40).fit(X, LABELS > 0),
        LSSVC(RBF(0.5), regularization=0.1, landmarks=40).fit(X, LABELS),
        make_pipeline(StandardScaler(), LSSVR(RBF(0.5), regularization=0.1, landmarks=40)).fit(X, REAL),
    ],
    ids=["numbers", "two classes", "three classes", "pipeline"],
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
    expected = small.predict_proba(X) if hasattr(small, "classes_") else small.predict(X)[:, None]
    np.testing.assert_allclose(evaluate(program_of(small), X)[-1], expected, atol=1e-9)


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
