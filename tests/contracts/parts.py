"""The instances that the laws run over. A new part adds one line here."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from kernelect import (
    GPC,
    GPR,
    LSSVC,
    LSSVR,
    RVC,
    RVR,
    SVC,
    BasisSearchRegressor,
    KernelClassifier,
    KernelOrdinal,
    KernelRegressor,
    KernelSurvival,
    OrdinalGPC,
    criteria,
    priors,
)
from kernelect.machines import EP, LSSVM, RVM, SVM, Classical, Hinge, Machine, Probit, SquaredHinge
from kernelect.search import LBFGS, GradientAscent, NelderMead, RandomWalk, ScaledConjugateGradients, Scan
from oracles import solutions

# -- data ------------------------------------------------------------------------------------------------------------


@cache
def sample(n=36, seed=0):
    """Return inputs of uneven scales, a real target, two classes and three classes, all of one wavy function."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, 3)) * [1.0, 2.0, 0.5] + [0.0, 1.0, -2.0]
    f = np.sin(1.5 * X[:, 0]) + 0.5 * X[:, 1]
    noisy = f + 0.3 * generator.normal(size=n)
    two = np.where(noisy > np.median(noisy), "yes", "no")
    three = np.array(["a", "b", "c"])[np.searchsorted(np.quantile(noisy, [0.33, 0.67]), noisy)]
    return X, noisy, two, three


@cache
def gram_and_targets(n=24):
    """Return a well-conditioned Gram matrix, real targets, balanced labels of +-1 and whole weights."""
    X, y, two, _ = sample(n)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    squares = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
    labels = np.where(two == "yes", 1.0, -1.0)
    return np.exp(-0.4 * squares) + 0.1, y, labels, np.random.default_rng(1).integers(1, 4, size=n).astype(float)


# -- machines --------------------------------------------------------------------------------------------------------

#: Machines with tolerances at which a law can be checked to many digits.
MACHINES: dict[str, Machine[Any]] = {
    "lssvm": LSSVM(),
    "svm, linear slack": SVM("linear"),
    "svm, quadratic slack": SVM("quadratic"),
    "ep, probit": EP(Probit(), tol=1e-11),
    "ep, hinge": EP(Hinge(), tol=1e-11),
    "ep, squared hinge": EP(SquaredHinge(), tol=1e-11),
    "rvm, labels": RVM(),
    "rvm, real targets": RVM(regression=True),
    "rvm, labels, classical": RVM(algorithm=Classical()),
    "rvm, real targets, classical": RVM(regression=True, algorithm=Classical()),
}


def targets_of(machine, y, labels):
    """Return what the machine learns, as one column."""
    real = isinstance(machine, LSSVM) or (isinstance(machine, RVM) and machine.regression)
    return (y if real else labels)[:, None]


# -- criteria --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judged:
    """A criterion beside a machine it judges.

    ``ignorant`` is the machine's constant at which it learns nothing (None: a Gram matrix of zeros),
    and ``limit`` the criterion's value there, for balanced labels or targets of the standard deviation s:
    a number, or a function of the targets and the Gram matrix.
    """

    criterion: Any
    machine: Machine[Any]
    constant: float
    ignorant: float | None
    limit: Any
    options: dict[str, Any] = field(default_factory=dict)


LN2 = float(np.log(2.0))


def mean_left_out(targets, gram):
    """Return 1/2 sum r^2 where every row is predicted by the mean of the others."""
    n = len(targets)
    return 0.5 * float(np.sum(((targets - targets.mean(axis=0)) * n / (n - 1)) ** 2))


def mean_with_one_leverage(targets, gram):
    """Return n sum e^2 / (n - 1)^2 where every row is predicted by the mean of all."""
    n = len(targets)
    return n * float(np.sum((targets - targets.mean(axis=0)) ** 2)) / (n - 1) ** 2


def variance_of_targets(targets, gram):
    """Return the unbiased variance of targets, summed over outputs."""
    return float(np.sum(targets.var(axis=0, ddof=1)))


def wrong_by_the_others(targets, gram):
    """Return the share of rows that the sum of all other rows' labels times kernel values puts on the wrong side."""
    votes = (gram - np.diag(np.diagonal(gram))) @ targets
    return float(np.mean(votes * targets <= 0.0))


def balanced_parts(n_parts=4):
    """Return a part for every row, each with as many rows of one label as of the other."""
    labels = gram_and_targets()[2]
    parts = np.empty(len(labels), dtype=np.intp)
    parts[np.argsort(labels, kind="stable")] = np.arange(len(labels)) % n_parts
    return parts


CRITERIA: dict[str, Judged] = {
    "press": Judged(criteria.PRESS(), LSSVM(), 0.3, 1e12, mean_left_out),
    "gcv": Judged(criteria.GCV(), LSSVM(), 0.3, 1e12, mean_with_one_leverage),
    "evidence": Judged(criteria.RestrictedEvidence(), LSSVM(), 0.3, 1e12, variance_of_targets),
    "span, linear slack": Judged(criteria.Span(), SVM("linear"), 1.5, 1e-9, 0.5),
    "span, quadratic slack": Judged(criteria.Span(), SVM("quadratic"), 1.5, 1e-9, 0.5),
    "unsmoothed span": Judged(criteria.UnsmoothedSpan(), SVM("linear"), 1.5, 1e-9, wrong_by_the_others),
    "gacv": Judged(criteria.GACV(), SVM("linear"), 1.5, 1e-9, 1.0),
    "radius-margin, linear slack": Judged(criteria.RadiusMargin(), SVM("linear"), 1.5, 1e-9, 1.0),
    "radius-margin, quadratic slack": Judged(criteria.RadiusMargin(), SVM("quadratic"), 1.5, 1e-9, 1.0),
    "jaakkola-haussler": Judged(criteria.JaakkolaHaussler(), SVM("linear"), 1.5, 1e-9, wrong_by_the_others),
    "support-vectors": Judged(criteria.SupportVectorCount(), SVM("linear"), 1.5, 1e-9, 1.0),
    "laplace-evidence, linear slack": Judged(criteria.LaplaceEvidence(), SVM("linear"), 1.5, 1e-9, LN2),
    "laplace-evidence, quadratic slack": Judged(criteria.LaplaceEvidence(), SVM("quadratic"), 1.5, 1e-9, LN2),
    "svm loo": Judged(criteria.LeaveOneOut(), SVM("linear"), 1.5, 1e-9, wrong_by_the_others),
    "ep-evidence, probit": Judged(criteria.EPEvidence(), EP(Probit(), tol=1e-11), 1.0, None, LN2),
    "ep-evidence, hinge": Judged(criteria.EPEvidence(), EP(Hinge(), tol=1e-11), 1.5, 1e-9, LN2),
    "ep-evidence, squared hinge": Judged(criteria.EPEvidence(), EP(SquaredHinge(), tol=1e-11), 1.5, 1e-9, LN2),
    "loo, probit": Judged(criteria.EPLeaveOneOut(), EP(Probit(), tol=1e-12), 1.0, None, LN2),
    "loo, hinge": Judged(criteria.EPLeaveOneOut(), EP(Hinge(), tol=1e-12), 1.5, 1e-7, LN2),
    "hmc-evidence": Judged(criteria.HMCEvidence(n_draws=20000), EP(Probit(), tol=1e-11), 1.0, None, LN2),
    "rvm evidence, labels": Judged(criteria.RVMEvidence(), RVM(), 1.0, None, 24 * LN2),
    "rvm occam-evidence, labels": Judged(criteria.RVMOccamEvidence(), RVM(), 1.0, None, 24 * LN2),
    "rvm cv": Judged(criteria.RVMCrossValidation(parts=balanced_parts()), RVM(), 1.0, None, LN2),
    "rvm loo": Judged(criteria.RVMLeaveOneOut(), RVM(), 1.0, None, 1.0),
}

#: Judged on machines whose centres have moved, which a Gram matrix alone does not give: tests/criteria/rvm.
CRITERIA_ASIDE = (criteria.RVMCentreEvidence,)


def solved(judged, gram, targets, weights, constant=None, warm=None):
    """Return the record that the criterion sees."""
    constant = judged.constant if constant is None else constant
    return solutions.solved(judged.machine, gram, targets, constant, weights, warm)


# -- searches --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Searching:
    """A search, and how near it comes to the minimum of a smooth function."""

    search: Any
    near: float


SEARCHES: dict[str, Searching] = {
    "lbfgs": Searching(LBFGS(), 1e-3),
    "scg": Searching(ScaledConjugateGradients(), 1e-3),
    "nelder-mead": Searching(NelderMead(), 1e-2),
    "random-walk": Searching(RandomWalk(seed=3), 0.1),
    "gradient-ascent": Searching(GradientAscent(), 0.05),
    "scan": Searching(Scan(), 0.25),
}

# -- priors ----------------------------------------------------------------------------------------------------------

PRIORS: dict[str, priors.Prior] = {
    "flat": priors.Flat(),
    "shrinkage": priors.Shrinkage(),
    "gaussian": priors.Gaussian(),
    "laplace": priors.Laplace(),
    "curvature": priors.Curvature(),
    "slope": priors.Slope(),
    "evidence": priors.Evidence(),
    "evidence, two well-determined": priors.Evidence(well_determined=2.0),
    "log-normal": priors.LogNormal(),
}

# -- estimators ------------------------------------------------------------------------------------------------------

#: Every estimator as it comes, then with other parts; ``random_state`` is set so that equal fits are equal.
ESTIMATORS: dict[str, Any] = {
    "LSSVC": LSSVC(random_state=0),
    "LSSVC, three classes": LSSVC(random_state=0),
    "LSSVC, rbf, no prior": LSSVC("rbf", prior=None, random_state=0),
    "LSSVC, linear": LSSVC("linear", random_state=0),
    "LSSVC, polynomial": LSSVC("polynomial", random_state=0),
    "LSSVR": LSSVR(random_state=0),
    "LSSVR, matern52-ard": LSSVR("matern52-ard", random_state=0),
    "LSSVR, linear": LSSVR("linear", random_state=0),
    "SVC": SVC(random_state=0),
    "SVC, three classes": SVC(random_state=0),
    "SVC, quadratic": SVC("rbf", slack="quadratic", random_state=0),
    "SVC, span": SVC("rbf", criterion="span", random_state=0),
    "SVC, linear": SVC("linear", random_state=0),
    "GPC": GPC(random_state=0),
    "GPC, three classes": GPC("rbf", random_state=0),
    "GPC, linear": GPC("linear", random_state=0),
    "GPR": GPR(random_state=0),
    "GPR, matern52-ard": GPR("matern52-ard", random_state=0),
    "RVC": RVC(random_state=0),
    "RVC, three classes": RVC("rbf", random_state=0),
    "RVC, evidence": RVC("rbf", criterion="evidence", random_state=0),
    "RVC, centres": RVC("rbf", criterion="centre-evidence", centres="movable", random_state=0),
    "RVR": RVR(random_state=0),
    "RVR, rbf": RVR("rbf", random_state=0),
    "BasisSearchRegressor": BasisSearchRegressor(random_state=0),
    "BasisSearchRegressor, polynomial": BasisSearchRegressor("polynomial", random_state=0),
    "KernelClassifier": KernelClassifier("fast", random_state=0),
    "KernelClassifier, three classes": KernelClassifier("fast", random_state=0),
    "KernelRegressor": KernelRegressor("fast", random_state=0),
    "KernelOrdinal": KernelOrdinal("fast", random_state=0),
    "KernelSurvival": KernelSurvival("fast", random_state=0),
    "OrdinalGPC": OrdinalGPC(random_state=0),
}

#: Those whose laws take long: a quick one of the same class stands above.
SLOW = {
    "LSSVC, rbf, no prior",
    "LSSVC, polynomial",
    "LSSVR, matern52-ard",
    "SVC, three classes",
    "SVC, quadratic",
    "RVC",
    "RVC, three classes",
    "RVC, centres",
    "RVR",
    "KernelClassifier, three classes",
}


def target_for(name, n=36):
    """Return the target that the estimator of this name learns."""
    _, y, two, three = sample(n)
    if "three classes" in name:
        return three
    if is_classifier(name):
        return two
    return y if is_regressor(ESTIMATORS[name]) else np.exp(y)


def is_classifier(name):
    return hasattr(ESTIMATORS[name], "predict_proba")
