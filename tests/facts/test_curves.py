from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve, roc_auc_score, roc_curve

from kernelect import GPC, LSSVC, LSSVR, KernelRegressor
from kernelect.datasets import sparse_inputs
from kernelect.exceptions import MissingCapability
from kernelect.facts.curves import Recalls, ResidualTrend, Thresholds
from kernelect.facts.held_out import HeldOutRelevance
from kernelect.facts.learning import LearningCurve
from kernelect.kernels import RBF


@pytest.fixture
def scored(rng):
    truth = rng.random(150) < 0.3
    return truth, np.round(np.clip(0.3 * truth + 0.5 * rng.random(150), 0.0, 1.0), 2)  # with ties


def test_curves_are_those_of_scikit_learn(scored):
    truth, probability = scored
    cuts = Thresholds.of(truth, probability)
    false, found, _ = roc_curve(truth, probability, drop_intermediate=False)
    np.testing.assert_allclose(cuts.roc("yes").x, false)
    np.testing.assert_allclose(cuts.roc("yes").y, found)
    assert np.trapezoid(cuts.roc("yes").y, cuts.roc("yes").x) == pytest.approx(roc_auc_score(truth, probability))
    precision, recall, _ = precision_recall_curve(truth, probability)
    np.testing.assert_allclose(cuts.precision_recall("yes").x[1:], recall[::-1][1:])
    np.testing.assert_allclose(cuts.precision_recall("yes").y[1:], precision[::-1][1:])


def test_the_point_is_the_threshold_of_one_half(scored):
    truth, probability = scored
    cuts = Thresholds.of(truth, probability)
    flagged = probability >= 0.5
    at = [np.mean(flagged[~truth]), np.mean(flagged[truth])]
    np.testing.assert_allclose(cuts.roc("yes").at, at)
    np.testing.assert_allclose(cuts.precision_recall("yes").at, [at[1], np.mean(truth[flagged])])
    tenth = np.argsort(-probability, kind="stable")[:15]
    assert cuts.found_in_first(1.0) == 1.0
    assert cuts.found_in_first(0.1) == pytest.approx(truth[tenth].sum() / truth.sum(), abs=0.05)


def test_recall_and_precision_of_classes():
    record = Recalls.of(("a", "b", "c"), np.array([[8.0, 2.0, 0.0], [1.0, 3.0, 0.0], [5.0, 0.0, 0.0]]))
    np.testing.assert_allclose(record.found, [0.8, 0.75, 0.0])
    np.testing.assert_allclose(record.right, [8 / 14, 3 / 5, np.nan])
    assert (record.found_error > 0.05).all()  # also where none are found


def test_residuals_are_grouped_along_predictions(rng):
    predicted = rng.uniform(1.0, 10.0, 400)
    record = ResidualTrend.of(predicted * (1.0 + 0.1 * rng.normal(size=400)), predicted)
    assert len(record.at) == 8
    assert (np.diff(record.at) > 0).all()
    assert record.upper[-1] > 3.0 * record.upper[0]  # the spread grows
    assert len(ResidualTrend.of(predicted, predicted, most=50).residual) == 50


@pytest.mark.parametrize("labels", [True, False])
def test_a_learning_curve_against_refits(labels):
    X, y = sparse_inputs(60, n_features=2, random_state=1)
    kernel, y = RBF(0.5), y if labels else X[:, 0] ** 2
    machine = (LSSVC if labels else LSSVR)(kernel, regularization=0.3).fit(X, y)
    curve = LearningCurve.from_estimator(machine)
    assert curve.rows.tolist() == [30.0, 60.0]
    if labels:
        return
    order = np.random.default_rng(0).permutation(60)
    losses = []
    for shift in (0, 15):
        turned = np.roll(order, -shift)
        for part in (turned[:30], turned[30:]):
            for i in part:
                rest = part[part != i]
                said = LSSVR(kernel, regularization=0.3).fit(X[rest], y[rest]).predict(X[[i]])[0]
                losses.append((y[i] - said) ** 2 / y.var())
    assert curve.loss[0] == pytest.approx(np.mean(losses), rel=1e-8)
    residuals = y - machine.loo_prediction_
    assert curve.loss[1] == pytest.approx(np.mean(residuals**2) / y.var())
    assert curve.gain == pytest.approx(curve.loss[0] - curve.loss[1])


def test_a_learning_curve_of_groups_leaves_whole_groups_out(rng):
    """Ten rows of each subject have one level: who leaves out single rows sees it in the others."""
    groups = np.repeat(np.arange(12), 10)
    X = np.column_stack([groups + rng.normal(0, 0.1, 120), rng.normal(size=120)])
    y = rng.normal(size=12)[groups] + rng.normal(0, 0.2, 120)
    kernel = RBF(0.5)
    alone, together = (LSSVR(kernel, regularization=0.1).fit(X, y, groups=given) for given in (None, groups))
    curve = LearningCurve.from_estimator(together)
    assert curve.rows.tolist() == [30.0, 60.0, 120.0]
    assert curve.loss[-1] == pytest.approx(np.mean((y - together.loo_prediction_) ** 2) / y.var())
    single = LearningCurve.from_estimator(alone)
    assert single.loss[-1] < 0.2 < 0.9 < curve.loss[-1]
    assert curve.standard_error[-1] > 2.0 * single.standard_error[-1]  # twelve subjects, not 120 rows


def test_what_more_rows_bring_is_said():
    rows = np.array([1000.0, 2000.0])
    record = {"rows": rows, "loss": np.ones(2), "standard_error": np.ones(2), "score": "log-loss"}
    words = [LearningCurve(**record, gain=gain, gain_error=0.1).in_words() for gain in (0.21, 0.19, -0.19, -0.21)]
    change = "from 1\u202f000 rows to 2\u202f000, the log-loss of rows left out"
    assert words == [
        f"More rows would still help: {change} fell by 0.21 ± 0.10.",
        f"More rows of the same kind would help little: {change} fell by 0.19 ± 0.10, which is within chance.",
        f"More rows of the same kind would help little: {change} rose by 0.19 ± 0.10, which is within chance.",
        f"More rows of the same kind would help little: {change} rose by 0.21 ± 0.10.",
    ]


def test_the_learning_curve_of_a_mixture_goes_no_further_than_its_machines_may(rng):
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=60)
    door = KernelRegressor("fast", random_state=0, target="identity").fit(X, y)
    door.model_ = replace(door.model_, head=replace(door.model_.head, limits=np.array([[-0.5], [0.5]])))
    heaviest = next(m.component for m in door.by_weight() if m.candidate.machine == "lssvm")
    said = np.clip(heaviest.left_out[:, 0], -0.5, 0.5)
    curve = LearningCurve.from_estimator(door)
    assert curve.loss[-1] == pytest.approx(np.mean((y - said) ** 2) / y.var(), rel=1e-6)


def test_a_learning_curve_needs_closed_forms_and_rows():
    X, y = sparse_inputs(40, n_features=2, random_state=0)
    with pytest.raises(MissingCapability, match="GPC has no learning curve in closed form: use LSSVC"):
        LearningCurve.from_estimator(GPC(RBF(0.5)).fit(X, y))
    few = LSSVC(RBF(0.5), regularization=0.1).fit(X[:30], y[:30])
    with pytest.raises(MissingCapability, match="30 rows are too few for a learning curve"):
        LearningCurve.from_estimator(few)


def test_rises_of_folds_are_pooled_and_units_count_once(rng):
    rise = np.vstack([rng.normal(0.2, 0.1, 40), rng.normal(0.5, 0.1, 40), np.full(40, np.nan)])
    folds, places = [rise[:, :20], rise[:, 20:]], [np.arange(20), np.arange(20, 40)]
    record = HeldOutRelevance.of(["a", "b", "c"], folds, places, "log-loss")
    assert record.names == ("b", "a")  # c was not tried
    np.testing.assert_allclose(record.rise, [rise[1].mean(), rise[0].mean()])
    np.testing.assert_allclose(record.standard_error, rise[[1, 0]].std(axis=1, ddof=1) / np.sqrt(40))
    still = HeldOutRelevance.of(["a"], [np.array([[1e-13, 2e-13, 1e-13]])], [np.arange(3)], "R²").describe()[0]
    assert (still["rise"], still["words"]) == (0.0, "0")
    twins = HeldOutRelevance.of(["a"], [np.repeat(rise[:1, :20], 2, axis=1)], [np.repeat(np.arange(20), 2)], "R²")
    np.testing.assert_allclose(twins.standard_error, rise[:1, :20].std(axis=1, ddof=1) / np.sqrt(20))
    assert record.clear() == 2
    assert record.shown(1).names == ("b",)
