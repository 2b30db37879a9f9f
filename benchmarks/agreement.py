"""Errors, claims, deviations and intervals on real tables: with copies, groups and straight lines.

Every CSV of a folder has its target in the last column. Four questions, each asked of tables that a rule chooses:

- ``copies``: a table as it is, every row twice, a bootstrap sample: error on other rows, what leave-one-out claims,
  and how many other rows lie in their 90 % intervals.
- ``groups``: the criterion that a fit with groups reaches, beside the best of ten restarts.
- ``deviations``: the deviations that ``predict`` gives for other rows, beside their errors: the median one beside the
  RMSE, and the root mean square of errors in units of their own deviations.
- ``lines``: real inputs, and a target that is a straight line of them but for 5 % of noise; one row thirty times as
  far away as the others, which is not fitted, is predicted. And real targets: the rows of the largest 3 %.

    python benchmarks/agreement.py FOLDER --out after.jsonl [--only copies groups] [--tables 12]
    python benchmarks/agreement.py FOLDER --before before.jsonl --out after.jsonl --markdown page.md

A run that was interrupted goes on where it ended. The second line writes the page of both runs and fits nothing.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kernelect import LSSVC, LSSVR, KernelClassifier, KernelRegressor

Row = dict[str, Any]

#: Rows that are fitted, rows that are predicted, and rows below which a table is not asked.
MOST, NEW, LEAST = 150, 300, 80


def tables(folder: Path, split: int = 0) -> Iterator[tuple[str, pd.DataFrame, pd.Series, bool]]:
    """Yield name, inputs, target and whether it is a number, rows in the random order of a split."""
    for path in sorted(folder.glob("*.csv")):
        frame = pd.read_csv(path, na_values=["?"])
        frame = frame[frame.iloc[:, -1].notna()].sample(frac=1.0, random_state=split, ignore_index=True)
        y, X = frame.iloc[:, -1], frame.iloc[:, :-1]
        number = bool(pd.api.types.is_numeric_dtype(y) and y.nunique() > 10)
        if len(frame) >= LEAST and X.shape[1] <= 40:
            yield path.stem, X, y.astype(float) if number else y.astype(str), number


def cut(n: int) -> int:
    """Return how many rows are fitted."""
    return min(MOST, round(0.7 * n))


def copies(X: pd.DataFrame, y: pd.Series, number: bool) -> Row:
    """Return errors, claims and cover of a table, the table twice and a bootstrap sample of it."""
    n = cut(len(y))
    rare = not number and y[:n].value_counts().min() < 5
    if rare:
        return {}
    new, truth = X[n : n + NEW], y[n : n + NEW].to_numpy()
    bootstrap = np.random.default_rng(0).integers(n, size=n)
    out: Row = {"task": "regression" if number else "classification"}
    for word, rows in (("plain", np.arange(n)), ("twice", np.r_[:n, :n]), ("bootstrap", bootstrap)):
        given, target = X.iloc[rows].reset_index(drop=True), y.to_numpy()[rows]
        if number:
            model = KernelRegressor("fast").fit(given, target)
            error = float(np.sqrt(np.mean((model.predict(new) - truth) ** 2)))
            low, high = model.predict_interval(new)
            out[f"{word} cover"] = float(np.mean((low <= truth) & (truth <= high)))
            claim = float(np.sqrt(np.mean((model.loo_prediction_ - target) ** 2)))
            out[word], out[f"{word} claim"] = error / float(np.std(truth)), claim / float(np.std(truth))
        else:
            labels = KernelClassifier("fast").fit(given, target)
            out[word] = float(np.mean(labels.predict(new) != truth))
            out[f"{word} claim"] = float(np.mean(labels.classes_[labels.loo_proba_.argmax(axis=1)] != target))
    return out


def groups(X: pd.DataFrame, y: pd.Series, number: bool) -> Row:
    """Return the criterion of a fit with groups, and the best of it and one with ten restarts."""
    n = cut(len(y))
    inputs = numbers_of(X[:n])
    if inputs.shape[1] < 2 or (not number and y[:n].nunique() > 2):
        return {}
    order = np.argsort(np.argsort(inputs @ np.random.default_rng(0).normal(size=inputs.shape[1])))
    kind = LSSVR if number else LSSVC
    found, best = (
        kind("rbf", n_restarts=restarts, random_state=0).fit(inputs, y[:n], groups=order // 5).selection_.value
        for restarts in (0, 10)
    )
    return {"found": found, "best": min(found, best)}


def deviations(X: pd.DataFrame, y: pd.Series, number: bool) -> Row:
    """Return deviations and 90 % intervals of other rows beside their errors; the typical one is 1.48 medians."""
    if not number:
        return {}
    n = cut(len(y))
    model = KernelRegressor("fast").fit(X[:n], y[:n])
    new, truth = X[n : n + NEW], y[n : n + NEW].to_numpy()
    mean, spread = model.predict(new, return_std=True)
    low, high = model.predict_interval(new)
    errors = np.abs(mean - truth)
    rmse = float(np.sqrt(np.mean(errors**2)))
    left_out = float(np.sqrt(np.mean((model.loo_prediction_ - y[:n].to_numpy()) ** 2)))
    return {
        "deviation / RMSE": float(np.median(spread)) / rmse,
        "deviation / typical error": float(np.median(spread) / np.median(errors)) * 0.6745,
        "errors in their deviations": float(np.sqrt(np.mean((errors / spread) ** 2))),
        "typical error / RMSE": float(np.median(errors)) / 0.6745 / rmse,
        "leave-one-out / RMSE": left_out / rmse,
        "largest tenth / smallest": float(np.quantile(spread, 0.9) / np.quantile(spread, 0.1)),
        "half width / deviation": float(np.median(high - low) / 2.0 / np.median(spread)),
        "cover": float(np.mean((low <= truth) & (truth <= high))),
    }


def lines(X: pd.DataFrame, y: pd.Series, number: bool) -> Row:
    """Return the relative error of a row that dominates a straight line."""
    inputs, n = numbers_of(X), cut(len(y))
    if not number or inputs.shape[1] < 2:
        return {}
    near, target = inputs[:n], y[:n].to_numpy()
    slopes = np.linalg.lstsq(np.c_[near, np.ones(n)], target, rcond=1e-8)[0]
    straight = near @ slopes[:-1]
    noise = 0.05 * float(np.std(straight)) * np.random.default_rng(0).normal(size=n)
    far = 30.0 * near[[np.argmax(np.abs(straight))]]
    value = float((far @ slopes[:-1])[0])
    if value == 0.0:
        return {}
    found = float(KernelRegressor().fit(near, straight + noise).predict(far)[0])
    return {"dominating": abs(found - value) / abs(value)}


def numbers_of(X: pd.DataFrame) -> np.ndarray:
    """Return the numeric columns, standardised, gaps filled by the median; of tables of categories none."""
    numeric = X.select_dtypes("number").astype(float)
    filled = numeric.fillna(numeric.median()).to_numpy()
    spread = filled.std(axis=0)
    return (filled[:, spread > 0] - filled[:, spread > 0].mean(axis=0)) / spread[spread > 0]


#: Question -> what answers it, and whether it is asked of all tables.
QUESTIONS: dict[str, tuple[Callable[[pd.DataFrame, pd.Series, bool], Row], bool]] = {
    "copies": (copies, False),
    "groups": (groups, False),
    "lines": (lines, False),
    "deviations": (deviations, True),
}


def main() -> None:
    """Measure what is not there yet, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="+", choices=list(QUESTIONS), default=list(QUESTIONS))
    parser.add_argument("--tables", type=int, default=12, help="for all questions but deviations, the first of a name")
    parser.add_argument("--split", type=int, default=0, help="another number for other rows in each part")
    parser.add_argument("--before", type=Path)
    parser.add_argument("--markdown", type=Path)
    asked = parser.parse_args()
    if asked.markdown is not None:
        asked.markdown.write_text(page(read(asked.before), read(asked.out)))
        return
    warnings.simplefilter("ignore")
    for question in asked.only:
        answer, everywhere = QUESTIONS[question]
        done = {row["table"]: row for row in read(asked.out) if row["question"] == question}
        answered = {True: 0, False: 0}
        for name, X, y, number in tables(asked.folder, asked.split):
            most = asked.tables if everywhere or question == "lines" else (asked.tables + 1) // 2
            if answered[number] >= most and not everywhere:
                continue
            row = done.get(name)
            if row is None:
                row = {"question": question, "table": name, **answer(X, y, number)}
                with asked.out.open("a") as file:
                    file.write(json.dumps(row) + "\n")
            answered[number] += len(row) > 2


def read(path: Path) -> list[Row]:
    """Return the rows of a file, none if there is no file."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def page(before: list[Row], after: list[Row]) -> str:
    """Return a Markdown table for every question, before and after side by side."""
    lines_: list[str] = []
    for question in QUESTIONS:
        old, new = ({row["table"]: row for row in rows if row["question"] == question} for rows in (before, after))
        both = [name for name in new if len(new[name]) > 2 and len(old.get(name, {})) > 2]
        keys = list(dict.fromkeys(key for name in both for key in new[name] if isinstance(new[name][key], float)))
        lines_ += [f"\n## {question}\n", "| table | " + " | ".join(keys) + " |", "|---" * (len(keys) + 1) + "|"]
        for name in both:
            cells = [_pair(old[name].get(key), new[name].get(key)) for key in keys]
            lines_.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines_) + "\n"


def _pair(old: float | None, new: float | None) -> str:
    return "" if old is None or new is None else f"{old:.3g} → {new:.3g}"


if __name__ == "__main__":
    main()
