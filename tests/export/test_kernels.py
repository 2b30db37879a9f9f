import numpy as np
import pytest

from instances import KERNELS
from kernelect import LSSVR
from kernelect.exceptions import MissingCapability
from kernelect.export.bounds import for_single, within
from kernelect.export.evaluate import evaluate
from kernelect.export.graph import Raw, concatenated, stretched
from kernelect.export.kernels import kernel_diagonal, kernel_sum, kernel_values
from kernelect.export.models import program_of
from kernelect.export.program import ExportedColumn, Program
from kernelect.export.rewriting import shared_nodes
from kernelect.kernels import (
    ARD,
    RBF,
    Linear,
    Matern,
    Polynomial,
    Product,
    ProductLaplace,
    ProductMatern,
    RationalQuadratic,
)
from kernelect.kernels.translation import SklearnKernel
from kernelect.machines.base import KernelExpansion

EXPORTED = {name: kernel for name, kernel in KERNELS.items() if name not in ("from scikit-learn, wrapped", "function")}
ROWS = np.random.default_rng(1).normal(size=(9, 3))


def run(node, rows, n_columns=3):
    columns = tuple(ExportedColumn(name=f"x{j}", place=j, kind="number") for j in range(n_columns))
    return evaluate(Program(columns=columns, result=node), rows)[0]


def started(name, vectors):
    return EXPORTED[name].start(vectors)


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("name", EXPORTED)
def test_values_and_diagonal_are_those_of_the_kernel(name, offset):
    vectors = np.vstack([ROWS[:5] + offset, ROWS[:1] + offset])
    kernel, rows = started(name, vectors), ROWS[3:] + offset
    x = Raw((0, 1, 2))
    found = run(stretched(kernel_values(kernel, vectors, x), len(vectors)), rows)
    np.testing.assert_allclose(found, kernel.cross(vectors, rows).T, atol=1e-8 if offset else 1e-12)
    diagonal = run(kernel_diagonal(kernel, vectors, x) + 0.0 * x, rows)[:, 0]
    np.testing.assert_allclose(diagonal, kernel.diagonal(rows), rtol=1e-9)


@pytest.mark.parametrize(("size", "single"), [(1e145, False), (1e18, True)])
@pytest.mark.parametrize("kind", [ARD, Matern, ProductLaplace, ProductMatern])
def test_a_single_vector_is_measured_by_the_widths(kind, size, single):
    """Without others to measure by, inputs were in units of 1 and stopped growing at 1e120, or at 1e15."""
    widths = np.array([1e-3, 1e-4, 1e-3]) / size / size
    kernel = Matern(1.5, widths) if kind is Matern else kind(widths)
    vectors, rows = size * ROWS[:1], size * ROWS
    node = kernel_values(kernel, vectors, Raw((0, 1, 2)))
    found = run(for_single([node])[0] if single else node, rows)
    np.testing.assert_allclose(found, kernel.cross(vectors, rows).T, rtol=1e-12)


@pytest.mark.parametrize("name", EXPORTED)
def test_sums_are_those_of_the_kernel(name):
    kernel, coefficients = started(name, ROWS[:5]), np.arange(10.0).reshape(5, 2) - 4.0
    found = run(kernel_sum(kernel, ROWS[:5], coefficients, Raw((0, 1, 2))) + np.zeros(2), ROWS)
    np.testing.assert_allclose(found, kernel.cross(ROWS[:5], ROWS).T @ coefficients, atol=1e-11)


def test_a_linear_kernel_becomes_one_weight_per_input():
    vectors = np.random.default_rng(0).normal(size=(500, 3))
    node = kernel_sum(2.0 * Linear().start(vectors), vectors, np.ones((500, 1)), Raw((0, 1, 2)))
    assert Program(columns=(ExportedColumn(name="a", place=0, kind="number"),), result=node).count() < 20


def test_columns_of_width_0_are_left_out():
    vectors = np.random.default_rng(0).normal(size=(50, 3))
    node = kernel_sum(ARD([1.0, 0.0, 0.0]), vectors, np.ones((50, 1)), Raw((0, 1, 2)))
    assert Program(columns=(ExportedColumn(name="a", place=0, kind="number"),), result=node).count() < 110
    np.testing.assert_allclose(run(node, np.array([[0.1, 1e300, 1.0]])), run(node, np.array([[0.1, -3.0, 1.0]])))


def test_rows_far_away_have_kernel_values_of_0_in_either_precision():
    vectors = np.random.default_rng(0).normal(size=(6, 3))
    far = np.array([[1e200, 0.0, 0.0]])
    columns = tuple(ExportedColumn(name=f"x{j}", place=j, kind="number") for j in range(3))
    for name in ("ard", "matern32", "matern52-ard", "product-laplace", "product-matern32"):
        node = kernel_values(EXPORTED[name], vectors, Raw((0, 1, 2)))
        np.testing.assert_allclose(evaluate(Program(columns=columns, result=node), far)[0], 0.0, atol=1e-20)
        single = Program(columns=columns, result=for_single([node])[0])
        np.testing.assert_allclose(evaluate(single, far, single=True)[0], 0.0, atol=1e-20)


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(3, gamma=0.2, coef0=0.7)])
def test_kernels_that_grow_are_followed_as_far_as_in_python(kernel):
    vectors = 1e-9 * ROWS
    rows = np.array([[1e12, 0.0, 0.0], [1e-9, -1e15, 1e3], [0.0, 0.0, 1e45]])  # k(x, x) up to 1e268
    node, coefficients = Raw((0, 1, 2)), np.linspace(-1.0, 1.0, 9)[:, None]
    expected = kernel.cross(vectors, rows).T
    np.testing.assert_allclose(run(kernel_values(kernel, vectors, node), rows), expected, rtol=1e-10)
    np.testing.assert_allclose(
        run(kernel_sum(kernel, vectors, coefficients, node), rows), expected @ coefficients, rtol=1e-7
    )
    single = Program(
        columns=tuple(ExportedColumn(name=f"x{j}", place=j, kind="number") for j in range(3)),
        result=for_single([kernel_values(kernel, vectors, node)])[0],
    )
    assert np.isfinite(evaluate(single, rows, single=True)[0]).all()


def test_many_rough_inputs_neither_overflow_nor_vanish():
    rng = np.random.default_rng(0)
    vectors, rows = rng.normal(size=(4, 40)), rng.normal(size=(3, 40))
    kernel = ProductMatern(np.full(40, 0.01))
    node = kernel_values(kernel, vectors, Raw(tuple(range(40))))
    np.testing.assert_allclose(run(node, rows, 40), kernel.cross(vectors, rows).T, rtol=1e-12)


def test_a_kernel_of_another_library_is_refused():
    wrapped = KERNELS["from scikit-learn, wrapped"]
    assert isinstance(wrapped, SklearnKernel)
    with pytest.raises(MissingCapability, match="has no form without Python: only kernels that derive from Stationary"):
        kernel_sum(Product.of(RBF(1.0), wrapped), ROWS, np.ones((9, 1)), Raw((0, 1, 2)))


def test_huge_coefficients_of_a_flat_kernel_cancel_as_in_python():
    rng = np.random.default_rng(2)
    vectors, rows = rng.normal(size=(80, 3)), rng.normal(size=(9, 3))
    coefficients = rng.normal(scale=1e10, size=(80, 2))
    coefficients -= coefficients.mean(axis=0)
    kernel = RBF(1e-9)
    found = run(kernel_sum(kernel, vectors, coefficients, Raw((0, 1, 2))), rows)
    exact = KernelExpansion(dual_coef=coefficients, intercept=np.zeros(2)).decide(kernel.cross(vectors, rows))
    plain = kernel.cross(vectors, rows).T @ coefficients
    error = np.abs(found - exact).max()
    assert error < 1e-6 * np.abs(exact).max()  # what is left is the rounding of kernel values themselves
    assert error < 0.3 * np.abs(plain - exact).max()


def test_a_large_shape_loses_no_digits():
    """1 + u rounds u, the shape multiplies that, and large coefficients multiply it again."""
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(60, 3)), generator.normal(size=60)
    kernel = RationalQuadratic(gamma=[1e-4, 1e-4, 1e-4], elliptical=True, alpha=400.0)
    model = LSSVR(kernel, regularization=1e-8).fit(X, y)
    np.testing.assert_allclose(evaluate(program_of(model), X)[-1].reshape(60), model.predict(X), atol=1e-6)


def test_bounds_that_differ_in_single_precision_alone_are_not_joined():
    """One kernel's nearer bound kept another kernel finite in single precision only if it was met first."""
    x = Raw((0,))
    far, near = shared_nodes([within(x, 1e120, 1e15), within(x, 1e120, 1e3)])
    assert far is not near
    column = ExportedColumn(name="x", place=0, kind="number")
    (ends,) = evaluate(Program(columns=(column,), result=concatenated(for_single([far, near]))), np.array([[1e20]]))
    assert ends.tolist() == [[1e15, 1e3]]
