"""Laws of every kernel: the registered ones, and composites of them (tests/instances.py)."""

from dataclasses import replace

import numpy as np
import pytest

from contracts.declared import require_instances
from instances import KERNELS, WIDTHS
from kernelect.exceptions import InvalidArgument
from kernelect.kernels import (
    ARD,
    RBF,
    Agreement,
    Category,
    Constant,
    FunctionKernel,
    InnerProduct,
    Kernel,
    Linear,
    Matern,
    OverInputs,
    Parametric,
    Polynomial,
    Precomputed,
    ProductLaplace,
    ProductMatern,
    RationalQuadratic,
    SklearnKernel,
    Stationary,
)
from oracles import kernels as slow
from oracles.differences import gradient

every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)


def test_every_registered_kernel_is_held_to_these_laws():
    parts = [part for kernel in KERNELS.values() for part in (kernel, *getattr(kernel, "parts", ()))]
    require_instances("kernel", parts, "KERNELS", aside=(Precomputed,), file="tests/instances.py")


@every_kernel
def test_gram_is_symmetric_positive_semidefinite_and_agrees_with_cross_and_diagonal(kernel, data):
    X, *_ = data
    gram = kernel.gram(X)
    np.testing.assert_allclose(gram, gram.T, atol=1e-14 * gram.max())
    np.testing.assert_allclose(gram, kernel.cross(X, X.copy()), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.diagonal(gram), kernel.diagonal(X), rtol=1e-12)
    assert np.linalg.eigvalsh(gram).min() > -1e-10 * np.abs(gram).max()


@pytest.mark.parametrize(
    "kernel",
    [kernel for kernel in KERNELS.values() if isinstance(kernel, Stationary | OverInputs | InnerProduct)],
    ids=lambda kernel: type(kernel).__name__,
)
def test_values_are_those_of_the_profile(kernel, data, rng):
    """Exports and explanations follow from the profile; faster ways to the values must agree with it."""
    X, Z = data[0][:5].round(), rng.normal(size=(4, 3)).round()
    expected = [[_by_profile(kernel, x, z) for z in Z] for x in X]
    np.testing.assert_allclose(kernel.cross(X, Z), expected, rtol=1e-12)


def _by_profile(kernel, x, z):
    if isinstance(kernel, InnerProduct):
        return kernel.profile(np.array([np.dot(x, z)]))[0]
    difference = (x != z).astype(float) if getattr(kernel, "compares_codes", False) else np.abs(x - z)
    if isinstance(kernel, OverInputs):
        return np.prod(kernel.profile(np.sqrt(kernel.gamma) * difference))
    return kernel.profile(np.array([np.sum(kernel.gamma * difference**2)]))[0]


@every_kernel
def test_pullback_is_the_derivative_in_the_log_parameters(kernel, data, rng):
    X, *_ = data
    weights = rng.normal(size=(len(X), len(X)))
    expected = gradient(lambda theta: np.sum(weights * kernel.with_theta(theta).gram(X)), kernel.theta)
    np.testing.assert_allclose(kernel.pullback(X, weights), expected, rtol=1e-6, atol=1e-6)
    by_columns = kernel.pullback(X, np.asfortranarray(weights))  # as LAPACK leaves them in memory
    np.testing.assert_allclose(by_columns, kernel.pullback(X, weights), rtol=1e-9, atol=1e-9)


@every_kernel
def test_cross_pullback_is_the_derivative_in_log_parameters_and_points(kernel, data, rng):
    X, *_ = data
    Z, weights = rng.normal(size=(4, 3)), rng.normal(size=(len(X), 4))
    by_theta, by_points = kernel.cross_pullback(X, Z, weights)
    expected = gradient(lambda theta: np.sum(weights * kernel.with_theta(theta).cross(X, Z)), kernel.theta)
    np.testing.assert_allclose(by_theta, expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(
        by_points, gradient(lambda z: np.sum(weights * kernel.cross(X, z)), Z), rtol=1e-5, atol=1e-6
    )


@every_kernel
@pytest.mark.parametrize("m", [1, 4])
def test_values_and_pullback_of_two_sets_of_rows_share_their_work(kernel, m, data, rng):
    X, *_ = data
    Z, weights = rng.normal(size=(m, 3)), np.asfortranarray(rng.normal(size=(len(X), m)))
    cross, pull = kernel.linearize_cross(X, Z)
    np.testing.assert_array_equal(cross, kernel.cross(X, Z))
    np.testing.assert_allclose(pull(weights), kernel.cross_pullback(X, Z, weights)[0], rtol=1e-10, atol=1e-12)


@every_kernel
def test_with_theta_inverts_theta_and_changes_nothing_else(kernel, data):
    X, *_ = data
    np.testing.assert_allclose(kernel.with_theta(kernel.theta).gram(X), kernel.gram(X), rtol=1e-12)


@every_kernel
def test_columns_in_another_order_have_the_same_values(kernel, data, rng):
    X, *_ = data
    Z, columns = rng.normal(size=(4, 3)), np.array([2, 0, 1])
    other = kernel.reordered(columns)
    if other is None:  # it may tell columns apart by their places
        assert isinstance(kernel, SklearnKernel | FunctionKernel)
        return
    np.testing.assert_allclose(other.cross(X[:, columns], Z[:, columns]), kernel.cross(X, Z), rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(other.reordered(np.argsort(columns)).theta, kernel.theta)
    started = kernel.start(X)  # with the centre of inner products
    np.testing.assert_allclose(
        started.reordered(columns).cross(X[:, columns], Z[:, columns]), started.cross(X, Z), rtol=1e-12, atol=1e-12
    )
    names = other.space(X[:, columns]).named_by(columns).names
    assert sorted(names) == sorted(kernel.space(X).names)


@pytest.mark.parametrize("kernel", [ARD([0.1, 0.2]), Linear([0.1, 0.2, 0.3, 0.4]), RBF(0.1).on([3])], ids=repr)
def test_numbers_for_other_columns_than_there_are_stay_for_the_sentence_about_them(kernel, data):
    X, *_ = data
    other = kernel.reordered(np.array([2, 0, 1]))
    with pytest.raises(InvalidArgument, match="but the data have"):
        other.cross(X, X)


def test_a_composite_has_an_order_of_columns_where_all_its_parts_have_one():
    with_sklearn = RBF(0.1) + KERNELS["from scikit-learn, wrapped"]
    assert with_sklearn.reordered(np.array([1, 0])) is None


@every_kernel
def test_space_start_and_theta_agree(kernel, data):
    X, *_ = data
    started, space = kernel.start(X), kernel.space(X)
    np.testing.assert_allclose(space.start, started.theta)
    assert len(space.names) == len(set(space.names)) == len(started.theta)
    assert not space.free.any() or not isinstance(kernel, Parametric)  # nothing in the list is "auto"
    np.testing.assert_allclose(started.with_theta(started.theta).gram(X), started.gram(X), rtol=1e-12)


@pytest.mark.parametrize("name", [name for name, kernel in KERNELS.items() if isinstance(kernel, Parametric)])
def test_declared_parameters_are_auto_fixed_or_refused(name, data):
    kernel, (X, *_) = KERNELS[name], data
    for parameter in kernel.parameters:
        free = replace(kernel, **{parameter.name: "auto"})
        space = free.space(X)
        assert space.free.sum() == len(kernel.logarithms(parameter.name))
        assert np.all(space.lower[space.free] < space.start[space.free])
        assert np.all(space.upper[space.free] > space.start[space.free])
        assert bool(space.widths) == any(each.role == "width" for each in kernel.parameters)
        assert np.all(np.isfinite(free.start(X).gram(X)))
        with pytest.raises(InvalidArgument, match=f"{type(kernel).__name__}\\({parameter.name}='auto'\\) has no value"):
            _ = free.theta
        for wrong in (-1.0, np.nan, "aut", None):
            with pytest.raises(InvalidArgument, match=f"{parameter.name}="):
                replace(kernel, **{parameter.name: [wrong] if parameter.many(kernel) else wrong})


@pytest.mark.parametrize(
    ("kernel", "formula"),
    [
        (RBF(0.3), lambda x, z: slow.rbf(x, z, [0.3] * 3)),
        (ARD(WIDTHS), lambda x, z: slow.rbf(x, z, WIDTHS)),
        (Matern(1.5, 0.3), lambda x, z: slow.matern(x, z, [0.3] * 3, 1.5)),
        (Matern(2.5, WIDTHS), lambda x, z: slow.matern(x, z, WIDTHS, 2.5)),
        (RationalQuadratic(0.3, alpha=0.7), lambda x, z: slow.rational_quadratic(x, z, [0.3] * 3, 0.7)),
        (RationalQuadratic(WIDTHS, alpha=2.5), lambda x, z: slow.rational_quadratic(x, z, WIDTHS, 2.5)),
        (ProductLaplace(WIDTHS), lambda x, z: slow.product_laplace(x, z, WIDTHS)),
        (ProductMatern(WIDTHS), lambda x, z: slow.product_matern(x, z, WIDTHS)),
        (Category(WIDTHS), lambda x, z: slow.category(x, z, WIDTHS)),
        (Agreement(), slow.agreement),
        (
            ProductLaplace([0.3, 0.2]).on([2, 0]) * Category([0.8]).on([1]),
            lambda x, z: slow.product_laplace(x[[2, 0]], z[[2, 0]], [0.3, 0.2]) * slow.category(x[[1]], z[[1]], [0.8]),
        ),
        (Linear(), slow.linear),
        (Polynomial(3, gamma=0.2, coef0=0.7), lambda x, z: slow.polynomial(x, z, 3, 0.2, 0.7)),
        (2.0 * RBF(0.3) + Constant(0.1), lambda x, z: 2.0 * slow.rbf(x, z, [0.3] * 3) + 0.1),
    ],
    ids=lambda part: repr(part) if isinstance(part, Kernel) else "",
)
def test_values_are_those_of_the_formula(kernel, formula, data):
    X, *_ = data
    expected = [[formula(x, z) for z in X[:5]] for x in X]
    np.testing.assert_allclose(kernel.cross(X, X[:5]), expected, rtol=1e-10, atol=1e-12)


def test_data_far_from_the_origin_lose_no_digits(rng):
    X = rng.normal(size=(20, 2))
    np.testing.assert_allclose(RBF(0.5).gram(X + 1e6), RBF(0.5).gram(X), rtol=1e-8)


@pytest.mark.parametrize("size", [1e12, -1e200])
@every_kernel
def test_a_row_of_a_batch_does_not_depend_on_the_others(kernel, size, data, rng):
    X, *_ = data
    Z = rng.normal(size=(7, 3))
    wild = np.full((1, 3), size) * [1.0, -1.0, 0.5]
    alone = kernel.cross(X, Z)
    np.testing.assert_allclose(kernel.cross(X, Z[:3]), alone[:, :3], rtol=1e-12, atol=1e-15)
    together = kernel.cross(X, np.vstack([Z[:3], wild, Z[3:]]))
    np.testing.assert_allclose(np.delete(together, 3, axis=1), alone, rtol=1e-12, atol=1e-15)
    assert np.all(np.isfinite(together))
    assert np.all(np.isfinite(kernel.cross(X, wild)))


@pytest.mark.parametrize("name", [name for name, kernel in KERNELS.items() if isinstance(kernel, Stationary)])
@pytest.mark.parametrize("size", [1e12, 1e200])
def test_an_outlier_among_the_stored_rows_takes_no_digits_from_the_others(name, size, data, rng):
    kernel, (X, *_) = KERNELS[name], data
    wild = np.vstack([np.full((2, 3), size) * [1.0, -1.0, 0.5], X])
    weights = rng.normal(size=(len(wild), len(wild)))
    np.testing.assert_allclose(kernel.gram(wild)[2:, 2:], kernel.gram(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(kernel.gram(wild)[:2, :2], 1.0)  # twice the same row
    assert np.isfinite(kernel.pullback(wild, weights)).all()
    if np.abs(kernel.gram(wild)[:2, 2:]).max() > 1e-12:  # so heavy a tail that the outliers have a say themselves
        weights[:2] = weights[:, :2] = 0.0
    np.testing.assert_allclose(
        kernel.pullback(wild, weights), kernel.pullback(X, weights[2:, 2:]), rtol=1e-7, atol=1e-9
    )
    theta, points = kernel.cross_pullback(X, wild, weights[2:])
    assert np.all(np.isfinite(theta))
    np.testing.assert_allclose(points[2:], kernel.points_pullback(X, X, weights[2:, 2:]), rtol=1e-9, atol=1e-12)


def test_far_rows_are_compared_by_their_differences(rng):
    clusters = np.repeat([[0.0, 0.0], [1e7, -1e7]], 8, axis=0)
    X = clusters + rng.integers(-8, 9, size=(16, 2)) / 8.0
    slow_gram = [[slow.rbf(x, z, [0.5, 0.5]) for z in X] for x in X]
    np.testing.assert_allclose(RBF(0.5).gram(X), slow_gram, rtol=1e-9, atol=1e-12)
    weights = rng.normal(size=(16, 16))
    expected = gradient(lambda theta: np.sum(weights * RBF(0.5).with_theta(theta).gram(X)), RBF(0.5).theta)
    np.testing.assert_allclose(RBF(0.5).pullback(X, weights), expected, rtol=1e-6)
