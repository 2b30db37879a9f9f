"""Dask arrays and DataFrames on a real scheduler with two workers: the model of the same rows in memory."""

import os
import signal
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.exceptions import NotFittedError

from kernelect import LSSVC, LSSVR, KernelRegressor
from kernelect.estimators import _elsewhere
from kernelect.exceptions import InvalidArgument
from kernelect.kernels import ARD
from kernelect.selection.landmarks import request, stages, table
from speeds import slowly

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'kernelect[dask]'")
da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")

N = 600
GAMMA = np.array([0.5, 0.8, 0.3, 0.1, 0.05])

#: Partitions of unequal size.
CHUNKS = (70, 1, 229, 300)


@pytest.fixture(scope="module")
def cluster():
    """Two workers, each a process of its own that a nanny starts again."""
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with LocalCluster(**options) as found, Client(found) as client:
        yield client


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """All numbers are small, so that every stage has something to do; workers use blocks of their own size."""
    monkeypatch.setattr(request, "EXACT_ROWS", 100)
    monkeypatch.setattr(request, "FIRST", 20)
    monkeypatch.setattr(request, "MOST", 40)
    monkeypatch.setattr(stages, "PART_ROWS", 100)
    monkeypatch.setattr("kernelect.selection.landmarks.fit.MORE_ROWS", 200)
    monkeypatch.setattr("kernelect.estimators._elsewhere.EXACT_ROWS", 100)
    monkeypatch.setattr("kernelect.estimators._lssvm_base.CANDIDATES", 300)


@pytest.fixture(scope="module")
def data():
    return make_friedman1(N, n_features=5, noise=1.0, random_state=0)


def as_arrays(X, *others, chunks=CHUNKS):
    return da.from_array(X, chunks=(chunks, 3)), *(da.from_array(each, chunks=(chunks,)) for each in others)


def as_frames(X, y):
    """Return a DataFrame and a Series whose sizes are not known, one partition of them empty."""
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcde")).assign(y=y)
    ends = [0, 200, 200, 290, N]
    parts = [frame.iloc[a:b] for a, b in pairwise(ends)]
    whole = dd.from_map(lambda part: part, parts, meta=frame.iloc[:0])
    return whole[list("abcde")], whole["y"]


def same(one, other, X):
    np.testing.assert_allclose(one.landmarks_, other.landmarks_, rtol=1e-12)
    np.testing.assert_allclose(one.dual_coef_, other.dual_coef_, rtol=1e-5, atol=1e-8 * np.abs(other.dual_coef_).max())
    assert one.regularization_ == pytest.approx(other.regularization_, rel=1e-12)
    assert one.selection_.value == pytest.approx(other.selection_.value, rel=1e-9)
    np.testing.assert_allclose(one.feature_importances_, other.feature_importances_, rtol=1e-8)


def test_a_regressor(cluster, data, monkeypatch):
    X, y = data
    here, there = LSSVR(random_state=0).fit(X, y), LSSVR(random_state=0).fit(*as_arrays(X, y))
    same(there, here, X)
    assert there.loo_rows_ is None
    np.testing.assert_allclose(there.loo_prediction_, here.loo_prediction_, rtol=1e-8)
    lazy = there.predict(as_arrays(X)[0])
    assert isinstance(lazy, da.Array)
    assert lazy.shape == (N,)
    np.testing.assert_allclose(lazy.compute(), here.predict(X), rtol=1e-8)
    mean, deviation = there.predict(as_arrays(X)[0], return_std=True)
    np.testing.assert_allclose(mean.compute(), here.predict(X), rtol=1e-8)
    np.testing.assert_allclose(deviation.compute(), here.predict(X, return_std=True)[1], rtol=1e-8)
    np.testing.assert_allclose(there.predict_interval(X[:20]), here.predict_interval(X[:20]), rtol=1e-8)
    ends = there.predict_interval(as_arrays(X)[0], coverage=0.5)
    for lazy, expected in zip(ends, here.predict_interval(X, coverage=0.5), strict=True):
        np.testing.assert_allclose(lazy.compute(), expected, rtol=1e-8)


@pytest.mark.parametrize(
    ("module", "name", "most"),
    [(table, "FIGURE_ROWS", N), (table, "FIGURE_ROWS", N - 1), (_elsewhere, "_MOST_CELLS", 5 * N - 1)],
    ids=["looked for", "too many rows", "too many cells"],
)
@pytest.mark.parametrize("kind", [LSSVR, LSSVC])
def test_copies_count_as_one_row(data, monkeypatch, kind, module, name, most):
    X, y = data
    y = y > 14.0 if kind is LSSVC else y
    rows = np.random.default_rng(0).permutation(np.r_[: N // 2, : N // 2])
    monkeypatch.setattr(module, name, most)
    here, there = kind().fit(X[rows], y[rows]), kind().fit(*as_arrays(X[rows], y[rows]))
    claims = "loo_prediction_" if kind is LSSVR else "loo_decision_"
    if most != N:
        assert "copies" not in there.selection_.status
        return
    same(there, here, X)
    assert f"{N // 2} rows are copies of others and count with them" in there.selection_.status
    np.testing.assert_allclose(getattr(there, claims), getattr(here, claims), rtol=1e-7, atol=1e-9)


def test_few_rows_with_copies_are_left_out_together(data, monkeypatch):
    monkeypatch.setattr("kernelect.estimators._elsewhere.EXACT_ROWS", N)
    X, y, rows = *data, np.r_[:50, :50, 20:50]
    here, there = (LSSVR("rbf", landmarks=None).fit(*each) for each in ((X[rows], y[rows]), _few(X[rows], y[rows])))
    np.testing.assert_allclose(there.loo_prediction_, here.loo_prediction_, rtol=1e-7)


def _few(X, y):
    return da.from_array(X, chunks=(40, 5)), da.from_array(y, chunks=40)


def test_frames_of_unknown_size_with_an_empty_partition(cluster, data):
    pd = pytest.importorskip("pandas")
    X, y = data
    frame, target = as_frames(X, y)
    here, there = LSSVR(random_state=0).fit(X, y), LSSVR(random_state=0).fit(frame, target)
    same(there, here, X)
    assert list(there.feature_names_in_) == list("abcde")
    np.testing.assert_allclose(there.predict(frame).compute(), here.predict(X), rtol=1e-8)
    np.testing.assert_allclose(there.predict(pd.DataFrame(X, columns=list("abcde"))), here.predict(X), rtol=1e-8)
    with pytest.raises(ValueError, match="feature names"):
        there.predict(frame[list("edcba")])


@pytest.mark.parametrize("labels", [["low", "middle", "high"], *slowly(["low", "high"])])
def test_a_classifier(cluster, data, labels):
    X, y = data
    y = np.array(labels)[np.digitize(y, np.quantile(y, np.linspace(0, 1, len(labels) + 1)[1:-1]))]
    weights = np.random.default_rng(0).integers(0, 3, size=N).astype(float)
    words = {"random_state": 0, "class_weight": "balanced"}
    here, there = LSSVC(**words).fit(X, y, weights), LSSVC(**words).fit(*as_arrays(X, y, weights))
    np.testing.assert_array_equal(there.classes_, here.classes_)
    same(there, here, X)
    np.testing.assert_allclose(there.loo_decision_, here.loo_decision_, rtol=1e-7, atol=1e-8)
    rows = as_arrays(X)[0]
    np.testing.assert_array_equal(there.predict(rows).compute(), here.predict(X))
    np.testing.assert_allclose(there.decision_function(rows).compute(), here.decision_function(X), atol=1e-8)
    np.testing.assert_allclose(there.predict_proba(rows).compute(), here.predict_proba(X), atol=1e-8)
    assert there.predict_proba(rows).shape == (N, len(labels))


def test_beyond_many_rows_figures_come_from_a_part_of_them(cluster, data, monkeypatch):
    monkeypatch.setattr(table, "FIGURE_ROWS", 150)
    monkeypatch.setattr(table, "MOST_HASHED", 400)
    monkeypatch.setattr("kernelect.estimators.lssvc.FIGURE_ROWS", 150)
    X, y = data
    here, there = (LSSVR(landmarks=25, random_state=0).fit(*rows) for rows in (data, as_arrays(X, y)))
    same(there, here, X)
    assert len(there.loo_rows_) == len(there.loo_prediction_) == 150
    # A row that is a landmark leaves with its function, which takes a few digits of what sums over partitions leave.
    np.testing.assert_allclose(there.loo_prediction_, here.loo_prediction_[there.loo_rows_], rtol=1e-6)
    np.testing.assert_array_equal(there.model_.jackknife.rows, here.model_.jackknife.rows)
    for name in ("inputs", "residuals", "scale"):
        found, expected = (getattr(model.model_.jackknife.spread, name) for model in (there, here))
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def fixed(m=20):
    """Return a regressor of which nothing is selected."""
    return LSSVR(kernel=ARD(GAMMA), regularization=0.3, prior=None, landmarks=m, random_state=0)


def test_rows_do_not_travel_to_the_client(cluster, data, monkeypatch):
    """What comes back is sums and a bounded number of rows, whatever the table holds."""
    from kernelect.estimators import _dask

    sizes, computed = [], _dask.computed

    def counted(*tasks):
        found = computed(*tasks)
        sizes.append(sum(_numbers(each) for each in found))
        return found

    monkeypatch.setattr(_dask, "computed", counted)
    monkeypatch.setattr("kernelect.estimators._lssvm_base.CANDIDATES", 50)
    monkeypatch.setattr("kernelect.selection.landmarks.fit.JUDGED", 50)
    monkeypatch.setattr(table, "FIGURE_ROWS", 60)
    monkeypatch.setattr(table, "MOST_HASHED", 100)
    fixed().fit(*as_arrays(*data))
    assert 0 < max(sizes) < 1000  # 20 x 20 landmarks, 50 rows of five inputs; all rows have 3000


def _numbers(found):
    """Return how many numbers an answer holds."""
    if isinstance(found, np.ndarray):
        return found.size
    if isinstance(found, tuple | list):
        return sum(map(_numbers, found))
    return sum(map(_numbers, vars(found).values())) if hasattr(found, "__dict__") else 1


def test_few_rows_are_fitted_exactly(cluster, data):
    X, y = data[0][:80], data[1][:80]
    there, here = LSSVR().fit(*as_arrays(X, y, chunks=(50, 30))), LSSVR().fit(X, y)
    assert there.landmarks_ is None
    np.testing.assert_allclose(there.predict(X), here.predict(X), rtol=1e-8)


def test_several_targets(cluster, data):
    X, y = data
    both = np.column_stack([y, -2.0 * y + 5.0])
    rows, targets = as_arrays(X)[0], da.from_array(both, chunks=(CHUNKS, 1))
    there, here = fixed().fit(rows, targets), fixed().fit(X, both)
    np.testing.assert_allclose(there.predict(rows).compute(), here.predict(X), rtol=1e-8)


def test_targets_in_memory_are_dealt_out_like_the_rows(cluster, data):
    X, y = data
    np.testing.assert_allclose(fixed().fit(as_arrays(X)[0], y).predict(X), fixed().fit(X, y).predict(X), rtol=1e-8)


class _Killer:
    """Kills the worker that runs it, the first time."""

    def __init__(self, flag):
        self.flag = flag

    def __call__(self, block):
        try:
            os.close(os.open(self.flag, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return block
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_dead_workers_blocks_are_computed_again(cluster, data, tmp_path):
    X, y = data
    rows, targets = as_arrays(X, y)
    flag = tmp_path / "killed"
    spoilt = rows.rechunk({1: -1}).map_blocks(_Killer(str(flag)), dtype=float, meta=np.empty((0, 0)))
    model = fixed().fit(spoilt, targets)
    assert flag.exists()
    np.testing.assert_allclose(model.predict(X), fixed().fit(X, y).predict(X), rtol=1e-8)


@pytest.mark.parametrize("where", ["X", "y", "weights"])
def test_nan_in_a_late_partition_is_named_and_nothing_changes(cluster, data, where):
    X, y = (each.copy() for each in data)
    weights = np.ones(N)
    {"X": X[:, 2], "y": y, "weights": weights}[where][350] = np.nan
    model = fixed().fit(X[:60], data[1][:60]) if where != "X" else fixed(10).fit(data[0], data[1])
    before = dict(vars(model))
    message = {
        "X": r"In partition 3 X holds NaN \(row 50, column 2, counted from 0\)",
        "y": r"In partition 3 y holds NaN \(row 50",
        "weights": "In partition 3 sample_weight is nan in row 50",
    }[where]
    with pytest.raises(InvalidArgument, match=message):
        model.fit(*as_arrays(X, y, weights))
    assert vars(model) == before


def test_what_does_not_fit_together_is_refused_in_words(cluster, data):
    X, y = data
    rows, targets = as_arrays(X, y)
    frame, _ = as_frames(X, y)
    cases = [
        ((rows, targets.rechunk(300)), "X has 4 partitions and y has 2"),
        ((rows, targets.rechunk(((70, 2, 228, 300),))), "In partition 1 X has 1 rows and y has 2"),
        ((X, targets), "y is a Dask collection and X is ndarray"),
        ((frame, y), "give y as a Dask array or Series"),
        ((rows, y[:-1]), "X has 600 rows and y has 599"),
        ((rows, targets.map_blocks(lambda block: np.full(len(block), "a"), dtype=str)), "y holds what is not a number"),
        ((rows[:1], targets[:1]), r"X has 1 row\(s\)"),
    ]
    for (inputs, answers), message in cases:
        with pytest.raises(InvalidArgument, match=message):
            fixed().fit(inputs, answers)
    with pytest.raises(InvalidArgument, match="landmarks=None needs all 600 rows in one place"):
        fixed(None).fit(rows, targets)
    with pytest.raises(InvalidArgument, match=r"prior='curvature' .* use another prior, or give X.compute\(\)"):
        LSSVR(prior="curvature").fit(rows, targets)
    with pytest.raises(InvalidArgument, match="groups are left out as a whole, which needs all their rows"):
        fixed().fit(rows, targets, groups=np.arange(N))
    with pytest.raises(InvalidArgument, match="kernel='precomputed' takes a matrix"):
        LSSVR(kernel="precomputed").fit(rows, targets)
    with pytest.raises(InvalidArgument, match="y holds one class only"):
        LSSVC().fit(rows, targets * 0)
    with pytest.raises(InvalidArgument, match="column 'text' of X holds what is not a number"):
        fixed().fit(frame.assign(text="a"), as_frames(X, y)[1])
    for model in (LSSVR(), LSSVC()):
        with pytest.raises(NotFittedError):
            model.predict(rows)
    with pytest.raises(InvalidArgument, match="groups are left out as a whole, which needs all their rows"):
        KernelRegressor().fit(rows, targets, groups=np.arange(N))
    with pytest.raises(InvalidArgument, match="return_cov=True has a number for every two rows"):
        fixed().fit(X, y).predict(rows, return_cov=True)
    with pytest.raises(ValueError, match="expecting 5 features"):
        fixed().fit(X, y).predict(rows[:, :4])


def test_collections_work_in_a_process_that_has_not_loaded_distributed():
    # A setting of distributed made before its defaults are loaded hides them, and every later computation fails.
    script = (
        "import dask.array as da, numpy as np\n"
        "from kernelect import LSSVR\n"
        "X = da.from_array(np.random.default_rng(0).normal(size=(60, 2)), chunks=(30, 2))\n"
        "model = LSSVR('rbf', landmarks=10, max_iter=2).fit(X, X[:, 0])\n"
        "print(model.predict(X).compute().shape)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "(60,)", done.stderr
