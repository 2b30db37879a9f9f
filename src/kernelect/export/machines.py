"""Fitted estimators in the operations of a graph: decision values, probabilities, predicted values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from kernelect.estimators import GPC, LSSVC, LSSVR, RVC, RVR, SVC, BasisSearchRegressor
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.explain import Expansion, FunctionPart, KernelPart, expansion_of
from kernelect.export.functions import function_sum, function_values
from kernelect.export.graph import Node, added, apply, const, join, reduced, stretched, take, times
from kernelect.export.heads import decision_of, mixed_log_odds, moderated, of_log_odds, of_probits, tempered
from kernelect.export.kernels import kernel_diagonal, kernel_sum, kernel_values
from kernelect.kernels import Kernel
from kernelect.machines import EPState
from kernelect.machines.ep.likelihoods import Probit
from kernelect.machines.ep.machine import EPColumn
from kernelect.typing import Array

#: Less than this part of the prior variance is never left, as in machines/ep/machine.py.
_LEAST_SHARE = 1e-12

#: Share of k(x, x) by which an exported variance may differ.
_NEGLIGIBLE = 1e-12


@dataclass(frozen=True, eq=False)
class Outputs:
    """What a machine answers: predicted values or probabilities, and decision values where it has them."""

    result: Node
    decision: Node | None = None
    classes: tuple[Any, ...] | None = None


@singledispatch
def outputs_of(machine: Any, x: Node) -> Outputs:
    """Return what a fitted machine answers for inputs ``x`` (d,)."""
    raise InvalidArgument(
        f"model={type(machine).__name__}(...) cannot be exported: give a fitted estimator of kernelect, a Pipeline "
        "that ends in one, or a table model."
    )


def _mean(expansion: Expansion, x: Node) -> Node:
    """Return the sum that a model is, (k,)."""
    total: list[Node] = [const(expansion.intercept)]
    for part in expansion.parts:
        if isinstance(part, KernelPart) and len(part.vectors):
            total.append(kernel_sum(part.kernel, part.vectors, part.coefficients, x))
        elif isinstance(part, FunctionPart) and len(part.functions):
            total.append(function_sum(part.functions, part.coefficients, x))
    return added([*total[1:], total[0]])


def _labels(machine: Any) -> tuple[Any, ...]:
    return tuple(machine.classes_.tolist())


@outputs_of.register(LSSVR)
@outputs_of.register(RVR)
@outputs_of.register(BasisSearchRegressor)
def _(machine: LSSVR | RVR | BasisSearchRegressor, x: Node) -> Outputs:
    return Outputs(_mean(expansion_of(machine), x))


@outputs_of.register
def _(machine: LSSVC, x: Node) -> Outputs:
    decision = _mean(expansion_of(machine), x)
    return Outputs(tempered(decision, machine._inverse_temperature), decision, _labels(machine))


@outputs_of.register
def _(machine: GPC, x: Node) -> Outputs:
    likelihood = machine._machine.likelihood
    _refuse_precomputed(machine)
    mean, variance = _latent(machine._state, machine.kernel_, machine.X_fit_, x)
    decision = decision_of(likelihood, mean, variance, machine._constant)
    result = of_probits(decision) if isinstance(likelihood, Probit) else of_log_odds(decision)
    return Outputs(result, decision, _labels(machine))


@outputs_of.register
def _(machine: SVC, x: Node) -> Outputs:
    if not machine._is_posterior:
        decision = _mean(expansion_of(machine), x)
        return Outputs(tempered(decision, machine._inverse_temperature), decision, _labels(machine))
    _refuse_precomputed(machine)
    members: list[Any] = machine._members
    decisions = [
        decision_of(m.machine.likelihood, *_latent(m.state, m.kernel, m.inputs, x), constant=m.C) for m in members
    ]
    decision = mixed_log_odds(decisions)
    return Outputs(of_log_odds(decision), decision, _labels(machine))


def _refuse_precomputed(machine: GPC | SVC) -> None:
    if machine._is_precomputed:
        raise MissingCapability(
            "kernel='precomputed' does not tell k(x, x) of new rows, which probabilities of a posterior need: export "
            "an LSSVC, or a model with a kernel of the inputs."
        )


def _latent(state: EPState, kernel: Kernel, vectors: Array, x: Node) -> tuple[Node, Node]:
    """Return mean and variance (k,) of latent functions: the variance is k(x, x) less what the data explain."""
    values = stretched(kernel_values(kernel, vectors, x), len(vectors))
    prior = kernel_diagonal(kernel, vectors, x)
    gram = kernel.gram(vectors)
    explained = [reduced("sum", apply("square", times(values, _roots(column, gram)))) for column in state.columns]
    return times(values, state.dual_coef), apply("max", prior - join(explained), _LEAST_SHARE * prior)


def _roots(column: EPColumn, gram: Array) -> Array:
    """Return W (n, r) so that |W^T k(x)|^2 is the variance that the data explain, up to 1e-12 of k(x, x).

    With V^T V = R of machines/ep/machine.py it is |V k|^2, where k(x) = C^T u for C^T C = K and some u with
    |u|^2 <= k(x, x). Directions of the singular vectors of V C^T whose squared singular values are below 1e-12
    can thus be left out, and smooth kernels have few others.
    """
    if column.factor is None:
        return np.zeros((len(gram), 1))
    V = column.factor.half_solve(np.diag(column.root_precision))
    eigenvalues, Q = np.linalg.eigh(gram)
    left, singular, _ = np.linalg.svd((V @ Q) * np.sqrt(np.maximum(eigenvalues, 0.0)))
    kept = max(int(np.sum(singular**2 > _NEGLIGIBLE)), 1)
    return np.asarray(V.T @ left[:, :kept], dtype=float)


@outputs_of.register
def _(machine: RVC, x: Node) -> Outputs:
    means, variances = weighed(machine, x)
    decision = moderated(means, variances, np.pi / 8.0)
    return Outputs(tempered(decision, machine._inverse_temperature), decision, _labels(machine))


def weighed(machine: RVC | RVR, x: Node) -> tuple[Node, Node]:
    """Return mean and variance (k,) of phi(x)^T w for weights w with a normal posterior."""
    values = _relevance_values(machine, x)
    means, variances = [], []
    for output in machine._model.outputs:
        ones = [const(1.0)] if output.constant else []
        phi = join([*ones, take(values, output.columns)] if len(output.columns) else ones)
        eigenvalues, vectors = np.linalg.eigh(output.covariance)
        roots = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
        means.append(times(phi, output.weights[:, None]))
        variances.append(reduced("sum", apply("square", times(phi, roots))))
    return join(means), join(variances)


def _relevance_values(machine: RVC | RVR, x: Node) -> Node:
    """Return the values of the model's functions."""
    part = expansion_of(machine).parts[0]
    if isinstance(part, FunctionPart):
        return function_values(part.functions, x) if len(part.functions) else const(np.zeros(0))
    assert isinstance(part, KernelPart)
    if not len(part.vectors):
        return const(np.zeros(0))
    return stretched(kernel_values(part.kernel, part.vectors, x), len(part.vectors))
