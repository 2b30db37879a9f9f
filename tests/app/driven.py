"""``kernelect app`` as a process, and a page of it in a browser."""

import os
import signal
import subprocess
import sys

#: Milliseconds that a fit may take on a busy machine.
LONG = 240_000


class Server:
    """``kernelect app`` on a folder."""

    def __init__(self, folder):
        self.folder = folder
        command = [sys.executable, "-m", "kernelect", "app", str(folder), "--no-browser"]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        self.address = self.process.stderr.readline().split()[0]
        self.root = self.address.partition("?")[0]

    def end(self, by=signal.SIGTERM):
        self.process.send_signal(by)
        self.process.wait(20)
        self.process.stderr.close()


class Tab:
    """An open page, with every request and complaint since it was opened."""

    def __init__(self, browser, server, context=None, **options):
        self.context = context or browser.new_context(accept_downloads=True, **options)
        self.page, self.root = self.context.new_page(), server.root
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(f"{message.text} {message.location}"))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.goto(server.address)
        self.page.wait_for_selector(".drop")

    def drop(self, path):
        self.page.set_input_files(".drop input", path)

    def begin(self, path, target, effort="fast"):
        """Drop a table and choose what to predict."""
        self.drop(path)
        self.page.wait_for_selector("#choice-0")
        self.choose(0, target)
        self.choose(2, effort)

    def choose(self, place, value):
        with self.page.expect_response(lambda answer: answer.url.endswith("/columns")):  # the page is drawn anew
            self.page.locator(f"#choice-{place}").select_option(value)
        self.page.wait_for_selector("#fit:not([disabled])")

    def fit(self):
        self.page.locator("#fit").click()
        self.page.wait_for_selector("#job:not([hidden])")

    def go(self, step, name="table"):
        self.page.goto(f"{self.root}project/{name}#{step}")
        self.page.wait_for_selector(f"#view[data-step={step}]")

    def alert(self):
        self.page.wait_for_selector("#alert:not([hidden])", timeout=LONG)
        return self.page.locator("#alert").text_content()
