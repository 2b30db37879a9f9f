"""Takes the pictures of the report that README and site show: ``make pictures``, which needs Chromium.

They are kept in the repository because not every machine that builds the site has a browser.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent / "_static"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def kernelect(*arguments: str, folder: Path) -> None:
    """Run a command in a folder."""
    subprocess.run([sys.executable, "-m", "kernelect", *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Fit the built-in table and take its report, light and dark."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        kernelect("sample", "patients", folder=folder)
        kernelect("fit", "patients.csv", "--target", "recovered", folder=folder)
        started = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for scheme, file in (("light", "report.png"), ("dark", "report-dark.png")):
            page = started.new_page(viewport={"width": 1080, "height": 1400}, color_scheme=scheme)
            page.goto((folder / "report.html").as_uri())
            below = page.get_by_text("Remarks", exact=True).first.bounding_box()["y"]  # no line is cut in half
            page.screenshot(path=HERE / file, clip={"x": 0, "y": 0, "width": 1080, "height": below})
        started.close()


if __name__ == "__main__":
    main()
