"""What was selected, in words and numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kernelect.kernels import ARD, RBF, Constant, Kernel, Linear, Matern, Polynomial, Precomputed
from kernelect.kernels.composite import Composite
from kernelect.plots._names import parameter_kind, parameter_name
from kernelect.plots._sources import input_names, machine_of
from kernelect.report.numbers import seconds_in_words, shown
from kernelect.selection import SelectionObjective
from kernelect.typing import Array

#: Inputs and functions that are listed one by one.
MOST_LISTED = 20

_MACHINES = {
    "LSSVC": "least-squares support vector classifier",
    "LSSVR": "least-squares support vector regressor",
    "SVC": "support vector classifier",
    "GPC": "Gaussian process classifier",
    "RVC": "relevance vector classifier",
    "RVR": "relevance vector regressor",
    "BasisSearchRegressor": "linear model on a searched subset of basis functions",
}

_CRITERIA = {
    "press": "the exact leave-one-out squared error (PRESS)",
    "ep-evidence": "the evidence, by expectation propagation",
    "hmc-evidence": "the evidence, by Monte Carlo",
    "laplace-evidence": "the evidence, by Laplace's approximation",
    "evidence": "the evidence",
    "occam-evidence": "the evidence, each precision charged for having been fitted",
    "centre-evidence": "the evidence, centres integrated out",
    "mackay-evidence": "MacKay's evidence",
    "marginal-likelihood": "the marginal likelihood",
    "span": "the smoothed span estimate of the leave-one-out error",
    "loo": "the leave-one-out error",
    "cv": "the cross-validated log-loss",
    "gacv": "generalised approximate cross-validation",
    "radius-margin": "the radius-margin bound",
}

_PARAMETERS = {
    "regularization": "ridge: larger is smoother",
    "C": "larger follows the rows more closely",
    "amplitude": "how far the latent function swings",
    "offset": "stands in for an intercept",
    "gamma": "width: larger is wigglier",
    "width": "width: larger is wigglier",
    "lambda": "ratio of prior to noise precision",
}


def describe_machine(estimator: Any, relevance: Array | None, objective: SelectionObjective | None) -> dict[str, Any]:
    """Return name, kernel, criterion, tuned values, size and ending of the machine."""
    machine = machine_of(estimator)
    selection = machine.selection_
    kernel = _kernel_words(machine)
    name = _MACHINES.get(type(machine).__name__, type(machine).__name__)
    listed, hidden = _parameters(estimator, relevance, objective)
    return {
        "class": type(machine).__name__,
        "name": name[0].upper() + name[1:],
        "kernel": kernel,
        "criterion": selection.criterion,
        "criterion_in_words": _CRITERIA.get(selection.criterion, selection.criterion),
        "prior": selection.prior,
        "sentence": _sentence(name, kernel, selection),
        "size": _size(machine),
        "status": selection.status,
        "converged": bool(selection.converged),
        "value": float(selection.value),
        "evaluations": int(selection.n_evaluations),
        "seconds": float(selection.seconds),
        "parameters": listed,
        "parameters_not_listed": hidden,
    }


def _sentence(name: str, kernel: str, selection: Any) -> str:
    prior = "" if selection.prior == "none" else f" and a {selection.prior} prior over its parameters"
    criterion = _CRITERIA.get(selection.criterion, selection.criterion)
    effort = f"{selection.n_evaluations} steps and {seconds_in_words(selection.seconds)}"
    return f"A {name} with {kernel}, selected by {criterion}{prior}, in {effort}."


def _kernel_words(machine: Any) -> str:
    kernel = getattr(machine, "kernel_", None)
    if not isinstance(kernel, Kernel):
        return f"functions from the dictionary {_dictionary_words(machine)}"
    parts = [part for part in _leaves(kernel) if not isinstance(part, Constant)]
    several = "widths by the inputs' spread" if _moved_together(machine.selection_) else "one width per input"
    words = " and ".join(dict.fromkeys(_kernel_word(part, several) for part in parts)) or "a constant kernel"
    return f"{words} (with amplitude and offset)" if len(parts) < len(_leaves(kernel)) else words


def _dictionary_words(machine: Any) -> str:
    given = machine.dictionary
    return repr(given) if isinstance(given, str) else type(given).__name__


def _leaves(kernel: Kernel) -> list[Kernel]:
    if isinstance(kernel, Composite):
        return [leaf for part in kernel.parts for leaf in _leaves(part)]
    return [kernel]


def _moved_together(selection: Any) -> bool:
    """Tell whether all widths are as far from where they began, which is where the inputs' spread puts them."""
    widths = [index for index, name in enumerate(selection.names) if parameter_kind(name) == "width"]
    if "spherical" not in selection.runs:
        return False
    began, ended = selection.trace.theta[0, widths], selection.theta[widths]
    has_width = np.isfinite(began)  # a constant input has none
    moved = ended[has_width] - began[has_width]
    return len(moved) > 1 and np.allclose(moved, moved[0], atol=1e-9)


def _kernel_word(kernel: Kernel, several: str) -> str:
    if isinstance(kernel, Matern):
        return f"a Matérn-{kernel.nu:g} kernel, " + (several if kernel.elliptical else "one width")
    words = {
        ARD: f"a Gaussian kernel, {several}",
        RBF: "a Gaussian kernel, one width for all inputs",
        Linear: "a linear kernel",
        Polynomial: "a polynomial kernel",
        Precomputed: "kernel values that were given",
    }
    return words.get(type(kernel), f"the kernel {type(kernel).__name__}")


def _size(machine: Any) -> str:
    """Return how much of the training rows the model carries."""
    support, rows = getattr(machine, "support_", None), getattr(machine, "X_fit_", None)
    if hasattr(machine, "basis_"):
        return f"{len(machine.basis_)} basis functions"
    if support is not None:
        return f"{len(support)} support vectors" if hasattr(machine, "C_") else f"{len(support)} relevance vectors"
    return "all rows" if rows is None else f"all {len(rows)} rows"


def _parameters(
    estimator: Any, relevance: Array | None, objective: SelectionObjective | None
) -> tuple[list[dict[str, Any]], int]:
    """Return the tuned values, widths of the most relevant inputs only, and how many are left out."""
    selection = machine_of(estimator).selection_
    names, inputs = selection.names, input_names(estimator)
    widths = [index for index, name in enumerate(names) if parameter_kind(name) == "width"]
    if relevance is not None and len(relevance) == len(widths):
        widths = [widths[j] for j in np.argsort(-relevance, kind="stable")]
    others = sorted(set(range(len(names))) - set(widths))
    kept = [*others, *widths[:MOST_LISTED]]
    sides = _sides(selection, objective)
    return [_parameter(selection, index, inputs, sides) for index in kept], len(names) - len(kept)


def _parameter(selection: Any, index: int, inputs: list[str], sides: dict[str, str]) -> dict[str, Any]:
    name, value = selection.names[index], float(np.exp(selection.theta[index]))
    kind = parameter_kind(name)
    return {
        "name": parameter_name(name, inputs),
        "kind": kind,
        "value": value,
        "length_scale": 1.0 / math.sqrt(2.0 * value) if kind in ("gamma", "width") and value > 0.0 else None,
        "meaning": _PARAMETERS.get(kind, ""),
        "at_bound": sides.get(name),
    }


def _sides(selection: Any, objective: SelectionObjective | None) -> dict[str, str]:
    """Return which end of its range each parameter at a bound lies at, where that can be told."""
    sides = dict.fromkeys(selection.at_bound, "edge")
    if objective is not None and len(objective.space) == len(selection.theta):
        space = objective.space
        with np.errstate(invalid="ignore"):  # a width of 0 is at minus infinity, and so are its bounds
            nearer = np.abs(selection.theta - space.lower) < np.abs(space.upper - selection.theta)
        ends = {name: "lower edge" if low else "upper edge" for name, low in zip(space.names, nearer, strict=True)}
        return {name: ends.get(name, "edge") for name in sides}
    return sides


def value_words(parameter: dict[str, Any]) -> str:
    """Return a tuned value for a table."""
    return "0 (input switched off)" if parameter["value"] == 0.0 else shown(parameter["value"], 4)
