"""Directives that run shell commands and Python while the site is built and show what they print.

The commands of one page run one after the other in a folder of the page's own, so a page can be
followed from top to bottom and never shows what the commands do not print. The Python of one page is
one program. A command that ends with another exit code than the expected one, and Python that raises
or warns, is a warning, which fails the build.
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import traceback
import warnings
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


class Python(Directive):
    """A piece of the page's program: what stands here, and below it what it prints."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        env = self.state.document.settings.env
        source = "\n".join(self.content)
        names = env.temp_data.setdefault("python_names", {"__name__": env.docname})
        folder = _folder(env)
        folder.mkdir(parents=True, exist_ok=True)
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed), contextlib.chdir(folder), warnings.catch_warnings():
                warnings.simplefilter("error")
                exec(compile(source, env.docname, "exec"), names)
        except Exception:
            logger.warning("%s\n%s", source, traceback.format_exc(), location=(env.docname, self.lineno))
        shown = printed.getvalue().rstrip()
        code = nodes.literal_block(source, source, language="python")
        return [code, nodes.literal_block(shown, shown, language="text", classes=["printed"])] if shown else [code]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register ``{commands}`` and ``{python}``."""
    app.add_directive("commands", Commands)
    app.add_directive("python", Python)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
