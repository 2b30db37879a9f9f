import numpy as np
import pytest

from kernelect.facts.numbers import (
    alike,
    apart,
    are_years,
    counted,
    duration,
    figure_parts,
    fixed,
    number,
    percent,
    score_words,
    trimmed,
    with_error,
)

DASH, SPACE, MINUS = "\N{EN DASH}", "\N{NARROW NO-BREAK SPACE}", "\N{MINUS SIGN}"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0, "0"),
        (0.012345, "0.0123"),
        (12.345, "12.3"),
        (123456.0, f"123{SPACE}456"),
        (1.5e-7, "1.50e-07"),
        (float("nan"), DASH),
        (None, DASH),
        (-3.14159, f"{MINUS}3.14"),
        (-1.5e-7, f"{MINUS}1.50e-07"),
    ],
)
def test_three_digits(value, words):
    assert number(value) == words
    assert number(np.float64(value)) == words


@pytest.mark.parametrize(
    ("value", "words"), [(20.0, "20"), (0.25, "0.25"), (1234.5, f"1{SPACE}234.5"), (100.0, "100"), (1e9, "1.00000e+09")]
)
def test_numbers_of_a_table_as_they_would_be_typed(value, words):
    assert trimmed(value) == words


@pytest.mark.parametrize(
    ("ends", "years"),
    [
        ((1990.0, 2017.0), True),
        ((1000.0, 2999.0), True),
        ((999.0, 2999.0), False),
        ((1000.0, 3000.0), False),
        ((1990.5, 2017.0), False),
        ((1990.0, 2017.5), False),
        ((None, None), False),
        (("1990-01-01", "2017-01-01"), False),
        ((float("nan"), float("nan")), False),
    ],
)
def test_years_are_told_by_the_ends_of_their_column(ends, years):
    assert are_years(*ends) is years


def test_two_numbers_have_as_many_digits_as_show_that_they_differ():
    assert apart(5740.4, 5739.6) == (f"5{SPACE}740.4", f"5{SPACE}739.6")
    assert apart(3.14159, 2.0) == ("3.14", "2.00")
    assert apart(3.14159, 3.1416) == ("3.14159", "3.14160")
    assert apart(2.0, 2.0) == ("2.00", "2.00")
    assert apart(1e-9, 1.0001e-9) == ("1.0000e-09", "1.0001e-09")


def test_years_have_no_space():
    assert trimmed(2017.0, years=True) == "2017"
    assert trimmed(2017.25, years=True) == "2017.25"


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (("error", 0.0345, 0.0081), "3.45 ± 0.81 %"),
        (("error", 0.6, 0.0367), "60.0 ± 3.7 %"),
        (("RMSE", 54.123, 1.64), "54.1 ± 1.6"),
        (("RMSE", 54123.4, 1640.0), f"54{SPACE}100 ± 1{SPACE}600"),
        (("R²", 0.5, None), "0.500"),
        (("error", 0.0, 0.0), "0 %"),
        (("AUC", 0.5, float("nan")), "0.500"),
        (("R²", 0.999999999999, 3e-14), "1.000"),
        (("R²", 0.99999, 2e-6), "0.9999900 ± 0.0000020"),
        (("RMSE", 1.25e-14, 3.3e-15), "1.25e-14 ± 3.3e-15"),
        (("error", 0.0, 1e-3), "0.00 ± 0.10 %"),
    ],
)
def test_a_score_is_rounded_to_what_its_error_leaves_certain(score, words):
    assert score_words(*score) == words


def test_the_tables_of_papers_have_decimals_of_their_own():
    assert with_error(12.345, 0.678, decimals=1) == "12.3 ± 0.7"
    assert with_error(12.345, float("nan"), decimals=1) == "12.3"
    assert with_error(0.5, 0.0, decimals=2, sign=True) == "+0.50 ± 0.00"
    assert fixed(-1234.5, 1, sign=True) == f"{MINUS}1{SPACE}234.5"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([3.6472, -0.4213, -0.0043], ["+3.65", f"{MINUS}0.42", "+0.00"]),
        ([-36375.2, 720.4], [f"{MINUS}36{SPACE}375", "+720"]),
        ([0.18, 0.0875], ["+0.180", "+0.087"]),
        ([2e-6, -1e-7], ["+2.00e-06", f"{MINUS}1.00e-07"]),
        ([], []),
    ],
)
def test_numbers_beside_each_other_have_the_same_decimals(values, words):
    assert alike(values, sign=True) == words


@pytest.mark.parametrize(
    ("words", "parts"),
    [("20.3 ± 1.7 %", ("20.3", "1.7", "%")), ("0 %", ("0", "", "%")), ("54.1 ± 1.6", ("54.1", "1.6", ""))],
)
def test_a_figure_can_be_taken_apart(words, parts):
    assert tuple(figure_parts(words).values()) == parts


def test_shares_times_and_counts():
    assert percent(0.12345) == "12.3 %"
    assert (duration(0.44), duration(200.0), duration(59.97)) == ("0.4 s", "3 min 20 s", "1 min 0 s")
    assert (counted(1, "row"), counted(12345, "row")) == ("1 row", f"12{SPACE}345 rows")
