"""The numbers behind a report as tables of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kernelect.report.numbers import NOT_KNOWN, shown
from kernelect.report.pictures import Material
from kernelect.report.selected import MOST_LISTED, value_words

#: Sizes and functions listed at most.
_MOST_ROWS = 40

Table = dict[str, Any]


def gather_tables(facts: dict[str, Any], material: Material) -> list[Table]:
    """Return all tables: scores, tuned values, relevance, classes, stages of the search or sizes of subsets."""
    records = {picture["kind"]: picture["record"] for picture in facts["pictures"]}
    tables = [
        _scores(facts["quality"]),
        _parameters(facts["machine"]),
        _relevance(records.get("relevance")),
        _confusion(records.get("confusion")),
        _stages(material.machine.selection_),
        _functions(material.machine),
        _setting(facts),
    ]
    return [table for table in tables if table is not None and table["rows"]]


def _table(key: str, title: str, columns: Sequence[str], rows: list[list[str]], note: str = "") -> Table:
    return {"key": key, "title": title, "columns": list(columns), "rows": rows, "note": note}


def _scores(quality: dict[str, Any]) -> Table:
    names = list(dict.fromkeys(score["name"] for one in quality["estimates"] for score in one["scores"]))
    rows = []
    for estimate in quality["estimates"]:
        words = {score["name"]: score["words"] for score in estimate["scores"]}
        rows.append([estimate["name"], *(words.get(name, NOT_KNOWN) for name in names)])
    return _table("scores", "How good it is", ["estimated by", *names], rows, "± one standard error.")


def _parameters(machine: dict[str, Any]) -> Table:
    rows = [
        [p["name"], value_words(p), shown(p["length_scale"], 4), p["at_bound"] or "", p["meaning"]]
        for p in machine["parameters"]
    ]
    left = machine["parameters_not_listed"]
    note = "gamma = 1 / (2 length scale²), in the units the machine sees."
    note += f" {left} further widths, of less relevant inputs, are not listed." if left else ""
    columns = ["parameter", "value", "length scale", "at the edge", "what it does"]
    return _table("parameters", "Selected values", columns, rows, note)


def _relevance(record: dict[str, Any] | None) -> Table | None:
    if record is None:
        return None
    pairs = zip(record["names"], record["relevance"], strict=True)
    rows = [[name, f"{100 * share:.1f} %"] for name, share in pairs]
    return _table("relevance", "Relevance of inputs", ["input", "share"], rows)


def _confusion(record: dict[str, Any] | None) -> Table | None:
    if record is None:
        return None
    rows = []
    for name, counts in zip(record["classes"], record["counts"], strict=True):
        right = counts[len(rows)] / max(sum(counts), 1)
        rows.append([name, *(f"{count:.0f}" for count in counts), f"{100 * right:.1f} %"])
    return _table("confusion", "True against predicted", ["true class", *record["classes"], "found"], rows)


def _stages(selection: Any) -> Table | None:
    if not hasattr(selection, "runs"):
        return None
    rows, trace = [], selection.trace
    for number, name in enumerate(selection.runs):
        values = trace.value[trace.run == number]
        finite = values[np.isfinite(values)]
        rows.append([name, str(len(values)), shown(float(finite.min()), 5) if len(finite) else NOT_KNOWN])
    return _table("stages", "Stages of the search", ["stage", "evaluations", "best value"], rows[:_MOST_ROWS])


def _functions(machine: Any) -> Table | None:
    if not hasattr(machine, "basis_") or not hasattr(machine, "coef_"):
        return None
    coefficients = np.atleast_2d(machine.coef_)[0]
    order = np.argsort(-np.abs(coefficients), kind="stable")[:MOST_LISTED]
    rows = [[machine.basis_[j], shown(float(coefficients[j]), 4)] for j in order]
    left = len(coefficients) - len(rows)
    note = f"{left} further functions with smaller coefficients are not listed." if left else ""
    return _table("functions", "Chosen functions", ["function", "coefficient"], rows, note)


def _setting(facts: dict[str, Any]) -> Table:
    data, made = facts["data"], facts["made_with"]
    rows = [
        ["rows", str(data["rows"])],
        ["columns", str(data["columns"])],
        ["inputs of the machine", str(data["inputs"])],
        ["missing cells", str(data["missing_cells"])],
        ["criterion", facts["machine"]["criterion"]],
        ["prior", facts["machine"]["prior"]],
        ["value of the criterion", shown(facts["machine"]["value"], 6)],
        ["evaluations", str(facts["machine"]["evaluations"])],
        ["seconds", f"{made['seconds']:.1f}"],
        ["random state", str(made["random_state"])],
        *([name, str(made[name])] for name in ("kernelect", "scikit-learn", "numpy", "python")),
    ]
    return _table("setting", "What was run", ["", "value"], rows)
