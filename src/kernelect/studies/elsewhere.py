"""Peers in environments of their own: made by pip, asked through files, so that their versions are nobody else's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.studies.definition import Method
from kernelect.studies.scoring import Figures, score_labels, score_numbers
from kernelect.studies.splits import Problem

#: What runs there: it imports nothing of kernelect.
_OUTSIDE = Path(__file__).with_name("outside.py")

#: Lists what pip has installed; it is written last, so that a half-made environment is not taken for a whole one.
_VERSIONS = "versions.txt"

#: Seconds between two looks at a peer, at which a time limit of the cell can end it.
_LOOK = 0.2


def environment_folder(packages: tuple[str, ...]) -> Path:
    """Return where the environment with these packages is, or would be."""
    kept = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    given = os.environ.get("KERNELECT_ENVIRONMENTS") or Path(kept) / "kernelect" / "environments"
    return Path(given) / sha256("\n".join(sorted(packages)).encode()).hexdigest()[:12]


def is_made(packages: tuple[str, ...]) -> bool:
    """Return whether the environment is there as a whole."""
    return (environment_folder(packages) / _VERSIONS).is_file()


def make_environment(packages: tuple[str, ...]) -> None:
    """Install packages into an environment of their own, unless that was done before."""
    if is_made(packages):
        return
    folder = environment_folder(packages)
    venv.create(folder, with_pip=True, clear=True)
    pip = [str(_python(folder)), "-m", "pip", "--disable-pip-version-check"]
    ended = subprocess.run([*pip, "install", "--quiet", *packages], capture_output=True, text=True, check=False)
    if ended.returncode:
        last = ended.stderr.strip().splitlines()[-1:] or ["no reason was given"]
        raise InvalidArgument(
            f"pip could not install {', '.join(packages)} ({last[0]}): check the network, or leave these methods out "
            "with --methods."
        )
    found = subprocess.run([*pip, "freeze"], capture_output=True, text=True, check=True).stdout
    (folder / _VERSIONS).write_text(found, encoding="utf-8")


def _python(folder: Path) -> Path:
    return folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def fit_elsewhere(problem: Problem, method: Method, needed: Mapping[str, Any] | None, seed: int) -> Figures:
    """Let a peer fit and predict in its environment, and score what it predicts here."""
    del needed
    options = dict(method.estimator)
    peer = options.pop("peer")
    numbers = np.asarray(problem.y).dtype.kind == "f"
    classes, y = (None, problem.y) if numbers else np.unique(problem.y, return_inverse=True)
    with tempfile.TemporaryDirectory() as name:
        given, answer = Path(name) / "rows.npz", Path(name) / "answer.npz"
        np.savez(
            given,
            y=y,
            n_classes=0 if classes is None else len(classes),
            n_columns=problem.X.shape[1],
            **_arrays(problem.X, "train"),
            **_arrays(problem.X_test, "test"),
        )
        python = str(_python(environment_folder(method.packages)))
        # -P: the folder of that file is not searched for modules, since it has a statistics.py.
        command = [python, "-P", str(_OUTSIDE), peer, str(given), str(answer), json.dumps(options), str(seed)]
        _run(command, Path(name))
        with np.load(answer, allow_pickle=False) as arrays:
            predicted, seconds = arrays["predicted"], float(arrays["seconds"])
    figures = {"fit_seconds": seconds, "versions": _versions(method)}
    if classes is None:
        scored = score_numbers(predicted, problem)
        return {**figures, **scored, "loss": 100.0 * float(np.sqrt(scored["mse"]) / np.std(problem.y_test))}
    p = predicted / predicted.sum(axis=1, keepdims=True)
    scored = score_labels(classes[p.argmax(axis=1)], classes, p, problem)
    return {**figures, **scored, "loss": scored["error"]}


def _run(command: list[str], folder: Path) -> None:
    """Run a command with one thread; ends it if this cell is ended."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    said = folder / "said.txt"
    with said.open("w") as file:
        process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **threads, "TMPDIR": str(folder)}, stdout=file, stderr=file
        )
        try:
            # Short waits: the clock of a cell speaks up between two of them.
            while process.poll() is None:
                try:
                    process.wait(_LOOK)
                except subprocess.TimeoutExpired:
                    continue
        finally:
            process.kill()
            process.wait()
    if process.returncode:
        last = said.read_text(errors="replace").strip().splitlines()[-1:] or [f"it ended with {process.returncode}"]
        raise RuntimeError(last[0])


def _arrays(X: Any, part: str) -> dict[str, Any]:
    """Return the columns of a frame or an array as arrays: numbers with NaN, or words and which are missing."""
    found: dict[str, Any] = {}
    for number in range(X.shape[1]):
        column: Any = X[:, number] if isinstance(X, np.ndarray) else X.iloc[:, number]
        if column.dtype.kind in "fiub":
            found[f"{part}{number}"] = np.asarray(column, dtype=float)
        else:
            found[f"{part}{number}_missing"] = np.asarray(column.isna())
            found[f"{part}{number}"] = np.asarray(column.astype(object).where(column.notna(), ""), dtype=str)
    return found


def _versions(method: Method) -> str:
    """Return the versions that are installed of the packages that a method names."""
    names = {package.partition("=")[0].partition("[")[0].partition(">")[0].lower() for package in method.packages}
    lines = (environment_folder(method.packages) / _VERSIONS).read_text(encoding="utf-8").splitlines()
    return ", ".join(line for line in lines if line.partition("==")[0].lower() in names)
