"""How uncertain a component is: variances at new rows, and predictions without single training rows.

Notation: V (m, d) new inputs, n training rows, k outputs, r leave-one-out residuals, f_-i what the machine without row
i (or without its group) predicts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.model.parts import KernelPart, blocks
from kernelect.numerics import best_blas_threads
from kernelect.typing import Array, Indices

if TYPE_CHECKING:  # predictions need no machine
    from kernelect.machines.lssvm.spread import LandmarkSpread
    from kernelect.model.component import Component
    from kernelect.numerics import Bordered

#: Rows up to which a factorised system is kept: 8 MB, and predictions, deviations and intervals share it.
_KEPT_ROWS = 1000


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


@dataclass(frozen=True, eq=False, kw_only=True)
class EvenSpread(Spread):
    """A deviation that is the same everywhere.

    Attributes
    ----------
    size : ndarray of shape (k,)
    """

    size: Array

    def deviation(self, component: Component, V: Array) -> Array:
        return np.tile(self.size, (len(V), 1))


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

    def solved(self, part: KernelPart) -> Bordered:
        """Return the system factorised again: files hold no factor, and memory only those of few rows."""
        known = vars(self).get("_solved")
        if known is not None and known[0] is part:
            return known[1]
        from kernelect.numerics import Bordered

        with best_blas_threads():
            gram = part.kernel.gram(part.vectors) if self.gram is None else self.gram
            system = Bordered.of(gram, self.ridge / self.weights)
        if len(gram) <= _KEPT_ROWS:
            object.__setattr__(self, "_solved", (part, system))
        return system

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_solved"}

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
            bordered = state.bordered_solve(cross) + state.ones_solution[:, None] / state.ones_total
            moved = self.residuals[:, None] * bordered[..., None]
            if self.groups is not None:
                from kernelect.machines.lssvm.groups import Groups

                moved = Groups(self.groups).sums(moved)
            yield np.asarray(component.mean(V)[None] - moved, dtype=float)

    def left_out_variance(self) -> Array:
        assert self.precision is not None
        assert self.scale is not None
        return np.outer(1.0 / self.precision, self.scale**2)

    def residuals_without(self, part: KernelPart, partitions: list[Indices]) -> list[Array]:
        """Return the residuals (n, k) of rows left out with their group, for several ways to group the rows."""
        from kernelect.machines.lssvm.groups import Groups, blocks_of

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


def check_coverage(coverage: object, argument: str = "coverage") -> None:
    """Raise if the coverage of an interval is no number between 0 and 1."""
    if not isinstance(coverage, Real) or not 0.0 < float(coverage) < 1.0:
        raise InvalidArgument(f"{argument}={coverage!r} must be a number between 0 and 1, such as 0.9.")


def jackknife_ends(
    left_out: Array, residuals: Array, coverage: float, times: Array | None = None
) -> tuple[Array, Array]:
    """Return lower and upper ends (m, k) of jackknife+ intervals.

    Parameters
    ----------
    left_out : ndarray of shape (n, m, k)
        Predictions at m new rows by machines without one of n training rows each.
    residuals : ndarray of shape (n, k)
        Leave-one-out residuals of the training rows.
    coverage : float
    times : ndarray of shape (m, k), optional
        What residuals are multiplied by at each new row, if they are in units of a spread that differs.
    """
    rank = _rank(len(left_out), coverage)
    spread = np.abs(residuals)[:, None] * (1.0 if times is None else times)
    ends = _order_statistic(left_out + spread, rank), -_order_statistic(spread - left_out, rank)
    return np.minimum(*ends), np.maximum(*ends)  # at small coverage they may cross


def jackknife_reach(residuals: Array, coverage: float) -> Array:
    """Return q (k,) so that f(x) - q s(x) to f(x) + q s(x) is the plain jackknife's interval.

    Of jackknife+ it differs by how far apart the f_-i(x) are, mostly less than a hundredth of its width, and it takes
    nothing from the rows but this number: so an exported model can carry it.

    Parameters
    ----------
    residuals : ndarray of shape (n, k)
        Leave-one-out residuals, in units of the spread if it differs between rows.
    coverage : float
    """
    return _order_statistic(np.abs(residuals), _rank(len(residuals), coverage))


def _rank(count: int, coverage: float) -> int:
    """Return the rank of an end among ``count`` + 1: beyond ``count`` the interval has no end."""
    return int(np.ceil(coverage * (count + 1)))


def _order_statistic(values: Array, rank: int) -> Array:
    """Return the ``rank``-th smallest along the first axis, infinite beyond the last."""
    if rank > len(values):
        return np.full(values.shape[1:], np.inf)
    return np.asarray(np.partition(values, rank - 1, axis=0)[rank - 1], dtype=float)
