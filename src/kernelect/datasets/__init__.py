"""Data in: generators of the papers' artificial problems, and data sets by name."""

from kernelect.datasets.generators import ringnorm, sparse_inputs, twonorm, waveform
from kernelect.datasets.registry import GENERATORS, DataSet, MissingData, load_dataset

__all__ = ["GENERATORS", "DataSet", "MissingData", "load_dataset", "ringnorm", "sparse_inputs", "twonorm", "waveform"]
