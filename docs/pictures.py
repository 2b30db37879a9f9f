"""Makes the pictures that are kept in the repository.

``make pictures`` takes those of the report and of the app that README and site show. It needs Chromium, which not every
machine that builds the site has. ``python docs/pictures.py gold2003.sqlite kropotov.sqlite`` draws the papers' figures
from results files that ``kernelect study run`` wrote; it takes hours to make these.
"""

import csv
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from kernelect.studies import Results
from kernelect.studies.cells import Key

HERE = Path(__file__).parent / "_static"
FIGURES = Path(__file__).parent / "results" / "figures"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

#: Figures of the papers: study, kind of picture, methods, a figure of the cells that they have, and file by data set.
PAPERS = [
    ("gold2003", "evolution", "le1-fixed-way", "agreement", {"twonorm-le1-fixed-way": "gold2003-figure-1.png"}),
    (
        "gold2003",
        "evolution",
        "hmc-equal",
        "left",
        {"twonorm-hmc-equal-lengths": "gold2003-figure-5.png", "twonorm-hmc-equal-others": "gold2003-figure-6.png"},
    ),
    (
        "kropotov",
        "curve",
        "along-evidence,along-occam,along-centres",
        "follows",
        {"pima": "kropotov-figure-2-pima.png"},
    ),
]

#: Share of the drawn size, and colours, that are kept.
SIZE, COLOURS = 0.8, 96


def kernelect(*arguments: str, folder: Path) -> None:
    """Run a command in a folder."""
    subprocess.run([sys.executable, "-m", "kernelect", *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def papers(results: list[Path]) -> None:
    """Draw the figures of the studies whose results files, named after them, are given."""
    FIGURES.mkdir(exist_ok=True)
    for study, kind, methods, metric, wanted in PAPERS:
        for file in (path.resolve() for path in results if path.name.startswith(study)):
            with tempfile.TemporaryDirectory() as name:
                options = ["--kind", kind, "--methods", methods, "--metric", metric, "--out", "."]
                kernelect("study", "plot", str(file), *options, folder=Path(name))
                for dataset, target in wanted.items():
                    shrink(Path(name) / f"{kind}-{dataset}.png", FIGURES / target)
            if methods == "hmc-equal":
                steps(file, Key("twonorm", methods, 0), FIGURES.parent / "measured" / "gold2003-figure-5.csv")


def steps(file: Path, key: Key, target: Path) -> None:
    """Write the way of a search as a table: parameters and derivatives by their names."""
    with Results.open(file) as results:
        path = next(cell.figures["path"] for cell in results.cells() if cell.key == key)
    rows = zip(path["evaluation"], path["error"], path["value"], np.exp(path["theta"]), path["gradient"], strict=True)
    with target.open("w", encoding="utf-8", newline="") as table:
        writer = csv.writer(table, lineterminator="\n")
        slopes = [f"gradient: {name}" for name in path["names"]]
        writer.writerow(["evaluation", "test error %", "minus the evidence", *path["names"], *slopes])
        for number, error, value, theta, gradient in rows:
            writer.writerow([number, *(f"{each:.4g}" for each in (error, value, *theta, *gradient))])


def shrink(picture: Path, target: Path) -> None:
    """Keep a picture of few colours in a third of the bytes."""
    drawn = Image.open(picture).convert("RGB")
    drawn = drawn.resize((int(SIZE * drawn.width), int(SIZE * drawn.height)), Image.Resampling.LANCZOS)
    drawn.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)


@contextmanager
def chromium() -> Iterator[Any]:
    """Start the browser."""
    from playwright.sync_api import sync_playwright

    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        yield started
        started.close()


def report() -> None:
    """Fit the built-in table and take its report, light and dark."""
    with tempfile.TemporaryDirectory() as name, chromium() as started:
        folder = Path(name)
        kernelect("sample", "patients", folder=folder)
        kernelect("fit", "patients.csv", "--target", "recovered", folder=folder)
        for scheme, file in (("light", "report.png"), ("dark", "report-dark.png")):
            page = started.new_page(viewport={"width": 1080, "height": 1400}, color_scheme=scheme)
            page.goto((folder / "report.html").as_uri())
            below = page.get_by_text("Remarks", exact=True).first.bounding_box()["y"]  # no line is cut in half
            page.screenshot(path=HERE / file, clip={"x": 0, "y": 0, "width": 1080, "height": below})


def app() -> None:
    """Fit the built-in table on the pages of ``kernelect app`` and take them on the way: app-data.png and others."""
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name)
        kernelect("sample", "patients", folder=folder)
        command = [sys.executable, "-m", "kernelect", "app", str(folder / "kernelect"), "--no-browser"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
            try:
                page = browser.new_page(viewport={"width": 1080, "height": 900})
                page.goto(server.stderr.readline().split()[0])
                page.set_input_files(".drop input", folder / "patients.csv")
                page.locator("#choice-0").select_option("recovered")
                page.wait_for_selector("tr.target")
                take(page, "app-data.png")
                page.locator("#fit").click()
                page.locator("#job").get_by_text(" left").wait_for(timeout=0)
                page.locator("#job").screenshot(path=HERE / "app-fit.png")
                page.wait_for_selector("iframe", timeout=0)
                page.get_by_role("link", name="Predict").click()
                page.wait_for_selector(".drop")
                page.locator("select").first.select_option("1")
                page.set_input_files(".drop input", folder / "patients.csv")
                page.get_by_text("Download all as CSV").wait_for(timeout=0)
                take(page, "app-predict.png")
            finally:
                server.terminate()


def take(page: Any, file: str) -> None:
    """Keep what is on a page."""
    page.screenshot(path=HERE / file)
    shrink(HERE / file, HERE / file)


if __name__ == "__main__":
    if sys.argv[1:]:
        papers([Path(name) for name in sys.argv[1:]])
    else:
        report()
        app()
