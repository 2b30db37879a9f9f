"""Terms on the page, each with what it means."""

import re

import pytest

from kernelect.facts.numbers import LARGER_IS_BETTER
from kernelect.facts.stakes import metric_named
from kernelect.report import render
from kernelect.report.terms import TERMS, explained, unbroken

DOUBT = {"code": "giveaway", "severity": 4, "advice": "Look.", "figures": {}}


def test_the_first_of_every_term_is_explained():
    shown = explained("Leave-one-out log-loss, and log-loss again")
    assert shown.count("<abbr") == 2
    assert f'<abbr title="{TERMS["log-loss"].replace(chr(39), "&#x27;")}">log-loss</abbr>, and log-loss again' in shown
    assert shown.startswith('<abbr title="Every row is predicted by the model')


@pytest.mark.parametrize("text", ["preprecision", "pre-recall", "F10", "kernels_of", "auction"])
def test_parts_of_words_are_no_terms(text):
    assert explained(text) == text


def test_names_of_columns_are_no_terms(hostile_facts):
    assert explained("It depends on prior.", {"prior"}) == "It depends on prior."
    facts = {**hostile_facts, "remarks": [], "doubts": [{**DOUBT, "sentence": "Column AUC alone, and the log-loss."}]}
    shown = render({**facts, "columns": [{**hostile_facts["columns"][0], "name": "auc"}]})
    assert "Column AUC alone, and the <abbr" in shown


def test_everything_else_is_escaped():
    shown = explained('<script>alert("AUC & F1")</script>')
    assert "<script" not in shown
    assert "&amp; <abbr" in shown
    assert re.sub(r"</?abbr[^>]*>", "", shown) == "&lt;script&gt;alert(&quot;AUC &amp; F1&quot;)&lt;/script&gt;"


def test_every_score_is_a_term():
    names = {
        metric_named(word, "classification", 2) for word in ("log-loss", "auc", "average-precision", "brier", "f1")
    }
    names |= {metric_named(word, "regression", None) for word in ("rmse", "mae", "r2")} | set(LARGER_IS_BETTER)
    assert names <= set(TERMS)


def test_scores_and_captions_of_a_page_are_explained(hostile_facts):
    page = render(hostile_facts)
    table = re.search(r'<table id="table-scores">.*?</table>', page, flags=re.DOTALL)[0]
    assert '">outer folds</abbr></th>' in table
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", page, flags=re.DOTALL)
    assert any("<abbr title=" in caption for caption in captions)


def test_no_line_ends_behind_the_dashes_of_an_option():
    assert unbroken("say --class-weight balanced, <b>") == (
        'say <span class="option">--class-weight</span> balanced, &lt;b&gt;'
    )
    assert '<span class="option">--time-limit</span>' in explained("The kernel had no time (--time-limit 3).")
    assert unbroken("a--b ---c") == "a--b ---c"
