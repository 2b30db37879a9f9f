"""How sure a mixture of labels is: as its members and the rows that they leave out support."""

import numpy as np
import pytest

from kernelect import KernelClassifier
from kernelect.mixture import heads
from kernelect.mixture.heads import label_head
from kernelect.model import Component, ForeignPart, Given


def component(own, index):
    """Return a component that gives such probabilities to the own labels of rows left out, which are two."""
    left_out = np.where(np.arange(2) == index[:, None], own[:, None], 1.0 - own[:, None])
    part = ForeignPart(machine=None, coefficients=np.ones((1, 2)), labels=True)
    return Component(parts=(part,), constant=np.zeros(2), left_out=left_out, link=Given())


def test_members_that_tell_all_rows_apart_are_surer_than_a_count_of_rows():
    """By Platt's rule nobody could be surer than 501 of 502 in 500 rows, however far rows are from the border."""
    index = np.arange(1000) % 2
    head, left_out = label_head([component(np.full(1000, 0.98), index)], np.arange(2), index, np.ones(1000))
    own = left_out[np.arange(1000), index]
    assert np.all(own > 0.9995)
    assert np.all(own < 0.9999)  # and not as sure as one likes
    assert 1.5 < head.sharpness < 2.5


@pytest.mark.parametrize("n_rows", [20, 40])
def test_few_rows_hardly_move_what_calibrated_members_say(n_rows, monkeypatch):
    """Probabilities that are right: a temperature of a few rows makes them worse, a prior keeps most of them."""
    rng = np.random.default_rng(0)

    def said(count):
        probability = rng.beta(0.5, 0.5, count)
        return probability, (rng.uniform(size=count) < probability).astype(int)

    def of_second(probability, index):
        return component(np.where(index == 1, probability, 1.0 - probability), index)

    new, truth = said(4000)
    answers = np.column_stack([1.0 - new, new])
    losses = {heads._SHARPNESS: [], np.inf: []}
    for _ in range(40):
        probability, index = said(n_rows)
        for deviation, found in losses.items():
            monkeypatch.setattr(heads, "_SHARPNESS", deviation)
            head, _ = label_head([of_second(probability, index)], np.arange(2), index, np.ones(n_rows))
            found.append(-np.log(head.probabilities([answers])[np.arange(4000), truth]).mean())
    kept, free = losses.values()
    gain = np.array(free) - np.array(kept)
    assert gain.mean() > 2.0 * gain.std() / np.sqrt(len(gain)) > 0.0


def test_separable_classes_have_a_small_log_loss_on_new_rows():
    """With Platt's row of doubt it was 0.021."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2))
    height = X[:, 0] + 0.5 * X[:, 1] ** 2 - 0.5
    X, y = X[np.abs(height) > 0.4], (height[np.abs(height) > 0.4] > 0).astype(int)
    model = KernelClassifier("fast").fit(X[:150], y[:150])
    assert -np.log(model.predict_proba(X[150:])[np.arange(len(y) - 150), y[150:]]).mean() < 0.012
