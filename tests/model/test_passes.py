"""What is asked about the same rows together costs one pass through the model, and gives what it gives apart."""

import numpy as np
import pytest

from kernelect.model import Component
from model.hand_made import MODELS, ROWS


@pytest.fixture
def asked(monkeypatch):
    """Components that were asked, one entry each time."""
    entries, answers = [], Component.answers
    monkeypatch.setattr(Component, "answers", lambda self, V: entries.append(self) or answers(self, V))
    return entries


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if model.is_classifier])
def test_labels_follow_from_probabilities_that_are_known(name):
    model = MODELS[name]
    found = model.chosen(ROWS, model.probabilities(ROWS))
    np.testing.assert_array_equal(found, model.chosen(ROWS))


def test_labels_with_a_threshold_ask_no_component_twice(asked):
    model = MODELS["decided"]
    model.chosen(ROWS, model.probabilities(ROWS))
    assert len(asked) == len(model.components)


@pytest.mark.parametrize("name", ["exact", "exact-two", "landmarks", "relevance"])
def test_numbers_and_deviations_ask_no_component_twice(name, asked):
    model = MODELS[name]
    mean, deviation = model.predictions_and_deviations(ROWS)
    assert len(asked) == len(model.components)
    np.testing.assert_array_equal(mean, model.predictions(ROWS))
    np.testing.assert_array_equal(deviation, model.deviations(ROWS))
