"""Terminal, JSON and page show the same error, relevances, doubts and candidates, in the same words."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from kernelect.facts.doubts import what_was_checked

FIT = ("fit", "table.csv", "--target", "sick", "--folds", "3", "--seed", "1", "--force")


class Page(HTMLParser):
    """Collects the main figure, the cells of two tables and the doubts of a page."""

    def __init__(self):
        super().__init__()
        self.figure, self.doubts, self._inside = "", [], ""
        self.cells = {"table-relevance": [], "table-candidates": []}

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if given.get("class") in ("figure", "unit"):
            self._inside = given["class"]
        elif "data-code" in given or "data-checked" in given:
            self._inside = "doubt"
            self.doubts.append("")
        elif tag == "table":
            self._inside = given.get("id", "")
        elif tag in ("th", "td") and self._inside in self.cells:
            self.cells[self._inside].append("")

    def handle_endtag(self, tag):
        if tag in ("p", "li", "table"):
            self._inside = ""

    def handle_data(self, data):
        if self._inside == "figure":
            self.figure += data
        elif self._inside == "doubt":
            self.doubts[-1] += data
        elif self.cells.get(self._inside) and data.strip():
            self.cells[self._inside][-1] += data

    def rows(self, table, columns, kept):
        """Return the first cells of every row below the headings."""
        cells = self.cells[table]
        return [tuple(map(squeezed, cells[at : at + kept])) for at in range(columns, len(cells), columns)]


@pytest.fixture
def table(tmp_path):
    """A small table with missing cells and categories, in which one class is rare: there are doubts."""
    rng = np.random.default_rng(4)
    age, dose = rng.normal(50.0, 9.0, size=70), rng.uniform(size=70)
    sick = (age + 20.0 * dose + rng.normal(0.0, 6.0, size=70)) > 73.0
    ward = rng.choice(["north", "south", "east"], size=70)
    age[::9] = np.nan
    frame = pd.DataFrame({"age": age, "dose": dose, "ward": ward, "sick": np.where(sick, "yes", "no")})
    frame.to_csv(tmp_path / "table.csv", index=False)
    return tmp_path


def squeezed(text):
    """Return words with one space between them, whether a line may end there or not."""
    return " ".join(text.split())


def read_terminal(text):
    """Return error, relevances, doubts and candidates as they stand on the terminal."""
    error = re.search(r"misclassifies (.+?) of new rows", squeezed(text))[1]
    listed = re.search(r"Relevance of columns.*?\n(.*?)\n\n", text, flags=re.DOTALL)[1]
    rows = re.findall(r"^ (\S+) +\S+ ± \S+ +(\d+\.\d %)", listed, flags=re.MULTILINE)
    doubts = re.search(r"What to doubt\n(.*?)\n\n", text, flags=re.DOTALL)[1]
    candidates = re.findall(
        r"^((?:Least squares|Gaussian process|Random forest)\b.*?) +(\d+\.\d %) +(\S+ ± \S+) ", text, flags=re.MULTILINE
    )
    return error, [tuple(row) for row in rows], squeezed(doubts), candidates


def read_page(text):
    page = Page()
    page.feed(text)
    headings = page.cells["table-relevance"]
    columns = 4 if "inputs made from it" in headings else 3
    rows = [(name, share) for name, _, share in page.rows("table-relevance", columns, 3)]
    candidates = page.rows("table-candidates", 5, 3)
    return squeezed(page.figure), rows, squeezed(" ".join(page.doubts)), candidates


def read_json(text):
    facts = json.loads(text)
    estimate = next(one for one in facts["quality"]["estimates"] if one["role"] == facts["quality"]["shown"])
    error = next(score["words"] for score in estimate["scores"] if score["name"] == facts["quality"]["main"])
    shares = {one["name"]: one["words"] for one in facts["relevance"]["shares"]}
    rows = [(one["name"], shares[one["name"]]) for one in facts["relevance"]["held_out"]]
    doubts = " ".join(f"{doubt['sentence']} {doubt['advice']}" for doubt in facts["doubts"])
    found = facts.get("mixture", {}).get("candidates", [])
    doubts = f"{doubts} {what_was_checked(facts)}"
    return error, rows, doubts, [(one["name"], one["weight_words"], one["words"]) for one in found]


@pytest.mark.parametrize(
    "machine",
    [("--machine", "lssvm"), pytest.param(("--effort", "fast"), marks=pytest.mark.slow)],
    ids=["lssvm", "auto"],
)
def test_terminal_json_and_page_show_the_same(run, table, machine):
    words = (*FIT, *machine)
    wide = {"env": {"COLUMNS": "160"}}
    at_first = read_terminal(run(*words, **wide).stdout)
    assert at_first[3] == []  # how the model was found is for those who ask
    shown = read_terminal(run("inspect", "model.kernelect", **wide).stdout)
    error, rows, doubts, candidates = shown
    assert at_first[:3] == shown[:3]
    assert len(candidates) == (5 if "fast" in machine else 0)
    assert re.fullmatch(r"\d+\.\d ± \d+\.\d %", error)
    assert {name for name, _ in rows} == {"age", "dose", "ward"}
    assert "Class yes has only" in doubts
    page = (table / "report.html").read_text()
    assert read_page(page) == shown
    assert read_json(re.search(r'id="facts">(.*?)</script>', page, flags=re.DOTALL)[1]) == shown
    assert read_json(run(*words, "--json").stdout) == shown
    assert read_json(run("inspect", "model.kernelect", "--json").stdout) == shown
    reported = run("report", "model.kernelect", "table.csv", "--out", "again.html", **wide)
    assert read_terminal(reported.stdout)[:3] == shown[:3]
    assert read_page((table / "again.html").read_text()) == shown
