"""KernelOrdinal: order helps, forms of the order, groups, tables, files, exports and explanations of the mixture."""

import numpy as np
import pandas as pd
import pytest

import kernelect
from kernelect import KernelClassifier, KernelOrdinal
from kernelect.exceptions import InvalidArgument
from kernelect.explain import shapley_values
from kernelect.export.evaluate import evaluate
from kernelect.export.models import program_of
from kernelect.mixture.forest import RandomForest
from kernelect.mixture.gaussian_processes import GaussianProcess
from oracles import ordinal as slow

GRADES = ["mild", "moderate", "severe"]
QUICK = [GaussianProcess(tied=True), RandomForest(n_trees=20)]


def study(n=100, seed=0, cuts=(-0.5, 0.6)):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.digitize(X[:, 0] + np.sin(2.0 * X[:, 1]) + 0.3 * rng.normal(size=n), cuts)


X, Y = study()
Z = study(12, 1)[0]
NAMES = np.array(GRADES)[Y]


@pytest.fixture(scope="module")
def model():
    return KernelOrdinal(QUICK, order=GRADES).fit(X, NAMES)


def test_order_helps():
    cuts = (-1.2, -0.4, 0.3, 1.1)
    (X, y), (rows, truth) = study(80, 3, cuts), study(500, 7, cuts)
    with_order, without = KernelOrdinal("fast").fit(X, y), KernelClassifier("fast").fit(X, y)
    found = [slow.ranked_probability_score(truth, each.predict_proba(rows)) for each in (with_order, without)]
    assert found[0] < 0.95 * found[1]


def test_the_order_may_come_with_the_column(model):
    assert model.classes_.tolist() == GRADES
    column = pd.Series(pd.Categorical(NAMES, categories=GRADES, ordered=True))
    for y, classes in ((column, GRADES), (Y, [0, 1, 2])):
        other = KernelOrdinal(QUICK).fit(X, y)
        assert other.classes_.tolist() == classes
        np.testing.assert_array_equal(other.predict_proba(Z), model.predict_proba(Z))
    with pytest.raises(InvalidArgument, match="labels without an order"):
        KernelOrdinal(QUICK).fit(X, NAMES)
    losses, _ = model.left_out_losses(NAMES)
    own = model.loo_proba_[np.arange(100), Y]
    np.testing.assert_allclose(losses, -np.log(own))


def test_one_latent_function_for_all_classes(model):
    first = model.members[0]
    assert first.component.constant.shape == (1,)
    assert "gp" in {member.candidate.machine for member in model.members}
    two = KernelOrdinal(QUICK).fit(X, Y > 0)
    np.testing.assert_array_equal(two.predict_proba(Z), KernelClassifier(QUICK).fit(X, Y > 0).predict_proba(Z))


def test_groups_leave_together():
    found = KernelOrdinal("fast").fit(X, Y, groups=np.arange(100) // 2)
    assert {member.candidate.machine for member in found.members} <= {"lssvm", "forest"}


def test_a_saved_model_and_its_export_say_the_same(model, tmp_path):
    model.model_.save(tmp_path / "m.kernelect")
    loaded = kernelect.load(tmp_path / "m.kernelect")
    np.testing.assert_array_equal(loaded.predict_proba(Z), model.predict_proba(Z))
    found = evaluate(program_of(model), Z)[-1]
    np.testing.assert_allclose(found, model.predict_proba(Z), atol=1e-9)


def test_explanations_speak_of_higher_classes(model):
    found = shapley_values(model, Z)
    assert found.explained == "log-odds of a higher class"
    upper = model.predict_proba(Z) @ np.arange(3)
    assert np.corrcoef(found.totals, upper)[0, 1] > 0.9
