"""What must not matter to an estimator: order, units, names, and the rows beside a row."""

import numpy as np
import pytest
from sklearn.base import is_regressor

from contracts.models import (
    answers,
    assert_same,
    every_estimator,
    fitted,
    over,
    queries,
    refitted,
    searched,
)
from contracts.parts import ESTIMATORS, is_classifier, sample, target_for
from speeds import slowly

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

#: Kernels with one width for all inputs, or none, see other units of one column as another problem.
ONE_WIDTH = ("rbf", "linear", "polynomial")
own_widths = over(
    name for name, estimator in ESTIMATORS.items() if estimator.get_params().get("kernel", "ard") not in ONE_WIDTH
)

#: Where the search stops between the peaks of the evidence depends on roundings, which other units change.
SEVERAL_PEAKS = ("RVR",)

#: Those that can work in several jobs, and one of each kind of job.
SEVERAL_JOBS = [name for name, estimator in ESTIMATORS.items() if "n_jobs" in estimator.get_params()]
IN_JOBS = ["LSSVC", "SVC, span", "GPR", "RVR, rbf", "KernelClassifier"]

#: The parts of their cross-validation are dealt out in the order of the labels.
DEALT_BY_LABEL = ("RVC", "RVC, three classes")


@every_estimator
def test_the_order_of_the_rows_does_not_matter(name):
    X, *_ = sample()
    order = np.random.default_rng(5).permutation(len(X))
    shuffled = refitted(name, X[order], target_for(name)[order])
    assert_same(answers(shuffled, queries()), answers(fitted(name), queries()), searched(name))


@own_widths
def test_the_units_of_a_column_do_not_matter(name):
    X, *_ = sample()
    units = np.array([1e3, 1e-3, 1.0])
    assert_same(
        answers(refitted(name, units * X, target_for(name)), units * queries()),
        answers(fitted(name), queries()),
        searched(name),
    )


@every_estimator
@pytest.mark.parametrize("unit", [1e3, *slowly(1e-3)])
def test_the_common_unit_of_all_columns_does_not_matter(name, unit):
    X, *_ = sample()
    scaled = refitted(name, unit * X, target_for(name))
    assert_same(answers(scaled, unit * queries()), answers(fitted(name), queries()), searched(name))


@every_estimator
def test_random_state_alone_decides(name):
    X, *_ = sample()
    expected = answers(fitted(name), queries())
    state = np.random.get_state()  # noqa: NPY002 - the old global state is what must not matter
    try:
        np.random.seed(12345)  # noqa: NPY002
        np.testing.assert_array_equal(answers(refitted(name, X, target_for(name)), queries()), expected)
    finally:
        np.random.set_state(state)  # noqa: NPY002


@pytest.mark.parametrize("name", [*IN_JOBS, *slowly(*(name for name in SEVERAL_JOBS if name not in IN_JOBS))])
def test_the_number_of_jobs_does_not_matter(name):
    X, *_ = sample()
    known = ESTIMATORS[name].get_params()
    few = {word: value for word, value in (("n_restarts", 1), ("max_iter", 3)) if word in known}
    one, two = (refitted(name, X, target_for(name), n_jobs=jobs, **few) for jobs in (1, 2))
    np.testing.assert_array_equal(answers(one, queries()), answers(two, queries()))


@every_estimator
def test_a_batch_may_be_split(name):
    model, Z = fitted(name), queries()
    whole = answers(model, Z)
    assert_same(np.vstack([answers(model, Z[:3]), answers(model, Z[3:])]), whole)
    assert_same(np.vstack([answers(model, row[None]) for row in Z]), whole)


@every_estimator
def test_where_a_column_begins_to_count_does_not_matter(name):
    X, *_ = sample()
    origin = np.array([2000.0, 0.0, -300.0])
    moved = refitted(name, X + origin, target_for(name))
    assert_same(answers(moved, queries() + origin), answers(fitted(name), queries()), searched(name))


@every_estimator
@pytest.mark.parametrize("wild", [1e12, -1e12, 1e5], ids=str)
def test_rows_beside_it_do_not_change_a_prediction(name, wild):
    model, Z = fitted(name), queries()
    more = answers(model, np.vstack([Z, np.full((2, 3), wild)]))
    assert np.isfinite(more).all()
    assert_same(more[: len(Z)], answers(model, Z))


@every_estimator
def test_the_order_of_the_columns_does_not_matter(name):
    X, *_ = sample()
    order = [2, 0, 1]
    shuffled = refitted(name, X[:, order], target_for(name))
    assert_same(answers(shuffled, queries()[:, order]), answers(fitted(name), queries()), searched(name))
    np.testing.assert_allclose(
        shuffled.feature_importances_, fitted(name).feature_importances_[order], atol=0.01, rtol=0.0
    )


@over(name for name in ESTIMATORS if is_regressor(ESTIMATORS[name]) and name not in SEVERAL_PEAKS)
def test_the_units_of_the_target_do_not_matter(name):
    X, *_ = sample()
    for unit, origin in ((1e3, 0.0), (1e-3, 0.0), (1.0, 50.0)):
        scaled = refitted(name, X, unit * target_for(name) + origin)
        found = answers(scaled, queries())
        found[:, :-1] -= origin  # of all but the standard deviation
        assert_same(found / unit, answers(fitted(name), queries()), 0.05)


@over(name for name in ESTIMATORS if is_classifier(name) and name not in DEALT_BY_LABEL)
def test_what_the_classes_are_called_does_not_matter(name):
    X, *_ = sample()
    y = target_for(name)
    names = {label: number for number, label in enumerate(sorted(set(y), reverse=True))}
    renamed = refitted(name, X, np.array([names[label] for label in y]))
    np.testing.assert_array_equal(
        renamed.predict(queries()), [names[label] for label in fitted(name).predict(queries())]
    )
    assert_same(renamed.predict_proba(queries())[:, ::-1], fitted(name).predict_proba(queries()), searched(name))
