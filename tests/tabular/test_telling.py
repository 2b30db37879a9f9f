"""How much of a target a table of values leaves."""

import numpy as np
import pytest

from kernelect.tabular.telling import left_by_table
from oracles import telling as slow


@pytest.mark.parametrize("classes", [True, False])
def test_a_table_of_values_leaves_out_each_row(classes):
    rng = np.random.default_rng(0)
    values = rng.integers(0, 25, 200).astype(float)
    y = (values + rng.integers(0, 12, 200)) % 4 if classes else values + rng.normal(size=200)
    assert left_by_table(values, y, classes) == pytest.approx(slow.left_by_table(values, y, classes), rel=1e-12)


def test_values_of_single_rows_tell_nothing():
    y = np.random.default_rng(0).normal(size=200)
    assert left_by_table(np.arange(200.0), y, False) == np.inf
