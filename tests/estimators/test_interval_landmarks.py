"""``landmarks=`` of GPR and OrdinalGPC."""

import numpy as np
import pytest

import kernelect
from kernelect import GPR, OrdinalGPC
from kernelect.criteria import EPEvidence
from kernelect.exceptions import InvalidArgument
from kernelect.kernels import ARD, Constant
from kernelect.machines import EP, Interval
from kernelect.selection import Rows, join_intervals, noise_space, ordered_space, started_as_given
from kernelect.selection.landmarks import LandmarkEvidence, evidence, request

N = 240
KERNEL = Constant("auto") * ARD() + Constant("auto")


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(evidence, "EXACT_PART", 120)
    monkeypatch.setattr(evidence, "MORE_ROWS", 200)


def data(n=N, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    truth = np.sin(2.0 * X[:, 0]) + X[:, 1]
    return X, truth, truth + 0.3 * rng.normal(size=n)


def limits_of(y):
    return np.where(y < -0.5, -np.inf, y), np.where(y < -0.5, -0.5, y)


def grades_of(y):
    return np.digitize(y, [-1.0, 0.0, 1.0])


def objective(ordered):
    X, _, y = data(40)
    targets = grades_of(y)[:, None].astype(float) if ordered else np.column_stack(limits_of(y))
    started = started_as_given(KERNEL, X, pairwise=False)
    space = ordered_space(4) if ordered else noise_space(1.0)
    rows = Rows(X=X, targets=targets, weights=np.ones(len(X)))
    return join_intervals(rows, started, EP(Interval(), tol=1e-11), EPEvidence(), None, space)


@pytest.mark.parametrize("ordered", [False, True])
def test_all_rows_as_landmarks_have_the_evidence_of_the_exact_machine(ordered):
    exact = objective(ordered)
    theta = exact.space.start + 0.1
    for ours, theirs in zip(LandmarkEvidence.of(exact, exact.X)(theta), exact(theta), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("ordered", [False, True])
def test_the_gradient_is_that_of_differences(ordered):
    """In kernel, noise and thresholds."""
    exact = objective(ordered)
    some, theta = LandmarkEvidence.of(exact, exact.X[::4]), exact.space.start + 0.1
    gradient = some(theta)[1]
    for k in range(len(theta)):
        step = 1e-5 * np.eye(len(theta))[k]
        slope = (some.value(theta + step) - some.value(theta - step)) / 2e-5
        assert gradient[k] == pytest.approx(slope, rel=1e-4, abs=1e-7)


def test_a_few_landmarks_do_what_all_rows_do():
    X, _, y = data()
    V, truth, new = data(600, seed=1)
    some, exact = (GPR("rbf", landmarks=m).fit(X, limits_of(y)) for m in (40, None))
    off = [np.sqrt(np.mean((model.predict(V) - truth) ** 2)) for model in (some, exact)]
    assert off[0] < 1.1 * off[1]
    assert some.dual_coef_.shape == (40,)
    assert some.landmarks_.shape == (40, 2)
    assert exact.landmarks_ is None
    assert "40 landmarks" in some.selection_.status
    held = [np.mean((new > lower) & (new < upper)) for lower, upper in (m.predict_interval(V) for m in (some, exact))]
    assert held[0] == pytest.approx(held[1], abs=0.03)
    assert some.loo_log_likelihood_.mean() == pytest.approx(exact.loo_log_likelihood_.mean(), abs=0.05)
    some, exact = (OrdinalGPC("rbf", landmarks=m).fit(X, grades_of(y)) for m in (40, None))
    assert some.score(V, grades_of(new)) > exact.score(V, grades_of(new)) - 0.02
    assert some.loo_log_likelihood_.mean() == pytest.approx(exact.loo_log_likelihood_.mean(), abs=0.05)


def test_auto_begins_where_the_exact_machine_ends(monkeypatch):
    X, _, y = data()
    monkeypatch.setattr(request, "FIRST", 25)
    for most, count in ((N, None), (N - 1, 25)):
        monkeypatch.setattr(request, "EXACT_ROWS", most)
        for found in (GPR("rbf").fit(X, y).landmarks_, OrdinalGPC("rbf").fit(X, grades_of(y)).landmarks_):
            assert (found is None) if count is None else (len(found) == count)
    assert GPR("rbf").fit(X, y, groups=np.arange(N) // 2).landmarks_ is None
    with pytest.raises(InvalidArgument, match="landmarks=20 and groups= exclude each other"):
        GPR("rbf", landmarks=20).fit(X, y, groups=np.arange(N) // 2)


def test_the_model_is_saved(tmp_path):
    X, _, y = data()
    model = GPR("rbf", landmarks=20).fit(X, limits_of(y))
    model.model_.save(tmp_path / "model.kernelect")
    again = kernelect.load(tmp_path / "model.kernelect")
    np.testing.assert_allclose(again.predictions(X), model.predict(X), rtol=1e-10)
