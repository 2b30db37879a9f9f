"""Models with fewer vectors: least squares and mixtures on landmarks, relevance vector machines on their own path."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, is_dataclass, replace
from functools import singledispatch
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from kernelect.estimators import LSSVC, LSSVR, RVC, RVR
from kernelect.estimators._rvm_fewer import shortened
from kernelect.estimators._rvm_model import RelevanceModel
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.explain.adapters import TableLike
from kernelect.export.fewer import check_inputs, estimator_of, landmarks_of, least_squares_of, on_fewer
from kernelect.export.recovered import known_rows, losses_of
from kernelect.export.reduced_mixtures import reduced_mixture
from kernelect.export.reduction import EVIDENCE, Reduction, compared, score_of
from kernelect.mixture import KernelClassifier, KernelRegressor
from kernelect.mixture.members import left_out
from kernelect.typing import Array, Indices

#: Sizes of a curve, of which those below the number of vectors are tried, and those before for machines of few vectors.
_SIZES, _FEW = (10, 20, 50, 100, 200, 500, 1000), (1, 2, 3, 5, 7)


@dataclass(frozen=True, eq=False, kw_only=True)
class SizeCurve:
    """Leave-one-out loss against the number of vectors.

    Attributes
    ----------
    vectors : ndarray of shape (n_sizes,)
        Increasing; the last one is the whole model.
    loss, standard_error : ndarray of shape (n_sizes,)
        The standard error is that of the difference to the whole model.
    score : str
    """

    vectors: Indices
    loss: Array
    standard_error: Array
    score: str


def reduce(model: Any, max_vectors: int, *, random_state: int = 0) -> Reduction:
    """Return a model with at most ``max_vectors`` vectors.

    Randomly pivoted Cholesky at the model's own widths chooses landmarks among the training rows. The coefficients
    are then fitted again to all rows. A mixture keeps its least-squares machines, with new weights. It loses its
    Gaussian processes, because their variance needs a matrix of all rows, and its trees, which grow with the rows
    however few vectors there are; ``remarks`` tells what that alone costs. Relevance vector machines lose the vectors
    that add least to their evidence, one after the other. Their leave-one-out loss holds the functions and precisions
    fixed, as is usual: it is exact for numbers and of first order for labels. ``fit`` measures it for all sizes, on up
    to 2000 rows, because the rows are not kept. A machine that was reduced before tells its ln evidence instead.

    Parameters
    ----------
    model : LSSVC, LSSVR, RVC, RVR, KernelClassifier, KernelRegressor, Pipeline that ends in one, or TableModel
        Fitted. Models on landmarks lose some of them. They keep the sums over all rows, which give the coefficients of
        a refit, and up to 4000 rows (or whole groups), which give its exact leave-one-out. Classifiers keep these sums
        for 1000 landmarks at most.
    max_vectors : int
    random_state : int

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelect import LSSVC
    >>> from kernelect.export import reduce
    >>> X, y = load_iris(return_X_y=True)
    >>> reduce(LSSVC("rbf").fit(X, y), 20).vectors
    20
    """
    if isinstance(max_vectors, bool) or not isinstance(max_vectors, Integral) or max_vectors < 1:
        raise InvalidArgument(f"max_vectors={max_vectors!r} must be a whole number of at least 1.")
    generator = np.random.default_rng(random_state)
    if isinstance(model, TableLike):
        found = _with_last(model.pipeline, int(max_vectors), generator)
        assert is_dataclass(model)
        return replace(found, model=replace(model, pipeline=found.model))
    return _with_last(model, int(max_vectors), generator)


def sizes_of(model: Any) -> tuple[int, ...]:
    """Return the sizes that a curve shows, as far as the model has more vectors: relevance vectors are few."""
    return (*_FEW, *_SIZES) if isinstance(estimator_of(model), RVC | RVR) else _SIZES


def size_curve(model: Any, sizes: Sequence[int] | None = None, *, random_state: int = 0) -> SizeCurve:
    """Return how the leave-one-out loss falls with the number of vectors.

    Parameters
    ----------
    model : as for :func:`reduce`
    sizes : sequence of int, optional
        Sizes that are not below the model's own number of vectors are left out. By default 10, 20, 50, 100, 200, 500
        and 1000, for relevance vector machines also 1, 2, 3, 5 and 7.
    random_state : int
    """
    sizes = sizes_of(model) if sizes is None else sizes
    found = [reduce(model, size, random_state=random_state) for size in sorted(set(sizes))]
    found = [each for each in found if each.vectors < each.vectors_before]
    whole = reduce(model, 10**9)
    return SizeCurve(
        vectors=np.array([*(each.vectors for each in found), whole.vectors]),
        loss=np.array([*(each.loss for each in found), whole.loss_before]),
        standard_error=np.array([*(each.standard_error for each in found), 0.0]),
        score=whole.score,
    )


def vectors_of(model: Any) -> int:
    """Return how many vectors a model has whose loss with fewer of them is known, an error otherwise."""
    machine, machines = estimator_of(model), least_squares_of(model)
    if hasattr(machine, "_loss_by_size"):
        return int(machine._model.n_vectors)
    if hasattr(machine, "relevance_vectors_"):
        raise MissingCapability(
            f"What this {type(machine).__name__} loses with fewer vectors was not kept, because it was reduced before "
            "or comes from an older version: fit it again."
        )
    if not machines:
        raise _cannot(machine)
    check_inputs(machines)
    return landmarks_of(model) or len(machines[0].X_fit_)


def _cannot(machine: Any) -> MissingCapability:
    return MissingCapability(
        f"{type(machine).__name__} cannot be reduced to fewer vectors: use LSSVC, LSSVR, RVC or RVR with "
        "a kernel, or a mixture; BasisSearchRegressor is small by itself."
    )


def _with_last(model: Any, most: int, generator: np.random.Generator) -> Reduction:
    if not isinstance(model, Pipeline):
        return _reduced(model, most, generator)
    found = _reduced(model[-1], most, generator)
    steps = [*model.steps[:-1], (model.steps[-1][0], found.model)]
    return replace(found, model=Pipeline(steps))


@singledispatch
def _reduced(machine: Any, most: int, generator: np.random.Generator) -> Reduction:
    raise _cannot(machine)


@_reduced.register(LSSVC)
@_reduced.register(LSSVR)
def _(machine: LSSVC | LSSVR, most: int, generator: np.random.Generator) -> Reduction:
    check_inputs([machine])
    count, known = len(machine.X_fit_), known_rows(machine)
    before = losses_of(left_out(machine)[known.rows], machine, known.targets)
    if most >= count:
        return compared(machine, count, count, before, before)
    (small,) = on_fewer([machine], most, known, generator)
    return compared(small, count, len(small.X_fit_), before, losses_of(left_out(small), machine, known.targets))


_reduced.register(KernelClassifier, reduced_mixture)
_reduced.register(KernelRegressor, reduced_mixture)


@_reduced.register(RVC)
@_reduced.register(RVR)
def _(machine: RVC | RVR, most: int, generator: np.random.Generator) -> Reduction:
    if not hasattr(machine, "relevance_vectors_"):
        raise _cannot(machine)
    model, kept, lost = shortened(machine._model, most)
    small, count = _on_path(machine, model, kept), machine._model.n_vectors
    found = Reduction(
        model=small,
        vectors_before=count,
        vectors=len(kept),
        score=EVIDENCE,
        loss_before=0.0,
        loss=lost,
        standard_error=0.0,
    )
    if not hasattr(machine, "_loss_by_size"):
        return found
    known = machine._loss_by_size
    if len(kept) < count:
        del small._loss_by_size  # its standard errors are those of differences to the model before
    return replace(
        found,
        score=score_of(machine),
        loss_before=float(known.loss[-1]),
        loss=float(known.loss[len(kept)]),
        standard_error=float(known.standard_error[len(kept)]),
    )


def _on_path(machine: RVC | RVR, model: RelevanceModel, kept: Indices) -> RVC | RVR:
    """Return the machine on the vectors that are ``kept``, whose model is given."""
    small, (weights, constants) = copy(machine), model.coefficients()
    unit, single = machine._unit if isinstance(machine, RVR) else 1.0, machine.dual_coef_.ndim == 1
    small._model, small.support_ = model, machine.support_[kept]
    small.relevance_vectors_ = machine.relevance_vectors_[kept]
    small.dual_coef_ = unit * (weights[:, 0] if single else weights)
    moved = unit * (constants - machine._model.coefficients()[1])
    small.intercept_ = float(machine.intercept_ + moved[0]) if single else machine.intercept_ + moved
    return small
