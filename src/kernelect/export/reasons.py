"""What JavaScript needs to explain a prediction: the terms of a model's kernels, and the background's inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from importlib.resources import files
from typing import Any

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.explain.expansion import BoxPart, Expansion, KernelPart, Part
from kernelect.explain.mixtures import Coded, Indicated
from kernelect.explain.shapley import Explainer
from kernelect.explain.summands import KernelSummand, Summand
from kernelect.explain.terms import FactorsOf, Gaussian, Profile, Term
from kernelect.export.graph import Node
from kernelect.export.inputs import indicated, warped
from kernelect.export.program import Program
from kernelect.kernels import Category, ProductLaplace, ProductMatern
from kernelect.mixture.candidates import WARPED
from kernelect.typing import Array, Indices

_KINDS = {ProductLaplace: "laplace", ProductMatern: "matern", Category: "category"}


def runtime() -> str:
    """Return the functions that the terms are handed to."""
    return files("kernelect.export").joinpath("reasons.js").read_text(encoding="utf-8")


class Reasons:
    """A model's terms, and the nodes that compute the inputs that they take.

    Attributes
    ----------
    expansion : Expansion
    nodes : list of Node
        Inputs of every view of the table.
    """

    def __init__(self, explainer: Explainer, program: Program) -> None:
        if explainer.prepared is None or explainer.background is None or explainer.absent != "marginals":
            raise MissingCapability(
                "explainer= must have an exact form and absent='marginals' to be written as JavaScript: build it with "
                "Explainer.of(model, background)."
            )
        self.expansion: Expansion = explainer.expansion
        self.nodes: list[Node] = []
        self._backgrounds: list[Array] = []
        self._places: dict[int, int] = {}
        for part, rows in zip(self.expansion.parts, explainer.background, strict=True):
            if id(part.view) not in self._places:
                self._places[id(part.view)] = len(self.nodes)
                self.nodes.append(_inputs(part, program))
                self._backgrounds.append(rows)

    def source(self, table: Callable[[Array], str], places: Callable[[Indices], str]) -> str:
        """Return the argument of ``explainer``; ``table`` and ``places`` write numbers and return their name."""
        parts = [
            self._boxes(part, table, places) if isinstance(part, BoxPart) else self._part(part, table)
            for part in self.expansion.parts
        ]
        backgrounds = ", ".join(table(rows) for rows in self._backgrounds)
        return (
            f"{{ intercept: {_list(self.expansion.intercept)}, players,\n"
            f"  backgrounds: [{backgrounds}],\n  parts: [\n{''.join(parts)}  ] }}"
        )

    def _boxes(self, part: BoxPart, table: Callable[[Array], str], places: Callable[[Indices], str]) -> str:
        trees, owners = part.trees, part.view.owners
        n, k = part.coefficients.shape
        return (
            f"    boxes({{ view: {self._places[id(part.view)]}, n: {n}, d: {len(owners)}, k: {k}, "
            f"owners: {owners.tolist()}, coefficients: {table(part.coefficients)}, roots: {places(trees.roots)}, "
            f"feature: {places(trees.feature)}, threshold: {table(trees.threshold)}, "
            f"right: {places(trees.right)} }}),\n"
        )

    def _part(self, part: Part, table: Callable[[Array], str]) -> str:
        terms = [_term(summand) for summand in part.summands()]
        if not terms or not isinstance(part, KernelPart):
            return ""
        n, d = part.vectors.shape
        head = (
            f"view: {self._places[id(part.view)]}, n: {n}, d: {d}, k: {part.coefficients.shape[1]}, "
            f"owners: {part.view.owners.tolist()}, vectors: {table(part.vectors)}, "
            f"coefficients: {table(part.coefficients)}"
        )
        return f"    {{ {head}, terms: [\n" + "".join(f"      {term},\n" for term in terms) + "    ] },\n"


def _inputs(part: Part, program: Program) -> Node:
    """Return the node with the inputs that a part takes."""
    assert program.inputs is not None
    steps = part.view.steps
    if isinstance(steps, Indicated):
        return indicated(steps.forest._indicators, program.inputs)
    return warped(steps.door._views.warp, program.inputs) if _is_warped(steps) else program.inputs


def _is_warped(steps: Any) -> bool:
    return isinstance(steps, Coded) and steps.view == WARPED


@singledispatch
def _term(summand: Summand) -> str:
    raise MissingCapability(
        f"{type(summand).__name__.removesuffix('Summand')} functions have no explanation in JavaScript: use "
        "kernels that are products over inputs or linear, or mixtures of them."
    )


@_term.register
def _(summand: KernelSummand) -> str:
    term = summand.term
    if not term.powers:
        factors = [each for profile in term.profiles for each in _factors(profile)]
        return f"{{ scale: {float(term.scale)!r}, factors: [{', '.join(factors)}] }}"
    power = term.powers[0]
    if len(term.powers) > 1 or term.profiles or power.degree > 1:
        raise MissingCapability(_not_linear(term))
    return (
        f"{{ scale: {float(term.scale)!r}, offset: {float(power.offset)!r}, slopes: {_list(power.slopes)}, "
        f"centre: {_list(power.centre)} }}"
    )


def _not_linear(term: Term) -> str:
    degree = max(power.degree for power in term.powers)
    what = f"Polynomials of degree {degree}" if degree > 1 else "Products of linear and other kernels"
    return f"{what} have no explanation in JavaScript: use kernelect explain, in Python."


def _factors(profile: Profile) -> list[str]:
    kind = "gaussian" if isinstance(profile, Gaussian) else None
    if isinstance(profile, FactorsOf):
        kind = _KINDS.get(type(profile.kernel))
    if kind is None:
        name = type(profile.kernel if isinstance(profile, FactorsOf) else profile).__name__
        raise MissingCapability(f"{name} has no explanation in JavaScript: use kernelect explain, in Python.")
    return [f'["{kind}", {j}, {float(width)!r}]' for j, width in enumerate(profile.widths) if width > 0.0]


def _list(values: Sequence[float] | Array) -> str:
    return "[" + ", ".join(repr(float(value)) for value in np.asarray(values).ravel()) + "]"
