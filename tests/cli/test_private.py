"""Pages that hold rows say so; private ones hold none."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": np.round(rng.normal(size=60), 5), "b": np.round(rng.normal(size=60), 5)})
    frame["y"] = np.round(frame["a"] + 0.3 * rng.normal(size=60), 5)
    frame.loc[7, "y"] = 31.41592  # far off
    frame.to_csv(tmp_path / "t.csv", index=False)
    return frame


def told(page, values):
    """Which of the numbers a page holds."""
    written = {value: re.escape(f"{abs(value):.5f}".rstrip("0")) for value in values}
    return [value for value, text in written.items() if re.search(rf"(?<![\d.]){text}0*(?!\d)", page)]


def test_a_page_says_which_rows_it_holds_and_a_private_one_holds_none(run, table):
    inner = table["a"].sort_values().to_numpy()[1:-1]
    words = ("--machine", "lssvm", "--kernel", "rbf", "--folds", 2)
    said = " ".join(run("fit", "t.csv", "--target", "y", *words).output.split())
    page = Path("report.html").read_text()
    sentence = "This page contains values of 60 training rows: share it as you would share the table, or write it with"
    assert sentence in said
    assert sentence in " ".join(page.split())
    assert len(told(page, inner)) > 50
    assert "Row 8" in page
    said = " ".join(run("report", "model.kernelect", "t.csv", "--private", "--out", "private.html").output.split())
    page = Path("private.html").read_text()
    assert "This page was made with --private" in said
    assert "This page was made with --private" in page
    assert told(page, inner) == []
    assert "Row 8" not in page
    assert "31.4" not in page
    assert 'id="what-if-facts"' not in page
    run("fit", "t.csv", "--target", "y", *words, "--private", "--force")
    assert told(Path("report.html").read_text(), inner) == []
