"""A directive that runs shell commands while the site is built and shows what they print.

The commands of one page run one after the other in a folder of the page's own, so a page can be
followed from top to bottom and never shows what the commands do not print. A command that ends with
another exit code than the expected one is a warning, which fails the build.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def _folder(env) -> Path:
    return Path(env.app.outdir).parent / "commands" / env.docname


def _run(command: str, folder: Path) -> subprocess.CompletedProcess:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    setting = {
        **os.environ,
        "PATH": path,
        "NO_COLOR": "1",
        "COLUMNS": "80",
        "OMP_NUM_THREADS": "1",
        "LC_ALL": "C.UTF-8",
    }
    return subprocess.run(
        command, shell=True, cwd=folder, env=setting, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


class Commands(Directive):
    """One command per line; a backslash at its end continues it.

    ``:exit:`` is the expected code of the last one, ``:lines:`` the most lines to show of each, ``:quiet:`` shows none;
    ``:file:`` is a file of the site, which the page shows, to put into the folder first.
    """

    has_content = True
    option_spec: ClassVar = {
        "exit": directives.nonnegative_int,
        "lines": directives.positive_int,
        "quiet": directives.flag,
        "file": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        env = self.state.document.settings.env
        folder = _folder(env)
        if env.temp_data.setdefault("commands_of", "") != env.docname:
            shutil.rmtree(folder, ignore_errors=True)
            env.temp_data["commands_of"] = env.docname
        folder.mkdir(parents=True, exist_ok=True)
        if "file" in self.options:
            shutil.copy(Path(env.srcdir) / self.options["file"], folder)
        commands = re.split(r"(?<!\\)\n", "\n".join(self.content))
        shown = [self._shown(command, folder, last=command is commands[-1]) for command in commands]
        block = nodes.literal_block("\n".join(shown), "\n".join(shown), language="console")
        return [block]

    def _shown(self, command: str, folder: Path, *, last: bool) -> str:
        done = _run(command, folder)
        expected = self.options.get("exit", 0) if last else 0
        if done.returncode != expected:
            where = (self.state.document.settings.env.docname, self.lineno)
            logger.warning("%r ended with %s: %s", command, done.returncode, done.stdout, location=where)
        lines = [line.rstrip() for line in _COLOURS.sub("", done.stdout).splitlines()]
        while lines and not lines[-1]:
            lines.pop()
        most = self.options.get("lines", len(lines))
        lines = lines[:most] + (["..."] if len(lines) > most else [])
        return "\n".join([f"$ {command}", *([] if "quiet" in self.options else lines)])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register ``{commands}``."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
