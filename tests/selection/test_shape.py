"""Relative widths from a least-squares machine: tried without a gradient, kept where rows held out ask for them."""

from types import SimpleNamespace

import numpy as np
import pytest

from kernelect import RVC, RVR
from kernelect.datasets import twonorm
from kernelect.kernels import ARD
from kernelect.selection import shape
from kernelect.selection.parts import SCANNING_STAGES
from speeds import slowly

LABEL = "widths of a least-squares machine"


def few_of_many(n=160, d=10, seed=0):
    """Two of the inputs decide, by their product."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=n) > 0


def uneven(model):
    """Return by how many log units the widths differ beyond the inputs' spread."""
    return np.ptp(np.log(model.kernel_.gamma) + 2.0 * np.log(model._scales))


def with_scales(model, X):
    model._scales = X.std(axis=0)
    return model


def test_inputs_that_matter_are_found_where_few_do():
    X, y = few_of_many()
    model = with_scales(RVC().fit(X, y), X)
    assert model.selection_.runs[-1] == LABEL
    assert uneven(model) > 3.0
    assert model.feature_importances_[:2].sum() > 0.9
    fresh = few_of_many(1000, seed=1)
    assert model.score(*fresh) > 0.8
    tied = RVC(ARD(model._scales**-2.0 * 0.05)).fit(X, y)  # about the best of those that are tied
    assert model.score(*fresh) > tied.score(*fresh) + 0.05


def test_constant_inputs_have_no_part_in_a_shape():
    X, y = few_of_many(120, 5)
    X[:, 3] = 7.0
    model = RVC().fit(X, y)
    assert model.kernel_.gamma[3] == 0.0
    assert model.selection_.runs[-1] == LABEL
    assert model.feature_importances_[:2].sum() > 0.9


def test_no_point_is_evaluated_twice():
    X, y = few_of_many()
    selection = RVC().fit(X, y).selection_
    trace, begun_again = selection.trace, len(selection.runs) - 1  # a stage begins where the one before has ended
    assert len(np.unique(trace.theta, axis=0)) >= len(trace) - begun_again


def test_widths_stay_tied_where_all_inputs_matter_alike():
    X, y = twonorm(120, random_state=0)
    assert uneven(with_scales(RVC().fit(X, y), X)) < 1e-6


def test_an_even_shape_is_not_tried(monkeypatch):
    """Counted in runs of the search: less than a log unit between the widths is not worth ten evaluations."""
    X, y = few_of_many(80, 3)
    for spread, tried in ((0.9, False), (1.1, True)):
        monkeypatch.setattr(shape, "asked_shape", lambda run, stages, s=spread: np.array([s, 0.0, 0.0]))
        assert (LABEL in RVC().fit(X, y).selection_.runs) == tried


@pytest.mark.parametrize(
    ("gain", "noise", "better"), [(1.0, 0.1, True), (1.0, 6.0, False), (-1.0, 0.1, False), (0.0, 0.0, False)]
)
def test_a_shape_has_to_be_clearly_better(gain, noise, better):
    """By two standard errors of the mean difference over 100 rows: 0.6 per row is one where the noise is 6."""
    losses = {b"now": np.ones(100) + gain, b"there": np.ones(100) + noise * np.tile([1.0, -1.0], 50)}
    rows = {"X": np.arange(100.0)[:, None], "targets": np.zeros((100, 1)), "weights": np.ones(100)}
    objective = SimpleNamespace(pointwise=lambda theta: losses[theta], **rows)
    run = SimpleNamespace(objective=objective, found=SimpleNamespace(theta=b"now"))
    assert shape._clearly_better(run, b"there") == better


@pytest.mark.parametrize(
    ("estimator", "applies"),
    [
        (RVC(), True),
        (RVR(criterion="cv"), True),
        (RVC("rbf"), False),
        (RVC(criterion="loo", max_iter=1), False),
        (RVC(criterion="evidence", max_iter=2), False),
        (RVC(ARD([0.1, 0.1, 0.1])), False),
        (RVC(dictionary="rbf"), False),
        *slowly((RVC(search="nelder-mead", max_iter=30), False)),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_where_it_applies(estimator, applies, monkeypatch):
    X, y = few_of_many(60, 3)
    asked = []
    monkeypatch.setattr(shape, "asked_shape", lambda run, stages: asked.append(1) or np.zeros(3))
    estimator.fit(X, y.astype(float) if isinstance(estimator, RVR) else y)
    assert bool(asked) == applies


def test_it_is_one_of_the_stages():
    assert sum(isinstance(stage, shape.LeastSquaresShape) for stage in SCANNING_STAGES) == 1


def test_copies_of_rows_and_their_weights_ask_for_the_same_shape():
    X = np.array([[0.0, 1.0], [2.0, 3.0], [0.0, 1.0], [4.0, 5.0], [2.0, 3.0]])
    y = np.array([[1.0], [0.0], [1.0], [0.0], [1.0]])
    first, copies = shape._merged(SimpleNamespace(X=X, targets=y))
    np.testing.assert_array_equal(first, [0, 1, 3, 4])
    np.testing.assert_array_equal(copies, [0, 1, 0, 2, 3])
