"""A program as nested loops over small arrays, in a language with the syntax of C.

Operations on elements are written into the loop that uses them; what is used more than once, or by every
element of something larger, gets an array of its own first. Tables of numbers are written once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kernelect.export.dialect import Dialect
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

_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_TESTS = {"less": "{} < {}", "equal": "{} == {}"}


@dataclass
class Loops:
    """Statements that compute some nodes of a program.

    Attributes
    ----------
    program : Program
    dialect : Dialect
    lines : list of str
    """

    program: Program
    dialect: Dialect
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.names: dict[int, str] = {}
        self.wide: dict[int, bool] = {}
        self.positions, self.levels = self.program.positions(), self.program.levels()
        self.codes: dict[int, str] = {}
        self.arrays: set[str] = set()  # names that stand for arrays, even of one element

    def give(self, node: Node, name: str) -> None:
        """Assume that the values of a node stand in the array ``name`` already."""
        self.names[id(node)] = name
        self.arrays.add(name)

    def compute(self, node: Node) -> None:
        """Write the statements for a node."""
        reached = _reached(node, self.names)
        order = [each for each in walk([node]) if id(each) in reached]
        kept = _kept(order, node)
        for each in order:
            if isinstance(each, Lookup):
                self._code(each.column)
            if id(each) in kept:
                self._assign(each)

    def element(self, node: Node, index: int | str) -> str:
        """Return one element of a vector that has been computed."""
        return self._named(node, (str(index),))

    def _assign(self, node: Node) -> None:
        name = f"v{len(self.names)}"
        size, wide = node.shape[0], is_wide(node, self.wide)
        if isinstance(node, Join):
            self._assign_join(node, name, wide)
        elif isinstance(node, Reduce):
            self._assign_reduction(node, name, wide)
        elif isinstance(node, VectorTimes):
            self._assign_product(node, name, wide)
        elif isinstance(node, Fall):
            self._assign_fall(node, name, wide)
        elif size == 1:
            self.lines.append(self.dialect.scalar(name, _bare(self._written(node, ("0",))), wide))
        else:
            self.lines.append(self.dialect.vector(name, size, wide))
            self.lines.append(f"{self.dialect.loop('i', size)} {name}[i] = {_bare(self._written(node, ('i',)))};")
        self.names[id(node)] = name

    def _assign_join(self, node: Join, name: str, wide: bool) -> None:
        self.arrays.add(name)
        self.lines.append(self.dialect.vector(name, node.shape[0], wide))
        first = 0
        for arg in node.args:
            count = arg.shape[0]
            if count == 1:
                self.lines.append(f"{name}[{first}] = {self.expression(arg, ('0',), wide)};")
            else:
                value = self.expression(arg, ("i",), wide)
                self.lines.append(f"{self.dialect.loop('i', count)} {name}[{_sum(first, 'i')}] = {value};")
            first += count

    def _assign_reduction(self, node: Reduce, name: str, wide: bool) -> None:
        arg = node.args[0]
        rows, count = node.shape[0], arg.shape[-1]
        starts = {"sum": 0.0, "prod": 1.0, "max": -np.inf}
        start = self.dialect.number(starts[node.op], wide)
        if len(arg.shape) == 1:
            self.lines.append(self.dialect.scalar(name, start, wide, changes=True))
            term = self._accumulated(node.op, name, self.expression(arg, ("i",), wide), wide)
            self.lines.append(f"{self.dialect.loop('i', count)} {term}")
            return
        self.arrays.add(name)
        self.lines.append(self.dialect.vector(name, rows, wide))
        term = self._accumulated(node.op, "total", self.expression(arg, ("i", "j"), wide), wide)
        self.lines += [
            f"{self.dialect.loop('i', rows)} {{",
            f"  {self.dialect.scalar('total', start, wide, changes=True)}",
            f"  {self.dialect.loop('j', count)} {term}",
            f"  {name}[i] = total;",
            "}",
        ]

    def _accumulated(self, op: str, total: str, term: str, wide: bool) -> str:
        if op == "max":
            return f"{total} = {self.dialect.call('max', [total, term], wide)};"
        return f"{total} {'+' if op == 'sum' else '*'}= {_bare(term)};"

    def _assign_product(self, node: VectorTimes, name: str, wide: bool) -> None:
        vector, matrix = node.args
        n, k = matrix.shape
        zero, value = self.dialect.number(0.0, wide), self.expression(vector, ("i",), wide)
        assert isinstance(matrix, Const)
        table = self.dialect.numbers(matrix.values, wide, matrix.bits)
        if k == 1:
            self.lines.append(self.dialect.scalar(name, zero, wide, changes=True))
            self.lines.append(f"{self.dialect.loop('i', n)} {name} += {value} * {table}[i];")
            return
        self.lines += [
            self.dialect.vector(name, k, wide),
            f"{self.dialect.loop('j', k)} {name}[j] = {zero};",
            f"{self.dialect.loop('i', n)} {{",
            f"  {self.dialect.scalar('factor', value, wide)}",
            f"  {self.dialect.loop('j', k)} {name}[j] += factor * {table}[{_flat(('i', 'j'), (n, k))}];",
            "}",
        ]

    def _assign_fall(self, node: Fall, name: str, wide: bool) -> None:
        trees, k = node.trees, node.shape[0]
        feature, right = self.dialect.places(trees.feature), self.dialect.places(trees.right)
        threshold, boxes = self.dialect.numbers(trees.threshold, True), self.dialect.numbers(trees.boxes, wide)
        input_ = self._named(node.args[0], (f"{feature}[at]",))
        self.arrays.add(name)
        self.lines += [
            self.dialect.vector(name, k, wide),
            f"{self.dialect.loop('j', k)} {name}[j] = {self.dialect.number(0.0, wide)};",
            f"{self.dialect.loop('i', len(trees))} {{",
            f"  {self.dialect.whole('at', f'{self.dialect.places(trees.roots)}[i]')}",
            f"  while ({feature}[at] >= 0) at = {input_} <= {threshold}[at] ? at + 1 : {right}[at];",
            f"  {self.dialect.loop('j', k)} {name}[j] += {boxes}[{right}[at] * {k} + j];",
            "}",
        ]

    def _code(self, column: int) -> str:
        """Return the name of the row of lookup tables that belongs to a cell."""
        if column not in self.codes:
            name = self.codes[column] = f"code{self.positions[column]}"
            self.lines.append(self.dialect.code(name, self.positions[column], len(self.levels[column])))
        return self.codes[column]

    def expression(self, node: Node, index: tuple[str, ...], wide: bool) -> str:
        """Return one element of a node, by name if it has been computed; ``wide`` is how it is used."""
        index = tuple("0" if size == 1 else at for size, at in zip(node.shape, index, strict=True))
        if id(node) in self.names:
            return self._named(node, index)
        return self._number(node, index, wide) if isinstance(node, Const) else self._written(node, index)

    def _number(self, node: Const, index: tuple[str, ...], wide: bool) -> str:
        if node.values.size == 1:
            return self.dialect.number(float(node.values.reshape(())), wide)
        return f"{self.dialect.numbers(node.values, wide, node.bits)}[{_flat(index, node.shape)}]"

    def _named(self, node: Node, index: tuple[str, ...]) -> str:
        name = self.names[id(node)]
        return f"{name}[{index[0]}]" if node.shape[0] > 1 or name in self.arrays else name

    def _written(self, node: Node, index: tuple[str, ...]) -> str:
        if isinstance(node, Raw):
            return self.dialect.cell(self._raw_position(node, index[0]))
        if isinstance(node, Lookup):
            table = self.dialect.numbers(node.table(self.levels[node.column]), True)
            size = node.shape[0]
            row = self._code(node.column) if size == 1 else f"{self._code(node.column)} * {size}"
            return f"{table}[{row}]" if index[0] == "0" else f"{table}[{row} + {index[0]}]"
        if isinstance(node, Take):
            at = str(node.places[0]) if len(node.places) == 1 else f"{self.dialect.places(node.places)}[{index[0]}]"
            return self.expression(node.args[0], (at,), True)
        if isinstance(node, Reshape):
            free = [at for at, size in zip(index, node.shape, strict=True) if size > 1]
            return self.expression(node.args[0], (free[0] if free else "0",), True)
        if isinstance(node, Narrow):
            return self.dialect.narrow(_bare(self.expression(node.args[0], index, True)))
        if isinstance(node, Const):
            return self._number(node, index, False)
        if isinstance(node, Horner):
            wide = is_wide(node, self.wide)
            table = self.dialect.numbers(np.array(node.coefficients), wide)
            count = str(len(node.coefficients))
            return self.dialect.call("horner", [table, count, _bare(self.expression(node.args[0], index, wide))], wide)
        assert isinstance(node, Apply)
        return self._operation(node, index)

    def _raw_position(self, node: Raw, at: str) -> str:
        positions = [self.positions[column] for column in node.columns]
        if len(positions) == 1:
            return str(positions[0])
        if positions == list(range(positions[0], positions[0] + len(positions))):
            return _sum(positions[0], at)
        return f"{self.dialect.places(np.array(positions))}[{at}]"

    def _operation(self, node: Apply, index: tuple[str, ...]) -> str:
        wide = is_wide(node, self.wide)
        if node.op == "where":
            test, *sides = node.args
            chosen = [self.expression(side, index, wide) for side in sides]
            return f"({self._test(test, index)} ? {chosen[0]} : {chosen[1]})"
        if node.op in _TESTS or node.op == "missing":
            one, none = self.dialect.number(1.0, wide), self.dialect.number(0.0, wide)
            return f"({self._test(node, index)} ? {one} : {none})"
        args = [self.expression(arg, index, wide) for arg in node.args]
        if node.op == "sub" and isinstance(node.args[0], Const) and not np.any(node.args[0].values):
            return f"(-{args[1]})"
        if node.op in _SIGNS:
            return f"({args[0]} {_SIGNS[node.op]} {args[1]})"
        return self.dialect.call(node.op, [_bare(arg) for arg in args], wide)

    def _test(self, node: Node, index: tuple[str, ...]) -> str:
        """Return a condition; a comparison that has no array of its own as it is."""
        wide = is_wide(node, self.wide)
        if id(node) in self.names or not isinstance(node, Apply) or node.op not in (*_TESTS, "missing"):
            return f"{self.expression(node, index, wide)} != {self.dialect.number(0.0, wide)}"
        args = [self.expression(arg, index, wide) for arg in node.args]
        return self.dialect.is_missing(_bare(args[0])) if node.op == "missing" else _TESTS[node.op].format(*args)


def _bare(text: str) -> str:
    """Return an expression without the brackets around the whole of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and place < len(text) - 1:
            return text
    return text[1:-1]


def _sum(first: int, index: str) -> str:
    if index.isdigit():
        return str(first + int(index))
    return index if first == 0 else f"{first} + {index}"


def _flat(index: Sequence[str], shape: Sequence[int]) -> str:
    """Return the place of an element in a flat table."""
    terms = []
    for axis, (at, size) in enumerate(zip(index, shape, strict=True)):
        stride = int(np.prod(shape[axis + 1 :]))
        if size > 1:
            terms.append(at if stride == 1 else f"{at} * {stride}")
    return " + ".join(terms) or "0"


def _reached(target: Node, known: dict[int, str]) -> set[int]:
    """Return the nodes that are still to be computed on the way to a target."""
    found: set[int] = set()
    stack = [target]
    while stack:
        node = stack.pop()
        if id(node) not in known and id(node) not in found:
            found.add(id(node))
            stack += node.args
    return found


def _kept(order: Sequence[Node], target: Node) -> set[int]:
    """Return the nodes that get an array of their own."""
    users: dict[int, list[Node]] = {}
    for node in order:
        for arg in node.args:
            users.setdefault(id(arg), []).append(node)
    kept = {id(target)}
    for node in order:
        many = isinstance(node, Reduce | VectorTimes | Join | Fall)
        if isinstance(node, Fall):
            kept.add(id(node.args[0]))
        plain = isinstance(node, Apply | Narrow | Horner) and len(node.shape) == 1
        if many or (plain and not _is_inline(node, users.get(id(node), []))):
            kept.add(id(node))
    return kept


def _is_inline(node: Node, users: Sequence[Node]) -> bool:
    """Return whether every element of a node is used once."""
    if len(users) != 1:
        return False
    user = users[0]
    return isinstance(user, Apply | Narrow | Horner | Reduce | VectorTimes) and (
        isinstance(user, Reduce | VectorTimes) or user.shape == node.shape
    )
