"""Inputs: the columns of a table become numbers and category codes that kernels can take.

The path: :func:`as_frame` (any array or DataFrame), :func:`describe` (what each column is),
:class:`Coding` (fitted on the training rows; turns rows into a matrix), :class:`Warp` (the same
matrix after monotone maps). For machines that take numbers only, :class:`CodedColumns` does the same
as a step of a pipeline, with indicators (:class:`Indicators`) instead of category codes.
"""

from typing import TYPE_CHECKING

from kernelect.lazy import lazily

if TYPE_CHECKING:
    from kernelect.inputs.coding import Coding, fit_coding
    from kernelect.inputs.frame import Frame, as_frame
    from kernelect.inputs.indicators import Indicators
    from kernelect.inputs.lost import lost_cells
    from kernelect.inputs.roles import Role, Wishes, describe
    from kernelect.inputs.step import CodedColumns
    from kernelect.inputs.warp import Warp, fit_warp

__all__ = [
    "CodedColumns",
    "Coding",
    "Frame",
    "Indicators",
    "Role",
    "Warp",
    "Wishes",
    "as_frame",
    "describe",
    "fit_coding",
    "fit_warp",
    "lost_cells",
]

if not TYPE_CHECKING:  # so that type checkers report unknown names
    __getattr__ = lazily(
        __name__,
        {
            "coding": ["Coding", "fit_coding"],
            "frame": ["Frame", "as_frame"],
            "indicators": ["Indicators"],
            "lost": ["lost_cells"],
            "roles": ["Role", "Wishes", "describe"],
            "step": ["CodedColumns"],
            "warp": ["Warp", "fit_warp"],
        },
    )
