"""Sums of products with nonnegative factors: against products before and behind each player."""

import numpy as np
import pytest

from kernelect import LSSVR
from kernelect.explain import nonnegative, shapley_values
from kernelect.explain.nonnegative import Nodes
from kernelect.explain.quadrature import Products
from kernelect.explain.series import Series
from kernelect.kernels import ARD


def factors(d, spread, seed=0):
    """Return the factors (m, d, n) of two rows between 40 vectors, and coefficients."""
    generator = np.random.default_rng(seed)
    present, absent = np.exp(-spread * generator.random((2, 2, d, 40)) ** 2)
    return present, absent, generator.normal(size=(40, 3))


def weighted_sums(present, absent, coefficients, order, nodes=None):
    totals = present.prod(axis=1) - absent.prod(axis=1)
    return nonnegative.weighted_sums(present, absent, coefficients, nodes or Nodes.of(order), totals)


def by_prefixes(present, absent, coefficients):
    found = [
        Products(series=Series(), present=p[:, None], absent=q[:, None], order=len(p)).shapley()[:, 0] @ coefficients
        for p, q in zip(present, absent, strict=True)
    ]
    return np.array(found)


@pytest.mark.parametrize("spread", [0.01, 0.3, 3.0, 300.0])
@pytest.mark.parametrize("d", [1, 2, 5, 12, 40, 101])
def test_a_quotient_is_the_product_without_a_player(d, spread):
    given = factors(d, spread)
    np.testing.assert_allclose(weighted_sums(*given, d), by_prefixes(*given), atol=1e-13)


@pytest.mark.parametrize("d", [1, 2, 13])
def test_factors_of_zero(d):
    present, absent, coefficients = factors(d, 1.0)
    generator = np.random.default_rng(1)
    present, absent = (values * (generator.random(values.shape) < 0.8) for values in (present, absent))
    assert ((present == 0.0) & (absent == 0.0)).any()
    found = weighted_sums(present, absent, coefficients, d)
    np.testing.assert_allclose(found, by_prefixes(present, absent, coefficients), atol=1e-13)


@pytest.mark.parametrize("spread", [0.01, 0.3, 3.0, 300.0])
@pytest.mark.parametrize("d", [14, 40, 101])
def test_fewer_nodes_are_off_by_no_more_than_rounding(d, spread, monkeypatch):
    given = factors(d, spread)
    found = weighted_sums(*given, d)
    monkeypatch.setattr(nonnegative, "_FIRST_NODES", 1000)
    np.testing.assert_allclose(found, weighted_sums(*given, d), atol=1e-13)


def enough(steps):
    """Return the nodes that are found to be enough for products with these steps e, and how far values are off."""
    present, absent = (1.0 + np.asarray(steps)[None, :, None] * sign * np.ones((1, 1, 4)) for sign in (1.0, -1.0))
    given, nodes = (present, absent, np.ones((4, 1))), Nodes.of(len(steps))
    off = np.abs(weighted_sums(*given, len(steps), nodes) - by_prefixes(*given)).max()
    return nodes.count, off


def test_the_number_of_nodes_follows_the_steps():
    small = np.full(100, 0.01)
    assert enough(0.1 * small)[0] == 5
    assert 5 < enough(small)[0] < enough(3.0 * small)[0] <= 50
    assert enough(np.full(12, 0.9))[0] == 6  # a polynomial of full degree: all that are ever needed
    for steps in (0.1 * small, small, np.r_[0.99, np.zeros(99)]):
        assert enough(steps)[1] < 1e-12


def test_errors_that_cancel_in_the_sum_are_seen_with_more_nodes(monkeypatch):
    """Steps up and down of one size: values add up to 0 with any number of nodes."""
    steps = np.where(np.arange(60) % 2, 0.1, -0.1)
    count, off = enough(steps)
    assert count > 5
    assert off < 1e-12
    monkeypatch.setattr(Nodes, "blocks", property(lambda nodes: 1, lambda nodes, value: None), raising=False)
    assert enough(steps)[0] == 5  # without this check


@pytest.mark.parametrize("largest", [0.0, 20.0])
def test_many_players_do_not_overflow(largest, monkeypatch):
    present, absent, coefficients = factors(41, 0.3)
    whole = weighted_sums(present, absent, coefficients, 41)
    monkeypatch.setattr(nonnegative, "_LARGEST", largest)
    nonnegative._rule.cache_clear()
    np.testing.assert_allclose(weighted_sums(present, absent, coefficients, 41), whole, atol=1e-13)
    nonnegative._rule.cache_clear()


def test_no_power_of_a_node_leaves_the_range_of_numbers():
    for node in nonnegative._rule(31, 1000):  # the nodes nearest to 0 are 0.1: to the thousandth, below all numbers
        assert 1e-280 < abs(node.weight) < np.inf
    assert nonnegative._rule(31, 1000)[15].place == 0.0


def test_background_rows_need_not_be_kept(monkeypatch):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(30, 4))
    model = LSSVR(ARD([0.1, 0.3, 0.2, 0.4]), regularization=0.5).fit(X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2])
    kept = shapley_values(model, X[:3], X[5:12], interactions=True, absent="interventional")
    monkeypatch.setattr("kernelect.explain.shapley.KEPT", 0)
    monkeypatch.setattr("kernelect.explain.exact._NUMBERS", 250)  # two background rows at once
    anew = shapley_values(model, X[:3], X[5:12], interactions=True, absent="interventional")
    for name in ("values", "base_values", "interactions"):
        np.testing.assert_allclose(getattr(anew, name), getattr(kept, name), atol=1e-13)


def test_blocks_change_nothing(monkeypatch):
    given = factors(9, 1.0)
    whole = weighted_sums(*given, 9)
    for block, fewest in ((1, 1), (100, 3), (500, 32)):
        monkeypatch.setattr(nonnegative, "_BLOCK", block)
        monkeypatch.setattr(nonnegative, "_FEWEST", fewest)
        np.testing.assert_allclose(weighted_sums(*given, 9), whole, atol=1e-13)
