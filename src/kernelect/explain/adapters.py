"""Fitted models as expansions: every estimator of the library, pipelines that end in one, table models."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any, Protocol, runtime_checkable

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from kernelect.dictionaries import Candidates
from kernelect.dictionaries.functions import DesignColumns
from kernelect.estimators import GPC, LSSVC, LSSVR, RVC, RVR, SVC, BasisSearchRegressor
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.explain.expansion import Expansion, FunctionPart, KernelPart, View
from kernelect.explain.players import Players, one_each, players_of
from kernelect.kernels import Constant, Kernel, Precomputed, Product, Sum
from kernelect.typing import Array, Indices

_LATENT = (
    "Effects add up to the mean of the latent function. The decision value also depends on its variance and is no sum "
    "over columns."
)

_PRECOMPUTED = (
    "kernel='precomputed' does not tell the inputs behind it, so each value belongs to the kernel value with one "
    "training row."
)


@runtime_checkable
class TableLike(Protocol):
    """A table model, known by its pipeline and schema: the folder that defines it builds on this one."""

    pipeline: Any
    schema: Any


def expansion_of(model: Any) -> Expansion:
    """Return a fitted model as plain kernels, vectors, coefficients and intercept.

    Parameters
    ----------
    model : estimator, Pipeline or TableModel
        Fitted. A pipeline's inputs are traced back to the columns they were made from.

    Returns
    -------
    Expansion
        Whose sum is the decision value, the prediction, or the latent mean where the decision is no linear
        function of it (``explained`` tells which).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelect import LSSVC
    >>> from kernelect.explain import expansion_of
    >>> X, y = load_iris(return_X_y=True)
    >>> expansion_of(LSSVC("rbf").fit(X, y)).players
    ('x0', 'x1', 'x2', 'x3')
    """
    if isinstance(model, TableLike):
        model = model.pipeline
    if not isinstance(model, Pipeline):
        check_is_fitted(model)
        return _expansion(model, None, _named(model, one_each(model.n_features_in_)))
    check_is_fitted(model)
    steps = model[:-1] if len(model) > 1 else None
    if steps is None:
        return expansion_of(model[-1])
    count = int(getattr(model, "n_features_in_", 0)) or len(model.feature_names_in_)
    return _expansion(model[-1], steps, _named(model, players_of(steps, count)))


def _named(model: Any, players: Players) -> tuple[Players, tuple[str, ...]]:
    names = getattr(model, "feature_names_in_", None)
    words = [f"x{j}" if names is None else str(names[j]) for j in range(1 + max(max(c) for c in players.columns))]
    return players, tuple(" & ".join(words[j] for j in columns) for columns in players.columns)


def _expansion(machine: Any, steps: Any, named: tuple[Players, tuple[str, ...]]) -> Expansion:
    players, names = named
    names_in = tuple(str(name) for name in getattr(machine, "feature_names_in_", ())) if steps is None else ()
    found = machine_expansion(machine, View(steps, players.owners, names_in))
    return replace(found, players=names, columns=players.columns)


@singledispatch
def machine_expansion(machine: Any, view: View) -> Expansion:
    """Return a machine's expansion, without the players' names."""
    raise InvalidArgument(
        f"model={type(machine).__name__}(...) cannot be explained: give a fitted estimator of kernelect, a Pipeline "
        "that ends in one, or a table model."
    )


@machine_expansion.register(LSSVC)
@machine_expansion.register(LSSVR)
def _(machine: LSSVC | LSSVR, view: View) -> Expansion:
    vectors = getattr(machine, "X_fit_", None)
    total = _kernel_sum(machine.kernel_, vectors, machine.dual_coef_, view, rows=machine._rows)
    if isinstance(machine, LSSVC):
        return _classifier(machine, total.plus(machine.intercept_), "decision value")
    return _regressor(total.plus(machine.intercept_), machine.dual_coef_.ndim == 1)


@machine_expansion.register
def _(machine: SVC, view: View) -> Expansion:
    members = machine._members
    sums = [
        _kernel_sum(
            member.kernel,
            member.inputs,
            member.dual_coef / len(members),
            view,
            complete=machine._is_posterior,
            rows=machine._kept[member.support],
        )
        for member in members
    ]
    return _classifier(machine, _added(sums), "latent mean" if machine._is_posterior else "decision value")


@machine_expansion.register
def _(machine: GPC, view: View) -> Expansion:
    vectors = getattr(machine, "X_fit_", None)
    total = _kernel_sum(machine.kernel_, vectors, machine.dual_coef_, view, rows=machine._rows)
    return _classifier(machine, total, "latent mean")


@machine_expansion.register(RVC)
@machine_expansion.register(RVR)
def _(machine: RVC | RVR, view: View) -> Expansion:
    if machine.dictionary is not None:
        total = _function_sum(machine.functions_, machine.dual_coef_, view)
    else:
        vectors = getattr(machine, "relevance_vectors_", None)
        total = _kernel_sum(machine.kernel_, vectors, machine.dual_coef_, view, complete=False, rows=machine.support_)
    total = total.plus(machine.intercept_)
    return _classifier(machine, total, "latent mean") if isinstance(machine, RVC) else _regressor(total, True)


@machine_expansion.register
def _(machine: BasisSearchRegressor, view: View) -> Expansion:
    total = _function_sum(machine.functions_, np.atleast_2d(machine.coef_).T, view)
    return _regressor(total.plus(machine.intercept_), machine.coef_.ndim == 1)


@dataclass(frozen=True, eq=False)
class _Sum:
    """Parts and a constant, on the way to an expansion."""

    parts: tuple[KernelPart | FunctionPart, ...]
    constant: Array  # (n_outputs,)
    remarks: tuple[str, ...] = ()

    def plus(self, constant: float | Array) -> _Sum:
        return replace(self, constant=self.constant + constant)


def _added(sums: list[_Sum]) -> _Sum:
    parts = tuple(part for one in sums for part in one.parts)
    remarks = tuple(dict.fromkeys(remark for one in sums for remark in one.remarks))
    return _Sum(parts, np.sum([one.constant for one in sums], axis=0), remarks)


def _kernel_sum(
    kernel: Kernel, vectors: Array | None, coefficients: Array, view: View, *, rows: Indices, complete: bool = True
) -> _Sum:
    """Return the sum of kernel values; ``rows`` are the columns that count where the inputs are kernel values."""
    columns = _as_columns(coefficients)
    if not _is_precomputed(kernel):
        assert vectors is not None
        return _Sum(
            (KernelPart(kernel=kernel, vectors=vectors, coefficients=columns, view=view, complete=complete),),
            np.zeros(columns.shape[1]),
        )
    slope, offset = _affine(kernel)
    part = FunctionPart(DesignColumns(rows), slope * columns, view)
    return _Sum((part,), offset * columns.sum(axis=0), (_PRECOMPUTED,))


def _is_precomputed(kernel: Kernel) -> bool:
    if isinstance(kernel, Sum | Product):
        return any(_is_precomputed(part) for part in kernel.parts)
    return isinstance(kernel, Precomputed)


def _affine(kernel: Kernel) -> tuple[float, float]:
    """Return slope and offset of a kernel as a function of precomputed values."""
    if isinstance(kernel, Precomputed):
        return 1.0, 0.0
    if isinstance(kernel, Constant):
        return 0.0, float(kernel.constant)
    if isinstance(kernel, Sum):
        pairs = [_affine(part) for part in kernel.parts]
        return sum(slope for slope, _ in pairs), sum(offset for _, offset in pairs)
    if isinstance(kernel, Product) and sum(_is_precomputed(part) for part in kernel.parts) == 1:
        factors = sorted((_affine(part) for part in kernel.parts), key=lambda pair: pair[0] == 0.0)
        slope, offset = factors[0]
        for _, constant in factors[1:]:
            slope, offset = slope * constant, offset * constant
        return slope, offset
    raise MissingCapability(
        f"{kernel!r} is not a linear function of the precomputed kernel values, so it cannot be explained: use a "
        "kernel of the inputs, such as 'ard'."
    )


def _function_sum(functions: Candidates, coefficients: Array, view: View) -> _Sum:
    columns = _as_columns(coefficients)
    return _Sum((FunctionPart(functions, columns, view),), np.zeros(columns.shape[1]))


def _as_columns(coefficients: Array) -> Array:
    return coefficients[:, None] if coefficients.ndim == 1 else coefficients


def _classifier(machine: Any, total: _Sum, explained: str) -> Expansion:
    classes = machine.classes_.tolist()
    single = len(classes) == 2
    if explained == "latent mean" and _PRECOMPUTED not in total.remarks:  # which may decide by the mean itself
        total = replace(total, remarks=(*total.remarks, _LATENT))
    return _finished(total, (classes[1],) if single else tuple(classes), single, explained)


def _regressor(total: _Sum, single: bool) -> Expansion:
    return _finished(total, tuple(range(len(total.constant))), single, "prediction")


def _finished(total: _Sum, outputs: tuple[Any, ...], single: bool, explained: str) -> Expansion:
    return Expansion(
        parts=total.parts,
        intercept=total.constant,
        players=(),
        columns=(),
        outputs=outputs,
        single=single,
        explained=explained,
        remarks=total.remarks,
    )
