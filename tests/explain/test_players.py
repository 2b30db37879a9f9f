"""Pipelines and table models: all inputs of one column are one player."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, PolynomialFeatures, StandardScaler

from kernelect import LSSVR
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.explain import expansion_of, shapley_values
from kernelect.explain.players import players_of
from kernelect.kernels import RBF
from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table, read_table
from oracles import shapley as oracle


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "size": generator.normal(size=90),
            "size_cm": generator.normal(size=90),  # begins like another column
            "colour": generator.choice(["red", "green", "blue_1"], size=90),
            "size_red": generator.choice(["a", "b"], size=90),  # looks like a level of another column
        }
    )
    y = 2.0 * frame["size"] + 3.0 * (frame["colour"] == "red") + 0.1 * generator.normal(size=90)
    frame.loc[::9, "size"] = np.nan
    frame.loc[::11, "colour"] = None
    return frame, y


@pytest.fixture(scope="module")
def pipeline(table):
    frame, y = table
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    words = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="(missing)"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    )
    columns = ColumnTransformer(
        [("number", numbers, ["size", "size_cm"]), ("word", words, ["size_red", "colour"])],
        verbose_feature_names_out=False,
    )
    return Pipeline([("columns", columns), ("machine", LSSVR(RBF(0.2), regularization=0.3))]).fit(frame, y)


def test_the_columns_of_a_table_are_the_players(pipeline):
    expansion = expansion_of(pipeline)
    assert expansion.players == ("size", "size_cm", "colour", "size_red")
    # size, size_cm, size is missing; a, b; (missing), blue_1, green, red
    np.testing.assert_array_equal(expansion.parts[0].view.owners, [0, 1, 0, 3, 3, 2, 2, 2, 2])


def test_values_are_those_of_all_coalitions_of_columns(pipeline, table):
    frame, _ = table
    rows, background = frame.iloc[[0, 1, 5, 22]], frame.iloc[[9, 11, 30]]
    groups = [[0, 2], [1], [5, 6, 7, 8], [3, 4]]
    machine, inputs = pipeline[-1], pipeline[:-1].transform(rows)
    for absent in ("marginals", "interventional"):
        found = shapley_values(pipeline, rows, background, absent=absent)
        for row in range(4):
            value = getattr(oracle, absent)(machine.predict, inputs[row], pipeline[:-1].transform(background), groups)
            np.testing.assert_allclose(found.values[row], oracle.shapley(value, 4)[0], atol=1e-12)
        np.testing.assert_allclose(found.totals, pipeline.predict(rows), atol=1e-12)
    assert found.data[1].tolist() == rows.iloc[1].tolist()


def test_a_missing_cell_and_an_unseen_category_are_explained_without_warning(pipeline, table):
    row = pd.DataFrame({"size": [np.nan], "size_cm": [0.0], "colour": ["violet"], "size_red": ["a"]})
    found = shapley_values(pipeline, row)
    np.testing.assert_allclose(found.totals, pipeline.predict(row), atol=1e-12)


def test_numbered_columns_and_a_remainder(table):
    X = np.random.default_rng(0).normal(size=(30, 4))
    columns = ColumnTransformer(
        [("scaled", StandardScaler(), slice(1, 3)), ("dropped", "drop", [0])], remainder="passthrough"
    ).fit(X)
    players = players_of(columns, 4)
    assert players.columns == ((1,), (2,), (3,))
    np.testing.assert_array_equal(players.owners, [0, 1, 2])


@pytest.mark.parametrize(
    "columns", [["a", "c"], [True, False, True], np.array([0, 2]), slice(0, None, 2), lambda frame: ["a", "c"]]
)
def test_columns_may_be_chosen_in_any_way(columns):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(9, 3)), columns=["a", "b", "c"])
    step = ColumnTransformer([("scaled", StandardScaler(), columns), ("one", StandardScaler(), ["b"])]).fit(frame)
    np.testing.assert_array_equal(players_of(step, 3).owners, [0, 2, 1])


def test_a_slice_of_names_has_its_end():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(9, 3)), columns=["a", "b", "c"])
    step = ColumnTransformer([("scaled", StandardScaler(), slice("b", "c"))]).fit(frame)
    assert players_of(step, 3).columns == ((1,), (2,))


def test_unions_join_what_they_made_of_a_column():
    X = np.where(np.random.default_rng(0).random((30, 2)) < 0.2, np.nan, 1.0)
    step = FeatureUnion([("values", SimpleImputer()), ("absent", MissingIndicator(features="all"))]).fit(X)
    np.testing.assert_array_equal(players_of(step, 2).owners, [0, 1, 0, 1])


def test_columns_that_enter_an_input_together_are_one_player():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 3)), columns=["a", "b", "c"])
    products = ColumnTransformer(
        [("pairs", PolynomialFeatures(2, include_bias=False), ["a", "b"]), ("rest", "passthrough", ["c"])]
    )
    model = make_pipeline(products, LSSVR(RBF(0.1), regularization=0.3)).fit(
        frame, frame["a"] * frame["b"] + frame["c"]
    )
    found = shapley_values(model, frame[:5])
    assert found.feature_names == ("a & b", "c")
    assert found.data[0, 0] == f"{frame['a'][0]} & {frame['b'][0]}"
    np.testing.assert_allclose(found.totals, model.predict(frame[:5]), atol=1e-12)


def test_steps_that_mix_all_columns_or_tell_nothing_are_refused_with_a_way_out():
    X = np.random.default_rng(0).normal(size=(40, 3))
    mixed = make_pipeline(PCA(2), LSSVR(RBF(0.1), regularization=0.3)).fit(X, X[:, 0])
    with pytest.raises(MissingCapability, match=r"mix all 3 columns.*shapley_values\(pipeline\[-1\]"):
        shapley_values(mixed, X)
    assert shapley_values(mixed[-1], mixed[:-1].transform(X)).values.shape == (40, 2)
    silent = make_pipeline(FunctionTransformer(np.tanh), LSSVR(RBF(0.1), regularization=0.3)).fit(X, X[:, 0])
    with pytest.raises(MissingCapability, match="FunctionTransformer does not tell which columns"):
        shapley_values(silent, X)


def test_a_pipeline_of_the_machine_alone():
    X = np.random.default_rng(0).normal(size=(40, 3))
    model = Pipeline([("machine", LSSVR(RBF(0.1), regularization=0.3))]).fit(X, X[:, 0])
    np.testing.assert_array_equal(shapley_values(model, X).values, shapley_values(model[-1], X).values)


def test_named_columns_have_to_be_those_of_the_fit():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 3)), columns=["a", "b", "c"])
    model = LSSVR(RBF(0.1), regularization=0.3).fit(frame, frame["a"])
    with pytest.raises(InvalidArgument, match="column 'b' stands where 'a' was"):
        shapley_values(model, frame[["b", "a", "c"]])
    with pytest.raises(InvalidArgument, match=r"\(2 columns\)"):
        shapley_values(model, frame, frame[["a", "b"]])
    np.testing.assert_array_equal(shapley_values(model, frame).values, shapley_values(model, frame.to_numpy()).values)


def test_table_models(table, tmp_path):
    frame, y = table
    path = tmp_path / "table.csv"
    frame.assign(target=np.where(y > 1.0, "high", "low")).to_csv(path, index=False)
    schema, rows, _ = describe_table(read_table(path).frame, "target")
    model = fit_table(rows, schema, MachineOptions(machine="lssvm", kernel="rbf"), FoldOptions(folds=0))
    found = shapley_values(model, rows.X[:6])
    assert found.feature_names == tuple(rows.X.columns)
    np.testing.assert_allclose(found.totals, model.model.decisions(model.model.inputs(rows.X[:6]))[:, 0], atol=1e-10)
    assert model.estimator == "LSSVC"
