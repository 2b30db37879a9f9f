"""Costs, class weights and metrics: from the words of an option to the labels of new rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score
from sklearn.metrics import f1_score as f1_of

from kernelect.cli import _guard
from kernelect.exceptions import InvalidArgument
from kernelect.facts import FoldOutcome, Judge
from kernelect.facts.scores import average_precision, f1_score
from kernelect.facts.stakes import METRICS, Stakes, positive_class
from kernelect.tabular import (
    FoldOptions,
    MachineOptions,
    describe_table,
    fit_table,
    load_model,
    predict_table,
    save_model,
)
from kernelect.tabular.stakes import with_stakes

N = 120


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    x = rng.normal(size=N)
    return pd.DataFrame({"x": x, "z": rng.normal(size=N), "y": np.where(x + rng.normal(size=N) > 1.7, "yes", "no")})


@pytest.fixture(scope="module")
def described(frame):
    return describe_table(frame, "y")[:2]


def fitted(described, **words):
    schema = with_stakes(*described, **words)
    options = MachineOptions("lssvm", kernel="rbf")
    return fit_table(described[1], schema, options, FoldOptions(3)), described[1]


@pytest.fixture(scope="module")
def costly(described):
    return fitted(described, costs=["yes:no=8"])


def test_costs_move_the_labels_and_not_the_probabilities(described, costly, tmp_path):
    plain, rows = fitted(described)
    model, _ = costly
    save_model(model, tmp_path / "m.kernelect")
    loaded, _ = load_model(tmp_path / "m.kernelect")
    assert loaded.decision == model.decision
    ours, theirs = predict_table(loaded, rows.X), predict_table(plain, rows.X)
    np.testing.assert_allclose(ours["probability:yes"], theirs["probability:yes"])
    np.testing.assert_array_equal(ours["prediction"] == "yes", ours["probability:yes"] > model.decision.threshold)
    assert (ours["prediction"] == "yes").sum() > (theirs["prediction"] == "yes").sum()


def test_facts_have_the_cost_and_the_threshold(costly):
    facts = costly[0].facts
    assert facts["quality"]["main"] == "cost"
    assert facts["decision"]["positive"] == "yes"
    assert "to predict no when the truth is yes costs 8, the other error 1" in facts["decision"]["sentence"]
    roles = {
        one["role"]: {score["name"]: score["value"] for score in one["scores"]} for one in facts["quality"]["estimates"]
    }
    assert roles["outer folds"]["cost"] < roles["baseline"]["cost"]
    assert {"F1", "average precision", "AUC"} <= set(roles["outer folds"])
    assert "average precision" not in roles["leave-one-out"]  # models that each lack another row do not rank alike


def test_the_figure_that_counts_leads(described):
    model, _ = fitted(described, metric="auc")
    assert model.facts["quality"]["main"] == "AUC"
    assert model.facts["quality"]["headline"].startswith("The AUC on new rows is")
    assert model.decision is None


def test_f1_sets_the_threshold_of_the_rarer_class(described):
    model, rows = fitted(described, metric="f1")
    assert model.decision.rule == "F1"
    left_out = model.assessment.leave_one_out
    said = np.where(left_out.probability[:, 1] > 0.5, "yes", "no")
    best, half = (f1_of(rows.y, labels, pos_label="yes") for labels in (left_out.prediction, said))
    assert best >= half
    assert left_out.score("F1").value == pytest.approx(best)


def test_weights_of_classes_are_costs(described):
    schema, rows = described
    counts = rows.y.value_counts()
    found = with_stakes(schema, rows, class_weight="balanced").stakes.costs
    assert found[0][1] * counts["no"] == pytest.approx(found[1][0] * counts["yes"])
    assert with_stakes(schema, rows, class_weight="yes=3").stakes.costs == ((0.0, 1.0), (3.0, 0.0))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"costs": ["yes:no"]}, "must be the true class, the predicted one and a number"),
        ({"costs": ["yes:maybe=3"]}, "the classes are 'no', 'yes'"),
        ({"costs": ["yes:yes=3"]}, "must be the true class"),
        ({"costs": ["yes:no=-1"]}, "'-1' must be a positive number"),
        ({"costs": ["yes:no=2"], "class_weight": "balanced"}, "give one of them"),
        ({"class_weight": "maybe=2"}, "must be balanced, or classes"),
        ({"class_weight": "yes=many"}, "'many' must be a positive number"),
        ({"metric": "rmse"}, "--metric rmse is for numbers, and the target has classes: choose one of error, log-loss"),
        ({"metric": "rsme"}, "--metric='rsme' is not known"),
    ],
)
def test_wrong_words(described, words, message):
    with pytest.raises(InvalidArgument, match=message):
        with_stakes(*described, **words)


def test_numbers_have_no_costs(frame):
    schema, rows, _ = describe_table(frame, "x")
    with pytest.raises(InvalidArgument, match="'x' is a number"):
        with_stakes(schema, rows, costs=["yes:no=2"])
    assert with_stakes(schema, rows, metric="mae").stakes == Stakes("MAE")


def test_metrics_of_two_classes_only(frame):
    three = frame.assign(y=np.tile(["a", "b", "c"], N // 3))
    schema, rows, _ = describe_table(three, "y")
    with pytest.raises(InvalidArgument, match="--metric f1 is for two classes, and the target has 3"):
        with_stakes(schema, rows, metric="f1")


def test_metrics_of_the_command_line():
    assert set(_guard.METRICS) == {name for names in METRICS.values() for name in names}


def test_f1_and_average_precision_by_scikit_learn(rng):
    truth, value = rng.uniform(size=80) < 0.3, rng.uniform(size=80).round(1)
    found = f1_score(truth, value > 0.5, np.ones(80), np.arange(80))
    assert found.value == pytest.approx(f1_of(truth, value > 0.5))
    draws = [rng.integers(0, 80, 80) for _ in range(400)]
    spread = np.std([f1_of(truth[rows], value[rows] > 0.5) for rows in draws])
    assert found.standard_error == pytest.approx(spread, rel=0.25)
    assert average_precision(truth, value).value == pytest.approx(average_precision_score(truth, value))
    assert f1_score(truth, np.zeros(80, dtype=bool), np.ones(80), np.arange(80)).value == 0.0


def test_scores_of_single_folds(rng):
    y = np.array(["a", "b"] * 10 + ["a"] * 40)
    judge = Judge(y, ("a", "b"), stakes=Stakes("F1", ((0.0, 1.0), (3.0, 0.0))))
    p = rng.uniform(size=60)
    outcome = FoldOutcome(rows=np.arange(60), prediction=np.full(60, "a"), probability=np.column_stack([1 - p, p]))
    assert judge.value_of("cost", outcome) == pytest.approx(0.5)
    assert judge.value_of("F1", outcome) == 0.0
    assert judge.value_of("average precision", outcome) == pytest.approx(average_precision_score(y == "b", p))
    assert np.isnan(judge.value_of("RMSE", outcome))
    assert positive_class(np.array([0, 1, 1])) == 0
