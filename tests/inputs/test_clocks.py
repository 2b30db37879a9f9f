"""Times of day lie on a circle; durations do not."""

import numpy as np
import pandas as pd
import pytest

from kernelect.inputs import as_frame
from kernelect.inputs.coding import fit_coding
from kernelect.inputs.numerals import CLOCK, DURATION, are_clocks, shared_unit
from kernelect.inputs.roles import Wishes


@pytest.mark.parametrize(
    ("texts", "unit"),
    [
        (["00:05", "13:45", "23:55"], CLOCK),
        (["1:45 PM", "2:10 PM", "11:00 AM"], CLOCK),
        (["2:05:33", "2:45:10", "4:01:00"], DURATION),  # runners
        (["25:10", "3:00", "12:00"], DURATION),
        (["1h 40m", "2h", "3h"], DURATION),
    ],
)
def test_times_of_a_day_are_told_from_durations(texts, unit):
    assert shared_unit(texts, 0.9) == unit
    assert are_clocks(texts) == (unit == CLOCK)


def test_midnight_is_one_place():
    texts = [f"{hour:02d}:{minute:02d}" for hour in range(24) for minute in (1, 59)]
    frame = as_frame(pd.DataFrame({"at": texts}))
    Z = fit_coding(frame)(frame)
    assert Z.shape[1] == 2
    far = np.linalg.norm(Z[texts.index("12:01")] - Z[texts.index("00:01")])
    near = np.linalg.norm(Z[texts.index("23:59")] - Z[texts.index("00:01")])
    assert near < 0.01 * far


def test_hours_that_are_numbers_are_clocks_where_the_user_says_so():
    frame = as_frame(pd.DataFrame({"at": np.arange(24.0)}))
    assert fit_coding(frame)(frame).shape[1] == 1
    found = fit_coding(frame, Wishes(kinds={"at": "clock"}))
    hours = np.arange(24.0)
    waves = np.column_stack([np.sin(2 * np.pi * hours / 24), np.cos(2 * np.pi * hours / 24)])
    assert found(frame) == pytest.approx(waves / waves.std(axis=0))
