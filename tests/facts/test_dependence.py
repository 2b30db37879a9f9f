import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from kernelect import LSSVC, LSSVR
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.facts import Dependence, Relevance, gather, input_names, relevance_by_column
from kernelect.facts.relevance import describe_relevance, most_relevant
from kernelect.facts.sources import input_sources
from kernelect.kernels import ARD


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
    assert set(Relevance.from_estimator(pipeline).names[:2]) == {"size", "colour"}


def test_inputs_are_named_without_the_parts_that_made_them(pipeline):
    names = input_names(pipeline)
    expected = [f"colour = {level}" for level in ("(missing)", "blue", "green", "red")]
    assert names == ["size", "size_cm", "noise", "size is missing", *expected]


def test_rare_categories_have_a_readable_name(table):
    frame = pd.DataFrame({"kind": ["a"] * 10 + ["b"] * 10 + ["c", "d"]})
    words = OneHotEncoder(min_frequency=3, handle_unknown="infrequent_if_exist", sparse_output=False)
    model = Pipeline([("columns", ColumnTransformer([("words", words, ["kind"])])), ("machine", LSSVR(kernel="rbf"))])
    assert input_names(model.fit(frame, np.arange(22.0))) == ["kind = a", "kind = b", "kind = a rare category"]


@pytest.mark.parametrize("chosen", [["b", "c"], [1, 2], slice(1, 3), [False, True, True]], ids=str)
def test_columns_are_found_however_they_were_chosen(rng, chosen):
    frame = pd.DataFrame(rng.normal(size=(20, 3)), columns=["a", "b", "c"])
    model = Pipeline(
        [("columns", ColumnTransformer([("numbers", StandardScaler(), chosen)])), ("machine", LSSVR(kernel="rbf"))]
    ).fit(frame, frame["b"])
    assert input_sources(model).tolist() == [1, 2]
    assert input_names(model) == ["b", "c"]
    assert relevance_by_column(model)[1][0] == 0.0


def test_relevance_is_described_by_column_with_its_inputs_below(pipeline):
    found = describe_relevance(pipeline)
    columns, relevance = relevance_by_column(pipeline)
    assert {one["name"]: one["share"] for one in found["shares"]} == dict(zip(columns, relevance, strict=True))
    assert [one["share"] for one in found["shares"]] == sorted(relevance, reverse=True)
    assert [one["words"] for one in found["shares"]] == [f"{100 * one['share']:.1f} %" for one in found["shares"]]
    parts = {one["name"]: [part["name"] for part in one["inputs"]] for one in found["shares"]}
    assert parts["size"] == ["size", "size is missing"]
    assert parts["size_cm"] == []
    colour = next(one for one in found["shares"] if one["name"] == "colour")
    assert sum(part["share"] for part in colour["inputs"]) == pytest.approx(colour["share"])
    carried = sorted(relevance, reverse=True)[: found["carrying"]]
    assert sum(carried) >= 0.9 > sum(carried[:-1])


def test_a_number_is_moved_over_its_range(pipeline, table):
    record = Dependence.from_estimator(pipeline, table[0], "size")
    assert record.levels == ()
    assert record.average.shape == (1, 20)
    slope = np.polyfit(record.at, record.average[0], 1)[0]
    assert slope == pytest.approx(2.0, abs=0.3)
    assert record.curves.shape == (25, 20)
    assert np.isin(record.rug, table[0]["size"]).all()


def test_the_average_is_that_of_rows_with_the_value_put_in(pipeline, table):
    X = table[0]
    record = Dependence.of(pipeline, X, "colour", np.random.default_rng(0))
    assert record.levels == ("blue", "green", "red")
    expected = [pipeline.predict(X.assign(colour=level)).mean() for level in record.levels]
    np.testing.assert_allclose(record.average[0], expected)


def test_whole_numbers_may_take_values_between(pipeline, table):
    record = Dependence.from_estimator(pipeline, table[0], "noise")
    assert len(record.at) == 20


def test_the_most_relevant_column_comes_by_itself(pipeline, table):
    assert Dependence.from_estimator(pipeline, table[0]).name in ("size", "colour")


def test_arrays_and_several_classes(rng):
    X = rng.normal(size=(60, 3))
    y = np.digitize(X[:, 1], [-0.5, 0.5])
    model = LSSVC().fit(X, y)
    assert most_relevant(model, 1) == [1]
    record = Dependence.from_estimator(model, X)
    assert record.name == "x1"
    assert record.outputs == ("0", "1", "2")
    np.testing.assert_allclose(record.average.sum(axis=0), 1.0)


def test_a_column_that_is_not_there_is_named(pipeline, table):
    with pytest.raises(InvalidArgument, match=r"column='colors' is not in the table: choose one of \['size'"):
        Dependence.from_estimator(pipeline, table[0], "colors")
    with pytest.raises(InvalidArgument, match="column=9 must be a place from 0 to 2"):
        Dependence.from_estimator(LSSVR(kernel="rbf").fit(np.eye(4, 3), range(4)), np.eye(4, 3), 9)


def test_a_precomputed_kernel_does_not_tell_relevance(rng):
    model = LSSVR(kernel="precomputed").fit(np.eye(5), rng.normal(size=5))
    with pytest.raises(MissingCapability, match="LSSVR has no feature_importances_"):
        Relevance.from_estimator(model)


def test_steps_after_the_columns_do_not_hide_where_inputs_come_from(table):
    frame, y = table
    columns = ColumnTransformer(
        [("numbers", SimpleImputer(), ["size", "size_cm"]), ("words", OneHotEncoder(), ["colour"])]
    )
    scaled = Pipeline(
        [("columns", columns), ("scale", StandardScaler(with_mean=False)), ("machine", LSSVR(max_iter=5))]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # after five steps
        scaled.fit(frame, y)
    names, relevance = relevance_by_column(scaled)
    assert names == list(frame.columns)
    assert relevance[3] == 0.0  # it was not used
    assert relevance.sum() == pytest.approx(1.0)


def test_where_columns_are_mixed_the_inputs_are_named_and_no_column_is(rng):
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=["a", "b", "c"])
    model = Pipeline([("mixed", PCA(2)), ("machine", LSSVR(kernel="rbf"))]).fit(frame, frame["a"])
    assert input_sources(model) is None
    assert relevance_by_column(model)[0] == ["pca0", "pca1"]
    assert [one["inputs"] for one in describe_relevance(model)["shares"]] == [[], []]
    with pytest.raises(MissingCapability, match="mix columns, so that no column has a relevance of its own"):
        most_relevant(model, 1)
    assert Dependence.from_estimator(model, frame, "a").name == "a"


def test_lines_of_single_rows_come_from_the_whole_table():
    X = np.column_stack([np.linspace(0.0, 1.0, 200), np.sin(np.arange(200.0))])  # in the order of the target
    record = Dependence.from_estimator(LSSVR("rbf", regularization=0.1).fit(X, 10.0 * X[:, 0]), X, 1)
    assert record.curves.shape[0] == 25
    assert record.curves.max() > 9.0
    assert record.curves.mean() == pytest.approx(record.average.mean(), abs=0.5)


@pytest.mark.parametrize(("n_columns", "pictures"), [(14, 3), (15, 4)])
def test_a_table_of_many_columns_has_one_dependence_more(rng, n_columns, pictures):
    X = rng.normal(size=(40, n_columns))
    model = LSSVR(ARD(np.linspace(0.2, 0.01, n_columns)), regularization=0.1).fit(X, X[:, 0])
    kinds = [picture["kind"] for picture in gather(model, X, X[:, 0])["pictures"]]
    assert kinds.count("dependence") == pictures
