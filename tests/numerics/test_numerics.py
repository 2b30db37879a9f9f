import numpy as np
import pytest

from kernelect.exceptions import NotEnoughMemory, SingularSystem
from kernelect.numerics import (
    factorize,
    matrix_vector,
    outer_gram,
    product,
    require_memory,
    root_product,
    row_blocks,
    symmetrize_from_lower,
)
from kernelect.numerics.mixing import AndersonMixing


@pytest.fixture
def spd(rng):
    A = rng.normal(size=(150, 200))
    return A @ A.T / 200 + 0.1 * np.eye(150)


def test_factor_solves_inverts_and_gives_determinant_and_diagonal(spd, rng):
    ridge = rng.uniform(0.1, 1.0, size=150)
    M = spd + np.diag(ridge)
    factor, right = factorize(spd, ridge), rng.normal(size=(150, 3))
    np.testing.assert_allclose(factor.solve(right), np.linalg.solve(M, right), rtol=1e-9)
    np.testing.assert_allclose(factor.inverse(), np.linalg.inv(M), atol=1e-11)
    np.testing.assert_allclose(factor.inverse_diagonal(), np.diagonal(np.linalg.inv(M)), rtol=1e-10)
    half = factor.half_solve(right)
    np.testing.assert_allclose(half.T @ half, right.T @ np.linalg.solve(M, right), rtol=1e-9, atol=1e-10)
    assert factor.log_determinant() == pytest.approx(np.linalg.slogdet(M)[1])
    assert factor.jitter == 0.0


def test_the_matrix_itself_is_left_alone(spd):
    before = spd.copy()
    factorize(spd, 0.5)
    np.testing.assert_array_equal(spd, before)


def test_jitter_mends_rank_deficiency_and_says_how_much():
    ones = np.ones((20, 20))
    factor = factorize(ones)
    assert 0.0 < factor.jitter <= 1e-10
    assert np.isfinite(factor.solve(np.ones((20, 1)))).all()


def test_an_indefinite_matrix_is_refused_with_likely_causes():
    with pytest.raises(SingularSystem, match="precomputed kernel that is not positive semi-definite"):
        factorize(np.diag([1.0, -1.0]))
    with pytest.raises(SingularSystem, match="NaN or infinite"):
        factorize(np.diag([1.0, np.nan]))


@pytest.mark.parametrize("order", ["C", "F"])
def test_symmetrize_copies_the_lower_triangle(order, rng):
    matrix = np.array(rng.normal(size=(300, 300)), order=order)
    expected = np.tril(matrix) + np.tril(matrix, -1).T
    np.testing.assert_array_equal(symmetrize_from_lower(matrix), expected)


@pytest.mark.parametrize("left", ["C", "F", "strided"])
@pytest.mark.parametrize("right", ["C", "F", "strided"])
def test_product_is_the_matrix_product_in_any_layout(left, right, rng):
    def laid_out(matrix, layout):
        return np.repeat(matrix, 2, axis=0)[::2] if layout == "strided" else np.array(matrix, order=layout)

    A, B = rng.normal(size=(7, 5)), rng.normal(size=(5, 4))
    found = product(laid_out(A, left), laid_out(B, right))
    np.testing.assert_allclose(found, A @ B, rtol=1e-13)
    out = np.empty((7, 4))
    assert product(laid_out(A, left), laid_out(B, right), out=out) is out
    np.testing.assert_allclose(out, A @ B, rtol=1e-13)
    np.testing.assert_allclose(outer_gram(laid_out(A, left)), A @ A.T, rtol=1e-13)
    np.testing.assert_allclose(matrix_vector(laid_out(A, left), B[:, 0]), A @ B[:, 0], rtol=1e-13)
    np.testing.assert_allclose(product(laid_out(A, left), laid_out(B, right)[:, :1]), A @ B[:, :1], rtol=1e-13)


def test_blocks_cover_every_row_once():
    covered = [i for block in row_blocks(1000, 3000) for i in range(block.start, block.stop)]
    assert covered == list(range(1000))


def test_too_many_rows_are_refused_before_anything_is_allocated():
    with pytest.raises(NotEnoughMemory, match=r"Fitting 100000000 rows needs about .* GiB.* rows would fit"):
        require_memory(100_000_000)


@pytest.mark.parametrize("n", [1, 5, 96, 97, 250])
def test_a_triangular_inverse_by_halves_is_the_inverse(n):
    generator = np.random.default_rng(0)
    A = generator.normal(size=(n, 2 * n))
    M = A @ A.T / n + np.eye(n)
    factor = factorize(M)
    inverted, inverse = factor.inverted(), np.linalg.inv(M)
    np.testing.assert_allclose(inverted.half @ np.tril(factor.lower), np.eye(n), atol=1e-12)
    assert not np.triu(inverted.half, 1).any()
    np.testing.assert_allclose(inverted.inverse(), inverse, atol=1e-12)
    np.testing.assert_allclose(inverted.inverse_diagonal(), np.diagonal(inverse), atol=1e-12)
    np.testing.assert_allclose(inverted.solve(A[:, 0]), inverse @ A[:, 0], atol=1e-11)
    np.testing.assert_allclose(inverted.half_solve(A).T @ inverted.half_solve(A), A.T @ inverse @ A, atol=1e-10)
    assert inverted.log_determinant() == pytest.approx(np.linalg.slogdet(M)[1])


def test_scaling_on_the_way_into_a_factorisation():
    generator = np.random.default_rng(1)
    A, scale = generator.normal(size=(30, 40)), generator.uniform(0.1, 3.0, size=30)
    factor = factorize(A @ A.T, 1.0, scale)
    expected = np.linalg.cholesky(scale[:, None] * (A @ A.T) * scale + np.eye(30))
    np.testing.assert_allclose(np.tril(factor.lower), expected, atol=1e-10)


def test_mixing_learns_nothing_from_an_iteration_that_diverges():
    mixing, ones = AndersonMixing(), np.ones(2)
    assert mixing.propose(np.zeros(2), np.ones(2), ones) is None
    assert mixing.propose(np.ones(2), np.array([1.0, 1e300]), 1e100 * ones) is None
    mixing.forget()
    mixing.propose(np.zeros(2), np.array([1.0, 2.0]), ones)
    proposed = mixing.propose(np.array([0.5, 1.0]), np.array([0.5, 1.0]), ones)
    np.testing.assert_allclose(proposed, [1.0, 2.0])  # where the residual, which is linear, is 0


@pytest.mark.parametrize("columns", [3, 40])
@pytest.mark.parametrize("shape", ["triangle", "full", "fewer rows"])
def test_products_with_roots_are_matrix_products(shape, columns, rng):
    root, right = rng.normal(size=(30, 30)), rng.normal(size=(30, columns))
    root = {"triangle": np.tril(root), "full": root, "fewer rows": root[:12]}[shape]
    before = root.copy(), right.copy()
    np.testing.assert_allclose(root_product(root, right), root @ right, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(root, before[0])
    np.testing.assert_array_equal(right, before[1])
