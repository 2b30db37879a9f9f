"""Claimed against real: the error that outer folds claim, and the error on rows that were put aside.

Every CSV of a folder, its target in the last column, is split 70/30. A model is fitted to the larger part with five
outer folds, as ``kernelect fit`` does, and predicts the other part. The difference of the two errors over its standard
error is a z-score: over many tables their mean should be about 0, and one in twenty beyond 2.

    python benchmarks/honest.py FOLDER [--out results.jsonl] [--most-rows 1000] [--csv honest.csv]

A run that was interrupted goes on where it ended.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kernelect.exceptions import KernelectError
from kernelect.facts import Judge
from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table, read_table
from kernelect.tabular.usable import target_values


def main() -> None:
    """Measure all tables, write them as CSV and print the summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, default=Path("honest.jsonl"))
    parser.add_argument("--most-rows", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--machine", default="lssvm")
    parser.add_argument("--effort", choices=("fast", "balanced", "best"), help="of the mixture (machine auto)")
    parser.add_argument("--csv", type=Path, default=Path("honest.csv"))
    parser.add_argument("--time-limit", type=float, help="seconds for each fit and its folds")
    parser.add_argument("--cpu-clock", action="store_true", help="time limits count CPU time, on a busy machine")
    given = parser.parse_args()
    if given.cpu_clock:
        time.monotonic = time.process_time
    known = [json.loads(line) for line in given.out.read_text().splitlines()] if given.out.exists() else []
    done = {row["table"] for row in known}
    for path in sorted(given.folder.glob("*.csv")):
        if path.stem not in done:
            known.append(measured(path, given))
            with given.out.open("a") as file:
                file.write(json.dumps(known[-1]) + "\n")
            print(known[-1], flush=True)
    print(summary(known, given.csv))


def measured(path: Path, given: argparse.Namespace) -> dict[str, Any]:
    """Return the claimed and the real figure of one table."""
    began = time.process_time()
    frame = read_table(path).frame
    target = frame.columns[-1]
    frame = frame[frame[target].notna()].sample(frac=1.0, random_state=given.seed, ignore_index=True)
    frame = frame[: given.most_rows]
    try:
        known, new = parts_of(frame, describe_table(frame, target)[0].group)
        schema, rows, remarks = describe_table(known, target)
        options = MachineOptions(given.machine, effort=given.effort, time_limit=given.time_limit)
        model = fit_table(rows, schema, options, FoldOptions(folds=5), remarks=tuple(remarks))
    except KernelectError as error:
        return {"table": path.stem, "error": str(error)}
    claimed = model.facts["quality"]["estimates"][0]["scores"][0]
    real = score_of(model, new)
    spread = float(np.hypot(claimed["standard_error"], real.standard_error or 0.0))
    return {
        "table": path.stem,
        "rows": len(known),
        "score": claimed["name"],
        "claimed": claimed["value"],
        "claimed_error": claimed["standard_error"],
        "real": real.value,
        "real_error": real.standard_error,
        "z": (real.value - claimed["value"]) / spread if spread > 0 else 0.0,
        "doubts": [doubt["code"] for doubt in model.facts["doubts"]],
        "kinds": {column.name: column.kind for column in schema.columns},
        "unused": [remark for remark in remarks if "left out" in remark],
        "seconds": round(time.process_time() - began, 1),
    }


def parts_of(frame: pd.DataFrame, group: str | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return 70 % of the rows and the others; rows of a group stay together, since claims are about new groups."""
    units = np.arange(len(frame)) if group is None else pd.factorize(frame[group], use_na_sentinel=False)[0]
    known = units < round(0.7 * (units.max() + 1))
    return frame[known].reset_index(drop=True), frame[~known].reset_index(drop=True)


def score_of(model: Any, new: pd.DataFrame) -> Any:
    """Return the main score on the rows that were put aside, those of unknown classes left out."""
    schema = model.schema
    y = target_values(new[schema.target], schema.task)
    kept = y.notna() if schema.classes is None else y.isin(schema.classes)
    judge = Judge(y[kept], schema.classes)
    prediction = model.predict(schema.inputs(new[kept]))
    return judge.of_rows("new rows", prediction, ranked=False).scores[0]


def summary(rows: list[dict[str, Any]], path: Path) -> str:
    """Write a line per table, those with the most pessimistic claims first, and return what counts."""
    found = sorted((row for row in rows if "z" in row), key=lambda row: row["z"])
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["table", "rows", "score", "claimed", "on other rows", "z", "doubts"])
        for row in found:
            figures = [f"{row[k]:.4g} ± {row[k + '_error'] or 0:.2g}" for k in ("claimed", "real")]
            writer.writerow(
                [row["table"], row["rows"], row["score"], *figures, f"{row['z']:+.1f}", ", ".join(row["doubts"])]
            )
    z = np.array([row["z"] for row in found])
    beyond = int(np.sum(np.abs(z) > 2.0))
    failed = [f"{row['table']}: {row['error']}" for row in rows if "error" in row]
    return (
        f"Mean z {z.mean():+.2f} (± {z.std(ddof=1) / np.sqrt(len(z)):.2f}), standard deviation {z.std(ddof=1):.2f}; "
        f"{beyond} of {len(z)} beyond 2 ({100 * beyond / len(z):.0f} %)."
        + ("\nNot fitted: " + "; ".join(failed) if failed else "")
    )


if __name__ == "__main__":
    main()
