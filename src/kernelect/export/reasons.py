"""What JavaScript needs to explain a prediction: the terms of a model's kernels, and the background's inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import singledispatch
from importlib.resources import files

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.explain.expansion import Expansion, RowView, ViewedPart
from kernelect.explain.shapley import Explainer
from kernelect.explain.summands import KernelSummand, Summand
from kernelect.explain.terms import GaussianFactors, InputFactors, KernelFactors, Term
from kernelect.export.components import viewed as seen_through
from kernelect.export.graph import Node, Raw
from kernelect.export.kernels import profile_node
from kernelect.export.program import Program
from kernelect.kernels import OverInputs
from kernelect.model import BoxPart, KernelPart
from kernelect.typing import Array, Indices


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
        if not explainer.is_exact or explainer.background is None or explainer.absent != "marginals":
            raise MissingCapability(
                "explainer= must have an exact form and absent='marginals' to be written as JavaScript: build it with "
                "Explainer.of(model, background)."
            )
        self.expansion: Expansion = explainer.expansion
        self.nodes: list[Node] = []
        self._backgrounds: list[Array] = []
        self._places: dict[int, int] = {}
        self._profiles: dict[str, tuple[str, OverInputs]] = {}
        for part, rows in zip(self.expansion.parts, explainer.background, strict=True):
            if id(part.view) not in self._places:
                self._places[id(part.view)] = len(self.nodes)
                assert program.inputs is not None
                self.nodes.append(seen_through(part.view.view, program.inputs))
                self._backgrounds.append(rows)

    def source(self, table: Callable[[Array], str], places: Callable[[Indices], str]) -> str:
        """Return the argument of ``explainer``; ``table`` and ``places`` write numbers and return their name."""
        parts = [
            self._boxes(each.part, each.view, table, places)
            if isinstance(each.part, BoxPart)
            else self._part(each, table)
            for each in self.expansion.parts
        ]
        backgrounds = ", ".join(table(rows) for rows in self._backgrounds)
        return (
            f"{{ intercept: {_list(self.expansion.intercept)}, players,\n"
            f"  backgrounds: [{backgrounds}],\n  parts: [\n{''.join(parts)}  ] }}"
        )

    def name_of(self, kernel: OverInputs) -> str:
        """Return what the factors of a kernel are called; kernels that differ in their widths alone share it."""
        key = repr(replace(kernel, gamma=np.ones(1)))  # type: ignore[type-var]
        return self._profiles.setdefault(key, (f"profile{len(self._profiles)}", kernel))[0]

    def profiles(self) -> list[tuple[str, Node, Node]]:
        """Return the kernels' profiles that the source names: name, argument (one number) and value."""
        t = Raw((0,))
        return [(name, t, profile_node(kernel, t)) for name, kernel in self._profiles.values()]

    def _boxes(
        self, part: BoxPart, view: RowView, table: Callable[[Array], str], places: Callable[[Indices], str]
    ) -> str:
        trees, owners = part.trees, view.owners
        n, k = part.coefficients.shape
        return (
            f"    boxes({{ view: {self._places[id(view)]}, n: {n}, d: {len(owners)}, k: {k}, "
            f"owners: {owners.tolist()}, coefficients: {table(part.coefficients)}, roots: {places(trees.roots)}, "
            f"feature: {places(trees.feature)}, threshold: {table(trees.threshold)}, "
            f"right: {places(trees.right)} }}),\n"
        )

    def _part(self, viewed: ViewedPart, table: Callable[[Array], str]) -> str:
        part, view = viewed.part, viewed.view
        terms = [_term(summand, self) for summand in viewed.summands()]
        if not terms or not isinstance(part, KernelPart):
            return ""
        n, d = part.vectors.shape
        head = (
            f"view: {self._places[id(view)]}, n: {n}, d: {d}, k: {part.coefficients.shape[1]}, "
            f"owners: {view.owners.tolist()}, vectors: {table(part.vectors)}, "
            f"coefficients: {table(part.coefficients)}"
        )
        return f"    {{ {head}, terms: [\n" + "".join(f"      {term},\n" for term in terms) + "    ] },\n"


@singledispatch
def _term(summand: Summand, reasons: Reasons) -> str:
    raise MissingCapability(
        f"{type(summand).__name__.removesuffix('Summand')} functions have no explanation in JavaScript: use "
        "kernels that are products over inputs or linear, or mixtures of them."
    )


@_term.register
def _(summand: KernelSummand, reasons: Reasons) -> str:
    term = summand.term
    if not term.powers:
        factors = [each for own in term.factors for each in _factors(own, reasons)]
        return f"{{ scale: {float(term.scale)!r}, factors: [{', '.join(factors)}] }}"
    power = term.powers[0]
    if len(term.powers) > 1 or term.factors or power.degree > 1:
        raise MissingCapability(_not_linear(term))
    offset, slope = power.coefficients
    return (
        f"{{ scale: {float(term.scale)!r}, offset: {float(offset)!r}, slopes: {_list(slope * power.slopes)}, "
        f"centre: {_list(power.centre)} }}"
    )


def _not_linear(term: Term) -> str:
    degree = max(power.degree for power in term.powers)
    what = f"Polynomials of degree {degree}" if degree > 1 else "Products of linear and other kernels"
    return f"{what} have no explanation in JavaScript: use kernelect explain, in Python."


def _factors(own: InputFactors, reasons: Reasons) -> list[str]:
    """Return kind, input and number of every factor: its width, or what is left of it if two codes differ."""
    if isinstance(own, GaussianFactors):
        kind, numbers = "gaussian", own.widths
    elif isinstance(own, KernelFactors) and own.kernel.compares_codes:
        kind, numbers = "codes", own.kernel.profile(np.sqrt(own.widths))
    elif isinstance(own, KernelFactors):
        kind, numbers = reasons.name_of(own.kernel), own.widths
    else:
        raise MissingCapability(
            "Exponentials of inner products have no explanation in JavaScript: use kernelect explain, in Python."
        )
    return [f'["{kind}", {j}, {float(numbers[j])!r}]' for j in np.flatnonzero(own.widths > 0.0).tolist()]


def _list(values: Sequence[float] | Array) -> str:
    return "[" + ", ".join(repr(float(value)) for value in np.asarray(values).ravel()) + "]"
