"""Rows that belong together: copies, named groups, times; no fold tears them apart."""

import numpy as np
import pandas as pd
import pytest

from kernelect.exceptions import InvalidArgument, UnusableTable
from kernelect.tabular import FoldOptions, describe_table
from kernelect.tabular.units import find_copies, joined


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60), "y": rng.normal(size=60)})


def torn(splits, units):
    """Units with rows on both sides of a fold."""
    return [set(units[train]) & set(units[test]) for train, test in splits]


def test_copies_are_counted_and_no_fold_tears_them_apart(frame):
    doubled = pd.concat([frame, frame.iloc[:30].assign(y=0.5)], ignore_index=True)
    schema, rows, _ = describe_table(doubled, "y")
    assert (rows.copies.surplus, rows.copies.contradictory) == (30, 60)
    units = np.concatenate([np.arange(60), np.arange(30)])
    splits = FoldOptions(folds=4, repeats=2).splits(rows, schema)
    assert len(splits) == 8
    assert not any(torn(splits, units))
    labels = describe_table(doubled.assign(y=np.where(doubled["y"] > 0, "up", "down")), "y")
    assert not any(torn(FoldOptions(folds=4).splits(labels[1], labels[0]), units))


def test_equal_rows_of_a_few_categories_are_no_copies():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"sex": rng.choice(["m", "f"], 200), "class": rng.choice(["1st", "2nd", "3rd"], 200)})
    assert find_copies(X, np.zeros(200)).surplus == 0


def test_missing_cells_are_equal_to_each_other():
    X = pd.DataFrame({"a": [1.5, 1.5, 2.5, 3.5], "b": [np.nan, np.nan, 7.25, 8.25], "c": ["u", "u", "v", None]})
    found = find_copies(X, [0, 0, 1, 1])
    assert (found.surplus, found.contradictory) == (1, 0)
    assert found.index[0] == found.index[1]


def test_units_are_joined_through_any_of_their_rows():
    np.testing.assert_array_equal(joined(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2])), [0, 0, 0, 1])


def test_groups_stay_together_and_are_no_input(frame):
    groups = np.repeat(np.arange(12), 5)
    schema, rows, _ = describe_table(frame.assign(patient=[f"p{g}" for g in groups]), "y", group="patient")
    assert [column.name for column in schema.columns] == ["a", "b"]
    assert not any(torn(FoldOptions(folds=4).splits(rows, schema), groups))
    assert FoldOptions(folds=4).name_for(schema) == "4 outer folds by patient"
    with pytest.raises(InvalidArgument, match="--folds 13 must be a number from 2 to 12, the number of groups"):
        FoldOptions(folds=13).splits(rows, schema)
    kept = describe_table(frame.assign(patient=groups), "y", group="patient", keep=["patient"])[0]
    assert [column.name for column in kept.columns] == ["a", "b", "patient"]


def test_a_row_without_a_group_is_one_of_its_own(frame):
    patients = np.array(["p", "q"] * 30, dtype=object)
    patients[:3] = None
    _, rows, _ = describe_table(frame.assign(patient=patients), "y", group="patient")
    assert len(np.unique(rows.groups)) == 5
    with pytest.raises(UnusableTable, match="--group 'patient': the column has the value 'p' in every row"):
        describe_table(frame.assign(patient="p"), "y", group="patient")
    with pytest.raises(InvalidArgument, match="--group: there is no column 'patent'. Did you mean 'patient'"):
        describe_table(frame.assign(patient="p"), "y", group="patent")


def test_forward_folds_predict_later_rows_from_earlier_ones(frame):
    rng = np.random.default_rng(2)
    day = rng.permutation(np.repeat(np.arange(20), 3))
    dates = pd.Timestamp("2024-01-01") + pd.to_timedelta(day, unit="D")
    schema, rows, _ = describe_table(frame.assign(when=dates.strftime("%Y-%m-%d")), "y", time="when")
    assert [column.name for column in schema.columns] == ["a", "b"]
    splits = FoldOptions(folds=4).splits(rows, schema)
    assert len(splits) == 4
    assert all(day[train].max() < day[test].min() for train, test in splits)
    assert (
        sorted(np.concatenate([test for _, test in splits])) == np.flatnonzero(day > day[splits[0][0]].max()).tolist()
    )
    assert FoldOptions(folds=4).name_for(schema) == "4 forward folds by when"
    with pytest.raises(InvalidArgument, match="--folds 20 needs more than 20 different times"):
        FoldOptions(folds=20).splits(rows, schema)


def test_forward_folds_leave_groups_of_the_test_rows_out(frame):
    groups, when = np.repeat(np.arange(6), 10), np.tile(np.arange(10), 6)
    schema, rows, _ = describe_table(frame.assign(who=groups, when=when), "y", group="who", time="when")
    assert not any(torn(FoldOptions(folds=3).splits(rows, schema), groups) or [])


def test_times_have_to_be_known(frame):
    with pytest.raises(UnusableTable, match="--time 'when': row 2 has 'soon', which is neither a date nor a number"):
        describe_table(frame.assign(when=["2024-01-01", "soon"] * 30), "y", time="when")
    one_class = frame.assign(when=np.arange(60), y=np.repeat(["a", "b"], [50, 10]))
    schema, rows, _ = describe_table(one_class, "y", time="when")
    with pytest.raises(UnusableTable, match="until the last fold only one class was observed"):
        FoldOptions(folds=2).splits(rows, schema)


@pytest.mark.parametrize(
    ("how", "folds", "why"),
    [
        ({"group": "g"}, 4, "the table has 4 groups."),
        ({"time": "g"}, 3, "the table has 4 different times."),
        ({}, 5, None),
    ],
)
def test_folds_that_nobody_asked_for_are_as_many_as_the_rows_allow(rng, how, folds, why):
    frame = pd.DataFrame({"x": rng.normal(size=40), "g": np.tile(np.arange(4), 10), "y": rng.normal(size=40)})
    schema, rows, _ = describe_table(frame, "y", **how)
    options, remarks = FoldOptions().possible(rows, schema)
    assert options.folds == folds
    assert remarks == ([f"There are {folds} outer folds, not 5: {why}"] if why else [])
    assert len(options.splits(rows, schema)) == folds
