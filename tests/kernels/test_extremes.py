"""Inputs far from 0, constant, of extreme size, or in another order."""

import numpy as np
import pytest

from kernelect import GPC, LSSVC, LSSVR, SVC
from kernelect.exceptions import InvalidArgument
from kernelect.kernels import ARD, RBF, Constant, Linear, Matern, Polynomial
from kernelect.kernels.scale import median_width, middle, spread_rows
from kernelect.numerics import canonical_columns, canonical_order

CONSTANTS = [1e25, -1e100, 1e307]


@pytest.fixture
def labelled(rng):
    X = rng.normal(size=(80, 2))
    return X, np.where(X @ [1.0, 0.7] + 0.2 * rng.normal(size=80) > 0, 1, -1)


class TestDotProducts:
    @pytest.mark.parametrize("kernel", [Linear(), Polynomial(2), Polynomial(3, 0.5, 1.0), 2.0 * Linear() + RBF(0.3)])
    @pytest.mark.parametrize("offset", [2000.0, 1e9])
    def test_a_started_kernel_does_not_see_an_offset(self, kernel, offset, rng):
        X = rng.integers(-64, 65, size=(20, 2)) / 32.0  # offsets lose no digit of these
        here, there = kernel.start(X), kernel.start(X + offset)
        np.testing.assert_allclose(there.gram(X + offset), here.gram(X), rtol=1e-6, atol=1e-6)

    @pytest.mark.parametrize("model", [LSSVC, SVC, GPC])
    @pytest.mark.parametrize("kernel", ["linear", Linear(), "polynomial"])
    def test_a_year_costs_nothing(self, model, kernel, labelled):
        X, y = labelled[0] + np.array([2000.0, 0.0]), labelled[1]
        assert model(kernel).fit(X, y).score(X, y) >= 0.9

    @pytest.mark.parametrize("offset", [1e6, 1e9])
    def test_larger_offsets_neither(self, offset, labelled):
        X, y = labelled
        assert LSSVC("linear").fit(X + offset, y).score(X + offset, y) >= 0.9

    def test_the_centre_is_kept_by_the_model(self, labelled):
        X, y = labelled
        np.testing.assert_allclose(LSSVC("linear").fit(X + 5.0, y).kernel_.centre, X.mean(axis=0) + 5.0)
        assert Polynomial(2, centre=0.0).start(X + 5.0).centre == 0.0
        np.testing.assert_array_equal(Linear([1.0, 2.0]).start(X).centre, [1.0, 2.0])
        started = (Constant("auto") * Polynomial(2)).start(X)
        np.testing.assert_array_equal(started.with_theta(started.theta).parts[1].centre, X.mean(axis=0))

    @pytest.mark.parametrize(
        ("build", "message"),
        [
            (lambda: Linear([[1.0]]), r"centre=\[\[1.0\]\] must be a finite number, one number per input, or None"),
            (lambda: Polynomial(2, centre=np.inf), "centre=inf must be a finite number"),
            (lambda: Linear([1.0]).gram(np.zeros((2, 3))), "centre has 1 numbers but the data have 3 inputs"),
        ],
    )
    def test_an_impossible_centre_is_refused(self, build, message):
        with pytest.raises(InvalidArgument, match=message):
            build()


class TestConstantColumns:
    @pytest.mark.parametrize("value", CONSTANTS)
    @pytest.mark.parametrize("kernel", [ARD(), RBF(), Matern(1.5), Linear(), Polynomial(2)], ids=repr)
    def test_they_contribute_nothing(self, value, kernel, rng):
        X = rng.normal(size=(15, 2))
        wide = np.column_stack([X[:, :1], np.full(15, value), X[:, 1:]])
        np.testing.assert_allclose(kernel.start(wide).gram(wide), kernel.start(X).gram(X), rtol=1e-10, atol=1e-12)

    def test_an_input_of_width_0_is_never_looked_at(self, rng):
        X = np.column_stack([rng.normal(size=10), rng.choice([-1e308, 1e308], size=10)])
        kernel, weights = ARD([0.5, 0.0]), rng.normal(size=(10, 10))
        np.testing.assert_allclose(kernel.gram(X), RBF(0.5).gram(X[:, :1]), rtol=1e-12)
        assert kernel.pullback(X, weights)[1] == 0.0
        assert np.all(kernel.points_pullback(X, X, weights)[:, 1] == 0.0)

    @pytest.mark.parametrize("model", [LSSVC, SVC, GPC])
    @pytest.mark.parametrize("kernel", ["ard", "rbf", "linear"])
    def test_models_are_as_good_with_them(self, model, kernel, labelled):
        X, y = labelled
        wide = np.column_stack([X, np.full(len(X), 1e25)])
        assert model(kernel).fit(wide, y).score(wide, y) >= 0.9


class TestExtremeSizes:
    @pytest.mark.parametrize("kernel", [ARD(), RBF(), Linear(), Polynomial(2)], ids=repr)
    @pytest.mark.parametrize("size", [1e-200, 1e160, 1e308])
    def test_what_double_precision_cannot_hold_is_refused(self, kernel, size, rng):
        X = size * rng.uniform(-1.0, 1.0, size=(12, 2))
        with pytest.raises(InvalidArgument, match=r"X varies by about .*rescale X"):
            kernel.start(X)

    def test_the_median_width_survives_an_outlier(self, rng):
        X = rng.normal(size=(41, 3))
        X[0] = 1e12
        assert median_width(X) == pytest.approx(median_width(X[::-1]), rel=1e-12)
        assert median_width(X) == pytest.approx(median_width(X[1:]), rel=0.2)

    def test_the_middle_is_exact_for_constant_inputs_and_never_overflows(self):
        X = np.column_stack([np.full(49, 0.1), np.repeat([-1e308, 0.0, 1e308], [24, 1, 24]), np.full(49, 1e308)])
        np.testing.assert_array_equal(middle(X), [0.1, 0.0, 1e308])


class TestSubsetsOfRows:
    @staticmethod
    def tables(rng):
        quantiles = np.column_stack([rng.permutation(np.arange(90.0)) for _ in range(4)])
        return {
            "continuous": rng.normal(size=(90, 4)),
            "quantiles": quantiles,
            "few values": rng.integers(0, 3, size=(90, 4)).astype(float),
            "one-hot": np.eye(4)[rng.choice(4, size=90, p=[0.4, 0.3, 0.2, 0.1])],
        }

    def test_they_are_the_same_whatever_the_order_of_rows_and_columns(self, rng):
        for name, X in self.tables(rng).items():
            chosen = X[spread_rows(X, 30)]
            rows, columns = rng.permutation(90), rng.permutation(4)
            shuffled = X[rows][:, columns]
            again = shuffled[spread_rows(shuffled, 30)][:, np.argsort(columns)]
            np.testing.assert_array_equal(again, chosen, err_msg=name)

    def test_units_do_not_matter(self, rng):
        X = rng.normal(size=(90, 3))
        np.testing.assert_array_equal(spread_rows(X * [1e-3, 1.0, 1e8] + 5.0, 30), spread_rows(X, 30))

    def test_equal_rows_are_next_to_each_other(self, rng):
        X = np.repeat(rng.normal(size=(20, 3)), 3, axis=0)[rng.permutation(60)]
        ordered = X[canonical_order(X)].reshape(20, 3, 3)
        np.testing.assert_array_equal(ordered, ordered[:, :1].repeat(3, axis=1))

    @pytest.mark.parametrize("model", [LSSVC, LSSVR])
    def test_so_are_models_that_start_from_a_subset(self, model, rng):
        n = 700  # the first ridge comes from 600 rows
        X = np.column_stack([rng.normal(size=(n, 2)), rng.integers(0, 3, size=n)])
        f = X[:, 0] + np.sin(2.0 * X[:, 1]) + 0.3 * rng.normal(size=n)
        y = f if model is LSSVR else f > 0
        rows, columns = rng.permutation(n), [2, 0, 1]
        fits = [model(ARD([0.1, 0.3, 0.02])).fit(X, y), model(ARD([0.1, 0.3, 0.02])).fit(X[rows], y[rows])]
        fits.append(model(ARD([0.02, 0.1, 0.3])).fit(X[:, columns], y))
        ridges = [fit.regularization_ for fit in fits]
        np.testing.assert_allclose(ridges, ridges[0], rtol=1e-7)

    def test_so_are_starts_of_many_rows(self, rng):
        X = np.column_stack([rng.normal(size=(1500, 2)), rng.integers(0, 3, size=1500)])
        shuffled = X[rng.permutation(1500)][:, [2, 0, 1]]
        np.testing.assert_allclose(ARD().start(shuffled).gamma, ARD().start(X).gamma[[2, 0, 1]], rtol=1e-10)
        assert median_width(shuffled) == pytest.approx(median_width(X), rel=1e-10)


@pytest.mark.parametrize("units", [[1.0, 1.0, 1.0, 1.0], [1e-3, 1e8, 10.0, 1e300]])
def test_columns_with_the_same_ranks_have_an_order_of_their_own(units, rng):
    x = rng.normal(size=30)
    X = np.column_stack([x, x**3, np.exp(x), np.full(30, 0.1)])
    expected, columns = X[:, canonical_columns(X)], np.array([2, 3, 1, 0])
    Z = X * units
    found = canonical_columns(Z[:, columns])
    np.testing.assert_array_equal(X[:, columns][:, found], expected)


def test_columns_that_differ_in_their_unit_alone_are_in_the_order_of_its_size(rng):
    x = rng.normal(size=30)
    for X in (np.column_stack([x, 3.0 * x]), np.column_stack([3.0 * x, x])):
        np.testing.assert_array_equal(X[:, canonical_columns(X)], np.column_stack([x, 3.0 * x]))
