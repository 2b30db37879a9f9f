"""Pictures of explanations: the numbers first, then that they are drawn."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from kernelect import LSSVC, LSSVR
from kernelect.exceptions import InvalidArgument
from kernelect.explain import shapley_values
from kernelect.facts.cells import column_ranks, swarm
from kernelect.facts.explanations import ShapleyDependence, Swarm, Waterfall
from kernelect.facts.numbers import trimmed
from kernelect.kernels import ARD, RBF
from kernelect.plots import BeeswarmDisplay, ShapleyDependenceDisplay, WaterfallDisplay


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def numbers():
    X = np.random.default_rng(1).normal(size=(60, 5))
    model = LSSVR(ARD([0.5, 0.3, 0.3, 0.01, 0.0]), regularization=0.1).fit(X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2])
    return shapley_values(model, X, interactions=True)


@pytest.fixture(scope="module")
def mixed():
    generator = np.random.default_rng(2)
    frame = pd.DataFrame(
        {"dose $mg$": generator.normal(size=70), "ward\n<b>": generator.choice(["a", "b", "c"], size=70).astype(object)}
    )
    y = frame["dose $mg$"] * np.where(frame["ward\n<b>"] == "a", 2.0, -1.0)
    frame.loc[::9, "dose $mg$"] = np.nan
    frame.loc[::7, "ward\n<b>"] = None
    words = make_pipeline(SimpleImputer(strategy="constant", fill_value="-"), OneHotEncoder(sparse_output=False))
    columns = ColumnTransformer([("n", SimpleImputer(), ["dose $mg$"]), ("w", words, ["ward\n<b>"])])
    model = make_pipeline(columns, LSSVR(RBF(0.5), regularization=0.1)).fit(frame, y)
    return shapley_values(model, frame, interactions=True)


def test_a_waterfall_leads_from_the_base_to_the_prediction(numbers):
    display = Waterfall.of(numbers, 3)
    assert np.all(np.diff(np.abs(display.values)) <= 0.0)
    assert display.starts[0] == display.base == numbers.base_values[3]
    assert display.starts[-1] + display.values[-1] == pytest.approx(display.total)
    assert display.total == pytest.approx(numbers.totals[3])
    first = int(np.argmax(np.abs(numbers.values[3])))
    assert display.names[0] == f"x{first} = {trimmed(numbers.data[3, first], 4)}"


def test_many_columns_share_the_last_bar(numbers):
    display = Waterfall.of(numbers, 3, most=2)
    assert display.names[2] == "3 other columns"
    assert display.values[2] == pytest.approx(np.sort(np.abs(numbers.values[3]))[:3] @ _signs(numbers.values[3]))
    assert display.total == pytest.approx(numbers.totals[3])
    assert len(Waterfall.of(numbers, 3, most=4).names) == 5  # one more fits in the place of "1 other columns"


def _signs(values):
    return np.sign(values)[np.argsort(np.abs(values))][:3]


def test_a_swarm_shows_the_strongest_columns_first(numbers):
    display = Swarm.of(numbers, most=3)
    sizes = np.abs(numbers.values).mean(axis=0)
    order = np.argsort(-sizes)[:3]
    assert display.names == tuple(f"x{j}" for j in order)
    np.testing.assert_array_equal(display.values, numbers.values[:, order])
    np.testing.assert_allclose(display.sizes, sizes[order])
    np.testing.assert_array_equal(np.argsort(display.ranks[:, 0]), np.argsort(numbers.data[:, order[0]]))
    assert display.n_columns == 5


def test_points_in_a_dense_place_lie_side_by_side():
    heights = swarm(np.r_[np.zeros(9), 1.0])
    assert len(np.unique(heights[:9])) == 9
    assert heights[9] == 0.0
    assert np.abs(heights).max() <= 1.0
    np.testing.assert_array_equal(swarm(np.zeros(1)), [0.0])


def test_ranks_are_those_of_the_column():
    np.testing.assert_allclose(column_ranks(np.array([3.0, 1.0, np.nan, 2.0])), [1.0, 0.0, np.nan, 0.5])
    np.testing.assert_allclose(column_ranks(np.array([1, 1, 5, 5], dtype=object)), [0.0, 0.0, 1.0, 1.0])
    np.testing.assert_array_equal(column_ranks(np.full(3, 7.0)), 0.5)
    assert np.isnan(column_ranks(np.array(["a", "b"], dtype=object))).all()
    assert np.isnan(column_ranks(np.full(2, np.nan))).all()


def test_dependence_finds_the_partner(numbers, mixed):
    display = ShapleyDependence.of(numbers, "x1")
    assert display.partner == "x2"
    assert display.strength == pytest.approx(2.0 * np.abs(numbers.interactions[:, 1, 2]).mean())
    np.testing.assert_array_equal(display.at, numbers.data[:, 1])
    words = ShapleyDependence.of(mixed, 1)
    assert words.levels == ("(missing)", "a", "b", "c")
    assert words.partner == "dose $mg$"
    assert np.isnan(words.shades[9])
    by_words = ShapleyDependence.of(mixed, 0)
    assert by_words.partner_levels == ("(missing)", "a", "b", "c")


def test_the_strongest_column_is_taken_unless_one_is_named(numbers):
    strongest = int(np.argmax(np.abs(numbers.values).mean(axis=0)))
    assert ShapleyDependence.of(numbers).name == f"x{strongest}"
    assert ShapleyDependence.of(numbers, -1).name == "x4"
    with pytest.raises(InvalidArgument, match="column='age' is not known: choose one of"):
        ShapleyDependence.of(numbers, "age")


def test_without_interactions_there_is_no_partner(numbers):
    X = numbers.data
    model = LSSVR(RBF(0.3), regularization=0.1).fit(X, X[:, 0])
    display = ShapleyDependenceDisplay.from_explanation(shapley_values(model, X))
    assert display.record.partner == ""
    assert len(plt.gcf().axes) == 1


@pytest.mark.parametrize("display", [WaterfallDisplay, BeeswarmDisplay, ShapleyDependenceDisplay])
def test_drawings_take_hostile_names_missing_cells_and_single_rows(display, mixed, numbers):
    for explanation in (mixed, mixed[0], numbers, numbers[[2]]):
        display.from_explanation(explanation)
        plt.gcf().canvas.draw()


def test_one_output_at_a_time(numbers):
    model = LSSVC(RBF(0.3), regularization=0.1).fit(numbers.data, np.digitize(numbers.data[:, 0], [-0.5, 0.5]))
    several = shapley_values(model, numbers.data)
    with pytest.raises(InvalidArgument, match=r"has 3 outputs.*explanation.of_output\(0\)"):
        Swarm.of(several)
    assert Swarm.of(several.of_output(1)).label == "decision value of 1"


def test_rows_outside_are_refused(numbers):
    with pytest.raises(InvalidArgument, match="row=60 must be a place from 0 to 59"):
        Waterfall.of(numbers, 60)
