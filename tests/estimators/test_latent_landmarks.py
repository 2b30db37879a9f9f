"""``landmarks=`` of GPC and SVC."""

import numpy as np
import pytest

import kernelect
from kernelect import GPC, SVC
from kernelect.exceptions import InvalidArgument
from kernelect.kernels import ARD, RBF, Constant
from kernelect.selection.landmarks import evidence, request

N = 240


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(evidence, "EXACT_PART", 80)
    monkeypatch.setattr(evidence, "MORE_ROWS", 150)


def data(n=N, seed=0, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    f = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n)
    return X, np.array(["low", "middle", "high"])[: classes + 1][np.digitize(f, np.linspace(-1, 1, classes + 1)[1:-1])]


def log_loss(model, X, y):
    proba = model.predict_proba(X)
    return -np.mean(np.log(proba[np.arange(len(y)), np.searchsorted(model.classes_, y)]))


@pytest.mark.parametrize("machine", [GPC, SVC])
def test_a_few_landmarks_do_what_all_rows_do(machine):
    X, y = data()
    V, z = data(600, seed=1)
    some, exact = machine("rbf", landmarks=40).fit(X, y), machine("rbf", landmarks=None).fit(X, y)
    assert log_loss(some, V, z) < log_loss(exact, V, z) + 0.02
    assert some.dual_coef_.shape == (40,)
    assert "40 landmarks" in some.selection_.status
    assert some.score(V, z) > exact.score(V, z) - 0.02


def test_all_rows_as_landmarks_are_the_exact_machine():
    X, y = data()
    kernel = Constant(2.0) * ARD(gamma=[0.5, 0.3]) + Constant(0.1)
    some, exact = GPC(kernel, landmarks=X).fit(X, y), GPC(kernel, landmarks=None).fit(X, y)
    np.testing.assert_allclose(some.predict_proba(X), exact.predict_proba(X), atol=1e-4)
    np.testing.assert_allclose(some.loo_proba_, exact.loo_proba_, atol=1e-4)
    assert some.log_marginal_likelihood_value_ == pytest.approx(exact.log_marginal_likelihood_value_, rel=1e-5)
    assert some.selection_.value == pytest.approx(exact.selection_.value, rel=1e-5)
    for ours, theirs in zip(some.latent_mean_and_variance(X), exact.latent_mean_and_variance(X), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_the_leave_one_out_of_three_classes_is_honest():
    X, y = data(classes=3)
    V, z = data(600, seed=1, classes=3)
    model = GPC("rbf", landmarks=30).fit(X, y)
    own = -np.mean(np.log(model.loo_proba_[np.arange(N), np.searchsorted(model.classes_, y)]))
    assert abs(own - log_loss(model, V, z)) < 0.1
    assert model.landmarks_.shape == (30, 2)


def test_auto_begins_where_the_exact_machine_ends(monkeypatch):
    X, y = data()
    monkeypatch.setattr(request, "EXACT_ROWS", N)
    assert GPC("rbf").fit(X, y).landmarks_ is None
    monkeypatch.setattr(request, "EXACT_ROWS", N - 1)
    monkeypatch.setattr(request, "FIRST", 25)
    assert len(GPC("rbf").fit(X, y).landmarks_) == 25
    assert len(SVC("rbf").fit(X, y).support_) == 25
    kernel = 2.0 * RBF(0.5) + Constant(0.1)
    assert GPC(kernel, criterion="loo").fit(X, y).landmarks_ is None
    assert len(SVC(kernel, C=1.0, criterion="span").fit(X, y).support_vectors_) != 25


def test_landmarks_of_an_svc_are_rows_with_numbers_unless_they_were_given():
    X, y = data()
    model = SVC("rbf", landmarks=20).fit(X, y)
    np.testing.assert_array_equal(X[model.support_], model.support_vectors_)
    given = SVC("rbf", landmarks=X[:15]).fit(X, y)
    np.testing.assert_array_equal(given.support_, np.full(15, -1))


def test_weights_count_rows():
    X, y = data()
    weights = np.random.default_rng(0).integers(0, 3, N)
    kernel = Constant(2.0) * ARD(gamma=[0.5, 0.3]) + Constant(0.1)
    Z = X[:30]
    weighted = GPC(kernel, landmarks=Z).fit(X, y, weights)
    repeated = GPC(kernel, landmarks=Z).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-6)


@pytest.mark.filterwarnings("ignore:.*time")
def test_short_time_leaves_fewer_landmarks():
    X, y = data(3000)
    model = GPC("rbf", landmarks=200, time_limit=1e-3).fit(X, y)
    assert len(model.landmarks_) == 50
    assert model.short_of_time


def test_the_model_is_saved(tmp_path):
    X, y = data()
    model = GPC("rbf", landmarks=20).fit(X, y)
    model.model_.save(tmp_path / "model.kernelect")
    np.testing.assert_allclose(
        kernelect.load(tmp_path / "model.kernelect").probabilities(X), model.predict_proba(X), rtol=1e-10
    )


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (GPC(landmarks=0), "landmarks=0 must be"),
        (GPC(landmarks=20, early_stopping=True), "landmarks=20 and early_stopping=True exclude each other"),
        (GPC(landmarks=20, criterion="loo"), "landmarks=20 and criterion='loo' exclude each other"),
        (SVC(landmarks=20, criterion="span"), "landmarks=20 and a plain machine"),
        (SVC(landmarks=20, predictor="svm"), "landmarks=20 and a plain machine"),
        (SVC(landmarks=np.zeros((2, 3))), "landmarks has 3 columns and X has 2"),
        (GPC("precomputed", landmarks=20), "landmarks=20 and kernel='precomputed' exclude"),
    ],
)
def test_what_does_not_go_with_landmarks_is_refused_in_words(model, message):
    X, y = data(60)
    with pytest.raises(InvalidArgument, match=message):
        model.fit(X @ X.T if model.kernel == "precomputed" else X, y)
