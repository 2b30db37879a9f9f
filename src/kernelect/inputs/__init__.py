"""Inputs: the columns of a table become numbers and category codes that kernels can take.

The path: :func:`as_frame` (any array or DataFrame), :func:`describe` (what each column is),
:class:`Coding` (fitted on the training rows; turns rows into a matrix), :class:`Warp` (the same
matrix after monotone maps). For machines that take numbers only, :class:`CodedColumns` does the same
as a step of a pipeline, with indicators (:class:`Indicators`) instead of category codes.
"""

from kernelect.lazy import offered

__getattr__, __all__ = offered(__name__)
