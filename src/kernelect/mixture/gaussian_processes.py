"""The Gaussian process as a candidate for labels: its cavities give leave-one-out probabilities in closed form.

Labels with an order have one latent function, which thresholds cut into classes; others have one for each class.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from kernelect.estimators import GPC, GPR, OrdinalGPC
from kernelect.kernels import Constant, Kernel
from kernelect.machines import EP, Machine
from kernelect.mixture.bags import even_rows
from kernelect.mixture.base import CANDIDATES, LABELS, LIMITS, ORDER, TIMES, MixtureTask
from kernelect.mixture.kernel_machines import KernelCandidate
from kernelect.typing import Array

#: Classes from which only some of them take part: each class costs one of its own.
_MANY_CLASSES = 5

#: Rows that it is fitted to if targets are known in part and groups leave together, which takes all rows without
#: landmarks: all other rows tell what it is worth.
MOST_GROUPED_ROWS = 1000

#: Iterations on all rows if there is one latent function per class.
_LAST_STEPS_OF_MANY = 1


@dataclass(frozen=True, kw_only=True)
class GaussianProcess(KernelCandidate):
    """The posterior of a latent function.

    Parameters
    ----------
    many_classes : bool
        Whether it takes part if there are five classes or more.
    """

    machine: ClassVar[str] = "gp"

    where: tuple[str, ...] = field(default=(LABELS, ORDER, LIMITS, TIMES), compare=False)
    many_classes: bool = field(default=False, compare=False)

    def takes_part(self, task: MixtureTask) -> bool:
        few = task.ordered or task.partly != "" or (task.n_classes or 0) < _MANY_CLASSES
        return super().takes_part(task) and (self.many_classes or few)

    def _weights(self, task: MixtureTask) -> Array:
        """Return the weights of rows, 0 for those beyond what expectation propagation has time for."""
        if not task.partly or task.groups is None or task.n_rows <= MOST_GROUPED_ROWS:
            return task.weights
        rows = even_rows(np.column_stack([task.Z, task.y, task.weights]), task.weights, MOST_GROUPED_ROWS, task.groups)
        chosen = np.zeros(len(task.Z))
        chosen[rows] = task.weights[rows]
        return chosen

    def _outputs(self, task: MixtureTask) -> int:
        return 1 if task.ordered else super()._outputs(task)

    def _machine(self) -> Machine[Any]:
        return EP()

    def _estimator(self, kernel: Kernel, task: MixtureTask, **options: Any) -> GPC | GPR | OrdinalGPC:
        # Its latent function needs an amplitude and, in the place of an intercept, a constant.
        whole = Constant("auto") * kernel + Constant("auto")
        if task.partly:
            return GPR(whole, **options)
        return OrdinalGPC(whole, **options) if task.ordered else GPC(whole, **options)

    def _last_steps(self, task: MixtureTask) -> int:
        several = self._outputs(task) > 1 and not task.racing
        return _LAST_STEPS_OF_MANY if several else super()._last_steps(task)


CANDIDATES.register(GaussianProcess, "gp")
