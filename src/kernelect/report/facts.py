"""All that the page shows, as a plain dict: what JSON prints and the template reads."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn

from kernelect import __version__
from kernelect.exceptions import MissingCapability
from kernelect.plots._names import parameter_kind, parameter_name, plain_name
from kernelect.plots._sources import input_names, machine_of, relevance_by_column
from kernelect.plots.surface import explored
from kernelect.report.doubts import find_doubts
from kernelect.report.listing import gather_tables
from kernelect.report.numbers import as_plain
from kernelect.report.pictures import Material, gather_pictures
from kernelect.report.quality import describe_quality
from kernelect.report.selected import describe_machine

if TYPE_CHECKING:
    import pandas as pd

    from kernelect.tabular.assess import Assessment

SCHEMA = 1

#: Rows at most on which the criterion is looked at again.
_CRITERION_ROWS = 300


def gather_facts(
    pipeline: Any,
    X: pd.DataFrame,
    y: pd.Series,
    *,
    title: str,
    target: str,
    task: str,
    assessment: Assessment | None,
    remarks: Sequence[str],
    seconds: float,
    random_state: int,
) -> dict[str, Any]:
    """Return what is to be said about a fitted machine: plain lists, numbers and words, ready for JSON.

    Parameters
    ----------
    pipeline : Pipeline or estimator
        Fitted; a pipeline's last step is one of kernelect's estimators.
    X, y
        What it was fitted on.
    title, target : str
        Names of the table and of the column that is predicted.
    task : "classification" or "regression"
    assessment : Assessment or None
        How good it is; None leaves that open, and says so.
    remarks : sequence of str
        What else the reader should know, such as how columns were read.
    seconds : float
        Wall time of everything so far.
    random_state : int
        For the rows that partial dependence averages over.
    """
    material = _material(pipeline, X, y, task, assessment, random_state)
    facts: dict[str, Any] = {
        "schema": SCHEMA,
        "title": plain_name(title),
        "target": plain_name(target),
        "task": task,
        "data": _describe_data(material),
        "machine": describe_machine(pipeline, _own_relevance(pipeline), material.objective),
        "quality": describe_quality(assessment, task),
        "influence": _describe_influence(material),
        "relevance": _describe_relevance(material),
        "remarks": [plain_name(remark) for remark in remarks],
        "made_with": _describe_setting(seconds, random_state),
    }
    pictures, calibration = gather_pictures(material)
    facts |= {"pictures": pictures, "calibration": calibration}
    facts["doubts"] = find_doubts(facts)
    facts["tables"] = gather_tables(facts, material)
    return as_plain(facts)


def _material(pipeline: Any, X: Any, y: Any, task: str, assessment: Assessment | None, random_state: int) -> Material:
    try:
        objective, theta, influence = explored(pipeline, X, y, _CRITERION_ROWS)
    except MissingCapability:  # nothing was selected, or a search over subsets
        objective, theta, influence = None, np.zeros(0), None
    try:
        columns, relevance = relevance_by_column(pipeline)
    except MissingCapability:  # a kernel matrix or a dictionary tells of no inputs
        columns, relevance = None, None
    generator = np.random.default_rng(random_state)
    return Material(
        pipeline, X, np.asarray(y), task, assessment, objective, theta, influence, columns, relevance, generator
    )


def _own_relevance(pipeline: Any) -> Any:
    return getattr(machine_of(pipeline), "feature_importances_", None)


def _describe_data(material: Material) -> dict[str, Any]:
    classes = None
    if material.task == "classification":
        names, rows = np.unique(material.y, return_counts=True)
        classes = [
            {"name": plain_name(name), "rows": int(count)} for name, count in zip(names.tolist(), rows, strict=True)
        ]
    X = material.X
    missing = int(X.isna().to_numpy().sum()) if hasattr(X, "isna") else int(np.isnan(np.asarray(X, dtype=float)).sum())
    return {
        "rows": len(material.y),
        "columns": int(X.shape[1]),
        "inputs": int(machine_of(material.estimator).n_features_in_),
        "missing_cells": missing,
        "classes": classes,
    }


def _describe_influence(material: Material) -> list[dict[str, Any]]:
    found = material.influence
    if found is None:
        return []
    inputs = input_names(material.estimator)
    return [
        {
            "name": parameter_name(name, inputs),
            "kind": parameter_kind(name),
            "below": float(below),
            "above": float(above),
        }
        for name, below, above in zip(found.names, found.below, found.above, strict=True)
    ]


def _describe_relevance(material: Material) -> dict[str, Any] | None:
    """Return the leading columns, and how few of them carry nine tenths of the relevance."""
    if material.columns is None or material.relevance is None:
        return None
    order = np.argsort(-material.relevance, kind="stable")
    carrying = int(np.searchsorted(np.cumsum(material.relevance[order]), 0.9)) + 1
    leading = [{"name": plain_name(material.columns[j]), "share": float(material.relevance[j])} for j in order[:3]]
    return {"columns": len(order), "carrying": min(carrying, len(order)), "leading": leading}


def _describe_setting(seconds: float, random_state: int) -> dict[str, Any]:
    return {
        "kernelect": __version__,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "seconds": float(seconds),
        "random_state": int(random_state),
    }
