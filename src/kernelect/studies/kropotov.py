"""Figure 2 of Kropotov, Ptashko & Vetrov: whether the evidence of a width is high where the test error is low."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from kernelect import RVC
from kernelect.kernels import RBF
from kernelect.studies.build import build
from kernelect.studies.definition import Method
from kernelect.studies.scoring import Figures
from kernelect.studies.splits import Problem
from kernelect.studies.statistics import rank_correlation

#: Widths that are tried, times one over the number of inputs: the smallest, the largest and how many.
_WIDTHS = (0.01, 10.0, 13)


def along_widths(problem: Problem, method: Method, needed: Mapping[str, Any] | None, seed: int) -> Figures:
    """Fit a relevance vector machine of each width; return how its criterion and its test error go together.

    ``follows`` is the rank correlation of the criterion (smaller is better) with the test error. ``excess`` is the test
    error of the width that the criterion prefers less the smallest one of all widths, in points.
    """
    del needed, seed
    criterion = build(method.options["criterion"])
    smallest, largest, count = _WIDTHS
    widths = np.geomspace(smallest, largest, count) / problem.X.shape[1]
    values, errors = [], []
    for width in widths:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # widths that nobody would choose are part of the curve
            model = RVC(RBF(gamma=width), criterion=criterion).fit(problem.X, problem.y)
        values.append(float(model.selection_.value))
        errors.append(100.0 * float(np.mean(model.predict(problem.X_test) != problem.y_test)))
    return {
        "follows": rank_correlation(values, errors),
        "excess": errors[int(np.argmin(values))] - min(errors),
        "curve": {"x": widths.tolist(), "x_label": "gamma", "value": values, "error": errors},
    }
