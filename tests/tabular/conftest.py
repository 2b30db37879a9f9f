import pytest

from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table
from oracles.tables import mixed_frame


@pytest.fixture
def mixed():
    return mixed_frame()


@pytest.fixture(scope="session")
def classifier():
    """A small fitted model of the mixed table, with folds."""
    schema, rows, remarks = describe_table(mixed_frame().drop(columns="value"), "label")
    options = MachineOptions("lssvm", kernel="rbf")
    return fit_table(rows, schema, options, FoldOptions(folds=3), title="mixed.csv", remarks=tuple(remarks))


@pytest.fixture(scope="session")
def regressor():
    schema, rows, _ = describe_table(mixed_frame().drop(columns="label"), "value")
    return fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), FoldOptions(folds=0))
