"""Commands in processes of their own: encodings, and requests to end."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kernelect
from speeds import slowly

#: Seconds, on a machine that is busy with other things.
PATIENCE = 240.0


def begun(folder, *words, program="from kernelect.cli import main; main()", **environment):
    here = str(Path(kernelect.__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-c", program, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": here, "OMP_NUM_THREADS": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


#: Runs several commands, one after the other, and prints a line between what they print.
_IN_TURN = """
import json, sys
from kernelect.cli import main
for words in json.loads(sys.argv[1]):
    sys.argv[1:] = words
    try:
        main()
    except SystemExit as end:
        assert not end.code, words
    print("=== next ===", flush=True)
"""


@pytest.mark.parametrize("encoding", ["ascii", *slowly("latin-1", "cp1252")])
def test_an_encoding_that_lacks_letters_loses_letters_and_nothing_else(tmp_path, encoding):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"größe ☃": rng.normal(size=40), "w": rng.choice(["é", "ф"], 40), "y": rng.normal(size=40)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ("fit", "t.csv", "--target", "y", "--machine", "lssvm", "--kernel", "rbf", "--folds", "2", "--no-report")
    more = (("predict", "model.kernelect", "t.csv", "--id", "w"), ("inspect", "model.kernelect", "--json"))
    process = begun(tmp_path, json.dumps([words, *more]), program=_IN_TURN, PYTHONIOENCODING=encoding)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert b"Traceback" not in err
    fitted, predicted, facts, _ = out.split(b"=== next ===\n")
    predicted.decode("utf-8" if encoding == "ascii" else encoding)  # click takes ASCII for a mistake, and writes UTF-8
    fitted.decode("utf-8" if encoding == "ascii" else encoding)
    assert b" +- " in fitted or encoding != "ascii"
    assert "größe ☃" in [column["name"] for column in json.loads(facts.decode(encoding))["columns"]]


def children_of(pid):
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            after = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(after[1]) == pid:
            found.append(int(path.parent.name))
    return found


def computing(pids):
    """Those of the processes that are there and use the processor."""
    found = []
    for pid in pids:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                found.append(pid)
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are listed in /proc")
def test_a_request_to_end_ends_the_workers_too(tmp_path):
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(900, 8)), columns=list("abcdefgy")).to_csv(tmp_path / "t.csv", index=False)
    process = begun(tmp_path, "fit", "t.csv", "--target", "y", "--jobs", "2", "--effort", "fast", "--no-report")
    workers, deadline = [], time.monotonic() + PATIENCE
    while len(workers) < 2 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.1)
        workers = children_of(process.pid)
    assert len(workers) >= 2, process.stderr.read()
    time.sleep(1.0)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + signal.SIGTERM, err
    assert b"Stopped before the end: no file was left half-written." in err
    assert b"Traceback" not in err
    while computing(workers) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert computing(workers) == []
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
