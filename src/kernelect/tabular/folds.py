"""Fitting a pipeline without noise, once or in repeated outer folds.

Folds keep together what belongs together: rows of one group, and copies of one row. Where rows have a time, every fold
is predicted from rows before it.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GroupKFold, RepeatedKFold, RepeatedStratifiedKFold, StratifiedGroupKFold
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from kernelect.exceptions import InvalidArgument, UnusableTable
from kernelect.facts import FoldOutcome
from kernelect.facts.estimates import COVERAGE
from kernelect.facts.names import in_options
from kernelect.facts.numbers import counted
from kernelect.facts.survival import Horizon
from kernelect.numerics import NEVER, Deadline
from kernelect.tabular.intervals import interval_ends
from kernelect.tabular.limits import targets_for
from kernelect.tabular.rows import TableRows
from kernelect.tabular.schema import Schema
from kernelect.tabular.shuffle import rises
from kernelect.tabular.stakes import decision_of

Split = tuple[np.ndarray, np.ndarray]

#: Folds that are run whatever time they take: one would tell nothing of the spread.
_FEWEST = 2

#: Folds for which a time limit leaves as much time each as for the fit on all rows.
_SURELY = 3


@dataclass(frozen=True, kw_only=True)
class FitTime:
    """How many seconds the fit on all rows took, and how many it was given: a fold gets the same."""

    seconds: float = 0.0
    limit: float = float("inf")


@dataclass(frozen=True)
class FoldOptions:
    """Outer folds: how many, how often, how many at a time, and for how many seconds all together.

    ``fit_time`` is what the fit on all rows took, if there is a time limit.
    """

    folds: int = 5
    _: KW_ONLY
    repeats: int = 1
    jobs: int = 1
    seed: int = 0
    time_limit: float | None = None
    fit_time: FitTime = FitTime()

    @property
    def share_of_fit(self) -> float:
        """Share of a time limit for the fit on all rows, if each fold gets as many seconds.

        The others suffice for three folds if all of them take what they are given, and for five if they end earlier.
        """
        return 1.0 / (1.0 + math.ceil(_SURELY / self.jobs)) if self.folds else 1.0

    @property
    def least_seconds(self) -> float:
        """What the fewest folds take at the speed of the fit on all rows."""
        return self.fit_time.seconds * math.ceil(_FEWEST / self.jobs)

    def name_for(self, schema: Schema) -> str:
        """Return what the estimate from these folds is called."""
        if schema.time is not None:
            return f"{self.folds} forward folds by {schema.time}"
        by = "" if schema.group is None else f" by {schema.group}"
        return f"{self.folds} outer folds{by}" + (f", {self.repeats} times" if self.repeats > 1 else "")

    def possible(self, rows: TableRows, schema: Schema) -> tuple[FoldOptions, list[str]]:
        """Return as many folds as the rows allow, at most these, and a remark if there are fewer."""
        most, why = min(_limits(rows, schema))
        if self.folds <= most or most < _FEWEST:
            return self, []
        return replace(self, folds=most), [f"There are {most} outer folds, not {self.folds}: the table has {why}."]

    def splits(self, rows: TableRows, schema: Schema) -> list[Split]:
        """Return training and test rows of each fold, repetition after repetition."""
        if self.folds < 2 or self.folds > len(rows.y):
            raise InvalidArgument(
                f"--folds {self.folds} must be a number from 2 to {len(rows.y)}, the number of rows (fit also takes 0, "
                "for no outer folds)."
            )
        if rows.time is not None:
            return self._forward(rows, rows.time, schema)
        if schema.classes is not None:
            self._require_class(rows)
        if rows.units is not None:
            return self._of_units(rows, rows.units, schema)
        splitter = RepeatedStratifiedKFold if schema.classes is not None else RepeatedKFold
        folds = splitter(n_splits=self.folds, n_repeats=self.repeats, random_state=self.seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a class with fewer rows than folds
            return list(folds.split(rows.X, rows.y))

    def _require_class(self, rows: TableRows) -> None:
        """Raise if no class has a row for every fold, which scikit-learn does not split."""
        largest = int(np.unique(rows.y, return_counts=True)[1].max())
        if largest < self.folds:
            fewer = f"--folds {largest}, or 0 for none" if largest > 1 else "--folds 0"
            raise InvalidArgument(
                f"--folds {self.folds} needs a class with {self.folds} rows, and the largest has {largest}: "
                f"give {fewer}."
            )

    def _of_units(self, rows: TableRows, units: np.ndarray, schema: Schema) -> list[Split]:
        """Return folds that tear no unit apart."""
        count = len(np.unique(units))
        if count < self.folds:
            of = "the number of groups" if schema.group else "the number of different rows"
            raise InvalidArgument(f"--folds {self.folds} must be a number from 2 to {count}, {of}.")
        splitter = StratifiedGroupKFold if schema.classes is not None else GroupKFold
        found = []
        for repeat in range(self.repeats):
            folds = splitter(self.folds, shuffle=True, random_state=self.seed + repeat)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # a class with fewer rows than folds
                found += list(folds.split(rows.X, rows.y, units))
        return [split for split in found if len(split[1])]  # of few units one fold may get none

    def _forward(self, rows: TableRows, time: np.ndarray, schema: Schema) -> list[Split]:
        """Return folds whose test rows all come after their training rows; units in both are no training rows.

        Folds before which only one class was observed are left out.
        """
        moments = np.unique(time)
        if len(moments) <= self.folds:
            raise InvalidArgument(
                f"--folds {self.folds} needs more than {self.folds} different times, and --time has {len(moments)}: "
                "give fewer folds."
            )
        # Cuts at equal shares of the rows, moved to where the time changes.
        shares = np.arange(1, self.folds + 1) / (self.folds + 1)
        cuts = np.unique(np.quantile(time, shares, method="inverted_cdf"))
        cuts = cuts[cuts < moments[-1]]
        ends = [*cuts[1:], moments[-1]]
        found = []
        for cut, end in zip(cuts, ends, strict=True):
            train, test = np.flatnonzero(time <= cut), np.flatnonzero((time > cut) & (time <= end))
            if rows.units is not None:
                train = train[~np.isin(rows.units[train], rows.units[test])]
            if schema.classes is None or rows.y.iloc[train].nunique() > 1:
                found.append((train, test))
        if not found:
            raise UnusableTable(
                f"--time {schema.time!r}: until the last fold only one class was observed: give fewer --folds, or "
                "leave --time out."
            )
        return found


def _limits(rows: TableRows, schema: Schema) -> Iterator[tuple[int, str]]:
    """Yield how many folds there can be, and what of the table says so."""
    yield len(rows.y), counted(len(rows.y), "row")
    if rows.time is not None:
        moments = len(np.unique(rows.time))
        yield moments - 1, counted(moments, "different time")  # the first one is predicted from nothing
        return
    if schema.classes is not None:
        largest = int(rows.y.value_counts().max())
        yield largest, f"{counted(largest, 'row')} of its largest class"
    if rows.units is not None:
        units = len(np.unique(rows.units))
        yield units, counted(units, "group" if schema.group else "different row")


def fit_quietly(model: BaseEstimator, rows: TableRows, chosen: np.ndarray | None = None) -> tuple[str, ...]:
    """Fit a pipeline (on chosen rows) and return the warnings as sentences."""
    chosen = np.arange(len(rows.y)) if chosen is None else chosen
    given: dict[str, Any] = {} if rows.weights is None else {"machine__sample_weight": rows.weights[chosen]}
    if rows.event is not None:
        given["machine__event"] = rows.event[chosen]
    together = rows.left_out_together
    if together is not None and leaves_out_units(model) and len(np.unique(together[chosen])) > 1:
        given["machine__groups"] = together[chosen]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(rows.X.iloc[chosen], targets_for(model[-1], rows, chosen), **given)
    return in_sentences(caught)


def in_sentences(caught: list[warnings.WarningMessage]) -> tuple[str, ...]:
    """Return each warning once; readers of a table do not know the class in front of it, and need not."""
    words = (re.sub(r"^[A-Z]\w+: ", "", str(warning.message)) for warning in caught)
    return tuple(dict.fromkeys(map(in_options, words)))


def leaves_out_units(model: Any) -> bool:
    """Return whether leave-one-out of a pipeline's machine can leave out several rows together."""
    return bool(has_fit_parameter(model[-1], "groups"))


def fold_outcomes(
    model: BaseEstimator,
    rows: TableRows,
    schema: Schema,
    splits: list[Split],
    options: FoldOptions,
    deadline: Deadline = NEVER,
    *,
    shuffle_seed: int | None = None,
) -> Iterator[FoldOutcome]:
    """Yield the outcome of each fold in turn: a fresh copy fitted on the training rows, all of it.

    With a deadline the fit of each fold may take as long as the fit on all rows (``options.fit_time``): a fold in less
    time would judge another model. A fold that would end after the deadline does not begin, except for the first two.
    With ``shuffle_seed``, each fold also finds what its model loses when single columns are shuffled.
    """
    fit_time = options.fit_time

    def work() -> Iterator[Any]:
        for place, split in enumerate(splits):
            late, left = deadline.passed, deadline.left()
            if place >= _FEWEST and (late or left < fit_time.seconds):
                return
            limit = min(fit_time.limit, left / math.ceil(max(_FEWEST - place, 1) / options.jobs))
            copy = model if math.isinf(limit) else clone(model).set_params(machine__time_limit=limit)
            yield delayed(run_fold)(
                copy, rows, schema, *split, None if late else shuffle_seed, hurried=limit < fit_time.seconds
            )

    # No fold is looked at before its turn comes: how much time it has depends on those before it.
    yield from Parallel(n_jobs=options.jobs, return_as="generator", pre_dispatch="n_jobs")(work())


def run_fold(
    model: BaseEstimator,
    rows: TableRows,
    schema: Schema,
    train: np.ndarray,
    test: np.ndarray,
    shuffle_seed: int | None = None,
    *,
    hurried: bool = False,
) -> FoldOutcome:
    """Fit a copy on the training rows and predict the test rows; ``hurried`` goes into the outcome."""
    fresh, inputs = clone(model), rows.X.iloc[test]
    with threadpool_limits(1, user_api="openmp"):  # threads of boosting wait for each other on a busy machine
        caught = _fitted(fresh, rows, train)
        probability = _probability(fresh, inputs, schema)
        if rows.event is not None:
            return _of_times(fresh, rows, test, warnings=caught, hurried=hurried)
        prediction = np.asarray(fresh.predict(inputs))
        if probability is not None:
            decision = decision_of(fresh[-1], schema, rows.y.iloc[train], _of(rows.weights, train))
            prediction = prediction if decision is None else schema.labels(decision(probability))
        rise, shuffled = (None, None) if shuffle_seed is None else rises(fresh, rows, schema, test, shuffle_seed)
        interval = None if shuffle_seed is None else _interval(fresh, inputs, schema)
        return FoldOutcome(
            rows=test,
            prediction=prediction,
            probability=probability,
            warnings=caught,
            interval=interval,
            rises=rise,
            shuffled=shuffled,
            hurried=hurried,
            short_of_time=getattr(fresh[-1], "short_of_time", False),
        )


def _of_times(model: BaseEstimator, rows: TableRows, test: np.ndarray, **more: Any) -> FoldOutcome:
    """Return what a fitted pipeline says of times: minus the risk, and survival at the times at which it is judged."""
    inputs = model[:-1].transform(rows.X.iloc[test])
    survival = model[-1].predict_survival_function(inputs, Horizon.of(rows.y, rows.event).times)
    return FoldOutcome(rows=test, prediction=-model[-1].predict(inputs), probability=None, survival=survival, **more)


def _of(values: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
    return None if values is None else values[rows]


def _fitted(model: BaseEstimator, rows: TableRows, train: np.ndarray) -> tuple[str, ...]:
    """Fit on the training rows of a fold, which may lack what makes a column worth using."""
    try:
        return fit_quietly(model, rows, train)
    except InvalidArgument as error:
        raise UnusableTable(
            f"The training rows of one outer fold make no model ({str(error).rstrip('.')}): fit without outer folds "
            "(--folds 0), or add rows."
        ) from error


def _interval(model: BaseEstimator, inputs: Any, schema: Schema) -> np.ndarray | None:
    """Return the ends (m, 2) of intervals around predicted numbers."""
    if schema.classes is not None:
        return None
    with np.errstate(all="ignore"):  # ends that are not finite are not shown
        return np.column_stack(interval_ends(model[-1], model[:-1].transform(inputs), COVERAGE))


def _probability(model: BaseEstimator, inputs: Any, schema: Schema) -> np.ndarray | None:
    """Return probabilities of all classes, 0 for those the training rows did not have."""
    if schema.classes is None or not hasattr(model, "predict_proba"):
        return None
    out = np.zeros((len(inputs), len(schema.classes)))
    places = {label: place for place, label in enumerate(schema.classes)}
    out[:, [places[label] for label in model.classes_.tolist()]] = model.predict_proba(inputs)
    return out
