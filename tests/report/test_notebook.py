"""A report in a notebook: the verdict first, the main pictures, and the whole page in a file."""

import html

import pandas as pd
import pytest

from kernelect import LSSVC
from kernelect.datasets import sparse_inputs
from kernelect.report import show


@pytest.fixture(scope="module")
def shown():
    X, y = sparse_inputs(60, n_features=3, random_state=0)
    return show(LSSVC().fit(X, y), X, pd.Series(y, name="<sick>"))


def test_outside_of_a_notebook_it_is_the_verdict(shown):
    verdict = shown.facts["verdict"]
    assert repr(shown).startswith(f"{verdict['words']}. {verdict['good']}")


def test_a_notebook_shows_the_verdict_and_the_main_pictures_in_a_frame(shown):
    frame = shown._repr_html_()
    assert frame.startswith('<iframe srcdoc="')
    assert frame.count("<") == 2  # nothing of the page leaves its frame
    page = html.unescape(frame)
    assert shown.facts["verdict"]["good"] in page
    assert 'data-kind="confusion"' in page
    assert page.count('data-kind="dependence"') == 2
    assert 'data-kind="surface"' not in page  # how it was found is for the whole page
    assert "There was no time" not in page
    assert "<h1>Predicting <em>&lt;sick&gt;</em></h1>" in page


def test_the_whole_page_can_be_saved(shown, tmp_path):
    shown.save(tmp_path / "report.html")
    assert 'data-kind="surface"' in (tmp_path / "report.html").read_text()
