"""Cells as people write them: numbers, dates, codes for missing cells."""

import numpy as np
import pandas as pd
import pytest

from kernelect import KernelClassifier
from kernelect.exceptions import InvalidArgument
from kernelect.inputs import Wishes, as_frame, describe, fit_coding
from kernelect.inputs.dates import check_form, days_of, find_form
from kernelect.inputs.notes import sentences
from kernelect.inputs.numerals import decimal_sign, read_numerals
from kernelect.inputs.readings import Reading, adapted, may_be_categories, missing_codes, values_of


def role(cells, **wishes):
    (found,) = describe(as_frame(pd.DataFrame({"x": cells})), Wishes(**wishes))
    return found


def numbers(cells, **wishes):
    frame = as_frame(pd.DataFrame({"x": cells}))
    (found,) = describe(frame, Wishes(**wishes))
    assert found.kind == "number"
    return values_of(frame.columns[0], found.kind, found.reading)


@pytest.mark.parametrize(
    ("text", "decimal", "value"),
    [
        ("3.380,34", ",", 3380.34),
        ("3,380.34", ".", 3380.34),
        ("1 234.5", ".", 1234.5),
        ("1\N{NO-BREAK SPACE}234,5", ",", 1234.5),
        ("1'234'567.5", ".", 1234567.5),
        ("1.234", ".", 1.234),
        ("1.234", ",", 1234.0),
        ("1,234", ".", 1234.0),
        ("1,234", ",", 1.234),
        ("0.5", ",", 0.5),
        ("9%", ".", 9.0),
        ("9,5 %", ",", 9.5),
        ("<0,5", ",", 0.5),
        (">= 7", ".", 7.0),
        ("€ 12", ".", 12.0),
        ("$1,200", ".", 1200.0),
        ("1200 EUR", ".", 1200.0),
        ("-$5", ".", -5.0),
        ("$-5", ".", -5.0),
        ("(15)", ".", -15.0),
        ("\N{MINUS SIGN}3", ".", -3.0),
        ("+2.5e-3", ".", 0.0025),
        (".5", ".", 0.5),
        ("5.", ".", 5.0),
    ],
)
def test_numerals(text, decimal, value):
    assert read_numerals([text], decimal).values[0] == value


@pytest.mark.parametrize(
    "text", ["", "-", "1-2", "12 34", "1.2.3", "1,23,456", "1 23", "(5", "a1", "1_000", "nan", "5 kg"]
)
def test_texts_that_are_no_numbers(text):
    assert np.isnan(read_numerals([text]).values[0])


@pytest.mark.parametrize(
    ("texts", "sign"),
    [
        (["1.234", "0,5"], ","),
        (["1.234,5"], ","),
        (["1.234.567"], ","),
        (["1,234", "0.5"], "."),
        (["1,234,567"], "."),
        (["1.234", "2.345"], None),
        (["1,234"], None),
        (["a,b", "c.d", None], None),
    ],
)
def test_a_column_proves_its_decimal_sign(texts, sign):
    assert decimal_sign(texts) == sign


def test_an_open_column_is_read_as_the_rest_of_the_table():
    cells = ["1.234", "2.345", "12.000"]
    frame = as_frame(pd.DataFrame({"open": cells, "proof": ["0,5", "1,25", "7,5"]}))
    assert [found.reading.decimal for found in describe(frame)] == [",", ","]
    assert describe(as_frame(pd.DataFrame({"open": cells})))[0].reading.decimal == "."


@pytest.mark.parametrize(
    ("learnt", "new", "values"),
    [
        ([True, False], ["True", "maybe", "FALSE", None], [1.0, np.nan, 0.0, np.nan]),
        ([True, False], ["12", "true", "0"], [12.0, 1.0, 0.0]),
        (["1", "0"], ["1", "true", "0"], [1.0, 1.0, 0.0]),
        ([12, 0], ["1", "true", "0"], [1.0, np.nan, 0.0]),
    ],
)
def test_truths_are_numbers_where_the_training_column_was_truths(learnt, new, values):
    cells = np.array(new, dtype=object)
    np.testing.assert_array_equal(values_of(cells, "number", role(learnt).reading), values)


def test_a_decimal_comma_is_said_where_there_is_one():
    said = [
        describe(as_frame(pd.DataFrame({"x": cells})), Wishes(decimal=","))[0].notes
        for cells in (["9%", "8%"], ["1,5", "2"])
    ]
    assert ["comma" in str(notes) for notes in said] == [False, True]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["12 kg", "13.5 kg", "7 kg"], [12.0, 13.5, 7.0]),
        (["12mm", "3mm", "-", "4mm"], [12.0, 3.0, np.nan, 4.0]),
        (["1,5 mg/dL", "2,25 mg/dL"], [1.5, 2.25]),
        (["1 day", "2 days", "30 days"], [1.0, 2.0, 30.0]),
        (["1 200 sq ft", "900 sq ft"], [1200.0, 900.0]),
        (["20 °C", "-3.5 °C"], [20.0, -3.5]),
        (["<5 km", *(f"{i} km" for i in range(6, 20)), "7"], [5.0, *range(6, 20), 7.0]),
    ],
)
def test_a_unit_that_all_cells_share_is_no_part_of_the_number(cells, values):
    np.testing.assert_array_equal(numbers(cells), values)
    assert any("without" in clause for clause, _ in role(cells).notes)


@pytest.mark.parametrize(
    "cells",
    [
        ["12 kg", "26 lb", "7 kg"],
        ["1st", "2nd", "3rd"],
        ["1. White", "2. Black", "3. Asian"],
        ["10a", "10b", "11a"],
        ["12 kg", "13", "14", "15"],  # three of four have none
        ["90-100", "80-89"],
    ],
)
def test_texts_behind_numbers_that_differ_are_categories(cells):
    assert role(cells).kind == "category"


def test_another_table_is_read_with_and_without_the_unit():
    reading = role(["12 kg", "13,5 kg"]).reading
    assert (reading.unit, reading.decimal) == ("kg", ",")
    cells = as_frame(pd.DataFrame({"x": ["1.234 kg", "7", "0.5 kg", "9 lb"]})).columns[0]
    reading = adapted(cells, "number", reading)
    assert reading.decimal == "."
    np.testing.assert_array_equal(values_of(cells, "number", reading), [1.234, 7.0, 0.5, np.nan])


def test_limits_are_numbers_only_among_numbers():
    assert role(["<0.5", "1.5", "2.5", "3.5"]).kind == "number"
    assert role(["<40", ">=40", "<40"]).kind == "category"


def test_cells_for_nothing_do_not_make_numbers_texts():
    assert role(["1", "2", "-", ".", "n.a.", "#DIV/0!"]).kind == "number"
    assert role(["+", "-", "+", "-"]).kind == "category"


def test_codes_with_leading_zeros_are_categories():
    found = role(["01234", "56789", "01234", "43210"])
    assert (found.kind, found.notes[0][1]) == ("category", "01234")
    assert role(["01234", "56789"], kinds={"x": "number"}).kind == "number"
    assert role(["01", "02", "12"]).kind == "number"  # months and hours are written so too


@pytest.mark.parametrize(
    ("text", "form", "iso"),
    [
        ("31.12.1995", "%d.%m.%Y", "1995-12-31"),
        ("31.12.95", "%d.%m.%y", "1995-12-31"),
        ("12/31/2024", "%m/%d/%Y", "2024-12-31"),
        ("31/12/2024", "%d/%m/%Y", "2024-12-31"),
        ("2024/12/31", "%Y/%m/%d", "2024-12-31"),
        ("31-Dec-1995", "%d-%b-%Y", "1995-12-31"),
        ("31 Dezember 1995", "%d %b %Y", "1995-12-31"),
        ("December 31, 1995", "%b %d, %Y", "1995-12-31"),
        ("19951231", "%Y%m%d", "1995-12-31"),
        ("2024-12-31T12:00:00Z", "%Y-%m-%d", "2024-12-31T12:00"),
        ("31.12.1995 6:00 pm", "%d.%m.%Y", "1995-12-31T18:00"),
        ("2024-12-31 01:00+01:00", "%Y-%m-%d", "2024-12-31"),
    ],
)
def test_dates(text, form, iso):
    assert find_form([text], 1.0)[0] == form
    expected = np.datetime64(iso, "s").astype(float) / 86400
    np.testing.assert_allclose(days_of([text], form), expected)


def test_one_day_beyond_the_twelfth_settles_the_order():
    assert find_form(["1/2/2020", "1/13/2020"], 1.0) == ("%m/%d/%Y", False)
    assert find_form(["1/2/2020", "13/1/2020"], 1.0) == ("%d/%m/%Y", False)
    assert find_form(["1/2/2020", "3/4/2020"], 1.0) == ("%m/%d/%Y", True)


def test_dates_that_are_none():
    for text in ("31.13.1995", "30.02.1995", "2024-12-31T25:00", "1995", "12.5"):
        assert find_form([text], 1.0) is None


def test_forms_of_ones_own():
    assert days_of(["1 of 2 in 1970"], check_form("%d of %m in %Y"))[0] == 31.0
    with pytest.raises(InvalidArgument, match="has no year"):
        check_form("%d.%m.")
    with pytest.raises(InvalidArgument, match="cannot be used"):
        check_form("%Y-%Q")


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([1, 2, 3, -999, -999], (-999,)),
        ([10, 20, 80, -99, -99], (-99,)),
        ([0, 3, 27, 999, 999, 9999, 9999], (9999, 999)),
        ([1, 2, 3, -9, -9], (-9,)),
        ([1, 2, 3, -999], ()),  # once may be true
        ([-5, 2, 3, -999, -999], ()),  # negative numbers occur
        ([60, 80, 95, 99, 99], ()),  # no gap
        ([1, 400, -9, -9], ()),  # not far in units of the range
        ([1, 400, -99, -99], (-99,)),
        ([1, 2, 3, 1000, 1000], ()),  # no nines
        ([0, 1, 666, 666], (666,)),
        ([0, 60, 666, 666], (666,)),
        ([0, 70, 666, 666], ()),  # without nines a code lies ten ranges away
        ([-999, -999, 5], ()),  # too little to compare with
    ],
)
def test_codes_for_missing_cells(values, codes):
    found, counts = np.unique(np.array(values, dtype=float), return_counts=True)
    assert missing_codes(found, counts) == codes


def test_codes_are_remarked_and_missing_unless_the_column_is_given():
    cells = [1.0, 2.0, 3.5, -999.0, -999.0]
    found = role(cells)
    assert found.reading.missing_codes == ("-999",)
    assert "has -999, which counts as missing" in sentences([("x", found.notes[0])])[0]
    assert np.isnan(numbers(cells)).sum() == 2
    assert np.isnan(numbers(cells, kinds={"x": "number"})).sum() == 0
    assert np.isnan(numbers(cells, kinds={"x": "number"}, missing_codes={"": ("1",)})).sum() == 1
    assert np.isnan(numbers(["1.5", "2.5", "none", "3"], missing_codes={"x": ("none",)})).sum() == 1


def test_numbers_of_an_array_are_taken_as_they_are():
    X = np.array([[1.0], [2.0], [3.5], [-999.0], [-999.0]])
    assert describe(as_frame(X))[0].reading.missing_codes == ()


def test_codes_of_categories():
    assert may_be_categories(np.array([1.0, 2.0, 3.0]))
    for values in ([0.0, 1.0], [1.0, 2.5, 3.0], [5.0, 6.0, 7.0], [0.0, 1.0, 99.0], np.arange(20.0)):
        assert not may_be_categories(np.array(values))


def test_notes_are_said_once():
    clause = "{is} constant and {was} left out"
    assert sentences([("a", (clause, ""))]) == ["Column 'a' is constant and was left out."]
    many = sentences([(f"c{j}", (clause, "")) for j in range(9)])
    assert many == ["9 columns are constant and were left out: 'c0', 'c1', 'c2', 'c3', 'c4', 'c5' and 3 more."]
    assert sentences([("a", ("{has} x", "2")), ("b", ("{has} x", "3"))]) == ["2 columns have x: 'a' (2), 'b' (3)."]


def test_another_table_may_be_written_otherwise():
    cells = as_frame(pd.DataFrame({"x": ["1,5", "2,25"], "d": ["31.12.1995", "1.1.1996"]})).columns
    assert adapted(cells[0], "number", Reading()).decimal == ","
    assert adapted(cells[1], "date", Reading()).date_format == "%d.%m.%Y"
    open_ = as_frame(pd.DataFrame({"x": ["1.234", "2.345"]})).columns[0]
    assert adapted(open_, "number", Reading(decimal=",")).decimal == ","


@pytest.mark.parametrize(
    ("learnt", "new", "values"),
    [
        (["2.500", "1.25", "7.125"], ["2.500", "2,5", "1.234,5", None, "word"], [2.5, 2.5, 1234.5, np.nan, np.nan]),
        (["2,500", "1,25", "7,125"], ["2,500", "2.5", "1,234.5"], [2.5, 2.5, 1234.5]),
        (["1.234", "2.345", "3.456"], ["1.234", "0,5", "1.234"], [1.234, 0.5, 1.234]),
        (["12/31/2019", "01/02/2020"], ["03/02/2020", "13/02/2020", "2020-03-02"], [18323.0, np.nan, 18323.0]),
        (["31/12/2019", "02/01/2020"], ["03/02/2020", "02/13/2020"], [18295.0, np.nan]),
        (["2020-01-01", "2020-01-02"], ["2020-02-03", "13.02.2020"], [18295.0, np.nan]),
    ],
)
def test_a_cell_is_read_as_in_training_whatever_stands_beside_it(learnt, new, values):
    coding = fit_coding(as_frame(pd.DataFrame({"x": learnt})))
    code = coding.numbers[0]
    frame = as_frame(pd.DataFrame({"x": new}))
    batch = coding(frame)
    rows = np.vstack([coding(as_frame(pd.DataFrame({"x": [cell]}))) for cell in new])
    np.testing.assert_array_equal(batch, rows)
    filled = np.where(np.isnan(values), code.fill, values)
    np.testing.assert_allclose(batch[:, 0], (filled - code.centre) / code.scale)


def test_the_library_reads_frames_as_the_commands_do():
    cells = [f"{i // 7}.{i:03d},5" for i in range(30)] + ["-999"] * 3
    coding = fit_coding(
        as_frame(pd.DataFrame({"x": cells, "race": [1.0, 2.0, 3.0] * 11})), Wishes(kinds={"race": "category"})
    )
    assert [found.kind for found in coding.roles] == ["number", "category"]
    assert coding.roles[0].reading == Reading(decimal=",", missing_codes=("-999",))
    for columns, words in (
        ({"z": "number"}, "there is no column 'z'"),
        ({"x": "text"}, "the kind must be"),
        (3, "a dict"),
    ):
        with pytest.raises(InvalidArgument, match=words):
            KernelClassifier(columns=columns).fit(pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]}), [0, 1, 0, 1])


def test_a_form_that_is_given_leaves_nothing_open():
    cells = ["01/02/2024", "03/04/2024", "5.6.2024"]
    found = role(cells, kinds={"x": "date"}, readings={"x": Reading(date_format="%d/%m/%Y")})
    assert found.notes == (("{has} cells that are no dates and count as missing", "1, such as '5.6.2024'"),)


@pytest.mark.parametrize("start", [1234567890123456_0000, 7])
def test_numbers_that_double_precision_does_not_tell_apart_are_not_called_constant(start):
    cells = [str(start + k % 9 * (start > 7)) for k in range(40)]
    (role,) = describe(as_frame(pd.DataFrame({"id": cells})))
    assert role.kind == "unused"
    assert role.reason == ("it is the same to 16 digits" if start > 7 else "it is constant")
    kept = describe(as_frame(pd.DataFrame({"id": cells})), Wishes(kinds={"id": "category"}))
    assert kept[0].kind == ("category" if start > 7 else "unused")
