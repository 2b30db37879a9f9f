import numpy as np
import pytest

from speeds import Within


def pytest_addoption(parser):
    text = "start no test after this many seconds; some tests of every file come first"
    parser.addoption("--within", type=float, metavar="SECONDS", help=text)


def pytest_configure(config):
    if config.getoption("within") is not None:
        config.pluginmanager.register(Within(config, config.getoption("within")))


@pytest.fixture
def rng():
    return np.random.default_rng(20070101)


@pytest.fixture
def data(rng):
    """30 rows of three inputs, uneven scales, two outputs and weights."""
    X = rng.normal(size=(30, 3)) * [1.0, 2.0, 0.5] + [0.0, 1.0, -2.0]
    targets = np.column_stack([np.sin(X[:, 0]) + X[:, 1], rng.normal(size=30)])
    return X, targets, rng.uniform(0.5, 2.0, size=30)


@pytest.fixture(scope="session")
def hostile_table():
    """Inputs and targets with everything that can go wrong in names."""
    from oracles import hostile

    return hostile.hostile_table()


@pytest.fixture(scope="session")
def hostile_facts():
    """The facts of a pipeline that was fitted on that table."""
    from oracles import hostile

    return hostile.hostile_facts()
