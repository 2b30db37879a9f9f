"""The one door on DataFrames: columns of every kind, asked in every way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import kernelect
from fuzz.elsewhere import require_explained, require_exported, require_near
from fuzz.estimators import EFFORTS, answers
from fuzz.fits import require_sound
from fuzz.harness import Broken, require_sentence
from fuzz.tables import TableCase, frame_of, table_cases
from fuzz.twins import FEW, NEAR, require_same_again, require_same_pickled

#: Targets that are numbers; the others are labels.
VALUES = ("value", "tiny value")

TWINS = ("none", "rows", "columns", "batch", "pickle", "twice", "explained", "exported")


@dataclass(frozen=True)
class FrameCase:
    """A table in memory, how much effort is made on it, and which second way to ask is tried."""

    table: TableCase
    effort: str
    balanced: bool
    twin: str


@st.composite
def cases(draw: Any) -> FrameCase:
    return FrameCase(
        draw(table_cases(styles=("frame",))),
        draw(st.sampled_from(EFFORTS)),
        draw(st.integers(0, 5)) == 0,
        draw(st.sampled_from(TWINS)),
    )


def made(case: FrameCase) -> Any:
    if case.table.target in VALUES:
        return kernelect.KernelRegressor(case.effort, random_state=0)
    weight = "balanced" if case.balanced else None
    return kernelect.KernelClassifier(case.effort, class_weight=weight, random_state=0)


def judge(case: FrameCase) -> str:
    """Return "model" or "refused"; raise where a law is broken."""
    frame = frame_of(case.table)
    X, y = frame.drop(columns="y"), frame["y"]
    model = made(case)
    try:
        model.fit(X, y)
    except (MemoryError, KeyboardInterrupt):
        raise
    except Exception as error:
        require_sentence(error, {"X", "y", "rows", "sample(s)", "Input", "class", "label", "column", *X.columns})
        return "refused"
    rows = X.iloc[:8]
    require_sound(model, rows, y.nunique())
    require_same_twin(case, model, X, y, rows)
    return "model"


def require_same_twin(case: FrameCase, model: Any, X: Any, y: Any, rows: Any) -> None:
    """Fit or ask a second time in a way that must not matter."""
    unit = max(float(np.std(y)), 1e-290) if case.table.target in VALUES else 1.0
    generator = np.random.default_rng(case.table.seed + 2)
    if case.twin == "batch":
        expected = answers(model, rows)
        require_near(answers(model, rows.iloc[:3]), expected[:3], 1e-6 * unit, "a batch may be split")
        strange = pd.concat([rows, rows.iloc[:1].assign(**{rows.columns[0]: 1e12})])
        require_near(answers(model, strange)[:-1], expected, 1e-6 * unit, "a wild row beside changes nothing")
    elif case.twin == "pickle":
        require_same_pickled(model, rows)
    elif case.twin == "twice":
        require_same_again(model, made(case).fit(X, y), rows)
    elif case.twin == "explained":
        require_explained(model, rows, X, unit)
    elif case.twin == "exported":
        require_exported(model, rows, unit)
    elif case.twin in ("rows", "columns") and len(X) >= FEW:
        order = generator.permutation(len(X)) if case.twin == "rows" else np.arange(len(X))
        names = generator.permutation(X.columns) if case.twin == "columns" else X.columns
        try:
            second = made(case).fit(X.iloc[order][list(names)], y.iloc[order])
        except Exception as error:
            raise Broken(f"{case.twin} do not matter", f"the twin is refused: {error}"[:200]) from error
        found = answers(second, rows[list(names)])
        require_near(found, answers(model, rows), NEAR * unit, f"{case.twin} do not matter")
