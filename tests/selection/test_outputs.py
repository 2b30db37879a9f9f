"""How many outputs say something of their own: the sample size behind a sum of squares."""

import numpy as np
import pytest

from kernelect.selection.objective import independent_outputs


@pytest.mark.parametrize("n_classes", [3, 4, 7])
def test_one_against_rest_columns_are_one_fewer_whatever_the_order_of_classes_and_rows(n_classes):
    for seed in range(40):
        generator = np.random.default_rng(seed)
        labels = np.append(np.arange(n_classes), generator.integers(n_classes, size=int(generator.integers(30, 200))))
        targets = np.where(labels[:, None] == generator.permutation(n_classes), 1.0, -1.0)
        assert independent_outputs(targets) == n_classes - 1


def test_real_outputs_all_count_whatever_their_units(rng):
    targets = rng.normal(size=(50, 3)) * [1e-9, 1.0, 1e9] + [0.0, 5.0, 0.0]
    assert independent_outputs(targets) == 3
    assert independent_outputs(np.column_stack([targets, targets[:, 0] - targets[:, 1]])) == 3


def test_constant_outputs_count_as_one():
    assert independent_outputs(np.zeros((10, 2))) == 1
