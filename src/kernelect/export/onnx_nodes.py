"""A program as plain operators of ONNX, handed one by one to whoever collects them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from kernelect.export.fall import Fall
from kernelect.export.graph import (
    Apply,
    Const,
    Horner,
    Join,
    Lookup,
    Narrow,
    Node,
    Raw,
    Reduce,
    Reshape,
    Take,
    VectorTimes,
    is_wide,
    walk,
)
from kernelect.export.program import Program
from kernelect.typing import Array

#: Operators of comparisons, which give booleans; other operations have the name of their operator.
_TESTS = {"less": "Less", "equal": "Equal", "missing": "IsNaN"}


class Sink(Protocol):
    """Who collects the nodes of a graph."""

    def node(self, operator: str, inputs: list[str], **attributes: Any) -> str:
        """Add a node; return the name of its output."""

    def constant(self, values: Any) -> str:
        """Add numbers, whole numbers or texts; return their name."""

    def cast(self, name: str, kind: Any) -> str:
        """Add the conversion of a tensor to a type of NumPy; return the name of its output."""


@dataclass(kw_only=True)
class OnnxNodes:
    """The nodes that compute a program for a batch of rows.

    Attributes
    ----------
    program : Program
    sink : Sink
    numbers, categories : str
        Names of the tensors (rows, number columns) in double and (rows, category columns) of text, in the order of
        the program's columns; empty if there are none.
    real : type
        Of what is not computed in double in any case: ``numpy.float64`` or ``numpy.float32``.
    """

    program: Program
    sink: Sink
    numbers: str
    categories: str
    real: Any = np.float64
    names: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._tests: dict[int, str] = {}
        self._wide: dict[int, bool] = {}
        self._constants: dict[tuple[Any, ...], str] = {}
        by_kind = [[c.place for c in self.program.columns if (c.kind == "category") == is_text] for is_text in (0, 1)]
        self._number_places, self._text_places = ({place: k for k, place in enumerate(places)} for places in by_kind)
        self._levels = self.program.levels()

    def add(self, output: Node) -> str:
        """Add the nodes for an output; return the name of its tensor, (rows, size)."""
        for node in walk([output]):
            if id(node) not in self.names and not isinstance(node, Const):
                self.names[id(node)] = self._added(node)
        return self._batched(output) if isinstance(output, Const) else self.names[id(output)]

    def kind(self, node: Node) -> Any:
        """Return the type of a node's numbers."""
        return np.float64 if is_wide(node, self._wide) else self.real

    def _argument(self, node: Node, kind: Any) -> str:
        if isinstance(node, Const):
            return self._constant(node.values, kind)
        return self.names[id(node)]

    def _constant(self, values: Array, kind: Any) -> str:
        array = np.ascontiguousarray(values, dtype=kind)
        key = (np.dtype(kind).str, array.shape, array.tobytes())
        if key not in self._constants:
            self._constants[key] = self.sink.constant(array)
        return self._constants[key]

    def _whole(self, values: Any) -> str:
        return self._constant(np.asarray(values), np.int64)

    def _batched(self, node: Const) -> str:
        """Return numbers repeated for every row."""
        rows = self.sink.node("Shape", [self.numbers or self.categories], start=0, end=1)
        shape = self.sink.node("Concat", [rows, self._whole([1])], axis=0)
        return self.sink.node("Expand", [self._constant(node.values[None], self.real), shape])

    def _added(self, node: Node) -> str:
        kind = self.kind(node)
        if isinstance(node, Raw):
            return self._raw(node)
        if isinstance(node, Lookup):
            return self._lookup(node)
        if isinstance(node, Apply):
            return self._applied(node, kind)
        if isinstance(node, Join):
            parts = [self._batched(arg) if isinstance(arg, Const) else self.names[id(arg)] for arg in node.args]
            return self.sink.node("Concat", parts, axis=1)
        args = [self._argument(arg, kind) for arg in node.args]
        if isinstance(node, Reduce):
            keeps = int(len(node.args[0].shape) == 1)
            return self.sink.node(f"Reduce{node.op.capitalize()}", [*args, self._whole([-1])], keepdims=keeps)
        if isinstance(node, VectorTimes):
            return self.sink.node("MatMul", args)
        if isinstance(node, Take):
            return self.sink.node("Gather", [*args, self._whole(node.places)], axis=1)
        if isinstance(node, Reshape):
            return self.sink.node("Reshape", [*args, self._whole([0, *node.shape])])
        if isinstance(node, Horner):
            return self._polynomial(node, args[0], kind)
        if isinstance(node, Fall):
            return self._fallen(node, args[0], kind)
        assert isinstance(node, Narrow)
        return args[0] if self.real == np.float64 else self.sink.cast(args[0], self.real)

    def _raw(self, node: Raw) -> str:
        places = [self._number_places[column] for column in node.columns]
        if places == list(range(len(self._number_places))):
            return self.numbers
        return self.sink.node("Gather", [self.numbers, self._whole(places)], axis=1)

    def _lookup(self, node: Lookup) -> str:
        """Add the numbers of a level: flags of all levels times their numbers, less those of an unseen level."""
        levels = self._levels[node.column]
        *rows, missing, unseen = node.table(levels)
        texts = [*levels, *([] if "" in levels else [""])]  # a missing cell is an empty text
        answers = [*rows, *([] if "" in levels else [missing])]
        cell = self.sink.node("Gather", [self.categories, self._whole([self._text_places[node.column]])], axis=1)
        flags = self.sink.node("Equal", [cell, self.sink.constant(np.array([texts], dtype=object))])
        table = self._constant(np.array(answers) - unseen, np.float64)
        known = self.sink.node("MatMul", [self.sink.cast(flags, np.float64), table])
        return self.sink.node("Add", [known, self._constant(unseen, np.float64)])

    def _applied(self, node: Apply, kind: Any) -> str:
        if node.op == "where":
            sides = [self._argument(arg, kind) for arg in node.args[1:]]
            return self.sink.node("Where", [self._test(node.args[0], kind), *sides])
        args = [self._argument(arg, kind) for arg in node.args]
        if node.op in _TESTS:
            self._tests[id(node)] = self.sink.node(_TESTS[node.op], args)
            return self.sink.cast(self._tests[id(node)], kind)
        if node.op == "square":
            return self.sink.node("Mul", args * 2)
        if node.op == "sub" and isinstance(node.args[0], Const) and not np.any(node.args[0].values):
            return self.sink.node("Neg", args[1:])
        if node.op in ("mul", "div") and len(node.shape) == 1:
            return self._scaled(node, kind)
        return self.sink.node(node.op.capitalize(), args)

    def _scaled(self, node: Apply, kind: Any) -> str:
        """Add a product or quotient of vectors, without a single number in it.

        onnxruntime merges single numbers into the product of matrices beside them, and rounds them to single
        precision on the way.
        """
        size, (first, last) = node.shape[0], node.args
        if size == 1 and isinstance(last, Const) and not isinstance(first, Const):
            number = last.values if node.op == "mul" else 1.0 / last.values
            return self.sink.node("MatMul", [self.names[id(first)], self._constant(number.reshape(1, 1), kind)])
        if size == 1 and isinstance(first, Const) and node.op == "mul":
            return self.sink.node("MatMul", [self.names[id(last)], self._constant(first.values.reshape(1, 1), kind)])
        stretched = [
            self._constant(np.broadcast_to(arg.values, size), kind) if isinstance(arg, Const) else self.names[id(arg)]
            for arg in node.args
        ]
        return self.sink.node(node.op.capitalize(), stretched)

    def _test(self, node: Node, kind: Any) -> str:
        if id(node) in self._tests:
            return self._tests[id(node)]
        return self.sink.cast(self._argument(node, kind), np.bool_)

    def _fallen(self, node: Fall, inputs: str, kind: Any) -> str:
        """Add as many steps down as the deepest tree has, for all trees together."""
        feature, threshold, left, right, said = node.circular()
        rows = self.sink.node("Shape", [inputs], start=0, end=1)
        shape = self.sink.node("Concat", [rows, self._whole([len(node.trees)])], axis=0)
        at = self.sink.node("Expand", [self._whole(node.trees.roots[None]), shape])
        tables = [self._whole(feature), self._constant(threshold, kind), self._whole(left), self._whole(right)]
        for _ in range(node.depth()):
            asked, cut, lower, upper = (self.sink.node("Gather", [table, at], axis=0) for table in tables)
            value = self.sink.node("GatherElements", [inputs, asked], axis=1)
            at = self.sink.node("Where", [self.sink.node("LessOrEqual", [value, cut]), lower, upper])
        words = self.sink.node("Gather", [self._constant(said, kind), at], axis=0)
        return self.sink.node("ReduceSum", [words, self._whole([1])], keepdims=0)

    def _polynomial(self, node: Horner, arg: str, kind: Any) -> str:
        total = self._constant(np.array([node.coefficients[0]]), kind)
        for coefficient in node.coefficients[1:]:
            product = self.sink.node("Mul", [total, arg])
            total = self.sink.node("Add", [product, self._constant(np.array([coefficient]), kind)])
        return total
