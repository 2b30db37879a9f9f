"""How many nodes: enough for the degree, fewer where a bound allows it."""

from math import ceil

import numpy as np
import pytest

from kernelect.explain import quadrature
from kernelect.explain.quadrature import Products
from kernelect.explain.series import Series


def factors(d, spread, sign, seed=0):
    generator = np.random.default_rng(seed)
    values = np.exp(-spread * generator.random((2, d, 1, 300)) ** 2)
    if sign:
        values *= generator.choice([-1.0, 1.0], size=values.shape)
    return Products(series=Series(), present=values[0], absent=values[1], order=d)


@pytest.mark.parametrize("sign", [False, True])
@pytest.mark.parametrize("spread", [0.01, 0.3, 3.0])
@pytest.mark.parametrize("d", [13, 40, 101])
def test_fewer_nodes_are_off_by_no_more_than_rounding(d, spread, sign, monkeypatch):
    products = factors(d, spread, sign)
    found, pairs = products.shapley(), [block for _, block in factors(13, spread, sign).interactions()]
    monkeypatch.setattr(quadrature, "_FEW_NODES", 1000)
    np.testing.assert_allclose(found, products.shapley(), atol=3e-15)
    full = [block for _, block in factors(13, spread, sign).interactions()]
    np.testing.assert_allclose(np.concatenate(pairs, axis=3), np.concatenate(full, axis=3), atol=3e-15)


def test_many_players_need_few_nodes():
    counts = [count for _, count in factors(101, 0.1, False)._blocks(51)]
    assert max(counts) < 15
    assert next(count for _, count in factors(12, 0.1, False)._blocks(6)) == 6


def test_factors_of_both_signs_need_all_nodes():
    # |delta| is 2 here: the products grow by 2^d away from [0, 1], so that no bound allows fewer.
    ones = np.ones((40, 1, 50))
    assert next(count for _, count in Products(series=Series(), present=ones, absent=-ones, order=40)._blocks(20)) == 20


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6])
def test_the_degree_decides_where_players_are_few(d, monkeypatch):
    products = factors(d, 3.0, True)
    exact = products.shapley()
    needed = ceil(d / 2)
    monkeypatch.setattr(quadrature, "legendre", lambda count: np_legendre(count + 3))
    np.testing.assert_allclose(products.shapley(), exact, atol=1e-14)
    if needed > 1:
        monkeypatch.setattr(quadrature, "legendre", lambda count: np_legendre(count - 1))
        assert np.abs(products.shapley() - exact).max() > 1e-6


def np_legendre(count):
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return (nodes + 1.0) / 2.0, weights / 2.0
