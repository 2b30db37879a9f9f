"""Frozen records and the status of a search: what flows between the parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, ClassVar

import numpy as np

from kernelect.extras import load_extra
from kernelect.typing import Array, Observer


class Status(Enum):
    """How a search ended, in words that are shown to the user as they stand."""

    CONVERGED = "converged"
    FIXED = "nothing was left to select, the criterion was evaluated once"
    MAX_ITER = "stopped at the iteration limit (max_iter) with the best point so far"
    TIME_LIMIT = "stopped at the time limit (time_limit) with the best point so far"
    STALLED = "stopped because no step improved the criterion any further"
    FOLLOWED = "refined from another candidate's widths"
    FAILED = "failed: the criterion was not finite at any point tried"
    DOUBTED = "ended, but with a doubt"
    CERTAIN = "the functions leave hardly any residuals, so that the noise and standard deviations are not known"

    @property
    def trustworthy(self) -> bool:
        """Whether the point is a (local) optimum as far as the search can tell."""
        return self in (Status.CONVERGED, Status.FIXED, Status.STALLED, Status.FOLLOWED)


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """One evaluation of an objective, as an observer sees it."""

    number: int
    seconds: float
    theta: Array
    value: float
    gradient_norm: float
    best_value: float
    run: int = 0


@dataclass(frozen=True, kw_only=True)
class Trace:
    """One row per evaluation, in columns.

    ``run`` counts the searches behind one result: stages (spherical before elliptical),
    restarts and rounds of a prior that revises itself.
    """

    seconds: Array
    value: Array
    gradient_norm: Array
    theta: Array  # (n_evaluations, n_parameters)
    run: Array

    def __len__(self) -> int:
        return len(self.value)

    @classmethod
    def of(cls, rows: Sequence[Evaluation], n_parameters: int) -> Trace:
        """Collect evaluations into columns."""
        return cls(
            seconds=np.array([row.seconds for row in rows], dtype=float),
            value=np.array([row.value for row in rows], dtype=float),
            gradient_norm=np.array([row.gradient_norm for row in rows], dtype=float),
            theta=np.array([row.theta for row in rows], dtype=float).reshape(len(rows), n_parameters),
            run=np.array([row.run for row in rows], dtype=float),
        )

    @classmethod
    def joined(cls, traces: Sequence[Trace]) -> Trace:
        """Put traces one after the other: seconds run on, runs are numbered through."""
        parts: list[Trace] = []
        seconds, run = 0.0, 0.0
        for trace in (trace for trace in traces if len(trace)):
            parts.append(replace(trace, seconds=trace.seconds + seconds, run=trace.run + run))
            seconds, run = float(parts[-1].seconds.max()), float(parts[-1].run.max()) + 1
        if not parts:
            return traces[0]
        return cls(
            **{name: np.concatenate([getattr(part, name) for part in parts]) for name in cls.__dataclass_fields__}
        )

    def best_points(self) -> Array:
        """Return the point with the smallest value of every run, one row per run that had a finite value."""
        rows = [np.flatnonzero((self.run == run) & np.isfinite(self.value)) for run in np.unique(self.run)]
        return self.theta[[int(row[np.argmin(self.value[row])]) for row in rows if len(row)]]

    def best_so_far(self) -> Array:
        """Return the smallest value seen up to each evaluation of the same run.

        Anew for each run: a stage may minimise something else (the criterion without its prior).
        """
        best = np.empty_like(self.value)
        for number in np.unique(self.run):
            rows = self.run == number
            best[rows] = np.fmin.accumulate(self.value[rows])
        return best


@dataclass(frozen=True, kw_only=True)
class ModelSize:
    """What a prediction goes through: so many things that are called ``what``, such as support vectors.

    ``everything`` tells that these are all that there were to choose from.
    """

    count: int
    what: str
    everything: bool = False


@dataclass(frozen=True)
class SearchResult:
    """Where a search ended; ``theta`` is in the space that was searched.

    ``inverse`` is that of the second derivatives in terms of what the search moved, if it has learned them.
    """

    theta: Array
    value: float
    status: Status
    trace: Trace
    message: str = ""
    inverse: Array | None = None

    @property
    def converged(self) -> bool:
        """Whether the search ended at a (local) optimum as far as it can tell."""
        return self.status.trustworthy


@dataclass(frozen=True, kw_only=True)
class Reached:
    """Where a selection ended on a part of the rows, and what its search learned there.

    Attributes
    ----------
    theta : ndarray of shape (n_parameters,)
    rows : int
        How many these were.
    value : float
        What was minimised, there: a sum over rows; infinite if it is not known.
    inverse : ndarray or None
        What the search learned of the inverse second derivatives.
    """

    theta: Array
    rows: int
    value: float = float("inf")
    inverse: Array | None = None


class Selected:
    """What all results of a selection can tell, be it of hyper-parameters or of subsets."""

    theta: Array
    names: tuple[str, ...]
    trace: Sized

    #: How the search ended; sentences that say so are for people.
    outcome: Status

    #: What each run of a search among hyper-parameters was; none in a search among subsets.
    runs: tuple[str, ...]

    #: Whether the best model of every size is known, as a search among subsets knows it.
    has_sizes: ClassVar[bool] = False

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes with the name of the outcome: skops makes no members of enumerations."""
        return {**self.__dict__, "outcome": self.outcome.name}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, outcome=Status[state["outcome"]])

    @property
    def converged(self) -> bool:
        """Whether the point is a (local) optimum as far as the search can tell, and nothing is in doubt."""
        return self.outcome.trustworthy

    @property
    def n_evaluations(self) -> int:
        """Number of rows of the trace."""
        return len(self.trace)

    @property
    def parameters(self) -> dict[str, float]:
        """The selected hyper-parameters (not their logarithms) by name."""
        return dict(zip(self.names, np.exp(self.theta).tolist(), strict=True))


@dataclass(frozen=True, kw_only=True)
class Selection(Selected):
    """The whole result of model selection: what ``selection_`` of an estimator holds.

    Attributes
    ----------
    value : float
        The criterion at the selected point, in the paper's units; smaller is better. With a prior it is what was
        minimised, the criterion in nats plus the prior's penalty. That of widths given as numbers counts too, so with
        nothing left to select ``prior=None`` gives the criterion alone.
    theta : ndarray of shape (n_parameters,)
        Logarithms of all hyper-parameters, in the order of ``names``.
    names : tuple of str
    outcome : Status
        How the search ended; ``converged`` follows from it.
    ending : str
        The same in words.
    remarks : tuple of str
        What else there is to say of how it came about.
    at_bound : tuple of str
        Names of the parameters that ended at a bound of the search.
    trace : Trace
        One row per evaluation by a search; ``theta`` there is in the order of ``names``. The few further solutions
        that a prior needs to revise itself, or that a last choice needs, have no row.
    runs : tuple of str
        What each run of the trace was: a stage, a restart, a round of the prior.
    criterion, prior : str
        What was minimised.
    seconds : float
        Wall time of the whole selection.
    optima : ndarray of shape (n_searches, n_parameters)
        Where the searches from the several starts ended, each at its best point, in the order of
        the starts (before a prior revised itself).
    validation_error : ndarray of shape (n_evaluations,)
        Error rate on the rows that early stopping has set aside (or of rows left out one by one), NaN at evaluations
        that were no improvement; empty without early stopping.
    reached : Reached or None
        What a selection on more rows begins with; only of a selection that another one has led.
    """

    value: float
    theta: Array
    names: tuple[str, ...]
    outcome: Status
    ending: str
    at_bound: tuple[str, ...]
    trace: Trace
    runs: tuple[str, ...]
    criterion: str
    prior: str
    seconds: float
    optima: Array = field(default_factory=lambda: np.zeros((0, 0)))
    validation_error: Array = field(default_factory=lambda: np.zeros(0))
    reached: Reached | None = None
    remarks: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        """A sentence on how the search ended and which parameters lie at a bound."""
        more = f" and {len(self.at_bound) - 5} more" if len(self.at_bound) > 5 else ""
        bound = [f"at the bound of the search: {', '.join(self.at_bound[:5])}{more}"] if self.at_bound else []
        return "; ".join([self.ending, *self.remarks, *bound])

    def per_row(self, n_rows: float) -> Selection:
        """Return a selection made in nats with its values in nats per row."""
        trace = self.trace
        trace = replace(trace, value=trace.value / n_rows, gradient_norm=trace.gradient_norm / n_rows)
        return replace(self, value=self.value / n_rows, trace=trace)

    def with_remark(self, remark: str) -> Selection:
        """Return the selection with a remark on how it came about, if there is one."""
        return replace(self, remarks=(*self.remarks, remark)) if remark else self

    def with_doubts(self, doubts: Iterable[str]) -> Selection:
        """Return the selection with the doubts that solver and criterion raise."""
        raised = [doubt for doubt in doubts if doubt]
        if not raised:
            return self
        if self.outcome is Status.TIME_LIMIT:  # which explains the doubts
            return replace(self, remarks=(*self.remarks, *raised))
        return replace(self, ending=f"ended, but {raised[0]}", remarks=tuple(raised[1:]), outcome=Status.DOUBTED)

    def moved_to(
        self,
        theta: Array,
        value: float,
        at_bound: tuple[str, ...],
        *,
        label: str,
        remark: str,
        observe: Observer | None = None,
    ) -> Selection:
        """Return the selection at a point that was chosen after its searches, with a last row in its trace for it.

        Parameters
        ----------
        theta : ndarray of shape (n_parameters,)
        value : float
            The criterion there.
        at_bound : tuple of str
            Names of the parameters that lie at a bound there.
        label : str
            What the last run of the trace is called.
        remark : str
            What the status reports of it.
        observe : callable, optional
            Called with the row.
        """
        row = Evaluation(
            number=self.n_evaluations + 1,
            seconds=0.0,
            theta=theta,
            value=value,
            gradient_norm=float("nan"),  # which costs more than the value, and is not what was minimised
            best_value=value,
        )
        if observe is not None:
            observe(replace(row, run=int(self.trace.run.max(initial=-1.0)) + 1))
        return replace(
            self.with_remark(remark),
            theta=theta,
            value=value,
            at_bound=at_bound,
            runs=(*self.runs, label),
            trace=Trace.joined([self.trace, Trace.of([row], len(theta))]),
        )

    def to_frame(self) -> Any:
        """Return the trace as a pandas DataFrame, one row per evaluation."""
        pd = load_extra("pandas", caller="to_frame()", extra="frames")
        columns = {
            "run": self.trace.run.astype(int),
            "seconds": self.trace.seconds,
            "value": self.trace.value,
            "best": self.trace.best_so_far(),
            "gradient_norm": self.trace.gradient_norm,
        }
        frame = pd.DataFrame(columns)
        logs = pd.DataFrame(self.trace.theta, columns=[f"log {name}" for name in self.names])
        return pd.concat([frame, logs], axis=1).rename_axis("evaluation")

    def __str__(self) -> str:
        return f"{self.criterion} = {self.value:.6g} ({self.status})"
