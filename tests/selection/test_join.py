"""Which parts go together: every pair that does not is refused by name, and own parts are parts."""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest

import kernelect
from instances import wavy
from kernelect import GPC, LSSVC, LSSVR, RVC, RVR, SVC, BasisSearchRegressor
from kernelect.criteria import CRITERIA, PRESS, Criterion, CriterionValue, RVMCentreEvidence, Span
from kernelect.estimators._base import objective_of
from kernelect.exceptions import InvalidArgument, MissingCapability, NotEnoughMemory
from kernelect.kernels import ARD, RBF
from kernelect.machines import EP, LSSVM, MACHINES, RVM, SVM, Hinge, Probit
from kernelect.parameters import ParameterSpace
from kernelect.priors import Curvature, Evidence, HyperPoint, Laplace, Prior
from kernelect.search import LBFGS, Search
from kernelect.selection import RelevanceObjective, Rows, SelectionObjective, StartedKernel, join

X, REAL, LABELS = wavy(40)

ESTIMATORS = [LSSVC, LSSVR, SVC, GPC, RVC, RVR, BasisSearchRegressor]


def joined(machine, criterion, prior=None, kind=SelectionObjective):
    kernel = ARD([0.3, 0.2])
    parts = {"kernel": kernel, "space": kernel.space(X), "machine": machine, "criterion": criterion, "prior": prior}
    return kind(X=X, targets=LABELS[:, None], weights=np.ones(40), **parts)


@pytest.mark.parametrize("machine", [entry.cls() for entry in MACHINES], ids=lambda part: part.name)
@pytest.mark.parametrize("criterion", [entry.cls() for entry in CRITERIA], ids=lambda part: type(part).__name__)
def test_a_criterion_is_joined_with_the_machines_it_judges_and_with_no_other(machine, criterion):
    rows, kernel = Rows(X=X, targets=LABELS[:, None], weights=np.ones(40)), RBF(0.3)
    started = StartedKernel(kernel=kernel, space=kernel.space(X))
    if machine.name in criterion.judges:
        assert join(rows, started, machine, criterion, None).criterion is criterion
        return
    fitting = CRITERIA.names_for((machine.name,))[0]
    with pytest.raises(
        MissingCapability, match=f"'{criterion.name}' judges .* this one is '{machine.name}': use '{fitting}"
    ):
        join(rows, started, machine, criterion, None)


def test_a_pair_that_does_not_fit_is_refused_without_the_join_too():
    with pytest.raises(
        MissingCapability, match="'press' judges the machine 'lssvm', and this one is 'svm': use 'span'"
    ):
        joined(SVM(), PRESS())
    with pytest.raises(
        MissingCapability, match="'centre-evidence' judges centres that move.*use kernelect.selection.join"
    ):
        joined(RVM(), RVMCentreEvidence(), kind=RelevanceObjective)


@pytest.mark.parametrize(
    ("prior", "machine", "criterion", "message"),
    [
        (
            Curvature(),
            SVM(),
            Span(),
            "'curvature' needs a machine .* which 'lssvm' does and 'svm' does not: use prior=",
        ),
        (Evidence(), SVM(), CRITERIA.find("loo", ("svm",), ""), "'evidence' needs the gradient .*'loo' has none: use"),
        (Laplace(), SVM(), CRITERIA.find("loo", ("svm",), ""), "'laplace' needs the gradient .*'loo' has none: use"),
    ],
)
def test_a_prior_that_asks_for_more_than_there_is(prior, machine, criterion, message):
    with pytest.raises(MissingCapability, match=message):
        joined(machine, criterion, prior)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_criterion_of_another_machine_is_refused_with_those_that_fit(estimator):
    others = {name for other in ESTIMATORS for name in other.criterion_names()} - set(estimator.criterion_names())
    y = REAL if estimator in (LSSVR, RVR, BasisSearchRegressor) else LABELS
    for name in sorted(others):
        message = f"criterion='{name}' (judges|values) .*{estimator.__name__}.*: use '{estimator.criterion_names()[0]}'"
        with pytest.raises(MissingCapability, match=message):
            estimator(criterion=name).fit(X, y)


# Parts of a user's own.


class HalfPress(Criterion):
    """PRESS, divided by 2: has the same optimum."""

    name = "half-press"
    judges = ("lssvm",)

    def value(self, fitted):
        found = PRESS().value(fitted)
        return CriterionValue(value=0.5 * found.value, pointwise=found.pointwise)

    def value_and_gradient(self, fitted):
        found = PRESS().value_and_gradient(fitted)
        return CriterionValue(
            value=0.5 * found.value,
            pointwise=found.pointwise,
            grad_gram=0.5 * found.grad_gram,
            grad_regularization=0.5 * found.grad_regularization,
        )

    def nats(self, value, fitted):
        nats, slope = PRESS().nats(2.0 * value, fitted)
        return nats, 2.0 * slope


class NoPenalty(Prior):
    name = "no-penalty"

    def penalty(self, point: HyperPoint):
        return 0.0, np.zeros(len(point.theta))


@dataclass(frozen=True)
class OneStep(Search):
    """The start, and one step along the gradient."""

    name = "one-step"

    def _run(self, evaluate, start, lower, upper):
        _, gradient = evaluate(start)
        evaluate(np.clip(start - 0.1 * gradient / np.linalg.norm(gradient), lower, upper))
        return LBFGS(first_step=0.1)._run(evaluate, start, lower, upper)


class Wider(Hinge):
    name = "wider"

    def log_normalizer(self, constant):
        value, slope = super().log_normalizer(constant)
        return value - 0.01, slope


def test_a_criterion_of_ones_own_selects_what_its_formula_says():
    own, built_in = LSSVC(criterion=HalfPress()).fit(X, LABELS), LSSVC().fit(X, LABELS)
    np.testing.assert_allclose(own.decision_function(X), built_in.decision_function(X), rtol=1e-6)
    assert own.selection_.criterion == "half-press"
    with pytest.raises(MissingCapability, match="'half-press' judges the machine 'lssvm', and SVC trains"):
        SVC(criterion=HalfPress()).fit(X, LABELS)


def test_a_criterion_without_a_form_on_landmarks_solves_all_rows_exactly(monkeypatch):
    monkeypatch.setattr("kernelect.selection.landmarks.request.EXACT_ROWS", 30)
    own, exact = LSSVC("rbf", criterion=HalfPress()).fit(X, LABELS), LSSVC("rbf", landmarks=None).fit(X, LABELS)
    assert own.landmarks_ is None
    np.testing.assert_allclose(own.decision_function(X), exact.decision_function(X), rtol=1e-5)
    assert LSSVR("rbf", prior="curvature").fit(X, REAL).landmarks_ is None
    with pytest.raises(
        MissingCapability, match="criterion='half-press' does not declare its form on landmarks .*press"
    ):
        LSSVC("rbf", criterion=HalfPress(), landmarks=10).fit(X, LABELS)


def test_too_many_rows_for_a_criterion_without_a_form_on_landmarks_are_told_the_way_out(monkeypatch):
    monkeypatch.setattr("kernelect.numerics.memory.available_bytes", lambda: 1e4)
    with pytest.raises(NotEnoughMemory, match="criterion='half-press' .* use criterion='press' or 'gcv', or"):
        LSSVC("rbf", criterion=HalfPress()).fit(X, LABELS)
    with pytest.raises(NotEnoughMemory, match="Use landmarks='auto', or"):
        LSSVC("rbf", landmarks=None).fit(X, LABELS)


class RootErrors(HalfPress):
    """Sum of |r|^1.5: grows with the unit of the targets as nobody else's."""

    name = "root-errors"
    has_gradient = False

    def value(self, fitted):
        found = PRESS().value(fitted)
        return CriterionValue(value=float(np.sum(np.abs(found.pointwise) ** 1.5)), pointwise=found.pointwise)

    value_and_gradient = value


@pytest.mark.parametrize("prior", [None, "shrinkage"])
def test_a_criterion_that_does_not_rescale_is_minimised_in_the_unit_of_the_targets(prior):
    y, options = 300.0 * REAL, {"criterion": RootErrors(), "search": "nelder-mead", "max_iter": 3, "prior": prior}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LSSVR("rbf", **options).fit(X, y)
    if prior is None:
        expected = np.sum(np.abs(model.loo_prediction_ - y) ** 1.5)
        assert model.selection_.value == pytest.approx(expected, rel=1e-6)
    theta = model.selection_.theta
    assert model.selection_.value == pytest.approx(objective_of(model, X, y, np.arange(40)).value(theta), rel=1e-8)


def test_a_criterion_that_judges_nothing_is_told_how_to_say_what():
    class Silent(HalfPress):
        judges = ()

    with pytest.raises(InvalidArgument, match=r"Silent does not say which machines it judges.*judges = \('lssvm',\)"):
        LSSVC(criterion=Silent()).fit(X, LABELS)
    with pytest.raises(InvalidArgument, match="Silent does not say which machines it judges"):
        CRITERIA.register(Silent, "silent")
    assert "silent" not in CRITERIA


def test_priors_and_searches_of_ones_own_are_taken():
    model = LSSVR("rbf", prior=NoPenalty(), search=OneStep()).fit(X, REAL)
    assert model.selection_.prior == "no-penalty"
    assert model.score(X, REAL) > 0.8


@pytest.fixture
def registered():
    kernelect.register(HalfPress)
    yield
    CRITERIA._entries[:] = [entry for entry in CRITERIA if entry.cls is not HalfPress]


def test_a_registered_criterion_has_a_name_everywhere(registered):
    assert "half-press" in LSSVC.criterion_names()
    assert "half-press" not in SVC.criterion_names()
    assert LSSVC("rbf", criterion="half-press").fit(X, LABELS).selection_.criterion == "half-press"


def test_what_is_no_part_cannot_be_registered():
    with pytest.raises(InvalidArgument, match="cannot be registered: derive it from one of"):
        kernelect.register(dict)


# The likelihood of a Gaussian process.


def test_the_likelihood_decides():
    probit, hinge = GPC("rbf").fit(X, LABELS), GPC("rbf", likelihood="hinge").fit(X, LABELS)
    np.testing.assert_array_equal(
        GPC("rbf", likelihood=Probit()).fit(X, LABELS).predict_proba(X), probit.predict_proba(X)
    )
    assert np.abs(hinge.predict_proba(X) - probit.predict_proba(X)).max() > 1e-3
    assert "C" in hinge.selection_.names
    assert hinge.score(X, LABELS) > 0.8


def test_a_gaussian_process_with_the_hinge_is_the_posterior_of_the_svm():
    """With the same kernel and prior: the two estimators are two faces of one model."""
    gp = GPC("rbf", likelihood=Hinge(), prior=None, tol=1e-8).fit(X, LABELS)
    svm = SVC("rbf", prior=None, tol=1e-8).fit(X, LABELS)
    np.testing.assert_allclose(gp.predict_proba(X), svm.predict_proba(X), atol=1e-4)


def test_a_likelihood_of_ones_own_is_used_in_fitting():
    own, hinge = (GPC("rbf", likelihood=each).fit(X, LABELS) for each in (Wider(), Hinge()))
    assert own.selection_.value == pytest.approx(hinge.selection_.value + 0.01, abs=1e-4)


def test_evidences_need_a_posterior_of_the_right_kind():
    space = ParameterSpace.joined([RBF(0.3).space(X)])
    with pytest.raises(MissingCapability, match="'press' judges the machine 'lssvm', and this one is 'ep'"):
        SelectionObjective(
            X=X,
            targets=LABELS[:, None],
            weights=np.ones(40),
            kernel=RBF(0.3),
            space=space,
            machine=EP(Probit()),
            criterion=PRESS(),
            prior=None,
        )
    assert LSSVM.name == "lssvm"
