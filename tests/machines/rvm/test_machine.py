"""The sequential and classical algorithms against recomputation and against each other."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from instances import wavy
from kernelect.datasets import twonorm
from kernelect.kernels import RBF
from kernelect.machines import RVM, Classical, Sequential
from kernelect.machines.rvm import sequential as rvm_fit
from kernelect.machines.rvm.likelihoods import Bernoulli
from kernelect.machines.rvm.linear import Columns, LinearModel
from kernelect.machines.rvm.machine import active_design
from kernelect.machines.rvm.noise import KnownNoise, ProfiledNoise
from kernelect.machines.rvm.posterior import find_mode
from oracles.rvm import laplace_evidence, normal_evidence
from speeds import slowly


def linear_model(gram, t, noise, precision=None, least=1e-12):
    columns, n = Columns.of(gram), len(t)
    B = np.ones(n) if precision is None else np.full(n, precision)
    none = np.zeros(0, dtype=np.intp)
    least = np.full(len(columns), least)
    return LinearModel(columns, B, B * t, noise, none, np.zeros(0), least)


def recomputed(model, t, precision):
    Phi = model.columns.values[:, model.active]
    return normal_evidence(Phi, t, model.alpha, precision)


def test_evidence_equals_recomputation_after_every_step_with_known_noise():
    X, t, _ = wavy()
    model = linear_model(RBF(0.5).gram(X), t, KnownNoise(), precision=8.0)
    value = normal_evidence(np.zeros((60, 1)), t, np.ones(1), 8.0)
    kinds = set()
    for _ in range(150):
        function, alpha, gain = model.best_action()
        if gain < 1e-9:
            break
        kinds.add("delete" if np.isinf(alpha) else "change" if function in model.active else "add")
        model.apply(function, alpha)
        value += gain
        assert recomputed(model, t, 8.0) == pytest.approx(value, abs=1e-6)
    assert {"add", "change"} <= kinds


def test_evidence_equals_recomputation_after_every_step_with_profiled_noise():
    X, t, _ = wavy()
    model = linear_model(RBF(0.5).gram(X), t, ProfiledNoise(60.0))

    def profile():
        Phi, beta = model.columns.values[:, model.active], 60.0 / model.energy
        return normal_evidence(np.column_stack([Phi, np.zeros(60)]), t, np.append(beta * model.alpha, 1.0), beta)

    value = profile()
    for _ in range(100):
        function, alpha, gain = model.best_action()
        if gain < 1e-9:
            break
        model.apply(function, alpha)
        value += gain
        assert profile() == pytest.approx(value, abs=1e-6)
    assert len(model.active) > 2


@pytest.mark.parametrize(
    "noise", [KnownNoise(), ProfiledNoise(60.0), ProfiledNoise(0.5)], ids=["known", "many rows", "half a row"]
)
def test_gain_at_the_best_precision_depends_on_one_ratio(noise):
    rng = np.random.default_rng(0)
    s, rest = np.exp(rng.normal(size=(2, 40)))
    rest = rest if noise.profiled else np.ones(40)
    ratio = np.append(rng.uniform(0.0, 0.9 if noise.profiled else 9.0, 39), 0.0)
    best = np.minimum(noise.best(s, ratio * s * rest, rest), 1e200)
    np.testing.assert_allclose(noise.most(ratio), noise.gain(best, s, ratio * s * rest, rest), atol=1e-12)
    shares = np.minimum([s_k * noise.best_share(x) for s_k, x in zip(s, ratio, strict=True)], 1e200)
    np.testing.assert_allclose(shares, best, rtol=1e-12)


@pytest.mark.parametrize("least", [3.0, *slowly(1e-6)], ids=["bounded", "free"])
@pytest.mark.parametrize("noise", [KnownNoise(), ProfiledNoise(30.0)], ids=["known", "profiled"])
def test_best_action_is_the_best_of_all_functions_and_precisions(noise, least):
    X, t, _ = wavy(30)
    known = isinstance(noise, KnownNoise)
    model = linear_model(RBF(0.5).gram(X), t, noise, precision=8.0 if known else None, least=least)

    def value(active, alpha):
        Phi = model.columns.values[:, active]
        beta = 8.0 if known else 30.0 / (t @ np.linalg.solve(np.eye(30) + Phi @ np.diag(1.0 / alpha) @ Phi.T, t))
        return normal_evidence(Phi, t, alpha if known else beta * alpha, beta)

    def best_value(k):
        others = model.active != k
        active, held = np.append(model.active[others], k), model.alpha[others]
        bounds = (np.log(least), 25.0)
        found = minimize_scalar(lambda x: -value(active, np.append(held, np.exp(x))), bounds=bounds, method="bounded")
        return max(-found.fun, value(active, np.append(held, least)), value(active[:-1], held))

    for _ in range(6):
        function, alpha, gain = model.best_action()
        rises = np.array([best_value(k) for k in range(31)]) - value(model.active, model.alpha)
        assert gain == pytest.approx(rises.max(), abs=1e-5)
        assert rises[function] == pytest.approx(gain, abs=1e-5)
        model.apply(function, alpha)


def test_a_function_that_is_best_left_out_gains_nothing_at_all():
    """Rounding once made it a gain of 1e-16, and an infinite precision was put into the model."""
    X, t, _ = wavy()
    for noise in (KnownNoise(), *map(ProfiledNoise, np.linspace(2.0, 60.0, 50))):
        model = linear_model(RBF(0.5).gram(X), t, noise)
        model.Q = 1e-3 * np.sqrt(model.S * model.energy)
        _, alpha, gain = model.best_action()
        assert np.isinf(alpha)
        assert gain == 0.0


@pytest.mark.parametrize("first", [3, 7])
def test_the_first_of_two_functions_that_gain_the_same_but_for_rounding_is_added(first):
    X, t, _ = wavy()
    model = linear_model(RBF(0.5).gram(X), t, ProfiledNoise(60.0))
    model.S, model.Q = np.ones(61), np.full(61, 0.01 * np.sqrt(model.energy))
    model.Q[[3, 7]] = 0.9 * np.sqrt(model.energy)
    model.Q[10 - first] *= 1.0 + 1e-9
    assert model.best_action()[0] == 3


@pytest.mark.parametrize("noise", [KnownNoise(), ProfiledNoise(60.0)], ids=["known", "profiled"])
def test_what_was_changed_last_waits_for_another_action(noise):
    X, t, _ = wavy()
    model = linear_model(RBF(0.5).gram(X), t, noise, precision=8.0 if isinstance(noise, KnownNoise) else None)
    model.advance(30, 1e-9)
    function, other = map(int, model.active[:2])
    model.apply(function, 1e3 * model.alpha[0])  # as rounding might: far from its best
    assert model.best_action()[0] != function
    model.apply(other, float(model.alpha[1]))
    assert model.best_action()[0] == function


@pytest.mark.parametrize("noise", [KnownNoise(), ProfiledNoise(60.0)], ids=["known", "profiled"])
def test_gain_of_an_exchange_equals_recomputation(noise):
    X, t, _ = wavy()
    model = linear_model(RBF(0.5).gram(X), t, noise, precision=8.0 if isinstance(noise, KnownNoise) else None)
    model.advance(5, 1e-9)

    def value(model):
        if isinstance(noise, KnownNoise):
            return recomputed(model, t, 8.0)
        beta = 60.0 / model.energy
        return normal_evidence(model.columns.values[:, model.active], t, beta * model.alpha, beta)

    exchanges = model.exchanges()
    assert {leaves for _, leaves, _, _ in exchanges} == set(model.active)
    assert sorted(exchanges, reverse=True) == exchanges
    before, functions, precisions = value(model), model.active.copy(), model.alpha.copy()
    for gain, leaves, comes, alpha in exchanges:
        trial = model.copy()
        trial.apply(leaves, np.inf)
        trial.apply(comes, alpha)
        assert comes in trial.active
        assert leaves not in trial.active
        assert value(trial) - before == pytest.approx(gain, abs=1e-6)
    np.testing.assert_array_equal(model.active, functions)
    np.testing.assert_array_equal(model.alpha, precisions)


def test_exchanges_lead_out_of_a_poor_maximum(monkeypatch):
    X, labels = twonorm(250, random_state=0)
    gram, t = RBF(1.0 / 40.0).gram(X), labels.astype(float)[:, None]
    found = RVM().fit(gram, t, 1.0, np.ones(250)).log_evidence
    monkeypatch.setattr(rvm_fit, "_EXCHANGES", 0)
    assert found > RVM().fit(gram, t, 1.0, np.ones(250)).log_evidence + 2.0


def test_sparsity_and_quality_factors_do_not_drift():
    X, t, _ = wavy(100)
    model = linear_model(RBF(0.02).gram(X), t, ProfiledNoise(100.0))  # wide: nearly dependent columns
    model.advance(35, 1e-12)
    S, Q = model.S.copy(), model.Q.copy()
    model._refresh()
    np.testing.assert_allclose(S, model.S, atol=1e-9 * model.norms.max())
    np.testing.assert_allclose(Q, model.Q, atol=1e-8 * np.abs(model.moment).max())


@pytest.mark.parametrize("regression", [False, True])
def test_no_single_change_of_a_precision_raises_the_evidence(regression):
    X, y, labels = wavy()
    gram, t = RBF(0.5).gram(X), y if regression else labels
    machine = RVM(regression)
    fit = machine.fit(gram, t[:, None], 1.0, np.ones(60)).fits[0]
    Phi = active_design(fit, gram)
    for i in range(len(fit.active)):
        for factor in (0.5, 2.0):
            alpha = fit.posterior.alpha.copy()
            alpha[i] *= factor
            assert find_mode(Phi, alpha, fit.likelihood).log_evidence < fit.log_evidence + 1e-6


@pytest.mark.parametrize("regression", [False, True])
def test_a_fit_begun_at_a_maximum_stays_there(regression):
    X, y, labels = wavy()
    gram, t = RBF(0.5).gram(X), (y if regression else labels)[:, None]
    first = RVM(regression).fit(gram, t, 1.0, np.ones(60))
    again = RVM(regression).fit(gram, t, 1.0, np.ones(60), first)
    np.testing.assert_array_equal(again.fits[0].active, first.fits[0].active)
    assert again.log_evidence == pytest.approx(first.log_evidence, abs=1e-6)


def test_evidence_of_labels_is_the_slow_one():
    X, _, labels = wavy()
    gram = RBF(0.5).gram(X)
    fit = RVM().fit(gram, labels[:, None], 1.0, np.ones(60)).fits[0]
    value, w = laplace_evidence(active_design(fit, gram), labels, fit.posterior.alpha)
    assert fit.log_evidence == pytest.approx(value, abs=1e-5)
    np.testing.assert_allclose(fit.posterior.weights, w, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("regression", [False, True])
def test_sequential_is_as_good_as_classical_and_sparse(regression):
    X, y, labels = wavy()
    gram, t = RBF(0.3).gram(X), (y if regression else labels)[:, None]
    fast = RVM(regression, Sequential()).fit(gram, t, 1.0, np.ones(60))
    slow = RVM(regression, Classical()).fit(gram, t, 1.0, np.ones(60))
    assert fast.log_evidence > slow.log_evidence - 2.0
    assert max(len(fast.fits[0].active), len(slow.fits[0].active)) < 20


def test_order_of_rows_does_not_matter():
    X, _, labels = wavy()
    order = np.random.default_rng(1).permutation(60)
    a = RVM().fit(RBF(0.5).gram(X), labels[:, None], 1.0, np.ones(60))
    b = RVM().fit(RBF(0.5).gram(X[order]), labels[order, None], 1.0, np.ones(60))
    assert a.log_evidence == pytest.approx(b.log_evidence, abs=1e-4)
    assert {0, *(order[b.fits[0].active - 1] + 1)} >= set(a.fits[0].active[a.fits[0].active > 0])


def test_precisions_of_labels_stay_bounded_on_separable_wavy():
    X = np.linspace(-1, 1, 20)[:, None]
    t = np.where(X[:, 0] > 0, 1.0, -1.0)
    gram = RBF(200.0).gram(X)
    fit = RVM().fit(gram, t[:, None], 1.0, np.ones(20)).fits[0]
    design = active_design(fit, gram)
    assert np.all(fit.posterior.alpha >= 0.999 * Bernoulli(targets=t, sample_weight=np.ones(20)).least_alpha(design))
    assert np.abs(fit.posterior.weights).max() < 1e4


def test_no_further_effort_is_made_below_the_bound(monkeypatch):
    X, y = twonorm(150, random_state=1)
    gram, t, ones = RBF(0.2).gram(X), y[:, None].astype(float), np.ones(150)
    efforts, improved = [], rvm_fit._Run.improved
    monkeypatch.setattr(
        rvm_fit._Run, "improved", lambda self, *args, **kw: efforts.append(1) or improved(self, *args, **kw)
    )

    def fit(bound, price=0.0):
        efforts.clear()
        return RVM().giving_up_below(bound, price).fit(gram, t, 1.0, ones).fits[0], len(efforts)

    rough, none = fit(np.inf)
    best, some = fit(-np.inf)
    assert none == 0
    assert some > 0
    assert best.log_evidence > rough.log_evidence
    # Just below and just above what the first polished fit is worth, with and without a price per function.
    for price in (0.0, 2.0):
        worth = rough.log_evidence - price * len(rough.active)
        assert fit(worth - 1e-6, price)[1] > 0
        assert fit(worth + 1e-6, price)[1] == 0


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("log_width", [-6.0, -8.0])
@pytest.mark.parametrize("seed", range(2))
def test_functions_that_are_nearly_constant_are_taken_in_pairs(regression, log_width, seed):
    X, y = twonorm(120, random_state=seed)
    t = X.sum(axis=1) - X.sum(axis=1).mean() if regression else y.astype(float)
    gram = RBF(np.exp(log_width)).gram(X)
    fit = RVM(regression).fit(gram, t[:, None], 1.0, np.ones(120)).fits[0]
    narrower = RVM(regression).fit(RBF(np.exp(-4.5)).gram(X), t[:, None], 1.0, np.ones(120)).fits[0]
    assert fit.log_evidence > narrower.log_evidence - 20.0


def test_no_copy_of_an_active_function_is_taken():
    X, _, labels = wavy(40, seed=1)
    gram, t = RBF(0.5).gram(np.repeat(X, 3, axis=0)), np.repeat(labels, 3)
    for polished in (True, False):
        fit = RVM(algorithm=Sequential(polished=polished)).fit(gram, t[:, None], 1.0, np.ones(120)).fits[0]
        origins = (fit.active[fit.active > 0] - 1) // 3
        assert len(origins) == len(set(origins))
