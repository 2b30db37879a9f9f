"""Commands that run in worker processes: one at a time for each project, seen from every page, cancelled at once."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

from kernelect.app.guard import Refused
from kernelect.app.projects import COMPARISON, EVALUATION, Project
from kernelect.app.settings import command_line
from kernelect.app.wording import in_page_words

#: Seconds that a cancelled command has to clean up, and between two lines about its progress.
_GRACE, _PROGRESS = 0.5, "0.3"

#: Commands that run at a time.
_MOST = 2

#: Options that commands get besides those that are shown. Model and report take the place of older ones together.
_NEW = "new"
_UNASKED = {"compare": ["--json"], "evaluate": ["--json"], "fit": [f"--out=.app/{_NEW}", "--force"]}

#: Commands whose output is kept, and the file for it.
_PRINTED = {"compare": COMPARISON, "evaluate": EVALUATION}

#: Bytes at the end of the output that are looked at.
_TAIL = 20_000


class Job:
    """A command in a process of its own, in the folder of a project.

    Parameters
    ----------
    project : Project
    kind : "fit", "compare", "predict", "evaluate" or "export"
    words : list of str
        The command and its arguments.
    limit : float, optional
        Seconds after which the command ends by itself, for who waits.
    """

    def __init__(self, project: Project, kind: str, words: list[str], limit: float | None = None) -> None:
        self.project, self.kind, self.cancelled = project, kind, False
        self.facts: dict[str, Any] = {"kind": kind, "state": "running", "began": time.time(), "limit": limit}
        self.facts["command"] = command_line(words)
        project.write("job.json", self.facts)
        environment = {
            **{name: value for name, value in os.environ.items() if name != "KERNELECT_TOKEN"},
            "COLUMNS": "2000",
            "KERNELECT_PROGRESS": _PROGRESS,
            "PYTHONIOENCODING": "utf-8",
            "PYTHONSAFEPATH": "1",  # files of the project are no modules
        }
        command = [sys.executable, "-P", "-m", "kernelect.app.worker", *words, *_UNASKED.get(kind, ["--force"])]
        try:
            with (project.own / "out").open("wb") as out, (project.own / "log").open("wb") as log:
                self._process = subprocess.Popen(
                    command,
                    cwd=project.folder,
                    stdin=subprocess.PIPE,
                    stdout=out,
                    stderr=log,
                    env=environment,
                    start_new_session=os.name == "posix",
                )
        except (OSError, ValueError) as error:  # a null character in a name, or too many of them
            self._end("failed", f"The command could not be started ({error}): rename columns, or change fewer roles.")
            raise Refused(422, self.facts["sentence"]) from error
        threading.Thread(target=self._watch, daemon=True).start()

    @property
    def running(self) -> bool:
        """Whether the command has not ended."""
        return bool(self.facts["state"] == "running")

    def state(self) -> dict[str, Any]:
        """Return how far it is."""
        lines = _tail(self.project, "log").splitlines() if self.running else [""]
        return {**self.facts, "seconds": time.time() - self.facts["began"], "line": lines[-1] if lines else ""}

    def cancel(self) -> None:
        """End the command, kindly first."""
        self.cancelled = True
        self._send(signal.SIGTERM)
        try:
            self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._send(getattr(signal, "SIGKILL", signal.SIGTERM))
            self._process.wait()

    def _send(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # it has just ended
            if os.name == "posix":
                os.killpg(self._process.pid, number)  # with the processes that it has started
            else:
                self._process.terminate()

    def _watch(self) -> None:
        code = self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self.cancelled:
            self._end("cancelled", f"{self.kind.capitalize()} was cancelled. Files from before are unchanged.")
        elif code == 0:
            self._keep()
            self._end("done", "")
        else:
            self._end("failed", _why(_tail(self.project, "log"), code))

    def _keep(self) -> None:
        """Put what the command wrote into the folder of the project."""
        if self.kind in _PRINTED:
            (self.project.own / "out").replace(self.project.folder / _PRINTED[self.kind])
        if self.kind == "fit":
            for file in (self.project.own / _NEW).iterdir():
                file.replace(self.project.folder / file.name)

    def _end(self, state: str, sentence: str) -> None:
        lines = _tail(self.project, "log").splitlines()
        remarks = [in_page_words(line[1:].strip()) for line in lines if line.startswith("·")]
        facts = {**self.facts, "sentence": sentence, "remarks": remarks, "took": time.time() - self.facts["began"]}
        self.facts = {**facts, "state": state}
        with contextlib.suppress(Exception):  # a folder that was removed, or a full disk: the page has the sentence
            self.project.write("job.json", self.facts)


def _tail(project: Project, name: str) -> str:
    try:
        with (project.own / name).open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""


def _why(log: str, code: int) -> str:
    """Return the sentence with which a command failed."""
    _, found, sentence = log.rpartition("Error: ")
    if code < 0 and not found:
        return (
            f"The worker process was ended from outside (signal {-code}; memory may have run out): start it again, or "
            "leave out rows or columns."
        )
    if not found:
        return f"The command failed with code {code}: run it in a terminal to see more."
    return in_page_words(" ".join(sentence.split()))


class Jobs:
    """What runs, by the name of the project."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(self, project: Project, kind: str, words: list[str], limit: float | None = None) -> None:
        """Start a command, unless another one runs for the project."""
        with self._lock:
            running = [name for name, job in self._jobs.items() if job.running]
            if project.name in running:
                kind = self._jobs[project.name].kind.capitalize()
                raise Refused(409, f"{kind} is running: wait for it, or cancel it.")
            if len(running) >= _MOST:
                raise Refused(409, f"Commands run for {' and '.join(running)}: wait for one of them, or cancel it.")
            self._jobs[project.name] = Job(project, kind, words, limit)

    def cancel(self, project: Project) -> None:
        """End what runs for a project."""
        job = self._jobs.get(project.name)
        if job is not None and job.running:
            job.cancel()

    def state(self, project: Project) -> dict[str, Any]:
        """Return what runs or ran last for a project; empty if nothing did."""
        job = self._jobs.get(project.name)
        if job is not None:
            return job.state()
        facts = project.read("job.json")
        if facts.get("state") == "running":  # for a server that has ended, and the command with it
            sentence = "The server ended while this command ran: start it again. Files from before are unchanged."
            return {**facts, "state": "failed", "sentence": sentence}
        return facts

    def close(self) -> None:
        """End all that runs."""
        for job in [job for job in self._jobs.values() if job.running]:
            job.cancel()
