"""Kernel machines as candidates: a view of the inputs, a kernel, and least squares that selects its own parameters.

Views: the inputs as they are, and warped to normal quantiles. Kernels: smooth and rough ones with one width per
variable, and linear. The first candidate of a mixture goes the whole way of a selection; the others follow its widths
for a few steps. What all candidates share that select a kernel's parameters is :class:`KernelCandidate`.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from kernelect.estimators import LSSVC, LSSVR
from kernelect.kernels import Agreement, Category, Kernel, as_kernel
from kernelect.machines import LSSVM, Machine
from kernelect.mixture.base import (
    CANDIDATES,
    LABELS,
    LANDMARKS,
    NUMBERS,
    Member,
    MixtureCandidate,
    MixtureTask,
)
from kernelect.mixture.weights import fitted_parameters
from kernelect.mixture.words import AS_IS, WARPED
from kernelect.numerics import Deadline
from kernelect.selection import Lead
from kernelect.selection.landmarks import as_request
from kernelect.typing import Array, Indices

#: Iterations on all rows of candidates that follow, once a part has led close; on all rows of a race, where they cost
#: little; and of those that stay after it, more where landmarks come in, on many times the rows of the race.
_LAST_STEPS, _RACING_STEPS, _STEPS_ON, _STEPS_ON_LANDMARKS = 3, 8, 2, 4

#: Inputs from which one width serves all, and kernels whose cost grows with every input are not tried.
MOST_WIDTHS = 200
_CHEAP = {"product-laplace": "ard", "product-matern32": "ard", "matern32-ard": "ard", "rational-quadratic-ard": "ard"}

#: Rows up to which machines select by the evidence. Leave-one-out at values that it selected itself is too optimistic
#: with so few: errors on new rows were 29 % larger than it says, with the evidence 8 % (29 tables of 100 rows). For
#: numbers the evidence is level with 200 rows, and with 400 it predicts worse where a few rows are far off. For labels
#: its log-loss is smaller with 100 and 200 rows (on 19 of 30 tables and 15 of 21) and level with 400 (18 tables).
EVIDENCE_ROWS, EVIDENCE_ROWS_OF_LABELS = 150, 450

#: Loss of a kernel with kinks in a race, in units of the smallest one, up to which it stays. On 11 tables with 700 to
#: 2000 rows its weight on all rows was twice that on 40 % of them.
_ALLOWANCE = 1.08

#: Landmarks in a race: enough to tell candidates apart and to lead their widths.
_RACE_LANDMARKS = 250

#: Iterations of the first candidate on each part of the rows of a race.
_WHOLE_WAY = 200

#: Iterations of candidates with one width: a size or two, a ridge and a scale.
_TIED_ITERATIONS = 50


@dataclass(frozen=True, kw_only=True)
class KernelCandidate(MixtureCandidate):
    """What selects the parameters of a kernel.

    Parameters
    ----------
    view, kernel : str
    tied : bool
        Whether all widths are in proportion to the data's own scale.
    max_iter : int
        Iterations if it follows the widths of another candidate.
    where : tuple of str
        The situations of a task in which it takes part.
    """

    leads: ClassVar[bool] = True
    races: ClassVar[bool] = True

    view: str = AS_IS
    kernel: str = "ard"
    tied: bool = False
    max_iter: int = field(default=10, compare=False)
    where: tuple[str, ...] = field(default=(NUMBERS, LABELS, LANDMARKS), compare=False)

    def allowance(self, task: MixtureTask) -> float:
        """Return it for kinks, which rows close to each other explain; not if steps on landmarks would take long."""
        return _ALLOWANCE if self.kernel == "product-laplace" and _exact(task.racing, task) else 0.0

    def takes_part(self, task: MixtureTask) -> bool:
        return task.situation in self.where

    def adapted(self, task: MixtureTask) -> MixtureCandidate:
        views, found = task.views, self
        if found.view == WARPED and not len(views.warp.warped):
            found = replace(found, view=AS_IS)
        if found.kernel == "linear":
            return found
        if not len(views.coding.numeric):  # all kernels are that of the categories
            found = replace(found, kernel="category")
        if len(views.coding) > MOST_WIDTHS:
            found = replace(found, kernel=_CHEAP.get(found.kernel, found.kernel), tied=True)
        return found

    def seconds(self, task: MixtureTask) -> float:
        if task.pace is None:
            return 0.0
        return task.pace.fit_seconds(self._machine(), float(task.n_rows), self._outputs(task))

    def fit(self, task: MixtureTask) -> Member:
        return self._member(task, *self._fitted(task, task.deadline))

    def _weights(self, task: MixtureTask) -> Array:
        """Return the weights of rows in its fit."""
        return task.weights

    def _outputs(self, task: MixtureTask) -> int:
        """Return how many outputs it solves for."""
        return task.n_outputs

    @abstractmethod
    def _machine(self) -> Machine[Any]:
        """Return the machine whose steps take the time."""

    @abstractmethod
    def _estimator(self, kernel: Kernel, task: MixtureTask, **options: Any) -> Any:
        """Return the estimator, unfitted."""

    def _fitted(self, task: MixtureTask, deadline: Deadline) -> tuple[Any, Array]:
        """Return the fitted estimator, and its widths in units of the data's own scale."""
        coding = task.views.coding
        kernel = kernel_of(self.kernel, coding.numeric, coding.categorical)
        left = None if deadline.left() == float("inf") else deadline.left()
        estimator = self._estimator(kernel, task, time_limit=left, random_state=task.seed)
        # Quietly: every status is in the record of candidates.
        task = replace(task, weights=self._weights(task))
        shape = task.led(estimator, self, self.lead(task))
        return estimator, shape

    def _member(self, task: MixtureTask, estimator: Any, shape: Array) -> Member:
        selection, (component,) = estimator.selection_, estimator.model_.components
        return Member(
            candidate=self,
            component=replace(task.placed(component), view=task.model_view(self), widths=fitted_parameters(shape)),
            importances=estimator.feature_importances_,
            status=str(selection.status),
            outcome=selection.outcome,
            ending=selection.ending,
            shape=shape,
            n_evaluations=int(selection.n_evaluations),
            reached=selection.reached if task.racing else None,
        )

    def lead(self, task: MixtureTask) -> Lead | None:
        """Return how it follows relative widths, or keeps them in proportion to the data's own scale."""
        steps, begun = self._last_steps(task), task.begun
        if begun is not None:
            return Lead(shape=begun.shape, max_iter=steps, tied=self.tied, last_steps=steps, start=begun.reached)
        if self.tied:
            return Lead(shape=np.zeros(task.Z.shape[1]), max_iter=_TIED_ITERATIONS, tied=True, last_steps=steps)
        if task.leader is None or not len(task.leader.shape):
            return Lead(shape=np.zeros(0), max_iter=_WHOLE_WAY, last_steps=_WHOLE_WAY) if task.racing else None
        return Lead(shape=task.leader.shape, max_iter=self.max_iter, last_steps=steps)

    def _last_steps(self, task: MixtureTask) -> int:
        if task.begun is None or task.begun.reached is None:
            return _RACING_STEPS if task.racing else _LAST_STEPS
        first_landmarks = _exact(task.begun.reached.rows, task) and not _exact(task.n_rows, task)
        return _STEPS_ON_LANDMARKS if first_landmarks else _STEPS_ON


@dataclass(frozen=True, kw_only=True)
class KernelMachine(KernelCandidate):
    """Least squares, judged by exact leave-one-out, by which it also selects unless rows are few."""

    machine: ClassVar[str] = "lssvm"

    def _machine(self) -> Machine[Any]:
        return LSSVM()

    def _estimator(self, kernel: Kernel, task: MixtureTask, **options: Any) -> LSSVC | LSSVR:
        most, kind = (EVIDENCE_ROWS_OF_LABELS, LSSVC) if task.labels else (EVIDENCE_ROWS, LSSVR)
        exact = _exact(task.n_rows, task)
        few = task.n_rows <= most and exact
        if not exact and task.racing:
            options["landmarks"] = _RACE_LANDMARKS
        return kind(kernel, criterion="evidence" if few and task.groups is None else "press", **options)


CANDIDATES.register(KernelMachine, "lssvm")


def _exact(n_rows: int, task: MixtureTask) -> bool:
    """Return whether machines on so many rows of a task need no landmarks."""
    return as_request("auto", n_rows, task.Z.shape[1]) is None


def kernel_of(name: str, numeric: Indices, categorical: Indices) -> Kernel:
    """Return the kernel of numeric inputs and categories, with one width per variable.

    Smooth and rough kernels are multiplied by that of the categories; a linear one is added to
    theirs, since a product would be 0 wherever a number is at its mean.
    """
    linear = name == "linear"
    levels: Kernel = Agreement() if linear else Category()
    if not len(numeric):
        return levels
    if not len(categorical):
        return as_kernel(name)
    numbers, levels = as_kernel(name).on(numeric.tolist()), levels.on(categorical.tolist())
    return numbers + levels if linear else numbers * levels
