"""A model as a file of ONNX."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernelect import __version__
from kernelect.exceptions import InvalidArgument
from kernelect.export.evaluate import evaluate, number_of, text_of
from kernelect.export.onnx_nodes import OnnxNodes
from kernelect.export.prepare import prepared
from kernelect.export.program import Program
from kernelect.export.rows import in_single_precision
from kernelect.extras import load_extra
from kernelect.model.decisions import Decision
from kernelect.typing import Array

#: Version of the operators; the first one in which texts can be compared.
OPSET = 19

#: Version of the file format that belongs to it.
_IR_VERSION = 9

#: Numbers of a model that still fits into one file, which holds 2 GB at most.
MOST_NUMBERS = 100_000_000

#: Numbers smaller than this one are left out by runtimes, which look for zeros among constants in single precision.
_LEAST_RESULT = 1e-30

_PRECISIONS = {"double": np.float64, "float32": np.float32}


def to_onnx(
    model: Any,
    *,
    real: str = "double",
    rows: Any = None,
    max_vectors: int | None = None,
    max_numbers: int = MOST_NUMBERS,
) -> Any:
    """Return a fitted model as an ONNX model of plain operators (opset 19).

    Inputs are ``numbers``, the number columns of a batch of rows in double (NaN for a missing cell, days since
    1970-01-01 for a date), and ``categories``, the category columns as text ("" for a missing cell). Each is there
    only if the model has such columns; the metadata hold their names. Outputs are ``label``, ``probabilities`` and
    ``decision`` of a classifier, or ``value``; the label follows the table model's threshold or costs.

    Parameters
    ----------
    model : estimator, Pipeline or TableModel
        Fitted.
    real : "double" or "float32"
        Precision of the arithmetic; cells are centred in double in any case.
    rows : DataFrame or array, optional
        Rows on which the graph is compared with the model; by default they are made up.
    max_vectors : int, optional
        First reduce the model to this many vectors with :func:`reduce`; only for least-squares machines and mixtures.
    max_numbers : int
        A model with more numbers than this is refused.

    Returns
    -------
    onnx.ModelProto
        Write it with ``onnx.save(model, "model.onnx")``.
    """
    onnx = load_extra("onnx", caller="to_onnx", extra="onnx")
    if real not in _PRECISIONS:
        raise InvalidArgument(f"real={real!r} must be 'double' or 'float32'.")
    program, coded = prepared(model, rows, max_vectors, max_numbers)
    _require_size(program, coded)
    if real == "float32":
        program = in_single_precision(program, coded)
    written = _written(onnx, program, _PRECISIONS[real])
    onnx.checker.check_model(written, full_check=True)
    return written


def _require_size(program: Program, coded: Array) -> None:
    """Refuse a model whose constants runtimes would take for zeros."""
    size = float(np.abs(evaluate(program, coded)[-1]).max(initial=0.0))
    if 0.0 < size < _LEAST_RESULT:
        raise InvalidArgument(
            f"model predicts numbers of {size:.0e} at most, which ONNX runtimes take for 0: fit it to y in a larger "
            "unit, or export it as C."
        )
    for column, values in zip(program.columns, coded.T, strict=True):
        largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
        if 0.0 < largest < _LEAST_RESULT:
            raise InvalidArgument(
                f"X has numbers of {largest:.0e} at most in column {column.name!r}, which ONNX runtimes take for 0: "
                "fit the model to a larger unit of it, or export it as C."
            )


@dataclass(kw_only=True)
class _Collector:
    """Nodes and initialisers of one graph."""

    onnx: Any
    nodes: list[Any] = field(default_factory=list)
    initializers: list[Any] = field(default_factory=list)

    def node(self, operator: str, inputs: list[str], **attributes: Any) -> str:
        output = attributes.pop("output", None) or f"t{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, inputs, [output], **attributes))
        return output

    def constant(self, values: Any) -> str:
        name = f"c{len(self.initializers)}"
        self.initializers.append(self.onnx.numpy_helper.from_array(np.asarray(values), name))
        return name

    def cast(self, name: str, kind: Any) -> str:
        return self.node("Cast", [name], to=self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(kind)))


def _written(onnx: Any, program: Program, real: Any) -> Any:
    sink = _Collector(onnx=onnx)
    helper, types = onnx.helper, onnx.TensorProto
    counts = [sum((column.kind == "category") == is_text for column in program.columns) for is_text in (False, True)]
    inputs = [
        helper.make_tensor_value_info(name, kind, ["rows", count])
        for name, kind, count in zip(("numbers", "categories"), (types.DOUBLE, types.STRING), counts, strict=True)
        if count
    ]
    nodes = OnnxNodes(
        program=program,
        sink=sink,
        numbers="numbers" if counts[0] else "",
        categories="categories" if counts[1] else "",
        real=real,
    )
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(real))
    outputs = []
    for name, node in _named(program):
        sink.node("Identity", [nodes.add(node)], output=name)
        outputs.append(helper.make_tensor_value_info(name, kind, ["rows", node.shape[0]]))
    if program.classes is not None:
        labels = label_array(program.classes)
        sink.node("Gather", [sink.constant(labels), _chosen(sink, program.choice)], axis=0, output="label")
        outputs.insert(0, helper.make_tensor_value_info("label", _label_type(onnx, labels), ["rows"]))
    used = {name for node in sink.nodes for name in node.input}
    kept = [one for one in sink.initializers if one.name in used]  # equal numbers are written once, and not all used
    graph = helper.make_graph(sink.nodes, "kernelect", inputs, outputs, kept)
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=_IR_VERSION,
        producer_name="kernelect",
        producer_version=__version__,
    )
    helper.set_model_props(model, _described(program))
    return model


def _chosen(sink: _Collector, choice: Decision | None) -> str:
    """Return the places of the predicted classes, from probabilities in double as Python has them."""
    if choice is None:
        return sink.node("ArgMax", ["probabilities"], axis=1, keepdims=0)
    shares = sink.cast("probabilities", np.float64)
    if choice.threshold is None:
        expected = sink.node("MatMul", [shares, sink.constant(np.array(choice.costs))])
        return sink.node("ArgMin", [expected], axis=1, keepdims=0)
    share = sink.node("Gather", [shares, sink.constant(np.int64(choice.positive))], axis=1)
    above = sink.node("Greater", [share, sink.constant(np.float64(choice.threshold))])
    places = [sink.constant(np.int64(place)) for place in (choice.positive, 1 - choice.positive)]
    return sink.node("Where", [above, *places])


def _named(program: Program) -> list[tuple[str, Any]]:
    if program.classes is None:
        return [("value", program.result)]
    found = [("probabilities", program.result)]
    return found if program.decision is None else [*found, ("decision", program.decision)]


def label_array(classes: tuple[Any, ...]) -> Any:
    """Return classes as an array that ONNX can hold: whole numbers, numbers or texts."""
    array = np.asarray(classes)
    if array.dtype.kind in "biu":
        return array.astype(np.int64)
    return array.astype(np.float64) if array.dtype.kind == "f" else np.array([str(label) for label in classes], object)


def _label_type(onnx: Any, labels: Any) -> Any:
    types = {"i": onnx.TensorProto.INT64, "f": onnx.TensorProto.DOUBLE, "O": onnx.TensorProto.STRING}
    return types[labels.dtype.kind]


def _described(program: Program) -> dict[str, str]:
    """Return what the file says of itself."""
    columns = {
        tensor: [
            {"name": column.name, "kind": column.kind, **({"levels": column.levels} if column.levels else {})}
            for column in program.columns
            if (column.kind == "category") == is_text
        ]
        for tensor, is_text in (("numbers", False), ("categories", True))
    }
    found = {"columns": json.dumps(columns), "model": program.title}
    if program.classes is not None:
        found["classes"] = json.dumps([str(label) for label in program.classes])
    return {**found, "remarks": json.dumps(program.remarks)} if program.remarks else found


def onnx_inputs(model: Any, rows: Any) -> dict[str, Any]:
    """Return rows of a table as the inputs of a model made by :func:`to_onnx`.

    Parameters
    ----------
    model : onnx.ModelProto
    rows : DataFrame
        With the columns that the metadata name.
    """
    columns = json.loads(next(entry.value for entry in model.metadata_props if entry.key == "columns"))
    _check_columns(rows, [column["name"] for kind in columns.values() for column in kind])
    found: dict[str, Any] = {}
    if columns["numbers"]:
        found["numbers"] = np.array([_numbers(rows, column["name"]) for column in columns["numbers"]]).T
    if columns["categories"]:
        texts = [_texts(rows[column["name"]], column.get("levels", ())) for column in columns["categories"]]
        found["categories"] = np.array(texts, dtype=object).T
    return found


def _check_columns(rows: Any, names: list[str]) -> None:
    """Raise if rows are no table with these columns."""
    given = getattr(rows, "columns", rows if isinstance(rows, Mapping) else None)
    if given is None:
        raise InvalidArgument(
            f"rows must be a DataFrame with the columns that the model names, got {type(rows).__name__}: give "
            f"pandas.DataFrame(rows, columns={names[:3]!r}), with the names of all columns."
        )
    missing = [name for name in names if name not in given]
    if missing:
        raise InvalidArgument(f"rows has no column {missing[0]!r}, which the model takes: give all of its columns.")


def _numbers(rows: Any, name: str) -> Array:
    """Return the numbers of a column, or say which cell is none."""
    try:
        return np.array([number_of(cell) for cell in rows[name]], dtype=float)
    except ValueError:
        strange = next(cell for cell in rows[name] if not _is_missing(cell) and not _is_number(cell))
        raise InvalidArgument(
            f"rows holds {strange!r} in column {name!r}, which the model reads as numbers: give numbers, dates "
            "(pandas.to_datetime), and NaN for missing cells."
        ) from None


def _texts(cells: Any, levels: Any) -> list[str]:
    """Return the cells as texts, "" for missing ones; without the blanks around them if that makes a level."""
    texts = ["" if _is_missing(cell) else text_of(cell) for cell in cells]
    return [text.strip() if text not in levels and text.strip() in levels else text for text in texts]


def _is_number(cell: Any) -> bool:
    try:
        number_of(cell)
    except ValueError:
        return False
    return True


def _is_missing(cell: Any) -> bool:
    return cell is None or cell != cell
