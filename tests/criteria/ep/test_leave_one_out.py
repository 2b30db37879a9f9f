"""Leave-one-out from cavities against posteriors without the row's site, and its gradient against differences."""

import numpy as np
import pytest
from scipy.stats import norm

from instances import wavy
from kernelect import GPC, SVC
from kernelect.criteria import EPEvidence, EPLeaveOneOut
from kernelect.exceptions import InvalidArgument
from kernelect.kernels import ARD, Constant
from kernelect.machines import EP, Hinge, Probit, SquaredHinge
from oracles.solutions import solved

LIKELIHOODS = [Probit(), Hinge(), SquaredHinge()]
named = pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=lambda part: part.name)
KERNEL = 1.5 * ARD(gamma=[0.4, 0.9]) + Constant(0.2)


def rows(n=14):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 2))
    return X, np.where(X[:, 0] + 0.7 * rng.normal(size=n) > 0, 1.0, -1.0)


def fitted(likelihood, gram, y, constant=1.3, weights=None):
    return solved(EP(likelihood, tol=1e-12), gram, y[:, None], constant, weights)


def losses_by_definition(likelihood, gram, column, y, constant):
    """Return -ln p(y_i) of the Gaussian posterior of all sites but those of row i, by its covariance matrix."""
    found = []
    for i in range(len(y)):
        tau, nu = column.copies * column.sites.tau, column.copies * column.sites.nu
        tau[i], nu[i] = 0.0, 0.0
        covariance = np.linalg.inv(np.linalg.inv(gram) + np.diag(tau))
        mean, variance = (covariance @ nu)[i], covariance[i, i]
        f = np.linspace(mean - 12 * np.sqrt(variance), mean + 12 * np.sqrt(variance), 40001)
        density = norm.pdf(f, mean, np.sqrt(variance))
        plus, minus = (np.trapezoid(density * np.exp(likelihood.log_value(s * f, constant)), f) for s in (1, -1))
        found.append(-np.log((plus if y[i] > 0 else minus) / (plus + minus)))
    return np.array(found)


@named
def test_value_is_that_of_posteriors_without_a_row(likelihood):
    X, y = rows()
    gram, weights = KERNEL.gram(X) + 1e-6 * np.eye(len(X)), np.where(np.arange(len(X)) == 2, 2.0, 1.0)
    found = fitted(likelihood, gram, y, weights=weights)
    slow = losses_by_definition(likelihood, gram, found.state.columns[0], y, 1.3)
    value = EPLeaveOneOut().value(found)
    np.testing.assert_allclose(-value.pointwise[:, 0], slow, rtol=1e-5, atol=1e-7)
    assert value.value == pytest.approx(np.average(slow, weights=weights), rel=1e-6)


@named
@pytest.mark.parametrize("weighted", [False, True])
def test_gradient_against_differences(likelihood, weighted):
    X, y = rows()
    weights = np.linspace(0.5, 2.0, len(X)) if weighted else None
    theta = KERNEL.theta

    def value(theta, constant=1.3):
        return EPLeaveOneOut().value(fitted(likelihood, KERNEL.with_theta(theta).gram(X), y, constant, weights)).value

    found = EPLeaveOneOut().value_and_gradient(fitted(likelihood, KERNEL.gram(X), y, weights=weights))
    steps = 1e-4 * np.eye(len(theta))
    slow = [(value(theta + step) - value(theta - step)) / 2e-4 for step in steps]
    np.testing.assert_allclose(KERNEL.pullback(X, found.grad_gram), slow, rtol=2e-5, atol=1e-8)
    by_constant = (value(theta, 1.3 + 1e-4) - value(theta, 1.3 - 1e-4)) / 2e-4
    assert found.grad_regularization == pytest.approx(by_constant, rel=2e-5, abs=1e-8)


def test_gpc_selects_by_it():
    X, _, y = wavy(80)
    by_evidence, left_out = (GPC(kernel="rbf", criterion=name, prior=None).fit(X, y) for name in ("ep-evidence", "loo"))
    place = np.searchsorted(left_out.classes_, y)
    losses = [-np.log(model.loo_proba_[np.arange(80), place]).mean() for model in (by_evidence, left_out)]
    assert losses[1] <= losses[0] + 1e-6
    assert left_out.selection_.value == pytest.approx(losses[1], rel=1e-6)
    own = record(left_out, X, y)
    assert left_out.log_marginal_likelihood_value_ == pytest.approx(own, rel=1e-6)


def record(model, X, y):
    """Return the log evidence of a fitted model, anew."""
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    found = solved(EP(Probit(), tol=1e-9), model.kernel_.gram(X), signs[:, None], 1.0)
    return -len(X) * EPEvidence().value(found).value


@pytest.mark.parametrize("classes", [2, 3])
def test_early_stopping_takes_the_fewest_errors_of_rows_left_out(classes):
    X, f, _ = wavy(90)
    y = np.digitize(f, np.quantile(f, np.arange(1, classes) / classes))
    model = GPC(early_stopping=True).fit(X, y)
    errors = model.selection_.validation_error
    wrong = np.mean(model.classes_[model.loo_proba_.argmax(axis=1)] != y)
    assert wrong == pytest.approx(np.nanmin(errors), abs=0.5 / 90)
    assert "of rows left out one by one" in model.selection_.status


def test_early_stopping_by_what_is_minimised_is_refused():
    X, _, y = wavy(30)
    with pytest.raises(InvalidArgument, match="criterion='loo' minimises it already"):
        GPC(criterion="loo", early_stopping=True).fit(X, y)


def test_the_name_means_retraining_to_a_support_vector_machine():
    assert SVC(criterion="loo")._criterion().judges == ("svm",)
