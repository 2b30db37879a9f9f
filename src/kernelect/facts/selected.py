"""What was selected, in words and numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kernelect.criteria import GroupPRESS
from kernelect.estimators import ESTIMATORS, Estimator
from kernelect.facts.names import parameter_kind, with_input_names
from kernelect.facts.numbers import counted, duration, number
from kernelect.facts.record import FunctionFacts, MachineFacts, ParameterFacts, StageFacts
from kernelect.facts.relevance import ranked, relevance_if_known
from kernelect.facts.sources import input_names, machine_of
from kernelect.kernels import Constant, Kernel
from kernelect.kernels.composite import Composite
from kernelect.kernels.stationary import Stationary
from kernelect.selection import SelectionObjective

#: Widths, functions and stages that are listed one by one.
_MOST_WIDTHS, _MOST_FUNCTIONS, _MOST_STAGES = 20, 20, 40

_PARAMETERS = {
    "regularization": "ridge: a larger value gives a smoother function",
    "C": "a larger value follows the training rows more closely",
    "amplitude": "how far the latent function moves from its mean",
    "offset": "takes the place of an intercept",
    "gamma": "width: a larger value gives a wigglier function",
    "width": "width: a larger value gives a wigglier function",
    "alpha": "shape: a smaller value mixes widths that differ more",
    "lambda": "ratio of prior precision to noise precision",
}


def describe_machine(estimator: Any, objective: SelectionObjective | None) -> MachineFacts:
    """Return name, kernel, criterion, selected values, size and the end of the search."""
    machine = machine_of(estimator)
    selection, inputs = machine.selection_, input_names(estimator)
    kernel = _kernel_words(machine)
    name, criterion = ESTIMATORS.words_of(type(machine)), _criterion_words(machine)
    listed, hidden = _parameters(machine, inputs, objective)
    size, vectors = _size(machine)
    status = with_input_names(selection.status, inputs)
    effort = f"{counted(selection.n_evaluations, 'evaluation')} in {duration(selection.seconds)}"
    return {
        "class": type(machine).__name__,
        "name": name[0].upper() + name[1:],
        "kernel": kernel,
        "criterion": selection.criterion,
        "criterion_in_words": criterion,
        "prior": selection.prior,
        "sentence": _sentence(name, kernel, criterion, selection.prior),
        "search": f"{effort}; {status}.",
        "size": size,
        "vectors": vectors,
        "status": status,
        "outcome": selection.outcome.name,
        "converged": bool(selection.converged),
        "value": float(selection.value),
        "evaluations": int(selection.n_evaluations),
        "seconds": float(selection.seconds),
        "parameters": listed,
        "parameters_not_listed": hidden,
    }


def selected_values(estimator: Any) -> dict[str, float]:
    """Return all selected hyper-parameters, widths by the name of their input."""
    values, inputs = machine_of(estimator).selection_.parameters, input_names(estimator)
    return {with_input_names(name, inputs): float(value) for name, value in values.items()}


def describe_stages(selection: Any) -> list[StageFacts]:
    """Return the stages and restarts of a search among hyper-parameters."""
    trace, stages = selection.trace, []
    for place, name in enumerate(selection.runs[:_MOST_STAGES]):
        values = trace.value[trace.run == place]
        finite = values[np.isfinite(values)]
        best = float(finite.min()) if len(finite) else None
        stages.append(StageFacts(name=name, evaluations=len(values), best=best))
    return stages


def describe_functions(machine: Estimator) -> list[FunctionFacts]:
    """Return the chosen basis functions with the largest coefficients."""
    found = machine.selected_functions()
    order = ranked(np.abs([coefficient for _, coefficient in found]))[:_MOST_FUNCTIONS]
    return [FunctionFacts(name=found[j][0], coefficient=found[j][1]) for j in order]


def _sentence(name: str, kernel: str, criterion: str, prior: str) -> str:
    over = "" if prior == "none" else f" and a {prior} prior over its parameters"
    return f"A {name} with {kernel}, selected by {criterion}{over}."


def _criterion_words(machine: Estimator) -> str:
    """Return what the criterion declares of itself, else its name."""
    name = machine.selection_.criterion
    if name == GroupPRESS.name:
        return GroupPRESS.words
    given = machine.criterion if not isinstance(machine.criterion, str) else machine.criteria().get(name)
    return name if given is None else given.words or name


def _kernel_words(machine: Estimator) -> str:
    kernel = machine.selected_kernel()
    if kernel is None:
        return f"functions from the dictionary {_dictionary_words(machine)}"
    parts = [part for part in _leaves(kernel) if not isinstance(part, Constant)]
    tied = _moved_together(machine.selection_)
    several = "widths in proportion to the inputs' spread" if tied else "one width per input"
    words = " and ".join(dict.fromkeys(_kernel_word(part, several) for part in parts)) or "a constant kernel"
    return f"{words} (with amplitude and offset)" if len(parts) < len(_leaves(kernel)) else words


def _dictionary_words(machine: Estimator) -> str:
    given = machine.dictionary
    return repr(given) if isinstance(given, str) else type(given).__name__


def _leaves(kernel: Kernel) -> list[Kernel]:
    if isinstance(kernel, Composite):
        return [leaf for part in kernel.parts for leaf in _leaves(part)]
    return [kernel]


def _moved_together(selection: Any) -> bool:
    """Return whether all widths moved equally far from their start, which the inputs' spread gives."""
    widths = [index for index, name in enumerate(selection.names) if parameter_kind(name) == "width"]
    if "spherical" not in selection.runs:
        return False
    began, ended = selection.trace.theta[0, widths], selection.theta[widths]
    has_width = np.isfinite(began)  # a constant input has none
    moved = ended[has_width] - began[has_width]
    return len(moved) > 1 and np.allclose(moved, moved[0], atol=1e-9)


def _kernel_word(kernel: Kernel, several: str) -> str:
    if not isinstance(kernel, Stationary):
        return f"a {kernel.words} kernel"
    return f"a {kernel.words} kernel, {several if kernel.elliptical else 'one width for all inputs'}"


def _size(machine: Estimator) -> tuple[str, int]:
    """Return what a prediction has to go through, in words and as a number."""
    size = machine.model_size()
    words = counted(size.count, size.what)
    return f"all {words}" if size.everything else words, size.count


def _parameters(
    machine: Estimator, inputs: list[str], objective: SelectionObjective | None
) -> tuple[list[ParameterFacts], int]:
    """Return the selected values, widths of the most relevant inputs only, and how many are left out."""
    selection, relevance = machine.selection_, relevance_if_known(machine)
    names = selection.names
    widths = [index for index, name in enumerate(names) if parameter_kind(name) == "width"]
    if relevance is not None and len(relevance) == len(widths):
        widths = [widths[j] for j in ranked(relevance)]
    others = sorted(set(range(len(names))) - set(widths))
    kept = [*others, *widths[:_MOST_WIDTHS]]
    sides = _sides(selection, objective)
    return [_parameter(selection, index, inputs, sides) for index in kept], len(names) - len(kept)


def _parameter(selection: Any, index: int, inputs: list[str], sides: dict[str, str]) -> ParameterFacts:
    name, value = selection.names[index], float(np.exp(selection.theta[index]))
    kind = parameter_kind(name)
    return {
        "name": with_input_names(name, inputs),
        "kind": kind,
        "value": value,
        "words": "0 (input switched off)" if kind == "width" and value == 0.0 else number(value, 4),
        "length_scale": 1.0 / math.sqrt(2.0 * value) if kind in ("gamma", "width") and value > 0.0 else None,
        "meaning": _PARAMETERS.get(kind, ""),
        "at_bound": sides.get(name),
    }


def _sides(selection: Any, objective: SelectionObjective | None) -> dict[str, str]:
    """Return at which end of its range each parameter at a bound is."""
    if not selection.at_bound:
        return {}
    theta = selection.theta
    if objective is not None and len(objective.space) == len(theta):
        with np.errstate(invalid="ignore"):  # a width of 0 is at minus infinity, and so are its bounds
            low = np.abs(theta - objective.space.lower) < np.abs(objective.space.upper - theta)
    else:  # a search among subsets does not keep its ranges, which lie around the middle of the parameters
        low = theta < np.median(theta)
    ends = dict(zip(selection.names, np.where(low, "lower edge", "upper edge").tolist(), strict=True))
    return {name: ends[name] for name in selection.at_bound}
