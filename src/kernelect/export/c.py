"""A model as one header of C99."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kernelect import __version__
from kernelect.exceptions import InvalidArgument
from kernelect.export.c_language import CDialect, comment, identifier, literal
from kernelect.export.evaluate import evaluate
from kernelect.export.loops import Loops
from kernelect.export.prepare import prepared
from kernelect.export.program import ExportedColumn, Program
from kernelect.export.quantise import quantised
from kernelect.export.rows import in_single_precision, largest_change
from kernelect.model.decisions import Decision
from kernelect.typing import Array

#: Numbers of a model that is still written as source text.
MOST_NUMBERS = 2_000_000

#: How far the test inside the header may be off, per precision.
_TOLERANCE = {"double": 1e-9, "float": 1e-4}


def to_c(
    model: Any,
    *,
    real: str = "double",
    name: str = "model",
    bits: int | None = None,
    rows: Any = None,
    max_vectors: int | None = None,
    max_numbers: int = MOST_NUMBERS,
) -> str:
    """Return a fitted model as one header of C99: tables, two functions, a test.

    ``NAME_predict(row, out)`` gives the probabilities of all classes or the predicted values,
    ``NAME_decision(row, out)`` the decision values of a classifier, and ``NAME_class(out)`` the place of the class that
    Python's ``predict`` names. A row holds one double per column, as the table has them: NaN for a missing cell, the
    code of a level for a category (``NAME_level(column, text)``), days since 1970-01-01 for a date. The code
    allocates nothing, and needs only ``exp`` of the mathematical library.

    Parameters
    ----------
    model : estimator, Pipeline or TableModel
        Fitted.
    real : "double" or "float"
        Precision of tables and arithmetic; cells are centred in double in any case.
    name : str
        Prefix of all names in the header.
    bits : 16 or 8, optional
        Store vectors and coefficients as whole numbers of this many bits; the header states the error that this
        causes.
    rows : DataFrame or array, optional
        Rows for the test inside the header, as the model takes them; by default they are made up.
    max_vectors : int, optional
        First reduce the model to this many vectors with :func:`reduce`; only for least-squares machines and mixtures.
    max_numbers : int
        A model with more numbers than this is refused.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelect import LSSVC
    >>> from kernelect.export import to_c
    >>> X, y = load_iris(return_X_y=True)
    >>> header = to_c(LSSVC("rbf").fit(X, y), name="iris")
    >>> "static inline void iris_predict(const double *row, double *out)" in header
    True
    """
    if real not in _TOLERANCE:
        raise InvalidArgument(f"real={real!r} must be 'double' or 'float'.")
    if not isinstance(name, str) or identifier(name) != name or not (name[0].isalpha()):
        raise InvalidArgument(f"name={name!r} must be a valid name in C: letters and digits, a letter first.")
    program, cells = prepared(model, rows, max_vectors, max_numbers)
    if bits is not None:
        program = _rounded(program, cells, bits)
    if real == "float":
        program = in_single_precision(program, cells)
    return _Header(program, CDialect(name=name, real=real), cells).text()


def _rounded(program: Program, cells: Array, bits: Any) -> Program:
    other = program.with_outputs(quantised(program.outputs, bits))
    change = largest_change(program, other, cells)
    by = f"numbers by {change:.1g} of the largest" if program.classes is None else f"probabilities by {change:.1g}"
    remark = f"Vectors and coefficients are whole numbers of {bits} bits, which moves {by}."
    return other.with_outputs(other.outputs, remark)


class _Header:
    """The parts of a header, in their order."""

    def __init__(self, program: Program, dialect: CDialect, cells: Array) -> None:
        self.program, self.dialect, self.cells = program, dialect, cells
        self.name = dialect.name
        self.outputs = evaluate(program, cells)

    def text(self) -> str:
        """Return the header."""
        functions = [self._decision(), self._predict()]  # first: tables and helpers follow from them
        guard = f"{self.name.upper()}_H"
        parts = [
            self._about(),
            f"#ifndef {guard}\n#define {guard}\n",
            "#include <math.h>\n#include <stdint.h>\n",
            self._enumeration(),
            *self.dialect.tables,
            *self.dialect.helpers.values(),
            self._code(),
            *(function for function in functions if function),
            self._choice(),
            self._level(),
            self._words("column", [column.name for column in self.program.columns]),
            self._words("output", [str(label) for label in self._labels()]),
            self._test(),
            f"#endif /* {guard} */",
        ]
        return "\n".join(parts) + "\n"

    def _labels(self) -> Sequence[Any]:
        return self.program.classes or range(self.program.result.shape[0])

    def _about(self) -> str:
        """Return the comment at the head of the file."""
        lines = [
            f"{self.program.title}, written by kernelect {__version__}.",
            "",
            f"{self.name}_predict(row, out): out[{self.program.result.shape[0]}] "
            + ("probabilities of the classes" if self.program.classes else "predicted values"),
            *(f"  out[{k}]: {comment(str(label))}" for k, label in enumerate(self.program.classes or ())),
        ]
        if self.program.classes is not None:
            lines.append(
                f"{self.name}_class(out): the predicted class, by its place in out; {_rule(self.program.choice)}"
            )
        if self.program.decision is not None:
            lines.append(f"{self.name}_decision(row, out): out[{self.program.decision.shape[0]}] decision values")
        lines += ["", "A row is an array of doubles, NaN if a cell is missing:"]
        for position, column in enumerate(self.program.columns):
            lines.append(f"  row[{position}]: {comment(column.name)}, {_kind(column)}")
            lines += [f"    {code} = {comment(level)}" for code, level in enumerate(column.levels)]
        lines += [
            "",
            f"Nothing is allocated; arrays take {self.dialect.stack} bytes of stack. Of the mathematical library only",
            f"{'expf' if self.dialect.real == 'float' else 'exp'} is needed. NaN has a meaning: no -ffast-math.",
            f"Test: cc -x c -D{self.name.upper()}_TEST this_file.h -lm",
            *self.program.remarks,
        ]
        return "/*\n" + "\n".join(f" * {line}".rstrip() for line in lines) + "\n */"

    def _enumeration(self) -> str:
        prefix = self.name.upper()
        taken: dict[str, int] = {}
        names = []
        for position, column in enumerate(self.program.columns):
            short = identifier(column.name).upper()
            taken[short] = taken.get(short, 0) + 1
            names.append(f"{prefix}_{short}" if taken[short] == 1 else f"{prefix}_{short}__{position}")
        entries = [f"{prefix}_N_COLUMNS = {len(names)}", f"{prefix}_N_OUTPUTS = {self.program.result.shape[0]}"]
        entries += [f"{name}_COLUMN = {position}" for position, name in enumerate(names)]
        return "enum {\n" + ",\n".join(f"  {entry}" for entry in entries) + "\n};"

    def _code(self) -> str:
        return self.dialect.piece("code") if any(each.kind == "category" for each in self.program.columns) else ""

    def _decision(self) -> str:
        if self.program.decision is None:
            return ""
        loops = Loops(self.program, self.dialect)
        return self._function("decision", loops, self.program.decision)

    def _predict(self) -> str:
        loops = Loops(self.program, self.dialect)
        decision = self.program.decision
        if decision is None:
            return self._function("predict", loops, self.program.result)
        loops.lines.append(self.dialect.vector("decision", decision.shape[0], False))
        loops.lines.append(f"{self.name}_decision(row, decision);")
        loops.give(decision, "decision")
        return self._function("predict", loops, self.program.result)

    def _function(self, what: str, loops: Loops, node: Any) -> str:
        loops.compute(node)
        size = node.shape[0]
        if size == 1:
            loops.lines.append(f"out[0] = {loops.element(node, 0)};")
        else:
            loops.lines.append(f"{self.dialect.loop('i', size)} out[i] = {loops.element(node, 'i')};")
        head = f"static inline void {self.name}_{what}(const double *row, {self.dialect.real} *out) {{"
        return "\n".join([head, *(f"  {line}" for line in loops.lines), "}"])

    def _choice(self) -> str:
        """Return the function that finds the predicted class among its probabilities."""
        choice, k = self.program.choice, self.program.result.shape[0]
        if self.program.classes is None:
            return ""
        if choice is None:
            return self.dialect.piece("likeliest", n_outputs=k)
        if choice.threshold is not None:
            places = {"positive": choice.positive, "other": 1 - choice.positive}
            return self.dialect.piece("threshold", threshold=repr(choice.threshold), **places)
        costs = ", ".join("{" + ", ".join(map(repr, row)) + "}" for row in choice.costs or ())
        return self.dialect.piece("cost", n_outputs=k, costs=costs)

    def _level(self) -> str:
        """Return the function that finds the code of a level."""
        levels = "\n".join(
            self.dialect.piece("levels", column=position, names=_literals(column.levels), count=len(column.levels))
            for position, column in enumerate(self.program.columns)
            if column.levels
        )
        return self.dialect.piece("level", levels=levels) if levels else ""

    def _words(self, what: str, words: list[str]) -> str:
        """Return the function that names columns or outputs."""
        return self.dialect.piece("words", what=what, names=_literals(words), count=len(words))

    def _test(self) -> str:
        """Return the test: rows, what comes out in Python, and the program that compares."""
        tolerance = _TOLERANCE[self.dialect.real] * self.program.size(self.outputs[-1])
        return self.dialect.piece(
            "test",
            upper=self.name.upper(),
            rows=self._listed(self.cells),
            outputs=self._listed(self.outputs[-1]),
            n_rows=len(self.cells),
            n_columns=self.cells.shape[1],
            n_outputs=self.program.result.shape[0],
            tolerance=self.dialect.number(tolerance, True),
        )

    def _listed(self, table: Array) -> str:
        return ",\n".join("    {" + ", ".join(self.dialect.number(v, True) for v in row) + "}" for row in table)


def _literals(texts: Sequence[str]) -> str:
    return ", ".join(literal(text) for text in texts)


def _rule(choice: Decision | None) -> str:
    if choice is None:
        return "the likeliest one"
    if choice.threshold is None:
        return "the one of least expected cost"
    return f"{choice.positive} where out[{choice.positive}] > {choice.threshold:.4g}"


def _kind(column: ExportedColumn) -> str:
    words = {"number": "a number", "date": "a date in days since 1970-01-01", "category": "a category, by its code:"}
    return words[column.kind]
