"""``random_state=None``: every fit of the same data is the same one."""

import numpy as np
import pytest

from kernelect import LSSVR, RVR, SVC, BasisSearchRegressor, KernelRegressor


@pytest.mark.parametrize(
    "make",
    [
        lambda: LSSVR(landmarks=20),
        lambda: LSSVR(n_restarts=2, max_iter=3),
        lambda: SVC(search="random-walk", max_iter=5),
        lambda: RVR(landmarks=20),
        lambda: BasisSearchRegressor(),
        lambda: KernelRegressor("fast"),
    ],
    ids=["landmarks", "restarts", "random walk", "centres", "basis", "door"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_two_fits_are_the_same(make):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    y = np.sin(3.0 * X[:, 0]) + 0.1 * rng.normal(size=100)
    y = (y > 0).astype(int) if isinstance(make(), SVC) else y
    np.testing.assert_array_equal(make().fit(X, y).predict(X), make().fit(X, y).predict(X))


def test_none_is_seed_0_and_other_numbers_are_other_fits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    y = np.sin(3.0 * X[:, 0]) + 0.1 * rng.normal(size=100)
    one, other = (LSSVR(landmarks=20, random_state=seed).fit(X, y).predict(X) for seed in (None, 1))
    assert not np.array_equal(one, other)
