"""What the model in a page predicts, beside ``kernelect predict``.

``python benchmarks/what_if.py penguins.csv=species pm10.csv=pm10_concentration`` fits each table (``--effort fast``, no
outer folds; further options go to ``kernelect fit``), opens its page in Chromium, asks What if for all rows that a
reader can start from, and prints the largest difference to the predictions of Python: of probabilities, or of numbers
as a share of their largest size. What a page says about a smaller model stands behind. It needs
Playwright and Chromium.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ASK = """() => {
  const { rows } = JSON.parse(document.getElementById("what-if-facts").textContent);
  const names = [...document.querySelectorAll("#wi-row option")].map((one) => one.textContent);
  const said = rows.map((row) => kernelectModel.predict(row));
  return { names, said: said.map((one) => one.probabilities || one.values) };
}"""


def measure(page: Any, table: Path, target: str, options: list[str]) -> str:
    """Return a line about a table."""
    from kernelect.tabular import Wanted, load_model, predict_rows, read_table

    with tempfile.TemporaryDirectory() as name:
        fit = ["fit", str(table), f"--target={target}", "--effort=fast", "--folds=0", "--quiet", *options]
        command = [sys.executable, "-m", "kernelect", *fit, f"--out={name}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        model, _ = load_model(Path(name) / "model.kernelect")
        found, _ = predict_rows(model, read_table(table, spelled=model.schema.spelled), Wanted())
        report = Path(name) / "report.html"
        size = report.stat().st_size / 1e6
        page.goto(report.as_uri())
        if page.locator("#what-if-facts").count() == 0:
            return f"{table.stem:16} {size:5.1f} MB: the page carries no model"
        answers = page.evaluate(ASK)
        remarks = page.locator("section:has(> #what-if) > p.note").all_text_contents()
    places = [int(re.search(r"row (\d+)", name)[1]) - 1 for name in answers["names"]]  # type: ignore[index]
    shares = [f"probability:{label}" for label in model.schema.classes or ()]
    wanted = found[shares if shares else ["prediction"]].to_numpy(dtype=float)[places]
    said = np.array(answers["said"], dtype=float)
    scale = 1.0 if shares else np.abs(wanted).max()
    off = np.abs(said - wanted).max() / scale
    return f"{table.stem:16} {size:5.1f} MB, {len(said)} rows: off by at most {off:.1e}; {' '.join(remarks)}"


def main() -> None:
    """Fit and compare all tables."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="+", metavar="TABLE=TARGET")
    given, options = parser.parse_known_args()
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = started.new_page()
        for one in given.tables:
            table, _, target = one.rpartition("=")
            print(measure(page, Path(table), target, options), flush=True)


if __name__ == "__main__":
    main()
