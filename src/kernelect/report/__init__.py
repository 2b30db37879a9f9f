"""The report: one self-contained page that shows the facts of a model."""

from kernelect.report.page import render, write_report

__all__ = ["render", "write_report"]
