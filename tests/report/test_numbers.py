import numpy as np
import pytest

from kernelect.plots import ConfusionDisplay, SurfaceDisplay
from kernelect.report.numbers import (
    as_plain,
    record_as_plain,
    record_from_plain,
    seconds_in_words,
    shown,
    shown_score,
)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0, "0"),
        (0.012345, "0.0123"),
        (12.345, "12.3"),
        (123456.0, "123\N{THIN SPACE}456"),
        (1.5e-7, "1.50e-07"),
        (float("nan"), "\N{EN DASH}"),
        (None, "\N{EN DASH}"),
        (-3.14159, "-3.14"),
    ],
)
def test_three_digits(value, words):
    assert shown(value) == words


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (("error", 0.0345, 0.0081), "3.45 % ± 0.81"),
        (("error", 0.6, 0.0367), "60 % ± 4"),
        (("RMSE", 54.123, 1.64), "54.1 ± 1.6"),
        (("R2", 0.5, None), "0.500"),
        (("error", 0.0, 0.0), "0 %"),
    ],
)
def test_a_score_is_rounded_to_what_its_error_leaves_certain(score, words):
    assert shown_score(*score) == words


def test_seconds():
    assert (seconds_in_words(0.44), seconds_in_words(200.0)) == ("0.4 s", "3 min 20 s")


def test_records_survive_json():
    import json

    at, rise = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.0, np.inf], [1.0 / 3.0, 2.0]])
    record = SurfaceDisplay(("a", "b"), at, rise, np.array([1.0, 3.0]), "press", 5, 9)
    back = record_from_plain(SurfaceDisplay, json.loads(json.dumps(record_as_plain(record))))
    assert back.names == ("a", "b")
    np.testing.assert_allclose(back.rise, [[0.0, np.nan], [0.333333, 2.0]])
    empty = record_from_plain(ConfusionDisplay, record_as_plain(ConfusionDisplay((), np.zeros((0, 0)), "x")))
    assert empty.classes == ()


def test_plain_values():
    assert as_plain({"a": (np.float64(1.5), np.int64(2), np.nan, "x")}) == {"a": [1.5, 2, None, "x"]}
