"""The normal prior on log hyper-parameters."""

import numpy as np
import pytest

from kernelect.kernels import ARD, RBF, Constant, Linear
from kernelect.parameters import ParameterSpace
from kernelect.priors import LogNormal, as_prior, normal_lengths
from kernelect.priors.base import HyperPoint

X = np.random.default_rng(0).normal(size=(20, 3)) * np.array([1.0, 10.0, 0.1])


def space_of(kernel):
    return ParameterSpace.joined([kernel.space(X), ParameterSpace.single("C", 0.3, below=5.0, above=5.0)])


def penalty(prior, space, theta):
    return prior.penalty(HyperPoint(theta=theta, space=space.moved(theta), kernel=RBF(1.0), X=X, solve=None))


def test_the_formula_in_length_scales():
    kernel = Constant("auto") * ARD() + Constant("auto")
    space = space_of(kernel)
    theta = space.start + np.array([0.7, 0.2, -0.5, 1.0, 0.4, 0.1])
    assert space.amplitudes.tolist() == [0]
    log_lengths = -0.5 * (theta[1:4] - space.reference[1:4])
    expected = 0.25 * 0.5 * theta[0] ** 2 + 0.5 * np.sum((log_lengths - log_lengths.mean()) ** 2)
    expected += 0.25 * 0.5 * theta[-1] ** 2
    assert penalty(LogNormal(), space, theta)[0] == pytest.approx(expected, rel=1e-12)


def test_the_gradient_against_differences():
    space = space_of(Constant("auto") * ARD() + Constant(2.0) * RBF())
    theta, step = space.start + np.linspace(-1, 1, len(space)), 1e-6
    gradient = penalty(LogNormal(0.5, 2.0, 0.1), space, theta)[1]
    for k in range(len(theta)):
        e = step * (np.arange(len(theta)) == k)
        ahead, behind = (penalty(LogNormal(0.5, 2.0, 0.1), space, theta + s * e)[0] for s in (1, -1))
        assert gradient[k] == pytest.approx((ahead - behind) / (2 * step), abs=1e-8)


def test_nothing_is_charged_for_units_or_overall_scale():
    space = space_of(Constant("auto") * ARD())
    theta = space.start.copy()
    theta[1:4] += 2.5
    theta[[0, -1]] = 0.0
    assert penalty(LogNormal(), space, theta)[0] == pytest.approx(0.0, abs=1e-12)


def test_amplitudes_are_found_inside_sums_and_products():
    kernel = Constant("auto") + Constant("auto") * RBF() + Linear() * Constant(3.0)
    assert kernel.space(X).amplitudes.tolist() == [1, 3]


def test_a_kernel_without_amplitude_and_width_has_nothing_to_regularise():
    assert LogNormal().lacks(Linear().space(X)) == "amplitudes or widths"
    assert LogNormal().lacks((2.0 * Linear()).space(X)) == ""


def test_it_can_be_the_automatic_choice():
    assert isinstance(as_prior("auto", ARD().space(X), auto=normal_lengths), LogNormal)
    assert as_prior("auto", RBF().space(X), auto=normal_lengths) is None
    assert isinstance(as_prior("log-normal", RBF().space(X)), LogNormal)
