"""Tables of pyarrow and polars at the doors, and None in quotes."""

import numpy as np
import pandas as pd
import pytest

from kernelect import LSSVC, LSSVR, KernelRegressor
from kernelect.exceptions import InvalidArgument
from kernelect.inputs import as_frame


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"a": rng.normal(size=40), "b": rng.choice(["u", "v", None], 40), "n": np.arange(40)})


def test_a_table_of_pyarrow_is_read_by_its_columns(frame):
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_pandas(frame)
    found, expected = as_frame(table), as_frame(frame)
    assert found.names == expected.names
    for one, other in zip(found.columns, expected.columns, strict=True):
        np.testing.assert_array_equal(one, other)
    assert as_frame(pa.table({"c": pa.array(["x", "y"]).dictionary_encode()})).declared == (True,)
    with pytest.raises(InvalidArgument, match="2 columns named 'a'"):
        as_frame(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]))
    y = frame["a"].to_numpy() ** 2
    model = KernelRegressor("fast").fit(table, y)
    np.testing.assert_allclose(model.predict(table), KernelRegressor("fast").fit(frame, y).predict(frame))


@pytest.mark.parametrize("estimator", [KernelRegressor("fast"), LSSVR()], ids=repr)
def test_a_lazy_frame_is_asked_to_collect(frame, estimator):
    pl = pytest.importorskip("polars")
    with pytest.raises(InvalidArgument, match=r"X is a LazyFrame, which holds no rows yet: call .collect\(\)"):
        estimator.fit(pl.from_pandas(frame).lazy(), frame["a"].to_numpy())


def test_none_in_quotes():
    X = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(
        InvalidArgument, match=r"prior='None' is not known. Give None without quotes. Choose .*, None\."
    ):
        LSSVC(prior="None").fit(X, np.tile([0, 1], 10))
