"""Members of little weight leave predictions if rows left out are predicted as well without them."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from kernelect import KernelClassifier, KernelRegressor
from kernelect.kernels import Linear
from kernelect.mixture import Member
from kernelect.mixture.kernel_machines import KernelMachine
from kernelect.model import Component, ForeignPart, Given, KernelPart
from kernelect.model.heads import mixed

N = 400
NOISE = np.sqrt(N) * np.linalg.qr(np.random.default_rng(0).normal(size=(N, 61)))[0]  # columns are orthogonal
TASK = SimpleNamespace(y=np.zeros(N), weights=np.ones(N))


def member(left_out, *, labels=False, line=False):
    """Return a member that answers so for rows left out."""
    k = left_out.shape[1]
    part = ForeignPart(machine=None, coefficients=np.ones((1, k)), labels=labels)
    if line:
        part = KernelPart(kernel=Linear(), vectors=np.zeros((1, 1)), coefficients=np.zeros((1, k)))
    component = Component(parts=(part,), constant=np.zeros(k), left_out=left_out, link=Given() if labels else None)
    return Member(candidate=KernelMachine(), component=component, status="")


def pair(common, own, *, line=False):
    """Return two members; the errors of the second are a multiple of the first one's and errors of its own."""
    return member(NOISE[:, [0]]), member(common * NOISE[:, [0]] + own * NOISE[:, [1]], line=line)


def judged(members):
    """Return the weights, and by which factor the loss of rows left out rises with the first member alone."""
    shares = KernelRegressor()._shares([each.component for each in members], TASK)
    return shares, 1.0 / np.mean(mixed(shares, [each.left_out for each in members]) ** 2)


def with_a_say(members, task=TASK, door=KernelRegressor):
    return door()._with_a_say(members, task)


@pytest.mark.parametrize(("own", "stays"), [(4.5, True), (5.5, False)])
def test_below_one_per_cent_a_member_leaves(own, stays):
    members = pair(1.0, own)
    (_, share), factor = judged(members)
    assert share == pytest.approx(0.01, abs=0.0015)
    assert (share >= 0.01) == stays
    assert factor < 1.0
    assert with_a_say(members) == (members if stays else members[:1])


@pytest.mark.parametrize(("common", "own", "stays"), [(0.3, 12.0, True), (0.5, 10.0, False)])
def test_a_light_member_stays_if_the_loss_would_rise(common, own, stays):
    members = pair(common, own)
    (_, share), factor = judged(members)
    assert share < 0.01
    assert factor == pytest.approx(1.002, abs=0.001)
    assert (factor > 1.002) == stays
    assert with_a_say(members) == (members if stays else members[:1])


@pytest.mark.parametrize("line", [False, True])
def test_a_straight_line_stays(line):
    """Predictions may follow it beyond the targets seen."""
    members = pair(1.0, 20.0, line=line)
    assert with_a_say(members) == (members if line else members[:1])


def test_the_first_member_stays():
    """Others follow its widths, and it says how the search ended."""
    members = pair(1.0, 20.0)[::-1]
    assert with_a_say(members) == members


@pytest.mark.parametrize(("sure", "stays"), [(0.7, True), (0.6, False)])
def test_labels_have_the_same_rule(sure, stays):
    right = np.tile([0.9, 0.1], (N, 1))
    members = (member(right, labels=True), member(np.tile([sure, 1.0 - sure], (N, 1)), labels=True))
    task = SimpleNamespace(y=np.zeros(N, dtype=int), weights=np.ones(N))
    share = KernelClassifier()._shares([each.component for each in members], task)[1]
    assert (share >= 0.01) == stays
    assert with_a_say(members, task, KernelClassifier) == (members if stays else members[:1])


def test_the_table_says_who_has_no_say():
    X, y = make_friedman1(300, n_features=5, noise=0.01, random_state=0)
    model = KernelRegressor("fast", target="identity").fit(X, y)
    table = model.candidates_
    folded = [place for place, status in enumerate(table.status) if status.startswith("without a say")]
    assert folded
    assert len(model.members) == len(table) - len(folded)
    assert np.all(table.weight[folded] == 0.0)
    assert np.all(np.isfinite(table.score[folded]))
    assert repr(table).count(" none ") == len(folded)
    assert not model.doubt()  # nothing lacked time
    assert model.shares.sum() == pytest.approx(1.0)
