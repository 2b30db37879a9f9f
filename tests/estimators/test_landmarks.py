"""LSSVC and LSSVR on landmarks: everything the exact machines offer, on many rows."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.exceptions import ConvergenceWarning

from kernelect import LSSVC, LSSVR, KernelRegressor
from kernelect.datasets import twonorm
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.kernels import ARD, RBF
from kernelect.machines.lssvm.landmark_path import LandmarkPath
from kernelect.model import Model
from kernelect.selection.centres import rounded
from kernelect.selection.landmarks import ArrayTable, number, request, stages, table
from kernelect.selection.landmarks.passes import owners
from kernelect.selection.landmarks.whole import WholeTable
from oracles import landmarks as slow
from speeds import slowly

GAMMA = np.array([0.5, 0.8, 0.3, 0.1, 0.05])


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """All numbers are small, so that tests are quick and every stage has something to do."""
    monkeypatch.setattr(request, "EXACT_ROWS", 100)
    monkeypatch.setattr(request, "FIRST", 20)
    monkeypatch.setattr(request, "MOST", 160)
    monkeypatch.setattr(stages, "PART_ROWS", 100)
    monkeypatch.setattr("kernelect.selection.landmarks.fit.MORE_ROWS", 200)
    monkeypatch.setattr(table, "BLOCK_ROWS", 64)


def friedman(n=300, seed=0, noise=1.0):
    return make_friedman1(n, n_features=5, noise=noise, random_state=seed)


def fixed(m=None, **others):
    """Return a regressor of which nothing is selected."""
    return LSSVR(kernel=ARD(GAMMA), regularization=0.3, prior=None, landmarks=m, **others)


def test_leave_one_out_predictions_are_those_of_refits_without_the_row_and_its_function():
    X, y = friedman(60)
    model = fixed(12).fit(X, y)
    Z, kernel = model.landmarks_, ARD(GAMMA)
    landmark = slow.places(X, Z)
    assert np.sum(landmark >= 0) == 12
    residuals = slow.residuals_without_own_function(
        kernel.cross(Z, X), kernel.gram(Z), y[:, None], 0.3, np.ones(60), landmark
    )
    np.testing.assert_allclose(model.loo_prediction_, y - residuals[:, 0], atol=1e-7)


def test_predictions_are_those_of_the_normal_equations():
    X, y = friedman(150)
    model = fixed(20).fit(X, y)
    Z, kernel = model.landmarks_, ARD(GAMMA)
    beta, b = slow.solve(kernel.cross(Z, X), kernel.gram(Z), y[:, None], 0.3, np.ones(150))
    np.testing.assert_allclose(model.predict(X), (kernel.cross(X, Z) @ beta + b)[:, 0], atol=1e-7)
    assert np.sum(slow.places(X, Z) >= 0) == 20
    assert model.selection_.value == pytest.approx(
        slow.press(kernel.cross(Z, X), kernel.gram(Z), y[:, None], 0.3, np.ones(150)), rel=1e-7
    )


def test_all_rows_as_landmarks_are_the_exact_machine():
    X, y = friedman(150)
    new = friedman(40, seed=1)[0]
    exact, given = fixed(None).fit(X, y), fixed(X).fit(X, y)
    assert exact.landmarks_ is None
    np.testing.assert_array_equal(given.landmarks_, X)
    for name in ("loo_prediction_", "feature_importances_"):
        np.testing.assert_allclose(getattr(given, name), getattr(exact, name), atol=1e-4)
    (mean, deviation), (expected, expected_deviation) = (m.predict(new, return_std=True) for m in (given, exact))
    np.testing.assert_allclose(mean, expected, atol=1e-4)
    np.testing.assert_allclose(deviation, expected_deviation, rtol=1e-3)
    for end, expected_end in zip(given.predict_interval(new), exact.predict_interval(new), strict=True):
        np.testing.assert_allclose(end, expected_end, atol=1e-3)
    np.testing.assert_allclose(*(model.model_.jackknife.left_out_variance() for model in (given, exact)), rtol=1e-3)


def test_many_rows_are_fitted_about_as_well_as_exactly():
    X, y = friedman(400)
    new, truth = friedman(500, seed=1, noise=0.0)
    error = {
        name: float(np.sqrt(np.mean((LSSVR(landmarks=name, random_state=0).fit(X, y).predict(new) - truth) ** 2)))
        for name in ("auto", None)
    }
    assert error["auto"] < 1.2 * error[None]


def test_intervals_cover_what_they_promise():
    X, y = friedman(400)
    new, answers = friedman(1000, seed=1)
    lower, upper = LSSVR(random_state=0).fit(X, y).predict_interval(new, coverage=0.8)
    assert 0.74 < np.mean((lower <= answers) & (answers <= upper)) < 0.86


def test_deviations_are_those_of_new_observations():
    X, y = friedman(400)
    new, answers = friedman(1000, seed=1)
    mean, deviation = LSSVR(random_state=0).fit(X, y).predict(new, return_std=True)
    assert 0.85 < np.sqrt(np.mean(((answers - mean) / deviation) ** 2)) < 1.2
    far = LSSVR(random_state=0).fit(X, y).predict(new + 100.0, return_std=True)[1]
    assert far.min() > deviation.mean()


@pytest.mark.parametrize("criterion", ["press", "gcv"])
@pytest.mark.parametrize("prior", ["shrinkage", None])
def test_criteria_and_priors_go_with_landmarks(criterion, prior):
    X, y = friedman(150)
    model = LSSVR(criterion=criterion, prior=prior, random_state=0).fit(X, y)
    assert np.sqrt(np.mean((model.loo_prediction_ - y) ** 2)) < 0.6 * y.std()
    assert model.selection_.criterion == criterion
    assert model.selection_.runs[-1] == "all rows"


def test_a_prior_on_all_coefficients_is_refused():
    X, y = friedman(150)
    with pytest.raises(MissingCapability, match="prior='curvature' needs"):
        LSSVR(prior="curvature", landmarks=20).fit(X, y)


@pytest.mark.parametrize("search", ["lbfgs", *slowly("scg", "nelder-mead")])
def test_searches_go_with_landmarks(search):
    X, y = friedman(150)
    direct = search == "nelder-mead"
    model = LSSVR(search=search, max_iter=30 if direct else 200, prior=None, random_state=0)
    if direct:
        with pytest.warns(ConvergenceWarning, match="iteration limit"):
            model.fit(X, y)
    else:
        model.fit(X, y)
    assert model.score(X, y) > 0.7


def test_a_classifier_of_two_classes():
    X, y = twonorm(300, random_state=0)
    new, labels = twonorm(1000, random_state=1)
    model = LSSVC(random_state=0).fit(X, y)
    assert model.landmarks_ is not None
    assert model.loo_decision_.shape == (300,)
    assert model.score(new, labels) > 0.95
    assert np.mean((model.loo_decision_ > 0) == (y == model.classes_[1])) > 0.93
    assert "refined on the leave-one-out log-loss" in model.selection_.status
    probabilities = model.predict_proba(new)
    np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(new))
    loss = -np.mean(np.log(probabilities[np.arange(len(new)), (labels == model.classes_[1]).astype(int)]))
    assert loss < 0.15


def test_a_classifier_of_several_classes(rng):
    X = rng.normal(size=(300, 2))
    y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0] + 0.1 * rng.normal(size=300), [-0.5, 0.5])]
    model = LSSVC(random_state=0).fit(X, y)
    assert model.loo_decision_.shape == (300, 3)
    assert model.dual_coef_.shape == (len(model.landmarks_), 3)
    assert model.score(X, y) > 0.9
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_several_targets_share_their_landmarks():
    X, y = friedman(200)
    both = np.column_stack([y, -2.0 * y + 5.0])
    model = LSSVR(random_state=0).fit(X, both)
    assert model.loo_prediction_.shape == (200, 2)
    prediction, deviation = model.predict(X, return_std=True)
    np.testing.assert_allclose(prediction[:, 1], -2.0 * prediction[:, 0] + 5.0, atol=1e-6 * np.abs(both).max())
    np.testing.assert_allclose(deviation[:, 1], 2.0 * deviation[:, 0], rtol=1e-6)


def test_a_doubled_weight_is_a_row_given_twice():
    X, y = friedman(150)
    weights = np.where(np.arange(150) < 40, 2.0, 1.0)
    twice = np.r_[np.arange(150), np.arange(40)]
    weighted, repeated = fixed(20, random_state=0), fixed(20, random_state=0)
    weighted.fit(X, y, weights)
    repeated.fit(X[twice], y[twice])
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-6)


def test_a_row_of_weight_zero_teaches_nothing_and_is_predicted():
    X, y = friedman(200)
    weights = np.ones(200)
    weights[::7] = 0.0
    kept = weights > 0
    spoilt = np.where(kept, y, 1e6)
    model = LSSVR(random_state=0).fit(X, spoilt, weights)
    alone = LSSVR(random_state=0).fit(X[kept], y[kept])
    np.testing.assert_allclose(model.predict(X), alone.predict(X), atol=1e-3 * y.std())
    np.testing.assert_allclose(model.loo_prediction_[~kept], model.predict(X[~kept]), atol=1e-8)
    assert len(model.model_.jackknife.left_out_variance()) == kept.sum()


def test_the_unit_of_targets_does_not_matter():
    X, y = friedman(200)
    unit = 2.0**-30
    one, other = LSSVR(random_state=0).fit(X, y), LSSVR(random_state=0).fit(X, unit * y)
    np.testing.assert_allclose(other.loo_prediction_ / unit, one.loo_prediction_, rtol=1e-9)
    for found, expected in zip(other.predict(X, return_std=True), one.predict(X, return_std=True), strict=True):
        np.testing.assert_allclose(found / unit, expected, rtol=1e-9)
    for found, expected in zip(other.predict_interval(X), one.predict_interval(X), strict=True):
        np.testing.assert_allclose(found / unit, expected, rtol=1e-9)
    found, expected = (model.model_.jackknife.left_out_variance() for model in (other, one))
    np.testing.assert_allclose(found / unit**2, expected, rtol=1e-9)
    shift = 200 * np.log(unit)  # n/2 log Q, with Q a sum of squares
    assert other.selection_.value - one.selection_.value == pytest.approx(shift, rel=1e-9)


@pytest.mark.parametrize("landmarks", [40, *slowly("auto")])
def test_the_order_of_rows_does_not_matter(landmarks):
    """Landmarks are drawn at rounded widths: the last digits of a search do not choose other rows."""
    X, y = friedman(250)
    here = LSSVR(landmarks=landmarks, random_state=0).fit(X, y)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(250)
        there = LSSVR(landmarks=landmarks, random_state=0).fit(X[order], y[order])
        np.testing.assert_allclose(there.predict(X), here.predict(X), atol=1e-3)
        np.testing.assert_allclose(there.loo_prediction_, here.loo_prediction_[order], atol=1e-3)


@pytest.mark.parametrize("groups", [None, np.repeat(np.arange(14), 2)])
def test_deviations_are_those_of_rows_that_leave_with_their_landmarks(groups):
    """Residuals were of machines without the landmark, their variances of machines with it: 1e3 times too small."""
    generator = np.random.default_rng(1)
    X = generator.normal(size=(28, 3))
    y = np.sin(1.5 * X[:, 0]) + 0.5 * X[:, 2]
    model = LSSVR(RBF(0.1), regularization=1e-9, landmarks=7, random_state=0).fit(X, y, groups=groups)
    typical = np.sqrt(np.mean((y - model.loo_prediction_) ** 2))
    assert np.median(model.predict(X, return_std=True)[1]) < 3.0 * typical


def test_the_same_seed_gives_the_same_model_and_another_one_other_landmarks():
    X, y = friedman(200)
    one, same, other = (LSSVR(random_state=seed).fit(X, y) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.predict(X), same.predict(X))
    assert not np.array_equal(one.landmarks_, other.landmarks_)


def test_single_precision_and_memory_maps_are_read_in_blocks(tmp_path, monkeypatch):
    X, y = friedman(250)
    single = X.astype(np.float32)
    mapped = np.memmap(tmp_path / "X.bin", dtype=np.float32, mode="w+", shape=X.shape)
    mapped[:] = single
    mapped.flush()
    mapped = np.memmap(tmp_path / "X.bin", dtype=np.float32, mode="r", shape=X.shape)
    from_file, from_memory = LSSVR(random_state=0).fit(mapped, y), LSSVR(random_state=0).fit(single.astype(float), y)
    np.testing.assert_allclose(from_file.predict(X), from_memory.predict(X), rtol=1e-8)
    # New rows too are read from the file block by block, never as a whole.
    seen, predictions = [], Model.predictions
    with monkeypatch.context() as patched:
        patched.setattr(Model, "predictions", lambda self, Z: seen.append(Z) or predictions(self, Z))
        answers = from_file.predict(mapped)
    assert np.shares_memory(seen[0], mapped)
    np.testing.assert_allclose(answers, from_memory.predict(single.astype(float)), rtol=1e-8)
    deviations = (model.predict(rows, return_std=True)[1] for model, rows in ((from_file, mapped), (from_memory, X)))
    np.testing.assert_allclose(*deviations, rtol=1e-5)


def test_nothing_of_the_size_of_all_kernel_values_lives(monkeypatch):
    """The largest array that the kernel is asked for has a block of rows."""
    monkeypatch.setattr("kernelect.estimators._lssvm_base.CANDIDATES", 60)
    monkeypatch.setattr("kernelect.model.parts.BLOCK_ROWS", 64)
    X, y = friedman(250)
    sizes = []
    cross = ARD.cross
    monkeypatch.setattr(ARD, "cross", lambda self, A, B: sizes.append((len(A), len(B))) or cross(self, A, B))
    fixed(30).fit(X, y).predict(X)
    assert max(b for a, b in sizes if a == 30 and b != 30) <= 64


@pytest.mark.parametrize("landmarks", [1, 7, 1000])
def test_any_number_of_landmarks(landmarks):
    X, y = friedman(120)
    model = LSSVR(landmarks=landmarks, random_state=0).fit(X, y)
    assert len(model.landmarks_) <= min(landmarks, 120)
    assert np.all(np.isfinite(model.predict(X)))
    assert model.selection_.converged


def test_rows_that_repeat_are_landmarks_once():
    X, y = friedman(30)
    X, y = np.repeat(X, 5, axis=0), np.repeat(y, 5) + np.tile([-0.2, -0.1, 0.0, 0.1, 0.2], 30)
    model = LSSVR(random_state=0).fit(X, y)
    assert len(np.unique(model.landmarks_, axis=0)) == len(model.landmarks_) <= 30


def test_constant_columns_do_not_matter():
    X, y = friedman(150)
    # Many of them: which rows are looked at first follows from all cells, and with few landmarks that shows.
    plain = LSSVR(landmarks=100, random_state=0).fit(X, y)
    padded = LSSVR(landmarks=100, random_state=0).fit(np.column_stack([X, np.full(150, 3.0)]), y)
    np.testing.assert_allclose(
        padded.predict(np.column_stack([X, np.full(150, -8.0)])), plain.predict(X), atol=0.05 * y.std()
    )
    everything = LSSVR(random_state=0).fit(np.ones((150, 2)), y)
    np.testing.assert_allclose(everything.predict(np.ones((1, 2))), y.mean())


def test_landmarks_are_refused_for_kernel_values():
    X, y = friedman(120)
    with pytest.raises(InvalidArgument, match="landmarks=5 needs inputs, and kernel='precomputed'"):
        LSSVR(kernel="precomputed", landmarks=5).fit(X @ X.T, y)
    assert LSSVR(kernel="precomputed").fit(X @ X.T, y).landmarks_ is None


def test_intervals_of_a_mixture_speak_of_the_same_rows(monkeypatch):
    monkeypatch.setattr("kernelect.selection.landmarks.intervals._KEPT_ROWS", 100)
    X, y = friedman(250)
    new, answers = friedman(400, seed=1)
    model = KernelRegressor(effort="fast", random_state=0).fit(X, y)
    lower, upper = model.predict_interval(new, coverage=0.8)
    assert 0.6 < np.mean((lower <= answers) & (answers <= upper)) < 0.95
    assert np.all(model.predict(new, return_std=True)[1] > 0)
    one, other = (LSSVR(random_state=0).fit(inputs, y) for inputs in (X, X[:, ::-1] ** 3))
    here, there = (each.model_.jackknife for each in (one, other))
    assert len(here.rows) < len(X)
    np.testing.assert_array_equal(here.rows, there.rows)
    np.testing.assert_allclose(here.spread.inputs, np.cbrt(there.spread.inputs[:, ::-1]), rtol=1e-9)
    for component in model.model_.components:
        np.testing.assert_array_equal(component.spread.rows, model.model_.jackknife.rows)


class TestHowMany:
    """Doubled until leave-one-out stops improving, or something else says stop; the status says which."""

    def test_noise_needs_few(self):
        X, y = friedman(300, noise=8.0)
        model = LSSVR(random_state=0).fit(X, y)
        assert len(model.landmarks_) < 160
        assert "are enough: half of them have the same leave-one-out error within a standard error" in (
            model.selection_.status
        )

    def test_detail_needs_many(self, rng):
        X = rng.uniform(-4.0, 4.0, size=(400, 2))
        y = np.sin(1.2 * X[:, 0]) * np.cos(1.2 * X[:, 1])
        model = LSSVR(random_state=0).fit(X, y)
        assert len(model.landmarks_) > 20
        assert model.score(X, y) > 0.95

    def test_auto_says_where_it_ends(self, rng, monkeypatch):
        monkeypatch.setattr(number.HowMany, "_pays", lambda self, landmarks, log_ridge: True)
        X, y = friedman(300)
        model = LSSVR(random_state=0).fit(X, y)
        assert len(model.landmarks_) == 80  # doubled from 20, half of 300 is not exceeded
        assert "80 landmarks of at most 80 that landmarks='auto' takes here" in model.selection_.status

    def test_a_number_that_was_asked_for(self):
        X, y = friedman(150)
        assert "30 landmarks as asked for" in LSSVR(landmarks=30).fit(X, y).selection_.status

    def test_rows_that_were_given(self):
        X, y = friedman(150)
        assert "9 landmarks as given" in LSSVR(landmarks=X[:9]).fit(X, y).selection_.status

    def test_landmarks_that_span_everything(self):
        X, y = friedman(150)
        model = LSSVR(kernel="linear").fit(X, y)
        assert len(model.landmarks_) == 5
        assert "5 landmarks that span all rows" in model.selection_.status

    def test_memory_says_stop(self, monkeypatch):
        monkeypatch.setattr(number.HowMany, "_pays", lambda self, landmarks, log_ridge: True)
        monkeypatch.setattr(number, "available_bytes", lambda: number._bytes(30, 300) / number._SHARE_OF_MEMORY)
        X, y = friedman(300)
        model = LSSVR(random_state=0).fit(X, y)
        assert "20 landmarks as many as memory allows" in model.selection_.status

    def test_a_number_that_memory_cannot_hold_is_refused(self, monkeypatch):
        monkeypatch.setattr(number, "available_bytes", lambda: 1e5)
        X, y = friedman(150)
        with pytest.raises(MemoryError, match=r"landmarks=50 needs about .* GiB are free: give fewer landmarks"):
            LSSVR(landmarks=50).fit(X, y)

    def test_time_says_stop(self, monkeypatch):
        monkeypatch.setattr("kernelect.selection.landmarks.whole.WholeTable.seconds", lambda self, points: 1e9)
        X, y = friedman(300)
        model = LSSVR(random_state=0, landmarks=120, time_limit=100.0).fit(X, y)
        assert len(model.landmarks_) == 15
        assert "15 landmarks as many as time_limit allows" in model.selection_.status

    def test_the_ridge_that_all_rows_choose_is_the_best_of_its_neighbours(self):
        X, y = friedman(300)
        model = LSSVR(kernel=ARD(GAMMA), landmarks=30, random_state=0).fit(X, y)
        Z, kernel = model.landmarks_, ARD(GAMMA)

        def press(mu):
            return slow.press(kernel.cross(Z, X), kernel.gram(Z), y[:, None], mu, np.ones(300))

        here = press(model.regularization_)
        assert here <= min(press(model.regularization_ * factor) for factor in (0.5, 2.0)) * (1 + 1e-9)

    def test_kernel_values_serve_all_windows_of_ridges(self, monkeypatch):
        """The rows that compare ridges are rotated once, and there are no more of them than that takes."""
        monkeypatch.setattr("kernelect.selection.landmarks.whole._RIDGED", 200)
        rotated, rotate = [], LandmarkPath.rotated
        monkeypatch.setattr(LandmarkPath, "rotated", lambda *given: rotated.append(given[1].shape) or rotate(*given))
        X, y = friedman(300)
        table = ArrayTable(X, y[:, None], np.ones(300))
        whole = WholeTable(table, ARD(GAMMA), y[:1], lambda block, _: float(np.sum(block.residuals**2)))
        landmarks = whole.landmarks(X[:30], np.arange(30))
        near, far = (whole.best_ridge(landmarks, start, -20.0, 10.0) for start in (-1.0, -14.0))
        assert near == pytest.approx(far, abs=0.4)
        assert [sum(rows for _, rows in rotated), len(rotated)] == [2 * 200, 2 * 4]


def test_landmarks_know_which_rows_they_are():
    numbers = np.array([7, 2, -1])
    np.testing.assert_array_equal(owners(numbers, 0, 5), [-1, -1, 1, -1, -1])
    np.testing.assert_array_equal(owners(numbers, 5, 5), [-1, -1, 0, -1, -1])


@pytest.mark.parametrize("powers", [[-20, 30, 0, 2], *slowly([3, -5, 7, 1])])
@pytest.mark.parametrize("kernel", ["ard", "product-matern32"])
def test_units_of_the_inputs_draw_the_same_landmarks(kernel, powers):
    """Widths were rounded in the units of the inputs before landmarks were drawn at them."""
    generator = np.random.default_rng(75)
    X = generator.normal(size=(60, 4))
    y = np.where(X[:, 0] + np.sin(2.0 * X[:, 1]) + 0.5 * generator.normal(size=60) > 0, "yes", "no")
    units = 2.0 ** np.array(powers)  # exact, so that nothing but the units is another
    here, there = (LSSVC(kernel, landmarks=9, random_state=0).fit(rows, y) for rows in (X, X * units))
    np.testing.assert_array_equal(here.landmarks_, there.landmarks_ / units)
    np.testing.assert_allclose(there.predict_proba(X * units), here.predict_proba(X), atol=1e-5)


def test_given_widths_are_not_rounded_before_landmarks_are_drawn():
    space = RBF(0.37).space(np.eye(3))
    assert rounded(RBF(0.37), space).gamma == pytest.approx(0.37)
    auto = RBF().space(np.eye(3))
    found = rounded(RBF(0.37), auto)
    assert np.log(found.gamma) - auto.start[0] == pytest.approx(np.round(np.log(0.37) - auto.start[0]))
