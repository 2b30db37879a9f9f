"""The doors on rows that stay where they are: the model of the same rows in memory."""

import os
import signal
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import kernelect
from kernelect import KernelClassifier, KernelRegressor
from kernelect.exceptions import InvalidArgument
from kernelect.mixture.boosting import BoostedTrees
from kernelect.mixture.forest import RandomForest
from kernelect.mixture.kernel_machines import KernelMachine
from kernelect.mixture.logistic import LogisticRefit
from kernelect.selection.landmarks import request, stages, table

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'kernelect[dask]'")
dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")

N, ENDS = 400, (0, 150, 150, 151, 240, 400)
EFFORT = [
    KernelMachine(),
    LogisticRefit(),
    RandomForest(n_trees=10),
    BoostedTrees(n_rounds=10),
    KernelMachine(view="warped", kernel="product-laplace", max_iter=2),
    LogisticRefit(view="warped", kernel="product-laplace", max_iter=2),
]
QUICK = KernelMachine(tied=True)


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """All numbers are small, so that every stage has something to do."""
    monkeypatch.setattr(request, "EXACT_ROWS", 100)
    monkeypatch.setattr(request, "FIRST", 20)
    monkeypatch.setattr(request, "MOST", 40)
    monkeypatch.setattr(stages, "PART_ROWS", 60)
    monkeypatch.setattr("kernelect.selection.landmarks.fit.MORE_ROWS", 100)
    monkeypatch.setattr("kernelect.estimators._lssvm_base.CANDIDATES", 150)
    monkeypatch.setattr("kernelect.mixture.boosting.LEAST_BOOSTED_ROWS", 200)


@pytest.fixture(scope="module")
def cluster():
    """Two workers, each a process of its own that a nanny starts again."""
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with LocalCluster(**options) as found, Client(found) as client:
        yield client


def made(*, copies=False):
    """Return columns of all kinds: missing cells, heavy tails, a category that only the last partition has."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=N),
            "heavy": np.exp(2.0 * rng.normal(size=N)),
            "kind": rng.choice(["p", "q"], N),
            "b": rng.uniform(-2, 2, N),
        }
    )
    frame.loc[rng.random(N) < 0.05, "a"] = np.nan
    frame.loc[N - 30 :, "kind"] = "late"
    effect = np.where(frame["kind"] == "p", frame["a"].fillna(0.0), frame["kind"] == "late")
    y = np.sin(2 * frame["b"]) + effect + 0.3 * np.log(frame["heavy"]) + 0.1 * rng.normal(size=N)
    if copies:
        frame.loc[200:219], y.loc[200:219] = frame.loc[:19].to_numpy(), y.loc[:19].to_numpy()
    return frame, y


def parted(*columns, ends=ENDS):
    """Return DataFrames and Series in unequal partitions, one of them empty."""
    return [
        dd.from_map(lambda part: part, [each.iloc[a:b] for a, b in pairwise(ends)], meta=each.iloc[:0])
        for each in columns
    ]


def labels_of(y):
    return pd.Series(np.array(["low", "middle", "high"])[np.digitize(y, [-0.5, 0.8])])


def same(there, here, rtol=1e-8):
    assert there.model_.coding == here.model_.coding
    for one, other in zip(there.members, here.members, strict=True):
        assert one.candidate == other.candidate
        np.testing.assert_allclose(one.left_out, other.left_out, rtol=rtol, atol=1e-8)
    np.testing.assert_allclose(there.shares, here.shares, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(there.feature_importances_, here.feature_importances_, rtol=1e-7)
    assert there.loo_rows_ is None


def test_without_a_cluster():
    frame, y = made()
    rows, targets = parted(frame, y)
    options = {"effort": [QUICK, RandomForest(n_trees=10)], "random_state": 0}
    here, there = KernelRegressor(**options).fit(frame, y), KernelRegressor(**options).fit(rows, targets)
    same(there, here)
    assert there.members[0].component.kernel_part.vectors.shape[0] < 100  # on landmarks
    lazy = there.predict(rows)
    assert isinstance(lazy, da.Array)
    np.testing.assert_allclose(lazy.compute(), here.predict(frame), rtol=1e-8, atol=1e-8)


def test_a_member_on_landmarks_learns_from_all_rows_and_figures_come_from_some(monkeypatch):
    frame, y = made()
    options = {"effort": [QUICK, RandomForest(n_trees=10)], "random_state": 0}
    here = KernelRegressor(**options).fit(frame, y)
    monkeypatch.setattr(table, "FIGURE_ROWS", 120)
    there = KernelRegressor(**options).fit(*parted(frame, y))
    assert len(there.loo_rows_) == len(there.loo_prediction_) == 120
    np.testing.assert_array_equal(there.model_.training.numbers, there.loo_rows_)
    ours, theirs = there.members[0], here.members[0]
    np.testing.assert_allclose(ours.left_out, theirs.left_out[there.loo_rows_], rtol=1e-6, atol=1e-7)
    assert there.model_.coding == here.model_.coding  # whose columns are those of all rows
    lower, upper = there.predict_interval(frame, coverage=0.9)
    assert 0.8 < np.mean((lower <= y) & (y <= upper)) <= 1.0


def test_a_model_of_some_rows_is_saved(monkeypatch, tmp_path):
    monkeypatch.setattr(table, "FIGURE_ROWS", 120)
    frame, y = made()
    model = KernelRegressor(effort=[QUICK], random_state=0).fit(*parted(frame, y))
    model.model_.save(tmp_path / "model.kernelect")
    loaded = kernelect.load(tmp_path / "model.kernelect")
    np.testing.assert_allclose(loaded.predict(frame), model.predict(frame), rtol=1e-10)


def test_copies_count_as_one_row_of_their_joint_weight():
    frame, y = made(copies=True)
    options = {"effort": [QUICK], "random_state": 0}
    here, there = KernelRegressor(**options).fit(frame, y), KernelRegressor(**options).fit(*parted(frame, y))
    assert there.remark() == here.remark() != ""
    same(there, here)


def test_few_rows_are_fitted_in_memory():
    frame, y = (each.iloc[:80] for each in made())
    options = {"effort": [KernelMachine()], "random_state": 0}
    there = KernelRegressor(**options).fit(*parted(frame, y, ends=(0, 30, 30, 80)))
    here = KernelRegressor(**options).fit(frame, y)
    np.testing.assert_array_equal(there.predict(frame), here.predict(frame))


def test_a_partition_that_cannot_be_used_is_named_and_nothing_changes():
    frame, y = made()
    model = KernelRegressor(effort=[RandomForest(n_trees=10)], random_state=0).fit(frame, y)
    before = dict(vars(model))
    bad = y.copy()
    bad[300] = np.nan
    with pytest.raises(InvalidArgument, match=r"In partition 4 y holds NaN \(row 60"):
        model.fit(*parted(frame, bad))
    weights = pd.Series(np.ones(N))
    weights[200] = -1.0
    with pytest.raises(InvalidArgument, match=r"In partition 3 sample_weight is -1.0 in row 49"):
        model.fit(*parted(frame, y, weights))
    with pytest.raises(InvalidArgument, match="groups are left out as a whole"):
        model.fit(*parted(frame, y), groups=np.arange(N))
    with pytest.raises(InvalidArgument, match="there is no column 'z' in X"):
        KernelRegressor(columns={"z": "category"}).fit(*parted(frame, y))
    assert vars(model) == before


@pytest.mark.slow
def test_numbers_on_a_cluster(cluster):
    frame, y = made()
    rows, targets = parted(frame, y)
    here, there = (KernelRegressor(EFFORT, random_state=0) for _ in range(2))
    same(there.fit(rows, targets), here.fit(frame, y))
    mean, deviation = there.predict(rows, return_std=True)
    np.testing.assert_allclose(mean.compute(), here.predict(frame), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(deviation.compute(), here.predict(frame, return_std=True)[1], rtol=1e-8, atol=1e-8)
    ends = there.predict_interval(rows, coverage=0.8)
    for lazy, expected in zip(ends, here.predict_interval(frame, coverage=0.8), strict=True):
        np.testing.assert_allclose(lazy.compute(), expected, rtol=1e-8, atol=1e-8)


@pytest.mark.slow
def test_positive_targets_on_a_scale_of_their_own(cluster):
    frame, y = made()
    y = np.exp(2.0 * y)
    options = {"effort": [KernelMachine(), RandomForest(n_trees=10)], "target": "log", "random_state": 0}
    here, there = KernelRegressor(**options).fit(frame, y), KernelRegressor(**options).fit(*parted(frame, y))
    assert there.target_scale_.name == "log"
    same(there, here)


@pytest.mark.slow
def test_labels_on_a_cluster(cluster):
    frame, y = made()
    y, weights = labels_of(y), pd.Series(np.random.default_rng(0).integers(0, 3, N).astype(float))
    rows, labels, shares = parted(frame, y, weights)
    here, there = (KernelClassifier(EFFORT, class_weight="balanced", random_state=0) for _ in range(2))
    same(there.fit(rows, labels, shares), here.fit(frame, y, weights))
    np.testing.assert_array_equal(there.classes_, here.classes_)
    np.testing.assert_array_equal(there.predict(rows).compute(), here.predict(frame))
    for method in ("predict_proba", "decision_function", "predict_log_proba"):
        lazy = getattr(there, method)(rows)
        assert lazy.shape[1] == 3
        np.testing.assert_allclose(lazy.compute(), getattr(here, method)(frame), atol=1e-8)


class _Killer:
    """Kills the worker that runs it, the second time that it reads a part."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, part):
        for flag in ("first", "second"):
            try:
                os.close(os.open(f"{self.folder}/{flag}", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            if flag == "second":
                os.kill(os.getpid(), signal.SIGKILL)
            break
        return part


@pytest.mark.slow
def test_a_dead_workers_rows_are_coded_again(cluster, tmp_path):
    frame, y = made()
    rows, targets = parted(frame, y)
    spoilt = rows.map_partitions(_Killer(str(tmp_path)), meta=frame.iloc[:0])
    (tmp_path / "first").unlink(missing_ok=True)
    options = {"effort": [KernelMachine(), RandomForest(n_trees=10)], "random_state": 0}
    there, here = KernelRegressor(**options).fit(spoilt, targets), KernelRegressor(**options).fit(frame, y)
    assert (tmp_path / "second").exists()
    same(there, here)


def test_arrays():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    options = {"effort": [LogisticRefit(tied=True), RandomForest(n_trees=10)], "random_state": 0}
    rows, labels = da.from_array(X, chunks=((150, 250), 2)), da.from_array(y, chunks=((150, 250),))
    here, there = KernelClassifier(**options).fit(X, y), KernelClassifier(**options).fit(rows, labels)
    same(there, here)
    assert there.predict_proba(rows).shape == (N, 2)
    np.testing.assert_allclose(there.predict_proba(rows).compute(), here.predict_proba(X), atol=1e-8)
