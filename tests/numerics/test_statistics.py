"""Statistics of several tests."""

import numpy as np
import pytest

from kernelect.numerics import holm


def test_holm_is_the_stepwise_rule(rng):
    p = rng.uniform(size=7) ** 3
    found = holm(p)
    for i in range(7):  # rejected at a level if all that are smaller are, each against its share of the level
        slow = max(min(1.0, p[j] * np.sum(p >= p[j])) for j in range(7) if p[j] <= p[i])
        assert found[i] == pytest.approx(slow)
    assert holm([]).tolist() == []
