"""How uncertain a component is: variances at new rows, and predictions without single training rows.

Notation: V (m, d) new inputs, n training rows, k outputs, r leave-one-out residuals, f_-i what the machine without row
i (or without its group) predicts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.machines.lssvm.full import LSSVM, LSSVMState
from kernelect.machines.lssvm.groups import Groups, blocks_of
from kernelect.machines.lssvm.spread import LandmarkSpread
from kernelect.model.parts import BoxPart, KernelPart, blocks
from kernelect.model.relevance import LossBySize, RelevanceModel
from kernelect.typing import Array, Indices, Mask

if TYPE_CHECKING:
    from kernelect.model.component import Component


class Spread(ABC):
    """What a component knows of its uncertainty."""

    @abstractmethod
    def deviation(self, component: Component, V: Array) -> Array:
        """Return the standard deviations (m, k) of new observations."""

    def covariance(self, component: Component, V: Array) -> Array:
        """Return the covariances (m, m, k) of new observations."""
        raise MissingCapability(
            "This model has no joint posterior, so that its predictions have standard deviations and no covariances: "
            "use return_std=True, or LSSVR with landmarks=None, RVR or BasisSearchRegressor."
        )


class LatentSpread(Spread):
    """The variance of latent functions, by which links moderate probabilities."""

    @abstractmethod
    def latent(self, component: Component, V: Array) -> tuple[Array, Array]:
        """Return mean and variance (m, k) of the latent functions."""

    def deviation(self, component: Component, V: Array) -> Array:
        return np.sqrt(self.latent(component, V)[1])


class Jackknife(Spread):
    """Leave-one-out of every training row, or of those that stand for all of them.

    Attributes
    ----------
    rows : ndarray of shape (n,)
        Numbers of the training rows that intervals are made of.
    residuals : ndarray of shape (n, k)
        Their leave-one-out residuals.
    """

    rows: Indices
    residuals: Array

    @abstractmethod
    def without(self, component: Component, batches: Iterable[Array]) -> Iterator[Array]:
        """Yield what machines without one of these rows each predict at every batch of rows, (n, m, k)."""

    @abstractmethod
    def left_out_variance(self) -> Array:
        """Return the variance (n or 1, k) that is claimed for each training row when it is left out."""


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightSpread(LatentSpread):
    """A sparse linear model: the normal posterior of its weights, and normal noise.

    Attributes
    ----------
    model : RelevanceModel
        In its own unit of the targets.
    unit : float
    noise : float
        Standard deviation of the noise, in the targets' own unit; 0 for labels.
    losses : LossBySize or None
        What fewer functions cost; None if it is not known.
    """

    model: RelevanceModel
    unit: float = 1.0
    noise: float = 0.0
    losses: LossBySize | None = None

    def latent(self, component: Component, V: Array) -> tuple[Array, Array]:
        return self.model.predict(component.design(V))

    def deviation(self, component: Component, V: Array) -> Array:
        _, variance = self.latent(component, V)
        return np.asarray(self.unit * np.sqrt(variance + (self.noise / self.unit) ** 2), dtype=float)

    def covariance(self, component: Component, V: Array) -> Array:
        designs = [output.design(component.design(V)) for output in self.model.outputs]
        pairs = zip(designs, self.model.outputs, strict=True)
        latent = np.stack([design @ output.covariance @ design.T for design, output in pairs], axis=-1)
        return np.asarray(self.unit**2 * latent + self.noise**2 * np.eye(len(V))[..., None], dtype=float)


@dataclass(frozen=True, eq=False, kw_only=True)
class SubsetSpread(Spread):
    """A subset of basis functions: noise, and the posterior of coefficients in its unit.

    Attributes
    ----------
    means : ndarray of shape (n_functions,)
    root : ndarray of shape (n_functions, r)
        Of the coefficients' covariance.
    constant : float
        Variance of the intercept.
    noise : ndarray of shape (k,)
    """

    means: Array
    root: Array
    constant: float
    noise: Array

    def deviation(self, component: Component, V: Array) -> Array:
        spread = np.sum(((component.design(V) - self.means) @ self.root) ** 2, axis=1)
        return np.outer(np.sqrt(1.0 + self.constant + spread), self.noise)

    def covariance(self, component: Component, V: Array) -> Array:
        half = (component.design(V) - self.means) @ self.root
        joint = half @ half.T + self.constant + np.eye(len(V))
        return np.asarray(joint[..., None] * self.noise**2, dtype=float)


@dataclass(frozen=True, eq=False, kw_only=True)
class ExactJackknife(Jackknife):
    """A least-squares machine on all rows.

    Attributes
    ----------
    rows, residuals
        As for :class:`Jackknife`.
    weights : ndarray of shape (n,)
    ridge : float
    precision : ndarray of shape (n,) or None
        Inverse variance of each row when it is left out, in the unit of the kernel; None for labels.
    scale : ndarray of shape (k,) or None
        Root of that unit: with it, leave-one-out residuals have the variance that is claimed; None for labels.
    groups : ndarray of shape (n,) or None
        The group with which each row leaves.
    gram : ndarray of shape (n, n) or None
        Kernel values between the rows, if they were given in the place of inputs.
    """

    rows: Indices
    residuals: Array
    weights: Array
    ridge: float
    precision: Array | None = None
    scale: Array | None = None
    groups: Indices | None = None
    gram: Array | None = field(default=None, repr=False)

    def solved(self, part: KernelPart) -> LSSVMState:
        """Return the machine factorised again: a factor is not kept, so that models stay small."""
        gram = part.kernel.gram(part.vectors) if self.gram is None else self.gram
        return LSSVM().fit(gram, np.zeros((len(gram), 1)), self.ridge, self.weights)

    def deviation(self, component: Component, V: Array) -> Array:
        part = component.kernel_part
        state, noise = self.solved(part), self.ridge / float(np.median(self.weights))
        found = []
        for block in blocks(V, len(self.weights)):
            cross = part.cross(block)
            half = state.factor.half_solve(cross)
            bias = (1.0 - state.ones_solution @ cross) ** 2 / state.ones_total
            variance = part.kernel.diagonal(block) + noise - np.einsum("ij,ij->j", half, half) + bias
            found.append(np.sqrt(np.maximum(variance, noise)))
        assert self.scale is not None
        return np.outer(np.concatenate(found), self.scale)

    def covariance(self, component: Component, V: Array) -> Array:
        part, V = component.kernel_part, np.asarray(V, dtype=float)
        state, noise = self.solved(part), self.ridge / float(np.median(self.weights))
        cross = part.cross(V)
        half, bias = state.factor.half_solve(cross), 1.0 - state.ones_solution @ cross
        joint = part.kernel.gram(V) - half.T @ half + np.outer(bias, bias) / state.ones_total
        assert self.scale is not None
        return np.asarray((joint + noise * np.eye(len(V)))[..., None] * self.scale**2, dtype=float)

    def without(self, component: Component, batches: Iterable[Array]) -> Iterator[Array]:
        state = self.solved(component.kernel_part)
        for V in batches:
            cross = component.kernel_part.cross(V)
            bordered = (
                LSSVM.bordered_solve(state, cross)
                + np.outer(state.ones_solution, np.ones(cross.shape[1])) / state.ones_total
            )
            moved = self.residuals[:, None] * bordered[..., None]
            if self.groups is not None:
                moved = Groups(self.groups).sums(moved)
            yield np.asarray(component.mean(V)[None] - moved, dtype=float)

    def left_out_variance(self) -> Array:
        assert self.precision is not None
        assert self.scale is not None
        return np.outer(1.0 / self.precision, self.scale**2)

    def residuals_without(self, part: KernelPart, partitions: list[Indices]) -> list[Array]:
        """Return the residuals (n, k) of rows left out with their group, for several ways to group the rows."""
        inverse = blocks_of(self.solved(part).bordered_inverse())
        return [Groups(index).solve(inverse, part.coefficients) for index in partitions]


@dataclass(frozen=True, eq=False, kw_only=True)
class LandmarkJackknife(Jackknife):
    """A least-squares machine on landmarks, with some training rows that represent all.

    Attributes
    ----------
    rows : ndarray of shape (q,)
    spread : LandmarkSpread
    """

    rows: Indices
    spread: LandmarkSpread

    @property
    def residuals(self) -> Array:  # type: ignore[override]
        """Leave-one-out residuals (q, k) of the rows that represent all."""
        return self.spread.residuals

    def deviation(self, component: Component, V: Array) -> Array:
        part = component.kernel_part
        gram = part.kernel.gram(part.vectors)
        found = [
            np.sqrt(self.spread.variance(gram, part.kernel.diagonal(block), part.cross(block)))
            for block in blocks(V, len(part.vectors))
        ]
        return np.concatenate(found)

    def without(self, component: Component, batches: Iterable[Array]) -> Iterator[Array]:
        part = component.kernel_part
        own = part.cross(self.spread.inputs)
        for V in batches:
            yield self.spread.decided_without(own.copy(), part.cross(V))

    def left_out_variance(self) -> Array:
        return np.outer(1.0 / self.spread.precision, self.spread.scale)


@dataclass(frozen=True, eq=False, kw_only=True)
class BagJackknife(Jackknife):
    """Trees in bags: those that a row is not in speak of it as a machine without it does.

    Attributes
    ----------
    rows, residuals
        As for :class:`Jackknife`.
    out : ndarray of bool of shape (n, n_bags)
        Which bags each of these rows is not in.
    mean_square : ndarray of shape (k,)
        Of the residuals of all rows out of bag.
    """

    rows: Indices
    residuals: Array
    out: Mask
    mean_square: Array

    def deviation(self, component: Component, V: Array) -> Array:
        return np.tile(np.sqrt(self.mean_square), (len(V), 1))

    def without(self, component: Component, batches: Iterable[Array]) -> Iterator[Array]:
        (part,) = component.parts
        assert isinstance(part, BoxPart)
        shares = self.out / np.maximum(self.out.sum(axis=1, keepdims=True), 1)
        for V in batches:
            said = part.trees.by_bag(V, self.out.shape[1])  # (m, B, k)
            yield np.asarray(component.constant + np.tensordot(shares, said, axes=(1, 1)), dtype=float)

    def left_out_variance(self) -> Array:
        return self.mean_square[None]


@dataclass(frozen=True, eq=False, kw_only=True)
class PlainJackknife(Jackknife):
    """A machine that only predicts: without a row it is taken to predict the same.

    Attributes
    ----------
    rows, residuals
        As for :class:`Jackknife`.
    mean_square : ndarray of shape (k,)
        Of the residuals of all rows left out.
    """

    rows: Indices
    residuals: Array
    mean_square: Array

    def deviation(self, component: Component, V: Array) -> Array:
        return np.tile(np.sqrt(self.mean_square), (len(V), 1))

    def without(self, component: Component, batches: Iterable[Array]) -> Iterator[Array]:
        for V in batches:
            yield np.broadcast_to(component.mean(V), (len(self.rows), len(V), len(self.mean_square)))

    def left_out_variance(self) -> Array:
        return self.mean_square[None]
