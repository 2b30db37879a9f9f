"""Figure 2 of Kropotov, Ptashko & Vetrov: criteria and test error over widths."""

from __future__ import annotations

import numpy as np
import pytest

from kernelect import RVC
from kernelect.datasets import twonorm
from kernelect.kernels import RBF
from kernelect.studies import read_study
from kernelect.studies.kropotov import along_widths
from kernelect.studies.splits import Problem
from kernelect.studies.statistics import rank_correlation


@pytest.fixture(scope="module")
def problem():
    (X, y), (X_test, y_test) = (twonorm(n, n_features=4, random_state=k) for k, n in enumerate((60, 300)))
    return Problem(X=X, y=y, X_test=X_test, y_test=y_test)


def test_the_curve_is_that_of_machines_of_each_width(problem):
    figures = along_widths(problem, read_study("kropotov").methods["along-centres"], None, 0)
    curve = figures["curve"]
    assert curve["x"] == pytest.approx(np.geomspace(0.01, 10.0, 13) / 4)
    for number in (3, 8):
        model = RVC(RBF(gamma=curve["x"][number]), criterion="centre-evidence").fit(problem.X, problem.y)
        assert curve["value"][number] == pytest.approx(model.selection_.value)
        assert curve["error"][number] == 100.0 * np.mean(model.predict(problem.X_test) != problem.y_test)
    best = int(np.argmin(curve["value"]))
    assert figures["excess"] == curve["error"][best] - min(curve["error"])


def test_ranks_that_never_change_correlate_with_nothing():
    assert rank_correlation([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]) == 0.0
    assert rank_correlation([1.0, 5.0, 9.0], [2.0, 3.0, 80.0]) == 1.0
    assert rank_correlation([1.0, 5.0, 9.0], [3.0, 2.0, 1.0]) == -1.0
