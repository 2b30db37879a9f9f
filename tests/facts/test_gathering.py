import json
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from kernelect import GPC, LSSVC, LSSVR, RVC, RVR, SVC, BasisSearchRegressor
from kernelect.datasets import sparse_inputs
from kernelect.estimators import objective_of
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.facts import Facts, GatherOptions, gather, gather_for_page, with_error
from kernelect.facts.columns import describe_columns
from kernelect.facts.page_record import PageFacts
from kernelect.kernels import ARD, RBF
from oracles.assessments import assess_regressor
from speeds import slowly

WORDS = GatherOptions(title="t.csv", target="y")


def test_facts_are_plain_and_complete(hostile_facts):
    assert json.loads(json.dumps(hostile_facts, allow_nan=False)) == hostile_facts
    assert hostile_facts["data"] | {"classes": None} == {
        "rows": 80,
        "columns": 6,
        "inputs": 9,
        "missing_cells": 12,
        "classes": None,
        "words": "80 rows, 6 columns (9 inputs after coding), 2 classes, 12 missing cells",
    }
    assert [picture["kind"] for picture in hostile_facts["pictures"]] == [
        "relevance",
        *["dependence"] * 3,
        "confusion",
        "recalls",
        *["curve"] * 3,
        "calibration",
        "learning",
        "swarm",
        "interactions",
        "shapley",
        *["waterfall"] * 4,
        "trace",
        "surface",
        "vectors",
    ]
    assert set(hostile_facts) == Facts.__required_keys__ | PageFacts.__required_keys__


def test_relevance_speaks_of_the_table_s_columns(hostile_facts, hostile_table):
    record = hostile_facts["pictures"][0]["record"]
    assert sum(record["relevance"]) == pytest.approx(1.0, abs=1e-4)
    assert len(record["names"]) == hostile_table[0].shape[1]
    leading = {one["name"] for one in hostile_facts["relevance"]["shares"][:3]}
    assert leading == {*hostile_table[0].columns[:2], "名前"}


def test_names_are_on_one_line_and_printable(hostile_facts):
    text = json.dumps(hostile_facts, ensure_ascii=False)
    assert "line break �" in text
    assert "half a letter: �" in text
    text.encode("utf-8")  # no lone surrogate is left


#: Pictures that explain predictions, for which tests of their own exist.
WHY = {"swarm", "interactions", "shapley", "waterfall"}

MACHINES = [
    (LSSVC(), "classification", "sizes", 11),
    (GPC(kernel="rbf"), "classification", "sizes", 6),
    (SVC(kernel="rbf", criterion="span"), "classification", "sizes", 6),
    (RVC(kernel="rbf"), "classification", "residuals", 8),
    (LSSVR(), "regression", "calibration", 10),
    (RVR(kernel="rbf"), "regression", "confusion", 7),
    (BasisSearchRegressor(strategy="forward"), "regression", "surface", 5),
    (LSSVC(RBF(0.5), regularization=1.0), "classification", "surface", 10),
]


@pytest.mark.parametrize(("machine", "task", "absent", "count"), MACHINES, ids=lambda value: str(value)[:30])
def test_every_machine_alone_gives_facts(machine, task, absent, count):
    X, y = sparse_inputs(40, n_features=3, random_state=0)
    X = pd.DataFrame(X, columns=["a", "b", "c"])
    facts = gather(machine.fit(X, y), X, pd.Series(y), WORDS)
    kinds = [picture["kind"] for picture in facts["pictures"]]
    assert absent not in kinds
    assert {"swarm", "interactions", "shapley"} <= set(kinds)
    assert len([kind for kind in kinds if kind not in WHY]) == count
    assert facts["machine"]["class"] == type(machine).__name__
    assert facts["task"] == task
    measured = hasattr(machine, "loo_decision_" if task == "classification" else "loo_prediction_")
    assert facts["quality"]["shown"] == ("leave-one-out" if measured else "baseline")
    assert ("not-measured" in [doubt["code"] for doubt in facts["doubts"]]) == (not measured)
    json.dumps(facts, allow_nan=False)


@pytest.mark.parametrize(
    ("machine", "words"),
    [
        (RVC(time_limit=1e-9), "widths in proportion to the inputs' spread"),
        (RVC(ARD([1.0, 1.0, 0.0])), "one width per input"),
        (RVC(kernel="rbf"), "one width for all inputs"),
        *slowly(
            (RVC(), "widths in proportion to the inputs' spread"),
            (RVC(criterion="occam-evidence"), "one width per input"),
        ),
    ],
)
def test_the_kernel_s_words_say_what_was_selected(machine, words):
    X, y = sparse_inputs(80, n_features=3, random_state=0)
    X[:, 2] = 1.0  # has no width
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of the time limit
        machine.fit(X, y)
    facts = gather(machine, X, y, WORDS)
    assert words in facts["machine"]["kernel"]


def test_arrays_serve_too():
    X, y = sparse_inputs(40, n_features=2, random_state=0)
    facts = gather(LSSVC(kernel="rbf").fit(X, y), X, y, WORDS)
    assert facts["pictures"][0]["record"]["names"] in (["x0", "x1"], ["x1", "x0"])


def test_a_precomputed_kernel_leaves_out_what_it_cannot_tell():
    X, y = sparse_inputs(40, n_features=2, random_state=0)
    gram = X @ X.T
    facts = gather(LSSVC(kernel="precomputed").fit(gram, y), gram, y, WORDS)
    assert facts["relevance"] is None
    assert [picture["kind"] for picture in facts["pictures"]] == [
        *("confusion", "recalls", "calibration", "trace", "surface")
    ]
    assert facts["what_if"]["remarks"] == [
        "This page does not carry the model. A precomputed kernel takes kernel values, and does not know the columns "
        "behind them."
    ]


def test_many_columns_are_gathered(rng):
    X = pd.DataFrame(rng.normal(size=(40, 300)), columns=[f"c{j}" for j in range(300)])
    y = pd.Series(X["c7"] + 0.1 * rng.normal(size=40))
    model = Pipeline([("scale", StandardScaler()), ("machine", LSSVR())])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 300 widths from 40 rows need not settle
        model.fit(X, y)
        facts = gather(model, X, y, WORDS)
    assert len(facts["pictures"][0]["record"]["names"]) == 21
    assert facts["pictures"][0]["record"]["names"][-1] == "280 others together"
    assert facts["machine"]["parameters_not_listed"] == 280
    assert len(json.dumps(facts | {"what_if": None})) < 130_000


@pytest.mark.parametrize(("n_columns", "count"), [(14, 3), (15, 4)])
def test_tables_of_many_columns_show_one_dependence_more(rng, n_columns, count):
    X = rng.normal(size=(40, n_columns))
    y = X @ np.linspace(1.0, 2.0, n_columns)
    facts = gather(LSSVR("linear").fit(X, y), X, y, WORDS)
    assert [picture["kind"] for picture in facts["pictures"]].count("dependence") == count


def test_the_headline_is_the_outer_folds():
    X, y = sparse_inputs(60, n_features=2, random_state=0)
    X = pd.DataFrame(X, columns=["a", "b"])
    model = Pipeline([("scale", StandardScaler()), ("machine", LSSVR(kernel="rbf"))]).fit(X, y)
    assessment = assess_regressor(model, X, y)
    facts = gather(model, X, y, replace(WORDS, assessment=assessment))
    folds = assessment.outer_folds
    assert facts["quality"]["shown"] == "outer folds"
    score = folds.scores[0]
    assert with_error(score.value, score.standard_error) in facts["quality"]["headline"]
    residuals = next(picture["record"] for picture in facts["pictures"] if picture["kind"] == "residuals")
    np.testing.assert_allclose(np.sort(folds.prediction), residuals["predicted"], rtol=1e-5)


def test_a_parameter_at_its_bound_is_doubted_with_its_side():
    X, _ = sparse_inputs(40, n_features=2, random_state=0)
    y = X[:, 0] + 2.0 * X[:, 1]  # no noise: the smallest ridge is the best
    model = LSSVR(kernel="linear").fit(X, y)
    assert model.selection_.at_bound == ("regularization",)
    facts = gather(model, X, y, WORDS)
    (doubt,) = (doubt for doubt in facts["doubts"] if doubt["code"] == "at-bound")
    assert "(lower edge)" in doubt["sentence"]


def test_sides_of_bounds_are_those_of_all_rows(rng):
    X = np.column_stack([rng.normal(size=400), np.eye(400)[:, :3]])  # the last three are constant in most samples
    y = X[:, 0] + 0.1 * rng.normal(size=400)
    model = LSSVR().fit(X, y)
    objective = objective_of(model, X, y, np.arange(200, 400))
    assert np.isfinite(objective.space.lower).all()


def test_pictures_can_be_gathered_later():
    X, y = sparse_inputs(40, n_features=2, random_state=0)
    model = LSSVC(kernel="rbf").fit(X, y)
    whole, bare = gather(model, X, y), gather(model, X, y, GatherOptions(pictures=False))
    assert bare["pictures"] == []
    assert whole == {**bare, **gather_for_page(model, X, y)}


def test_without_an_assessment_leave_one_out_is_measured():
    X, y = sparse_inputs(40, n_features=2, random_state=0)
    model = LSSVC(kernel="rbf").fit(X, y)
    quality = gather(model, X, y, GatherOptions(pictures=False))["quality"]
    wrong = np.mean(model.classes_[(model.loo_decision_ > 0).astype(int)] != y)
    assert [one["name"] for one in quality["estimates"]] == ["leave-one-out", "always the most frequent class"]
    assert quality["estimates"][0]["scores"][0]["value"] == pytest.approx(wrong)


def test_other_rows_than_those_of_the_fit_are_refused():
    X, y = sparse_inputs(40, n_features=2, random_state=0)
    model = LSSVC(kernel="rbf").fit(X, y)
    with pytest.raises(InvalidArgument, match="y has 39 rows and the model was fitted on 40: give the rows"):
        gather(model, X[1:], y[1:])
    with pytest.raises(InvalidArgument, match=r"y of shape \(40, 2\) must have one dimension: fit one model"):
        gather(model, X, np.column_stack([y, y]))


def test_parameters_and_sentences_name_columns():
    X, _ = sparse_inputs(40, n_features=2, random_state=0)
    frame = pd.DataFrame(X, columns=["height", "mass"])
    remark = "LSSVR: at the bound of the search: gamma[1]"
    found = gather(LSSVR().fit(frame, X[:, 0]), frame, X[:, 0], GatherOptions(remarks=[remark], pictures=False))
    assert set(found["parameters"]) == {"gamma of height", "gamma of mass", "regularization"}
    assert found["remarks"] == ["LSSVR: at the bound of the search: gamma of mass"]
    assert "gamma[" not in json.dumps(found)


def test_columns_are_described():
    frame = pd.DataFrame({"a": [1.0, np.nan, 3.0, 4.0], "b": ["x", "y", None, "x"]})
    assert describe_columns(frame) == [
        {"name": "a", "kind": "number", "missing": 0.25, "low": 1.0, "high": 4.0},
        {"name": "b", "kind": "category", "missing": 0.25, "categories": 2},
    ]
    assert describe_columns(np.array([[np.nan], [np.nan]])) == [
        {"name": "x0", "kind": "number", "missing": 1.0, "low": None, "high": None}
    ]


def test_a_search_among_subsets_tells_the_side_of_a_bound_too():
    X, y = sparse_inputs(60, n_features=3, random_state=0)
    model = BasisSearchRegressor(strategy="forward").fit(X, y)
    names, theta = model.selection_.names, model.selection_.theta
    model.selection_ = replace(model.selection_, at_bound=(names[np.argmin(theta)], names[np.argmax(theta)]))
    found = gather(model, X, y, GatherOptions(pictures=False))
    sides = {one["value"]: one["at_bound"] for one in found["machine"]["parameters"] if one["at_bound"]}
    assert [sides[value] for value in sorted(sides)] == ["lower edge", "upper edge"]


def test_a_model_without_a_selection_is_refused_in_words():
    X, y = sparse_inputs(40, n_features=2, random_state=0)
    with pytest.raises(MissingCapability, match="model=DummyClassifier has no selection_ to describe: give a fitted"):
        gather(DummyClassifier().fit(X, y), X, y)
