"""Models in the operations of a graph: parts, links and heads, as :mod:`kernelect.model` has them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.explain.kernel_values import columns_of_values
from kernelect.export.fall import Fall
from kernelect.export.functions import function_sum, function_values
from kernelect.export.graph import (
    Node,
    added,
    apply,
    clipped,
    concatenated,
    const,
    narrowed,
    reduced,
    stretched,
    take,
    times,
)
from kernelect.export.heads import both_way_nodes, mixed_log_odds, softmax, tempered
from kernelect.export.inputs import indicated, warped
from kernelect.export.kernels import kernel_diagonal, kernel_sum, kernel_values
from kernelect.export.special import log_normal
from kernelect.export.tracing import traced
from kernelect.model import (
    BoxPart,
    Component,
    ForeignPart,
    FunctionPart,
    KernelPart,
    LabelHead,
    Model,
    Moderated,
    Ordered,
    Part,
    PosteriorSpread,
    Predictive,
    Tempered,
    View,
    WeightSpread,
)
from kernelect.model.heads import LEAST
from kernelect.model.smaller import fewer_rows
from kernelect.typing import Array

#: Less than this part of the prior variance is never left, as in model/spreads.py.
_LEAST_SHARE = 1e-12


@dataclass(frozen=True, eq=False)
class Outputs:
    """What a model answers: predicted values or probabilities, and decision values if it has them."""

    result: Node
    decision: Node | None = None
    classes: tuple[Any, ...] | None = None


def outputs_of(model: Model, x: Node) -> Outputs:
    """Return what a model answers for inputs ``x`` (d,)."""
    return _of_labels(model, model.head, x) if isinstance(model.head, LabelHead) else _of_numbers(model, x)


def _of_labels(model: Model, head: LabelHead, x: Node) -> Outputs:
    classes, components = tuple(np.asarray(head.classes).tolist()), model.components
    if head.sharpness is not None:
        found = pooled(head.weights, [answer_of(component, x) for component in components])
        logs = apply("log", apply("max", found, LEAST))
        return Outputs(softmax(float(head.sharpness) * logs), None, classes)
    if isinstance(components[0].link, Ordered):
        return Outputs(answer_of(components[0], x), None, classes)
    decision = mixed_log_odds([decision_of_component(component, x) for component in components])
    return Outputs(_linked(components[0], decision), decision, classes)


def _of_numbers(model: Model, x: Node) -> Outputs:
    return Outputs(traced(model.numbers.scale.mean, on_scale(model, x), "The scale of the target"))


def on_scale(model: Model, x: Node) -> Node:
    """Return what a model of numbers predicts on the scale on which the target is modelled, (k,)."""
    head = model.numbers
    answers = [answer_of(component, x) for component in model.components]
    if head.limits is None:
        return pooled(head.weights, answers)
    limited = [clipped(answer, *head.limits) for answer in answers]
    found = pooled(head.weights, limited)
    return found if head.straight is None else found + (answers[head.straight] - limited[head.straight])


def pooled(weights: Array, answers: list[Node]) -> Node:
    """Return the weighted sum of what components answer."""
    if len(answers) == 1:
        return answers[0]
    return added([float(weight) * answer for weight, answer in zip(weights, answers, strict=True)])


def answer_of(component: Component, x: Node) -> Node:
    """Return what a component answers: probabilities, or numbers (k,)."""
    if component.link is None:
        return mean_of(component, viewed(component.view, x))
    return _linked(component, decision_of_component(component, x))


def _linked(component: Component, decision: Node) -> Node:
    """Return probabilities from decision values."""
    link = component.link
    if isinstance(link, Tempered):
        return tempered(decision, link.inverse_temperature)
    if isinstance(link, Predictive):
        owner = type(link.likelihood).__name__
        return softmax(traced(link.likelihood.log_probability, both_way_nodes(decision), owner))
    if isinstance(link, Ordered):
        above = apply("exp", log_normal(decision))  # the probabilities of lying above each threshold
        return concatenated([const(1.0), above]) - concatenated([above, const(0.0)])
    raise MissingCapability(f"{type(link).__name__} probabilities of a machine of Python cannot be exported.")


def decision_of_component(component: Component, x: Node) -> Node:
    """Return the decision values (k,) of a component of labels."""
    V, link = viewed(component.view, x), component.link
    if isinstance(link, Moderated):
        return traced(link.decision, weighed(component, V), "Moderated")
    if isinstance(link, Predictive | Ordered):
        if not isinstance(component.spread, PosteriorSpread):
            raise MissingCapability(
                "kernel='precomputed' does not tell k(x, x) of new rows, which probabilities of a posterior need: "
                "export an LSSVC, or a model with a kernel of the inputs."
            )
        latent = latent_of(component.kernel_part, component.spread, V)
        if isinstance(link, Ordered):
            return (latent[0] - link.thresholds) / apply("sqrt", 1.0 + latent[1])
        return traced(link.decision, latent, type(link.likelihood).__name__)
    return mean_of(component, V)


def viewed(view: View, x: Node) -> Node:
    """Return the inputs of a model as a component sees them."""
    seen = x if view.warp is None else warped(view.warp, x)
    return seen if view.indicators is None else indicated(view.indicators, seen)


def mean_of(component: Component, V: Node) -> Node:
    """Return the sum that a component is, (k,)."""
    total, constant = [], component.constant
    for part in component.parts:
        if isinstance(part, KernelPart) and part.places is not None:
            columns, offset = columns_of_values(part)
            part, constant = columns, constant + offset
        if len(part.coefficients):
            total.append(part_sum(part, V))
    return added([*total, const(constant)])


def part_sum(part: Part, V: Node) -> Node:
    """Return the values (k,) of a part."""
    if isinstance(part, KernelPart):
        return kernel_sum(part.kernel, part.vectors, part.coefficients, V)
    if isinstance(part, FunctionPart):
        return function_sum(part.functions, part.coefficients, V)
    if isinstance(part, BoxPart):
        return narrowed(Fall((V,), replace(part.trees, boxes=part.coefficients)))
    machine = part.machine if isinstance(part, ForeignPart) else part
    raise MissingCapability(
        f"{type(machine).__name__} is a machine of Python, which cannot be exported: leave it out of the candidates."
    )


def latent_of(part: KernelPart, spread: PosteriorSpread, V: Node) -> tuple[Node, Node]:
    """Return mean and variance (k,) of latent functions: the variance is k(x, x) less what the data explain."""
    values = stretched(kernel_values(part.kernel, part.vectors, V), len(part.vectors))
    prior = kernel_diagonal(part.kernel, part.vectors, V)
    explained = [reduced("sum", apply("square", times(values, fewer_rows(W, part).T))) for W in spread.roots]
    return times(values, part.coefficients), apply("max", prior - concatenated(explained), _LEAST_SHARE * prior)


def weighed(component: Component, V: Node) -> tuple[Node, Node]:
    """Return mean and variance (k,) of phi(x)^T w for weights w with a normal posterior, in their own unit."""
    assert isinstance(component.spread, WeightSpread)
    values = _design(component, V)
    means, variances = [], []
    for output in component.spread.model.outputs:
        ones = [const(1.0)] if output.constant else []
        phi = concatenated([*ones, take(values, output.columns)] if len(output.columns) else ones)
        eigenvalues, vectors = np.linalg.eigh(output.covariance)
        roots = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
        means.append(times(phi, output.weights[:, None]))
        variances.append(reduced("sum", apply("square", times(phi, roots))))
    return concatenated(means), concatenated(variances)


def _design(component: Component, V: Node) -> Node:
    """Return the values of the functions that a component adds up."""
    part = component.parts[0]
    if not len(part.coefficients):
        return const(np.zeros(0))
    if isinstance(part, FunctionPart):
        return function_values(part.functions, V)
    assert isinstance(part, KernelPart)
    if part.places is not None:
        return narrowed(take(V, part.places))
    return stretched(kernel_values(part.kernel, part.vectors, V), len(part.vectors))
