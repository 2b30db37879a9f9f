"""A fitted model as plain numbers: kernels, vectors, coefficients, and whose inputs they are.

This is what explanations and exports read; it knows nothing of estimators.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.dictionaries import Candidates
from kernelect.exceptions import InvalidArgument
from kernelect.explain.summands import BoxSummand, Summand, function_summands, kernel_summands
from kernelect.kernels import Kernel
from kernelect.mixture.trees import Trees
from kernelect.typing import Array, Indices


@dataclass(frozen=True, eq=False)
class View:
    """How the rows that a model is given become inputs of a machine.

    Attributes
    ----------
    steps : transformer or None
        A fitted scikit-learn transformer; None where rows are inputs already.
    owners : ndarray of shape (n_inputs,)
        The player that every input belongs to.
    names : tuple of str
        Names of the inputs where ``steps`` is None and the machine was fitted on named columns, else empty.
    """

    steps: Any
    owners: Indices
    names: tuple[str, ...] = ()

    def inputs(self, X: Any) -> Array:
        """Return the inputs (n, d) of rows as the model takes them."""
        self._check_names(X)
        values = X if self.steps is None else self.steps.transform(X)
        return np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=float)

    def _check_names(self, X: Any) -> None:
        """Raise where named columns are others than those of the fit; a transformer checks them itself."""
        given = [str(name) for name in getattr(X, "columns", ())]
        if self.steps is not None or not self.names or not given or given == list(self.names):
            return
        unlike = next((pair for pair in zip(given, self.names, strict=False) if pair[0] != pair[1]), None)
        where = f"column {unlike[0]!r} stands where {unlike[1]!r} was" if unlike else f"{len(given)} columns"
        raise InvalidArgument(
            f"The rows have other columns than the model was fitted on ({where}): give X[model.feature_names_in_]."
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelPart:
    """sum_i coefficients_i k(x, vectors_i).

    Attributes
    ----------
    kernel : Kernel
        With numbers for all parameters.
    vectors : ndarray of shape (n_vectors, n_inputs)
    coefficients : ndarray of shape (n_vectors, n_outputs)
    view : View
    complete : bool
        Whether the vectors are all training rows, in their order.
    """

    kernel: Kernel
    vectors: Array
    coefficients: Array
    view: View
    complete: bool

    @property
    def training(self) -> Array | None:
        """The inputs of the training rows, where the part keeps them all."""
        return self.vectors if self.complete else None

    def decide(self, inputs: Array) -> Array:
        """Return the part's values (m, n_outputs) at inputs."""
        if not len(self.vectors):
            return np.zeros((len(inputs), self.coefficients.shape[1]))
        return np.asarray(self.kernel.cross(self.vectors, inputs).T @ self.coefficients, dtype=float)

    def summands(self) -> list[Summand]:
        """Return the part as sums of products over inputs; an error where it has no such form."""
        return kernel_summands(self.kernel, self.vectors, self.coefficients) if len(self.vectors) else []


@dataclass(frozen=True, eq=False)
class FunctionPart:
    """sum_i coefficients_i functions_i(x), for the functions of a dictionary.

    Attributes
    ----------
    functions : Candidates
    coefficients : ndarray of shape (n_functions, n_outputs)
    view : View
    """

    functions: Candidates
    coefficients: Array
    view: View
    training: None = None

    def decide(self, inputs: Array) -> Array:
        """Return the part's values (m, n_outputs) at inputs."""
        if not len(self.functions):
            return np.zeros((len(inputs), self.coefficients.shape[1]))
        return np.asarray(self.functions.evaluate(inputs) @ self.coefficients, dtype=float)

    def summands(self) -> list[Summand]:
        """Return the part as sums of products over inputs; an error where it has no such form."""
        if not len(self.functions):
            return []
        return function_summands(self.functions, len(self.view.owners), self.coefficients)


@dataclass(frozen=True, eq=False)
class BoxPart:
    """What the boxes say in which a row lies, one in every tree.

    Attributes
    ----------
    trees : Trees
    coefficients : ndarray of shape (n_boxes, n_outputs)
    view : View
    training : ndarray of shape (n, n_inputs) or None
        The inputs of the training rows.
    """

    trees: Trees
    coefficients: Array
    view: View
    training: Array | None = None

    def decide(self, inputs: Array) -> Array:
        """Return the part's values (m, n_outputs) at inputs."""
        out = np.zeros((len(inputs), self.coefficients.shape[1]))
        for places in self.trees.places(inputs).T:
            out += self.coefficients[places]
        return out

    def summands(self) -> list[Summand]:
        """Return the part as a sum of boxes, which are products over inputs."""
        lower, upper = self.trees.bounds()
        return [BoxSummand(lower=lower, upper=upper, coefficients=self.coefficients)]


Part = KernelPart | FunctionPart | BoxPart


@dataclass(frozen=True, eq=False, kw_only=True)
class Expansion:
    """What a fitted model adds up: an intercept and parts.

    Attributes
    ----------
    parts : tuple of KernelPart, FunctionPart and BoxPart
    intercept : ndarray of shape (n_outputs,)
    players : tuple of str
        Names of the columns that values are given to.
    columns : tuple of tuple of int
        The columns of the model's rows behind each player.
    outputs : tuple
        Classes, or numbers of targets.
    single : bool
        Whether the model has one output without an axis of its own (two classes, one target).
    explained : str
        What the sum is: "decision value", "prediction" or "latent mean".
    remarks : tuple of str
    limited : callable or None
        From rows to what the model itself answers (m, n_outputs), where parts are kept within limits.
    """

    parts: tuple[Part, ...]
    intercept: Array
    players: tuple[str, ...]
    columns: tuple[tuple[int, ...], ...]
    outputs: tuple[Any, ...]
    single: bool
    explained: str
    remarks: tuple[str, ...] = ()
    limited: Callable[[Any], Array] | None = None

    def inputs(self, X: Any) -> list[Array]:
        """Return every part's inputs of rows; parts with the same view share them."""
        found: dict[int, Array] = {}
        for part in self.parts:
            if id(part.view) not in found:
                found[id(part.view)] = part.view.inputs(X)
        return [found[id(part.view)] for part in self.parts]

    def decide(self, inputs: list[Array]) -> Array:
        """Return the sum (m, n_outputs) from every part's inputs."""
        return np.sum([part.decide(rows) for part, rows in zip(self.parts, inputs, strict=True)], axis=0) + (
            self.intercept
        )

    @property
    def training(self) -> list[Array] | None:
        """Every part's inputs of the training rows, where the model keeps them all."""
        rows = [part.training for part in self.parts]
        return None if any(each is None for each in rows) else [each for each in rows if each is not None]
