"""Two speeds: by default quick cases run, with ``make test-all`` all, with ``--within`` those there is time for."""

import time
from collections import Counter

import pytest


def slowly(*cases):
    """Return cases of a parametrization that run with ``make test-all`` only: put them behind the quick ones."""
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow) for case in cases]


def spread(tests, file_of):
    """Return tests with the first of every file ahead, then two of every file, then four, and so on."""
    seen, turns = Counter(), []
    for test in tests:
        seen[file_of(test)] += 1
        turns.append(seen[file_of(test)].bit_length())
    return [test for _, test in sorted(zip(turns, tests, strict=True), key=lambda pair: pair[0])]


class Within:
    """Starts no test once some seconds have passed, and says how many were left out."""

    def __init__(self, config, seconds):
        self.config, self.seconds = config, seconds
        self.end = time.monotonic() + seconds
        self.left_out = 0

    @pytest.hookimpl(trylast=True)  # behind the choice by marks
    def pytest_collection_modifyitems(self, items):
        items[:] = spread(items, lambda item: item.path)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        if time.monotonic() < self.end:
            return None
        self.left_out += 1
        return True

    def pytest_sessionfinish(self):
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["left_out"] = self.left_out

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        self.left_out += getattr(node, "workeroutput", {}).get("left_out", 0)

    def pytest_terminal_summary(self, terminalreporter):
        if self.left_out:
            terminalreporter.write_line(f"{self.left_out} tests were left out after {self.seconds:g} seconds.")
