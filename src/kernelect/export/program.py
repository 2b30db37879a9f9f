"""The record of an exported model: what goes in, what is computed, what comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kernelect.export.fall import Fall
from kernelect.export.graph import Const, Lookup, Node, walk
from kernelect.model.decisions import Decision
from kernelect.typing import Array


@dataclass(frozen=True, kw_only=True)
class ExportedColumn:
    """A column of the rows that the exported model takes.

    Attributes
    ----------
    name : str
    place : int
        Among the columns of the table that the model was fitted on.
    kind : "number", "date" or "category"
        Dates are days since 1970-01-01.
    levels : tuple of str
        Of a category, in the order of their codes.
    typical, spread : float
        A usual number of the column, and how far others lie from it.
    none : bool
        Whether a missing cell is None to the model in Python, and not NaN.
    """

    name: str
    place: int
    kind: str
    levels: tuple[str, ...] = ()
    typical: float = 0.0
    spread: float = 1.0
    none: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Program:
    """A model as a graph.

    Attributes
    ----------
    columns : tuple of ExportedColumn
        What a row holds, in this order.
    result : Node
        Probabilities of all classes, or predicted values.
    decision : Node or None
        Decision values of a classifier, of which ``result`` is a function.
    ends : Node or None
        Lower and upper end (2,) of an interval around a predicted value, if that was asked for.
    classes : tuple or None
        Labels in the order of their probabilities; None for predicted values.
    choice : Decision or None
        How probabilities become a class, by a threshold or by costs; None for the likeliest class.
    inputs : Node or None
        What the machine takes, and in ``vectors`` (m, n_inputs) some of the inputs it was fitted on.
    title : str
        What the model is, for comments.
    remarks : tuple of str
        What is different from the model in Python, in sentences.
    """

    columns: tuple[ExportedColumn, ...]
    result: Node
    decision: Node | None = None
    ends: Node | None = None
    classes: tuple[Any, ...] | None = None
    choice: Decision | None = None
    inputs: Node | None = None
    vectors: Array | None = None
    title: str = ""
    remarks: tuple[str, ...] = field(default=())

    @property
    def outputs(self) -> list[Node]:
        """Decision values, if there are any, and the result."""
        return [self.result] if self.decision is None else [self.decision, self.result]

    def with_outputs(self, nodes: Sequence[Node], *remarks: str) -> Program:
        """Return the program with other nodes in the order of ``outputs``; the last one is the result."""
        decision = nodes[0] if len(nodes) > 1 else None
        return replace(self, result=nodes[-1], decision=decision, remarks=(*self.remarks, *remarks))

    def positions(self) -> dict[int, int]:
        """Return the position in a row of every column, by its place in the table."""
        return {column.place: position for position, column in enumerate(self.columns)}

    def levels(self) -> dict[int, tuple[str, ...]]:
        """Return the levels of every column, by its place in the table."""
        return {column.place: column.levels for column in self.columns}

    def size(self, *results: Array) -> float:
        """Return what differences of results are measured by: 1 for probabilities, else the largest number."""
        largest = max(float(np.abs(each).max(initial=0.0)) for each in results)
        return 1.0 if self.classes is not None else largest or 1.0

    def count(self) -> int:
        """Return how many different numbers the model holds."""
        levels = self.levels()
        found: dict[bytes, int] = {}
        for node in walk([*self.outputs, *([] if self.ends is None else [self.ends])]):
            for values in _numbers(node, levels):
                found[_key(values)] = values.size
        return sum(found.values())


def _numbers(node: Node, levels: dict[int, tuple[str, ...]]) -> tuple[Array, ...]:
    """Return the numbers that a node holds."""
    if isinstance(node, Fall):
        return node.tables()
    if isinstance(node, Lookup):
        return (node.table(levels[node.column]),)
    return (node.values,) if isinstance(node, Const) else ()


def _key(values: Array) -> bytes:
    return str(values.shape).encode() + np.ascontiguousarray(values).tobytes()
