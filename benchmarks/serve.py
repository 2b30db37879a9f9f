"""How fast ``kernelect serve`` answers on this machine, beside a random forest behind the same server and C.

``python benchmarks/serve.py`` asks one process over one connection, with 1, 100 and 10 000 rows a request, and prints
rows a second, the median and the 99th percentile of the seconds a request takes, the processor time of the server for
a request, which other work on the machine does not touch, and the memory of the server. The same model as C stands
below. ``--requests 100000`` shows whether the memory stays flat; ``--machine lssvm`` serves one machine.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from export import in_c

TOKEN = "load-test"
SIZES = {1: 1000, 100: 200, 10_000: 10}


def with_forest(path: Path, table: Path, **words: Any) -> Any:
    """Return the server of a model whose predictions come from a random forest on the same inputs."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OrdinalEncoder

    from kernelect.app import server
    from kernelect.tabular import match_columns, read_table

    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-1)
    forest = make_pipeline(codes, RandomForestClassifier(500, random_state=0))

    def predict_rows(model: Any, rows: Any, _: Any) -> Any:
        X, remarks = match_columns(model.schema, rows)
        shares = pd.DataFrame(forest.predict_proba(X), columns=[f"probability:{label}" for label in forest.classes_])
        return shares.assign(prediction=forest.predict(X)), remarks

    made = server.serve_file(path, **words)
    model = server.load_model(path, training=False, report=False)[0]
    read = read_table(table)
    known, truth = match_columns(model.schema, read)[0], read.frame[model.schema.target]
    forest.fit(known, truth)
    server.predict_rows = predict_rows
    return made


def ask(connection: http.client.HTTPConnection, body: bytes) -> float:
    """Return the seconds that one request takes."""
    began = time.perf_counter()
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    connection.request("POST", "/predict", body, headers)
    answer = connection.getresponse()
    answer.read()
    if answer.status != 200:
        raise RuntimeError(f"The server answered {answer.status}.")
    return time.perf_counter() - began


def memory(process: int) -> float:
    """Return the megabytes that a process holds (Linux)."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def processor(process: int) -> float:
    """Return the seconds that a process has spent on processors (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(name: str, make: Any, rows: list[dict[str, Any]], requests: int = 0) -> None:
    """Start a server and ask it: with requests of all sizes, or with so many of one row for the memory."""
    from kernelect.app.running import listen, run_server

    with listen("127.0.0.1", 0) as listener:
        process = multiprocessing.get_context("spawn").Process(target=run_server, args=(make, listener), daemon=True)
        process.start()
        connection = http.client.HTTPConnection(*listener.getsockname()[:2], timeout=120)
        for size, count in ({} if requests else SIZES).items():
            body = json.dumps((rows * (size // len(rows) + 1))[:size]).encode()
            for _ in range(3):
                ask(connection, body)
            before = processor(process.pid or 0)
            taken = sorted(ask(connection, body) for _ in range(count))
            last, middle = taken[int(0.99 * (count - 1))], statistics.median(taken)
            spent = (processor(process.pid or 0) - before) / count
            print(
                f"{name:10} {size:6} rows: {size * count / sum(taken):9.0f} rows/s, median {1e3 * middle:7.1f} ms, "
                f"99th percentile {1e3 * last:7.1f} ms, processor {1e3 * spent:7.1f} ms, "
                f"{memory(process.pid or 0):.0f} MB",
                flush=True,
            )
        body = json.dumps(rows[:1]).encode()
        for done in range(1, requests + 1):
            ask(connection, body)
            if done % max(1, requests // 10) == 0:
                print(f"{name:10} after {done} requests: {memory(process.pid or 0):.0f} MB", flush=True)
        process.terminate()
        process.join()


def main() -> None:
    """Fit the built-in table and ask both servers."""
    from kernelect.app.guard import LOOPBACK
    from kernelect.app.server import Limits, serve_file

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=0, help="further requests of one row, for the memory")
    parser.add_argument("--machine", default="auto", help="machine of the model, as for kernelect fit")
    given = parser.parse_args()
    asked = {"token": TOKEN, "hosts": LOOPBACK, "limits": Limits()}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [sys.executable, "-m", "kernelect"]
        subprocess.run([*command, "sample", "patients"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        fit = ["fit", "patients.csv", "--target", "recovered", "--folds", "0", "--no-report", "--quiet"]
        export = ["export", "model.kernelect", "--to", "c", "--out", "model.h"]
        for words in ([*fit, "--machine", given.machine], export):
            subprocess.run([*command, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        table = folder / "patients.csv"
        frame = pd.read_csv(table).drop(columns="recovered")
        rows = json.loads(frame.to_json(orient="records"))
        model = folder / "model.kernelect"
        servers = {
            "kernelect": partial(serve_file, model, **asked),
            "forest": partial(with_forest, model, table, **asked),
        }
        if given.requests:
            measure("kernelect", servers["kernelect"], rows, given.requests)
            return
        for server, make in servers.items():
            measure(server, make, rows)
        print(f"C          processor {in_c((folder / 'model.h').read_text(), rows=2000):.0f} microseconds a row")


if __name__ == "__main__":
    main()
