"""The report: facts as a plain dict first, then one page made of them."""

from kernelect.report.facts import gather_facts
from kernelect.report.page import render, write_report

__all__ = ["gather_facts", "render", "write_report"]
