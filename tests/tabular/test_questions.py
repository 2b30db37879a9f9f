"""Whole numbers that may stand for categories are asked about."""

import numpy as np
import pandas as pd
import pytest

from kernelect.tabular import columns_text, describe_table, read_columns

N = 120


def asked(rng, name, values, effect=None, **given):
    """Return the question about a column whose values have some effect on the target."""
    cells = rng.choice(values, N)
    y = rng.normal(size=N) + (0.0 if effect is None else np.array([effect[v] for v in cells]))
    frame = pd.DataFrame({name: cells, "dose": rng.normal(size=N), "y": y})
    return [remark for remark in describe_table(frame, "y", **given)[2] if "a few whole numbers" in remark]


@pytest.mark.parametrize("name", ["race", "cellType", "alcoholtype", "Marital", "birthplace", "region_code"])
def test_names_of_things_without_order(rng, name):
    (question,) = asked(rng, name, [2, 3, 4, 8])
    assert question == (
        f"Column {name!r} holds a few whole numbers and was read as numbers. If they stand for categories, use "
        f"--categorical {name!r}."
    )
    assert asked(rng, name, [2, 3, 4, 8], categorical=[name]) == []
    assert asked(rng, name, [1000, 20000, 5000]) == []  # amounts, whatever they are called


def test_targets_that_go_up_and_down_along_the_numbers(rng):
    assert len(asked(rng, "x", [1, 2, 3, 4], {1: 0.0, 2: 3.0, 3: -3.0, 4: 1.0})) == 1
    assert asked(rng, "x", [1, 2, 3, 4], {1: 0.0, 2: 1.0, 3: 2.0, 4: 5.0}) == []  # ordered, if not evenly
    assert asked(rng, "x", [1, 2, 3, 4]) == []
    assert asked(rng, "x", [5, 6, 7, 8], {5: 0.0, 6: 3.0, 7: -3.0, 8: 1.0}) == []  # codes begin with 0 or 1


def test_classes_are_looked_at_one_by_one(rng):
    cells = rng.choice([1, 2, 3], N)
    y = np.where(cells == 2, "b", np.where(rng.uniform(size=N) < 0.5, "a", "c"))
    frame = pd.DataFrame({"x": cells, "dose": rng.normal(size=N), "y": y})
    assert any("--categorical 'x'" in remark for remark in describe_table(frame, "y")[2])


def test_many_columns_make_one_question(rng):
    frame = pd.DataFrame({f"type_{j}": rng.integers(1, 4, N) for j in range(8)}).assign(y=rng.normal(size=N))
    (question,) = (remark for remark in describe_table(frame, "y")[2] if "a few whole numbers" in remark)
    assert question.startswith("8 columns hold a few whole numbers")
    assert question.endswith("'type_0,type_1,type_2,type_3,type_4,type_5' (and 2 more columns).")


def test_lines_of_code_are_no_codes(rng):
    assert asked(rng, "locCodeAndComment", [0, 1, 2]) == []
    assert len(asked(rng, "areaCode", [0, 1, 2])) == 1


def test_amounts_by_how_often_they_occur_are_not_asked_about(rng):
    """Rooms of a house: most have one or two, hardly any has five; the price goes up and down all the same."""
    effect = {0: 6.0, 1: 0.0, 2: 5.0, 3: 5.0, 4: 5.0}
    rooms, codes = (
        [0] * 4 + [1] * 60 + [2] * 38 + [3] * 15 + [4] * 2,
        [0] * 30 + [1] * 10 + [2] * 40 + [3] * 9 + [4] * 30,
    )
    for cells, questions in ((rooms, 0), (codes, 1)):
        y = rng.normal(size=len(cells)) + [effect[cell] for cell in cells]
        frame = pd.DataFrame({"x": cells, "dose": rng.normal(size=len(cells)), "y": y})
        assert sum("a few whole numbers" in remark for remark in describe_table(frame, "y")[2]) == questions


def test_spellings_of_a_category_are_one_category(rng, tmp_path):
    frame = pd.DataFrame({"smoker": rng.choice(["yes", "yes", "YES ", "no"], N), "b": rng.choice(["x", "X"], N)})
    frame["y"] = rng.normal(size=N)
    schema, rows, remarks = describe_table(frame, "y")
    by_name = {column.name: column for column in schema.columns}
    assert by_name["smoker"].categories == ("no", "yes")
    assert set(rows.X["smoker"]) == {"no", "yes"}
    assert by_name["b"].categories == ("X", "x")  # as one category it would be constant
    said = (
        "Column 'smoker' has categories in several spellings, which count as one unless --categorical names the column"
    )
    assert [remark for remark in remarks if "spellings" in remark] == [f"{said} ('YES' counts as 'yes')."]

    new = pd.DataFrame({"smoker": ["yEs", "NO", "maybe", None], "b": ["x"] * 4})
    assert schema.inputs(new)["smoker"].fillna("").tolist() == ["yes", "no", "maybe", ""]
    (tmp_path / "columns.toml").write_text(columns_text(schema, "t.csv"))
    known = read_columns(tmp_path / "columns.toml")
    again, _, more = describe_table(frame, "y", known=known)
    assert again.columns == schema.columns
    assert not any("spellings" in remark for remark in more)

    apart, _, more = describe_table(frame, "y", categorical=["smoker"])
    assert {column.name: len(column.categories) for column in apart.columns} == {"smoker": 3, "b": 2}
    assert not any("spellings" in remark for remark in more)
