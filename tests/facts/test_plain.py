import json

import numpy as np

from kernelect.facts import Confusion, Surface
from kernelect.facts.plain import as_plain, record_as_plain, record_from_plain


def test_records_survive_json():
    at, rise = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.0, np.inf], [1.0 / 3.0, 2.0]])
    chosen = np.array([1.0, 3.0])
    record = Surface(names=("a", "b"), at=at, rise=rise, chosen=chosen, label="press", n_rows=5, n_samples=9)
    back = record_from_plain(Surface, json.loads(json.dumps(record_as_plain(record))))
    assert back.names == ("a", "b")
    np.testing.assert_allclose(back.rise, [[0.0, np.nan], [0.333333, 2.0]])
    none = Confusion(classes=(), counts=np.zeros((0, 0)), label="x")
    assert record_from_plain(Confusion, record_as_plain(none)).classes == ()


def test_plain_values():
    assert as_plain({"a": (np.float64(1.5), np.int64(2), np.nan, "x")}) == {"a": [1.5, 2, None, "x"]}
