"""The model that a page carries: the fitted one as JavaScript, or a smaller one where that would be too large."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.explain import Explainer, Explanation
from kernelect.explain.own_units import OwnUnits, own_units_of
from kernelect.export import reduce, to_javascript
from kernelect.export.fewer import landmarks_of
from kernelect.export.models import program_of
from kernelect.export.program import Program
from kernelect.export.reduce import in_single
from kernelect.facts.cells import columns_of_years
from kernelect.facts.estimates import COVERAGE
from kernelect.facts.numbers import number
from kernelect.facts.sources import rows_at, some_rows
from kernelect.model.subject import predicted_numbers, subject_of
from kernelect.numerics import check_time
from kernelect.typing import Array

#: Bytes of a script that a page may carry, and the fewest bytes of one packed number.
MOST_BYTES, _BYTES_OF_NUMBER = 5_000_000, 4.0 / 3.0

#: Vectors that a model is reduced to where it is too large, the first number that is small enough.
_SIZES = (300, 150, 60)

#: Landmarks that are tried before that where a model stands on more: it takes more of them to say the same.
_LANDMARKS = (1000, 600)

#: Rows on which a smaller model is compared with the whole one.
_COMPARED_ROWS = 500

#: Share of the spread of predictions by which rounded coefficients may move them: large ones that nearly cancel each
#: other move them further, and vectors are dropped in their place.
_SAME = 1e-3

_ROUNDED = "So that this page stays small, its model has coefficients of seven digits."
_SMALLER = "So that this page stays small, it carries a smaller model."

#: Rows that stand in for columns that are not known.
BACKGROUND_ROWS = 100

#: What the constant in the script is called.
NAME = "kernelectModel"


@dataclass(frozen=True, eq=False)
class Carried:
    """A model that fits into a page.

    Attributes
    ----------
    model : estimator, Pipeline or TableModel
        The fitted one, or one with fewer vectors.
    program : Program
    explainer : Explainer or None
        None if its predictions have no exact explanation.
    script : str
        JavaScript that defines ``kernelectModel``.
    explains : bool
        Whether the script explains predictions too.
    remarks : tuple of str
        What is different from the fitted model, in sentences.
    years : frozenset of str
        Columns whose numbers are years.
    """

    model: Any
    program: Program
    explainer: Explainer | None
    script: str
    explains: bool
    remarks: tuple[str, ...]
    years: frozenset[str] = frozenset()

    @property
    def own_units(self) -> OwnUnits | None:
        """The way from the model's scale to the target's own; None if they are one."""
        return own_units_of(self.model)

    def explanation(self, rows: Any, **how: Any) -> Explanation:
        """Return the explanation of rows, of numbers in their own units."""
        assert self.explainer is not None
        found, own = self.explainer.explain(rows, **how), self.own_units
        return found if own is None else own.of(found)


def carried_model(model: Any, X: Any, generator: np.random.Generator, most_bytes: int = MOST_BYTES) -> Carried:
    """Return the model for a page, or an error that says why there is none.

    Parameters
    ----------
    model : estimator, Pipeline or TableModel
    X : DataFrame or array
        The rows that it was fitted on, some of which become the background of its explanations.
    generator : Generator
    most_bytes : int
        Size of the script, at most.
    """
    if subject_of(model).model.is_precomputed:
        raise MissingCapability("A precomputed kernel takes kernel values, and does not know the columns behind them.")
    background = rows_at(X, np.sort(generator.permutation(len(X))[:BACKGROUND_ROWS]))
    interval = _interval(model)
    for smaller, remarks in _smaller_and_smaller(model, X):
        check_time()
        program = program_of(smaller, interval)
        if program.count() * _BYTES_OF_NUMBER > most_bytes:
            continue
        explainer, more = _explained(smaller, background)
        check_time()
        script, missing = _script(smaller, explainer, interval)
        if len(script) <= most_bytes:
            explains = explainer is not None and not missing
            said = (*remarks, *more, *missing)
            return Carried(smaller, program, explainer, script, explains, said, columns_of_years(X))
    raise MissingCapability(f"It would take more than {most_bytes / 1e6:g} MB, also with {_SIZES[-1]} vectors.")


def _smaller_and_smaller(model: Any, X: Any) -> Iterator[tuple[Any, tuple[str, ...]]]:
    yield model, ()
    rows = rows_at(X, some_rows(len(X), _COMPARED_ROWS))
    single = in_single(model)
    if _distance(model, single, rows) <= _SAME * _said(model, rows).std():
        yield single, (f"{_ROUNDED} {_moved(model, single, rows)}",)
    count = landmarks_of(model)
    for size in (*(size for size in (count, *_LANDMARKS) if _SIZES[0] < size <= count), *_SIZES):
        found = reduce(model, size)
        if found.vectors < found.vectors_before or found.remarks:
            said = f"{_SMALLER} {found.in_words()} {_moved(model, found.model, rows)}"
            yield found.model, (said, *found.remarks)


def _moved(model: Any, smaller: Any, rows: Any) -> str:
    """Return how far a smaller model is from the whole one, in a sentence."""
    what = "probabilities" if subject_of(model).model.is_classifier else "predictions"
    size = number(_distance(model, smaller, rows), 2)
    return f"Its {what} differ from those of the whole model by {size} (root mean square over {len(rows)} rows)."


def _distance(model: Any, smaller: Any, rows: Any) -> float:
    return float(np.sqrt(np.mean(np.square(_said(smaller, rows) - _said(model, rows)))))


def _said(model: Any, rows: Any) -> Array:
    is_classifier = subject_of(model).model.is_classifier
    return np.asarray(model.predict_proba(rows) if is_classifier else predicted_numbers(model, rows), dtype=float)


def _explained(model: Any, background: Any) -> tuple[Explainer | None, tuple[str, ...]]:
    try:
        return Explainer.of(model, background, method="exact"), ()
    except MissingCapability as error:
        return None, (f"There are no reasons here: {error}",)


def _interval(model: Any) -> float | None:
    """Return the coverage of intervals, None if there are too few rows for their ends and for classes."""
    record = subject_of(model).model
    if record.is_classifier or (record.jackknife is not None and not np.isfinite(record.reach(COVERAGE)).all()):
        return None
    return COVERAGE


def _script(model: Any, explainer: Explainer | None, interval: float | None) -> tuple[str, tuple[str, ...]]:
    """Return the script, without explanations if JavaScript has none."""
    written = partial(to_javascript, model, name=NAME, interval=interval, packed=True, max_numbers=10**9)
    try:
        return written(explainer=explainer), ()
    except MissingCapability as error:
        if explainer is None:
            raise
        return written(), (f"There are no reasons here: {error}",)
