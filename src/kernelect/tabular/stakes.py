"""Costs, class weights and metrics as the command line has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.facts.leave_one_out import left_out_probabilities
from kernelect.facts.stakes import Stakes, costs_of, costs_of_weights, metric_named
from kernelect.model.decisions import Decision
from kernelect.tabular.rows import TableRows
from kernelect.tabular.schema import Schema


def with_stakes(
    schema: Schema,
    rows: TableRows,
    *,
    metric: str | None = None,
    costs: Sequence[str] = (),
    class_weight: str | None = None,
) -> Schema:
    """Return the schema with what counts.

    Parameters
    ----------
    schema, rows : Schema, TableRows
    metric : str, optional
        Such as ``"auc"``.
    costs : sequence of str
        Such as ``"yes:no=5"``: to predict no when the truth is yes costs 5. Pairs that are not given cost 1.
    class_weight : str, optional
        ``"balanced"``, or such as ``"yes=5,no=1"``: errors count with the weight of the true class.
    """
    if schema.event is not None:
        if metric or costs or class_weight:
            raise InvalidArgument("--metric, --cost and --class-weight are not for survival times: leave them out.")
        return schema
    found = metric_named(metric, schema.task, None if schema.classes is None else len(schema.classes))
    if schema.classes is None:
        if costs or class_weight:
            option = f"--cost {costs[0]!r}" if costs else f"--class-weight {class_weight!r}"
            raise InvalidArgument(f"{option} is for classes, and {schema.target!r} is a number: leave it out.")
        return replace(schema, stakes=Stakes(found))
    if costs and class_weight:
        raise InvalidArgument(f"--class-weight {class_weight!r} and --cost set the same thing: give one of them.")
    table = None
    if costs:
        table = costs_of(schema.classes, dict(_cost(text, schema) for one in costs for text in one.split(",")))
    elif class_weight:
        table = costs_of_weights(_weights(class_weight, schema, rows))
    return replace(schema, stakes=Stakes(found, table))


def decision_of(machine: Any, schema: Schema, y: Any, weights: np.ndarray | None = None) -> Decision | None:
    """Return how the probabilities of a fitted machine become classes, chosen by its leave-one-out."""
    if schema.classes is None or schema.stakes == Stakes():
        return None
    known = machine.classes_.tolist()
    index = np.array([schema.classes.index(label) for label in np.asarray(y).tolist()], dtype=np.intp)
    try:
        said = left_out_probabilities(machine, y, weights)
    except (MissingCapability, AttributeError, ValueError):  # no exact leave-one-out, or a machine of another library
        return schema.stakes.decision(None, index, weights)
    probability = np.zeros((len(index), len(schema.classes)))
    probability[:, [schema.classes.index(label) for label in known]] = said
    return schema.stakes.decision(probability, index, weights)


def _cost(text: str, schema: Schema) -> tuple[tuple[str, str], float]:
    labels = [str(label) for label in schema.classes or ()]
    pair, _, number = text.rpartition("=")
    cuts = [place for place, letter in enumerate(pair) if letter == ":"]
    sides = [(pair[:cut].strip(), pair[cut + 1 :].strip()) for cut in cuts]
    found = next((side for side in sides if side[0] in labels and side[1] in labels), None)
    if found is None or found[0] == found[1]:
        shown = ", ".join(map(repr, labels[:5]))
        raise InvalidArgument(
            f"--cost {text!r} must be the true class, the predicted one and a number, such as "
            f"'{labels[0]}:{labels[-1]}=5'; the classes are {shown}."
        )
    return found, _positive(number, f"--cost {text!r}")


def _weights(text: str, schema: Schema, rows: TableRows) -> np.ndarray:
    classes = schema.classes or ()
    if text == "balanced":
        counts = np.array([float((rows.y == label).sum()) for label in classes])
        return np.asarray(len(rows.y) / (len(classes) * counts))
    given = {}
    for part in text.split(","):
        label, _, number = part.rpartition("=")
        if label.strip() not in map(str, classes):
            raise InvalidArgument(
                f"--class-weight {text!r} must be balanced, or classes with their weights, such as '{classes[0]}=5'."
            )
        given[label.strip()] = _positive(number, f"--class-weight {text!r}")
    return np.array([given.get(str(label), 1.0) for label in classes])


def _positive(text: str, option: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not 0.0 < value < np.inf:
        raise InvalidArgument(f"{option}: {text!r} must be a positive number.")
    return value
