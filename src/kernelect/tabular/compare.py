"""All machines that suit a table, on the same folds, beside scikit-learn's usual three."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from kernelect.estimators import ESTIMATORS
from kernelect.exceptions import InvalidArgument, UnusableTable
from kernelect.facts import Estimate, FoldOutcome, Judge
from kernelect.facts.names import OUT_OF_TIME
from kernelect.facts.numbers import LARGER_IS_BETTER
from kernelect.facts.scores import RowLoss, fold_standard_error
from kernelect.facts.stakes import RANKED, Stakes
from kernelect.mixture import AUTO
from kernelect.tabular.assessing import judge_of
from kernelect.tabular.folds import FoldOptions, Split, fold_outcomes
from kernelect.tabular.partly_peers import OneCurve, peers_of_order, peers_of_times
from kernelect.tabular.pipeline import MachineOptions, make_pipeline_for, pipeline_of
from kernelect.tabular.rows import TableRows
from kernelect.tabular.schema import Schema
from kernelect.typing import REGRESSION, SURVIVAL

KERNELS = ("ard", "rbf", "linear")

#: Name of the candidate that looks at no input.
GUESSING = "guessing"

#: Dictionaries that stand for the kernels in a basis search.
_DICTIONARIES = {"rbf": "rbf", "linear": "linear"}

#: Marks of candidates whose figures are not to be compared as they are.
NOT_RUN, FAILED = "not run", "failed"

#: Grid of scikit-learn's SVM, as most people set it.
_GRID = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [0.001, 0.01, 0.1, 1.0]}


@dataclass(frozen=True)
class Candidate:
    """A pipeline to compare; ``ours`` marks those whose search can have a time limit."""

    name: str
    pipeline: Pipeline
    ours: bool


@dataclass(frozen=True, kw_only=True)
class Contender:
    """How one candidate did.

    Attributes
    ----------
    name : str
    estimate : Estimate or None
        None if it could not be run; ``remark`` shows why.
    fold_values : ndarray of shape (n_folds,), or None
        The main score on each fold, turned so that smaller is better; None if there is no such score.
    seconds : float
    remark : str
    losses : RowLoss or None
        The main score row by row, of the first repetition, if it is a score of rows.
    mark : str
        "out of time", "not run" or "failed" if the table has to say so.
    """

    name: str
    estimate: Estimate | None = None
    fold_values: np.ndarray | None = None
    seconds: float = 0.0
    remark: str = ""
    losses: RowLoss | None = None
    mark: str = ""

    def mean(self) -> float:
        """Return the mean of the score that counts over the folds, infinite if there is none."""
        return float("inf") if self.fold_values is None else float(self.fold_values.mean())


@dataclass(frozen=True)
class Difference:
    """Mean of the paired differences to the best, fold by fold, and its standard error."""

    value: float
    standard_error: float | None


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Contenders, the best first and those that did not run last."""

    contenders: tuple[Contender, ...]
    score: str
    folds: FoldOptions
    name: str
    weights: np.ndarray
    units: np.ndarray

    def difference(self, contender: Contender) -> Difference | None:
        """Return how much worse than the best a contender is; positive is worse."""
        best = self.contenders[0]
        if contender.fold_values is None or best.fold_values is None or contender is best:
            return None
        paired = contender.fold_values - best.fold_values
        between = fold_standard_error(paired, self.folds.folds) or 0.0
        return Difference(float(paired.mean()), max(between, self._pooled_error(contender, best)))

    def _pooled_error(self, one: Contender, other: Contender) -> float:
        """Return the standard error that the rows' paired losses give the difference."""
        if one.losses is None or other.losses is None:
            return 0.0
        paired = RowLoss(name="", losses=one.losses.losses - other.losses.losses)
        middle = 0.5 * float(np.mean(one.losses.losses) + np.mean(other.losses.losses))
        return abs(one.losses.slope(middle)) * (paired.score(self.weights, self.units).standard_error or 0.0)


def candidates(
    schema: Schema,
    seed: int = 0,
    machines: Sequence[str] = (),
    kernels: Sequence[str] = KERNELS,
    effort: str | None = None,
) -> list[Candidate]:
    """Return the mixture of effort ``effort``, our machines that do the task with each kernel, and scikit-learn's.

    If ``machines`` names some of ours, only these are kept.
    """
    known = ESTIMATORS.by_machine()
    wanted = machines or [AUTO, *(name for name in known if name != AUTO)]
    if effort is not None and AUTO not in wanted:
        raise InvalidArgument(f"effort={effort!r} is for machine={AUTO!r} alone: add that machine, or leave it out.")
    ours = [
        Candidate(" ".join(filter(None, (machine, kernel))), _ours(schema, machine, kernel, seed, effort), True)
        for machine in wanted
        if machine == AUTO or schema.own_task in known.get(machine, {})
        for kernel in ((None,) if machine == AUTO else kernels)
        if machine != "basis" or kernel in _DICTIONARIES
    ]
    partly = _partly(schema, seed, effort)
    others = {**partly, **_theirs(schema.own_task, seed), GUESSING: _guessing(schema.own_task)}
    theirs = [Candidate(name, make_pipeline_for(schema.columns, machine), False) for name, machine in others.items()]
    return [*ours, *theirs]


def _partly(schema: Schema, seed: int, effort: str | None) -> dict[str, BaseEstimator]:
    """Return what survival times and ordered classes are compared with besides; nothing for other targets."""
    if schema.own_task == SURVIVAL:
        return peers_of_times(seed)
    return peers_of_order(list(schema.classes or ()), seed, effort) if schema.ordered else {}


def compare_table(
    rows: TableRows,
    schema: Schema,
    entries: Sequence[Candidate],
    folds: FoldOptions,
    observe: Callable[[str, int], None] | None = None,
) -> Comparison:
    """Run every candidate on the same repeated folds.

    Parameters
    ----------
    rows, schema : TableRows, Schema
    entries : sequence of Candidate
    folds : FoldOptions
        Its ``time_limit`` covers all candidates together. Our searches share the time that is left, and candidates
        whose turn comes too late are listed as not run.
    observe : callable, optional
        Called with a candidate's name and the number of its folds done, first with 0.
    """
    judge = judge_of(rows, schema)
    splits = folds.splits(rows, schema)
    deadline = float("inf") if folds.time_limit is None else time.monotonic() + folds.time_limit
    contenders = []
    for place, candidate in enumerate(entries):
        share = (deadline - time.monotonic()) * folds.jobs / (len(splits) * (len(entries) - place))
        contenders.append(_run(candidate, rows, schema, judge, splits, folds, share, observe))
    main = ranked_by(schema)
    ran = [contender for contender in contenders if contender.estimate is not None]
    if not ran:
        raise UnusableTable(f"No candidate could be run: {contenders[0].remark}")
    ran.sort(key=Contender.mean)
    failed = [contender for contender in contenders if contender.estimate is None]
    first = ran[0].estimate
    assert first is not None
    tried = np.arange(len(rows.y)) if first.rows is None else first.rows
    name = folds.name_for(schema)
    return Comparison(
        contenders=(*ran, *failed),
        score=main,
        folds=folds,
        name=name,
        weights=judge.weights[tried],
        units=judge.units[tried],
    )


def ranked_by(schema: Schema) -> str:
    """Return the score that ranks candidates: the one asked for, and that of order if classes have one."""
    return RANKED if schema.ordered and schema.stakes == Stakes() else schema.stakes.main(schema.task)


def _ours(schema: Schema, machine: str, kernel: str | None, seed: int, effort: str | None) -> Pipeline:
    name = _DICTIONARIES[kernel] if machine == "basis" and kernel else kernel
    options = MachineOptions(machine, kernel=name, seed=seed, effort=effort if machine == AUTO else None)
    return pipeline_of(schema, options)


def _guessing(task: str) -> BaseEstimator:
    """Return what looks at no input: the shares of the classes, the mean, or one curve."""
    if task == SURVIVAL:
        return OneCurve()
    return DummyRegressor() if task == REGRESSION else DummyClassifier(strategy="prior")


def _scaled_target(regressor: BaseEstimator) -> BaseEstimator:
    """Return a regressor that sees standardised targets: C and epsilon of an SVR are in their units."""
    return TransformedTargetRegressor(regressor, transformer=StandardScaler())


def _theirs(task: str, seed: int) -> dict[str, BaseEstimator]:
    if task == SURVIVAL:
        return {}
    if task == REGRESSION:
        return {
            "sklearn SVR grid": _scaled_target(GridSearchCV(SVR(), _GRID, cv=3)),
            "sklearn random forest": RandomForestRegressor(300, random_state=seed),
            "sklearn gradient boosting": HistGradientBoostingRegressor(random_state=seed),
        }
    return {
        "sklearn SVC grid": GridSearchCV(SVC(), _GRID, cv=3),
        "sklearn random forest": RandomForestClassifier(300, random_state=seed),
        "sklearn gradient boosting": HistGradientBoostingClassifier(random_state=seed),
    }


def _run(
    candidate: Candidate,
    rows: TableRows,
    schema: Schema,
    judge: Judge,
    splits: list[Split],
    folds: FoldOptions,
    share: float,
    observe: Callable[[str, int], None] | None,
) -> Contender:
    """Run one candidate; a failure is its remark, not the end of the comparison."""
    if share <= 0.0 and candidate.name != GUESSING:  # which takes no time, and tells what the others are worth
        return Contender(name=candidate.name, remark="the time limit came first", mark=NOT_RUN)
    began, outcomes = time.monotonic(), []
    pipeline = candidate.pipeline
    if candidate.ours and np.isfinite(share):
        pipeline.set_params(machine__time_limit=share)
    observe = observe or _unseen
    observe(candidate.name, 0)
    try:
        for outcome in fold_outcomes(pipeline, rows, schema, splits, folds):
            outcomes.append(outcome)
            observe(candidate.name, len(outcomes))
    except (ValueError, ArithmeticError, MemoryError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        return Contender(name=candidate.name, seconds=time.monotonic() - began, remark=reason, mark=FAILED)
    return _judged(candidate.name, outcomes, judge, folds, ranked_by(schema), time.monotonic() - began)


def _unseen(name: str, done: int) -> None:
    """Observe nothing."""


def _judged(
    name: str, outcomes: list[FoldOutcome], judge: Judge, folds: FoldOptions, main: str, seconds: float
) -> Contender:
    sign = -1.0 if main in LARGER_IS_BETTER else 1.0
    values = sign * np.array([judge.value_of(main, outcome) for outcome in outcomes])
    doubts = [outcome.warnings[0] for outcome in outcomes if outcome.warnings]
    remark = f"in {len(doubts)} of {len(outcomes)} folds: {doubts[0]}" if doubts else ""
    estimate = judge.of_folds("", outcomes, folds.folds)
    tried = np.arange(len(judge.y)) if estimate.rows is None else estimate.rows
    losses = judge.losses(tried, estimate.prediction, estimate.probability)
    own = next((loss for loss in losses if loss.name == main), None)
    if np.isnan(values).all():
        remark, mark = remark or f"it has no {main}", f"no {main}"
        return Contender(name=name, estimate=estimate, seconds=seconds, remark=remark, mark=mark)
    return Contender(
        name=name,
        estimate=estimate,
        fold_values=_filled(values),
        seconds=seconds,
        remark=remark,
        losses=own,
        mark=OUT_OF_TIME if any(outcome.short_of_time for outcome in outcomes) else "",
    )


def _filled(values: np.ndarray) -> np.ndarray:
    """Return the folds' scores; a fold without one, such as one of a single class, counts as the mean of the others."""
    return np.where(np.isnan(values), np.nanmean(values), values)
