"""A model as a function of JavaScript, without anything around it."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect import __version__
from kernelect.exceptions import InvalidArgument
from kernelect.explain import Explainer
from kernelect.export.c_language import identifier
from kernelect.export.dialect import Dialect, source_pieces, wrapped
from kernelect.export.graph import Node
from kernelect.export.loops import Loops
from kernelect.export.prepare import prepared
from kernelect.export.program import Program
from kernelect.export.reasons import Reasons, runtime
from kernelect.model.decisions import Decision
from kernelect.model.spreads import check_coverage
from kernelect.typing import Array, Indices

#: Numbers of a model that is still written as source text.
MOST_NUMBERS = 2_000_000

_PIECES = source_pieces("pieces.js")

#: Tables that are at least so long are packed if that is asked for.
_PACKED = 8

_NATIVE = ("min", "max", "abs", "exp", "floor", "log", "sqrt", "sin")


def to_javascript(
    model: Any,
    *,
    name: str = "model",
    rows: Any = None,
    max_vectors: int | None = None,
    max_numbers: int = MOST_NUMBERS,
    explainer: Explainer | None = None,
    interval: float | None = None,
    packed: bool = False,
) -> str:
    """Return a fitted model as JavaScript that defines one constant, without dependencies.

    ``NAME.predict(row)`` returns ``{probabilities, decision, label, place}`` of a classifier or ``{values}``. The
    label is the class at this place; a table model's threshold or costs, if it has any, choose it. A row is an array
    with one cell per column, as the table has them: numbers, texts of categories, days since 1970-01-01 for dates,
    and null, undefined, NaN or "" for a missing cell. A text in a number column is read as a number. ``NAME.columns``
    lists the columns with their levels, ``NAME.classes`` the classes.

    Parameters
    ----------
    model : estimator, Pipeline or TableModel
        Fitted.
    name : str
        Name of the constant.
    rows : DataFrame or array, optional
        Rows on which the program is compared with the model; by default they are made up.
    max_vectors : int, optional
        First reduce the model to this many vectors with :func:`reduce`; only for least-squares machines and mixtures.
    max_numbers : int
        A model with more numbers than this is refused.
    explainer : Explainer, optional
        An explainer of the same model. The constant then has ``NAME.explain(row)``, which returns ``{base, values}``,
        exact Shapley values of every player in ``NAME.players`` for every output. ``NAME.prepare()`` does the next
        part of the preparation, which is needed once, and returns whether more is left.
    interval : float in (0, 1), optional
        For models that predict one number: ``NAME.predict(row)`` then has ``interval`` too, the ends between which
        this share of observations lies. It comes from the plain jackknife, with the spread at the row if the spread
        differs between rows. This is close to ``predict_interval``, which needs a matrix of all rows.
    packed : bool
        Whether tables of numbers are written in base64, in half the space or less.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelect import LSSVC
    >>> from kernelect.export import to_javascript
    >>> X, y = load_iris(return_X_y=True)
    >>> "const iris = " in to_javascript(LSSVC("rbf").fit(X, y), name="iris")
    True
    """
    if not isinstance(name, str) or identifier(name) != name or not name[0].isalpha():
        raise InvalidArgument(f"name={name!r} must be a valid name in JavaScript: letters and digits, a letter first.")
    if explainer is not None and max_vectors is not None:
        raise InvalidArgument(
            f"explainer= is of the whole model and max_vectors={max_vectors} of a smaller one: reduce the model first, "
            "by kernelect.export.reduce, and explain that one."
        )
    if interval is not None:
        check_coverage(interval, "interval")
    program, _ = prepared(model, rows, max_vectors, max_numbers, interval)
    return _source(program, name, None if explainer is None else Reasons(explainer, program), packed)


def quoted(value: Any) -> str:
    """Return a value as JSON that may stand inside a script of an HTML page."""
    return json.dumps(value).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@dataclass(kw_only=True)
class JavaScript(Dialect):
    """JavaScript, whose numbers are all double."""

    packed: bool = False

    def number(self, value: float, wide: bool) -> str:
        if not np.isfinite(value):
            return "NaN" if np.isnan(value) else ("(-Infinity)" if value < 0 else "Infinity")
        return f"({value!r})" if value < 0 else repr(float(value))

    def call(self, op: str, args: Sequence[str], wide: bool) -> str:
        if op in _NATIVE:
            return f"Math.{op}({', '.join(args)})"
        self.helpers[op] = _PIECES[op]
        return f"{op}({', '.join(args)})"

    def is_missing(self, value: str) -> str:
        return f"Number.isNaN({value})"

    def narrow(self, value: str) -> str:
        return f"({value})" if " " in value else value

    def loop(self, index: str, count: int) -> str:
        return f"for (let {index} = 0; {index} < {count}; {index}++)"

    def vector(self, name: str, size: int, wide: bool) -> str:
        return f"const {name} = new Float64Array({size});"

    def scalar(self, name: str, value: str, wide: bool, *, changes: bool = False) -> str:
        return f"{'let' if changes else 'const'} {name} = {value};"

    def whole(self, name: str, value: str) -> str:
        return f"let {name} = {value};"

    def code(self, name: str, position: int, n_levels: int) -> str:
        return f"const {name} = code(columns[{position}].levels, row[{position}]);"

    def cell(self, position: str) -> str:
        return f"number(row[{position}])"

    def places(self, values: Indices) -> str:
        return self.table("Int32Array", values, [str(value) for value in values.tolist()])

    def numbers(self, values: Array, wide: bool, bits: int | None = None) -> str:
        flat = np.ascontiguousarray(values, dtype=float).ravel()
        if self.packed and len(flat) >= _PACKED:
            self.helpers["unpack"] = _PIECES["unpack"]
            return self.table("", flat, [_packed(flat)])
        return self.table("Float64Array", flat, [self.number(value, wide).strip("()") for value in flat.tolist()])

    def table_name(self, number: int) -> str:
        return f"t{number}"

    def declared(self, kind: str, name: str, texts: Sequence[str]) -> str:
        return f"const {name} = " + (f"new {kind}([\n{wrapped(texts)}\n]);" if kind else f"{texts[0]};")


def _packed(flat: Array) -> str:
    """Return numbers as a call of ``unpack``, in the shortest form that keeps all their digits.

    That is single precision if they have no more digits, or places in a list of their different values.
    """
    with np.errstate(over="ignore"):
        single = flat.astype("<f4")
    if np.array_equal(single, flat, equal_nan=True):
        return f'unpack("{_base64(single)}", Float32Array)'
    values, places = np.unique(flat.view(np.int64), return_inverse=True)  # their bits: -0 is not 0
    for kind, name in (("<u1", "Uint8Array"), ("<u2", "Uint16Array")):
        size = np.dtype(kind).itemsize
        if len(values) <= 256**size and 8 * len(values) + size * len(flat) < 8 * len(flat):
            listed = f'unpack("{_base64(values.view(float).astype("<f8"))}", Float64Array)'
            return f'unpack("{_base64(places.astype(kind))}", {name}, {listed})'
    return f'unpack("{_base64(flat.astype("<f8"))}", Float64Array)'


def _base64(values: Array | Indices) -> str:
    return base64.b64encode(values.tobytes()).decode()


def _source(program: Program, name: str, reasons: Reasons | None, packed: bool) -> str:
    dialect = JavaScript(packed=packed)
    loops = Loops(program, dialect)
    for node in [*program.outputs, *([] if program.ends is None else [program.ends])]:
        loops.compute(node)
    if program.classes is None:
        interval = "" if program.ends is None else f", interval: {_listed(loops, program.ends)}"
        answer = [f"return {{ values: {_listed(loops, program.result)}{interval} }};"]
    else:
        answer = [
            f"const probabilities = {_listed(loops, program.result)};",
            *_chosen(program.choice),
            f"return {{ probabilities, label: classes[place], place, decision: {_listed(loops, program.decision)} }};",
        ]
    columns = [
        {"name": column.name, "kind": column.kind, "levels": list(column.levels), "typical": column.typical}
        for column in program.columns
    ]
    body = "\n".join(f"    {line}" for line in [*loops.lines, *answer])
    explained = [] if reasons is None else _explained(program, reasons, dialect)
    members = ["columns", "classes", *(["players", "prepare", "explain"] if explained else [])]
    parts = [
        f"// {program.title}, written by kernelect {__version__}.",
        *(f"// {remark}" for remark in program.remarks),
        f"const {name} = (() => {{",
        '"use strict";',
        f"const columns = {quoted(columns)};",
        f"const classes = {quoted(None if program.classes is None else list(program.classes))};",
        _PIECES["cells"],
        *dialect.helpers.values(),
        *dialect.tables,
        *explained,
        f"return {{\n  {', '.join(members)},\n  predict: (row) => {{\n{body}\n  }},\n}};",
        "})();",
    ]
    return "\n".join(parts) + "\n"


def _chosen(choice: Decision | None) -> list[str]:
    """Return the statements that find the place of the predicted class among the probabilities."""
    if choice is None:
        return ["const place = probabilities.indexOf(Math.max(...probabilities));"]
    if choice.threshold is not None:
        positive, other = choice.positive, 1 - choice.positive
        return [f"const place = probabilities[{positive}] > {choice.threshold!r} ? {positive} : {other};"]
    return [
        f"const costs = {quoted(choice.costs)};",
        "const expected = probabilities.map((_, k) => probabilities.reduce((sum, p, j) => sum + p * costs[j][k], 0));",
        "const place = expected.indexOf(Math.min(...expected));",
    ]


def _explained(program: Program, reasons: Reasons, dialect: JavaScript) -> list[str]:
    """Return the statements that define players, prepare and explain."""
    loops = Loops(program, dialect)
    for node in reasons.nodes:
        loops.compute(node)
    lines = "\n".join(f"  {line}" for line in loops.lines)
    views = ", ".join(_listed(loops, node) for node in reasons.nodes)
    record = reasons.source(lambda values: dialect.numbers(values, True), dialect.places)
    return [
        f"const players = {quoted(list(reasons.expansion.players))};",
        f"const inputs = (row) => {{\n{lines}\n  return [{views}];\n}};",
        runtime(),
        *(f"FACTORS.{own} = ofDistance({_function(t, node, dialect)});" for own, t, node in reasons.profiles()),
        f"const {{ prepare, explain }} = explainer({record});",
    ]


def _function(t: Node, node: Node, dialect: JavaScript) -> str:
    """Return a node as a function of the number that it depends on."""
    loops = Loops(Program(columns=(), result=node), dialect)
    loops.names[id(t)] = "t"
    loops.compute(node)
    return f"(t) => {{ {' '.join(loops.lines)} return {loops.element(node, 0)}; }}"


def _listed(loops: Loops, node: Any) -> str:
    """Return the values of a node as an array."""
    if node is None:
        return "null"
    size = node.shape[0]
    return f"[{loops.element(node, 0)}]" if size == 1 else f"Array.from({loops.names[id(node)]})"
