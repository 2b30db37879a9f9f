"""Numbers of classes that follow from their rows."""

import numpy as np
import pytest

from kernelect.numerics import canonical_classes, canonical_signs


@pytest.mark.parametrize("kind", ["numbers", "binary"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_classes_are_numbered_alike_whatever_their_names_and_the_arrangement(kind, n_classes, rng):
    X = rng.normal(size=(60, 3)) if kind == "numbers" else rng.integers(0, 2, size=(60, 3)).astype(float)
    index, weights = np.arange(60) % n_classes, rng.uniform(0.5, 2.0, size=60)
    numbers = canonical_classes(X, index, weights)
    assert sorted(numbers) == list(range(n_classes))
    names, rows, columns = rng.permutation(n_classes), rng.permutation(60), rng.permutation(3)
    np.testing.assert_array_equal(canonical_classes(X, names[index], weights)[names], numbers)
    np.testing.assert_array_equal(canonical_classes(X[rows], index[rows], weights[rows]), numbers)
    np.testing.assert_array_equal(canonical_classes(X[:, columns], index, weights), numbers)


def test_a_class_with_more_distinct_rows_comes_later(rng):
    X, index = np.arange(6.0)[:, None], np.array([0, 0, 0, 0, 1, 1])
    np.testing.assert_array_equal(canonical_classes(X, index, np.ones(6)), [1, 0])
    often = np.append(np.arange(6), np.full(9, 4))
    np.testing.assert_array_equal(canonical_classes(X[often], index[often], np.ones(15)), [1, 0])


def test_a_row_given_twice_counts_as_one_of_twice_the_weight(rng):
    X, index = rng.normal(size=(20, 2)), np.arange(20) % 2
    twice = np.append(np.arange(20), [3, 8])
    weights = np.where(np.isin(np.arange(20), [3, 8]), 2.0, 1.0)
    np.testing.assert_array_equal(
        canonical_classes(X[twice], index[twice], np.ones(22)), canonical_classes(X, index, weights)
    )


@pytest.mark.parametrize("kind", ["numbers", "levels", "one column"])
def test_signs_of_columns_are_the_datas_own(kind, rng):
    X = rng.integers(0, 4, size=(40, 3)).astype(float) if kind == "levels" else rng.normal(size=(40, 3))
    X = X[:, :1] if kind == "one column" else X
    marks, flips, rows = rng.normal(size=(40, 1)), np.array([-1.0, 1.0, -1.0])[: X.shape[1]], rng.permutation(40)
    signs = canonical_signs(X, marks)
    np.testing.assert_array_equal(canonical_signs(flips * X, marks), flips * signs)
    np.testing.assert_array_equal(canonical_signs(X[rows], marks[rows]), signs)
    np.testing.assert_array_equal(canonical_signs(X[:, ::-1], marks), signs[::-1])
    np.testing.assert_array_equal(canonical_signs(3.0 * X + 5.0, marks), signs)
