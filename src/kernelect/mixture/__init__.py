"""The one door: several views, kernels and machines, mixed by exact leave-one-out."""

from kernelect.estimators import ESTIMATORS
from kernelect.mixture._door import Door
from kernelect.mixture.base import CANDIDATES, Member, MixtureCandidate, MixtureTask
from kernelect.mixture.classifier import KernelClassifier
from kernelect.mixture.efforts import EFFORTS
from kernelect.mixture.ordinal import KernelOrdinal
from kernelect.mixture.record import CandidateTable
from kernelect.mixture.regressor import KernelRegressor
from kernelect.mixture.survival import KernelSurvival
from kernelect.typing import CLASSIFICATION, ORDERED, REGRESSION, SURVIVAL

__all__ = [
    "AUTO",
    "CANDIDATES",
    "EFFORTS",
    "CandidateTable",
    "Door",
    "KernelClassifier",
    "KernelOrdinal",
    "KernelRegressor",
    "KernelSurvival",
    "Member",
    "MixtureCandidate",
    "MixtureTask",
]

#: What the command line calls the machine that chooses among machines.
AUTO = "auto"

ESTIMATORS.declare(KernelClassifier, machine=AUTO, task=CLASSIFICATION, words="mixture of kernel classifiers")
ESTIMATORS.declare(KernelOrdinal, machine=AUTO, task=ORDERED, words="mixture of kernel classifiers of ordered classes")
ESTIMATORS.declare(KernelRegressor, machine=AUTO, task=REGRESSION, words="mixture of kernel regressors")
ESTIMATORS.declare(KernelSurvival, machine=AUTO, task=SURVIVAL, words="mixture of machines of survival times")
