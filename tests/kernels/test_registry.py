"""Kernels by name, among them a user's own."""

from dataclasses import dataclass

import numpy as np
import pytest

from kernelect import LSSVR, register
from kernelect.exceptions import InvalidArgument
from kernelect.kernels import ARD, KERNELS, RBF, Kernel, Matern, RationalQuadratic, Stationary, as_kernel
from kernelect.model.kinds import kind_of


@dataclass(frozen=True, eq=False)
class Cauchy(Stationary):
    """1 / (1 + D): all that a kernel with a width has to say."""

    gamma: object = "auto"
    elliptical: bool = False

    def profile(self, D):
        return 1.0 / (1.0 + D)

    def slope(self, D):
        return -1.0 / (1.0 + D) ** 2


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setattr(KERNELS, "_entries", list(KERNELS))
    return register(Cauchy, "cauchy")


def test_names_stand_for_kernels():
    assert as_kernel("matern32").nu == 1.5
    assert as_kernel("matern52-ard").elliptical
    assert as_kernel("rational-quadratic-ard").elliptical
    assert {type(as_kernel(name)) for name in KERNELS.names} >= {ARD, RBF, Matern, RationalQuadratic}


def test_a_kernel_of_ones_own_is_known_by_its_name(registered, rng):
    X = rng.normal(size=(30, 2))
    by_name, as_object = LSSVR("cauchy").fit(X, X[:, 0]), LSSVR(Cauchy()).fit(X, X[:, 0])
    assert by_name.kernel_.gamma == as_object.kernel_.gamma
    assert as_kernel("cauchy") is not as_kernel("cauchy")
    with pytest.raises(InvalidArgument, match="kernel='cauchi' is not known. Did you mean 'cauchy'?"):
        as_kernel("cauchi")


def test_it_agrees_with_the_rational_quadratic_of_shape_1(registered, rng):
    X, weights = rng.normal(size=(12, 2)), rng.normal(size=(12, 12))
    theirs = RationalQuadratic([0.4, 0.9], alpha=1.0)
    np.testing.assert_allclose(Cauchy([0.4, 0.9]).gram(X), theirs.gram(X), rtol=1e-12)
    np.testing.assert_allclose(Cauchy([0.4, 0.9]).pullback(X, weights), theirs.pullback(X, weights)[:2], rtol=1e-9)


def test_every_kernel_that_a_model_may_hold_is_declared(registered):
    assert kind_of(Cauchy(0.5)).record is Cauchy
    assert kind_of(Cauchy(0.5)).word == "cauchy"
    for entry in (entry for entry in KERNELS if entry.name is not None):
        assert kind_of(entry.make()).record is entry.cls


def test_what_is_no_kernel_is_refused():
    with pytest.raises(InvalidArgument, match=r"cannot be registered: derive it from one of .*Kernel \(kernel\)"):
        register(dict, "dict")
    with pytest.raises(InvalidArgument, match="name='ard' already stands for the kernel ARD"):
        register(Cauchy, "ard")
    assert all(issubclass(entry.cls, Kernel) for entry in KERNELS)
