"""Results of the panel are what they were when they were frozen."""

import pytest

from panel.cases import CASES, FROZEN_ANEW, LOOSE
from panel.freeze import deviation, load, record, tolerance

FROZEN = load()


def test_every_case_is_frozen_and_every_exception_names_a_case():
    assert set(FROZEN) == set(CASES)
    assert set(FROZEN_ANEW) | set(LOOSE) <= set(CASES)


# Whether a search converged is part of the record, so its warning says nothing new.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", CASES)
def test_results_are_the_frozen_ones(name):
    now, then = record(name), FROZEN[name]
    assert now.keys() == then.keys()
    differences = {key: deviation({key: now[key]}, {key: then[key]}) for key in then}
    assert not {key: by for key, by in differences.items() if by > tolerance(name)}
