"""Data in: generators of the papers' artificial problems."""

from kernelect.datasets.generators import ringnorm, sparse_inputs, twonorm, waveform

__all__ = ["ringnorm", "sparse_inputs", "twonorm", "waveform"]
