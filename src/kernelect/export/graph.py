"""What an exported model computes for one row, as a graph of a few plain operations on small arrays.

Every writer (C, JavaScript, ONNX) and the NumPy reference (evaluate.py) know these operations and nothing of kernels,
machines or table steps, which are written in them once. Arrays have one or two axes; sizes of 1 are stretched as in
NumPy, and the arguments of one operation have the same number of axes.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np

from kernelect.typing import Array, Indices

Shape = tuple[int, ...]


class Node(ABC):
    """An array that is computed for one row.

    Attributes
    ----------
    shape : tuple of int
    args : tuple of Node
        What it is computed from.
    """

    shape: Shape
    args: tuple[Node, ...]

    #: Arrays of NumPy leave arithmetic with nodes to the nodes.
    __array_ufunc__ = None

    def __add__(self, other: Operand) -> Node:
        return apply("add", self, other)

    def __radd__(self, other: Operand) -> Node:
        return apply("add", other, self)

    def __sub__(self, other: Operand) -> Node:
        return apply("sub", self, other)

    def __rsub__(self, other: Operand) -> Node:
        return apply("sub", other, self)

    def __mul__(self, other: Operand) -> Node:
        return apply("mul", self, other)

    def __rmul__(self, other: Operand) -> Node:
        return apply("mul", other, self)

    def __truediv__(self, other: Operand) -> Node:
        return apply("div", self, other)

    def __rtruediv__(self, other: Operand) -> Node:
        return apply("div", other, self)

    def __neg__(self) -> Node:
        return apply("sub", 0.0, self)


Operand = Node | Array | float


@dataclass(frozen=True, eq=False)
class Const(Node):
    """Numbers of the model; whole ones that are stored in ``bits`` bits if that is given."""

    values: Array
    bits: int | None = None
    args: tuple[Node, ...] = field(default=(), init=False)

    @property
    def shape(self) -> Shape:  # type: ignore[override]
        return self.values.shape


@dataclass(frozen=True, eq=False)
class Raw(Node):
    """Cells of number columns, by the columns' places in the table; NaN if a cell is missing."""

    columns: tuple[int, ...]
    args: tuple[Node, ...] = field(default=(), init=False)

    @property
    def shape(self) -> Shape:  # type: ignore[override]
        return (len(self.columns),)


@dataclass(frozen=True, eq=False, kw_only=True)
class Lookup(Node):
    """Numbers that belong to the level of a category column.

    Attributes
    ----------
    column : int
        The column's place in the table.
    rows : mapping of str to ndarray of shape (m,)
        Level -> numbers.
    missing, unseen : ndarray of shape (m,)
        Numbers of a missing cell, and of any other level.
    """

    column: int
    rows: Mapping[str, Array]
    missing: Array
    unseen: Array
    args: tuple[Node, ...] = field(default=(), init=False)

    @property
    def shape(self) -> Shape:  # type: ignore[override]
        return self.unseen.shape

    def table(self, levels: Sequence[str]) -> Array:
        """Return the numbers (len(levels) + 2, m): of the levels, of a missing cell, of any other level."""
        return np.array([*(self.rows.get(level, self.unseen) for level in levels), self.missing, self.unseen])


@dataclass(frozen=True, eq=False)
class Apply(Node):
    """An operation on each element."""

    op: str
    args: tuple[Node, ...]
    shape: Shape


@dataclass(frozen=True, eq=False)
class Reduce(Node):
    """Sum, product or largest along the last axis; a vector becomes one number, of shape (1,)."""

    op: str
    args: tuple[Node, ...]
    shape: Shape


@dataclass(frozen=True, eq=False)
class VectorTimes(Node):
    """A vector (n,) times a matrix of numbers (n, k)."""

    args: tuple[Node, Node]

    @property
    def shape(self) -> Shape:  # type: ignore[override]
        return (self.args[1].shape[1],)


@dataclass(frozen=True, eq=False)
class Horner(Node):
    """A polynomial of each element; the coefficient of the highest power is the first."""

    args: tuple[Node, ...]
    coefficients: tuple[float, ...]

    @property
    def shape(self) -> Shape:  # type: ignore[override]
        return self.args[0].shape


@dataclass(frozen=True, eq=False)
class Take(Node):
    """Elements of a vector."""

    args: tuple[Node, ...]
    places: Indices

    @property
    def shape(self) -> Shape:  # type: ignore[override]
        return (len(self.places),)


@dataclass(frozen=True, eq=False)
class Join(Node):
    """Vectors one after the other."""

    args: tuple[Node, ...]

    @property
    def shape(self) -> Shape:  # type: ignore[override]
        return (sum(arg.shape[0] for arg in self.args),)


@dataclass(frozen=True, eq=False)
class Reshape(Node):
    """The same elements with another shape."""

    args: tuple[Node, ...]
    shape: Shape


@dataclass(frozen=True, eq=False)
class Narrow(Node):
    """The same numbers in the precision of the export; all before is computed in double."""

    args: tuple[Node, ...]

    @property
    def shape(self) -> Shape:  # type: ignore[override]
        return self.args[0].shape


#: Operations on elements, and the functions of NumPy that they are.
UFUNCS: dict[str, np.ufunc] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "min": np.minimum,
    "max": np.maximum,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "floor": np.floor,
    "abs": np.absolute,
    "square": np.square,
    "less": np.less,
    "equal": np.equal,
    "missing": np.isnan,
}


def operated(op: str, *args: Array) -> Array:
    """Return an operation on numbers; comparisons give 1 and 0."""
    with np.errstate(all="ignore"):  # branches that are not taken may be infinite
        found = np.asarray(np.where(args[0] != 0.0, *args[1:]) if op == "where" else UFUNCS[op](*args))
    return found.astype(float) if found.dtype == bool else found


REDUCTIONS: dict[str, Callable[..., Any]] = {"sum": np.sum, "prod": np.prod, "max": np.max}


def const(values: Operand, axes: int = 1) -> Node:
    """Return numbers as a node of at least so many axes."""
    if isinstance(values, Node):
        return values
    array = np.asarray(values, dtype=float)
    return Const(array.reshape((1,) * (axes - array.ndim) + array.shape))


def apply(op: str, *operands: Operand) -> Node:
    """Return an operation on each element; of numbers alone it is done at once."""
    axes = max((len(each.shape) if isinstance(each, Node) else np.ndim(each) for each in operands), default=1)
    args = tuple(const(each, max(axes, 1)) for each in operands)
    if len({len(arg.shape) for arg in args}) != 1:
        raise ValueError(f"{op} of shapes {[arg.shape for arg in args]}")
    if all(isinstance(arg, Const) for arg in args):
        return Const(operated(op, *(arg.values for arg in args if isinstance(arg, Const))))
    return Apply(op, args, np.broadcast_shapes(*(arg.shape for arg in args)))


def reduced(op: str, arg: Node) -> Node:
    """Return the sum ("sum"), product ("prod") or largest ("max") along the last axis."""
    shape = arg.shape[:-1] or (1,)
    if isinstance(arg, Const):
        return Const(np.asarray(REDUCTIONS[op](arg.values, axis=-1), dtype=float).reshape(shape))
    return Reduce(op, (arg,), shape)


def times(vector: Node, matrix: Array) -> Node:
    """Return vector @ matrix."""
    if isinstance(vector, Const):
        return Const(vector.values @ matrix)
    return VectorTimes((vector, Const(np.ascontiguousarray(matrix, dtype=float))))


def polynomial(arg: Node, coefficients: Sequence[float]) -> Node:
    """Return a polynomial of each element; the coefficient of the highest power is the first."""
    if isinstance(arg, Const):
        return Const(np.asarray(np.polyval(coefficients, arg.values), dtype=float))
    return Horner((arg,), tuple(coefficients))


def take(vector: Node, places: Indices) -> Node:
    """Return elements of a vector."""
    places = np.asarray(places, dtype=np.intp)
    if isinstance(vector, Const):
        return Const(vector.values[places])
    if isinstance(vector, Raw):
        return Raw(tuple(vector.columns[place] for place in places))
    if isinstance(vector, Take):
        return take(vector.args[0], vector.places[places])
    return vector if np.array_equal(places, np.arange(vector.shape[0])) else Take((vector,), places)


def concatenated(vectors: Sequence[Node]) -> Node:
    """Return vectors one after the other."""
    parts = [vector for vector in vectors if vector.shape[0]]
    if not parts:
        return Const(np.zeros(0))
    return parts[0] if len(parts) == 1 else Join(tuple(parts))


def reshaped(arg: Node, shape: Shape) -> Node:
    """Return the same elements with another shape."""
    return Const(arg.values.reshape(shape)) if isinstance(arg, Const) else Reshape((arg,), shape)


def added(nodes: Sequence[Node]) -> Node:
    """Return the sum of nodes."""
    return reduce(lambda a, b: a + b, nodes)


def multiplied(nodes: Sequence[Node]) -> Node:
    """Return the product of nodes."""
    return reduce(lambda a, b: a * b, nodes)


def stretched(vector: Node, size: int) -> Node:
    """Return a vector of so many elements, all alike if there was one."""
    return vector if vector.shape == (size,) else vector + np.zeros(size)


def narrowed(arg: Node) -> Node:
    """Return a node in the precision of the export."""
    return arg if isinstance(arg, Const) else Narrow((arg,))


def clipped(arg: Node, low: float | Array, high: float | Array) -> Node:
    """Return a node kept between two numbers."""
    return apply("min", apply("max", arg, low), high)


def walk(nodes: Sequence[Node]) -> Iterator[Node]:
    """Yield all nodes that some depend on, every one after its arguments and once."""
    seen: set[int] = set()
    stack = [(node, False) for node in reversed(nodes)]
    while stack:
        node, ready = stack.pop()
        if id(node) in seen:
            continue
        if ready:
            seen.add(id(node))
            yield node
            continue
        stack.append((node, True))
        stack.extend((arg, False) for arg in reversed(node.args))


def is_wide(node: Node, known: dict[int, bool]) -> bool:
    """Return whether a node is computed in double whatever the export's precision; ``known`` keeps what was found."""
    if id(node) not in known:
        inner = not isinstance(node, Narrow) and any(is_wide(arg, known) for arg in node.args)
        known[id(node)] = inner or isinstance(node, Raw | Lookup)
    return known[id(node)]
