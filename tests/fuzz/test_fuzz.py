"""The part of a campaign that every test run makes: the same cases each time, and those that were found before."""

import pytest
from hypothesis import HealthCheck, given, settings

from fuzz.harness import judged
from fuzz.kinds import KINDS

#: Cases of each kind: less than a minute in all.
BOUNDED = {"fits": 50, "frames": 8, "files": 100, "models": 30, "commands": 15, "kills": 1}


def test_every_kind_has_its_part():
    assert set(BOUNDED) == set(KINDS)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_law_is_broken(kind):
    @settings(
        max_examples=BOUNDED[kind],
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(KINDS[kind].cases())
    def every(case):
        _, failure = judged(kind, KINDS[kind].judge, case)
        assert failure is None, f"{failure.law}: {failure.seen}\n{failure.reproduction()}"

    every()
