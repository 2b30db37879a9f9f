"""Exports run as programs of their own, over rows on standard input."""

import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from shutil import which

import numpy as np

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
SANITIZED = ["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]

VALGRIND = ["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full"]

_MAIN = """
#include "model.h"
#include <stdio.h>
#include <stdlib.h>
int main(void) {{
  double row[MODEL_N_COLUMNS];
  for (;;) {{
    for (int j = 0; j < MODEL_N_COLUMNS; j++) {{
      char cell[64];
      if (scanf("%63s", cell) != 1) return 0;
      row[j] = strtod(cell, 0);
    }}
    {real} out[MODEL_N_OUTPUTS];
    model_predict(row, out);
    {told}
    printf("\\n");
  }}
}}
"""

_NUMBERS = 'for (int k = 0; k < MODEL_N_OUTPUTS; k++) printf("%.17g ", (double)out[k]);'
_CLASS = 'printf("%s", model_output(model_class(out)));'


@cache
def compiler() -> str | None:
    return which("gcc")


def run_c(header: str, rows: np.ndarray, folder: Path, real: str = "double", sanitized: bool = True) -> np.ndarray:
    """Compile a header with all warnings as errors and return what it predicts for coded rows."""
    lines = _lines_of(header, _MAIN.format(real=real, told=_NUMBERS), rows, folder, sanitized)
    return np.array([[float(word) for word in line.split()] for line in lines])


def run_under_valgrind(header: str, rows: np.ndarray, folder: Path, real: str = "double") -> np.ndarray:
    """Return what a header predicts as compiled for use; raises where memory is read that was never written."""
    lines = _lines_of(header, _MAIN.format(real=real, told=_NUMBERS), rows, folder, sanitized=False, under=VALGRIND)
    return np.array([[float(word) for word in line.split()] for line in lines])


def choose_in_c(header: str, rows: np.ndarray, folder: Path, real: str = "double") -> list[str]:
    """Return the classes that a header names for coded rows."""
    return _lines_of(header, _MAIN.format(real=real, told=_CLASS), rows, folder, sanitized=True)


def _lines_of(
    header: str, main: str, rows: np.ndarray, folder: Path, sanitized: bool, under: Sequence[str] = ()
) -> list[str]:
    folder.mkdir(exist_ok=True)
    (folder / "model.h").write_text(header)
    (folder / "main.c").write_text(main)
    flags = [*STRICT, *(SANITIZED if sanitized else ["-O2"])]
    program = folder / "main"
    checked([compiler() or "gcc", *flags, str(folder / "main.c"), "-o", str(program), "-lm"])
    text = "\n".join(" ".join(repr(float(cell)) for cell in row) for row in rows)
    return checked([*under, str(program)], text).splitlines()


def run_own_test(header: str, folder: Path, name: str = "model") -> str:
    """Compile the test inside a header and return what it says; raises where it fails."""
    folder.mkdir(exist_ok=True)
    (folder / "model.h").write_text(header)
    flags = [*STRICT, *SANITIZED, f"-D{name.upper()}_TEST"]
    checked([compiler() or "gcc", *flags, "-x", "c", str(folder / "model.h"), "-o", str(folder / "test"), "-lm"])
    return checked([str(folder / "test")])


def checked(command: list[str], text: str = "") -> str:
    """Run a program and return what it prints; raises where it fails."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout
