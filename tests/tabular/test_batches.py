"""Predictions for batches of rows that other tools hand to a function."""

import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest

from kernelect.exceptions import KernelectError, UnusableTable
from kernelect.tabular import (
    FoldOptions,
    MachineOptions,
    Table,
    describe_table,
    fit_table,
    match_columns,
    predict_batch,
    predict_batches,
    predict_table,
    save_model,
)

N = 60


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=N), "kind": rng.choice(["p", "q"], N)})
    frame["value"] = frame["a"] * (frame["kind"] == "p") + 0.1 * rng.normal(size=N)
    schema, rows, _ = describe_table(frame, "value")
    model = fit_table(rows, schema, MachineOptions(machine="lssvm", kernel="rbf"), FoldOptions(folds=0))
    path = tmp_path_factory.mktemp("model") / "model.kernelect"
    save_model(model, path)
    expected = predict_table(model, match_columns(schema, Table(frame, "rows"))[0], 0.9)
    return path, frame, expected


def test_batches_have_the_predictions_of_the_table(fitted):
    path, frame, expected = fitted
    function = pickle.loads(pickle.dumps(partial(predict_batches, model=path, interval=0.9)))  # as Spark sends it
    found = list(function(iter([frame[:7], frame[7:7], frame[["kind", "a"]][7:]])))
    assert [len(each) for each in found] == [7, N - 7]
    pd.testing.assert_frame_equal(pd.concat(found, ignore_index=True), expected, rtol=1e-10)
    pd.testing.assert_frame_equal(
        predict_batch(frame[3:4], path), expected[["prediction", "standard_deviation"]][3:4].reset_index(drop=True)
    )


def test_a_batch_that_lacks_a_column_is_refused(fitted):
    path, frame, _ = fitted
    with pytest.raises(UnusableTable, match="a batch lacks 1 column the model needs: 'a'"):
        predict_batch(frame[["kind"]], path)


def test_a_model_that_was_written_anew_is_read_anew(fitted, tmp_path):
    path, frame, _ = fitted
    copy = tmp_path / "model.kernelect"
    copy.write_bytes(path.read_bytes())
    predict_batch(frame[:1], copy)
    copy.write_bytes(b"nothing")
    with pytest.raises(KernelectError, match=r"model\.kernelect"):
        predict_batch(frame[:1], copy)
