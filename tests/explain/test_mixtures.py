"""Mixtures: against all coalitions of what they mix, and on tables of all kinds of columns."""

from functools import cache

import numpy as np
import pytest

from kernelect import KernelClassifier, KernelRegressor
from kernelect.explain import expansion_of, shapley_values
from oracles import shapley as oracle
from oracles.exported import mixture, new_rows


@cache
def fitted(labels):
    generator = np.random.default_rng(11)
    X = generator.normal(size=(50, 3))
    f = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2]
    if labels:
        return KernelClassifier(effort="fast", random_state=0).fit(X, np.where(f > 0.0, "yes", "no")), X
    return KernelRegressor(effort="fast", random_state=0).fit(X, f), X


def mean_log_odds(model):
    """Return the weighted mean of the members' log-odds, member by member."""

    def f(rows):
        total, coded = 0.0, model._coded(rows)
        for member, weight in zip(model._members, model._weights, strict=True):
            V, machine = model._views(member.candidate.view, coded), member.estimator
            if member.candidate.machine == "gp":
                usual = np.sqrt(1.0 + machine._state.columns[0].variance.mean())
                total = total + weight * 1.702 * machine.latent_mean_and_variance(V)[0] / usual
            else:
                total = total + weight * machine._inverse_temperature * machine.decision_function(V)
        return total

    return f


@pytest.mark.parametrize("labels", [True, False])
def test_against_all_coalitions(labels):
    model, X = fitted(labels)
    f = mean_log_odds(model) if labels else model.predict
    found = shapley_values(model, X[:2], X[10:15], absent="interventional")
    for row, x in enumerate(X[:2]):
        phi, base = oracle.shapley(oracle.interventional(f, x, X[10:15], [[0], [1], [2]]), 3)
        np.testing.assert_allclose(found.values[row], phi, atol=1e-9)
        np.testing.assert_allclose(found.base_values[row], base, atol=1e-9)


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


def test_log_odds_lean_with_the_probabilities():
    model, rows = mixture(True), new_rows()[0]
    found, probability = shapley_values(model, rows), model.predict_proba(rows)[:, 1]
    assert found.explained == "log-odds"
    assert found.output_names == ("yes",)
    assert "A mixture's probabilities are no sum over columns" in found.remarks[0]
    assert np.corrcoef(found.totals, np.log(probability / (1.0 - probability)))[0, 1] > 0.98
