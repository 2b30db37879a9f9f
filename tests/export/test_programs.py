import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    RobustScaler,
    StandardScaler,
)

from instances import wavy
from kernelect import LSSVC, LSSVR, RVC, BasisSearchRegressor
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.export.evaluate import coded_rows, evaluate
from kernelect.export.models import program_of
from kernelect.export.prepare import prepared
from kernelect.export.rows import checked_rows
from oracles.exported import GAUSSIAN, HOSTILE, MODELS, answers, hostile_pipeline, model, rows_for


def compared(fitted, rows, tolerance=1e-9):
    program = program_of(fitted)
    table = rows.to_numpy(dtype=object) if hasattr(rows, "to_numpy") else rows
    cells = [[row[column.place] for column in program.columns] for row in table]
    found, expected = evaluate(program, coded_rows(program, cells)), answers(fitted, rows)
    np.testing.assert_allclose(found[-1], expected, rtol=tolerance, atol=tolerance)
    return program, found


@pytest.mark.parametrize("name", MODELS)
def test_every_estimator(name):
    fitted, rows = model(name), rows_for(name)
    program, found = compared(fitted, rows)
    if program.classes is not None:
        decision = fitted.decision_function(rows).reshape(len(rows), -1)
        np.testing.assert_allclose(found[0], decision, rtol=1e-8, atol=1e-8)
        assert list(program.classes) == fitted.classes_.tolist()
    checked_rows(fitted, program)


def test_missing_cells_and_unseen_levels_are_treated_as_in_python():
    pipeline, rows = hostile_pipeline()
    program, _ = compared(pipeline, rows)
    assert [column.name for column in program.columns] == HOSTILE
    assert [column.kind for column in program.columns] == ["number", "number", "category", "category", "number"]


TWICE = {"b": 2.0}

STEPS = {
    "mean and indicator": make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()),
    "most frequent": make_pipeline(SimpleImputer(strategy="most_frequent"), MinMaxScaler(clip=True)),
    "robust": make_pipeline(SimpleImputer(), RobustScaler(), MaxAbsScaler()),
    "no mean": make_pipeline(SimpleImputer(), StandardScaler(with_mean=False)),
    "no deviation": make_pipeline(SimpleImputer(), StandardScaler(with_std=False), FunctionTransformer()),
    "components": make_pipeline(SimpleImputer(), PCA(2, whiten=True)),
    "plain components": make_pipeline(SimpleImputer(), VarianceThreshold(), PCA(1)),
    "union": FeatureUnion([("a", SimpleImputer()), ("b", SimpleImputer(strategy="median"))], transformer_weights=TWICE),
    "chosen": ColumnTransformer([("a", SimpleImputer(), [1])], remainder="drop"),
    "passed": ColumnTransformer([("a", SimpleImputer(), [0])], remainder=SimpleImputer()),
}


@pytest.mark.parametrize("name", STEPS)
def test_steps_on_numbers(name):
    X, y, _ = wavy(30)
    X = 1e5 + 10.0 * X
    X[::5, 0] = np.nan
    compared(make_pipeline(STEPS[name], LSSVR(GAUSSIAN, regularization=0.1)).fit(X, y), X, 1e-8)


@pytest.mark.parametrize(
    "encoder",
    [
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
        OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=4, sparse_output=False),
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-2),
    ],
)
@pytest.mark.parametrize("kind", ["text", "numbers"])
def test_encoders(encoder, kind):
    rng = np.random.default_rng(0)
    levels = ["red", "green", "blue", "one of a kind"] if kind == "text" else [1.0, 2.5, -3.0, 1e6]
    X = rng.choice(np.array(levels, dtype=object), p=[0.4, 0.3, 0.25, 0.05], size=(40, 2))
    X = X.astype(float) if kind == "numbers" else X
    y = np.where(X[:, 0] == levels[0], 1.0, 0.0) + 0.1 * rng.normal(size=40)
    new = np.vstack([X, [[levels[0], "grey" if kind == "text" else 7.0]]])
    compared(make_pipeline(encoder, LSSVR(GAUSSIAN, regularization=0.1)).fit(X, y), new)


@pytest.mark.parametrize("imputed", [False, True])
@pytest.mark.parametrize("nothing", [None, np.nan])
def test_texts_that_are_none_or_nan(nothing, imputed):
    frame = pd.DataFrame({"word": pd.Series(["x", "y", nothing, "z", "x"] * 8, dtype=object), "x": np.arange(40.0)})
    encoder = OneHotEncoder(handle_unknown="ignore")
    words = make_pipeline(SimpleImputer(strategy="most_frequent"), encoder) if imputed else encoder
    columns = ColumnTransformer([("words", words, ["word"]), ("numbers", StandardScaler(), ["x"])])
    fitted = make_pipeline(columns, LSSVR(GAUSSIAN, regularization=0.1)).fit(frame, np.sin(frame["x"]))
    program, _ = prepared(fitted, None, None, 10**6)
    assert program.columns[0].none == (nothing is None)
    cells = [[cell if isinstance(cell, str) else None, x] for cell, x in zip(frame["word"], frame["x"], strict=True)]
    found = evaluate(program, coded_rows(program, cells))[-1]
    np.testing.assert_allclose(found, answers(fitted, frame), atol=1e-12)


def test_a_missing_level_of_an_encoder():
    X = np.array([["a", 1.0], ["b", 2.0], [None, 3.0], ["a", 4.0]] * 8, dtype=object)
    y = np.arange(32.0)
    fitted = make_pipeline(
        OneHotEncoder(handle_unknown="ignore", sparse_output=False), LSSVR(GAUSSIAN, regularization=0.1)
    ).fit(X[:, :1], y)
    compared(fitted, X[:, :1])


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (PowerTransformer(), "PowerTransformer has no form without Python: only imputers"),
        (
            FunctionTransformer(np.tanh),
            r"FunctionTransformer\(tanh\) is a function of Python, which cannot be exported",
        ),
        (SimpleImputer(missing_values=-1), r"SimpleImputer\(missing_values=-1\) cannot be exported"),
    ],
)
def test_steps_that_are_refused(step, words):
    X, y, _ = wavy(20)
    with pytest.raises(MissingCapability, match=words):
        program_of(make_pipeline(step, LSSVR(GAUSSIAN, regularization=0.1)).fit(X, y))


def test_models_that_are_refused():
    X, y, labels = wavy(20)
    with pytest.raises(
        InvalidArgument,
        match=r"model=LogisticRegression\(...\) is not a model of kernelect: give a fitted",
    ):
        program_of(LogisticRegression().fit(X, labels))
    with pytest.raises(MissingCapability, match="CallableColumns are functions of Python, which cannot be exported"):
        program_of(BasisSearchRegressor(np.sin).fit(X, y))


def test_precomputed_kernels_take_kernel_values():
    X, _, labels = wavy(20)
    gram = np.exp(-np.square(X[:, None] - X).sum(axis=2))
    compared(LSSVC("precomputed").fit(gram, labels), gram)
    compared(RVC("precomputed").fit(gram, labels), gram)


def test_a_model_without_vectors_is_a_constant():
    X = np.random.default_rng(0).normal(size=(30, 2))
    compared(LSSVR("rbf").fit(X, np.full(30, 2.5)), X)
