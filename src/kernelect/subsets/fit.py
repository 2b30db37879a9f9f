"""Fits a subset of a dictionary to rows: widths, moments, search, posterior, record."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

import numpy as np

from kernelect.dictionaries.base import Candidates, Dictionary
from kernelect.results import Status
from kernelect.search import Budget
from kernelect.subsets.abf import Widths, with_fitted_kernels
from kernelect.subsets.evidence import Scored
from kernelect.subsets.holdout import Holdout
from kernelect.subsets.moments import SubsetMoments, SubsetRows, gathered_moments
from kernelect.subsets.posterior import Solver, SubsetPosterior
from kernelect.subsets.profile import Profile
from kernelect.subsets.results import BasisSelection, SearchTrace, SubsetModel
from kernelect.subsets.select import SearchOutcome, search_subset
from kernelect.subsets.strategies import Strategy
from kernelect.subsets.walk import WalkOptions
from kernelect.typing import Array, Indices

#: Share of the time left that sums over the rows may take: they are no model without a search.
_GATHERING = 0.6

#: Share of the targets' energy that is no residual: noise below a ten-thousandth of their deviation.
_VANISHING = 1e-8


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """How to search.

    Attributes
    ----------
    strategy : Strategy
    walk : WalkOptions
        Its deadline applies to the whole fit.
    max_width_rows : int
        Number of rows used to find ``"auto"`` widths.
    width_budget : Budget
    generator : Generator
        Chooses the rows that are held out.
    """

    strategy: Strategy
    walk: WalkOptions
    max_width_rows: int = 512
    width_budget: Budget = field(default_factory=Budget)
    generator: np.random.Generator = field(default_factory=np.random.default_rng)


@dataclass(frozen=True, kw_only=True)
class FittedSubset:
    """The chosen functions, their indices in the dictionary, their means, weights and record.

    ``rows`` are the rows used, if there was no time for all of them.
    """

    functions: Candidates
    indices: Indices
    means: Array
    posterior: SubsetPosterior
    regularization: float
    selection: BasisSelection
    rows: Indices | None = None


def fit_subset(dictionary: Dictionary, sample: SubsetRows, options: FitOptions) -> FittedSubset:
    """Find widths, gather moments, search for a subset and solve it.

    Parameters
    ----------
    dictionary : Dictionary
    sample : SubsetRows
        Its targets must vary; use :func:`constant_subset` if they do not.
    options : FitOptions
    """
    began, deadline = time.monotonic(), options.walk.deadline
    units, sample = sample.in_own_units()
    dictionary, widths = with_fitted_kernels(
        dictionary,
        sample,
        max_rows=options.max_width_rows,
        budget=options.width_budget,
        observe=options.walk.observe,
    )
    candidates = dictionary.build(sample.X)
    moments = gathered_moments(candidates, sample, deadline.part(_GATHERING)).in_units(units)
    n_rows, sample = len(sample), sample if moments.rows is None else sample.rows(moments.rows)
    share = options.strategy.holdout_share
    aside = deadline.part(_GATHERING)
    holdout = Holdout.split(candidates, sample, share, options.generator, aside) if share else None
    outcome = search_subset(moments, options.strategy, options.walk, holdout)
    indices = np.array(outcome.chosen.functions, dtype=np.intp)
    columns = np.searchsorted(moments.candidates, indices)
    chosen, means = candidates.take(indices), moments.means[columns]
    posterior, scored, certain = _solved(chosen, sample, moments, columns, options)
    selection = _record(outcome, scored, moments, widths, options, time.monotonic() - began)
    if certain:
        selection = replace(selection, outcome=Status.CERTAIN, status=f"{selection.status}; {Status.CERTAIN.value}")
    if len(sample) < n_rows:
        few = f"{selection.status}; time sufficed for {len(sample)} of {n_rows} rows"
        selection = replace(selection, outcome=Status.TIME_LIMIT, status=few)
    return FittedSubset(
        functions=chosen,
        indices=indices,
        means=means,
        posterior=posterior.in_units(units),
        regularization=scored.regularization,
        selection=selection,
        rows=moments.rows,
    )


def constant_subset(dictionary: Dictionary, sample: SubsetRows, options: FitOptions) -> FittedSubset:
    """Return the model without functions, for targets that do not vary: only rounding would choose another."""
    none, nothing = np.zeros(0, dtype=np.intp), np.zeros(0)
    selection = BasisSelection(
        value=-np.inf,
        null_value=-np.inf,
        theta=np.zeros(1),
        names=("regularization",),
        status="y is constant: the model predicts that constant, and nothing was searched",
        outcome=Status.FIXED,
        at_bound=(),
        trace=SearchTrace.of([]),
        best_per_size=(SubsetModel(-np.inf, ()),),
        criterion=options.walk.criterion.name,
        strategy=repr(options.strategy),
        seconds=0.0,
    )
    posterior = SubsetPosterior(coef=np.zeros((0, 0)), root=np.zeros((0, 0)), noise=nothing)
    return FittedSubset(
        functions=dictionary.build(sample.X).take(none),
        indices=none,
        means=nothing,
        posterior=posterior,
        regularization=1.0,
        selection=selection,
    )


def _solved(
    chosen: Candidates, sample: SubsetRows, moments: SubsetMoments, columns: Indices, options: FitOptions
) -> tuple[SubsetPosterior, Scored, bool]:
    """Return the posterior of the chosen functions and their value, from the design matrix itself.

    And whether they leave so little that the noise is not known.
    """
    criterion = options.walk.criterion
    if not len(columns):
        k = moments.n_outputs
        posterior = SubsetPosterior(
            coef=np.zeros((0, k)), root=np.zeros((0, 0)), noise=np.sqrt(moments.energy / moments.n_rows)
        )
        return posterior, criterion.score(moments, columns), False
    solver = Solver.of(chosen, sample, moments.means[columns], moments.n_rows, moments.log_constant)
    profile = solver.profile()
    scored = criterion.of(profile)
    certain = _is_certain(profile, scored.regularization, moments)
    return solver.at(0.0 if options.strategy.least_squares else scored.regularization), scored, certain


def _record(
    outcome: SearchOutcome,
    scored: Scored,
    moments: SubsetMoments,
    widths: list[Widths],
    options: FitOptions,
    seconds: float,
) -> BasisSelection:
    at_bound = [name for found in widths for name in found.at_bound if name != "regularization"]
    at_bound += ["regularization"] if scored.at_bound else []
    unfinished = next((found.result.status for found in widths if not found.result.converged), None)
    return BasisSelection(
        value=-scored.value,
        null_value=outcome.best_per_size[0].value,
        theta=np.concatenate([*(found.result.theta[:-1] for found in widths), [np.log(scored.regularization)]]),
        names=(*(name for found in widths for name in found.names), "regularization"),
        status=_sentence(outcome, moments, at_bound, unfinished),
        outcome=outcome.status if unfinished is None else unfinished,
        at_bound=tuple(at_bound),
        trace=outcome.trace,
        best_per_size=outcome.best_per_size,
        criterion=options.walk.criterion.name,
        strategy=repr(options.strategy),
        seconds=seconds,
    )


def _is_certain(profile: Profile, regularization: float, moments: SubsetMoments) -> bool:
    """Return whether a model claims that there is no noise though its parameters take up most of the rows."""
    residual = profile.misfits(np.array([regularization]))[0] / profile.energy
    few = moments.most_functions is not None and 2.0 * profile.well_determined(regularization) > moments.most_functions
    return few and bool(np.any(residual < _VANISHING))


def _sentence(outcome: SearchOutcome, moments: SubsetMoments, at_bound: list[str], unfinished: Status | None) -> str:
    """Return how the search ended, what was left out and what to doubt."""
    parts = [outcome.status.value]
    if not len(outcome.chosen):
        parts.append("no function has more evidence than the null model, which was kept")
    dropped = [f"{n} {kind}" for n, kind in ((moments.n_null, "null"), (moments.n_duplicate, "duplicate")) if n]
    if dropped:
        parts.append(f"left out of the dictionary: {' and '.join(dropped)} columns")
    if at_bound:
        shown = ", ".join(at_bound[:5]) + (f" and {len(at_bound) - 5} more" if len(at_bound) > 5 else "")
        parts.append(f"at the bound of the search: {shown}")
    if unfinished is not None:
        parts.append(f"the search for widths {unfinished.value}")
    return "; ".join(parts)
