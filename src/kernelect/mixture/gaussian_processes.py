"""The Gaussian process as a candidate for labels: its cavities give leave-one-out probabilities in closed form."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from kernelect.estimators import GPC
from kernelect.kernels import Constant, Kernel
from kernelect.machines import EP, Machine
from kernelect.mixture.base import CANDIDATES, LABELS, MixtureTask
from kernelect.mixture.kernel_machines import KernelCandidate

#: Classes from which only some of them take part: each class costs one of its own.
_MANY_CLASSES = 5

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

    where: tuple[str, ...] = field(default=(LABELS,), compare=False)
    many_classes: bool = field(default=False, compare=False)

    def takes_part(self, task: MixtureTask) -> bool:
        return super().takes_part(task) and (self.many_classes or (task.n_classes or 0) < _MANY_CLASSES)

    def _machine(self) -> Machine[Any]:
        return EP()

    def _estimator(self, kernel: Kernel, task: MixtureTask, **options: Any) -> GPC:
        # Its latent function needs an amplitude and, in the place of an intercept, a constant.
        return GPC(Constant("auto") * kernel + Constant("auto"), **options)

    def _last_steps(self, task: MixtureTask) -> int:
        return _LAST_STEPS_OF_MANY if task.n_outputs > 1 else super()._last_steps(task)


CANDIDATES.register(GaussianProcess, "gp")
