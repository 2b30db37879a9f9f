"""Estimators of one's own as members: judged on folds, weighted, displayed, and refused where they do not fit."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_friedman1
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelect import KernelClassifier, KernelRegressor
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.explain import shapley_values
from kernelect.export import to_c
from kernelect.mixture import EFFORTS
from kernelect.mixture.efforts import candidates_of


def line(n, seed=0):
    """Return rows, and targets that are linear in them up to noise."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, 4))
    return X, X @ [1.0, -2.0, 0.5, 0.0] + generator.normal(size=n)


@pytest.fixture(scope="module")
def numbers():
    X, y = line(150)
    return KernelRegressor(["fast", LinearRegression()], target="identity").fit(X, y), X, y


def own(model):
    """Return the member of the last candidate."""
    return model.members[-1]


def test_names_of_efforts_stand_for_their_candidates():
    estimator = LinearRegression()
    *fast, last = candidates_of(["fast", estimator])
    assert tuple(fast) == EFFORTS["fast"]
    assert last.estimator is estimator


def test_it_is_weighted_and_displayed_by_its_name(numbers):
    model, *_ = numbers
    table = model.candidates_.to_frame().set_index("machine")
    assert table.loc["LinearRegression", "weight"] > 0.1  # it is the truth
    assert table.loc["LinearRegression", "status"] == "judged on 5 folds"
    assert "LinearRegression()" in repr(model.candidates_)


def test_predictions_are_those_of_the_estimator_on_all_rows(numbers):
    model, X, y = numbers
    member = own(model)
    found = member.component.mean(member.component.view(model.model_.inputs(X)))
    np.testing.assert_allclose(found[:, 0], LinearRegression().fit(X, y).predict(X), atol=1e-8)
    answers = model.model_.answers(model.model_.inputs(X))
    expected = sum(w * each[:, 0] for w, each in zip(model.shares, answers, strict=True))
    np.testing.assert_allclose(model.predict(X), expected)


def test_values_of_rows_left_out_are_those_of_machines_without_their_fold(numbers):
    model, X, y = numbers
    left_out = own(model).left_out[:, 0]
    found = np.zeros(150, dtype=int)
    for fold in linear_pieces(left_out, X):
        rest = np.setdiff1d(np.arange(150), fold)
        alone = LinearRegression().fit(X[rest], y[rest]).predict(X[fold])
        np.testing.assert_allclose(left_out[fold], alone, atol=1e-8)
        found[fold] += 1
    assert np.all(found == 1)


def linear_pieces(values, X):
    """Return the five sets of 30 rows on each of which values are one linear function of the rows."""
    rest, pieces, generator = np.arange(len(X)), [], np.random.default_rng(1)
    design = np.column_stack([np.ones(len(X)), X])
    while len(rest):
        same = []
        while len(same) < 10:  # any six rows of a piece agree on the function; of others hardly any do
            some = generator.choice(rest, 5, replace=False)
            weights = np.linalg.solve(design[some], values[some])
            same = rest[np.abs(design[rest] @ weights - values[rest]) < 1e-7]
        pieces.append(same)
        rest = np.setdiff1d(rest, same)
    assert [len(each) for each in pieces] == [30] * 5
    return pieces


def test_the_order_of_rows_does_not_matter():
    X, y = line(150)
    order = np.random.default_rng(1).permutation(len(X))
    model = KernelRegressor([LinearRegression()], target="identity").fit(X, y)
    other = clone(model).fit(X[order], y[order])
    np.testing.assert_allclose(other.predict(X), model.predict(X), atol=1e-8)
    np.testing.assert_allclose(own(other).left_out, own(model).left_out[order], atol=1e-8)


def test_groups_stay_together():
    """The nearest row is a copy with another target: with it, errors would be small."""
    generator = np.random.default_rng(0)
    X = np.repeat(generator.normal(size=(40, 2)), 2, axis=0) + 1e-3 * generator.normal(size=(80, 2))
    y = np.repeat(generator.normal(size=40), 2) + 1e-3 * generator.normal(size=80)
    groups = np.repeat(np.arange(40), 2)
    alone, grouped = (KernelRegressor([KNeighborsRegressor(1)]).fit(X, y, groups=each) for each in (None, groups))
    assert np.median(np.abs(own(alone).left_out[:, 0] - y)) < 0.01
    assert np.median(np.abs(own(grouped).left_out[:, 0] - y)) > 0.3


def test_labels_with_categories_and_missing_cells():
    n, generator = 120, np.random.default_rng(0)
    town, age = generator.choice(["here", "there", "far"], n), generator.normal(50, 10, n)
    frame = pd.DataFrame({"town": town, "age": np.where(generator.random(n) < 0.1, np.nan, age)})
    labels = np.where((town == "far") ^ (generator.random(n) < 0.1), "yes", "no")
    scaled = make_pipeline(StandardScaler(), LogisticRegression())
    model = KernelClassifier(["fast", scaled, RandomForestClassifier(20)]).fit(frame, labels)
    table = model.candidates_.to_frame().set_index("machine")
    assert table.loc["Pipeline", "score"] < 0.5  # the codes of towns alone are not in the order of the probabilities
    np.testing.assert_allclose(model.predict_proba(frame).sum(axis=1), 1.0)
    assert clone(model).effort[1] is not scaled
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(frame), model.predict(frame))
    with pytest.raises(NotFittedError):
        scaled.predict(frame)  # what was given stays as it is
    again = KernelClassifier(["fast", scaled, RandomForestClassifier(20)]).fit(frame, labels)
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))  # seeds are set


def test_a_class_that_a_fold_lacks_has_probability_0():
    X, y = load_iris(return_X_y=True)
    X, y = X[:102], y[:102]  # two rows of the third class
    model = KernelClassifier([LogisticRegression(max_iter=1000)]).fit(X, y)
    assert own(model).left_out.shape == (102, 3)
    np.testing.assert_allclose(own(model).left_out.sum(axis=1), 1.0)


def test_weights_of_rows_are_passed_on_or_it_is_said():
    X, y = make_friedman1(80, n_features=5, noise=1.0, random_state=0)
    weights = np.where(np.arange(80) < 40, 1.0, 5.0)
    model = KernelRegressor([LinearRegression(), KNeighborsRegressor()], target="identity").fit(X, y, weights)
    line, neighbours = model.members
    said = line.component.mean(line.component.view(model.model_.inputs(X)))[:, 0]
    np.testing.assert_allclose(said, LinearRegression().fit(X, y, weights).predict(X), atol=1e-8)
    assert neighbours.status == "judged on 5 folds; it takes no weights of rows"


def test_rows_of_no_weight_have_no_say_and_values_all_the_same():
    X, y = make_friedman1(80, n_features=5, noise=1.0, random_state=0)
    weights = np.where(np.arange(80) < 20, 0.0, 1.0)
    model = KernelRegressor([LinearRegression()], target="identity").fit(X, y, weights)
    np.testing.assert_allclose(model.predict(X), LinearRegression().fit(X[20:], y[20:]).predict(X), atol=1e-6)
    np.testing.assert_allclose(own(model).left_out[:20, 0], model.predict(X[:20]), atol=1e-6)


def test_intervals_cover(numbers):
    model, *_ = numbers
    X, y = line(1000, seed=1)
    lower, upper = model.predict_interval(X, 0.9)
    assert 0.84 < np.mean((lower < y) & (y < upper)) < 0.96


@pytest.mark.parametrize(
    ("door", "estimator", "words"),
    [
        (
            KernelRegressor,
            LogisticRegression(),
            r"LogisticRegression\(\), which is no regressor: KernelRegressor takes",
        ),
        (KernelClassifier, LinearRegression(), r"LinearRegression\(\), which is no classifier"),
        (KernelClassifier, Perceptron(), r"Perceptron\(\), which has no predict_proba: wrap it in"),
    ],
)
def test_estimators_that_do_not_fit_are_refused(door, estimator, words):
    with pytest.raises(InvalidArgument, match=words):
        door(["fast", estimator]).fit(line(30)[0], np.arange(30) % 2)


def test_a_class_in_the_place_of_an_estimator_is_refused():
    with pytest.raises(InvalidArgument, match="LinearRegression"):
        KernelRegressor(["fast", LinearRegression]).fit(line(30)[0], np.arange(30.0))


def test_what_cannot_follow_says_so(numbers, tmp_path):
    model, X, _ = numbers
    with pytest.raises(MissingCapability, match="LinearRegression is a machine of Python, which cannot be exported"):
        to_c(model)
    with pytest.raises(InvalidArgument, match="another library, which a model file cannot hold: keep .* pickle"):
        model.model_.save(tmp_path / "model.kernelect")
    with pytest.raises(MissingCapability, match="LinearRegression is a machine of Python that only predicts"):
        shapley_values(model, X[:2], background=X[:10], method="exact")
    found = shapley_values(model, X[:2], background=X[:10], n_permutations=10)
    assert any("LinearRegression is a machine of Python that only predicts: its share" in one for one in found.remarks)
    labels = KernelClassifier(["fast", LogisticRegression()]).fit(X, X[:, 0] + 0.5 * X[:, 1] > 0)
    with pytest.raises(MissingCapability, match="the LogisticRegression, whose probabilities are no function of a sum"):
        shapley_values(labels, X[:2], background=X[:10])
