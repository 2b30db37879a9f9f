"""Columns that name subjects are groups of rows, and ranks, births and times are inputs."""

import numpy as np
import pandas as pd
import pytest

from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table
from kernelect.tabular.parts_left_out import PartsLeftOut
from kernelect.tabular.subjects import words_of


@pytest.fixture
def visits():
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(20), 5)
    return pd.DataFrame({"x": rng.normal(size=100), "y": rng.normal(size=20)[who] + rng.normal(size=100)}), who


@pytest.mark.parametrize(
    "name", ["Subject ID", "id", "subject", "prof_id", "Pig", "individual", "bike_id", "patientNr"]
)
@pytest.mark.parametrize("text", [False, True])
def test_a_column_that_names_subjects_is_a_group(visits, name, text):
    frame, who = visits
    frame = frame.assign(**{name: [f"s{w}" for w in who] if text else who + 100})
    schema, rows, remarks = describe_table(frame, "y")
    assert ([column.name for column in schema.columns], schema.group) == (["x"], name)
    assert np.array_equal(rows.groups, who)
    said = f"Column {name!r} is taken for the subjects that rows belong to: folds and leave-one-out leave out whole"
    assert any(line.startswith(said) and line.endswith("(20 subjects in 100 rows).") for line in remarks)
    for train, test in FoldOptions(5).splits(rows, schema):
        assert not set(who[train]) & set(who[test])


@pytest.mark.parametrize("how", [{"keep": ["id"]}, {"categorical": ["id"]}, {"time": "when"}, {"find_group": False}])
def test_the_user_decides(visits, how):
    frame, who = visits
    schema, _, _ = describe_table(frame.assign(id=who, when=np.arange(100.0)), "y", **how)
    assert schema.group is None
    assert "id" in [column.name for column in schema.columns]
    assert describe_table(frame.assign(id=who), "y", drop=["id"])[0].group is None


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("id", np.repeat(np.arange(4), 25)),  # four groups are a factor
        ("type_id", np.repeat(np.arange(20), 5)),  # a kind of things
        ("students", np.repeat(np.arange(20), 5)),  # a number of them
        ("subject", np.repeat(np.arange(60), 2)[:100]),  # below: amounts that are neither even nor in blocks
        ("user", np.random.default_rng(1).poisson(40, 100)),
        ("patient", np.repeat(np.arange(20), 5) + 0.5),
    ],
)
def test_what_names_no_subjects(visits, name, values):
    frame, _ = visits
    expected = name if name == "subject" else None
    assert describe_table(frame.assign(**{name: values}), "y")[0].group == expected


def test_an_identifier_with_hardly_two_rows_each_is_a_group_and_a_noun_is_not(visits):
    frame, _ = visits
    pairs = np.repeat(np.arange(70), np.where(np.arange(70) < 30, 2, 1))
    assert describe_table(frame.assign(case_id=[f"c{p}" for p in pairs]), "y")[0].group == "case_id"
    assert describe_table(frame.assign(person=pairs), "y")[0].group is None
    nearly = np.repeat(np.arange(90), np.where(np.arange(90) < 10, 2, 1))
    assert describe_table(frame.assign(case_id=nearly), "y")[0].group is None


def test_persons_are_left_out_with_their_household(visits):
    frame, who = visits
    schema, _, remarks = describe_table(frame.assign(person_id=who, household_id=who // 2), "y")
    assert (schema.group, schema.unused["person_id"]) == ("household_id", "its values name subjects")
    assert any("'person_id' was left out: its values name subjects" in line for line in remarks)


def test_a_model_is_scored_on_new_subjects(visits):
    frame, who = visits
    schema, rows, _ = describe_table(frame.assign(subject=who), "y")
    model = fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), FoldOptions(3))
    names = [estimate["name"] for estimate in model.facts["quality"]["estimates"]]
    assert any("by subject" in name for name in names)


def test_words_of_names():
    assert words_of("SubjectID") == words_of("subject_id") == words_of("subjectid") == ["subject", "id"]
    assert words_of("Patient Nr.") == ["patient", "nr"]
    assert words_of("...") == []


def test_ranks_are_inputs_and_row_numbers_are_not(visits):
    frame, _ = visits
    ranks = np.random.default_rng(3).permutation(100) + 1

    def used(**columns):
        return [column.name for column in describe_table(frame.assign(**columns), "y")[0].columns]

    assert used(wealth=ranks) == ["x", "wealth"]
    gaps = np.delete(np.random.default_rng(3).permutation(120) + 1, np.arange(20))
    assert used(wealth=gaps) == ["x", "wealth"]
    assert used(wealth=gaps + 60) == ["x"]  # beyond ranks of so many rows
    assert used(wealth=np.arange(1, 101)) == ["x"]
    for name in ("rank_id", "X", "Unnamed: 0", "obs", "V1"):
        assert used(**{name: ranks}) == ["x"]


def test_dates_of_birth_are_inputs(visits):
    frame, _ = visits
    born = pd.to_datetime("1960-01-01") + pd.to_timedelta(np.random.default_rng(0).integers(0, 9000, 100), "D")
    for name, expected in (("date_of_birth", ["x", "date_of_birth"]), ("DOB", ["x", "DOB"]), ("seen", ["x"])):
        schema, rows, _ = describe_table(frame.assign(**{name: born.strftime("%Y-%m-%d")}), "y")
        assert [column.name for column in schema.columns] == expected
        assert rows.dated == (() if len(expected) == 2 else ("seen",))


@pytest.mark.parametrize(
    ("cells", "hours"),
    [
        (["1h 40m", "55m", "2h", "1h 5m"], [1 + 40 / 60, 55 / 60, 2.0, 1 + 5 / 60]),
        (["13:30", "9:15", "00:45", "23:59"], [13.5, 9.25, 0.75, 23 + 59 / 60]),
        (["1:30 PM", "12:15 am", "9:00 AM", "12:00 pm"], [13.5, 0.25, 9.0, 12.0]),
        (["2 days 3 hours", "1 day", "5 hours", "30 min"], [51.0, 24.0, 5.0, 0.5]),
    ],
)
def test_times_are_numbers_of_hours(visits, cells, hours):
    frame, _ = visits
    _, rows, remarks = describe_table(frame.assign(took=cells * 25), "y")
    np.testing.assert_allclose(rows.X["took"].to_numpy()[:4], hours)
    what = "times of day" if ":" in cells[0] else "hours"
    assert f"Column 'took' is read as {what} (such as {cells[0]!r})." in remarks


def test_one_unit_is_no_duration_in_hours(visits):
    frame, _ = visits
    assert describe_table(frame.assign(took=["10 min", "25 min", "30 min", "7 min"] * 25), "y")[1].X["took"][0] == 10.0


def test_names_among_numbers_make_all_of_them_names(visits):
    frame, _ = visits
    station = [str(s) for s in np.tile(np.arange(160, 170), 10)]
    station[8] = station[18] = station[28] = "c168"
    schema, rows, _ = describe_table(frame.assign(station=station), "y")
    assert [column.kind for column in schema.columns] == ["number", "category"]
    assert not rows.X["station"].isna().any()
    typo = [str(s / 4) for s in np.tile(np.arange(160, 170), 10)]
    typo[8] = "c168"
    assert describe_table(frame.assign(level=typo), "y")[0].columns[1].kind == "number"


@pytest.mark.parametrize("classes", [False, True])
def test_the_score_by_row_stands_beside_that_by_subject(visits, classes):
    """Rows are known by their subject's height: left out one by one, the others of the subject tell their target."""
    frame, who = visits
    rng = np.random.default_rng(1)
    y = 3.0 * rng.normal(size=20)[who] + 0.3 * rng.normal(size=100)
    known = frame.assign(id=who, height=rng.permutation(20)[who] + 0.5, y=np.where(y > 0, "a", "b") if classes else y)
    apart = frame.assign(id=who, y=2.0 * frame["x"] + rng.normal(size=100))
    said = []
    for table in (known, apart):
        schema, rows, _ = describe_table(table, "y")
        model = fit_table(rows, schema, MachineOptions("lssvm"), FoldOptions(0))
        said += [remark for remark in model.remarks if "ingle rows" in remark]
    figures = "the error would be " if classes else "the RMSE would be "
    assert said[0].startswith(f"If single rows were left out, not all rows of one id, {figures}")
    assert said[1] == "Single rows are as hard to predict as all rows of one id: scores by row would be no better."


def test_the_score_by_row_is_that_of_refits_without_it(visits):
    frame, who = visits
    schema, rows, _ = describe_table(frame.assign(id=who, height=who + 0.5), "y")
    model = fit_table(rows, schema, MachineOptions("lssvm"), FoldOptions(0)).model
    found = PartsLeftOut.of(model, rows)
    for parts in (who, np.arange(100)):
        left = found.residuals([parts])[0][:, 0]
        spread = found.component.spread
        K = found.component.kernel_part.kernel.gram(found.component.kernel_part.vectors)
        target = K @ found.component.kernel_part.coefficients[:, 0] + found.component.kernel_part.coefficients[:, 0] * (
            spread.ridge / spread.weights
        )
        for part in np.unique(parts)[:3]:
            out, kept = parts == part, parts != part
            A = np.block(
                [
                    [K[np.ix_(kept, kept)] + np.diag(spread.ridge / spread.weights[kept]), np.ones((kept.sum(), 1))],
                    [np.ones((1, kept.sum())), np.zeros((1, 1))],
                ]
            )
            solution = np.linalg.solve(A, [*target[kept], 0.0])
            expected = target[out] - K[np.ix_(out, kept)] @ solution[:-1] - solution[-1]
            np.testing.assert_allclose(left[out], expected, atol=1e-6)


@pytest.mark.parametrize(
    ("cells", "named"), [(np.arange(8), True), ([*"abcdefgh"], False), ([f"s{k}" for k in range(8)], True)]
)
def test_few_subjects_with_many_rows_have_numbers(cells, named):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"subject": np.repeat(cells, 50), "x": rng.normal(size=400), "y": rng.normal(size=400)})
    assert describe_table(frame, "y")[0].group == ("subject" if named else None)
