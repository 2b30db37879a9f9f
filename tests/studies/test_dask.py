"""A real scheduler and two worker processes: the same numbers as here, and a worker that is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest

from kernelect.exceptions import InvalidArgument
from kernelect.studies import Local, Plan, Results, engine_for, run_study
from kernelect.studies.definition import Method
from kernelect.studies.engines import EngineUnreachable

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'kernelect[dask]'")
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


class Cluster:
    """One scheduler and two workers, each a process of its own."""

    def __init__(self, folder):
        paths = os.pathsep.join(entry for entry in sys.path if entry)
        self.environment = {**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"}
        self.file = folder / "scheduler.json"
        self.folder = folder
        self.processes = [self._start("dask_scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1")]
        self._wait_for(lambda: self.file.exists() and self.file.read_text().endswith("}"))  # written in full
        self.address = json.loads(self.file.read_text())["address"]
        more = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(folder))
        self.workers = [self._start("dask_worker", *more) for _ in range(2)]
        self.processes += self.workers

    def _start(self, command, *options):
        arguments = [sys.executable, "-m", f"distributed.cli.{command}", "--scheduler-file", str(self.file), *options]
        log = open(self.folder / f"{command}.log", "ab")  # noqa: SIM115
        with log:
            return subprocess.Popen(arguments, env=self.environment, stdout=log, stderr=log)

    @staticmethod
    def _wait_for(condition, seconds=60.0):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "the cluster did not start"
            time.sleep(0.05)

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture
def cluster(tmp_path):
    found = Cluster(tmp_path)
    yield found
    found.stop()


def errors(path):
    with Results.open(path) as results:
        return {cell.key: (cell.state, cell.figures.get("error")) for cell in results.cells()}


@pytest.mark.slow  # test_run.py has workers of its own, and kills one
def test_a_cluster_gives_the_numbers_of_one_process_and_survives_a_killed_worker(tiny, tmp_path, cluster):
    plan = Plan(study=tiny, datasets=tuple(tiny.datasets), methods=tuple(tiny.methods), splits=2)
    for name, engine in (("here", Local(1)), ("there", engine_for(cluster.address, 1))):
        with Results.create(tmp_path / name, tiny) as results:
            progress = run_study(plan, results, engine)
        assert (progress.ended, progress.failures) == (12, 0)
    assert errors(tmp_path / "here") == errors(tmp_path / "there")

    options = {"folder": str(tmp_path), "seconds": 0.3}
    method = Method(name="only", label="only", runner="studies.cell_runners:slow", options=options)
    study = replace(tiny, methods={"only": method}, default=None)
    killer = threading.Timer(1.5, lambda: os.kill(cluster.workers[0].pid, signal.SIGKILL))
    killer.start()
    with Results.create(tmp_path / "killed", tiny) as results:
        run_study(
            Plan(study=study, datasets=tuple(study.datasets), methods=("only",), splits=6),
            results,
            engine_for(cluster.address, 1),
        )
    killer.join()
    cluster.workers[0].wait(timeout=10)
    found = errors(tmp_path / "killed")
    assert len(found) == 18
    assert {state for state, _ in found.values()} == {"done"}


def test_no_scheduler_at_the_address():
    engine = replace(engine_for("tcp://127.0.0.1:9", 1), patience="1s")
    with pytest.raises(EngineUnreachable, match="cannot be reached"):
        list(engine.run([]))


def test_a_wrong_engine_is_named():
    with pytest.raises(InvalidArgument, match="must be local or an address"):
        engine_for("cluster", 1)
