"""What ``landmarks=`` stands for, and what it does not."""

import numpy as np
import pytest

from kernelect.exceptions import InvalidArgument
from kernelect.selection.landmarks import as_request, request


def test_few_rows_are_exact_and_many_are_not():
    assert as_request("auto", request.EXACT_ROWS, 3) is None
    found = as_request("auto", request.EXACT_ROWS + 1, 3)
    assert found.first == request.FIRST
    assert found.automatic


def test_none_is_the_exact_machine_at_any_size():
    assert as_request(None, 10**6, 3) is None


@pytest.mark.parametrize(
    ("n_rows", "most"), [(2001, 1000), (10_000, 2000), (100_000, 2000), (10**6, 1000), (10**8, 500)]
)
def test_how_far_auto_goes_depends_on_the_rows(n_rows, most):
    assert as_request("auto", n_rows, 3).most == most


def test_a_number_and_rows_are_taken_as_they_are():
    assert as_request(70, 100, 3) == request.LandmarkRequest(first=70, most=70)
    assert as_request(np.int64(7), 100, 3).first == 7
    points = as_request([[1, 2, 3], [4, 5, 6]], 100, 3).points
    np.testing.assert_array_equal(points, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@pytest.mark.parametrize(
    ("landmarks", "message"),
    [
        ("many", "landmarks='many' must be 'auto', None"),
        (0, "landmarks=0 must be"),
        (True, "landmarks=True must be"),
        (2.5, r"landmarks=2\.5 must be"),
        (np.zeros(3), r"landmarks=an array of shape \(3,\) must be"),
        (np.zeros((0, 3)), r"an array of shape \(0, 3\)"),
        (np.zeros((4, 2)), "landmarks has 2 columns and X has 3"),
        (np.full((2, 3), np.nan), "landmarks holds NaN or infinite values"),
    ],
)
def test_anything_else_is_refused_in_words(landmarks, message):
    with pytest.raises(InvalidArgument, match=message):
        as_request(landmarks, 100, 3)
