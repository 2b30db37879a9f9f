"""A model that was read is checked as a whole before it is used.

Every array has the axes that its kind declares, numbers are finite, places lie among the things they number, and a row
of missing cells gets predictions of the right shape. The same is checked before a model is written.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelect.inputs.frame import Frame
from kernelect.model.heads import LabelHead
from kernelect.model.kinds import Axes, Lengths, fields_of, kind_of
from kernelect.model.record import Model

if TYPE_CHECKING:
    from kernelect.kernels.composite import OnColumns
    from kernelect.machines.lssvm.sampled import SampledRows
    from kernelect.machines.lssvm.spread import LandmarkSpread
    from kernelect.model.component import Component
    from kernelect.model.heads import NoiseModel
    from kernelect.model.parts import KernelPart
    from kernelect.model.relevance import Output, RelevanceModel
    from kernelect.model.trees import BagJackknife, BoxPart, Trees

#: Columns that a model may have, and components and parts.
MOST_COLUMNS, MOST_PARTS = 1_000_000, 1000

#: Letters that are those of the record around.
_HANDED_ON = ("z", "d", "k", "v")


def check_model(model: Model) -> None:
    """Raise a :class:`ValueError` with the reason, a part of a sentence, if a model is not whole."""
    _require(0 < model.n_columns <= MOST_COLUMNS, f"it has {model.n_columns} columns")
    _require(model.names is None or len(model.names) == model.n_columns, "it has another number of names than columns")
    _require(0 < len(model.components) == len(model.head.weights), "it has another number of weights than components")
    count = sum(1 + len(component.parts) for component in model.components)
    _require(count <= MOST_PARTS, f"it has {count} components and parts, more than a model may have ({MOST_PARTS})")
    if model.coding is not None:
        _require(len(model.coding.roles) == model.n_columns, "it codes another number of columns than it has")
    _Walk().check("model", model, {"z": model.n_inputs, "j": len(model.components)})
    _rehearse(model)


def check_record(place: str, record: Any) -> None:
    """Raise if the arrays of a record beside the model do not belong together."""
    _Walk().check(place, record, {})


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise ValueError(reason)


class _Walk:
    """Goes through all records of a model, and looks at the values of each array once."""

    def __init__(self) -> None:
        self._seen: set[tuple[int, Axes | None, int | None]] = set()

    def check(self, place: str, record: Any, around: Lengths) -> None:
        kind, lengths = kind_of(record), dict(around)
        values = {name: getattr(record, name) for name in fields_of(type(record))}
        for name, axes in kind.arrays.items():
            for each in _arrays(values.get(name)):
                axes.check(f"{place}.{name}", each, lengths)
        for name, value in values.items():
            for each in _arrays(value):
                self._check_values(f"{place}.{name}", each, kind.arrays.get(name), lengths)
        inner = {letter: around[letter] for letter in _HANDED_ON if letter in around}
        special = _SPECIAL.get(kind.word)
        if special is not None:
            inner.update(special(record, {**around, **lengths}))
        if isinstance(record, Model):
            inner["j"] = around["j"]
        for name, value in values.items():
            self._check_plain(f"{place}.{name}", value, inner)

    def _check_values(self, place: str, array: Any, axes: Axes | None, lengths: Lengths) -> None:
        key = (id(array), axes, None if axes is None else lengths.get(axes.below))
        if key not in self._seen:
            self._seen.add(key)
            if axes is not None:
                axes.check_values(place, array, lengths)
            elif array.dtype.kind == "f" and not np.isfinite(array).all():
                raise ValueError(f"{place} holds numbers that are not finite")

    def _check_plain(self, place: str, value: Any, around: Lengths) -> None:
        if isinstance(value, float):
            _require(math.isfinite(value), f"{place} is not finite")
        elif isinstance(value, tuple):
            for number, each in enumerate(value):
                self._check_plain(f"{place}[{number}]", each, around)
        elif hasattr(value, "__dict__") and not isinstance(value, np.ndarray):
            self.check(place, value, around)


def _arrays(value: Any) -> tuple[Any, ...]:
    if isinstance(value, np.ndarray):
        return (value,)
    return tuple(each for each in value if isinstance(each, np.ndarray)) if isinstance(value, tuple) else ()


# What letters cannot say, and the lengths that hold inside a record.


def _component(component: Component, known: Lengths) -> Lengths:
    first = len(component.parts[0].coefficients) if component.parts else 0
    return {"d": len(component.view.behind(known["z"])), "k": len(component.constant), "v": first}


def _kernel_part(part: KernelPart, known: Lengths) -> Lengths:
    want = (len(part.coefficients), known["d"])
    _require(part.is_precomputed or part.vectors.shape == want, f"its vectors have the shape {part.vectors.shape}")
    return {}


def _on_columns(kernel: OnColumns, known: Lengths) -> Lengths:
    _require(max(kernel.columns) < known["d"], f"a kernel looks at column {max(kernel.columns)}")
    return {"d": len(kernel.columns)}


def _box_part(part: BoxPart, _: Lengths) -> Lengths:
    _require(len(part.trees.boxes) == len(part.coefficients), "its trees have another number of boxes than values")
    return {}


def _trees(trees: Trees, known: Lengths) -> Lengths:
    """Check that every node leads on to later ones, so that each row ends in a box."""
    node, inner = np.arange(len(trees.feature)), trees.feature >= 0
    _require(trees.n_inputs == known["d"], f"its trees have {trees.n_inputs} inputs")
    leads = (trees.right > node) & (trees.right < len(node)) & (node + 1 < len(node)) & (trees.feature < known["d"])
    _require(bool(np.where(inner, leads, trees.right < len(trees.boxes)).all()), "its trees lead nowhere")
    return {}


def _relevance(model: RelevanceModel, known: Lengths) -> Lengths:
    _require(model.n_vectors == known["v"] and len(model.outputs) == known["k"], "its weights are of other functions")
    return {}


def _output(output: Output, _: Lengths) -> Lengths:
    _require(len(output.weights) == len(output.columns) + output.constant, "it has another number of weights")
    return {}


def _landmark_spread(spread: LandmarkSpread, known: Lengths) -> Lengths:
    return {"m": known["v"], "q": len(spread.inputs)}


def _sampled_rows(rows: SampledRows, _: Lengths) -> Lengths:
    return {"m": len(rows.places)}


def _bags(spread: BagJackknife, _: Lengths) -> Lengths:
    _require(spread.out.shape[1] > 0, "it has no bags")
    return {}


def _noise(noise: NoiseModel, _: Lengths) -> Lengths:
    _require(noise.usual > 0.0 and noise.low <= noise.high, "its model of the spread has no scale")
    return {}


#: By the words of kinds.
_SPECIAL: dict[str, Callable[[Any, Lengths], Lengths]] = {
    "component": _component,
    "kernel-part": _kernel_part,
    "on-columns": _on_columns,
    "box-part": _box_part,
    "trees": _trees,
    "relevance-model": _relevance,
    "relevance-output": _output,
    "landmark-spread": _landmark_spread,
    "sampled-rows": _sampled_rows,
    "bag-jackknife": _bags,
    "noise-model": _noise,
}


def _rehearse(model: Model) -> None:
    """Predict a row without a single known cell."""
    if model.coding is None:
        Z = np.zeros((1, model.n_columns))
    else:
        nothing = tuple(np.array([None], dtype=object) for _ in range(model.n_columns))
        names = tuple(role.name for role in model.coding.roles)
        Z = model.coding(Frame(names, nothing, (False,) * len(names), 1))
    head = model.head
    if isinstance(head, LabelHead):
        found = model.probabilities(Z)
        _require(found.shape == (1, len(head.classes)), f"its probabilities have the shape {found.shape}")
        head.chosen(found)
    else:
        head.scale.forward(np.ones(1))
        _require(head.straight is None or 0 <= head.straight < len(model.components), "it has no such straight line")
        found = model.predictions(Z)
        _require(len(found) == 1, f"its predictions have the shape {found.shape}")
    _require(bool(np.isfinite(found).all()), "it predicts numbers that are not finite")
