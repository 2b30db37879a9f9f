"""Labels as numbers, for the disk."""

import pickle

import numpy as np
import pytest

from kernelect.facts import Estimate
from kernelect.facts.packing import packed, unpacked


@pytest.mark.parametrize("labels", [["b", "a", "b"], [True, 1, "1", None, 1.0], []])
def test_labels_come_back_with_their_types(labels):
    values = np.empty(len(labels), dtype=object)
    values[:] = labels
    back = unpacked(packed(values))
    assert back.dtype == object
    assert [(type(label), label) for label in back] == [(type(label), label) for label in labels]


def test_numbers_stay_as_they_are():
    values = np.arange(3.0)
    assert packed(values) is values
    assert unpacked(values) is values
    assert packed(None) is None


def test_an_estimate_keeps_no_text_of_every_row():
    labels = np.array(["yes", "no"] * 500, dtype=object)
    estimate = Estimate(name="folds", scores=(), y_true=labels, prediction=labels[::-1])
    assert len(pickle.dumps(estimate.__getstate__()["y_true"]["levels"])) < 100
    copy = pickle.loads(pickle.dumps(estimate))
    assert copy.y_true.tolist() == labels.tolist()
    assert copy.prediction.tolist() == labels[::-1].tolist()
