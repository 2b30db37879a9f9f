import html
import json
import os
import re
import sys
from dataclasses import asdict
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from kernelect.exceptions import InvalidArgument
from kernelect.facts.doubts import what_was_checked
from kernelect.facts.plain import as_plain
from kernelect.facts.survival import SurvivalCurves
from kernelect.report import page as page_module
from kernelect.report import render, write_report
from kernelect.report.drawing import draw_picture
from kernelect.report.terms import unbroken


class Reader(HTMLParser):
    """Collects tags, scripts and the text that a person sees."""

    def __init__(self):
        super().__init__()
        self.tags, self.scripts, self.text, self.identifiers = [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.identifiers += [value for name, value in attributes if name == "id"]

    def handle_data(self, data):
        inside = self.tags[-1][0] if self.tags else ""
        (self.scripts if inside == "script" else self.text).append(data)


@pytest.fixture(scope="module")
def page(hostile_facts):
    return render(hostile_facts)


@pytest.fixture(scope="module")
def read(page):
    reader = Reader()
    reader.feed(page)
    return reader


def test_nothing_points_outside(page, read):
    assert not re.search(r"""(src|href)\s*=\s*["'](?!#|data:)""", re.sub(r"<script.*", "", page, flags=re.DOTALL))
    assert "@import" not in page
    policies = [tag[1]["content"] for tag in read.tags if tag[1].get("http-equiv") == "Content-Security-Policy"]
    assert policies[0].startswith("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-")


def test_markup_in_names_is_shown_as_text(read, hostile_table):
    assert sum(tag == "script" for tag, _ in read.tags) == 6  # facts, controls; copy buttons, threshold, model, what-if
    assert not [tag for tag, _ in read.tags if tag == "img"]
    assert not [tag for tag, _ in read.tags if tag == "b"]
    text = "".join(read.text)
    for name in (*hostile_table[0].columns[:4], "<b>bold</b>"):
        assert name in text


def test_facts_are_embedded(page, hostile_facts):
    found = re.search(r'<script type="application/json" id="facts">(.*?)</script>', page, flags=re.DOTALL)
    assert json.loads(found[1]) == {name: part for name, part in hostile_facts.items() if name != "what_if"}


def test_every_picture_is_there_with_words_for_those_who_cannot_see_it(read, hostile_facts):
    pictures = [attributes for tag, attributes in read.tags if tag == "svg"]
    assert len(pictures) == len(hostile_facts["pictures"])
    for drawn, picture in zip(sorted(one["aria-label"] for one in pictures), _labels(hostile_facts), strict=True):
        assert drawn == picture


def _labels(facts):
    return sorted(f"{picture['title']}. {picture['caption']}" for picture in facts["pictures"])


def test_identifiers_are_unique_and_used(page, read):
    assert len(read.identifiers) == len(set(read.identifiers))
    used = set(re.findall(r"url\(#([^)]*)\)", page)) | set(re.findall(r'href="#([^"]+)"', page))
    assert used <= set(read.identifiers)


def test_pictures_take_the_page_s_colours(page):
    drawings = "".join(re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL))
    colours = set(re.findall(r"#[0-9a-f]{6}\b", drawings))
    assert not colours, f"these do not follow light and dark: {colours}"
    defined = set(re.findall(r"(--[\w-]+):", page))
    assert set(re.findall(r"var\((--[\w-]+)\)", page)) <= defined


def test_a_name_that_was_cut_is_there_in_full(page):
    assert re.search(r"a column whose na…ear 2019<title>a column whose name goes on .* the year 2019</title>", page)


def test_mathematics_is_not_typeset(page):
    assert "$\\frac{a}{$" in page


def test_the_same_facts_give_the_same_page_also_from_json(hostile_facts, page):
    assert render(json.loads(json.dumps(hostile_facts))) == page
    assert len(page) < 700_000


def test_without_doubts_the_page_says_what_was_checked(hostile_facts):
    sound = hostile_facts | {"doubts": [], "pictures": [], "threshold": None, "calibration": None, "influence": []}
    assert html.escape(what_was_checked(sound)) in " ".join(render(sound).split())


def test_other_schemas_are_refused(hostile_facts):
    with pytest.raises(
        InvalidArgument,
        match="facts of schema 99 cannot be shown .* knows schema 4: gather them again",
    ):
        render(hostile_facts | {"schema": 99})


def test_a_page_is_written_and_written_over(tmp_path, hostile_facts):
    path, hostile_facts = tmp_path / "report.html", hostile_facts | {"pictures": hostile_facts["pictures"][:1]}
    write_report(path, hostile_facts)
    assert path.read_text(encoding="utf-8") == render(hostile_facts)
    assert os.listdir(tmp_path) == ["report.html"]
    write_report(str(path), hostile_facts | {"title": "other"})
    assert "other" in path.read_text(encoding="utf-8")


def test_a_missing_jinja_is_explained(monkeypatch, hostile_facts):
    page_module.templates.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"The report needs jinja2: install it with .*kernelect\[report\]"):
        page_module.templates()


def test_text_and_background_differ_enough():
    css = Path(page_module.__file__).with_name("templates").joinpath("report.css").read_text()
    light, dark = (dict(re.findall(r"(--[\w-]+): (#[0-9a-f]{6})", block)) for block in css.split("@media screen")[:2])
    for colours in (light, dark):
        for text in ("--ink", "--quiet", "--accent", "--warn"):
            assert contrast(colours[text], colours["--card"]) >= 4.5, text
        for line in (f"--series-{number}" for number in range(1, 7)):
            assert contrast(colours[line], colours["--card"]) >= 3.0, line
        assert contrast(colours["--ink"], colours["--warn-soft"]) >= 7.0


def contrast(one, other):
    """Return the contrast ratio of WCAG 2."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour):
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_no_line_ends_between_a_figure_and_its_unit():
    assert unbroken("13.9 ± 1.6 % in 3 min 20 s, 5 steps") == "13.9 ±\u00a01.6\u00a0% in 3\u00a0min 20\u00a0s, 5 steps"


def test_candidates_that_there_was_no_time_for_are_counted_not_listed(hostile_facts):
    one = {"name": "lssvm, ard, as it is", "weight_words": "100.0 %", "score": 0.2, "words": "0.20", "seconds": 1.0}
    late = {**one, "name": "forest, partitions", "weight_words": "", "score": None, "words": ""}
    shared = {"view": "", "kernel": "", "machine": "", "standard_error": None, "weight": 1.0, "status": "converged"}
    mixture = {
        "effort": "fast",
        "score": "log-loss",
        "candidates": [shared | one, shared | late],
        "loss": {"sentence": "The candidate alone is worse.", "best": "", "mixture": 0.2, "value": 0.0},
    }
    page = render(hostile_facts | {"mixture": mixture})
    listed = re.search(r'<div class="names">(.*?)</div>', page, flags=re.DOTALL)[1]
    assert re.search(r"<dd>1 of 2\s", listed)
    assert "forest" not in listed


def test_marks_that_a_picture_is_about_all_stay():
    """Below a survival curve stand rows at risk, too long to be thinned out as numbers are."""
    rng = np.random.default_rng(0)
    time, predicted = rng.exponential(50.0, 300), rng.normal(size=300)
    record = SurvivalCurves.of(time, np.ones(300, dtype=bool), predicted)
    facts = {"kind": "survival", "title": "t", "caption": "c", "section": "quality", "record": as_plain(asdict(record))}
    drawn = draw_picture(facts, "p")
    assert len(record.marks) >= 3
    found = re.findall(r">(\d+)</t", drawn)
    assert all(found.count(f"{count:.0f}") >= np.sum(record.at_risk == count) for count in record.at_risk.ravel())


def test_long_numbers_below_a_narrow_axis_do_not_touch():
    """Names at its side leave it little room: some numbers go, but not all."""
    record = {
        "names": ["Overall_Condition = Below_Average"] * 3,
        "values": [40_000.0, 30_000.0, -10_000.0],
        "base": 90_000.0,
        "total": 150_000.0,
        "label": "prediction",
    }
    svg = draw_picture({"kind": "waterfall", "title": "t", "caption": "c", "section": "rows", "record": record}, "p")
    ticks = re.search(r'<g id="p-matplotlib.axis_1">(.*?)<g id="p-matplotlib.axis_2">', svg, re.DOTALL)[1]
    places = [float(x) for x in re.findall(r'<text[^>]*?x="([0-9.]+)"', ticks)]
    apart = sorted(places[:-1])  # the last one is the label of the axis
    assert len(apart) >= 2
    assert min(b - a for a, b in pairwise(apart)) > 40.0  # points: 150 000 in letters of ten
