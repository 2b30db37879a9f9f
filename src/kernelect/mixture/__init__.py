"""The one door: several views, kernels and machines, mixed by exact leave-one-out."""

from kernelect.mixture.candidates import EFFORTS, Candidate, Candidates
from kernelect.mixture.classifier import KernelClassifier
from kernelect.mixture.regressor import KernelRegressor

__all__ = ["EFFORTS", "Candidate", "Candidates", "KernelClassifier", "KernelRegressor"]
