"""How good a model is on rows it did not see.

There are two estimates. Exact leave-one-out at the selected hyper-parameters costs nothing, but
the selection has seen every row. Outer folds repeat everything inside each fold: imputation,
scaling and selection. A gap between the two means that the selection over-fitted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.stats import chi2
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from kernelect.facts import Assessment, FoldOutcome, Judge, score_words
from kernelect.facts.scores import mean_standard_error
from kernelect.facts.sources import is_mixture
from kernelect.numerics import Deadline
from kernelect.tabular.folds import FoldOptions, fold_outcomes, leaves_out_units
from kernelect.tabular.rows import TableRows
from kernelect.tabular.schema import Schema

#: Probability below which the spread of the folds is not put down to chance.
_UNLIKELY = 1e-3

_ONLY_INSIDE = (
    "The time limit left no time for outer folds: scores are those of leave-one-out, which are a little too good if "
    "there are few rows. Give more --time-limit."
)


def judge_of(rows: TableRows, schema: Schema) -> Judge:
    """Return what scores predictions of a table's rows."""
    return Judge(
        rows.y,
        schema.classes,
        rows.weights,
        rows.units,
        schema.stakes,
        ordered=schema.ordered,
        event=rows.event,
        limits=rows.limits,
    )


def assess(
    pipeline: Pipeline,
    rows: TableRows,
    schema: Schema,
    options: FoldOptions,
    observe: Callable[[int], None] | None = None,
) -> tuple[Assessment, list[str]]:
    """Estimate how good a fitted pipeline is on new rows.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted on ``rows``; its leave-one-out values are read, and copies of it are fitted again.
    rows : TableRows
    schema : Schema
    options : FoldOptions
        With 0 folds there are no outer folds.
    observe : callable, optional
        Called with the number of folds done, first with 0.

    Returns
    -------
    assessment, remarks
    """
    judge = judge_of(rows, schema)
    inside, remarks = _inside(judge, pipeline, rows, schema)
    if not options.folds:
        return inside, remarks
    splits = options.splits(rows, schema)
    deadline, outcomes = Deadline.after(options.time_limit), list[FoldOutcome]()
    if inside.leave_one_out is not None and deadline.left() < options.least_seconds:
        return inside, [*remarks, _ONLY_INSIDE]
    observe = observe or _unseen
    observe(0)
    copies = fold_outcomes(clone(pipeline), rows, schema, splits, options, deadline, shuffle_seed=options.seed)
    for outcome in copies:
        outcomes.append(outcome)
        observe(len(outcomes))
    name = options.name_for(schema)
    if len(outcomes) < len(splits):
        outcomes = outcomes[: max(len(outcomes) // options.folds, 1) * options.folds]  # whole repetitions
        name = f"{len(outcomes)} of {name}"
        remarks.append(f"The time limit was reached after {name}: scores come from their rows, and are less sure.")
    outer = judge.of_folds(name, outcomes, options.folds)
    remarks += _doubts(outcomes)
    if any(outcome.hurried for outcome in outcomes):
        remarks.append(
            "The time limit left outer folds less time than the fit on all rows: the model may be better than these "
            "scores. Give more --time-limit."
        )
    elif rows.event is None:  # concordance has no losses of single rows
        remarks += _on_spread(judge, outcomes, _why_folds_differ(pipeline, schema))
    found = replace(
        inside,
        outer_folds=outer,
        baseline=judge.baseline(splits[: len(outcomes)], options.folds),
        held_out=judge.held_out(outcomes, list(rows.X.columns)),
    )
    return found, remarks


def _inside(judge: Judge, pipeline: Pipeline, rows: TableRows, schema: Schema) -> tuple[Assessment, list[str]]:
    """Return leave-one-out and the baseline; leave-one-out only if it leaves out what belongs together."""
    found = judge.assess(pipeline[-1])
    if found.leave_one_out is None:
        return found, []
    if schema.time is not None:
        why = f"it predicts rows from later ones, and rows are ordered by {schema.time!r}"
    elif rows.left_out_together is not None and not leaves_out_units(pipeline):
        why = "this machine leaves out single rows, and some rows belong together"
    else:
        together = schema.group is not None
        name = f"{found.leave_one_out.name} by {schema.group}" if together else found.leave_one_out.name
        return replace(found, leave_one_out=replace(found.leave_one_out, name=name)), []
    return replace(found, leave_one_out=None), [f"Leave-one-out is not shown: {why}."]


def _unseen(done: int) -> None:
    """Observe nothing."""


def _doubts(outcomes: list[FoldOutcome]) -> list[str]:
    """Return one remark on the folds whose fit warned of something; what it had no time for is told elsewhere."""
    doubtful = [outcome.warnings[0] for outcome in outcomes if outcome.warnings and not outcome.short_of_time]
    return [f"In {len(doubtful)} of {len(outcomes)} outer folds: {doubtful[0]}"] if doubtful else []


def _on_spread(judge: Judge, outcomes: list[FoldOutcome], why: str) -> list[str]:
    """Return a remark if the folds' losses differ more than their rows explain.

    The variance of the folds' means over that expected from single rows (or units of them) is a chi-square when
    all folds found models alike; it is large where some ended in another optimum.
    """
    losses = [judge.losses(outcome.rows, outcome.prediction)[0] for outcome in outcomes]
    means, units = np.array([loss.losses.mean() for loss in losses]), [judge.units[one.rows] for one in outcomes]
    if min(len(np.unique(each)) for each in units) < 2:
        return []
    found = zip(losses, units, strict=True)
    variances = np.array([mean_standard_error(loss.losses, np.ones(len(each)), each) ** 2 for loss, each in found])
    if not variances.mean() > 0:
        return []
    statistic = (len(means) - 1) * means.var(ddof=1) / variances.mean()
    if chi2.sf(statistic, len(means) - 1) > _UNLIKELY:
        return []
    name = losses[0].name
    least, most = (score_words(name, losses[0].transform(float(mean))) for mean in (means.min(), means.max()))
    return [f"The outer folds differ by more than chance explains ({name} {least} to {most}): {why}"]


def _why_folds_differ(pipeline: Pipeline, schema: Schema) -> str:
    if schema.time is not None:
        return "the first ones have few rows to learn from, or the table changes with time."
    way_out = "--effort best" if is_mixture(pipeline) else "--restarts 3, or another --kernel or --machine"
    return f"the search ends in different optima, or a few rows dominate. Try {way_out}."
