"""Rows that belong together: copies, named groups, times; no fold tears them apart."""

import warnings

import numpy as np
import pandas as pd
import pytest

from kernelect import KernelRegressor
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
    assert (rows.copies.surplus, rows.copies.replicates) == (0, 60)
    units = np.concatenate([np.arange(60), np.arange(30)])
    splits = FoldOptions(folds=4, repeats=2).splits(rows, schema)
    assert len(splits) == 8
    assert not any(torn(splits, units))
    labels = describe_table(doubled.assign(y=np.where(doubled["y"] > 0, "up", "down")), "y")
    assert not any(torn(FoldOptions(folds=4).splits(labels[1], labels[0]), units))


def broods(rng):
    """Ticks on chicks of 118 broods, as in the grouse study of Elston et al. (2001): inputs are those of the brood."""
    brood = np.sort(rng.integers(0, 118, 403))
    height = np.round(rng.normal(462, 35, 118), 1)
    ticks = rng.poisson(np.exp(rng.normal(1.0, 1.0, 118)))[brood] + rng.poisson(1.0, 403)
    place, year = rng.integers(1, 64, 118), rng.integers(95, 98, 118)
    inputs = {"brood": [f"b{k}" for k in brood], "height": height[brood], "place": place[brood], "year": year[brood]}
    return pd.DataFrame({**inputs, "ticks": ticks})


def test_copies_are_those_of_the_fit_and_the_others_are_replicates():
    """Rows with the inputs of another row used to be called copies, and the advice was to remove them."""
    frame = broods(np.random.default_rng(0))
    schema, rows, remarks = describe_table(frame, "ticks", task="regression")
    model = KernelRegressor("fast", time_limit=1.0, columns={"brood": "category"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = model.fit(rows.X, rows.y).remark()
    assert said == f"{rows.copies.surplus} rows are copies of others and count with them"
    assert 50 < rows.copies.surplus == frame.duplicated().sum()
    several = frame.groupby("brood")["ticks"].transform("nunique") > 1
    assert rows.copies.replicates == several.sum()
    assert [line for line in remarks if "replicates" in line] == [
        f"{several.sum()} rows have the inputs of another row and a different target (replicates), which is no fault. "
        "Rows with equal inputs are in the same fold, so that the scores are those of new inputs."
    ]
    units = pd.factorize(frame["brood"])[0]
    assert not any(torn(FoldOptions(folds=4).splits(rows, schema), units))
    np.testing.assert_array_equal(rows.left_out_together, rows.units)


def test_a_few_copies_are_told(frame):
    remarks = describe_table(pd.concat([frame, frame[:1]]), "y")[2]
    assert "1 row is a copy of another (equal inputs and equal target) and counts with it." in remarks
    remarks = describe_table(pd.concat([frame, frame[:2]]), "y")[2]
    assert "2 rows are copies of others (equal inputs and equal target) and count with them." in remarks
    assert not any("copies" in line for line in describe_table(pd.concat([frame, frame]), "y")[2])  # a doubt tells


def test_copies_in_different_groups_are_rows_of_their_own(frame):
    twice = pd.concat([frame.assign(who=np.arange(60)), frame.assign(who=100 + np.arange(60))])
    assert describe_table(twice, "y", group="who")[1].copies.surplus == 0
    assert describe_table(twice.assign(who=np.tile(np.arange(60), 2)), "y", group="who")[1].copies.surplus == 60


def test_equal_rows_of_a_few_categories_are_no_copies():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"sex": rng.choice(["m", "f"], 200), "class": rng.choice(["1st", "2nd", "3rd"], 200)})
    found = find_copies(X, rng.integers(0, 5, 200))
    assert (found.surplus, found.replicates, found.repeated) == (0, 0, 0.0)
    assert found.remarks() == []


def test_missing_cells_are_equal_to_each_other():
    X = pd.DataFrame({"a": [1.5, 1.5, 2.5, 3.5], "b": [np.nan, np.nan, 7.25, 8.25], "c": ["u", "u", "v", None]})
    found = find_copies(X, [0, 0, 1, 1])
    assert (found.surplus, found.replicates) == (1, 0)
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
