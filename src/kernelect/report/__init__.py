"""The report: one self-contained page that shows the facts of a model."""

from kernelect.report.notebook import ShownReport, show
from kernelect.report.page import render, write_report

__all__ = ["ShownReport", "render", "show", "write_report"]
