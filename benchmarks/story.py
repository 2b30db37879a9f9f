"""The way of a new user, timed: an empty environment, ``pip install``, ``kernelect app``, a fit, predictions.

    python benchmarks/story.py [--table TABLE --target COLUMN]

Chromium drops the table (built in: patients) on the pages, fits with the default effort, drops the same rows to be
predicted and takes the CSV home. Each line has seconds on the clock, which other work on the machine prolongs, and
processor seconds of the server and its commands.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))


class Watch:
    """Prints the time of each step."""

    def __init__(self) -> None:
        self.server: int | None = None
        self._began, self._spent = time.monotonic(), 0.0

    def step(self, words: str) -> None:
        """Print what took how long since the step before."""
        now, spent = time.monotonic(), self._processor()
        print(f"{words}: {now - self._began:.0f} s, processor {spent - self._spent:.0f} s", flush=True)
        self._began, self._spent = now, spent

    def _processor(self) -> float:
        times = os.times()
        out = times.children_user + times.children_system
        if self.server is not None:  # with the commands that have ended
            fields = Path(f"/proc/{self.server}/stat").read_text().rpartition(") ")[2].split()
            out += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        return out


def use(page: Any, address: str, table: Path, target: str, watch: Watch) -> Path:
    """Go from the first page to the downloaded predictions."""
    page.goto(address)
    page.wait_for_selector(".drop")
    watch.step("kernelect app, page open")
    page.set_input_files(".drop input", table)
    page.locator("#choice-0").select_option(target)
    page.wait_for_selector("#fit:not([disabled])")
    watch.step("table dropped, target chosen")
    page.locator("#fit").click()
    page.wait_for_selector("iframe", timeout=0)
    page.frame_locator("iframe").locator("h1").wait_for()
    watch.step("fit, report shown")
    page.get_by_role("link", name="Predict").click()
    page.wait_for_selector(".drop")
    page.set_input_files(".drop input", table)
    link = page.get_by_text("Download all as CSV")
    link.wait_for(timeout=0)
    with page.expect_download() as download:
        link.click()
    watch.step("new rows dropped, predictions taken home")
    return download.value.path()


def main() -> None:
    """Print the steps."""
    from pictures import chromium

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", type=Path)
    parser.add_argument("--target", default="recovered")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder, watch = Path(name), Watch()
        subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
        pip = [folder / "env" / "bin" / "python", "-m", "pip", "install", "--quiet", f"{ROOT}[app]"]
        subprocess.run(pip, check=True)
        watch.step("pip install 'kernelect[app]' in a new environment")
        kernelect = folder / "env" / "bin" / "kernelect"
        if given.table is None:
            subprocess.run([kernelect, "sample", "patients"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            watch.step("kernelect sample")
        command = [kernelect, "app", folder / "projects", "--no-browser"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
            try:
                assert server.stderr is not None
                address, watch.server = server.stderr.readline().split()[0], server.pid
                table = given.table or folder / "patients.csv"
                rows = len(pd.read_csv(use(browser.new_page(), address, table, given.target, watch)))
                print(f"{rows} predictions")
            finally:
                server.terminate()


if __name__ == "__main__":
    main()
