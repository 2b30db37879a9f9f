import numpy as np
import pandas as pd
import pytest

from kernelect.tables import FoldOptions, MachineOptions, describe_table, fit_table


def mixed_frame(n=60, seed=3):
    """Numbers, text categories, missing cells; two classes that can be told apart."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.normal(10.0, 3.0, n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "weight": rng.normal(size=n),
        }
    )
    frame["label"] = np.where(frame["size"] + 3.0 * (frame["colour"] == "red") > 11.0, "big", "small")
    frame["value"] = frame["size"] + 3.0 * (frame["colour"] == "red") + 0.1 * rng.normal(size=n)
    frame.loc[::9, "size"] = np.nan
    frame.loc[::11, "colour"] = None
    return frame


@pytest.fixture
def mixed():
    return mixed_frame()


@pytest.fixture(scope="session")
def classifier():
    """A small fitted model of the mixed table, with folds."""
    schema, rows, remarks = describe_table(mixed_frame().drop(columns="value"), "label")
    options = MachineOptions(kernel="rbf")
    return fit_table(rows, schema, options, FoldOptions(folds=3), title="mixed.csv", remarks=tuple(remarks))


@pytest.fixture(scope="session")
def regressor():
    schema, rows, _ = describe_table(mixed_frame().drop(columns="label"), "value")
    return fit_table(rows, schema, MachineOptions(kernel="rbf"), FoldOptions(folds=0))
