"""Write what all cases give now: ``python tests/panel/freeze.py [--out FILE]``.

There are two records: of single fits (cases.py, frozen.json) and, with ``--models``, of models with all that is made
of them (models.py, shown.py, frozen_models.json). A case whose results change on purpose is frozen anew by
``--only NAME``, and its reason goes into ``FROZEN_ANEW`` of cases.py or models.py.

To see which cases amplify rounding, write a second file under a disturbance that should not
matter (``--jitter SEED`` changes the last bit of the inputs; the environment variables
``OMP_NUM_THREADS=2`` and ``OPENBLAS_CORETYPE=Haswell`` change the order in which BLAS sums),
and have it held against the first: ``python tests/panel/freeze.py --compare FILE ...``.
"""

import argparse
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # when run as a script

from panel import cases, models, shown

FROZEN = Path(__file__).with_name("frozen.json")
FROZEN_MODELS = Path(__file__).with_name("frozen_models.json")

#: Entries kept of what has one per training row.
_FIRST = 8

_ATTRIBUTES = ("regularization_", "C_", "noise_", "intercept_", "support_", "feature_importances_")


def record(name):
    """Return all results of a case as lists, numbers, words and booleans."""
    model, queries = cases.CASES[name]()
    found = {
        "converged": model.selection_.converged,
        "value": model.selection_.value,
        "theta": model.selection_.theta,
    }
    for attribute in _ATTRIBUTES:
        if hasattr(model, attribute):
            found[attribute] = getattr(model, attribute)
    for attribute in ("loo_decision_", "loo_prediction_"):
        if hasattr(model, attribute):
            found[attribute] = getattr(model, attribute)[:_FIRST]
    return {key: _plain(value) for key, value in {**found, **_answers(model, queries)}.items()}


def record_model(name):
    """Return what is kept of a model by its name."""
    return shown.table_model() if name == TABLE_MODEL else shown.record(models.CASES[name]())


#: A model that is made by the command line, which has no case of its own.
TABLE_MODEL = "kernelect fit"

MODELS = [*models.CASES, TABLE_MODEL]


def _answers(model, queries):
    """Return what the model says about the rows; what a precomputed kernel cannot know is left out."""
    asked = {
        "predict": lambda: model.predict(queries),
        "std": lambda: model.predict(queries, return_std=True)[1],
        "interval": lambda: model.predict_interval(queries, coverage=0.8),
        "decision": lambda: model.decision_function(queries),
        "proba": lambda: model.predict_proba(queries),
        "latent": lambda: model.latent_mean_and_variance(queries),
    }
    answers = {}
    for key, ask in asked.items():
        try:
            answers[key] = ask()
        except (AttributeError, TypeError):  # not a method or an argument of this estimator
            continue
        except ValueError as problem:
            if "precomputed" not in str(problem):
                raise
    return answers


def _plain(value):
    """Return a value as JSON holds it; floats are written by repr, so nothing is rounded."""
    return np.asarray(value).tolist()


def deviation(now, then):
    """Return the largest |now - then| / (1 + |then|) of two records, infinite where they do not match at all."""
    if now.keys() != then.keys():
        return np.inf
    return max(_difference(np.asarray(now[key]), np.asarray(then[key])) for key in then)


def _difference(now, then):
    if now.shape != then.shape:
        return np.inf
    if then.dtype.kind != "f" or now.dtype.kind != "f":  # labels, indices, yes or no: equal or not
        return 0.0 if np.array_equal(now, then) else np.inf
    if not np.array_equal(np.isfinite(now), np.isfinite(then)):
        return np.inf
    finite = np.isfinite(then)
    if not np.array_equal(now[~finite], then[~finite], equal_nan=True):
        return np.inf
    now, then = now[finite], then[finite]
    return float(np.max(np.abs(now - then) / (1.0 + np.abs(then)), initial=0.0))


def tolerance(name):
    """Return the tolerance of a case."""
    loose = cases.LOOSE | models.LOOSE
    return loose[name][0] if name in loose else cases.TOLERANCE


def load(path=FROZEN):
    """Return the records of a file by the cases' names."""
    return json.loads(Path(path).read_text())


def _write(path, names, recorded, only=()):
    """Write the records of all names, or of some beside those that the file has."""
    records = load(path) if only else {}
    for name in only or names:
        began = time.perf_counter()
        records[name] = recorded(name)
        sys.stdout.write(f"{time.perf_counter() - began:6.2f} s  {name}\n")
    lines = [f"{json.dumps(name)}: {json.dumps(found)}" for name, found in records.items()]
    Path(path).write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _compare(paths, frozen_in):
    """Write the largest deviation of every case from the frozen record over some files."""
    frozen = load(frozen_in)
    others = [load(path) for path in paths]
    for name, then in frozen.items():
        worst = max(deviation(other[name], then) for other in others)
        sys.stdout.write(f"{worst:8.1e} {'beyond' if worst > tolerance(name) else 'within'}  {name}\n")


def main():
    parser = argparse.ArgumentParser(description="Freeze the results of the panel.")
    parser.add_argument("--models", action="store_true", help="models with all that is made of them, not single fits")
    parser.add_argument("--out", help="file to write")
    parser.add_argument(
        "--only", nargs="+", default=(), metavar="NAME", help="freeze these cases anew, keep the others"
    )
    parser.add_argument("--jitter", type=int, help="seed of a change in the last bit of all inputs")
    parser.add_argument("--compare", nargs="+", metavar="FILE", help="hold these files against the frozen one")
    options = parser.parse_args()
    names, recorded, frozen = (MODELS, record_model, FROZEN_MODELS) if options.models else (cases.CASES, record, FROZEN)
    if options.compare:
        _compare(options.compare, frozen)
        return
    cases.JITTER = options.jitter
    warnings.simplefilter("ignore", ConvergenceWarning)  # whether a search converged is part of the record
    _write(options.out or frozen, names, recorded, options.only)


if __name__ == "__main__":
    main()
