"""A second fit, or a second way to ask, that must not matter."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from fuzz.arrays import FitCase
from fuzz.elsewhere import require_explained, require_exported, require_near, require_same_on_dask
from fuzz.estimators import DOORS, REGRESSORS, answers, fit, made, takes_groups
from fuzz.harness import Broken
from kernelect.exceptions import KernelectError
from kernelect.numerics import copied_rows

TWINS = (
    *("none", "rows", "columns", "units", "origin", "batch", "pickle", "twice"),
    *("explained", "exported", "dask"),
    *("signs", "far", "copies", "bootstrap", "grouped"),
)

#: Where columns of the twin "far" begin, in units of which their cells are whole: exact doubles, and their squares not.
FAR = 2.0**46

#: Fewer rows than these have several answers of the same worth. So have fewer per landmark: the machine on m landmarks
#: has m + 1 coefficients, and leave-one-out of n rows judges them by n - m - 1 degrees of freedom. With 3 rows a
#: landmark, two thirds of the rows are left to judge. With fewer, leverages come near 1, errors are divided by what
#: rounding left of 1 - h, and the search takes whichever it meets first of several machines that pass through all rows.
FEW, FEW_PER_LANDMARK = 6, 3

#: Machines that take functions or support vectors in and out one by one: their criterion leaps from one set to another,
#: and where two sets are worth the same up to rounding, the last bit of an input decides between two models.
LEAPING = ("RVR", "RVC", "BasisSearchRegressor")
LEAPING_CRITERIA = ("span", "gacv", "radius-margin", "loo")

#: Those that fit columns in an order and with signs of the data's own: other places and signs change no bit of them.
COLUMNS_IN_ORDER = ("RVR", "RVC", "SVC")

#: Fits to inputs that were moved by one unit in the last place, by which such a case is known.
NUDGES = 8

#: Their widths belong to one input each, whatever their first argument is.
PER_INPUT = ("BasisSearchRegressor", *DOORS)

#: How far two fits of the same problem may be apart, in probability or in units of the target's spread.
NEAR = 0.02


def require_same_twin(case: FitCase, model: Any, X: Any, y: Any, weights: Any, Z: Any) -> str:
    """Fit or ask a second time in a way that must not matter.

    Returns "model", or "undecided" where the two are apart and rounding alone moves the model as far.
    """
    if case.twin == "batch":
        require_same_batch(model, Z, unit_of(case, y))
    elif case.twin == "pickle":
        require_same_pickled(model, Z)
    elif case.twin == "twice":
        require_same_again(model, fit(made(case), X, y, weights), Z)
    elif case.twin == "explained":
        require_explained(model, Z, X, unit_of(case, y))
    elif case.twin == "exported":
        require_exported(model, Z, unit_of(case, y))
    elif case.twin == "dask" and "landmarks" in dict(case.arguments):
        require_same_on_dask(case, model, (X, y, weights), Z, NEAR * unit_of(case, y))
    elif case.twin == "far" and _is_decided(case):
        return _require_same_far(case, X, y, weights)
    elif case.twin == "grouped" and _is_decided(case) and takes_groups(model):
        return _require_same_grouped(case, X, y, weights)
    elif case.twin in ("rows", "columns", "units", "origin", "signs", "copies", "bootstrap") and _is_decided(case):
        return _require_same_fit(case, X, y, weights, Z, answers(model, Z))
    return "model"


def _may_be_chance(X: Any, y: Any, rows: Any) -> bool:
    """Tell whether rows that are drawn twice may be taken for something else than copies.

    If other rows have the same inputs, they may be one more of them. If all columns have equal cells, chance may make
    equal rows.
    """
    drawn = np.unique(rows)
    if len(np.unique(X[drawn], axis=0)) < len(drawn):
        return True
    if any(len(np.unique(column)) == len(drawn) for column in X[drawn].T):
        return False
    targets = np.unique(y, return_inverse=True)[1].reshape(-1, 1).astype(float)
    return len(np.unique(copied_rows(X[rows], targets[rows]))) > len(drawn)


def _is_decided(case: FitCase) -> bool:
    """Tell whether there are rows enough to decide between models."""
    return case.rows >= max(FEW, FEW_PER_LANDMARK * dict(case.arguments).get("landmarks", 0))


def require_same_batch(model: Any, Z: Any, unit: Any = 1.0) -> None:
    """Split the rows, and add one that is far away."""
    expected = answers(model, Z)
    require_near(answers(model, Z[:3]), expected[:3], 1e-6 * unit, "a batch may be split")
    wild = np.vstack([Z, np.full((1, Z.shape[1]), 1e12)])
    require_near(answers(model, wild)[:-1], expected, 1e-6 * unit, "a wild row beside changes nothing")


def require_same_pickled(model: Any, Z: Any) -> None:
    if not np.array_equal(answers(pickle.loads(pickle.dumps(model)), Z), answers(model, Z)):
        raise Broken("a pickled model is the same", "it answers otherwise")


def require_same_again(model: Any, second: Any, Z: Any) -> None:
    if not np.array_equal(answers(second, Z), answers(model, Z)):
        raise Broken("random_state alone decides", "a second fit answers otherwise")


def _require_same_fit(case: FitCase, X: Any, y: Any, weights: Any, Z: Any, expected: Any) -> str:
    if case.twin in ("units", "origin", "signs") and _by_its_numbers(case, X):
        return "model"
    generator = np.random.default_rng(case.seed + 2)
    rows, columns = np.arange(len(X)), np.arange(X.shape[1])
    units, origin = np.ones(X.shape[1]), np.zeros(X.shape[1])
    if case.twin == "rows":
        rows = generator.permutation(rows)
    if case.twin == "columns":
        columns = generator.permutation(columns)
    if case.twin == "units":
        per_input = case.estimator in PER_INPUT or case.kernel == "ard" or case.kernel.endswith("-ard")
        per_input = per_input or case.kernel.startswith("product-")
        units = 10.0 ** generator.integers(-3, 4, size=len(units) if per_input else 1)
    if case.twin == "origin":
        # By the spread of most rows: what an outlier moves them by, they do not survive.
        spread = np.quantile(X, 0.75, axis=0) / 2.0 - np.quantile(X, 0.25, axis=0) / 2.0
        origin = generator.choice([1.0, 100.0]) * np.round(generator.normal(size=len(origin)), 1) * spread
    if case.twin == "signs":
        units = generator.choice([-1.0, 1.0], size=len(units))
    if case.twin in ("copies", "bootstrap"):  # as often as a row is there, so large is its weight
        if weights is not None and np.ptp(weights) > 1e6 * np.median(weights):
            return "model"
        if case.twin == "bootstrap" and dict(case.arguments).get("class_weight") == "balanced":
            return (
                "model"  # balanced weights count the rows that are given, as scikit-learn does, and not their weights
            )
        again = case.twin == "copies"
        rows = np.concatenate([rows, rows]) if again else np.sort(generator.integers(len(rows), size=len(rows)))
        drawn, times = np.unique(rows, return_counts=True)
        if len(drawn) < FEW:
            return "model"
        if _may_be_chance(X, y, rows):
            return "undecided"
        try:
            times = times * (1.0 if weights is None else weights[drawn])
            expected = answers(fit(made(case), X[drawn], y[drawn], times), Z)
        except (KernelectError, ValueError):  # a sample may lack a class
            return "model"
    with np.errstate(all="ignore"):
        twin = X[rows][:, columns] * units + origin[columns]
        query = Z[:, columns] * units + origin[columns]
    if not np.isfinite(twin).all() or not np.isfinite(query).all():
        return "model"
    law = f"{case.twin} do not matter"
    try:
        second = fit(made(case), twin, y[rows], None if weights is None else weights[rows])
    except Exception as error:
        raise Broken(law, f"the twin is refused: {type(error).__name__} {error}"[:200]) from error
    try:
        require_near(answers(second, query), expected, NEAR * unit_of(case, y), law)
    except Broken:
        if not _leaps(case) or not _moved_by_rounding(case, (X, y, weights), Z, expected):
            raise
        return "undecided"
    return "model"


def _require_same_far(case: FitCase, X: Any, y: Any, weights: Any) -> str:
    """Fit whole numbers of a unit, and the same ones far from 0: all differences are exact."""
    with np.errstate(all="ignore"):
        unit = np.quantile(X, 0.75, axis=0) / 64.0 - np.quantile(X, 0.25, axis=0) / 64.0
        near = np.round(X / np.where(unit > 0.0, unit, 1.0)) + 0.5  # whole numbers may be codes
    if not (np.abs(near) < 0.01 * FAR).all():
        return "model"
    Z = np.vstack([near[:6], near[:6] + 1.0])
    try:
        first = answers(fit(made(case), near, y, weights), Z)
    except KernelectError:  # rounded columns may be constant
        return "model"
    second = answers(fit(made(case), near + FAR, y, weights), Z + FAR)
    require_near(second, first, NEAR * unit_of(case, y), "a large offset does not matter")
    return "model"


def _require_same_grouped(case: FitCase, X: Any, y: Any, weights: Any) -> str:
    """Fit rows in groups of three, and once more in another order, with other names of groups.

    To the doors only ratios of weights count, so theirs are in another unit, too.
    """
    groups = np.arange(len(X)) // 3
    order = np.random.default_rng(case.seed + 3).permutation(len(X))
    unit = 7.0 if case.estimator in DOORS else 1.0
    try:
        first = answers(fit(made(case), X, y, weights, groups), X[:6])
    except KernelectError:  # a criterion may not leave out groups, and copies in all of them leave one group
        return "model"
    moved = None if weights is None else unit * weights[order]
    second = answers(fit(made(case), X[order], y[order], moved, 7 * groups[order] % 1009), X[:6])
    require_near(second, first, NEAR * unit_of(case, y), "order and names of groups do not matter")
    return "model"


def _leaps(case: FitCase) -> bool:
    """Tell whether the criterion is one of sets, and leaps from one to the next."""
    if case.twin in ("columns", "signs") and case.estimator in COLUMNS_IN_ORDER:
        return False
    return case.estimator in LEAPING or dict(case.arguments).get("criterion") in LEAPING_CRITERIA


def _moved_by_rounding(case: FitCase, data: tuple[Any, Any, Any], Z: Any, expected: Any) -> bool:
    """Tell whether inputs moved by one unit in the last place give answers as far apart as no twin may be.

    Every twin moves inputs, or the sums over them, by at least as much. So the law is measured at this very case and
    not relaxed: where such fits agree with each other and the twin does not, the case is broken.
    """
    X, y, weights = data
    for number in range(NUDGES):
        ways = np.random.default_rng(number).choice([-np.inf, np.inf], size=X.shape)
        try:
            nudged = fit(made(case), np.nextafter(X, ways), y, weights)
            require_near(answers(nudged, Z), expected, NEAR * unit_of(case, y), "nudged")
        except Broken:
            return True
    return False


def _by_its_numbers(case: FitCase, X: Any) -> bool:
    """Tell whether other units are another table.

    To the doors, whole numbers may be codes, and the largest count as missing. The Gaussian prior adds up the squares
    of widths as they are (Cawley & Talbot 2007, eq. 15), so it asks for inputs in comparable units.
    """
    if case.estimator in DOORS:
        return bool((np.round(X) == X).all(axis=0).any() or np.abs(X).max() > 1e80)
    return dict(case.arguments).get("prior") == "gaussian" and case.twin == "units"


def unit_of(case: FitCase, y: Any) -> float:
    """Return the unit in which answers are compared: probabilities have none, nor do targets that are all 0."""
    if case.estimator not in REGRESSORS or not np.any(y):
        return 1.0
    with np.errstate(all="ignore"):
        return max(float(np.std(y)), 1e-6 * float(np.abs(y).max()), 1e-290)
