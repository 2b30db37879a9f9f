"""What is known of a fitted model, in one place and in one form.

:func:`gather` returns it as a plain dict, :class:`Facts`: what was selected, how good it is, what to
doubt, which columns matter, how long it took. Terminal, JSON, page and pictures only show it.
"""

from kernelect.facts.dependence import Dependence
from kernelect.facts.doubts import Check, DoubtRule, ModelEvidence, Obstacle, Severity, Words
from kernelect.facts.estimates import Assessment, Estimate, FoldOutcome, Judge
from kernelect.facts.gathering import GatherOptions, gather, gather_for_page
from kernelect.facts.history import SearchHistory, Sizes
from kernelect.facts.mixtures import Weights
from kernelect.facts.numbers import number, score_words, with_error
from kernelect.facts.outcomes import Calibration, Confusion, Residuals
from kernelect.facts.record import SCHEMA, Doubt, Facts
from kernelect.facts.relevance import Relevance, relevance_by_column
from kernelect.facts.scores import Score
from kernelect.facts.sources import input_names
from kernelect.facts.surface import Surface

__all__ = [
    "SCHEMA",
    "Assessment",
    "Calibration",
    "Check",
    "Confusion",
    "Dependence",
    "Doubt",
    "DoubtRule",
    "Estimate",
    "Facts",
    "FoldOutcome",
    "GatherOptions",
    "Judge",
    "ModelEvidence",
    "Obstacle",
    "Relevance",
    "Residuals",
    "Score",
    "SearchHistory",
    "Severity",
    "Sizes",
    "Surface",
    "Weights",
    "Words",
    "gather",
    "gather_for_page",
    "input_names",
    "number",
    "relevance_by_column",
    "score_words",
    "with_error",
]
