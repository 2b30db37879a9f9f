"""Least-squares components on fewer landmarks: those that span the others best at the components' own widths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelect.criteria.calibration import classes_of, fit_temperature
from kernelect.estimators import LSSVC, LSSVR
from kernelect.exceptions import MissingCapability
from kernelect.machines.lssvm.landmarks import WhitenedFrame
from kernelect.machines.lssvm.pivots import Pivots
from kernelect.machines.lssvm.spread import left_out_precision
from kernelect.model import Component, ExactJackknife, LandmarkJackknife, Model, Tempered
from kernelect.model.subject import subject_of
from kernelect.selection import squared_scale
from kernelect.typing import Array, Indices


@dataclass(frozen=True, eq=False, kw_only=True)
class KnownRows:
    """Training rows whose targets are known.

    Attributes
    ----------
    rows, numbers : ndarray of int
        Their places in what the model keeps of its training rows, and in what it was fitted on.
    targets : ndarray
        Places of classes, or numbers on the scale on which they are modelled.
    weights : ndarray
    groups : ndarray of int or None
    """

    rows: Indices
    numbers: Indices
    targets: Any
    weights: Array
    groups: Indices | None


def is_least_squares(component: Component) -> bool:
    """Return whether a component is a least-squares machine."""
    return component.sampled is not None or isinstance(component.spread, ExactJackknife)


def least_squares_of(model: Any) -> list[Component]:
    """Return the least-squares components of a model."""
    return [component for component in subject_of(model).model.components if is_least_squares(component)]


def landmarks_of(model: Any) -> int:
    """Return how many landmarks a model stands on, at most; 0 if one of its machines has all rows."""
    components = least_squares_of(model)
    counts = [0 if each.sampled is None else len(each.kernel_part.vectors) for each in components]
    return 0 if 0 in counts else max(counts, default=0)


def check_inputs(components: Sequence[Component]) -> None:
    """Raise if a component knows kernel values alone."""
    if any(component.kernel_part.is_precomputed for component in components):
        raise MissingCapability("kernel='precomputed' has no vectors that could be left out: give a kernel of inputs.")


def known_rows(model: Model) -> KnownRows:
    """Return the rows whose targets a model knows, and which its least-squares components leave out."""
    training, first = model.training, next(c for c in model.components if is_least_squares(c))
    if training is None:
        raise MissingCapability("This model keeps nothing of its training rows, so that it cannot be made smaller.")
    if first.sampled is None:
        assert isinstance(first.spread, ExactJackknife)
        numbers = first.spread.rows
    else:
        numbers = first.sampled.numbers
    rows = np.searchsorted(training.numbers, numbers)
    groups = None if training.groups is None else training.groups[rows]
    return KnownRows(
        rows=rows, numbers=numbers, targets=training.targets[rows], weights=training.weights[rows], groups=groups
    )


def on_fewer(
    components: Sequence[Component], most: int, known: KnownRows, generator: np.random.Generator
) -> list[Component]:
    """Return components on at most so many landmarks, with the kernels and ridges that they have.

    Their left-out values are those of the rows that are ``known``. Machines on landmarks keep some of their
    own. Exact machines of the same rows share theirs, and are fitted again to all of these.
    """
    if all(component.sampled is not None for component in components):
        return [_on_own(component, most, known, generator) for component in components]
    places = shared_landmarks(components, most, generator)
    return [_refitted(component, places, known) for component in components]


def _on_own(component: Component, most: int, known: KnownRows, generator: np.random.Generator) -> Component:
    part, sampled = component.kernel_part, component.sampled
    assert sampled is not None
    if len(part.vectors) <= most and component.link is not None:
        assert component.left_out is not None
        return replace(component, left_out=component.left_out[known.rows])
    Z, kernel = part.vectors[sampled.places], part.kernel
    if len(Z) <= most or len(part.vectors) <= most:
        return _among(component, np.arange(len(Z)))
    return _among(component, np.sort(Pivots(Z, kernel.cross, kernel.diagonal(Z), generator).first(most)))


def _among(component: Component, chosen: Indices) -> Component:
    """Return the machine on some of the landmarks that it keeps sums of: a refit of all rows."""
    part, sampled = component.kernel_part, component.sampled
    assert sampled is not None
    rows = sampled.among(chosen)
    vectors = np.ascontiguousarray(part.vectors[sampled.places[chosen]])
    cross = part.kernel.cross(vectors, rows.inputs)
    out = rows.left_out(cross)
    small = replace(
        component,
        parts=(replace(part, vectors=vectors, coefficients=rows.state.dual_coef),),
        constant=np.atleast_1d(rows.state.intercept),
        left_out=rows.targets - out.residuals,
        sampled=rows,
        refitted=False,
    )
    if component.link is not None:
        index = classes_of(rows.targets)
        assert small.left_out is not None
        temperature = fit_temperature(small.left_out, index, rows.weights)
        return replace(small, link=Tempered(inverse_temperature=temperature))
    known = component.spread
    assert isinstance(known, LandmarkJackknife)
    frame = WhitenedFrame.of(part.kernel.gram(vectors), rows.state.target_mean, known.spread.epsilon)
    unspanned = rows.unspanned(frame, part.kernel.diagonal(rows.inputs), cross)
    precision = left_out_precision(rows.state, unspanned, out.room, rows.weights)
    scale = squared_scale(out.residuals, precision, rows.weights)
    spread = known.spread.among(rows, cross, out, precision, scale)
    return replace(small, spread=LandmarkJackknife(rows=rows.numbers, spread=spread))


def shared_landmarks(components: Sequence[Component], most: int, generator: np.random.Generator) -> Indices:
    """Return the places of the rows that span the others best, at the first machine's widths.

    If few rows span all others at these, as with a wide or linear kernel, the other machines add rows of theirs.
    """
    places: list[int] = []
    for component in components:
        X, kernel = component.kernel_part.vectors, component.kernel_part.kernel
        found = Pivots(X, kernel.cross, kernel.diagonal(X), generator).first(most)
        places += [place for place in found.tolist() if place not in places][: most - len(places)]
        if len(places) == most:
            break
    return np.sort(np.array(places, dtype=np.intp))


def _refitted(component: Component, places: Indices, known: KnownRows) -> Component:
    """Return the machine on landmarks, its kernel, ridge and groups as they were."""
    (small,) = refit(component, known, landmarks=component.kernel_part.vectors[places]).model_.components
    return replace(small, view=component.view, widths=component.widths)


def refit(component: Component, known: KnownRows, *, landmarks: Any, rows: Indices | None = None) -> LSSVC | LSSVR:
    """Return an exact machine fitted again to its rows, or some of them, with the kernel and ridge that it has."""
    part, spread = component.kernel_part, component.spread
    assert isinstance(spread, ExactJackknife)
    kind: Any = LSSVR if component.link is None else LSSVC
    fresh = kind(part.kernel, regularization=spread.ridge, landmarks=landmarks, prior=None)
    rows = np.arange(len(part.vectors)) if rows is None else rows
    groups = None if known.groups is None else known.groups[rows]
    return fresh.fit(part.vectors[rows], known.targets[rows], known.weights[rows], groups=groups)


def losses_of(left_out: Array, targets: Any, labels: bool, rows: Indices | None = None) -> Array:
    """Return the loss of rows left out: all of those with targets, or some ``rows`` of them."""
    rows = np.arange(len(targets)) if rows is None else rows
    if labels:
        return np.asarray(-np.log(np.maximum(left_out[np.arange(len(rows)), targets[rows]], 1e-12)))
    y = np.asarray(targets, dtype=float).reshape(len(targets), -1)
    variance = y.var(axis=0)
    return np.asarray(np.mean((y[rows] - left_out) ** 2 / np.where(variance > 0.0, variance, 1.0), axis=1))
