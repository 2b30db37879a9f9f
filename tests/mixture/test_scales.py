"""Scales of the target and spreads that differ: chosen by leave-one-out, kept in predictions and intervals."""

import numpy as np
import pytest

from kernelect import LSSVR, KernelRegressor
from kernelect.exceptions import InvalidArgument
from kernelect.explain import shapley_values
from kernelect.export.evaluate import coded_rows, evaluate
from kernelect.export.models import program_of
from kernelect.inputs import as_frame, fit_coding, fit_warp
from kernelect.mixture import scales
from kernelect.mixture.base import MixtureTask, Views
from kernelect.model.scales import TargetScale


def model(**how):
    return KernelRegressor("fast", random_state=0, **how)


@pytest.fixture(scope="module")
def prices():
    """Positive and skewed: noise is a share of the price."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    return X, np.exp(1.0 + X[:, 0] + 0.5 * rng.normal(size=150))


@pytest.fixture(scope="module")
def log_model(prices):
    return model().fit(*prices)


def test_a_skewed_positive_target_is_modelled_by_its_logarithm(prices, log_model):
    X, y = prices
    assert log_model.target_scale_.name == "log"
    plain = model(target="identity").fit(X, y)
    rng = np.random.default_rng(1)
    new = rng.normal(size=(2000, 2))
    truth = np.exp(1.0 + new[:, 0] + 0.5 * rng.normal(size=2000))
    shares = [np.mean(np.abs(truth - each.predict(new)) / truth) for each in (log_model, plain)]
    assert shares[0] < shares[1]  # squares are decided by the few largest prices
    # The mean of the target, not its median: e^(0.5^2 / 2) = 1.13 times as large.
    assert log_model.target_scale_.factor == pytest.approx(1.13, abs=0.06)
    assert np.mean(log_model.predict(new)) == pytest.approx(np.mean(truth), rel=0.2)
    low, high = log_model.predict_interval(new, 0.9)
    covered = (low < truth) & (truth < high)
    assert 0.85 < covered.mean() < 0.96
    small = new[:, 0] < -1.0
    assert covered[small].mean() < 0.99
    assert np.all(low > 0.0)
    assert np.mean(log_model.loo_prediction_) == pytest.approx(np.mean(y), rel=0.1)


def test_deviations_are_those_of_the_target(log_model):
    rng = np.random.default_rng(2)
    new = rng.normal(size=(1500, 2))
    truth = np.exp(1.0 + new[:, 0] + 0.5 * rng.normal(size=1500))
    mean, deviation = log_model.predict(new, return_std=True)
    assert np.sqrt(np.mean(((truth - mean) / deviation) ** 2)) == pytest.approx(1.0, abs=0.2)


def test_an_ordinary_target_stays_as_it_is():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 2))
    assert model().fit(X, 10.0 + X[:, 0] + rng.normal(size=120)).target_scale_.name == "identity"
    skewed = 10.0 + rng.exponential(size=120) + 0.1 * X[:, 0]  # skewed, but hardly wider where it is larger
    assert model().fit(X, skewed - skewed.max()).target_scale_.name == "identity"


def test_counts_have_intervals_from_0_on():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(150, 2))
    y = rng.poisson(np.exp(0.3 + 0.8 * X[:, 0])).astype(float)
    counts = model(target="count").fit(X, y)
    assert counts.target_scale_.name in ("sqrt", "log1p")
    new = rng.normal(size=(1000, 2))
    truth = rng.poisson(np.exp(0.3 + 0.8 * new[:, 0]))
    low, high = counts.predict_interval(new, 0.9)
    assert low.min() >= 0.0
    assert not np.any(low % 1)
    assert np.mean((low <= truth) & (truth <= high)) > 0.85
    assert counts.predict(new).min() >= 0.0
    assert np.mean(counts.predict(new)) == pytest.approx(np.mean(truth), rel=0.15)
    plain = model(target="identity").fit(X, y).predict_interval(new, 0.9)[0]
    assert plain.min() < 0.0


def test_intervals_follow_a_spread_that_differs():
    rng = np.random.default_rng(5)

    def draw(n):
        X = rng.uniform(-1.0, 1.0, size=(n, 2))
        return X, X[:, 1] + np.exp(1.5 * X[:, 0]) * rng.normal(size=n)

    fitted = model().fit(*draw(200))
    new, truth = draw(3000)
    low, high = fitted.predict_interval(new, 0.9)
    covered = (low < truth) & (truth < high)
    for part in (new[:, 0] < -0.5, new[:, 0] > 0.5):
        assert 0.8 < covered[part].mean() < 0.97
    width = high - low
    assert width[new[:, 0] > 0.5].mean() > 3.0 * width[new[:, 0] < -0.5].mean()
    _, deviation = fitted.predict(new, return_std=True)
    assert deviation[new[:, 0] > 0.5].mean() > 3.0 * deviation[new[:, 0] < -0.5].mean()


def test_a_spread_that_does_not_differ_is_left_alone():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(150, 2))
    assert not model().fit(X, X[:, 0] + rng.normal(size=150)).spread_differs


@pytest.mark.parametrize("name", ["log", "log1p", "sqrt"])
def test_scales_and_their_inverses(name):
    y = np.array([1.0, 2.0, 5.0, 40.0])
    scale = TargetScale.of(name, y, bounded=True)
    np.testing.assert_allclose(scale.backward(scale.forward(y)), y, rtol=1e-12)
    rng = np.random.default_rng(7)
    noise = 0.2 * rng.normal(size=100_000)
    fitted = scale.calibrated(noise, np.ones(len(noise)))
    f = scale.forward(np.array([5.0]))
    assert fitted.mean(f)[0] == pytest.approx(np.mean(scale.backward(f + noise)), rel=0.01)
    assert scale.deviation(f, np.array([0.2]))[0] == pytest.approx(np.std(scale.backward(f + noise)), rel=0.03)


def test_scales_are_checked(prices):
    X, y = prices
    with pytest.raises(InvalidArgument, match="target='log' is for positive numbers: check y"):
        model(target="log").fit(X, y - 10.0)
    with pytest.raises(InvalidArgument, match="target='count' is for whole numbers of at least 0"):
        model(target="count").fit(X, y)
    with pytest.raises(InvalidArgument, match="target='cube'"):
        model(target="cube").fit(X, y)


@pytest.mark.parametrize("target", ["log", "count"])
def test_a_model_on_a_scale_is_exported_and_explained(prices, log_model, target):
    X, y = prices
    fitted = log_model if target == "log" else model(target="count").fit(X, np.floor(y))
    program = program_of(fitted)
    rows = X[:20]
    found = evaluate(program, coded_rows(program, rows.tolist()))[-1]
    # Warps round the places of quantiles, by which a cell may fall on either side of one.
    np.testing.assert_allclose(found.ravel(), fitted.predict(rows), rtol=2e-6)
    explanation = shapley_values(fitted, X[:3], background=X[:20])
    assert any("The target is modelled by" in remark for remark in explanation.remarks)


def test_a_scale_that_explains_more_and_predicts_worse_is_not_taken(monkeypatch):
    # Half of the targets are near 0: their logarithms say a lot of them, and nothing of the others.
    generator = np.random.default_rng(0)
    X = generator.normal(size=(150, 2))
    y = 10.0 * np.maximum(X[:, 0], 0.0) + np.exp(2.0 * generator.normal(size=150) - 6.0)
    assert KernelRegressor("fast").fit(X, y).target_scale_.is_identity
    for factor in ("_WORSE", "_BOTH_WORSE"):
        monkeypatch.setattr(scales, factor, np.inf)
    assert KernelRegressor("fast").fit(X, y).target_scale_.name == "log"


@pytest.mark.parametrize(("squares", "name"), [(1.35, "log"), (1.45, "identity")])
def test_a_scale_with_a_few_large_errors_is_not_taken(squares, name, monkeypatch, prices):
    """Absolute errors are 0.9 times as large on the logarithm; 0.9 x 1.39 is 1.25."""
    tried = {"identity": (0.0, 1.0, 1.0), "log": (50.0, 0.9, squares)}

    def found(name, *_):
        return scales._Tried(**dict(zip(("nats", "error", "root_square"), tried[name], strict=True)))

    monkeypatch.setattr(scales, "_tried", found)
    assert model().fit(*prices).target_scale_.name == name


def test_what_comes_back_from_a_logarithm_is_limited_on_the_targets_own_scale():
    y = np.array([1.0, 10.0, 101.0])
    scale = TargetScale.of("log", y, bounded=False)
    assert scale.mean(np.array([50.0])) == pytest.approx(151.0)
    assert scale.backward(np.array([50.0])) == pytest.approx(151.0)


def test_no_residual_explains_its_own_size():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 6))
    y = X[:, 0] + np.exp(X[:, 1]) * rng.normal(size=120)
    fitted = model().fit(X, y)
    assert fitted.spread_differs
    size = np.log(np.abs(y - fitted.loo_prediction_))
    noise = fitted.model_.numbers.noise
    within, without = np.log(noise(fitted.model_.inputs(X))[:, 0]), np.log(noise.rows[:, 0])
    assert np.corrcoef(size, without)[0, 1] < np.corrcoef(size, within)[0, 1] - 0.02


def test_the_spread_belongs_to_all_rows_where_machines_stand_on_landmarks(monkeypatch):
    """Landmarks are rows too, but what is known of the spread is known of every row."""
    monkeypatch.setattr("kernelect.selection.landmarks.request.EXACT_ROWS", 100)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(160, 3))
    y = X[:, 0] + np.exp(X[:, 1]) * rng.normal(size=160)
    weights = np.ones(160)
    weights[::8] = 0.0
    fitted = model().fit(X, y, sample_weight=weights)
    assert fitted.spread_differs
    assert fitted.members[0].component.sampled is not None
    kept = weights > 0.0
    record = fitted.model_
    lower, upper = record.left_out_ends(record.training.left_out, 0.9)
    spread = record.numbers.noise.rows
    widths = (upper - lower)[kept]
    np.testing.assert_allclose(widths / widths[0], (spread / spread[kept][0])[kept, 0])
    assert 0.8 < np.mean(((lower <= y) & (y <= upper))[kept]) < 0.97


@pytest.mark.parametrize(("shift", "name"), [(4.0, "log"), (8.0, "identity")])
def test_another_scale_has_to_explain_the_targets_clearly_better(shift, name):
    """By five nats, as leave-one-out of one machine counts them on either scale."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 1))
    y = shift + np.exp(0.5 * (X[:, 0] + 0.5 * rng.normal(size=60)))

    def nats(values):
        residuals = values - LSSVR("rbf").fit(X, values).loo_prediction_
        return -0.5 * len(y) * np.log(np.mean(residuals**2))

    gain = nats(np.log(y)) - np.sum(np.log(y)) - nats(y)
    assert 3.0 < gain < 7.0
    assert (gain > 5.0) == (name == "log")
    assert model().fit(X, y).target_scale_.name == name


@pytest.mark.parametrize(("slope", "differs"), [(0.4, False), (0.45, True)])
def test_a_spread_has_to_explain_the_residuals_clearly_better_than_an_equal_one(slope, differs):
    """By five nats, where each row's spread is predicted without that row."""
    rng = np.random.default_rng(1)
    X = rng.uniform(-1.0, 1.0, size=(100, 1))
    residuals = np.exp(slope * X[:, 0]) * rng.normal(size=100)
    coding = fit_coding(as_frame(X))
    Z = coding(as_frame(X))
    views = Views(coding, fit_warp(Z, np.arange(1)))
    task = MixtureTask(views=views, Z=Z, y=residuals, weights=np.ones(100), groups=None, labels=False)
    logs = np.log(np.maximum(np.abs(residuals), 0.01 * np.median(np.abs(residuals))))
    predicted = LSSVR("rbf").fit(Z, logs).loo_prediction_
    spread = np.exp(np.clip(predicted, *np.quantile(predicted, [0.02, 0.98])))

    def nats(spread):
        return -np.sum(np.log(spread)) - 50.0 * np.log(np.mean((residuals / spread) ** 2))

    gain = nats(spread) - nats(np.ones(100))
    assert 3.0 < gain < 7.0
    assert (gain > 5.0) == differs
    assert (scales.find_spread(task, residuals) is not None) == differs


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal logarithms", "even noise", "squares", "much noise", "near zero", "far"])
def test_no_scale_is_much_worse_than_the_targets_own_for_rows_left_out(kind):
    """By the mixtures themselves and in the unit of the target: the policy asks one quick machine."""
    rng = np.random.default_rng(0)
    X, noise = rng.normal(size=(120, 3)), rng.normal(size=120)
    f = X[:, 0] + 0.5 * np.sin(2.0 * X[:, 1])
    y = {
        "normal logarithms": np.exp(f + 0.3 * noise),
        "even noise": np.exp(f) + 0.05 * np.abs(noise) + 0.01,
        "squares": (3.0 + f) ** 2 + np.abs(noise),
        "much noise": np.exp(f) * rng.gamma(1.0, size=120) + 1e-3,
        "near zero": np.maximum(np.exp(1.5 * f) + 0.3 * noise, 1e-3),
        "far": 100.0 + np.exp(f + 0.3 * noise),
    }[kind]
    chosen, own = (
        np.abs(KernelRegressor("fast", target=t).fit(X, y).loo_prediction_ - y) for t in ("auto", "identity")
    )
    assert chosen.mean() <= 1.1 * own.mean()
    assert np.sqrt(np.mean(chosen**2)) <= 1.3 * np.sqrt(np.mean(own**2))
