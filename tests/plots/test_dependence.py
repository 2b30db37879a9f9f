import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from kernelect import LSSVC, LSSVR
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.plots import DependenceDisplay, RelevanceDisplay
from kernelect.plots._names import parameter_name, short_name
from kernelect.plots._sources import input_names, relevance_by_column
from kernelect.plots.dependence import most_relevant


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=90),
            "size_cm": rng.normal(size=90),
            "colour": rng.choice(["red", "green", "blue"], size=90),
            "noise": rng.integers(0, 50, size=90),
        }
    )
    y = 2.0 * frame["size"] + 3.0 * (frame["colour"] == "red") + 0.1 * rng.normal(size=90)
    frame.loc[::9, "size"] = np.nan
    frame.loc[::11, "colour"] = None
    return frame, y


@pytest.fixture(scope="module")
def pipeline(table):
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    words = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="(missing)"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    )
    columns = ColumnTransformer(
        [("numbers", numbers, ["size", "size_cm", "noise"]), ("words", words, ["colour"])],
    )
    return Pipeline([("columns", columns), ("machine", LSSVR(max_iter=30))]).fit(*table)


def test_relevance_of_what_was_made_of_a_column_is_summed(pipeline):
    columns, relevance = relevance_by_column(pipeline)
    assert columns == ["size", "size_cm", "colour", "noise"]
    made = pipeline["machine"].feature_importances_
    # Numbers first: size, size_cm, noise and the indicator of size; then one column per colour.
    expected = [made[0] + made[3], made[1], made[4:].sum(), made[2]]
    np.testing.assert_allclose(relevance, expected)
    assert set(RelevanceDisplay.from_estimator(pipeline).names[:2]) == {"size", "colour"}


def test_inputs_are_named_without_the_parts_that_made_them(pipeline):
    names = input_names(pipeline)
    assert names == ["size", "size_cm", "noise", "size is missing", *names[4:]]
    assert names[-1] == "colour_red"


def test_a_number_is_moved_over_its_range(pipeline, table):
    display = DependenceDisplay.from_estimator(pipeline, table[0], "size")
    assert display.levels == ()
    assert display.average.shape == (1, 20)
    slope = np.polyfit(display.at, display.average[0], 1)[0]
    assert slope == pytest.approx(2.0, abs=0.3)
    assert display.curves.shape == (25, 20)
    assert np.isin(display.rug, table[0]["size"]).all()


def test_the_average_is_that_of_rows_with_the_value_put_in(pipeline, table):
    X = table[0]
    display = DependenceDisplay.of(pipeline, X, "colour", np.random.default_rng(0))
    assert display.levels == ("blue", "green", "red")
    expected = [pipeline.predict(X.assign(colour=level)).mean() for level in display.levels]
    np.testing.assert_allclose(display.average[0], expected)
    ax = display.plot()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["blue", "green", "red"]


def test_whole_numbers_may_take_values_between(pipeline, table):
    display = DependenceDisplay.from_estimator(pipeline, table[0], "noise")
    assert len(display.at) == 20


def test_the_most_relevant_column_comes_by_itself(pipeline, table):
    assert DependenceDisplay.from_estimator(pipeline, table[0]).name in ("size", "colour")


def test_arrays_and_several_classes(rng):
    X = rng.normal(size=(60, 3))
    y = np.digitize(X[:, 1], [-0.5, 0.5])
    model = LSSVC().fit(X, y)
    assert most_relevant(model, 1) == [1]
    display = DependenceDisplay.from_estimator(model, X)
    assert display.name == "x1"
    assert display.outputs == ("0", "1", "2")
    np.testing.assert_allclose(display.average.sum(axis=0), 1.0)
    assert len(display.plot().get_legend().get_texts()) == 3


def test_a_column_that_is_not_there_is_named(pipeline, table):
    with pytest.raises(InvalidArgument, match=r"column='colors' is not in the table: choose one of \['size'"):
        DependenceDisplay.from_estimator(pipeline, table[0], "colors")
    with pytest.raises(InvalidArgument, match="column=9 is not possible: give a place from 0 to 2"):
        DependenceDisplay.from_estimator(LSSVR(kernel="rbf").fit(np.eye(4, 3), range(4)), np.eye(4, 3), 9)


def test_a_precomputed_kernel_does_not_tell_relevance(rng):
    model = LSSVR(kernel="precomputed").fit(np.eye(5), rng.normal(size=5))
    with pytest.raises(MissingCapability, match="LSSVR has no feature_importances_"):
        RelevanceDisplay.from_estimator(model)


def test_names_are_cut_in_the_middle_and_cleaned():
    assert short_name("a\nb\x00") == "a b�"
    assert short_name("x" * 30 + "end", 12) == "xxxxxxx…xend"
    assert parameter_name("gamma[1]", ["a", "b"]) == "gamma of b"
    assert parameter_name("C", ["a"]) == "C"
