"""Classes with an order: declared, recognised, fitted, scored and kept."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.facts import Judge
from kernelect.facts.notable import places_of
from kernelect.mixture import KernelRegressor
from kernelect.tabular import (
    FoldOptions,
    MachineOptions,
    columns_text,
    describe_table,
    fit_table,
    load_model,
    predict_table,
    read_columns,
    save_model,
)
from kernelect.tabular.compare import GUESSING, candidates, compare_table
from kernelect.tabular.partly_peers import Graded
from oracles.ordinal import ranked_probability_score

GRADES = ["low", "medium", "high"]


def table(n=90, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    place = np.digitize(X[:, 0] + 0.3 * rng.normal(size=n), [-0.5, 0.6])
    return pd.DataFrame(X, columns=["a", "b"]).assign(grade=np.array(GRADES)[place]), place


def test_classes_stand_in_the_order_given():
    frame, _ = table()
    schema, _, _ = describe_table(frame, "grade", ordered="low < medium<high")
    assert (schema.classes, schema.ordered, schema.task) == (("low", "medium", "high"), True, "classification")
    plain, _, _ = describe_table(frame, "grade")
    assert (plain.classes, plain.ordered) == (("high", "low", "medium"), False)


def test_an_ordered_categorical_needs_no_option():
    frame, _ = table()
    column = pd.Categorical(frame["grade"], categories=GRADES, ordered=True)
    schema, _, _ = describe_table(frame.assign(grade=column), "grade")
    assert (schema.classes, schema.ordered) == (("low", "medium", "high"), True)
    unordered, _, _ = describe_table(frame.assign(grade=pd.Categorical(frame["grade"], categories=GRADES)), "grade")
    assert not unordered.ordered


def test_whole_numbers_may_be_grades():
    frame, place = table()
    asked = "If 1 to 3 are grades, use --ordered '1<2<3'."
    schema, _, remarks = describe_table(frame.assign(grade=place + 1), "grade")
    assert asked in remarks
    assert not schema.ordered
    schema, _, remarks = describe_table(frame.assign(grade=place + 1), "grade", ordered="1<2<3")
    assert asked not in remarks
    assert (schema.classes, schema.ordered) == ((1, 2, 3), True)
    for other in (np.where(place == 2, 7, place), np.minimum(place, 1)):  # not one after the other; only two
        assert not any("grades" in each for each in describe_table(frame.assign(grade=other), "grade")[2])


@pytest.mark.parametrize("order", ["low<high", "low<low<medium<high"])
def test_an_order_that_lacks_a_class_is_refused(order):
    with pytest.raises(InvalidArgument, match=r"--ordered .* must list every class of the target once"):
        describe_table(table()[0], "grade", ordered=order)


def test_a_fitted_table_is_kept_with_its_order(tmp_path):
    schema, rows, _ = describe_table(table()[0], "grade", ordered="low<medium<high")
    model = fit_table(rows, schema, MachineOptions(), FoldOptions(2))
    assert model.estimator == "KernelOrdinal"
    assert model.classes_.tolist() == GRADES
    names = [score.name for score in model.assessment.outer_folds.scores]
    assert names[-2:] == ["mean distance", "ranked probability score"]
    worse, better = (
        each.score("ranked probability score") for each in (model.assessment.baseline, model.assessment.outer_folds)
    )
    assert better.value < 0.5 * worse.value
    save_model(model, tmp_path / "m.kernelect")
    loaded, remarks = load_model(tmp_path / "m.kernelect")
    assert (remarks, loaded.schema.ordered) == ([], True)
    pd.testing.assert_frame_equal(predict_table(loaded, rows.X), predict_table(model, rows.X))
    (tmp_path / "columns.toml").write_text(columns_text(schema, "t.csv"))
    assert read_columns(tmp_path / "columns.toml").ordered == "low<medium<high"


def test_scores_of_ordered_classes():
    _, place = table()
    rng = np.random.default_rng(1)
    probability = rng.dirichlet(np.ones(3), size=90)
    found = Judge(place, [0, 1, 2], ordered=True).of_rows("some", probability.argmax(axis=1), probability)
    expected = ranked_probability_score(place, probability)
    assert found.score("ranked probability score").value == pytest.approx(expected, rel=1e-12)
    distance = np.mean([abs(a - b) for a, b in zip(place, probability.argmax(axis=1), strict=True)])
    assert found.score("mean distance").value == pytest.approx(distance, rel=1e-12)
    assert Judge(place, [0, 1, 2]).of_rows("some", probability.argmax(axis=1)).score("mean distance") is None


def test_a_machine_without_order_is_refused():
    schema, rows, _ = describe_table(table()[0], "grade", ordered="low<medium<high")
    with pytest.raises(MissingCapability, match="machine='svm' does no ordered classification: use one of gp"):
        fit_table(rows, schema, MachineOptions("svm"), FoldOptions(0))


def test_places_among_classes_that_are_not_sorted():
    labels = np.array(["high", "low", "medium", "low"])
    np.testing.assert_array_equal(places_of(np.array(GRADES), labels), [2, 0, 1, 0])


def test_ordered_classes_are_compared_by_the_measures_of_order():
    frame, _ = table(60)
    schema, rows, _ = describe_table(frame, "grade", ordered="low<medium<high")
    entries = [
        entry
        for entry in candidates(schema, effort="fast", kernels=["linear"])
        if entry.name in ("auto", "gp linear", "sklearn logistic regression", GUESSING)
    ]
    assert len(entries) == 4
    found = compare_table(rows, schema, entries, FoldOptions(2))
    assert found.score == "ranked probability score"
    assert found.contenders[-1].name == GUESSING
    assert all(one.estimate.score("mean distance") is not None for one in found.contenders)
    names = {entry.name for entry in candidates(schema)}
    assert {"auto, order ignored", "auto, classes as numbers"} <= names
    assert "lssvm ard" not in names


def test_classes_as_numbers():
    frame, place = table()
    model = Graded(KernelRegressor("fast"), GRADES).fit(frame[["a", "b"]], frame["grade"])
    shares = model.predict_proba(frame[["a", "b"]])
    mean, deviation = model.regressor.predict(frame[["a", "b"]], return_std=True)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_allclose(shares[:, 1], norm.cdf(1.5, mean, deviation) - norm.cdf(0.5, mean, deviation))
    assert np.mean(model.predict(frame[["a", "b"]]) == frame["grade"]) > 0.7
    assert np.mean(np.array(GRADES)[place] == frame["grade"]) == 1.0
