"""Selection: stages, traces, and that the optimum found is one."""

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as sk

from kernelect import LSSVC, LSSVR
from kernelect.criteria import PRESS
from kernelect.datasets import sparse_inputs, twonorm
from kernelect.kernels import ARD, RBF, Constant, Linear


@pytest.fixture(scope="module")
def problem():
    return sparse_inputs(150, n_features=6, random_state=0)


@pytest.mark.parametrize("search", ["lbfgs", "scg"])
def test_the_gradient_vanishes_at_the_selected_point(problem, search):
    model = LSSVC(search=search, tol=1e-6, prior="shrinkage").fit(*problem)
    best = int(np.argmin(np.abs(model.selection_.trace.value - model.selection_.value)))
    assert model.selection_.trace.gradient_norm[best] < 0.05 * model.selection_.trace.gradient_norm[0]
    assert model.selection_.converged


def test_elliptical_searches_start_from_the_spherical_optimum(problem):
    X, y = problem
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = LSSVC(prior=None).fit(X, y)
    spherical = LSSVC("rbf").fit(X, y)
    first_stage = model.selection_.trace.run == 0
    assert model.selection_.trace.value[first_stage].min() == pytest.approx(spherical.selection_.value, rel=1e-3)
    theta = model.selection_.trace.theta[first_stage][:, :6]
    np.testing.assert_allclose(theta, np.broadcast_to(theta[:, :1], theta.shape))
    assert model.selection_.value < spherical.selection_.value


def test_relevant_inputs_are_found():
    model = LSSVC().fit(*sparse_inputs(400, n_features=6, random_state=0))
    assert model.feature_importances_[:3].min() > 5 * model.feature_importances_[3:].max()


def test_restarts_are_never_worse_and_do_not_depend_on_n_jobs(problem):
    one = LSSVC(prior=None, n_restarts=3, random_state=0, n_jobs=1).fit(*problem)
    two = LSSVC(prior=None, n_restarts=3, random_state=0, n_jobs=2).fit(*problem)
    assert one.selection_.value == two.selection_.value
    np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)
    assert one.selection_.value <= LSSVC(prior=None).fit(*problem).selection_.value


def test_the_order_of_rows_does_not_matter(problem, rng):
    X, y = problem
    order = rng.permutation(len(X))
    straight, mixed = LSSVC().fit(X, y), LSSVC().fit(X[order], y[order])
    assert mixed.selection_.value == pytest.approx(straight.selection_.value, rel=1e-6)
    np.testing.assert_allclose(mixed.loo_decision_, straight.loo_decision_[order], atol=1e-3)


def test_the_trace_is_a_table_with_a_row_per_evaluation(problem):
    selection = LSSVC().fit(*problem).selection_
    frame = selection.to_frame()
    assert len(frame) == selection.n_evaluations
    assert selection.value in frame["best"].to_numpy()
    last = frame.filter(like="log ").iloc[-1]
    np.testing.assert_allclose(last, selection.theta)  # the recalibrated point
    assert {"run", "seconds", "value", "log gamma[0]", "log regularization"} <= set(frame.columns)
    assert frame["seconds"].is_monotonic_increasing


def test_composite_kernels_select_their_auto_parameters_only(rng):
    X = rng.normal(size=(80, 2))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=80)
    model = LSSVR(RBF("auto") + Constant("auto") * Linear(), regularization=0.05).fit(X, y)
    assert model.regularization_ == pytest.approx(0.05)
    assert set(model.selection_.names) == {"gamma", "constant", "regularization"}
    fixed = LSSVR(2.0 * ARD([0.1, 0.5]) + Constant(0.1)).fit(X, y)
    np.testing.assert_allclose(fixed.kernel_.theta, np.log([2.0, 0.1, 0.5, 0.1]))


@pytest.mark.parametrize("n_restarts", [0, 2])
def test_observers_see_every_evaluation_numbered_through(problem, n_restarts):
    seen = []
    model = LSSVC(verbose=seen.append, n_restarts=n_restarts, random_state=0).fit(*problem)
    assert [row.number for row in seen] == list(range(1, model.selection_.n_evaluations + 1))
    np.testing.assert_array_equal([row.run for row in seen], model.selection_.trace.run)
    np.testing.assert_allclose([row.theta for row in seen], model.selection_.trace.theta)
    assert len(model.selection_.runs) == len({row.run for row in seen})


def test_the_time_limit_gives_the_best_so_far_and_one_warning():
    X, y = twonorm(300, random_state=0)
    with pytest.warns(UserWarning, match="LSSVC: model selection stopped at the time limit") as caught:
        model = LSSVC(time_limit=0.0).fit(X, y)
    assert len(caught) == 1
    assert "recalibrated" not in model.selection_.runs
    assert not model.selection_.converged
    assert np.mean(model.predict(X) == y) > 0.9


@pytest.mark.parametrize("kernel", ["rbf", "ard"])
@pytest.mark.parametrize("search", ["lbfgs", "scg", "nelder-mead"])
def test_the_units_of_the_target_do_not_matter(kernel, search, rng):
    X = rng.uniform(size=(60, 2))
    y = np.sin(5 * X[:, 0]) + 0.1 * rng.normal(size=60)
    plain = LSSVR(kernel, prior=None, search=search).fit(X, y)
    tiny = LSSVR(kernel, prior=None, search=search).fit(X, 1e-6 * y)
    assert tiny.selection_.n_evaluations == pytest.approx(plain.selection_.n_evaluations, abs=3)
    np.testing.assert_allclose(1e6 * tiny.predict(X), plain.predict(X), rtol=1e-3, atol=1e-3)


def test_a_trial_point_that_cannot_be_solved_does_not_end_the_search(problem):
    X, _ = problem
    model = LSSVR(sk.ExpSineSquared(20.0, 30.0)).fit(X, np.sin(X[:, 0]))
    assert np.isfinite(model.selection_.value)


def test_the_simplex_pays_for_no_gradient(problem, monkeypatch):
    def refuse(self, fitted):
        raise AssertionError("a gradient was computed")

    monkeypatch.setattr(PRESS, "value_and_gradient", refuse)
    assert LSSVC("rbf", search="nelder-mead", prior=None).fit(*problem).selection_.converged


def test_a_parameter_at_its_bound_is_said(problem):
    X, y = problem
    model = LSSVC(prior=None).fit(np.column_stack([X, np.random.default_rng(0).normal(size=(len(X), 12))]), y)
    assert model.selection_.at_bound
    assert f"at the bound of the search: {model.selection_.at_bound[0]}" in model.selection_.status


@pytest.mark.slow
def test_a_sparse_answer_is_found_behind_an_almost_linear_spherical_kernel():
    """Two of twenty inputs matter; from the spherical optimum alone the search ends at three times the error."""
    from sklearn.model_selection import StratifiedKFold

    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 20))
    y = (np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=1000) > 0).astype(int)
    train, test = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))[4]
    model = LSSVC().fit(X[train], y[train])
    assert np.mean(model.predict(X[test]) != y[test]) < 0.1
    assert model.feature_importances_[:2].sum() > 0.8
