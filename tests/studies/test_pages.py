"""Every table on a page of results is what its cells give, to the last digit."""

import re
import runpy
from pathlib import Path

import pytest

from kernelect.facts.numbers import fixed

PRINTER = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "print_results.py"))
PAGES = PRINTER["pages"]()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tables_are_those_of_the_cells(page):
    text = page.read_text(encoding="utf-8")
    assert "\n### " in text
    assert PRINTER["printed"](text, PAGES[page]) == text


def test_a_changed_digit_is_seen():
    page = next(page for page in PAGES if page.stem == "medium")
    text = page.read_text(encoding="utf-8")
    at = re.search(r"(?m)^\| KernelClassifier.*\| (\d)", text).start(1)
    changed = text[:at] + fixed((int(text[at]) + 1) % 10, 0) + text[at + 1 :]
    assert PRINTER["printed"](changed, PAGES[page]) == text


def test_the_comparison_in_the_readme_is_that_of_the_cells():
    text = PRINTER["README"].read_text(encoding="utf-8")
    assert "| random forest |" in text.split("<!-- comparison -->")[1].split("<!-- end -->")[0]
    assert PRINTER["summed_up"](text) == text
    assert PRINTER["summed_up"](text.replace("| random forest | 0.", "| random forest | 9.")) == text
