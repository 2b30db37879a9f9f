"""The estimators, and under which machine and task the command line finds them.

>>> from kernelect.estimators import ESTIMATORS
>>> ESTIMATORS.by_machine()["svm"]
{'classification': <class 'kernelect.estimators.svm.SVC'>}
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass

from kernelect.estimators._base import Estimator
from kernelect.estimators.basis import BasisSearchRegressor
from kernelect.estimators.gpc import GPC
from kernelect.estimators.gpr import GPR
from kernelect.estimators.lssvc import LSSVC
from kernelect.estimators.lssvr import LSSVR
from kernelect.estimators.ordinal import OrdinalGPC
from kernelect.estimators.rvc import RVC
from kernelect.estimators.rvr import RVR
from kernelect.estimators.svm import SVC
from kernelect.registry import Registry
from kernelect.typing import CLASSIFICATION, ORDERED, REGRESSION


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """One estimator as the command line offers it.

    Attributes
    ----------
    cls : type
    machine : str
        What the command line calls its machine.
    task : str
        ``"classification"``, ``"regression"``, ``"ordered classification"`` or ``"survival"``.
    words : str
        What reports call it.
    """

    cls: type[Estimator]
    machine: str
    task: str
    words: str

    @property
    def criteria(self) -> tuple[str, ...]:
        """Names of the criteria that fit, those that a user has registered among them; none if it takes none."""
        return self.cls.criterion_names()

    @property
    def default_criterion(self) -> str | None:
        """Name of the criterion that the estimator takes by itself, None if it takes none."""
        return str(self.arguments["criterion"].default) if "criterion" in self.arguments else None

    @property
    def arguments(self) -> Mapping[str, inspect.Parameter]:
        """What the estimator's constructor takes."""
        return inspect.signature(self.cls).parameters


class EstimatorRegistry(Registry[Estimator]):
    """Estimators by class name, by machine and by task."""

    def __init__(self) -> None:
        super().__init__("estimator", Estimator)  # type: ignore[type-abstract]
        self.declarations: list[Declaration] = []

    def declare(self, cls: type[Estimator], *, machine: str, task: str, words: str) -> None:
        """Declare an estimator with its machine, its task and what reports call it."""
        self.register(cls, cls.__name__)
        self.declarations.append(Declaration(cls=cls, machine=machine, task=task, words=words))

    def declaration_of(self, cls: type[Estimator]) -> Declaration:
        """Return what was declared of a class."""
        return next(each for each in self.declarations if each.cls is cls)

    def words_of(self, cls: type) -> str:
        """Return what reports call an estimator; the name of the class if it was not declared."""
        words = {each.cls: each.words for each in self.declarations}
        return next((words[base] for base in cls.__mro__ if base in words), cls.__name__)

    def by_machine(self) -> dict[str, dict[str, type[Estimator]]]:
        """Return machine -> task -> estimator, in the order of declaration."""
        found: dict[str, dict[str, type[Estimator]]] = {}
        for each in self.declarations:
            found.setdefault(each.machine, {})[each.task] = each.cls
        return found


ESTIMATORS = EstimatorRegistry()

ESTIMATORS.declare(LSSVC, machine="lssvm", task=CLASSIFICATION, words="least-squares support vector classifier")
ESTIMATORS.declare(LSSVR, machine="lssvm", task=REGRESSION, words="least-squares support vector regressor")
ESTIMATORS.declare(SVC, machine="svm", task=CLASSIFICATION, words="support vector classifier")
ESTIMATORS.declare(GPC, machine="gp", task=CLASSIFICATION, words="Gaussian process classifier")
ESTIMATORS.declare(GPR, machine="gp", task=REGRESSION, words="Gaussian process regressor")
ESTIMATORS.declare(OrdinalGPC, machine="gp", task=ORDERED, words="Gaussian process classifier of ordered classes")
ESTIMATORS.declare(RVC, machine="rvm", task=CLASSIFICATION, words="relevance vector classifier")
ESTIMATORS.declare(RVR, machine="rvm", task=REGRESSION, words="relevance vector regressor")
ESTIMATORS.declare(
    BasisSearchRegressor, machine="basis", task=REGRESSION, words="linear model on a searched subset of basis functions"
)
