"""What a mixture says of rows left out comes from weights that have not seen their fold either."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_friedman1, make_moons

from kernelect import KernelClassifier, KernelRegressor
from kernelect.mixture import folds
from kernelect.mixture.heads import label_head, number_head
from kernelect.model import Component, ForeignPart, Given, PlainJackknife, TargetScale

N, K = 40, 3
FOLDS = np.random.default_rng(0).permutation(N) % 5


def components(left_out, **options):
    part = ForeignPart(machine=None, coefficients=np.ones((1, left_out.shape[2])), labels="link" in options)
    return [Component(parts=(part,), constant=np.zeros(each.shape[1]), left_out=each, **options) for each in left_out]


def on_rows(parts, rows):
    """Return components that know these rows only."""
    return [replace(each, left_out=each.left_out[rows]) for each in parts]


def test_labels_by_definition():
    generator = np.random.default_rng(1)
    parts = components(generator.dirichlet(np.ones(K), size=(4, N)), link=Given())
    index, weights = generator.integers(K, size=N), generator.uniform(0.5, 2.0, size=N)
    _, found = label_head(parts, np.arange(K), index, weights, FOLDS)
    for fold in range(5):
        rest, outside = fold != FOLDS, fold == FOLDS
        head, _ = label_head(on_rows(parts, rest), np.arange(K), index[rest], weights[rest])
        said = head.probabilities([each.left_out_answers() for each in on_rows(parts, outside)])
        np.testing.assert_allclose(found[outside], said, atol=1e-8)


def test_numbers_by_definition():
    generator = np.random.default_rng(2)
    targets, weights = generator.normal(size=(N, 1)), generator.uniform(0.5, 2.0, size=N)
    said = targets + generator.normal(size=(4, N, 1))
    spread = PlainJackknife(rows=np.arange(N), residuals=np.zeros((N, 1)), mean_square=np.ones(1))
    parts = components(said, spread=spread)
    options = {"scale": TargetScale(), "limits": np.array([[-9.0], [9.0]]), "single": True}
    _, found = number_head(parts, targets, weights, **options, folds=FOLDS)
    for fold in range(5):
        rest, outside = fold != FOLDS, fold == FOLDS
        head, _ = number_head(on_rows(parts, rest), targets[rest], weights[rest], **options)
        np.testing.assert_allclose(found[outside], np.tensordot(head.weights, said[:, outside], 1), atol=1e-8)


def test_rows_in_no_fold_are_said_by_the_head_of_all_rows():
    parts = components(np.random.default_rng(3).dirichlet(np.ones(K), size=(4, N)), link=Given())
    index, none = np.arange(N) % K, np.where(np.arange(N) < 5, -1, FOLDS)
    _, whole = label_head(parts, np.arange(K), index, np.ones(N))
    _, found = label_head(parts, np.arange(K), index, np.ones(N), none)
    np.testing.assert_array_equal(found[:5], whole[:5])
    assert np.all(np.abs(found[5:] - whole[5:]).max(axis=1) > 0)


@pytest.fixture(scope="module")
def moons():
    return make_moons(80, noise=0.4, random_state=0)


def test_few_rows_are_said_by_others_and_many_by_all(moons, monkeypatch):
    X, y = moons
    few = KernelClassifier("fast").fit(X, y)
    monkeypatch.setattr(folds, "FEW_ROWS", 79)
    many = KernelClassifier("fast").fit(X, y)
    np.testing.assert_array_equal(few.predict_proba(X), many.predict_proba(X))
    loss = [-np.log(model.loo_proba_[np.arange(80), y]).mean() for model in (few, many)]
    assert loss[0] > loss[1] + 0.001


def test_a_row_and_its_copy_and_rows_of_a_group_share_a_fold(moons):
    X, y = moons
    twice = KernelClassifier("fast").fit(np.r_[X, X], np.r_[y, y])
    np.testing.assert_allclose(twice.loo_proba_[:80], twice.loo_proba_[80:], atol=1e-12)
    groups = np.arange(80) // 4
    found = folds.folds_of(grouped_task(X, y, groups), np.arange(80))
    assert all(len(set(found[groups == group])) == 1 for group in range(20))


def grouped_task(X, y, groups):
    """Return the task of a fit."""
    seen = []

    class Watching(KernelClassifier):
        def _head(self, task, deadline):
            seen.append(task)
            return super()._head(task, deadline)

    Watching("fast").fit(X, y, groups=groups)
    return seen[0]


def test_claims_are_near_new_rows_where_weights_are_many_and_rows_few():
    """Eight members of noise on 40 rows: their own rows flatter the weights, rows of other folds do not."""
    generator = np.random.default_rng(0)
    gaps = []
    for _ in range(20):
        index = generator.integers(2, size=N)
        first = generator.uniform(0.05, 0.95, size=(8, N))
        parts = components(np.stack([first, 1.0 - first], axis=-1), link=Given())
        head, _ = label_head(parts, np.arange(2), index, np.ones(N))
        _, crossed = label_head(parts, np.arange(2), index, np.ones(N), generator.permutation(N) % 5)
        fresh = generator.uniform(0.05, 0.95, size=(8, 500))
        new = head.probabilities([np.column_stack([each, 1.0 - each]) for each in fresh])
        truth = generator.integers(2, size=500)
        gaps.append(np.log(crossed[np.arange(N), index]).mean() - np.log(new[np.arange(500), truth]).mean())
    assert abs(np.mean(gaps)) < 2.0 * np.std(gaps) / np.sqrt(len(gaps)) + 0.005


def test_deviations_are_those_of_rows_that_no_weight_has_seen():
    X, y = make_friedman1(60, n_features=5, noise=1.0, random_state=0)
    model = KernelRegressor("fast", target="identity").fit(X, y)
    claimed = model.model_.training.left_out[:, 0]
    np.testing.assert_allclose(model.loo_prediction_, claimed)
    shares = np.tensordot(model.shares, [each.left_out[:, 0] for each in model.members], 1)
    assert np.mean((y - claimed) ** 2) > np.mean((y - shares) ** 2)
