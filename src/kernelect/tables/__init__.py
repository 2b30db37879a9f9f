"""From a file with rows and named columns to a tuned pipeline, and back from disk."""

from kernelect.tables.assess import Assessment, Estimate, Score

__all__ = ["Assessment", "Estimate", "Score"]
