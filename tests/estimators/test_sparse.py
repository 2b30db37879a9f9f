"""Sparse matrices: the models of the same rows as an array, and rows that are read in blocks."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from kernelect import GPC, LSSVC, LSSVR, RVC, RVR, SVC, BasisSearchRegressor, KernelClassifier, KernelRegressor
from kernelect.exceptions import NotEnoughMemory
from kernelect.numerics import SparseRows
from kernelect.numerics import sparse as sparse_module
from speeds import slowly

RNG = np.random.default_rng(0)
X = np.where(RNG.random((70, 5)) < 0.4, RNG.normal(size=(70, 5)), 0.0)
Y = X[:, 0] - X[:, 1] ** 2 + 0.1 * RNG.normal(size=70)

MODELS = [
    LSSVC("linear"),
    LSSVC("rbf", landmarks=20, random_state=0),
    LSSVR("rbf", landmarks=20, random_state=0),
    LSSVR("linear"),
    GPC("rbf"),
    SVC("rbf", criterion="span"),
    RVC("rbf"),
    RVR("rbf"),
    BasisSearchRegressor(),
    KernelClassifier("fast"),
    KernelRegressor("fast"),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("container", [sparse.csr_matrix, *slowly(sparse.csc_array)])
def test_sparse_rows_are_those_of_the_array(model, container):
    y = Y > 0.0 if hasattr(model, "predict_proba") else Y
    dense, found = clone(model).fit(X, y), clone(model).fit(container(X), y)
    ask = "predict_proba" if hasattr(model, "predict_proba") else "predict"
    np.testing.assert_array_equal(getattr(found, ask)(container(X)), getattr(dense, ask)(X))
    np.testing.assert_array_equal(found.model_.predict(container(X)), dense.predict(X))


def test_deviations_intervals_and_groups_of_sparse_rows():
    groups, rows = np.arange(70) // 2, sparse.csc_array(X)
    for landmarks in (None, 20):
        model = LSSVR("rbf", landmarks=landmarks, random_state=0)
        dense, found = clone(model).fit(X, Y, groups=groups), clone(model).fit(rows, Y, groups=groups)
        for one, other in zip(found.predict(rows, return_std=True), dense.predict(X, return_std=True), strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(found.predict_interval(rows)[0], dense.predict_interval(X)[0])


def test_landmarks_never_hold_all_rows_as_an_array(monkeypatch):
    """No read has more than a block, or the 20 000 rows that landmarks are chosen among and judged by."""
    rng = np.random.default_rng(1)
    rows = sparse.random(30000, 6, density=0.3, random_state=1, format="csr")
    y = np.asarray(rows[:, :3].sum(axis=1)).ravel() + 0.1 * rng.normal(size=30000)
    reads = []

    class Watched(SparseRows):
        def __getitem__(self, index):
            found = super().__getitem__(index)
            reads.append(len(found))
            return found

        def __array__(self, dtype=None, copy=None):
            raise AssertionError("all rows were read at once")

    monkeypatch.setattr("kernelect.estimators._sklearn.SparseRows", Watched)
    model = LSSVR("linear", landmarks=10, max_iter=2, random_state=0).fit(rows, y)
    model.predict(rows)
    assert 0 < max(reads) < 30000


def test_rows_that_do_not_fit_are_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(sparse_module, "available_bytes", lambda: 1000.0)
    for model in (GPC("rbf"), LSSVC("rbf"), KernelClassifier("fast")):
        with pytest.raises(NotEnoughMemory, match="X is sparse, and 70 rows of 5 columns.*use LSSVC or LSSVR"):
            model.fit(sparse.csr_array(X), Y > 0.0)


def test_sparse_kernel_values_are_used_as_they_are():
    gram = X @ X.T
    model = LSSVC("precomputed").fit(sparse.csr_array(gram), Y > 0.0)
    expected = LSSVC("precomputed").fit(gram, Y > 0.0)
    np.testing.assert_array_equal(model.predict_proba(sparse.csr_array(gram)), expected.predict_proba(gram))


@pytest.mark.parametrize(
    "index", [slice(2, 9), np.array([4, 1]), Y > 0.0, (np.array([3, 5]), 2), (slice(3), slice(1, 4))]
)
def test_sparse_rows_are_indexed_as_arrays_are(index):
    np.testing.assert_array_equal(SparseRows(sparse.csr_array(X))[index], X[index])
