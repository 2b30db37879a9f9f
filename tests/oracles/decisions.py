"""Thresholds by trying all of them."""

from itertools import pairwise


def thresholds_between(p):
    """Return a threshold between every two neighbours, one above all and one below."""
    values = sorted(set(p.tolist()))
    middle = [(a + b) / 2 for a, b in pairwise(values)]
    return [values[0] / 2 if values[0] else -1.0, *middle, (1 + values[-1]) / 2]


def f1_of(p, positive, weights, threshold):
    tp = sum(w for value, is_positive, w in zip(p, positive, weights, strict=True) if value > threshold and is_positive)
    fp = sum(
        w for value, is_positive, w in zip(p, positive, weights, strict=True) if value > threshold and not is_positive
    )
    fn = sum(
        w for value, is_positive, w in zip(p, positive, weights, strict=True) if value <= threshold and is_positive
    )
    return 2 * tp / (2 * tp + fp + fn)


def cost_of(p, positive, weights, threshold, false_positive, false_negative):
    total = 0.0
    for value, is_positive, weight in zip(p, positive, weights, strict=True):
        if value > threshold and not is_positive:
            total += weight * false_positive
        if value <= threshold and is_positive:
            total += weight * false_negative
    return total
