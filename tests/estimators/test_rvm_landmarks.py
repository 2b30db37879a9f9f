"""RVC and RVR with candidate functions at landmarks: everything that the machines with one at every row offer."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from kernelect import RVC, RVR
from kernelect.dictionaries import KernelFunctions
from kernelect.estimators import _rvm_base, _rvm_centres
from kernelect.exceptions import InvalidArgument
from kernelect.kernels import RBF
from speeds import slowly

CRITERIA = ["cv", "evidence", "occam-evidence", "loo", "centre-evidence"]


def friedman(n=120, seed=0):
    return make_friedman1(n, n_features=5, noise=1.0, random_state=seed)


def labels(n=120, seed=0):
    X, y = friedman(n, seed)
    return X, y > 14.0


def machine(regression, **options):
    return (RVR if regression else RVC)("rbf", random_state=0, **options)


def said(model, X):
    """Return what a machine says of rows, as numbers."""
    return model.predict(X) if isinstance(model, RVR) else model.decision_function(X)


@pytest.mark.parametrize("centres", ["movable", *slowly("data")])
@pytest.mark.parametrize(
    ("regression", "criterion"),
    [
        *((True, criterion) for criterion in CRITERIA),
        *((False, criterion) for criterion in CRITERIA[:2]),
        *slowly(*((False, criterion) for criterion in CRITERIA[2:])),
    ],
)
def test_all_rows_as_landmarks_are_the_machine_without(regression, criterion, centres):
    X, y = friedman(60) if regression else labels(60)
    options = {"criterion": criterion, "centres": centres}
    shuffled = np.random.default_rng(0).permutation(len(X))
    every, given = machine(regression, **options), machine(regression, landmarks=X[shuffled], **options)
    every.fit(X, y), given.fit(X, y)
    assert every.landmarks_ is None
    assert len(given.landmarks_) == len(X)
    np.testing.assert_array_equal(given.support_, every.support_)
    np.testing.assert_allclose(said(given, X), said(every, X), atol=1e-8)
    assert given.selection_.value == pytest.approx(every.selection_.value, rel=1e-9)


@pytest.mark.parametrize("landmarks", [25, "rows"])
@pytest.mark.parametrize("regression", [True, False], ids=["RVR", "RVC"])
def test_vectors_are_training_rows_among_the_landmarks(regression, landmarks):
    X, y = friedman() if regression else labels()
    model = machine(regression, landmarks=X[40:65] if landmarks == "rows" else landmarks).fit(X, y)
    assert model.landmarks_.shape == (25, 5)
    np.testing.assert_array_equal(X[model.support_], model.relevance_vectors_)
    assert all((model.landmarks_ == row).all(axis=1).any() for row in model.relevance_vectors_)
    assert np.all(np.diff(model.support_) > 0)


def test_more_landmarks_than_rows_are_all_rows():
    X, y = friedman(60)
    every, many = (machine(True, landmarks=each).fit(X, y) for each in (None, 60))
    assert many.landmarks_ is None
    np.testing.assert_array_equal(many.predict(X), every.predict(X))


def test_where_few_rows_span_all_others_fill_up_their_number():
    X = np.linspace(0.0, 1.0, 80)[:, None]
    model = RVR(RBF(0.01), landmarks=30).fit(X, np.sin(3.0 * X[:, 0]))  # at this width five rows span all
    assert len(np.unique(model.landmarks_, axis=0)) == 30


def test_auto_begins_beyond_some_number_of_rows(monkeypatch):
    X, y = friedman()
    monkeypatch.setattr(_rvm_centres, "LANDMARKS", 30)
    monkeypatch.setattr(_rvm_centres, "EVERY_ROW", 120)
    assert machine(True).fit(X, y).landmarks_ is None
    monkeypatch.setattr(_rvm_centres, "EVERY_ROW", 119)
    assert len(machine(True).fit(X, y).landmarks_) == 30
    assert machine(True, landmarks=None).fit(X, y).landmarks_ is None


def test_auto_is_every_row_up_to_two_thousand():
    assert _rvm_centres.centre_request("auto", 2000, 3) is None
    request = _rvm_centres.centre_request("auto", 2001, 3)
    assert request.first == request.most == 1000


@pytest.mark.parametrize("regression", [True, False], ids=["RVR", "RVC"])
def test_the_order_of_rows_does_not_matter(regression):
    X, y = friedman() if regression else labels()
    order = np.random.default_rng(1).permutation(len(X))
    here = machine(regression, landmarks=30).fit(X, y)
    there = machine(regression, landmarks=30).fit(X[order], y[order])
    np.testing.assert_array_equal(np.sort(order[there.support_]), here.support_)
    np.testing.assert_allclose(said(there, X), said(here, X), rtol=1e-6, atol=1e-6)


def test_a_row_of_weight_two_is_a_row_given_twice():
    X, y = friedman(60)
    twice = np.concatenate([np.arange(60), np.arange(10)])
    weights = np.where(np.arange(60) < 10, 2.0, 1.0)
    weighted = machine(True, landmarks=20).fit(X, y, sample_weight=weights)
    copied = machine(True, landmarks=20).fit(X[twice], y[twice])
    np.testing.assert_allclose(copied.predict(X), weighted.predict(X), atol=1e-5)


def test_a_landmark_may_be_a_row_of_weight_zero():
    X, y = friedman(60)
    weights = np.where(np.arange(60) < 30, 0.0, 1.0)
    model = machine(True, landmarks=X[:30]).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(X[model.support_], model.relevance_vectors_)
    assert model.support_.max() < 30


@pytest.mark.slow
def test_several_classes_are_calibrated_on_landmarks():
    X, y = friedman(150)
    classes = np.digitize(y, np.quantile(y, [0.33, 0.67]))
    model = RVC("rbf", landmarks=40, random_state=0).fit(X, classes)
    assert model.score(X, classes) > 0.7
    every = RVC("rbf", landmarks=X, random_state=0).fit(X, classes)
    exact = RVC("rbf", landmarks=None, random_state=0).fit(X, classes)
    np.testing.assert_allclose(every.predict_proba(X), exact.predict_proba(X), atol=1e-8)


def test_evidence_by_size_is_that_of_the_vectors():
    X, y = friedman()
    model = machine(True, landmarks=30).fit(X, y)
    size, evidence = model.evidence_by_size(X, y)
    assert size[0] <= len(model.support_) + 1
    assert evidence[0] == pytest.approx(evidence.max(), abs=3.0)


def test_models_on_landmarks_are_copied_whole():
    X, y = friedman()
    model = machine(True, landmarks=30).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.landmarks_, model.landmarks_)


@pytest.mark.parametrize(
    ("landmarks", "words"),
    [
        ("some", "must be 'auto', None"),
        (0, "whole number of at least 1"),
        (True, "must be 'auto', None"),
        (np.zeros((3, 2)), "has 2 columns and X has 5"),
        (np.full((1, 5), np.nan), "finite"),
        (np.full((1, 5), 0.5), "a row 0 that X does not have: give rows of X"),
    ],
    ids=str,
)
def test_what_cannot_be_a_landmark_is_refused(landmarks, words):
    with pytest.raises(InvalidArgument, match=words):
        machine(True, landmarks=landmarks).fit(*friedman(30))


def test_landmarks_need_a_kernel_of_the_inputs():
    X, y = friedman(30)
    with pytest.raises(InvalidArgument, match="kernel='precomputed' takes kernel values"):
        RVR("precomputed", landmarks=10).fit(RBF(1.0).gram(X), y)
    with pytest.raises(InvalidArgument, match="dictionary= has functions of its own"):
        RVR(dictionary=KernelFunctions("rbf"), landmarks=10).fit(X, y)
    assert RVR(dictionary="linear").fit(X, y).landmarks_ is None


@pytest.mark.slow
@pytest.mark.parametrize("regression", [True, False], ids=["RVR", "RVC"])
def test_three_thousand_rows(regression):
    X, y = friedman(3000) if regression else labels(3000)
    model = (RVR if regression else RVC)(random_state=0).fit(X, y)
    assert model.landmarks_.shape == (1000, 5)
    fresh = friedman(1000, seed=1) if regression else labels(1000, seed=1)
    assert model.score(*fresh) > (0.94 if regression else 0.9)


@pytest.mark.parametrize("regression", [True, False], ids=["RVR", "RVC"])
def test_a_search_leaves_time_for_the_last_fit(regression, monkeypatch):
    limits, select = [], _rvm_base.select

    def noted(objective, options):
        limits.append(options.deadline.left())
        return select(objective, options)

    monkeypatch.setattr(_rvm_base, "select", noted)
    machine(regression, time_limit=100.0).fit(*(friedman(60) if regression else labels(60)))
    assert 60.0 < limits[0] <= 75.0


@pytest.mark.parametrize("columns", [[0, 1, 2], [2, 0, 1]])
def test_landmarks_have_the_columns_in_their_given_order(columns):
    generator = np.random.default_rng(4)
    X = generator.normal(size=(60, 3)) * [1.0, 10.0, 0.1]
    y = np.sin(X[:, 0]) + 0.1 * generator.normal(size=60)
    X = X[:, columns]
    fitted = RVR("rbf", landmarks=X[::3]).fit(X, y)
    np.testing.assert_array_equal(np.sort(fitted.landmarks_, axis=0), np.sort(X[::3], axis=0))
    assert {tuple(row) for row in fitted.relevance_vectors_} <= {tuple(row) for row in X[::3]}
    drawn = RVR("rbf", landmarks=20).fit(X, y)
    assert {tuple(row) for row in drawn.landmarks_} <= {tuple(row) for row in X}
