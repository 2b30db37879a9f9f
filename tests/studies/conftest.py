"""A study small enough to run in a second, with built-in data only."""

from __future__ import annotations

import pytest

from kernelect.studies import parse_study

#: Ends the program when it is imported, which a search for doctests would do.
collect_ignore = ["leaves.py"]

TEXT = """
name = "tiny"
splits = 3
default = "ours"

[protocol]
kind = "draws"
rows = 40
test_rows = 200

[datasets]
twonorm = {}
ringnorm = {}
waveform = {}

[methods.ours]
label = "LSSVC"
estimator = {call = "kernelect.LSSVC", kernel = "rbf", prior = {none = true}}
published = "column"

[methods.theirs]
estimator = {call = "sklearn.svm.SVC", gamma = "scale", probability = false}

[published.error.column]
twonorm = [5.0, 0.5]

[[tables]]
title = "Test error, %"
metric = "error"
published = "error"
"""


@pytest.fixture
def text() -> str:
    return TEXT


@pytest.fixture
def tiny(text):
    return parse_study(text)
