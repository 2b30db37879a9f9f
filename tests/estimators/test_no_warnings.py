"""NumPy has nothing to say to the user of an estimator: warnings are errors here, but for those of our own."""

import numpy as np
import pytest

from kernelect import RVR, BasisSearchRegressor

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("seed", range(8))
def test_relevance_vectors_on_very_small_tables(seed):
    """Precisions that grew without bound were divided by."""
    generator = np.random.default_rng(seed)
    n = 4 + seed % 5
    X, y = generator.normal(size=(n, 2)), np.random.default_rng(seed + 50).normal(size=n)
    assert np.all(np.isfinite(RVR(random_state=0, max_iter=40).fit(X, y).predict(X)))


def heavy(weight):
    """Return a basis search fitted to rows of which one has this weight, and the rows."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 3))
    y = np.sin(X[:, 0]) + 0.1 * generator.normal(size=60)
    return BasisSearchRegressor(random_state=0).fit(X, y, sample_weight=np.r_[weight, np.ones(59)]), X


def test_a_basis_search_with_a_heavy_row():
    model, X = heavy(1e4)
    assert np.all(np.isfinite(model.predict(X)))


def test_a_basis_search_with_a_row_that_leaves_nothing_to_the_others():
    """Its evidence was the logarithm of nothing."""
    with pytest.raises(ValueError, match=r"sample_weight gives one row 1e\+08 of a total of 1e\+08"):
        heavy(1e8)
