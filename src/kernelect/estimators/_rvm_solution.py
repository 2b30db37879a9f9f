"""A relevance vector machine that was solved, as a part of a model."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernelect.dictionaries import Candidates, DictionaryDesign
from kernelect.estimators._columns import ColumnOrder
from kernelect.estimators._relevance import function_relevances, relevances
from kernelect.estimators._rvm_centres import origins_of
from kernelect.estimators._rvm_model import on_centres, on_rows
from kernelect.kernels import Kernel, Precomputed
from kernelect.kernels.centres import GaussianCentres
from kernelect.machines.rvm import Slopes, TargetLikelihood, moved_centres
from kernelect.model import Component, FunctionPart, KernelPart, Tempered, WeightSpread
from kernelect.model.relevance import LossBySize, RelevanceModel
from kernelect.selection import RelevanceObjective
from kernelect.typing import Array, Indices


@dataclass(frozen=True, eq=False, kw_only=True)
class RelevanceSolution:
    """A sparse model over kernel functions or functions of a dictionary.

    Attributes
    ----------
    kernel : Kernel or None
        None if functions of a dictionary take its place.
    functions : Candidates or None
    vectors : ndarray of shape (n_vectors, d) or None
        None for functions of a dictionary and for kernel values that were given.
    support : ndarray of int
        Rows of the vectors, or places of the functions in their dictionary.
    landmarks : ndarray or None
        Where candidate functions were centred, if not on all rows.
    model : RelevanceModel
    slopes : list of Slopes
        Of every output's likelihood.
    noise : float
        Standard deviation; 0 for labels and for targets that never vary.
    """

    kernel: Kernel | None
    functions: Candidates | None
    vectors: Array | None
    support: Indices
    landmarks: Array | None
    model: RelevanceModel
    slopes: list[Slopes]
    noise: float

    @classmethod
    def at(cls, objective: RelevanceObjective, theta: Array, rows: Indices, *, centres: str) -> RelevanceSolution:
        """Return the machine at ``theta``; ``rows`` are those of the user that have a candidate function."""
        fits, kernel = objective.fits(theta), objective.kernel_at(theta)
        columns, model = on_rows(fits)
        likelihood, slopes = fits[0].likelihood, [fit.posterior.slopes for fit in fits]
        dictionary = kernel.dictionary if isinstance(kernel, DictionaryDesign) else None
        bare = dictionary is not None or isinstance(kernel, Precomputed)
        vectors = None if bare else objective.points[columns]
        if centres == "movable":
            geometry = GaussianCentres.of(kernel, objective.X)
            moved = [moved_centres(fit, objective.points, geometry) for fit in fits]
            vectors, model = on_centres(moved)
            likelihood, slopes = moved[0][0].likelihood, [posterior.slopes for _, posterior in moved]
            columns = origins_of(objective.points, np.vstack([fit.origins for fit, _ in moved]))
        if dictionary is None:
            columns = rows[columns]
            order = np.argsort(columns, kind="stable")
            columns, model = columns[order], model.reordered(order)
            vectors = None if vectors is None else vectors[order]
        return cls(
            kernel=None if dictionary is not None else kernel,
            functions=None if dictionary is None else dictionary.build(objective.X).take(columns),
            vectors=vectors,
            support=columns,
            landmarks=None if objective.centres is None else objective.centres.points,
            model=model,
            slopes=slopes,
            noise=_noise(likelihood),
        )

    def relevances(self, X: Array) -> Array:
        """Return how much every input matters."""
        weights, _ = self.model.coefficients()
        if self.functions is not None:
            return function_relevances(self.functions, X, weights)
        assert self.kernel is not None
        assert self.vectors is not None
        return relevances(self.kernel, X, weights, self.vectors)

    def values(self, X: Array) -> Array:
        """Return the values (m, n_vectors) of the vectors' functions at rows."""
        assert self.kernel is not None
        assert self.vectors is not None
        return (
            np.ascontiguousarray(self.kernel.cross(self.vectors, X).T) if len(self.vectors) else np.zeros((len(X), 0))
        )

    def as_given(self, columns: ColumnOrder) -> RelevanceSolution:
        """Return the same machine for columns in the order in which they were given."""
        return replace(
            self,
            kernel=None if self.kernel is None else columns.outside(self.kernel),
            vectors=None if self.vectors is None else np.take(self.vectors, columns.given, axis=1),
        )

    def component(self, unit: float, centre: float, link: Tempered | None, losses: LossBySize | None) -> Component:
        """Return the machine in the unit of the targets as they were given, which had the mean ``centre``."""
        weights, constants = self.model.coefficients()
        spread = WeightSpread(model=self.model, unit=unit, noise=unit * self.noise, losses=losses)
        return Component(
            parts=(self._part(unit * weights),), constant=unit * constants + centre, link=link, spread=spread
        )

    def _part(self, coefficients: Array) -> KernelPart | FunctionPart:
        if self.functions is not None:
            return FunctionPart(functions=self.functions, coefficients=coefficients)
        assert self.kernel is not None
        bare = np.zeros((0, 0)) if self.vectors is None else self.vectors
        places = self.support if self.vectors is None else None
        return KernelPart(kernel=self.kernel, vectors=bare, coefficients=coefficients, places=places)


def _noise(likelihood: TargetLikelihood) -> float:
    precision = getattr(likelihood, "noise_precision", None)
    return float(precision**-0.5) if precision is not None and np.any(likelihood.targets) else 0.0
