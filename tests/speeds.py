"""Two speeds: by default the quick cases of a law run, with ``make test-all`` all of them."""

import pytest


def slowly(*cases):
    """Return cases of a parametrization that run with ``make test-all`` only: put them behind the quick ones."""
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow) for case in cases]
