"""What a model gives away: answers, Shapley values, exports as they run, a smaller model, and the facts of its page.

Numbers are kept, and the structure that they stand in; wording is not, nor times and versions. Long lists of numbers
are kept as their length and a few sums of them.
"""

import json
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import pandas as pd
from click.testing import CliRunner

from kernelect.cli.commands import kernelect as command_line
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.explain import shapley_values
from kernelect.export import onnx_inputs, reduce, to_c, to_javascript, to_onnx
from kernelect.facts import gather
from oracles.compiled import compiler, run_c
from oracles.scripts import run_script
from panel.models import N_ASKED, labels_of_two, table

#: Rows whose Shapley values are kept, and vectors of the smaller model.
_EXPLAINED, _VECTORS = 3, 10

#: Lists with more numbers than this are kept as sums.
_LONG = 12

#: What a page's facts have that is no result of the model: times, versions, and sentences, which have own tests.
#: ``held`` counts rows inside of intervals, and some rows lie on the very edge.
_LEFT_OUT = {
    "seconds",
    "made_with",
    "verdict",
    "learning",
    "doubts",
    "checked",
    "remarks",
    "schema",
    "title",
    "files",
    "script",
    "held",
}

#: Texts of the facts that are names of things and no sentences; all others are left out.
_NAMES = {"kind", "class", "role", "task", "main", "shown", "section", "at_bound", "observed", "predicted", "answer"}


def record(fitted):
    """Return all that is kept of a model, by names."""
    return {
        **{f"answers/{key}": value for key, value in _answers(fitted.model, fitted.asked).items()},
        **{f"explained/{key}": value for key, value in _explained(fitted).items()},
        **{f"export/{key}": value for key, value in _exported(fitted.model, fitted.asked).items()},
        **{f"smaller/{key}": value for key, value in _smaller(fitted).items()},
        **{f"page/{key}": value for key, value in _page(fitted).items()},
    }


def _answers(model, asked):
    """Return what a model says about rows; what it has no method or argument for is left out."""
    questions = {
        "predict": lambda: model.predict(asked),
        "std": lambda: model.predict(asked, return_std=True)[1],
        "interval": lambda: model.predict_interval(asked, coverage=0.8),
        "decision": lambda: model.decision_function(asked),
        "proba": lambda: model.predict_proba(asked),
    }
    answers = {}
    for key, ask in questions.items():
        try:
            answers[key] = np.asarray(ask()).tolist()
        except (AttributeError, TypeError):
            continue
    return answers


def _explained(fitted):
    """Return Shapley values with all unknown columns filled in by themselves, and by whole rows."""
    rows = fitted.asked[:_EXPLAINED]
    found = {}
    for absent in ("marginals", "interventional"):
        why = shapley_values(fitted.model, rows, fitted.X[:20], absent=absent, n_permutations=10)
        found |= {absent: why.values.tolist(), f"{absent}, base": why.base_values.tolist(), f"{absent} are": why.method}
    try:
        why = shapley_values(fitted.model, rows, n_permutations=10)
    except InvalidArgument:  # a sparse model does not keep its training rows
        return found
    return {**found, "by default": why.values.tolist(), "by default, base": why.base_values.tolist()}


def _exported(model, asked):
    """Return what ONNX, JavaScript and C say about rows, each with what it runs on."""
    found = {}
    for name, run in {"onnx": _in_onnx, "javascript": _in_javascript, "c": _in_c}.items():
        try:
            found[name] = np.asarray(run(model, asked)).tolist()
        except MissingCapability:
            found[name] = "cannot be exported"
    return found


def _in_onnx(model, asked):
    from onnxruntime import InferenceSession

    written = to_onnx(model)
    session = InferenceSession(written.SerializeToString(), providers=["CPUExecutionProvider"])
    inputs = onnx_inputs(written, asked) if isinstance(asked, pd.DataFrame) else {"numbers": asked}
    names = [output.name for output in session.get_outputs()]
    outputs = dict(zip(names, session.run(None, inputs), strict=True))
    return outputs["probabilities" if "probabilities" in outputs else "value"]


def _in_javascript(model, asked):
    source = to_javascript(model)
    return [each.get("values") or each["probabilities"] for each in run_script(source, _cells(asked))]


def _in_c(model, asked):
    source = to_c(model)
    with TemporaryDirectory() as folder:
        return run_c(source, np.array(_cells(asked, coded=True), dtype=float), Path(folder), sanitized=False)


def _cells(asked, coded=False):
    """Return rows as exports take them: dates as days and, for C, levels by their places in order."""
    if not isinstance(asked, pd.DataFrame):
        return np.asarray(asked).tolist()
    plain = asked.assign(day=(asked["day"] - pd.Timestamp(0)) / pd.Timedelta("1D"))
    if coded:
        places = {"blue": 0, "green": 1, "red": 2, "never seen": -1}
        plain["colour"] = [np.nan if pd.isna(level) else places[level] for level in plain["colour"]]
    return plain.to_numpy(dtype=object).tolist()


def can_run():
    """Return whether the programs are there that exports are run with."""
    return compiler() is not None and which("node") is not None


def _smaller(fitted):
    """Return how a model with few vectors predicts, or nothing if it has no such model."""
    try:
        found = reduce(fitted.model, _VECTORS)
    except MissingCapability:
        return {}
    losses = [found.vectors, found.loss_before, found.loss, found.standard_error]
    return {"losses": losses, **_answers(found.model, fitted.asked)}


def _page(fitted):
    if np.ndim(fitted.y) > 1:
        return {}  # there is a page for one target only
    return kept_facts(gather(fitted.model, fitted.X, fitted.y))


def table_model():
    """Return the facts of the page that ``kernelect fit`` writes, and what its model predicts."""
    frame, value = table()
    frame = frame.assign(outcome=labels_of_two(value))
    pages = []

    def write_report(path, facts, force):
        pages.append(facts)
        path.write_text("")

    with TemporaryDirectory() as folder, patch("kernelect.report.write_report", write_report):
        known, new, predictions = (str(Path(folder, name)) for name in ("table.csv", "new.csv", "predicted.csv"))
        frame.to_csv(known, index=False)
        frame.drop(columns="outcome")[:N_ASKED].to_csv(new, index=False)
        how = ["--target", "outcome", "--effort", "fast", "--folds", "3", "--out", folder, "--json", "--quiet"]
        files = json.loads(_run("fit", known, *how))["files"]
        _run("predict", next(name for name in files if "model" in Path(name).name), new, "--out", predictions)
        predicted = pd.read_csv(predictions).select_dtypes("number")
    return {
        **{f"predict/{place}": column.tolist() for place, column in enumerate(predicted.to_numpy().T)},
        **{f"page/{key}": value for key, value in kept_facts(pages[0]).items()},
    }


def _run(*words):
    outcome = CliRunner().invoke(command_line, words, catch_exceptions=False)
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


def kept_facts(facts, path=""):
    """Return the numbers of facts by their paths, and the names; see the module's first lines."""
    if isinstance(facts, dict):
        parts = [(key, f"{path}.{key}", value) for key, value in facts.items() if key not in _LEFT_OUT]
    elif isinstance(facts, list):
        numbers = _numbers(facts)
        if numbers is not None:
            return {path: numbers}
        parts = [(None, f"{path}.{place}", value) for place, value in enumerate(facts)]
    else:
        return {path: facts} if isinstance(facts, bool | int | float) else {}
    kept = {}
    for key, where, value in parts:
        if isinstance(value, str):
            kept.update({where: value} if key in _NAMES else {})
        else:
            kept.update(kept_facts(value, where))
    return kept


def _numbers(values):
    """Return a list of numbers, in lists of one length or not, and None for all others; see ``_LONG``."""
    try:
        found = np.array(values, dtype=object if not values else None)
    except ValueError:  # lists of different lengths
        return None
    if found.dtype == object:
        try:
            found = np.array(values, dtype=float)  # None is not a number
        except (TypeError, ValueError):
            return None
    if found.dtype.kind not in "bif" or not found.size:
        return None
    if found.size <= _LONG:
        return found.astype(float).tolist()
    flat = found.astype(float).ravel()
    there = np.where(np.isfinite(flat), flat, 0.0)
    waves = [np.cos(rate * np.arange(flat.size)) for rate in (0.0, 0.7, 2.1)]
    return [*map(float, found.shape), float(np.isfinite(flat).sum()), *(float(np.mean(there * wave)) for wave in waves)]
