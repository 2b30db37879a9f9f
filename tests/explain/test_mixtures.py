"""Mixtures: against all coalitions of what they mix, and on tables of all kinds of columns."""

from copy import copy
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from kernelect import KernelClassifier, KernelRegressor
from kernelect.explain import expansion_of, shapley_values
from kernelect.model import BoxPart, Predictive
from oracles import shapley as oracle
from oracles.exported import mixture, new_rows
from oracles.mixtures import evenly

EACH = [[0], [1], [2]]


@cache
def fitted(classes):
    """Return a mixture in which every member has the same say, and its rows; 0 classes are numbers."""
    generator = np.random.default_rng(11)
    X = generator.normal(size=(50, 3))
    f = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * generator.normal(size=50)
    if classes:
        cuts = [0.0] if classes == 2 else [-0.5, 0.5]
        model = KernelClassifier(effort="fast", random_state=0).fit(X, np.digitize(f, cuts))
    else:
        model = KernelRegressor(effort="fast", random_state=0).fit(X, f)
    assert {member.candidate.machine for member in model.members} >= {"lssvm", "forest"}
    model.model_ = evenly(model.model_)
    return model, X


def mean_log_odds(model):
    """Return the weighted mean of the members' log-odds, member by member."""

    def f(rows):
        total, coded = 0.0, model.model_.inputs(rows)
        for component, weight in zip(model.model_.components, model.shares, strict=True):
            V = component.view(coded)
            if isinstance(component.link, Predictive):
                usual = np.sqrt(1.0 + np.mean(component.spread.usual))
                total = total + weight * 1.702 * component.latent(V)[0] / usual
            else:
                total = total + weight * component.link.inverse_temperature * component.mean(V)
        return total[:, 0] if total.shape[1] == 1 else total

    return f


def without_absent_inputs(model, x):
    """Return v(S) of a mixture of least squares and boxes: factors of inputs outside S are 1."""

    def value(S):
        total, present = 0.0, np.isin(np.arange(3), list(S))
        for component, weight in zip(model.model_.components, model.shares, strict=True):
            V, part = component.view(model.model_.inputs(x[None])), component.parts[0]
            if isinstance(part, BoxPart):
                lower, upper = part.trees.bounds()
                inside = (((lower < V) & (upper >= V)) | ~present).all(axis=1)
                answer = part.trees.boxes[inside].sum(axis=0)[0] / len(part.trees)
            else:
                kernel = replace(part.kernel, gamma=np.where(present, part.kernel.gamma, 0.0))
                answer = part.coefficients[:, 0] @ kernel.cross(part.vectors, V)[:, 0]
            total += weight * (answer + component.constant[0])
        return total

    return value


def check(found, row, value):
    phi, base = oracle.shapley(value, 3)
    np.testing.assert_allclose(found.values[row], phi, atol=1e-10)
    np.testing.assert_allclose(found.base_values[row], base, atol=1e-10)
    np.testing.assert_allclose(found.interactions[row], oracle.interactions(value, 3), atol=1e-10)


@pytest.mark.parametrize("absent", ["marginals", "interventional"])
@pytest.mark.parametrize("classes", [2, 3, 0])
def test_against_all_coalitions(classes, absent):
    model, X = fitted(classes)
    f = mean_log_odds(model) if classes else model.predict
    found = shapley_values(model, X[:2], X[10:14], interactions=True, absent=absent)
    assert found.method == "exact"
    for row, x in enumerate(X[:2]):
        check(found, row, getattr(oracle, absent)(f, x, X[10:14], EACH))


def test_rows_for_which_a_member_is_held_at_its_limit_are_told():
    model, X = fitted(0)
    assert shapley_values(model, X[:3]).remarks == ()
    held = copy(model)
    limits = np.array([[-10.0], [model.predict(X[:3]).max() - 0.01]])
    held.model_ = replace(model.model_, head=replace(model.model_.head, limits=limits))
    found = shapley_values(held, X[:3])
    np.testing.assert_allclose(found.totals, model.predict(X[:3]), atol=1e-10)
    assert "In 1 of 3 rows a candidate goes far beyond the targets seen and is held there" in found.remarks[-1]


def test_a_neutral_stand_in_against_all_coalitions():
    model, X = fitted(0)
    found = shapley_values(model, X[:2], interactions=True, absent="neutral")
    for row, x in enumerate(X[:2]):
        check(found, row, without_absent_inputs(model, x))


@pytest.mark.parametrize("classes", [2, 3, 0])
def test_a_neutral_stand_in_for_every_task(classes):
    model, X = fitted(classes)
    found = shapley_values(model, X[:2], interactions=True, absent="neutral")
    for row, x in enumerate(X[:2]):
        check(found, row, oracle.neutral(expansion_of(model), x))


@pytest.mark.parametrize("labels", [True, False])
def test_columns_of_a_table_are_players(labels):
    model, rows = mixture(labels), new_rows()[0]
    found = shapley_values(model, rows)
    assert found.feature_names == tuple(rows.columns)
    assert found.error < 1e-9
    assert np.abs(found.values[:, list(rows.columns).index("constant")]).max() == 0.0
    np.testing.assert_allclose(found.totals, expansion_of(model).decide(expansion_of(model).inputs(rows))[:, 0])
    if not labels:
        np.testing.assert_allclose(found.totals, model.predict(rows), atol=1e-9)


@pytest.mark.parametrize(
    ("target", "name", "inverse"),
    [("log", "log", np.exp), ("sqrt", "sqrt", lambda f: f**2), ("count", "log1p", np.expm1)],
)
def test_values_on_another_scale_add_up_to_the_prediction(target, name, inverse):
    """The mean of targets that scatter on the scale of their logarithm is more than e to the mean logarithm."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 3))
    y = np.exp(X[:, 0] + 0.5 * rng.normal(size=80))
    y = np.floor(50.0 * y) if target == "count" else y
    model = KernelRegressor("fast", target=target, random_state=0).fit(X, y)
    assert model.target_scale_.name == name
    found = shapley_values(model, X[:5])
    more = 0.375 - model.target_scale_.extra if name == "sqrt" else 0.0
    np.testing.assert_allclose(inverse(found.totals), model.predict(X[:5]) + more, rtol=1e-7)
    assert not any("held there" in remark for remark in found.remarks)
    assert any("that of the prediction plus" in remark for remark in found.remarks) == (name == "sqrt")


def test_log_odds_lean_with_the_probabilities():
    model, rows = mixture(True), new_rows()[0]
    found, probability = shapley_values(model, rows), model.predict_proba(rows)[:, 1]
    assert found.explained == "log-odds"
    assert found.output_names == ("yes",)
    assert "A mixture's probabilities are no sum over columns" in found.remarks[0]
    assert np.corrcoef(found.totals, np.log(probability / (1.0 - probability)))[0, 1] > 0.98
