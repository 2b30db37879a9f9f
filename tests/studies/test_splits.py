"""Protocols: every split is a partition, or fresh rows, and is the same whenever it is made."""

from __future__ import annotations

import numpy as np
import pytest

from kernelect.datasets import DataSet, MissingData, load_dataset
from kernelect.exceptions import InvalidArgument
from kernelect.studies.splits import make_problem


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    stored = {
        "train": np.array([[0, 1, 2]]),
        "test": np.array([np.arange(3, 60)]),
        "surrogate_train": np.array([[5, 6, 7], [8, 9, 10]]),
        "surrogate_test": np.array([np.setdiff1d(np.arange(60), [5, 6, 7]), np.setdiff1d(np.arange(60), [8, 9, 10])]),
        "group": np.repeat([0, 1], 30),
    }
    X = np.column_stack([np.arange(60.0), rng.normal(size=60)])  # the first column tells the row
    return DataSet(name="made", X=X, y=np.tile([0, 1], 30), source="file", stored=stored)


@pytest.mark.parametrize(
    ("protocol", "size"),
    [
        ({"kind": "stored"}, 3),
        ({"kind": "random", "fraction": 0.5}, 30),
        ({"kind": "random", "rows": 20}, 20),
        ({"kind": "blocks", "rows": 15}, 15),
        ({"kind": "folds", "folds": 4}, 45),
        ({"kind": "fixed", "rows": 25}, 25),
        ({"kind": "fixed", "per_group": 5, "groups": ["y", "group"]}, 20),
    ],
)
def test_a_split_is_a_partition_and_repeats(data, protocol, size):
    one, again = (make_problem(data, protocol, 1, 7) for _ in range(2))
    assert len(one.y) == size
    rows = np.concatenate([one.X[:, 0], one.X_test[:, 0]])
    assert sorted(rows) == list(range(60))
    np.testing.assert_array_equal(one.X, again.X)


def test_published_splits_come_first(data):
    kinds = [make_problem(data, {"kind": "stored"}, split, 0).kind for split in range(3)]
    assert kinds == ["original", "random", "random"]
    with pytest.raises(InvalidArgument, match="3 stored splits"):
        make_problem(data, {"kind": "stored"}, 3, 0)
    assert len(make_problem(data, {"kind": "stored", "rows": 10}, 3, 0).y) == 10


def test_blocks_are_disjoint_while_they_last(data):
    blocks = [make_problem(data, {"kind": "blocks", "rows": 15}, split, 0).X[:, 0] for split in range(4)]
    assert sorted(np.concatenate(blocks)) == list(range(60))


def test_draws_are_fresh_for_every_split():
    data = DataSet(name="twonorm", X=np.zeros((0, 0)), y=np.zeros(0), source="generator")
    protocol = {"kind": "draws", "rows": 30, "test_rows": 50}
    first, second = (make_problem(data, protocol, split, 0) for split in (0, 1))
    assert (first.X.shape, first.X_test.shape) == ((30, 20), (50, 20))
    assert not np.array_equal(first.X, second.X)


def test_scaling_by_the_training_rows_only(data):
    problem = make_problem(data, {"kind": "random", "fraction": 0.5, "scale": "training"}, 0, 0)
    np.testing.assert_allclose(problem.X.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(problem.X.std(axis=0), 1.0)
    assert abs(problem.X_test.mean()) > 1e-6


def test_a_wrong_kind_is_named(data):
    with pytest.raises(InvalidArgument, match="Did you mean 'random'"):
        make_problem(data, {"kind": "randon"}, 0, 0)


def test_data_sets_from_files_and_nowhere(tmp_path):
    np.savez(tmp_path / "mine.npz", X=np.ones((3, 2)), y=np.array([0, 1, 0]))
    assert load_dataset("mine", tmp_path).source == "file"
    assert load_dataset("iris").X.shape == (150, 4)
    np.savez(tmp_path / "broken.npz", X=np.ones((3, 2)))
    with pytest.raises(InvalidArgument, match="has no array y"):
        load_dataset("broken", tmp_path)
    (tmp_path / "text.npz").write_text("no archive")
    with pytest.raises(InvalidArgument, match="cannot be read"):
        load_dataset("text", tmp_path)
    with pytest.raises(MissingData, match="no nothere.npz in"):
        load_dataset("nothere", tmp_path)


def test_offline_fetch_says_so(tmp_path, monkeypatch):
    def unreachable(**_):
        raise OSError("no network")

    monkeypatch.setattr("kernelect.datasets.registry.sklearn_datasets.fetch_openml", unreachable)
    with pytest.raises(MissingData, match="Fetching it from OpenML failed \\(no network\\)"):
        load_dataset("sonar", tmp_path, openml={"name": "sonar"})
