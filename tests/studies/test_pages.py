"""Every table and every number in a sentence on a page of results is what the CSV files give, to the last digit."""

import csv
import re
import runpy
from pathlib import Path

import pytest

from kernelect.facts.numbers import fixed

PRINTER = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "print_results.py"))
PAPER_TABLES = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "paper_tables.py"))
PAGES = PRINTER["pages"]()
MARKED = PRINTER["marked"]()


def bumped(text, at):
    """Return a text with another digit at one place."""
    return text[:at] + fixed((int(text[at]) + 1) % 10, 0) + text[at + 1 :]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tables_are_those_of_the_cells(page):
    text = page.read_text(encoding="utf-8")
    assert PRINTER["printed"](text, PAGES[page]) == text


def test_a_changed_digit_in_a_table_is_seen():
    page = next(page for page in PAGES if page.stem == "medium")
    text = page.read_text(encoding="utf-8")
    at = re.search(r"(?m)^\| KernelClassifier.*\| (\d)", text).start(1)
    assert PRINTER["printed"](bumped(text, at), PAGES[page]) == text


@pytest.mark.parametrize("name", list(PAPER_TABLES["FILES"]))
def test_tables_of_the_papers_pages_are_made_from_the_cells(name):
    with (PAPER_TABLES["MEASURED"] / name).open(encoding="utf-8", newline="") as file:
        kept = list(csv.reader(file))
    assert kept == [[str(cell) for cell in row] for row in PAPER_TABLES["FILES"][name]()]


@pytest.mark.parametrize("page", MARKED, ids=lambda page: page.stem)
def test_numbers_in_sentences_are_those_of_their_cells(page):
    text = page.read_text(encoding="utf-8")
    assert PRINTER["numbered"](text) == text
    assert PRINTER["unmarked"](text) == [], "name their cells, as docs/print_results.py describes it"


@pytest.mark.parametrize("page", MARKED, ids=lambda page: page.stem)
def test_names_of_cells_do_not_end_a_cell_of_the_page(page):
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    assert not [row for row in rows if re.search(r"<!-- = [^>]*[^\\]\|[^>]*-->", row)]


def test_a_changed_digit_in_a_sentence_is_seen():
    marks = [(page, found) for page in MARKED for found in re.finditer(r"\d(?=<!-- = )", page.read_text("utf-8"))]
    assert len(marks) > 60
    for page, found in marks:
        text = page.read_text("utf-8")
        assert PRINTER["numbered"](bumped(text, found.start())) == text


@pytest.mark.parametrize(
    "sentence",
    [
        "It scores 0.93.",
        "Better on 7 of 9 tables.",
        "Best on two of ten.",
        "It takes 12 times as long.",
        "Wrong on 5 %.",
    ],
)
def test_a_number_without_a_cell_is_seen(sentence):
    assert len(PRINTER["unmarked"](f"# Page\n\nWords.\n\n- {sentence}\n")) == 1
    assert PRINTER["unmarked"](f"# 0.93\n\n**How it was run.** {sentence}\n\n    {sentence}\n\n`{sentence}`\n") == []


@pytest.mark.parametrize(
    ("mark", "value"),
    [
        ("peers-error.csv: wine | GPC() | 2", 1.04),
        ("peers-error.csv: rows", 10),
        ("peers-error.csv: LSSVC() < GPC()", 7),
        ("peers-error.csv: max | XGBoost", 24.22),
        ("medium: Labels together: log-loss | CatBoost | won / tied / lost | 3", 3),
    ],
)
def test_a_mark_names_a_cell_or_all_rows(mark, value):
    assert PRINTER["looked_up"](mark) == value


def test_a_mark_that_fits_several_cells_is_refused():
    with pytest.raises(ValueError, match="must fit one of"):
        PRINTER["looked_up"]("peers-error.csv: w | GPC()")


def test_the_comparison_in_the_readme_is_that_of_the_cells():
    text = PRINTER["README"].read_text(encoding="utf-8")
    assert "| random forest |" in text.split("<!-- comparison -->")[1].split("<!-- end -->")[0]
    assert PRINTER["summed_up"](text.replace("| random forest | 0.", "| random forest | 9.")) == text


def test_strips_draw_every_data_set_of_every_method():
    strips = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "_ext" / "strips.py"))
    found = strips["ratios"]("peers-error.csv", "LSSVC()")
    assert found["GPC()"]["wine"] == 2.24 / 3.92
    assert {name: len(dots) for name, dots in found.items()} == dict.fromkeys(found, 10)
    assert len(found) == 9
    picture = strips["drawing"]("peers-error.csv", "LSSVC()", 4)
    assert picture.count("<circle") == 90
    assert "<title>wine: 0.57 times</title>" in picture
