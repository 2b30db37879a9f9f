"""The part of a campaign that every test run makes: the same cases each time, and those that were found before."""

import json
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings

from fuzz import twins
from fuzz.__main__ import facts, summed
from fuzz.arrays import FitCase, arrays
from fuzz.harness import Broken, Tally, judged
from fuzz.kinds import KINDS

#: Cases of each kind: less than a minute in all.
BOUNDED = {"fits": 50, "frames": 8, "files": 100, "models": 30, "commands": 15, "kills": 1}


def test_every_kind_has_its_part():
    assert set(BOUNDED) == set(KINDS)


@pytest.mark.parametrize(
    ("estimator", "moved", "outcome"), [("RVR", 1, None), ("RVR", 2, "undecided"), ("LSSVR", 2, None)]
)
def test_a_twin_is_undecided_only_where_rounding_moves_a_leaping_model_as_far(estimator, moved, outcome, monkeypatch):
    """The first ``moved`` fits are apart: the twin alone, which breaks the law, or also one to other last bits."""
    case = FitCase(estimator, "rbf", (), 0, 30, 1, "real", (), "none", "origin")
    X, y, weights = arrays(case)
    expected = twins.answers(twins.fit(twins.made(case), X, y, weights), X)
    assert twins._require_same_fit(case, X, y, weights, X, expected) == "model"
    real, apart = twins.require_near, iter([1.0] * moved)
    monkeypatch.setattr(twins, "require_near", lambda found, *rest: real(found + next(apart, 0.0), *rest))
    if outcome is None:
        with pytest.raises(Broken, match="origin do not matter"):
            twins._require_same_fit(case, X, y, weights, X, expected)
    else:
        assert twins._require_same_fit(case, X, y, weights, X, expected) == outcome


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


def test_counts_of_campaigns_add_up_and_sums_are_added_to(tmp_path):
    tally = Tally("fits", outcomes=Counter({"model": 3, "refused": 1, "broken": 1}))
    (tmp_path / "one.json").write_text(json.dumps(facts([tally], 7)))
    (tmp_path / "sum.csv").write_text(summed([tmp_path / "one.json"]) + "\n")
    assert summed([tmp_path / "one.json", tmp_path / "sum.csv"]).splitlines() == [
        "kind,cases,broken,outcomes",
        'fits to arrays,10,2,"6 model, 2 refused"',
    ]
