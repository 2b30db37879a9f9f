"""The objective of relevance vector machines: continuous where a search goes, with exact slopes."""

from dataclasses import replace

import numpy as np
import pytest

from kernelect import RVC, RVR, datasets
from kernelect.criteria import RVMEvidence, RVMLeaveOneOut, RVMOccamEvidence
from kernelect.kernels import ARD
from kernelect.machines.rvm import merit, sequential
from kernelect.selection import Rows
from kernelect.selection.relevance import _Visited

THETA = np.array([0.8, 1.0])


def objective(regression, criterion):
    X, labels = datasets.sparse_inputs(80, n_features=2, random_state=0)
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] if regression else np.where(labels == labels.max(), 1.0, -1.0)
    kernel = ARD([1.0, 1.0])
    estimator = RVR(kernel) if regression else RVC(kernel, criterion="evidence")
    found = estimator._problem(Rows(X=X, targets=y[:, None], weights=np.ones(80)))
    return replace(found, prior=None, criterion=criterion)


@pytest.mark.parametrize("criterion", [RVMEvidence(), RVMOccamEvidence()], ids=lambda c: c.name)
@pytest.mark.parametrize("regression", [False, True], ids=["labels", "normal"])
def test_slope_where_the_search_is_and_where_it_comes_back(regression, criterion):
    goal = objective(regression, criterion)
    value, slope = goal(THETA)
    fit = goal.fits(THETA)[0]
    gram = goal.kernel_at(THETA).gram(goal.X)
    design = np.column_stack([np.ones(80), gram])[:, fit.active]
    at_bound = fit.posterior.alpha < 1.001 * fit.likelihood.least_alpha(design)
    assert at_bound.any() == (not regression)  # bounds that move with the kernel
    goal(THETA + np.array([0.0, 0.5]))  # a step that is too long
    for step in 1e-3 * np.eye(2):
        rise = 0.5 * (goal(THETA + step)[0] - goal(THETA - step)[0])
        # within what the polish of the precisions leaves, to which the Occam factor is sensitive
        assert rise == pytest.approx(slope @ step, rel=0.1 if criterion.name == "occam-evidence" else 1e-3)
        assert goal(THETA + 0.1 * step)[0] == pytest.approx(value, abs=1e-2)


def test_solutions_are_remembered_to_the_last_digit():
    goal = objective(False, RVMEvidence())
    first = goal.fits(THETA)
    goal(THETA + 0.1)
    assert goal.fits(THETA) is first


@pytest.mark.parametrize(
    ("criterion", "slack"),
    [(RVMEvidence(), 0.05), (RVMOccamEvidence(), 0.05), (RVMLeaveOneOut(), 0.15)],
    ids=lambda part: getattr(part, "name", part),
)
def test_widths_far_below_the_best_get_no_further_effort(criterion, slack, monkeypatch):
    """Nats per row below the best of the search; counted is how often a polished fit is worked on."""
    efforts, improved = [], sequential._Run.improved
    monkeypatch.setattr(
        sequential._Run, "improved", lambda self, *args, **kw: efforts.append(1) or improved(self, *args, **kw)
    )
    hopeless, goal = np.array([7.0, 7.0]), objective(False, criterion)

    def counted(theta):
        efforts.clear()
        goal.fits(theta)
        return len(efforts)

    assert counted(THETA) > 0
    price = criterion.price
    bound = goal.memory.state.best - slack * 80
    assert counted(hopeless) == 0
    assert merit(goal.fits(hopeless)[0], price) < bound
    # A search that begins there knows nothing better.
    goal = objective(False, criterion)
    assert counted(hopeless) > 0


def test_where_to_begin():
    seen, places = _Visited(), [np.array([0.0, 0.0]), np.array([1.0, 0.0]), np.array([1.3, -np.inf])]
    for number, place in enumerate(places):
        seen.add(place, number, merit=-abs(number - 1.0))
    assert seen.near(np.array([0.1, -0.1])) == 0  # close to where it has been
    assert seen.near(np.array([1.6, -np.inf])) == 2  # a small step from the last
    assert seen.near(np.array([0.7, 0.0])) is None  # near, but neither close nor the last
    assert seen.near(np.array([1.3, -9.0])) is None  # a width of 0 is far from any other
    assert seen.best == 0.0
