"""Models with fewer vectors: least squares and mixtures on landmarks, relevance vector machines by their evidence."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, is_dataclass, replace
from functools import singledispatch
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from kernelect.criteria.calibration import fit_temperature, probabilities
from kernelect.estimators import LSSVC, LSSVR, RVC, RVR
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.explain.adapters import TableLike
from kernelect.export.lighter import in_words, landmarks_in, unchanged, without_large_members
from kernelect.export.projected import interval_rows, landmarks_of, moved_by, on_fewer_landmarks
from kernelect.export.recovered import groups_of, losses_of, recovered
from kernelect.export.reduction import EVIDENCE, Reduction
from kernelect.export.relevance import shortened
from kernelect.machines.lssvm.pivots import Pivots
from kernelect.mixture import KernelClassifier, KernelRegressor
from kernelect.mixture.classifier import LEAST
from kernelect.mixture.members import Member, left_out
from kernelect.typing import Array, Indices

#: Sizes of a curve, of which those below the number of vectors are tried.
SIZES = (10, 20, 50, 100, 200, 500, 1000)


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
    that add least to their evidence.

    Parameters
    ----------
    model : LSSVC, LSSVR, RVC, RVR, KernelClassifier, KernelRegressor, Pipeline that ends in one, or TableModel
        Fitted. Models on landmarks lose some of them. For LSSVR, all rows give new coefficients, and some of the rows
        give leave-one-out. For LSSVC and mixtures, the result tells how far their answers move.
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


def size_curve(model: Any, sizes: Sequence[int] = SIZES, *, random_state: int = 0) -> SizeCurve:
    """Return how the leave-one-out loss falls with the number of vectors.

    Parameters
    ----------
    model : as for :func:`reduce`
    sizes : sequence of int
        Sizes that are not below the model's own number of vectors are left out.
    random_state : int
    """
    found = [reduce(model, size, random_state=random_state) for size in sorted(set(sizes))]
    found = [each for each in found if each.vectors < each.vectors_before]
    whole = reduce(model, 10**9)
    if np.isnan(whole.loss):
        raise _no_rows(whole.vectors)
    return SizeCurve(
        vectors=np.array([*(each.vectors for each in found), whole.vectors]),
        loss=np.array([*(each.loss for each in found), whole.loss]),
        standard_error=np.array([*(each.standard_error for each in found), 0.0]),
        score=whole.score,
    )


def vectors_of(model: Any) -> int:
    """Return how many vectors a model has that can be reduced, an error otherwise."""
    machine = model[-1] if isinstance(model, Pipeline) else model
    if isinstance(machine, KernelClassifier | KernelRegressor):
        machine = next((m.estimator for m in machine._members if isinstance(m.estimator, LSSVC | LSSVR)), machine)
    if not isinstance(machine, LSSVC | LSSVR):
        raise _cannot(machine)
    _check_exact(machine)
    return len(machine.X_fit_)


def _cannot(machine: Any) -> MissingCapability:
    return MissingCapability(
        f"{type(machine).__name__} cannot be reduced to fewer vectors: use LSSVC, LSSVR, RVC or RVR with "
        "a kernel, or a mixture; BasisSearchRegressor is small by itself."
    )


def _no_rows(count: int) -> MissingCapability:
    return MissingCapability(
        f"The model uses {count} landmarks and does not keep its training rows, so its leave-one-out loss at other "
        "sizes is not known: reduce(model, max_vectors) tells how far its answers move."
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


def _check_exact(machine: LSSVC | LSSVR) -> None:
    if machine.landmarks_ is not None:
        raise _no_rows(len(machine.landmarks_))
    if not hasattr(machine, "X_fit_"):
        raise MissingCapability("kernel='precomputed' has no vectors that could be left out: give a kernel of inputs.")


def _landmarks(machines: Sequence[LSSVC | LSSVR], most: int, generator: np.random.Generator) -> Indices:
    """Return the places of the rows that span the others best, at the first machine's widths.

    Where few rows span all others at these, as with a wide or linear kernel, the other machines add rows of theirs.
    """
    places: list[int] = []
    for machine in machines:
        X, kernel = machine.X_fit_, machine.kernel_
        found = Pivots(X, kernel.cross, kernel.diagonal(X), generator).first(most)
        places += [place for place in found.tolist() if place not in places][: most - len(places)]
        if len(places) == most:
            break
    return np.sort(np.array(places, dtype=np.intp))


@_reduced.register(LSSVC)
@_reduced.register(LSSVR)
def _(machine: LSSVC | LSSVR, most: int, generator: np.random.Generator) -> Reduction:
    if machine.landmarks_ is not None and len(machine.landmarks_) <= most:
        return unchanged(machine, len(machine.landmarks_))
    if machine.landmarks_ is not None:
        return _on_fewer(machine, most, generator)
    _check_exact(machine)
    targets, weights = recovered(machine)
    if most >= len(machine.X_fit_):
        losses = losses_of(left_out(machine)[machine._rows], machine, targets)
        return _reduction(machine, len(machine.X_fit_), len(machine.X_fit_), losses, losses, machine)
    places = _landmarks([machine], most, generator)
    small = _refitted(machine, machine.X_fit_[places], targets, weights)
    before = losses_of(left_out(machine)[machine._rows], machine, targets)
    after = losses_of(left_out(small), machine, targets)
    return _reduction(small, len(machine.X_fit_), len(places), before, after, machine)


def _on_fewer(machine: Any, most: int, generator: np.random.Generator) -> Reduction:
    """Return a model on landmarks with fewer of them."""
    small, remarks = on_fewer_landmarks(machine, most, generator)
    count, kept = landmarks_of(machine), landmarks_of(small)
    if isinstance(machine, LSSVR) and machine._groups is None:
        targets = machine._spread.targets(*interval_rows(machine))
        before, after = (losses_of(targets - each._spread.residuals, each, targets) for each in (machine, small))
        return _reduction(small, count, kept, before, after, machine)
    return Reduction(
        model=small,
        vectors_before=count,
        vectors=kept,
        score="probabilities" if hasattr(machine, "classes_") else "predictions",
        loss_before=0.0,
        loss=moved_by(machine, small),
        standard_error=0.0,
        remarks=remarks,
    )


@_reduced.register(RVC)
@_reduced.register(RVR)
def _(machine: RVC | RVR, most: int, generator: np.random.Generator) -> Reduction:
    if not hasattr(machine, "relevance_vectors_"):
        raise _cannot(machine)
    model, kept, lost = shortened(machine._model, most)
    small, (weights, constants) = copy(machine), model.coefficients()
    single = machine.dual_coef_.ndim == 1
    small._model, small.support_ = model, machine.support_[kept]
    small.relevance_vectors_ = machine.relevance_vectors_[kept]
    small.dual_coef_ = weights[:, 0] if single else weights
    moved = constants - machine._model.coefficients()[1]
    small.intercept_ = float(machine.intercept_ + moved[0]) if single else machine.intercept_ + moved
    return Reduction(
        model=small,
        vectors_before=machine._model.n_vectors,
        vectors=len(kept),
        score=EVIDENCE,
        loss_before=0.0,
        loss=lost,
        standard_error=0.0,
    )


def _reduction(model: Any, count: int, kept: int, before: Array, after: Array, machine: Any) -> Reduction:
    difference = after - before
    return Reduction(
        model=model,
        vectors_before=count,
        vectors=kept,
        score="log-loss" if hasattr(machine, "classes_") else "unexplained variance",
        loss_before=float(before.mean()),
        loss=float(after.mean()),
        standard_error=float(difference.std() / np.sqrt(len(difference))),
    )


def _refitted(machine: LSSVC | LSSVR, landmarks: Array, targets: Any, weights: Array) -> LSSVC | LSSVR:
    """Return the machine on landmarks, its kernel, ridge and groups as they were."""
    fresh = type(machine)(machine.kernel_, regularization=machine.regularization_, landmarks=landmarks, prior=None)
    return fresh.fit(machine.X_fit_, targets, weights, groups=groups_of(machine))


@_reduced.register(KernelClassifier)
@_reduced.register(KernelRegressor)
def _(machine: KernelClassifier | KernelRegressor, most: int, generator: np.random.Generator) -> Reduction:
    members = [member for member in machine._members if isinstance(member.estimator, LSSVC | LSSVR)]
    if most >= landmarks_in(members):
        return without_large_members(machine, members)
    if landmarks_of(machine):
        return _on_fewer(machine, most, generator)
    for member in members:
        _check_exact(member.estimator)
    leader = members[0].estimator
    targets, weights = recovered(leader)  # a classifier's members have the numbers of classes for labels
    count, rows = len(leader.X_fit_), leader._rows
    before = machine._scores(_mixture_left_out(machine)[rows], targets)
    if most >= count:
        return _reduction(machine, count, count, before, before, machine)
    places = _landmarks([member.estimator for member in members], most, generator)
    small = copy(machine)
    small._members = tuple(_on_landmarks(member, places, targets, weights) for member in members)
    small._weights = small._weigh(targets, weights)
    _recalibrate(small, targets, weights)
    found = _reduction(small, count, len(places), before, machine._scores(_mixture_left_out(small), targets), machine)
    return replace(found, remarks=_on_dropped(machine, members, targets, weights, found))


def _on_dropped(
    machine: KernelClassifier | KernelRegressor, members: list[Member], targets: Any, weights: Array, found: Reduction
) -> tuple[str, ...]:
    """Return what leaving members out costs by itself, in a sentence, where any are left out."""
    dropped = [member for member in machine._members if not isinstance(member.estimator, LSSVC | LSSVR)]
    if not dropped:
        return ()
    kept = [isinstance(member.estimator, LSSVC | LSSVR) for member in machine._members]
    share = 1.0 - float(np.sum(machine._weights[kept]))
    rest, rows = copy(machine), members[0].estimator._rows
    rest._members = tuple(replace(member, left_out=member.left_out[rows]) for member in members)
    rest._weights = rest._weigh(targets, weights)
    _recalibrate(rest, targets, weights)
    loss = float(machine._scores(_mixture_left_out(rest), targets).mean())
    return (
        f"Left out to save room: {in_words(dropped)}, with {100.0 * share:.0f} % of the "
        f"weight. That alone moves the leave-one-out {found.score} from {found.loss_before:.4g} to {loss:.4g}.",
    )


def _on_landmarks(member: Member, places: Indices, targets: Any, weights: Array) -> Member:
    estimator = _refitted(member.estimator, member.estimator.X_fit_[places], targets, weights)
    return replace(member, estimator=estimator, left_out=left_out(estimator))


def _mixture_left_out(door: KernelClassifier | KernelRegressor) -> Array:
    """Return what a mixture says of rows left out, (n, k)."""
    if isinstance(door, KernelClassifier):
        return door.loo_proba_
    return door._left_out


def _recalibrate(door: KernelClassifier | KernelRegressor, targets: Any, weights: Array) -> None:
    """Set what a mixture learns of rows left out, for members that have changed."""
    if isinstance(door, KernelClassifier):
        pooled = door._mixed([member.left_out for member in door._members])
        logs = np.log(np.maximum(pooled, LEAST))
        door._sharpness = fit_temperature(logs, targets, weights)
        door.loo_proba_ = probabilities(logs, door._sharpness)
        return
    door._learn_left_out(targets, weights)
    if door._noise_rows is not None:  # of all rows: those that intervals are made of may be fewer
        door._spread_in_units(targets - door._left_out[:, 0])
        leader = door._members[0].estimator
        door._noise_rows = door._noise_rows if leader.landmarks_ is None else door._noise_rows[leader._interval_rows]
