"""kernelect beside AutoGluon: time of a fit, time of a prediction, size on disk, memory and loss, on one table.

    pip install 'autogluon.tabular[lightgbm,catboost]'
    python benchmarks/beside.py --csv docs/results/measured/beside.csv

Each method is fitted in a process of its own, and predicts in another one that has only loaded its model.
"""

from __future__ import annotations

import argparse
import csv
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

METHODS = ("kernelect", "AutoGluon, medium_quality", "AutoGluon, best_quality, 60 s")
FIGURES = (
    "fit, CPU s",
    "one row, CPU ms",
    "many rows, CPU ms a row",
    "on disk, MB",
    "memory to predict, MiB",
    "log-loss on 190 other rows",
)


def rows() -> tuple[Any, Any, Any, Any]:
    """Return 379 rows to fit and 190 others, frames and labels."""
    return train_test_split(*load_breast_cancer(return_X_y=True, as_frame=True), test_size=190, random_state=0)


def fit(method: str, path: Path) -> None:
    """Fit a method and save it below a path."""
    frame, _, labels, _ = rows()
    if method == "kernelect":
        from kernelect import KernelClassifier

        KernelClassifier().fit(frame, labels).model_.save(path / "model.kernelect")
        return
    from autogluon.tabular import TabularPredictor

    preset, *seconds = method.split(", ")[1:]
    limit = float(seconds[0].split()[0]) if seconds else None
    predictor = TabularPredictor(label="target", eval_metric="log_loss", path=str(path / "ag"), verbosity=0)
    one_process = {"ag_args_ensemble": {"fold_fitting_strategy": "sequential_local"}, "dynamic_stacking": False}
    options = one_process if preset == "best_quality" else {}
    predictor.fit(frame.assign(target=labels), presets=preset, time_limit=limit, num_cpus=1, num_gpus=0, **options)


def use(method: str, path: Path) -> dict[str, float]:
    """Load a model and return what its predictions cost."""
    _, frame, _, labels = rows()
    if method == "kernelect":
        from kernelect import load

        predict = load(path / "model.kernelect").predict_proba
    else:
        from autogluon.tabular import TabularPredictor

        loaded = TabularPredictor.load(str(path / "ag"), verbosity=0)
        loaded.persist()

        def predict(given: Any) -> Any:
            return loaded.predict_proba(given).to_numpy()

    probability = np.asarray(predict(frame))
    return {
        "one row, CPU ms": 1e3 * _seconds(lambda: predict(frame.iloc[:1])),
        "many rows, CPU ms a row": 1e3 * _seconds(lambda: predict(frame)) / len(frame),
        "on disk, MB": sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) / 1e6,
        "memory to predict, MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "log-loss on 190 other rows": float(log_loss(labels, probability)),
    }


def _seconds(call: Any) -> float:
    """Return the median processor time of nine calls."""
    times = []
    for _ in range(9):
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
    return float(np.median(times))


def _seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(method: str) -> dict[str, float]:
    """Return all figures of a method."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--method", method, "--path", folder]
        begin = _seconds_of_children()
        subprocess.run([*command, "--step", "fit"], check=True, capture_output=True)
        seconds = _seconds_of_children() - begin
        used = subprocess.run([*command, "--step", "use"], check=True, capture_output=True).stdout
        return {"fit, CPU s": seconds, **pickle.loads(used)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--step", choices=["fit", "use"])
    parser.add_argument("--method")
    parser.add_argument("--path", type=Path)
    given = parser.parse_args()
    if given.step == "fit":
        fit(given.method, given.path)
    elif given.step == "use":
        sys.stdout.buffer.write(pickle.dumps(use(given.method, given.path)))
    else:
        found = {}
        for method in METHODS:
            found[method] = measured(method)
            print(method, found[method], file=sys.stderr, flush=True)
        lines = [["", *METHODS], *([name, *(f"{found[m][name]:.3g}" for m in METHODS)] for name in FIGURES)]
        for line in lines:
            print(*line, sep=" | ")
        if given.csv:
            with given.csv.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows(lines)
