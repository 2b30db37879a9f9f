import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    from matplotlib import pyplot  # not loaded by every test, and not before the backend is set

    pyplot.close("all")
