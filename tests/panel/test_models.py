"""Answers, Shapley values, exports, smaller models and pages are what they were when they were frozen."""

import pytest

from panel.freeze import FROZEN_MODELS, MODELS, deviation, load, record_model, tolerance
from panel.models import FROZEN_ANEW, LOOSE
from panel.shown import can_run
from speeds import slowly

FROZEN = load(FROZEN_MODELS)

#: Mixtures of many candidates, several classes and other scales run with all tests.
QUICK = [name for name in MODELS if not any(word in name for word in ("balanced", "three classes", "counts"))]

pytest.importorskip("onnxruntime")


def test_every_model_is_frozen_and_every_exception_names_one():
    assert set(FROZEN) == set(MODELS)
    assert set(FROZEN_ANEW) | set(LOOSE) <= set(MODELS)


@pytest.mark.skipif(not can_run(), reason="there is no gcc or no node")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:.*never seen:UserWarning")
@pytest.mark.parametrize("name", [*QUICK, *slowly(*(name for name in MODELS if name not in QUICK))])
def test_all_that_is_made_of_a_model_is_as_frozen(name):
    now, then = record_model(name), FROZEN[name]
    assert sorted(now) == sorted(then)
    differences = {key: deviation({key: now[key]}, {key: then[key]}) for key in then}
    assert not {key: by for key, by in differences.items() if by > tolerance(name)}
