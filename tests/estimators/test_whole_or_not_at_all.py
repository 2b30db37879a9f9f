"""``fit`` changes an estimator at its end or not at all."""

import numpy as np
import pytest
from sklearn.base import is_classifier

from instances import wavy
from kernelect import GPC, LSSVC, LSSVR, RVC, RVR, SVC, BasisSearchRegressor

X, REAL, LABELS = wavy(40)

ESTIMATORS = [
    LSSVC("rbf"),
    LSSVR("rbf"),
    SVC("rbf", criterion="span"),
    SVC("rbf", max_iter=3),
    GPC("rbf", max_iter=3),
    RVC("rbf"),
    RVR("rbf"),
    BasisSearchRegressor(),
]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def targets(estimator, names=("a", "b")):
    return np.where(LABELS > 0, *names) if is_classifier(estimator) else REAL


def fingerprint(model):
    return {name: id(value) for name, value in vars(model).items()}


@pytest.fixture(params=ESTIMATORS, ids=lambda e: f"{type(e).__name__}-{getattr(e, 'criterion', '')}")
def model(request):
    return request.param.fit(X, targets(request.param))


def test_a_refused_refit_leaves_everything_as_it_was(model):
    before, answers = fingerprint(model), model.predict(X)
    wide = np.column_stack([X, X])
    y = targets(model, ("c", "d"))
    weights = np.zeros(40)
    weights[0] = 1.0
    for rows, labels, options in ((wide, y[:30], {}), (wide * np.nan, y, {}), (wide, y, {"sample_weight": weights})):
        with pytest.raises(ValueError, match="inconsistent|NaN|sample_weight leaves"):
            model.fit(rows, labels, **options)
    model.set_params(criterion="nonsense")
    with pytest.raises(ValueError, match="criterion='nonsense' is not known"):
        model.fit(wide, y)
    model.set_params(criterion=type(model)().criterion if "span" not in str(model) else "span")
    np.testing.assert_array_equal(model.predict(X), answers)
    assert {k: v for k, v in fingerprint(model).items() if k != "criterion"} == {
        k: v for k, v in before.items() if k != "criterion"
    }
    assert model.n_features_in_ == 2


def test_an_interrupted_refit_leaves_everything_as_it_was(model):
    answers = model.predict(X)

    def interrupt(_):
        raise KeyboardInterrupt

    model.set_params(verbose=interrupt)
    before = fingerprint(model)
    with pytest.raises(KeyboardInterrupt):
        model.fit(np.column_stack([X, X]), targets(model, ("c", "d")))
    model.set_params(verbose=0)
    np.testing.assert_array_equal(model.predict(X), answers)
    assert {**fingerprint(model), "verbose": 0} == {**before, "verbose": 0}


def test_an_interrupted_first_fit_leaves_an_unfitted_estimator():
    def interrupt(_):
        raise KeyboardInterrupt

    fresh = LSSVC("rbf", verbose=interrupt)
    with pytest.raises(KeyboardInterrupt):
        fresh.fit(X, targets(fresh))
    assert vars(fresh) == vars(LSSVC("rbf", verbose=interrupt))


def test_a_refit_forgets_what_no_longer_holds(rng):
    model = LSSVR("rbf").fit(X, REAL)
    model.note = "attached by a user"
    gram = model.kernel_.gram(X)
    model.set_params(kernel="precomputed").fit(0.5 * (gram + gram.T), REAL)
    assert not hasattr(model, "X_fit_")
    assert not hasattr(model, "feature_importances_")
    assert model.note == "attached by a user"
    assert model.model_.jackknife.gram is not None
    model.set_params(kernel="rbf").fit(X, REAL)
    assert model.model_.jackknife.gram is None


def test_a_table_that_changes_later_does_not_change_the_model():
    rows = X.copy()
    model = LSSVC("rbf").fit(rows, LABELS)
    answers = model.decision_function(X)
    rows[:] = 0.0
    np.testing.assert_array_equal(model.decision_function(X), answers)
