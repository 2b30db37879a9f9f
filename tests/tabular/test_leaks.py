"""Columns that number the rows or date them are found by what they are."""

import numpy as np
import pandas as pd
import pytest

from kernelect.tabular import describe_table


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"x": rng.normal(size=80), "y": rng.normal(size=80)})


def used(frame, **how):
    schema, _, remarks = describe_table(frame, "y", **how)
    return [column.name for column in schema.columns], " ".join(remarks)


RNG = np.random.default_rng(1)
SHUFFLED = RNG.permutation(80) + 1
WITH_GAPS = RNG.permutation(np.arange(100, 260))[:80]
SORTED = np.sort(RNG.choice(1500, 80, replace=False))
FAR_APART = RNG.choice(10**8, 80, replace=False)


@pytest.mark.parametrize("numbers", [SHUFFLED, WITH_GAPS, SORTED], ids=["shuffled", "with gaps", "sorted"])
@pytest.mark.parametrize("name", ["rownames", "Unnamed: 0", "index", "Nr.", "subject_no", "V1"])
def test_row_numbers_are_left_out(frame, name, numbers):
    names, remarks = used(frame.assign(**{name: numbers}))
    assert names == ["x"]
    assert f"Column {name!r} was left out" in remarks
    assert used(frame.assign(**{name: numbers}), keep=[name])[0] == ["x", name]


def test_names_count_where_numbers_alone_do_not_tell(frame):
    assert used(frame.assign(**{"Patient Nr.": FAR_APART}))[0] == ["x"]
    assert used(frame.assign(income=FAR_APART))[0] == ["x", "income"]


def test_what_runs_parallel_to_a_row_number_is_left_out(frame):
    shuffled = frame.assign(nr=SHUFFLED, stamp=np.exp(SHUFFLED / 10.0))
    names, remarks = used(shuffled)
    assert names == ["x"]
    assert "Column 'stamp' was left out: its numbers run parallel to a row number" in remarks
    assert used(frame.assign(stamp=np.exp(SHUFFLED / 10.0)))[0] == ["x", "stamp"]


def test_several_row_numbers_are_told_in_one_sentence(frame):
    remarks = used(frame.assign(nr=SHUFFLED, other_nr=SHUFFLED[::-1]))[1]
    assert "2 columns were left out: their whole numbers are all different" in remarks


def test_measurements_are_inputs(frame):
    """Whole numbers with repetitions, wide ranges in no order, and a table sorted by a wide measurement."""
    rng = np.random.default_rng(2)
    measured = frame.assign(age=rng.integers(18, 90, 80), price=rng.choice(10**6, 80, replace=False))
    assert used(measured)[0] == ["x", "age", "price"]
    assert used(measured.sort_values("price"))[0] == ["x", "age", "price"]


def test_dates_are_no_trend_unless_asked_for(frame):
    dates = pd.date_range("2024-01-01", periods=80).strftime("%Y-%m-%d")
    names, remarks = used(frame.assign(seen=dates))
    assert names == ["x"]
    assert "(--time predicts later rows from earlier ones" in remarks
    assert used(frame.assign(seen=dates), keep=["seen"])[0] == ["x", "seen"]


def test_years_are_dates_and_no_row_numbers(frame):
    names, remarks = used(frame.assign(col_1=np.arange(1900, 1980)))
    assert names == ["x"]
    assert "'col_1' was left out: its years are a trend that new rows go beyond" in remarks
    assert describe_table(frame.assign(col_1=np.arange(1900, 1980)), "y")[1].dated == ("col_1",)
    for numbers in (np.arange(80), RNG.permutation(np.arange(1900, 1980))):
        assert describe_table(frame.assign(col_1=numbers), "y")[1].dated == ()


def test_columns_of_huge_numbers_are_looked_at():
    from kernelect.tabular.telling import left_by_tree

    x = np.arange(60.0)
    assert left_by_tree(np.column_stack([x, x * 1e300]), x, classes=False) < 1.0
