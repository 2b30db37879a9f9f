"""Parameters: auto and fixed, starts from the data, bounds, and what is refused."""

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as sk

from kernelect.exceptions import InvalidArgument
from kernelect.kernels import ARD, RBF, Constant, Linear, Matern, Polynomial, SklearnKernel, as_kernel, from_sklearn
from kernelect.kernels.scale import median_width


def test_the_spherical_start_is_the_median_heuristic(rng):
    X = rng.normal(size=(50, 3))
    squared = [np.sum((X[i] - X[j]) ** 2) for i in range(50) for j in range(i)]
    assert RBF().start(X).gamma == pytest.approx(1.0 / np.median(squared))


def test_the_start_does_not_depend_on_the_order_of_many_rows(rng):
    X = rng.normal(size=(1500, 2))
    assert median_width(X) == pytest.approx(median_width(X[rng.permutation(1500)]), rel=1e-12)


def test_elliptical_starts_follow_each_inputs_units(rng):
    X = rng.normal(size=(60, 3))
    units = np.array([1.0, 1e8, 1e-8])
    np.testing.assert_allclose(ARD().start(X * units).gamma * units**2, ARD().start(X).gamma, rtol=1e-10)


def test_a_constant_input_is_switched_off_and_not_searched(rng):
    X = np.column_stack([rng.normal(size=20), np.full(20, 1e8 / 3)])
    assert ARD().start(X).gamma[1] == 0.0
    assert ARD().space(X).free.tolist() == [True, False]


def test_only_auto_parameters_are_free(rng):
    X = rng.normal(size=(20, 2))
    space = (Constant("auto") * ARD([0.1, 0.2]) + Polynomial(2, gamma="auto", coef0=1.0)).space(X)
    assert dict(zip(space.names, space.free.tolist(), strict=True)) == {
        "constant": True,
        "gamma[0]": False,
        "gamma[1]": False,
        "gamma": True,
        "coef0": False,
    }


def test_numbers_that_do_not_move_stay_to_the_last_bit():
    """exp(log(0.1)) is 0.10000000000000002."""
    kernel = Constant(0.7) * ARD([0.1, 0.0, 0.3]) + Constant(0.1)
    moved = kernel.with_theta(kernel.theta + np.eye(5)[3])
    assert repr(kernel.with_theta(kernel.theta)) == repr(kernel)
    assert repr(moved.parts[1]) == "Constant(constant=0.1)"
    np.testing.assert_array_equal(moved.parts[0].parts[1].gamma[:2], [0.1, 0.0])
    assert moved.parts[0].parts[1].gamma[2] == pytest.approx(0.3 * np.e)


def test_names_that_occur_twice_are_told_apart(rng):
    space = (RBF() + RBF(0.1)).space(rng.normal(size=(5, 2)))
    assert space.names == ("part1.gamma", "part2.gamma")


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: RBF(-1.0), r"gamma=-1.0 must be a positive number, or 'auto'"),
        (lambda: RBF("aut"), r"gamma='aut' must be"),
        (lambda: RBF(float("nan")), "gamma=nan"),
        (lambda: ARD([0.1, -0.1]), r"gamma=\[0.1, -0.1\] must be one number >= 0 per input"),
        (lambda: ARD(0.5), "one number >= 0 per input"),
        (lambda: Matern(2.0), r"nu=2.0 must be 1.5 or 2.5"),
        (lambda: Polynomial(0), "degree=0 must be a whole number"),
        (lambda: Constant(0.0), "constant=0.0 must be"),
        (lambda: RBF(1.0) + "x", "cannot be combined with 'x'"),
        (lambda: as_kernel("rbff"), "kernel='rbff' is not known. Did you mean 'rbf'?"),
        (lambda: as_kernel(3), "kernel=3 must be a name"),
        (lambda: ARD([0.1]).gram(np.zeros((2, 3))), "gamma has 1 widths but the data have 3 inputs"),
        (lambda: RBF().gram(np.zeros((2, 3))), r"RBF\(gamma='auto'\) has no value before fit"),
    ],
)
def test_impossible_values_are_named_with_the_way_out(build, message):
    with pytest.raises(InvalidArgument, match=message):
        build()


def test_scikit_learn_kernels_are_translated_where_they_have_a_counterpart(rng):
    X = rng.normal(size=(10, 2))
    theirs = sk.ConstantKernel(2.0, "fixed") * sk.RBF([0.5, 2.0], "fixed") + sk.Matern(0.7, "fixed", nu=2.5)
    ours = from_sklearn(theirs)
    np.testing.assert_allclose(ours.gram(X), theirs(X), rtol=1e-12)
    assert "SklearnKernel" not in repr(ours)
    assert from_sklearn(sk.RBF(1.0)).gamma == "auto"  # scikit-learn would optimise it


def test_other_scikit_learn_kernels_keep_their_bounds(rng):
    wrapped = from_sklearn(sk.RationalQuadratic(1.5, 0.8, length_scale_bounds=(0.1, 10.0), alpha_bounds="fixed"))
    assert isinstance(wrapped, SklearnKernel)
    space = wrapped.space(rng.normal(size=(5, 2)))
    assert space.names == ("length_scale",)
    np.testing.assert_allclose([space.lower[0], space.upper[0]], np.log([0.1, 10.0]))


def test_linear_has_nothing_to_select(rng):
    assert len(Linear().space(rng.normal(size=(5, 2)))) == 0
