"""A scikit-learn pipeline from mixed columns to a self-selecting machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from kernelect.estimators import ESTIMATORS, Estimator
from kernelect.exceptions import InvalidArgument, MissingCapability, unknown_name
from kernelect.inputs import CodedColumns
from kernelect.inputs.indicators import MOST_LEVELS
from kernelect.mixture import AUTO, Door, KernelRegressor
from kernelect.mixture.kernel_machines import MOST_WIDTHS
from kernelect.model import AS_GIVEN, Model, View
from kernelect.model.smaller import for_file
from kernelect.tabular.columns import Column
from kernelect.tabular.hand_over import HandOver
from kernelect.tabular.schema import Schema


@dataclass(frozen=True)
class MachineOptions:
    """What a user may choose about the machine; None keeps the estimator's own default."""

    machine: str = AUTO
    _: KW_ONLY
    kernel: str | None = None
    prior: str | None = None
    criterion: str | None = None
    time_limit: float | None = None
    restarts: int = 0
    seed: int = 0
    effort: str | None = None


def make_machine(options: MachineOptions, task: str, n_inputs: int) -> BaseEstimator:
    """Return the estimator, unfitted, with the options it was given."""
    machines = ESTIMATORS.by_machine()
    if options.machine not in machines:
        raise unknown_name("machine", options.machine, list(machines))
    machine = options.machine if task in machines[options.machine] or options.machine != AUTO else "gp"  # no mixture
    estimators = machines[machine]
    if options.kernel == "precomputed":
        raise InvalidArgument("kernel='precomputed' is for Gram matrices in Python: a table needs another kernel.")
    if task not in estimators:
        able = ", ".join(name for name, tasks in machines.items() if task in tasks)
        raise MissingCapability(f"machine={options.machine!r} does no {task}: use one of {able}.")
    given = {name: getattr(options, name) for name in ("kernel", "prior", "criterion", "time_limit", "effort")}
    given |= {"restarts": options.restarts or None, "random_state": options.seed}
    if machine != AUTO and n_inputs > MOST_WIDTHS:
        given["kernel"] = given["kernel"] or "rbf"
    return _built(estimators[task], machine, given)


def _built(estimator: type[Estimator], machine: str, given: dict[str, Any]) -> BaseEstimator:
    """Return the estimator with what was given; "none" stands for None."""
    known = _arguments(estimator)
    words = {name: value for name, value in given.items() if value is not None}
    for name, value in words.items():
        if name not in known:
            raise InvalidArgument(
                f"{name}={value!r} does not apply to machine={machine!r}: leave it out, or use one of "
                f"{', '.join(_machines_with(name, ESTIMATORS.declaration_of(estimator).task))}."
            )
    return estimator(**{known[name]: None if value == "none" else value for name, value in words.items()})


def _arguments(estimator: type[Estimator]) -> dict[str, str]:
    """Return option -> argument of an estimator; functions of a dictionary are what a kernel is to the others."""
    names = list(ESTIMATORS.declaration_of(estimator).arguments)
    found = {name.removeprefix("n_"): name for name in names}
    return {"kernel": "dictionary", **found} if "dictionary" in names else found


def _machines_with(option: str, task: str) -> list[str]:
    """Return the machines for a task that have an option."""
    found = [one for one in ESTIMATORS.declarations if one.task == task and option in _arguments(one.cls)]
    return [repr(one.machine) for one in found]


def pipeline_of(schema: Schema, options: MachineOptions) -> Pipeline:
    """Return the whole pipeline for a table, unfitted; its machine knows counts and the order of classes."""
    machine = make_machine(options, schema.own_task, count_inputs(schema.columns))
    if schema.counts and isinstance(machine, KernelRegressor):  # others take counts for any numbers
        machine.set_params(target="count")
    if schema.ordered and schema.classes:
        machine.set_params(order=list(schema.classes))
    return make_pipeline_for(schema.columns, machine)


def coding_steps(columns: Sequence[Column]) -> list[tuple[str, BaseEstimator]]:
    """Return the steps that make numbers of columns, unfitted: each gets its type, then all are coded."""
    kinds = {column.name: column.own_kind for column in columns}
    return [("columns", HandOver(tuple(column.kind for column in columns))), ("coding", CodedColumns(kinds))]


def make_pipeline_for(columns: Sequence[Column], machine: BaseEstimator) -> Pipeline:
    """Return the whole pipeline, unfitted: steps "columns", "coding" and "machine"; a mixture codes columns itself."""
    steps = coding_steps(columns)
    if isinstance(machine, Door):
        machine.set_params(columns={column.name: column.own_kind for column in columns})
        steps = steps[:1]
    return Pipeline([*steps, ("machine", machine)])


def model_of(pipeline: Pipeline) -> Model:
    """Return the model of a fitted pipeline: it takes the columns themselves, and codes them as the steps did.

    It is what a file holds of it, so that reports are the same before and after.
    """
    model: Model = for_file(pipeline[-1].model_)
    coding = pipeline.named_steps.get("coding")
    if coding is None:
        return model
    view = View(indicators=coding.indicators) if coding.coding.categories else AS_GIVEN
    return replace(
        model,
        components=tuple(replace(component, view=view) for component in model.components),
        n_columns=coding.n_features_in_,
        names=tuple(map(str, coding.feature_names_in_)),
        coding=coding.coding,
    )


def count_inputs(columns: Sequence[Column]) -> int:
    """Return about how many inputs the machine will see."""
    return sum(min(len(column.categories) or 1, MOST_LEVELS) for column in columns)
