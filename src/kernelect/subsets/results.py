"""Records of a search over subsets: its steps, the best subset of every size, and the whole selection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kernelect.extras import load_extra
from kernelect.results import Selected, Status
from kernelect.typing import Array


@dataclass(frozen=True, kw_only=True)
class Step:
    """One addition or removal, as an observer sees it.

    Attributes
    ----------
    number : int
        Additions and removals so far.
    seconds : float
    action : "add" or "remove"
    function : int
        Index of the function in the dictionary.
    size : int
        Functions in the model after the step.
    value, best_value : float
        Minus the ln evidence of the model, and of the best one so far.
    regularization : float
        lambda = alpha / beta at its best for this model.
    """

    number: int
    seconds: float
    action: str
    function: int
    size: int
    value: float
    best_value: float
    regularization: float


@dataclass(frozen=True)
class SubsetModel:
    """A subset of the dictionary and minus its ln evidence."""

    value: float
    functions: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.functions)


@dataclass(frozen=True, kw_only=True)
class SearchTrace:
    """One row per addition or removal, stored in columns; plot ``value`` against ``size`` to see the search."""

    seconds: Array
    action: Array
    function: Array
    size: Array
    value: Array
    regularization: Array

    def __len__(self) -> int:
        return len(self.value)

    @classmethod
    def of(cls, steps: Sequence[Step]) -> SearchTrace:
        """Collect steps into columns."""
        kinds = {"action": str, "function": np.intp, "size": np.intp}
        columns: dict[str, Any] = {
            name: np.array([getattr(step, name) for step in steps], dtype=kinds.get(name, float))
            for name in cls.__dataclass_fields__
        }
        return cls(**columns)

    def best_so_far(self) -> Array:
        """Return the smallest value seen up to each step."""
        return np.fmin.accumulate(self.value) if len(self) else self.value


@dataclass(frozen=True, kw_only=True)
class BasisSelection(Selected):
    """The whole result of a search over subsets: ``selection_`` of the estimator.

    Attributes
    ----------
    value : float
        Minus the ln evidence of the chosen subset, smaller is better.
    null_value : float
        The same for the model without functions.
    theta : ndarray
        Logarithms of the hyper-parameters in the order of ``names``: the widths found, then
        lambda = alpha / beta.
    names : tuple of str
    outcome : Status
        How the search ended; ``converged`` follows from it.
    status : str
        A sentence that tells how the search ended and what to doubt.
    at_bound : tuple of str
    trace : SearchTrace
        One row per addition or removal.
    best_per_size : tuple of SubsetModel
        The best subset seen of every size, the null model first.
    criterion, strategy : str
    seconds : float
        Wall time of widths, moments and search together.
    """

    value: float
    null_value: float
    theta: Array
    names: tuple[str, ...]
    outcome: Status
    status: str
    at_bound: tuple[str, ...]
    trace: SearchTrace
    best_per_size: tuple[SubsetModel, ...]
    criterion: str
    strategy: str
    seconds: float

    #: It has no runs: every step is in the trace.
    runs = ()

    #: See ``best_per_size``.
    has_sizes: ClassVar[bool] = True

    #: The evidence has its own prior.
    prior: ClassVar[str] = "none"

    def to_frame(self) -> Any:
        """Return the trace as a pandas DataFrame, one row per addition or removal."""
        pd = load_extra("pandas", caller="to_frame()", extra="frames")
        columns = {name: getattr(self.trace, name) for name in SearchTrace.__dataclass_fields__}
        frame = pd.DataFrame(columns).assign(best=self.trace.best_so_far())
        return frame.set_axis(range(1, len(frame) + 1)).rename_axis("step")

    def sizes_to_frame(self) -> Any:
        """Return the best subset of every size as a pandas DataFrame."""
        pd = load_extra("pandas", caller="sizes_to_frame()", extra="frames")
        columns = {
            "value": [model.value for model in self.best_per_size],
            "functions": [model.functions for model in self.best_per_size],
        }
        return pd.DataFrame(columns, index=pd.Index([len(model) for model in self.best_per_size], name="size"))

    def __str__(self) -> str:
        return f"{self.criterion} = {self.value:.6g} ({self.status})"
