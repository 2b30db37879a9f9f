"""A fit changes the estimator at its end, or not at all."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from contracts.models import answers, every_estimator, fitted, queries
from contracts.parts import ESTIMATORS, is_classifier, sample, target_for

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


class Interrupted(KeyboardInterrupt):
    pass


def interrupting(after):
    """Return an observer that stops the fit at an evaluation, as Ctrl-C would."""
    seen = []

    def observe(row):
        seen.append(row)
        if len(seen) >= after:
            raise Interrupted

    return observe


def other_target(name):
    y = target_for(name)
    return np.array([f"other {label}" for label in y]) if is_classifier(name) else 100.0 + 10.0 * y


def refusals(name):
    """Return fits that must be refused: what they are given instead."""
    X, *_ = sample()
    y, wider = other_target(name), np.hstack([X, X[:, :1]])
    spoilt = wider.copy()
    spoilt[4, 2] = np.inf
    constant = np.full(len(y), y[0]) if is_classifier(name) else np.full(len(y), np.nan)
    found = {
        "infinity in X": lambda model: model.fit(spoilt, y),
        "lengths that differ": lambda model: model.fit(wider, y[:-1]),
        "a target of one class or NaN": lambda model: model.fit(wider, constant),
        "a negative weight": lambda model: model.fit(wider, y, sample_weight=np.linspace(-1.0, 1.0, len(y))),
        "weights for one row": lambda model: model.fit(wider, y, sample_weight=np.eye(len(y))[0]),
        "a wrong word": lambda model: model.set_params(**{next(iter(model.get_params())): "no such"}).fit(wider, y),
        "a wrong time limit": lambda model: model.set_params(time_limit=-1.0).fit(wider, y),
    }
    if get_tags(ESTIMATORS[name]).input_tags.allow_nan:  # what takes tables with missing cells asks less of X
        del found["infinity in X"]
    return found


def facts_of(model):
    """Return what was fitted, by name."""
    given = model.get_params()
    return {key: value for key, value in vars(model).items() if key not in given}


def assert_untouched(model, before, expected):
    after = facts_of(model)
    assert set(after) == set(before)
    changed = [key for key in before if after[key] is not before[key]]
    assert not changed, f"a fit that failed changed {', '.join(changed)}"
    if expected is not None:
        np.testing.assert_array_equal(answers(model, queries()), expected)


@every_estimator
def test_a_refused_fit_leaves_the_model_as_it_was(name):
    expected = answers(fitted(name), queries())
    for refuse in refusals(name).values():
        model = pickle.loads(pickle.dumps(fitted(name)))
        before = facts_of(model)
        with pytest.raises(ValueError):  # noqa: PT011 - which sentence it is belongs to other tests
            refuse(model)
        assert_untouched(model, before, expected)


@every_estimator
def test_a_refused_first_fit_leaves_no_model(name):
    for refuse in refusals(name).values():
        model = clone(ESTIMATORS[name])
        with pytest.raises(ValueError):  # noqa: PT011
            refuse(model)
        assert facts_of(model) == {}
        with pytest.raises(NotFittedError):
            check_is_fitted(model)


@every_estimator
@pytest.mark.parametrize("after", [1, 3])
def test_an_interrupted_fit_leaves_the_model_as_it_was(name, after):
    X, *_ = sample()
    model = pickle.loads(pickle.dumps(fitted(name)))
    before, expected = facts_of(model), answers(model, queries())
    model.set_params(verbose=interrupting(after))
    with pytest.raises(KeyboardInterrupt):
        model.fit(np.hstack([X, X[:, :1]]), other_target(name))
    assert_untouched(model, before, expected)
