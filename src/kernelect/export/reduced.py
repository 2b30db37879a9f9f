"""Models with fewer vectors, as records: least squares and mixtures on landmarks, sparse models on their own path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kernelect.estimators._rvm_fewer import shortened
from kernelect.exceptions import MissingCapability
from kernelect.export.fewer import (
    KnownRows,
    check_inputs,
    is_least_squares,
    known_rows,
    landmarks_of,
    losses_of,
    on_fewer,
)
from kernelect.export.reduction import EVIDENCE, Reduction, compared, loss_name
from kernelect.mixture.heads import label_head, number_head, number_mix
from kernelect.model import (
    Component,
    KernelPart,
    LabelHead,
    Model,
    NumberHead,
    PosteriorSpread,
    TrainingRows,
    WeightSpread,
)
from kernelect.typing import Array, Indices

#: What to know of coefficients that the log-loss found.
_ON_LEAST_SQUARES = (
    "In the whole model the log-loss refitted coefficients; in a smaller one they are those of least squares, which is "
    "part of the difference."
)


#: A smaller model, and which components, or which vectors of a sparse model, stay; None if all do.
Smaller = tuple[Reduction, Indices | None]


def smaller(model: Model, most: int, generator: np.random.Generator, title: str = "This model") -> Smaller:
    """Return a model with at most so many vectors."""
    if is_sparse(model):
        return _on_path(model, most)
    if not any(is_least_squares(component) for component in model.components):
        raise cannot(title)
    return _on_landmarks(model, most, generator)


def cannot(title: str) -> MissingCapability:
    """Return what to say of a model that cannot be made smaller."""
    return MissingCapability(
        f"{title} cannot be reduced to fewer vectors: use LSSVC, LSSVR, RVC or RVR with "
        "a kernel, or a mixture; BasisSearchRegressor is small by itself."
    )


def is_sparse(model: Model) -> bool:
    """Return whether a model is a relevance vector machine with vectors."""
    component = model.components[0]
    part = component.parts[0]
    return isinstance(component.spread, WeightSpread) and isinstance(part, KernelPart) and not part.is_precomputed


def _on_path(model: Model, most: int) -> Smaller:
    """Return the model without the vectors that add least to its evidence."""
    (component,) = model.components
    part, spread = component.kernel_part, component.spread
    assert isinstance(spread, WeightSpread)
    count = spread.model.n_vectors
    short, kept, lost = shortened(spread.model, most)
    weights, constants = short.coefficients()
    known = spread.losses  # standard errors are those of differences to the model
    small = replace(
        component,
        parts=(replace(part, vectors=part.vectors[kept], coefficients=spread.unit * weights),),
        constant=component.constant + spread.unit * (constants - spread.model.coefficients()[1]),
        spread=replace(spread, model=short, losses=known if len(kept) == count else None),
    )
    found = Reduction(
        model=replace(model, components=(small,)), vectors_before=count, vectors=len(kept), score=EVIDENCE, loss=lost
    )
    if known is None:
        return found, kept
    after, error = float(known.loss[len(kept)]), float(known.standard_error[len(kept)])
    before = float(known.loss[-1])
    return replace(found, score=loss_name(model), loss_before=before, loss=after, standard_error=error), kept


def _on_landmarks(model: Model, most: int, generator: np.random.Generator) -> Smaller:
    """Return a model of the least-squares components alone, on at most so many vectors each.

    A mixture on landmarks loses its trees even if it keeps all landmarks: they grow with the rows.
    """
    stays = [is_least_squares(component) for component in model.components]
    machines = [component for component, stay in zip(model.components, stays, strict=True) if stay]
    check_inputs(machines)
    known = known_rows(model)
    count, labels = landmarks_of(model) or len(machines[0].kernel_part.vectors), model.is_classifier
    before = losses_of(_said(model, known), known.targets, labels)
    if most >= count and (all(stays) or not landmarks_of(model)):
        return compared(model, count, count, before, before), None
    fewer = on_fewer(machines, most, known, generator)
    small = _mixed_again(model, fewer, known)
    assert small.training is not None
    after = losses_of(small.training.left_out, known.targets, labels)
    vectors = max(len(component.kernel_part.vectors) for component in fewer)
    remarks = [] if all(stays) else [_on_dropped(model, stays, known, before)]
    if any(component.refitted for component in machines) and not all(component.refitted for component in fewer):
        remarks.append(_ON_LEAST_SQUARES)
    found = compared(small, count, vectors, before, after)
    return replace(found, remarks=tuple(remarks)), np.flatnonzero(stays)


def _said(model: Model, known: KnownRows) -> Array:
    """Return what the model says of known rows left out, by weights that have seen them: a smaller one's have too."""
    if len(model.components) == 1:
        assert model.training is not None
        return model.training.left_out[known.rows]
    values = [component.left_out_answers()[known.rows] for component in model.components]
    return model.head.probabilities(values) if isinstance(model.head, LabelHead) else model.head.on_scale(values)


def _mixed_again(model: Model, components: Sequence[Component], known: KnownRows) -> Model:
    """Return a model of these components, which speak of the rows that are known, with weights of their own."""
    head, targets, weights = model.head, known.targets, known.weights
    left_out: Array
    if isinstance(head, LabelHead):
        if head.sharpness is None:
            (component,) = components
            new: LabelHead | NumberHead = head
            left_out = component.left_out_answers()
        else:
            found, left_out = label_head(components, head.classes, targets, weights)
            new = replace(found, decision=head.decision)
    else:
        new, left_out, components = _numbers_again(head, components, known, exact=not landmarks_of(model))
    training = TrainingRows(
        numbers=known.numbers, targets=targets, weights=weights, left_out=left_out, groups=known.groups
    )
    return replace(model, components=tuple(components), head=new, training=training)


def _numbers_again(
    head: NumberHead, components: Sequence[Component], known: KnownRows, *, exact: bool
) -> tuple[NumberHead, Array, Sequence[Component]]:
    if head.limits is None:
        (component,) = components
        return head, component.left_out_answers(), components
    within = _within(head, components)
    new, left_out = number_head(
        within, _on_scale(known), known.weights, scale=head.scale, limits=head.limits, single=head.single
    )
    if head.noise is not None:
        # Exact machines were fitted again, and number their rows among these.
        noise = replace(head.noise, rows=head.noise.rows[known.numbers]) if exact else head.noise
        new = replace(new, noise=noise)
    return new, left_out, within


def _within(head: NumberHead, components: Sequence[Component]) -> list[Component]:
    return [replace(each, left_out=head.within(each.left_out_answers())) for each in components]


def _on_scale(known: KnownRows) -> Array:
    return np.asarray(known.targets, dtype=float).reshape(len(known.targets), -1)


def _on_dropped(model: Model, stays: Sequence[bool], known: KnownRows, before: Array) -> str:
    """Return what leaving components out costs by itself, in a sentence."""
    pairs = list(zip(model.components, stays, strict=True))
    share = 1.0 - float(np.sum(model.head.weights[np.array(stays)]))
    rest = [replace(each, left_out=_values(each)[known.rows]) for each, stay in pairs if stay]
    if isinstance(model.head, LabelHead):
        left_out = label_head(rest, model.head.classes, known.targets, known.weights)[1]
    else:
        left_out = number_mix(_within(model.head, rest), _on_scale(known), known.weights)[1]
    loss = float(losses_of(left_out, known.targets, model.is_classifier).mean())
    return (
        f"Left out to save room: {_in_words([each for each, stay in pairs if not stay])}, with {100.0 * share:.0f} % "
        f"of the weight. That alone moves the leave-one-out {loss_name(model)} from {float(before.mean()):#.4g} to "
        f"{loss:#.4g}."
    )


def _values(component: Component) -> Any:
    assert component.left_out is not None
    return component.left_out


def _in_words(components: Sequence[Component]) -> str:
    """Return what components are that are no least-squares machines."""
    count = sum(isinstance(component.spread, PosteriorSpread) for component in components)
    words = [] if not count else ["a Gaussian process" if count == 1 else f"{count} Gaussian processes"]
    words += dict.fromkeys(each.noun for each in components if not isinstance(each.spread, PosteriorSpread))
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
