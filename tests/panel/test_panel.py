"""Results of the panel are what they were when they were frozen."""

import numpy as np
import pytest

from panel.cases import CASES, LOOSE, MOVED
from panel.freeze import deviation, load, record, tolerance

FROZEN = load()


def test_every_case_is_frozen_and_every_exception_names_a_case():
    assert set(FROZEN) == set(CASES)
    assert set(MOVED) | set(LOOSE) <= set(CASES)


# Whether a search converged is part of the record, so its warning says nothing new.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", CASES)
def test_results_are_the_frozen_ones(name):
    now, then = record(name), FROZEN[name]
    if name in MOVED:
        assert not not_finite(now)
        return
    assert now.keys() == then.keys()
    differences = {key: deviation({key: now[key]}, {key: then[key]}) for key in then}
    assert not {key: by for key, by in differences.items() if by > tolerance(name)}


def not_finite(found):
    """Return the numbers that are not finite; the logarithm of a width may be minus infinity, an input pruned."""
    arrays = {key: np.asarray(value) for key, value in found.items() if key != "theta"}
    return [key for key, value in arrays.items() if value.dtype.kind == "f" and not np.isfinite(value).all()]
