"""What there is to say about a model, as plain facts: terminal and JSON show the same."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

import numpy as np

from kernelect.tabular.assess import Assessment
from kernelect.tabular.estimates import Estimate
from kernelect.tabular.pipeline import input_names
from kernelect.tabular.record import TableModel


def summary(model: TableModel) -> dict[str, Any]:
    """Return the facts about a model, as JSON knows them."""
    selection = model.estimator.selection_
    return {
        "title": model.title,
        "task": model.schema.task,
        "target": model.schema.target,
        "classes": None if model.schema.classes is None else list(model.schema.classes),
        "machine": model.machine,
        "estimator": type(model.estimator).__name__,
        "rows": model.n_rows,
        "columns": [_column_facts(column) for column in model.schema.columns],
        "inputs": len(input_names(model.pipeline)),
        "size": _size(model.estimator),
        "selection": {
            "criterion": selection.criterion,
            "prior": getattr(selection, "prior", None),
            "value": float(selection.value),
            "status": selection.status,
            "converged": bool(selection.converged),
            "at_bound": [_named(name, input_names(model.pipeline)) for name in selection.at_bound],
            "evaluations": int(model.estimator.n_iter_),
        },
        "selected": selected_values(model),
        "relevance": relevance(model),
        "scores": score_facts(model.assessment),
        "remarks": list(model.remarks),
        "seconds": model.seconds,
        "seed": model.seed,
        "versions": dict(model.versions),
    }


def selected_values(model: TableModel) -> dict[str, float]:
    """Return the selected hyper-parameters, widths by the name of their input."""
    names, values = input_names(model.pipeline), model.estimator.selection_.parameters
    return {_named(name, names): float(value) for name, value in values.items()}


def relevance(model: TableModel) -> dict[str, float]:
    """Return the relevance of each input, the largest first; empty where the machine has none."""
    shares = getattr(model.estimator, "feature_importances_", None)
    if shares is None:
        return {}
    names = input_names(model.pipeline)
    return {names[j]: float(shares[j]) for j in np.argsort(-shares, kind="stable")}


def score_facts(assessment: Assessment) -> list[dict[str, Any]]:
    """Return every estimate's figures, the most honest estimate first."""
    return [estimate_facts(estimate) for estimate in assessment.estimates]


def estimate_facts(estimate: Estimate) -> dict[str, Any]:
    """Return the name of an estimate and its figures."""
    return {"estimate": estimate.name, "scores": [asdict(score) for score in estimate.scores]}


def _named(parameter: str, names: list[str]) -> str:
    """Return gamma[3] with the name of input 3 in the brackets."""
    found = re.fullmatch(r"(.*)\[(\d+)\]", parameter)
    if found is None or int(found[2]) >= len(names):
        return parameter
    return f"{found[1]}[{names[int(found[2])]}]"


def _column_facts(column: Any) -> dict[str, Any]:
    facts = {"name": column.name, "kind": column.kind, "missing": column.missing}
    if column.kind == "category":
        return {**facts, "categories": len(column.categories)}
    return {**facts, "low": column.low, "high": column.high}


def _size(machine: Any) -> dict[str, Any]:
    """Return what a prediction has to go through."""
    if hasattr(machine, "basis_"):
        return {"functions": len(machine.basis_)}
    if hasattr(machine, "support_"):
        return {"vectors": len(machine.support_)}
    return {"vectors": len(machine.dual_coef_)}
