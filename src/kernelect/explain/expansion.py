"""A fitted model as what it adds up: parts, each in its view of the rows, times their weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.explain.kernel_values import columns_of_values
from kernelect.explain.players import Players, one_each, players_of
from kernelect.explain.summands import BoxSummand, Summand, function_summands, kernel_summands
from kernelect.model import (
    BoxPart,
    Component,
    ForeignPart,
    FunctionPart,
    KernelPart,
    LabelHead,
    Model,
    NumberHead,
    Ordered,
    Part,
    PosteriorSpread,
    TargetScale,
    Tempered,
    View,
)
from kernelect.model.scales import ANSCOMBE
from kernelect.model.subject import Subject, subject_of
from kernelect.typing import Array, Indices

_LATENT = (
    "Effects add up to the mean of the latent function. The decision value also depends on its variance, and is no sum."
)

_PRECOMPUTED = (
    "kernel='precomputed' does not tell the inputs behind it, so each value belongs to the kernel value with one "
    "training row."
)

_POOLED = "A mixture's probabilities are no sum over columns: its members' mean log-odds are explained."

#: Log-odds are about so many times a probit.
_LOGITS_PER_PROBIT = 1.702

#: What a target is modelled by, as sentences put it, and what adds up then.
_SCALES = {
    "log": ("its logarithm", "logarithm of the prediction"),
    "log1p": ("the logarithm of one more", "logarithm of one more than the prediction"),
    "sqrt": ("its square root", "square root of the prediction"),
    "times": ("a bent logarithm, on which all times are normal", "normal score of the prediction"),
}

_ON_SCALE = "The target is modelled by {}, and so are effects: they add up there, not on the target's own scale."


@dataclass(frozen=True, eq=False)
class RowView:
    """How the rows that a model is given become inputs of a component.

    Attributes
    ----------
    subject : Subject
        The model, and the steps before it.
    view : View
    owners : ndarray of shape (n_inputs,)
        The player that every input belongs to.
    """

    subject: Subject
    view: View
    owners: Indices

    def inputs(self, X: Any) -> Array:
        """Return the inputs (m, d) of rows as the model takes them."""
        return np.asarray(self.view(coded_rows_of(self.subject, X)), dtype=float)


def coded_rows_of(subject: Subject, X: Any) -> Array:
    """Return the inputs of the model for rows, before any view."""
    _check_names(subject, X)
    return subject.inputs(X)


def _check_names(subject: Subject, X: Any) -> None:
    """Raise if named columns are others than those of the fit; a transformer checks them itself."""
    given, known = [str(name) for name in getattr(X, "columns", ())], subject.names
    if subject.steps is not None or not known or not given or given == list(known):
        return
    unlike = next((pair for pair in zip(given, known, strict=False) if pair[0] != pair[1]), None)
    where = f"column {unlike[0]!r} stands where {unlike[1]!r} was" if unlike else f"{len(given)} columns"
    raise InvalidArgument(
        f"The rows have other columns than the model was fitted on ({where}): give X[model.feature_names_in_]."
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class ViewedPart:
    """A part of a model in its view, times its weight.

    Attributes
    ----------
    part : Part
    view : RowView
    training : ndarray of shape (n, d) or None
        Its inputs of the training rows, if the model keeps them all.
    """

    part: Part
    view: RowView
    training: Array | None = None

    def summands(self) -> list[Summand]:
        """Return the part as sums of products over inputs; an error if it has no such form."""
        part = self.part
        if not len(part.coefficients):
            return []
        if isinstance(part, KernelPart):
            return kernel_summands(part.kernel, part.vectors, part.coefficients)
        if isinstance(part, FunctionPart):
            return function_summands(part.functions, len(self.view.owners), part.coefficients)
        if isinstance(part, BoxPart):
            lower, upper = part.trees.bounds()
            return [BoxSummand(lower=lower, upper=upper, coefficients=part.coefficients)]
        machine = part.machine if isinstance(part, ForeignPart) else part
        raise MissingCapability(
            f"{type(machine).__name__} is a machine of Python that only predicts, so it has no exact form: use "
            "method='auto', or leave it out of the candidates."
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Expansion:
    """What a fitted model adds up: an intercept and parts.

    Attributes
    ----------
    parts : tuple of ViewedPart
    intercept : ndarray of shape (n_outputs,)
    players : tuple of str
        Names of the columns that values are given to.
    columns : tuple of tuple of int
        The columns of the model's rows behind each player.
    outputs : tuple
        Classes, or numbers of targets.
    single : bool
        Whether the model has one output without an axis of its own (two classes, one target).
    explained : str
        What the sum is: "decision value", "prediction", "latent mean", "log-odds" or that of another scale.
    remarks : tuple of str
    limited : callable or None
        From rows to what the model itself answers (m, n_outputs), if parts are kept within limits.
    """

    parts: tuple[ViewedPart, ...]
    intercept: Array
    players: tuple[str, ...]
    columns: tuple[tuple[int, ...], ...]
    outputs: tuple[Any, ...]
    single: bool
    explained: str
    remarks: tuple[str, ...] = ()
    limited: Callable[[Any], Array] | None = None

    def inputs(self, X: Any) -> list[Array]:
        """Return every part's inputs of rows; parts with the same view share them."""
        found: dict[int, Array] = {}
        for part in self.parts:
            if id(part.view) not in found:
                found[id(part.view)] = part.view.inputs(X)
        return [found[id(part.view)] for part in self.parts]

    def decide(self, inputs: list[Array]) -> Array:
        """Return the sum (m, n_outputs) from every part's inputs."""
        values = [each.part.values(rows) for each, rows in zip(self.parts, inputs, strict=True)]
        return np.asarray(np.sum(values, axis=0) + self.intercept, dtype=float)

    def among(self, kept: list[bool]) -> Expansion:
        """Return the sum of some parts alone, without the intercept."""
        parts = tuple(part for part, stays in zip(self.parts, kept, strict=True) if stays)
        return replace(self, parts=parts, intercept=np.zeros_like(self.intercept))

    @property
    def training(self) -> list[Array] | None:
        """Every part's inputs of the training rows, if the model keeps them all."""
        rows = [part.training for part in self.parts]
        return None if any(each is None for each in rows) else [each for each in rows if each is not None]


def expansion_of(model: Any) -> Expansion:
    """Return a fitted model as plain kernels, vectors, coefficients and intercept.

    Parameters
    ----------
    model : estimator, Pipeline, TableModel or Model
        Fitted. A pipeline's inputs are traced back to the columns they were made from.

    Returns
    -------
    Expansion
        Whose sum is the decision value, the prediction, or the latent mean if the decision is no linear
        function of it (``explained`` says which).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelect import LSSVC
    >>> from kernelect.explain import expansion_of
    >>> expansion_of(LSSVC("rbf").fit(*load_iris(return_X_y=True))).players
    ('x0', 'x1', 'x2', 'x3')
    """
    subject = subject_of(model)
    players = one_each(subject.n_columns) if subject.steps is None else players_of(subject.steps, subject.n_columns)
    words = subject.named()
    total = _Total(subject=subject, players=players)
    head = subject.model.head
    found = _of_labels(total, head) if isinstance(head, LabelHead) else _of_numbers(total, head)
    names = tuple(" & ".join(words[j] for j in columns) for columns in players.columns)
    return replace(found, players=names, columns=players.columns)


@dataclass(eq=False)
class _Total:
    """Parts and a constant, on the way to an expansion."""

    subject: Subject
    players: Players
    parts: list[ViewedPart] = field(default_factory=list)
    constant: Any = 0.0
    remarks: list[str] = field(default_factory=list)
    views: dict[tuple[int, int], RowView] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rows, self.viewed = _training_inputs(self.subject.model), _training_in_view(self.subject.model)

    def add(self, component: Component, scale: float) -> None:
        """Add a component times a number."""
        view = self._view(component.view)
        self.constant = self.constant + scale * component.constant
        training = self.viewed if self.rows is None else component.view(self.rows)
        for part in component.parts:
            if isinstance(part, KernelPart) and part.places is not None:
                columns, offset = columns_of_values(part)
                self.constant = self.constant + scale * offset
                self.parts.append(ViewedPart(part=columns.times(scale), view=view))
                self.remarks = [_PRECOMPUTED]
            else:
                self.parts.append(ViewedPart(part=part.times(scale), view=view, training=training))

    def _view(self, view: View) -> RowView:
        """Return the view of rows; components with equal views share one."""
        key = id(view.warp), id(view.indicators)
        if key not in self.views:
            model, owners = self.subject.model, self.players.owners
            owners = owners if model.coding is None else owners[model.coding.owners]
            self.views[key] = RowView(self.subject, view, owners[view.behind(model.n_inputs)])
        return self.views[key]

    def finished(self, outputs: tuple[Any, ...], explained: str, *, single: bool) -> Expansion:
        return Expansion(
            parts=tuple(self.parts),
            intercept=np.asarray(self.constant, dtype=float),
            players=(),
            columns=(),
            outputs=outputs,
            single=single,
            explained=explained,
            remarks=tuple(self.remarks),
        )


def _training_inputs(model: Model) -> Array | None:
    """Return the inputs of all training rows, if the model keeps them: as vectors that it sees as they are."""
    for component in model.components:
        for part in component.parts:
            plain = component.view.warp is None and component.view.indicators is None
            if plain and isinstance(part, KernelPart) and part.representative and not part.is_precomputed:
                return part.vectors
    return None


def _training_in_view(model: Model) -> Array | None:
    """Return all training rows in the one view of a model, if it has one and keeps them."""
    first = model.components[0]
    if any(component.view is not first.view for component in model.components):
        return None
    parts = [part for part in first.parts if isinstance(part, KernelPart)]
    return next((part.vectors for part in parts if part.representative and not part.is_precomputed), None)


def _of_labels(total: _Total, head: LabelHead) -> Expansion:
    components, classes = total.subject.model.components, head.classes.tolist()
    link = components[0].link
    ordered = any(isinstance(component.link, Ordered) for component in components)
    pooled, single = head.sharpness is not None, len(classes) == 2 or ordered
    for component, weight in zip(components, head.weights, strict=True):
        unit = _log_odds_per_unit(component) if pooled else 1.0
        total.add(component.rising() if ordered else component, float(weight) * unit)
    outputs = (classes[-1],) if single else tuple(classes)
    if pooled:
        total.remarks = [_POOLED]
        return total.finished(outputs, "log-odds of a higher class" if ordered else "log-odds", single=single)
    latent = link is not None and link.needs_variance
    if latent and _PRECOMPUTED not in total.remarks:  # which may decide by the mean itself
        total.remarks.append(_LATENT)
    what = ("latent mean" if latent else "decision value") + (" of a higher class" if ordered else "")
    return total.finished(outputs, what, single=single)


def _log_odds_per_unit(component: Component) -> float:
    """Return what a decision value (a latent mean, at the usual variance) of 1 is in log-odds."""
    if isinstance(component.link, Tempered):
        return component.link.inverse_temperature
    if isinstance(component.spread, PosteriorSpread):
        return _LOGITS_PER_PROBIT / float(np.sqrt(1.0 + component.spread.usual.mean()))
    raise MissingCapability(
        f"The mixture has {component.noun or 'a member'}, whose probabilities are no function of a sum over inputs: "
        "leave it out of the candidates, or use sklearn.inspection.permutation_importance."
    )


def _of_numbers(total: _Total, head: NumberHead) -> Expansion:
    subject, scale = total.subject, head.scale
    for component, weight in zip(subject.model.components, head.weights, strict=True):
        total.add(component, float(weight))
    shift = _shift(scale)
    total.constant = total.constant + shift
    found = total.finished(tuple(range(len(total.constant))), "prediction", single=head.single)
    if head.limits is not None:
        found = replace(
            found, limited=lambda X: head.on_scale(subject.model.answers(coded_rows_of(subject, X))) + shift
        )
    if scale.is_identity:
        return found
    words, explained = _SCALES[scale.name]
    remarks = [_ON_SCALE.format(words)]
    if scale.name == "sqrt":
        more = ANSCOMBE - scale.extra
        remarks.append(f"The square root is that of the prediction {'plus' if more >= 0 else 'less'} {abs(more):.3g}.")
    return replace(found, explained=explained, remarks=(*found.remarks, *remarks))


def _shift(scale: TargetScale) -> float:
    """Return what the mean of the targets adds to a prediction on the scale: it is factor e^f, or (f + shift)^2."""
    if scale.is_identity:
        return 0.0
    return scale.shift if scale.name == "sqrt" else float(np.log(scale.factor))
