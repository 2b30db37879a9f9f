"""A table's arrangement decides nothing: the order of rows, and for machines that choose vectors that of columns."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from kernelect import LSSVR, RVC, RVR, SVC, BasisSearchRegressor
from kernelect.criteria import RVMCrossValidation
from kernelect.exceptions import InvalidArgument
from kernelect.kernels import ARD, RBF
from kernelect.subsets import OLS
from speeds import slowly


def problem(seed):
    """Return a small table: numbers, binary inputs or levels; with outliers or repeated rows."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(20, 45)), int(rng.integers(2, 5))
    X = [rng.normal(size=(n, d)), rng.integers(0, 2, size=(n, d)), rng.integers(0, 4, size=(n, d))][seed % 3]
    X = X.astype(float)
    y = np.sin(2.0 * X[:, 0]) + 0.5 * X[:, -1] + 0.2 * rng.normal(size=n)
    if seed % 4 == 1:
        X, y = np.vstack([X, 1e4 * X[:2]]), np.append(y, rng.normal(size=2))
    if seed % 4 == 2:
        X, y = np.vstack([X, X[:3]]), np.append(y, y[:3] + 0.1)
    return X, y, rng


def fitted(estimator, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # its status says the same
        return estimator.fit(X, y)


@pytest.mark.parametrize("seed", [1, 2, 3, *slowly(0, *range(4, 20))])
def test_rvc_gives_the_same_labels_for_every_arrangement(seed):
    X, y, rng = problem(seed)
    labels = np.searchsorted(np.quantile(y, [0.3, 0.7] if seed % 5 == 0 else [0.5]), y)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    model = fitted(RVC(), X, labels)
    by_rows, by_columns = fitted(RVC(), X[rows], labels[rows]), fitted(RVC(), X[:, columns], labels)
    np.testing.assert_array_equal(by_rows.predict(X), model.predict(X))
    np.testing.assert_array_equal(by_columns.predict(X[:, columns]), model.predict(X))
    np.testing.assert_allclose(by_rows.predict_proba(X), model.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(by_columns.predict_proba(X[:, columns]), model.predict_proba(X), atol=1e-8)
    # Of equal rows it is the first given one that is named.
    np.testing.assert_array_equal(np.unique(X[rows][by_rows.support_], axis=0), np.unique(X[model.support_], axis=0))


@pytest.mark.parametrize(("seed", "unit"), [(1, 1e-60), *slowly((0, 1.0), (2, 1e60))])
@pytest.mark.parametrize(
    "estimator",
    [
        RVR(),
        RVR("rbf", criterion="cv"),
        BasisSearchRegressor(),
        BasisSearchRegressor("polynomial", strategy=OLS(), random_state=0),
    ],
    ids=["rvr", "rvr-cv", "basis", "ols"],
)
def test_regression_does_not_depend_on_the_order_of_rows(estimator, seed, unit):
    X, y, rng = problem(seed)
    rows = rng.permutation(len(X))
    first = fitted(estimator, X, unit * y).predict(X, return_std=True)
    second = fitted(estimator, X[rows], unit * y[rows]).predict(X, return_std=True)
    np.testing.assert_allclose(np.array(second) / unit, np.array(first) / unit, atol=1e-10)


@pytest.mark.parametrize("seed", [1, *slowly(0, 2)])
@pytest.mark.parametrize(
    "estimator",
    [RVR(), RVR("rbf", criterion="cv"), RVC(), RVC("linear", criterion="evidence"), RVR("matern32-ard")],
    ids=["rvr", "rvr-cv", "rvc", "rvc-linear", "rvr-matern"],
)
def test_the_order_of_columns_changes_no_bit_of_a_relevance_vector_machine(estimator, seed):
    """Sums over columns in another order decided between two sets of functions: predictions 11 times too far apart."""
    X, y, rng = problem(seed)
    X = np.column_stack([X, X[:, 0] ** 3])  # which has the ranks of its cube root
    y = y if isinstance(estimator, RVR) else y > np.median(y)
    columns = rng.permutation(X.shape[1])
    seen = ([], [])
    first, second = (
        fitted(clone(estimator).set_params(verbose=rows.append), Z, y)
        for rows, Z in zip(seen, (X, X[:, columns]), strict=True)
    )
    back = np.argsort(columns)
    assert second.selection_.value == first.selection_.value
    np.testing.assert_array_equal(second.support_, first.support_)
    np.testing.assert_array_equal(second.dual_coef_, first.dual_coef_)
    np.testing.assert_array_equal(second.relevance_vectors_[:, back], first.relevance_vectors_)
    np.testing.assert_array_equal(second.feature_importances_[back], first.feature_importances_)
    np.testing.assert_allclose(second.predict(X[:, columns]), first.predict(X), rtol=1e-9, atol=1e-9)
    assert second.selection_.names == first.selection_.names
    if len(first.selection_.names) == X.shape[1]:
        np.testing.assert_array_equal(second.selection_.theta[back], first.selection_.theta)
        np.testing.assert_array_equal(second.selection_.trace.theta[:, back], first.selection_.trace.theta)
        np.testing.assert_array_equal([row.theta[back] for row in seen[1]], [row.theta for row in seen[0]])
        np.testing.assert_array_equal(second.kernel_.theta[back], first.kernel_.theta)
    np.testing.assert_allclose(first.selection_.theta, first.kernel_.theta, rtol=1e-12)


@pytest.mark.parametrize(
    ("estimator", "seed"),
    [(RVR("ard"), 6), (RVC("rbf"), 9), *slowly((RVR("ard"), 3), (RVC("rbf"), 6), (RVR("rbf", criterion="cv"), 9))],
)
def test_signs_of_columns_change_no_bit_of_a_relevance_vector_machine(estimator, seed):
    """RVR's criterion was 18.27 of X and 22.00 of -X, RVC's probabilities differed by 0.45."""
    X, y, _ = problem(seed)
    y = y if isinstance(estimator, RVR) else y > 0.3
    model = fitted(clone(estimator), X, y)
    for signs in (-np.ones(X.shape[1]), np.where(np.arange(X.shape[1]) % 2, 1.0, -1.0)):
        turned = fitted(clone(estimator), signs * X, y)
        assert turned.selection_.value == model.selection_.value
        np.testing.assert_array_equal(turned.support_, model.support_)
        np.testing.assert_array_equal(turned.dual_coef_, model.dual_coef_)


def test_svc_does_not_depend_on_the_order_of_rows_where_the_criterion_has_kinks():
    """The span was 99.97 for one order and 129.66 for the other."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(120, 3))
    y, new = np.digitize(np.sin(X[:, 0]) + 0.5 * X[:, 1], [-0.5, 0.5]), rng.normal(size=(200, 3))
    rows = rng.permutation(120)
    first, second = (fitted(SVC("ard", criterion="span"), X[q], y[q]) for q in (slice(None), rows))
    assert second.selection_.value == first.selection_.value
    assert "a local minimum of a criterion with kinks" in first.selection_.status
    np.testing.assert_array_equal(np.sort(rows[second.support_]), first.support_)
    np.testing.assert_allclose(second.predict_proba(new), first.predict_proba(new), atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"criterion": "span"}], ids=["posterior", "support vectors"])
def test_vectors_of_svc_are_listed_in_the_order_of_the_rows(options, rng):
    X = rng.normal(size=(60, 2))
    y, weights = np.digitize(X[:, 0], [-0.5, 0.5]), np.where(np.arange(60) < 5, 0.0, 1.0)
    model = SVC(**options).fit(X, y, sample_weight=weights)
    assert np.all(np.diff(model.support_) > 0)
    assert model.support_.min() >= 5
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    values = model.kernel_.cross(X, model.support_vectors_) @ model.dual_coef_
    np.testing.assert_array_equal(np.argmax(values, axis=1) == model.predict(X), True)


@pytest.mark.parametrize("criterion", ["ep-evidence", "span"])
def test_rows_set_aside_for_early_stopping_do_not_follow_the_order_of_rows(criterion, rng):
    X = rng.normal(size=(80, 2))
    y, rows = X[:, 0] + 0.5 * rng.normal(size=80) > 0.2, rng.permutation(80)
    first, second = (
        fitted(SVC("rbf", criterion=criterion, early_stopping=True, random_state=0), X[q], y[q])
        for q in (slice(None), rows)
    )
    np.testing.assert_array_equal(second.selection_.validation_error, first.selection_.validation_error)
    renamed = fitted(clone(first), X, ~y)
    np.testing.assert_array_equal(renamed.selection_.validation_error, first.selection_.validation_error)
    np.testing.assert_allclose(second.predict_proba(X), first.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize(
    ("kernel", "criterion", "n_classes"), [("rbf", "cv", 2), *slowly(("rbf", "cv", 3), ("ard", "evidence", 3))]
)
def test_the_names_of_the_classes_decide_nothing(kernel, criterion, n_classes):
    """Folds followed the order of the classes: after labels 0 and 1 were swapped, probabilities differed by 0.79."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(120, 3))
    y = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.3 * rng.normal(size=120)
    labels = np.digitize(y, [-0.5, 0.5][: n_classes - 1])
    names = np.array([2, 0, 1]) if n_classes == 3 else np.array([1, 0])
    first = fitted(RVC(kernel, criterion=criterion), X, labels)
    second = fitted(RVC(kernel, criterion=criterion), X, names[labels])
    new = rng.normal(size=(200, 3))
    np.testing.assert_allclose(second.predict_proba(new)[:, names], first.predict_proba(new), atol=1e-7)


def test_widths_of_some_columns_stay_with_them(rng):
    X = rng.normal(size=(40, 4)) * [1.0, 10.0, 100.0, 1.0]
    y = np.sin(X[:, 0]) + 0.1 * X[:, 1] + 0.01 * rng.normal(size=40)
    columns = [3, 1, 0, 2]
    first = fitted(RVR(ARD().on([0, 1]) * ARD([0.01, 1e-6]).on([3, 2])), X, y)
    second = fitted(RVR(ARD().on([2, 1]) * ARD([0.01, 1e-6]).on([0, 3])), X[:, columns], y)
    assert first.selection_.names == ("gamma[0]", "gamma[1]", "gamma[3]", "gamma[2]")
    assert second.selection_.names == ("gamma[2]", "gamma[1]", "gamma[0]", "gamma[3]")
    assert first.kernel_.parts[0].columns == (0, 1)
    np.testing.assert_array_equal(second.selection_.theta, first.selection_.theta)
    np.testing.assert_allclose(second.predict(X[:, columns]), first.predict(X), rtol=1e-9)


def drawn(seed):
    """Return a generator, rows, real targets, how far and how many outliers are, and the name of a kernel."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(12, 61)), int(rng.integers(1, 4))
    X, size, count = rng.normal(size=(n, d)), 10.0 ** rng.integers(3, 9), int(rng.integers(1, 4))
    return rng, X, np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=n), size, count, str(rng.choice(["rbf", "ard"]))


@pytest.mark.parametrize(("kind", "seed"), [(RVC, 51), *slowly((RVC, 80), (RVC, 193), (RVC, 223), (RVR, 50))])
def test_one_to_three_rows_far_away_do_not_let_the_order_of_rows_decide(kind, seed):
    """Probabilities differed by 0.05, 0.21, 0.15 and 0.19, real predictions by 0.46 of their spread."""
    rng, X, y, size, count, kernel = drawn(seed)
    chosen = rng.choice(len(X), count, replace=False)
    if rng.random() < 0.5:
        X[chosen] = size * rng.normal(size=(count, X.shape[1]))
    else:
        X[chosen, 0] *= size
    rows, y = rng.permutation(len(X)), y > 0 if kind is RVC else y
    answer = "predict_proba" if kind is RVC else "predict"
    expected = getattr(fitted(kind(kernel, random_state=0), X, y), answer)(X)
    second = fitted(kind(kernel, random_state=0), X[rows], y[rows])
    np.testing.assert_allclose(getattr(second, answer)(X), expected, atol=1e-9)


@pytest.mark.parametrize("seed", [349, 359])
@pytest.mark.parametrize("unit", [1e-12, 1e-100, 1e-149])
def test_least_squares_on_tiny_targets_do_not_let_the_order_of_rows_decide(seed, unit):
    """Of 1e-160, whose squares are no numbers, predictions differed by 3 % of their spread: those are refused."""
    rng, X, y, _, _, kernel = drawn(seed)
    rng.random()
    model, rows = LSSVR(kernel, random_state=0), rng.permutation(len(X))
    expected = model.fit(X, unit * y).predict(X)
    np.testing.assert_allclose(model.fit(X[rows], unit * y[rows]).predict(X) / unit, expected / unit, atol=1e-5)
    with pytest.raises(InvalidArgument, match=r"y differs from its mean by .* rescale y"):
        model.fit(X, 1e-160 * y)


def test_a_precomputed_kernel_does_not_depend_on_the_order_of_rows(rng):
    X = rng.normal(size=(50, 2))
    labels, rows, gram = X[:, 0] + 0.3 * rng.normal(size=50) > 0, rng.permutation(50), RBF(0.3).gram(X)
    first = fitted(RVC("precomputed"), gram, labels)
    second = fitted(RVC("precomputed"), gram[np.ix_(rows, rows)], labels[rows])
    np.testing.assert_allclose(second.predict_proba(gram[:, rows]), first.predict_proba(gram), atol=1e-10)


def test_parts_that_are_given_stay_with_their_rows(rng):
    X = rng.normal(size=(40, 2))
    labels, parts, rows = X[:, 0] > 0.1 * rng.normal(size=40), np.arange(40) % 4, rng.permutation(40)
    first = fitted(RVC(RBF(0.3), criterion=RVMCrossValidation(parts=parts)), X, labels)
    second = fitted(RVC(RBF(0.3), criterion=RVMCrossValidation(parts=parts[rows])), X[rows], labels[rows])
    assert second.selection_.value == pytest.approx(first.selection_.value, rel=1e-12)
    other = fitted(RVC(RBF(0.3), criterion=RVMCrossValidation(parts=parts[rows])), X, labels)
    assert other.selection_.value != pytest.approx(first.selection_.value, rel=1e-6)


def test_vectors_are_listed_in_the_order_of_the_rows(rng):
    X = rng.normal(size=(60, 2))
    for options in ({}, {"kernel": "rbf", "centres": "movable", "criterion": "evidence"}):
        model = fitted(RVC(**options), X, np.hypot(*X.T) + 0.2 * rng.normal(size=60) > 1.0)
        assert np.all(np.diff(model.support_) > 0)
        if not options:
            np.testing.assert_array_equal(model.relevance_vectors_, X[model.support_])
        values = model.kernel_.cross(X, model.relevance_vectors_)
        sign = values @ model.dual_coef_ + model.intercept_ > 0
        np.testing.assert_array_equal(sign, model.predict(X))


@pytest.mark.parametrize("unit", [2.0**-450, *slowly(2.0**450)])
@pytest.mark.parametrize(
    ("estimator", "shift"),
    [
        *slowly((RVR(), "nats")),
        (RVR("rbf", criterion="evidence"), "nats"),
        (RVR("rbf", criterion="cv"), "nats per row"),
        (RVR("rbf", criterion="loo"), "squares"),
        (RVR(criterion="loo"), "nats"),  # its prior asks for nats
        (RVR("rbf", criterion="centre-evidence"), "nats"),
        (BasisSearchRegressor(), "nats of a model with intercept"),
        (BasisSearchRegressor("polynomial", criterion="mackay-evidence"), "nats of a model with intercept"),
    ],
    ids=str,
)
def test_the_unit_of_the_targets_decides_nothing(estimator, shift, unit, rng):
    """A power of two, so that not a bit of the targets is lost."""
    X = rng.normal(size=(40, 2))
    y = np.sin(2.0 * X[:, 0]) + 0.2 * rng.normal(size=40)
    first = fitted(clone(estimator), X, y)
    second = fitted(clone(estimator), X, unit * y)
    for one, other in zip(first.predict(X, return_std=True), second.predict(X, return_std=True), strict=True):
        np.testing.assert_allclose(other / unit, one, rtol=1e-12)
    expected = {
        "nats": first.selection_.value + 40 * np.log(unit),
        "nats per row": first.selection_.value + np.log(unit),
        "squares": first.selection_.value * unit**2,
        "nats of a model with intercept": first.selection_.value + 39 * np.log(unit),
    }[shift]
    assert second.selection_.value == pytest.approx(expected, rel=1e-12)


def three_classes(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(45, 3))
    return X, np.digitize(X[:, 0] + 0.7 * X[:, 1] ** 2 + 0.5 * rng.normal(size=45), [-0.2, 0.9])


@pytest.mark.parametrize(
    ("estimator", "seed"),
    [
        (SVC(criterion="span"), 7),
        (SVC("rbf", C=2.0), 0),
        *slowly(
            (SVC(criterion="span"), 6),
            (SVC(), 7),
            (SVC(2.0 * ARD([0.3, 0.2, 0.1]), criterion="gacv"), 1),
        ),
    ],
    ids=str,
)
def test_columns_signs_and_names_of_classes_change_no_bit_of_a_support_vector_machine(estimator, seed):
    """The span has many minima: probabilities differed by 0.49 between two orders of three columns."""
    X, y = three_classes(seed)
    columns, names = np.array([2, 0, 1]), np.array([1, 2, 0])
    kernel = estimator.kernel if isinstance(estimator.kernel, str) else estimator.kernel.reordered(columns)
    model = fitted(clone(estimator), X, y)
    turned = fitted(clone(estimator).set_params(kernel=kernel), -X[:, columns], names[y])
    assert turned.selection_.value == model.selection_.value
    np.testing.assert_array_equal(turned.support_, model.support_)
    np.testing.assert_array_equal(turned.support_vectors_, -model.support_vectors_[:, columns])
    np.testing.assert_array_equal(turned.dual_coef_[:, names], model.dual_coef_)
    np.testing.assert_array_equal(turned.feature_importances_, model.feature_importances_[columns])
    np.testing.assert_allclose(turned.predict_proba(-X[:, columns])[:, names], model.predict_proba(X), atol=1e-9)
    assert turned.selection_.names == model.selection_.names
    np.testing.assert_allclose(np.sort(turned.selection_.theta), np.sort(model.selection_.theta), rtol=1e-14)
