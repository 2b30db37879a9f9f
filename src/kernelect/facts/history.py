"""How a model was found: the criterion along its search, the evidence of subsets of every size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.facts.names import selection_words
from kernelect.facts.sources import machine_inputs, machine_of, require_selection
from kernelect.typing import Array


@dataclass(frozen=True, kw_only=True)
class SearchHistory:
    """Criterion against evaluation, run by run.

    Attributes
    ----------
    value, best, run : ndarray of shape (n_evaluations,)
        ``best`` is the smallest value so far of the same run.
    runs : tuple of str
        What each run was.
    label : str
    """

    value: Array
    best: Array
    run: Array
    runs: tuple[str, ...]
    label: str

    @classmethod
    def from_selection(cls, selection: Any, label: str | None = None) -> Self:
        """Return the record of a search among hyper-parameters."""
        if selection.has_sizes:
            raise MissingCapability(
                f"{type(selection).__name__} is a search among subsets and has no runs: draw SizesDisplay instead."
            )
        trace = selection.trace
        return cls(
            value=trace.value,
            best=trace.best_so_far(),
            run=trace.run,
            runs=selection.runs,
            label=label or selection_words(selection),
        )


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Ln evidence of the best subset of every size, and the path of the search.

    Attributes
    ----------
    size, evidence : ndarray of shape (n_sizes,)
        The best subset seen of every size, the model without functions first.
    path_size, path_evidence : ndarray of shape (n_steps,)
        Every subset the search visited; empty if there was no search among subsets.
    chosen : int
        Size of the chosen subset.
    """

    size: Array
    evidence: Array
    path_size: Array
    path_evidence: Array
    chosen: int

    @classmethod
    def from_selection(cls, selection: Any) -> Self:
        """Return the record of a search among subsets."""
        size = np.array([len(model) for model in selection.best_per_size], dtype=float)
        evidence = np.array([-model.value for model in selection.best_per_size])
        return cls(
            size=size,
            evidence=evidence,
            path_size=selection.trace.size.astype(float),
            path_evidence=-selection.trace.value,
            chosen=int(size[int(np.argmax(evidence))]),
        )

    @classmethod
    def from_path(cls, size: Array, evidence: Array) -> Self:
        """Return the record of models of several sizes, the chosen one first."""
        order, none = np.argsort(size, kind="stable"), np.zeros(0)
        return cls(size=size[order], evidence=evidence[order], path_size=none, path_evidence=none, chosen=int(size[0]))

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, y: Any = None) -> Self:
        """Return the record of a fitted sparse machine, or of a pipeline around one.

        A :class:`kernelect.BasisSearchRegressor` keeps it; :class:`kernelect.RVC` and
        :class:`kernelect.RVR` solve smaller and smaller models for it, and need the ``X`` and ``y`` they were fitted
        on.
        """
        machine = machine_of(estimator)
        require_selection(machine)
        if machine.selection_.has_sizes:
            return cls.from_selection(machine.selection_)
        if not machine.has_evidence_by_size:
            raise MissingCapability(
                f"{type(machine).__name__} has no evidence by size, because it is not a sparse machine: use RVC, RVR "
                "or BasisSearchRegressor."
            )
        if X is None or y is None:
            raise InvalidArgument(f"SizesDisplay of a {type(machine).__name__} needs X and y: what it was fitted on.")
        return cls.from_path(*machine.evidence_by_size(machine_inputs(estimator, X), np.asarray(y)))
