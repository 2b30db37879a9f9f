"""Products over inputs, categories, and kernels of some columns."""

import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from instances import wavy
from kernelect import LSSVC, LSSVR, load
from kernelect.exceptions import InvalidArgument, UnusableModel
from kernelect.kernels import ARD, RBF, Category, Linear, Matern, OnColumns, ProductLaplace, ProductMatern
from oracles import kernels as slow
from oracles.differences import gradient

ROUGH = [(ProductLaplace, slow.product_laplace), (ProductMatern, slow.product_matern), (Category, slow.category)]


@pytest.fixture
def codes(rng):
    return rng.integers(0, 3, size=(25, 4)).astype(float)


@pytest.mark.parametrize(("kind", "formula"), ROUGH)
def test_more_rows_than_a_block_and_more_inputs_than_a_group(kind, formula, rng):
    X, gamma = rng.integers(-3, 4, size=(300, 37)) / 4.0, rng.uniform(0.0, 0.02, size=37)
    gram, pull = kind(gamma).linearize(X)
    pairs = [(0, 299), (299, 0), (131, 17), (250, 250)]
    for i, k in pairs:
        assert gram[i, k] == pytest.approx(formula(X[i], X[k], gamma), rel=1e-10)
    np.testing.assert_array_equal(gram, gram.T)
    weights = rng.normal(size=(300, 300))
    by_cross, _ = kind(gamma).cross_pullback(X, X.copy(), weights)
    np.testing.assert_allclose(pull(weights), by_cross, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", [ProductLaplace, ProductMatern])
def test_an_outlier_among_the_stored_rows_takes_no_digits_from_the_others(kind, data, rng):
    X, *_ = data
    kernel = kind([0.1, 0.4, 0.25])
    wild = np.vstack([np.full((2, 3), 1e12), X])
    weights = rng.normal(size=(len(wild), len(wild)))
    np.testing.assert_allclose(kernel.gram(wild)[2:, 2:], kernel.gram(X), rtol=1e-12)
    np.testing.assert_allclose(kernel.pullback(wild, weights), kernel.pullback(X, weights[2:, 2:]), rtol=1e-9)


def test_with_one_input_the_product_is_the_radial_kernel(rng):
    X = rng.normal(size=(20, 1))
    np.testing.assert_allclose(ProductMatern([0.7]).gram(X), Matern(1.5, 0.7).gram(X), rtol=1e-10)


class _OfWidths(ProductLaplace):
    def steepness(self, t):
        raise AssertionError("nobody asked for derivatives in the points")


class _OfPoints(ProductLaplace):
    def elasticity(self, t):
        raise AssertionError("nobody asked for derivatives in the widths")


@pytest.mark.parametrize("columns", [[0, 1, 2], [2, 0, 1]])
def test_derivatives_that_nobody_asks_for_are_not_computed(columns, rng):
    X, Z, weights = rng.normal(size=(20, 3)), rng.normal(size=(5, 3)), rng.normal(size=(20, 5))
    gamma = [0.3, 0.2, 0.5]
    by_theta, _ = ProductLaplace(gamma).on(columns).cross_pullback(X, Z, weights)
    _, pull = _OfWidths(gamma).on(columns).linearize_cross(X, Z)
    np.testing.assert_allclose(pull(weights), by_theta, rtol=1e-12)
    _, by_points = ProductLaplace(gamma).cross_pullback(X, Z, weights)
    np.testing.assert_array_equal(_OfPoints(gamma).points_pullback(X, Z, weights), by_points)


@pytest.mark.parametrize("kind", [ProductLaplace, ProductMatern])
def test_starts_follow_units_and_switch_constant_inputs_off(kind, rng):
    X, units = rng.normal(size=(40, 3)), np.array([1.0, 1e8, 1e-8])
    np.testing.assert_allclose(kind().start(X * units + units).gamma * units**2, kind().start(X).gamma, rtol=1e-7)
    wide = np.column_stack([X, np.full(40, 1e25)])
    assert kind().start(wide).gamma[3] == 0.0
    np.testing.assert_allclose(kind().start(wide).gram(wide), kind().start(X).gram(X), rtol=1e-10)


def test_the_laplace_start_puts_the_median_pair_at_the_exponent_1(rng):
    X = rng.normal(size=(31, 3))
    logs = np.log(ProductLaplace().start(X).gram(X)[np.triu_indices(31, 1)])
    assert np.median(logs) == pytest.approx(-1.0)


class TestCategory:
    def test_values_and_pullback_on_codes(self, codes, rng):
        kernel, weights = Category([0.5, 0.1, 0.0, 0.9]), rng.normal(size=(25, 25))
        expected = [[slow.category(x, z, kernel.gamma) for z in codes] for x in codes]
        np.testing.assert_allclose(kernel.gram(codes), expected, rtol=1e-12)
        by_theta = gradient(
            lambda theta: np.sum(weights * kernel.with_theta(theta).gram(codes)), np.log([0.5, 0.1, 0.2, 0.9])
        )
        moved = kernel.with_theta(np.log([0.5, 0.1, 0.2, 0.9]))
        np.testing.assert_allclose(moved.pullback(codes, weights), by_theta, rtol=1e-6, atol=1e-7)

    def test_which_number_stands_for_a_level_does_not_matter(self, codes):
        renamed = np.array([7.0, -1e200, 0.25])[codes.astype(int)]
        kernel = Category([0.5, 0.1, 0.3, 0.9])
        np.testing.assert_array_equal(kernel.gram(renamed), kernel.gram(codes))
        np.testing.assert_array_equal(Category().start(renamed).gamma, Category().start(codes).gamma)

    def test_a_level_never_seen_differs_from_all_others(self, codes):
        new = np.full((1, 4), 99.0)
        np.testing.assert_allclose(Category([0.5, 0.1, 0.3, 0.9]).cross(codes, new), np.exp(-1.8))

    def test_the_start_counts_mismatches(self, codes):
        codes[:, 2] = 1.0
        counts = [np.sum(x != z) for i, x in enumerate(codes) for z in codes[:i] if np.any(x != z)]
        np.testing.assert_allclose(Category().start(codes).gamma, np.array([1, 1, 0, 1]) / np.median(counts))

    def test_equal_rows_start_anywhere(self):
        assert np.all(Category().start(np.ones((5, 2))).gamma == 0.0)


class TestOnColumns:
    def test_it_is_the_kernel_of_these_columns(self, rng):
        X, Z = rng.normal(size=(10, 4)), rng.normal(size=(3, 4))
        np.testing.assert_array_equal(
            ARD([0.1, 0.3]).on([3, 1]).cross(X, Z), ARD([0.1, 0.3]).cross(X[:, [3, 1]], Z[:, [3, 1]])
        )
        points = ARD([0.1, 0.3]).on([3, 1]).points_pullback(X, Z, np.ones((10, 3)))
        assert np.all(points[:, [0, 2]] == 0.0)
        assert np.all(points[:, [1, 3]] != 0.0)

    def test_widths_are_named_after_the_columns_of_the_table(self, rng):
        X = rng.normal(size=(10, 4))
        space = (ARD().on([3, 1]) * Category().on(np.array([0, 2])) + (RBF() + Linear()).on([2])).space(X)
        assert space.names == ("gamma[3]", "gamma[1]", "gamma[0]", "gamma[2]", "gamma")
        assert [group.tolist() for group in space.widths] == [[0, 1], [2, 3], [4]]

    def test_a_machine_selects_all_widths(self):
        X, *_ = wavy(120)
        level = np.arange(120) % 3
        table = np.column_stack([X[:, 0], level, np.arange(120) // 3 % 4])
        labels = np.sin(X[:, 0]) + level > 1.0
        model = LSSVC(ProductLaplace().on([0]) * Category().on([1, 2])).fit(table, labels)
        assert model.score(table, labels) > 0.9
        numbers, categories = model.kernel_.parts
        assert numbers.kernel.gamma.shape == (1,)
        assert categories.kernel.gamma[0] > categories.kernel.gamma[1]

    @pytest.mark.parametrize("columns", [[], [0.5], [-1], [1, 1], [[0, 1]], "ab"])
    def test_impossible_columns_are_refused(self, columns):
        with pytest.raises(InvalidArgument, match="columns=.* must be the numbers of one column or more"):
            RBF().on(columns)

    def test_columns_the_data_do_not_have_are_named(self):
        with pytest.raises(
            InvalidArgument, match=r"columns=\[0, 5\] asks for column 5 but the data have columns 0 to 1"
        ):
            RBF(1.0).on([0, 5]).gram(np.zeros((3, 2)))

    def test_its_repr_builds_it_again(self):
        assert repr((RBF(0.5) + 1.0).on([1])) == "(RBF(gamma=0.5) + Constant(constant=1.0)).on([1])"

    def test_a_saved_model_is_checked_against_its_columns(self, tmp_path):
        X, y, _ = wavy(30)
        model = LSSVR(ARD([0.5]).on([1]) * RBF(0.2).on([0]), regularization=0.1).fit(X, y).model_
        model.save(tmp_path / "whole")
        np.testing.assert_array_equal(load(tmp_path / "whole").predict(X), model.predict(X))
        for forged in ([0, 1], [7], [-1], ["1"], "1", [True], [0.5], []):
            with pytest.raises(UnusableModel, match=r"forged cannot be loaded \(.*(column|gamma)"):
                load(self.forged(tmp_path, forged))

    @staticmethod
    def forged(folder, columns):
        """Return the file of the model with other columns for the first of its kernels."""
        with zipfile.ZipFile(folder / "whole") as whole, zipfile.ZipFile(folder / "forged", "w") as forged:
            for name in whole.namelist():
                data = whole.read(name)
                if name == "model.json":
                    text = json.loads(data)
                    text["model"]["components"][0]["parts"][0]["kernel"]["parts"][0]["columns"] = columns
                    data = json.dumps(text).encode()
                forged.writestr(name, data)
        return folder / "forged"

    def test_a_model_with_other_columns_than_its_inputs_is_not_saved(self, tmp_path):
        X, y, _ = wavy(30)
        model = LSSVR(ARD([0.5]).on([1]) * RBF(0.2).on([0]), regularization=0.1).fit(X, y).model_
        for columns in ((1, 2), (7,), (0, 1)):
            spoilt = OnColumns(ARD([0.5]), (1,))
            object.__setattr__(spoilt, "columns", columns)
            part = replace(model.components[0].kernel_part, kernel=spoilt)
            with pytest.raises(InvalidArgument, match="cannot be saved"):
                replace(model, components=(replace(model.components[0], parts=(part,)),)).save(tmp_path / "m")
            assert not (tmp_path / "m").exists()
