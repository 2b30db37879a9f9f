"""Machines trained without some of the rows, and what they say of these."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from kernelect.machines import Machine
from kernelect.machines.rvm import RVM, RVMState, Sequential, SparseFit, active_design
from kernelect.typing import Array

#: Gain of an action that is worth taking if only predictions are wanted: in nats per row, and from where to where.
_ACTION, _LEAST_ACTION, LARGEST_ACTION = 2e-4, 0.01, 0.1


def relevance_machine(machine: Machine[Any]) -> RVM:
    """Return the machine, which the criteria of this folder have to be joined with."""
    assert isinstance(machine, RVM)  # what a criterion declares to judge was checked by the join
    return machine


def quick(machine: RVM, n_rows: float) -> RVM:
    """Return the machine without the exact ascent at the end, and without its smallest actions."""
    algorithm = replace(machine.algorithm, polished=False)
    if isinstance(algorithm, Sequential):
        algorithm = replace(algorithm, tol=min(max(_ACTION * n_rows, _LEAST_ACTION), LARGEST_ACTION))
    return replace(machine, algorithm=algorithm)


def held_out_losses(state: RVMState, design: Array, targets: Array, loss: str) -> Array:
    """Return the loss of every row of ``design``, which the state was not trained on."""
    mean, variance = predictives(state, design)
    likelihoods = [fit.likelihood for fit in state.fits]
    if loss == "error":
        return likelihoods[0].errors(targets, mean)
    outputs = zip(likelihoods, targets.T, mean.T, variance.T, strict=True)
    return np.sum([likelihood.log_losses(*output) for likelihood, *output in outputs], axis=0)


def held_log_odds(fit: SparseFit, design: Array) -> Array:
    """Return the latent value of every row as if left out, to first order, precisions and functions held."""
    posterior, slopes = fit.posterior, fit.posterior.slopes
    q = np.einsum("ij,ij->i", design @ posterior.covariance, design)
    return without_row(design @ posterior.weights, q, slopes.error, slopes.curvature)[0]


def without_row(h: Array, q: Array, e: Array, B: Array) -> tuple[Array, Array]:
    """Return mean and variance of every row's latent value as if the row were left out, from those with it.

    h - q e / (1 - B q) and q / (1 - B q): Newton's step of the weights when a row's part of the likelihood, of slope e
    and curvature B, is taken away. Exact for normal noise.
    """
    rest = np.maximum(1.0 - B * q, 1e-6)
    return h - q * e / rest, q / rest


def predictives(state: RVMState, design: Array) -> tuple[Array, Array]:
    """Return means and variances of the latent values, (rows, k) each."""
    pairs = [_predictive(fit, design) for fit in state.fits]
    mean, variance = (np.column_stack(columns) for columns in zip(*pairs, strict=True))
    return mean, variance


def _predictive(fit: SparseFit, design: Array) -> tuple[Array, Array]:
    """Return mean and variance of the latent value."""
    columns = active_design(fit, design)
    half = fit.posterior.factor.half_solve(np.ascontiguousarray(columns.T))
    return columns @ fit.posterior.weights, np.einsum("ij,ij->j", half, half)
