"""The same model elsewhere: explained, exported, on Dask."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import numpy as np

from fuzz.estimators import answers, fit, made
from fuzz.harness import Broken, require_sentence
from kernelect.exceptions import KernelectError
from kernelect.explain import shapley_values
from kernelect.export import onnx_inputs, to_onnx


def require_near(found: Any, expected: Any, allowed: float, law: str) -> None:
    """Break the case where answers are further apart than they may be; overflow breaks it too."""
    with np.errstate(all="ignore"):
        apart = float(np.abs(found / allowed - expected / allowed).max(initial=0.0))
    if not apart <= 1.0:
        raise Broken(law, f"{apart:.2g} times as far apart as allowed")


def require_explained(model: Any, Z: Any, background: Any, unit: float) -> None:
    """Base and effects add up to what the model says, or one sentence tells why there are none."""
    try:
        found = shapley_values(model, Z, background=background, n_permutations=4)
    except KernelectError as error:
        require_sentence(error, {"X", "background", "model", "kernel"})
        return
    if not np.isfinite(found.values).all() or not np.isfinite(found.base_values).all():
        raise Broken("effects are finite", f"{np.isnan(found.values).sum()} NaN of {found.values.size}")
    size = unit + float(np.abs(found.base_values).max()) + float(np.abs(found.values).max())
    if found.error > 1e-6 * size:
        raise Broken("base and effects add up", f"{found.error:.2g} off, of {size:.2g}")
    if found.explained == "prediction":
        total = found.base_values + found.values.sum(axis=1)
        require_near(total, model.predict(Z), 1e-6 * size, "base and effects add up to the prediction")


def require_exported(model: Any, Z: Any, unit: float) -> None:
    """An ONNX runtime answers as the model does, or one sentence tells why there is no such file."""
    try:
        written = to_onnx(model)
    except KernelectError as error:
        require_sentence(error, {"model", "kernel", "X", "export", "number", "columns"})
        return
    found = run_onnx(written, Z)
    if "probabilities" in found:
        require_near(found["probabilities"], answers(model, Z), 1e-6, "an exported model answers alike")
    else:
        expected = np.asarray(model.predict(Z))
        allowed = 1e-6 * max(unit, float(np.abs(expected).max()))
        require_near(found["value"].reshape(expected.shape), expected, allowed, "an exported model answers alike")


def run_onnx(written: Any, Z: Any) -> dict[str, Any]:
    """Return what a runtime answers; columns of an array are named by their places, dates are read first."""
    import onnxruntime
    import pandas as pd

    frame = Z.copy() if hasattr(Z, "columns") else pd.DataFrame(Z, columns=[f"x{j}" for j in range(Z.shape[1])])
    columns = json.loads(next(entry.value for entry in written.metadata_props if entry.key == "columns"))
    if columns["numbers"] and not set(frame.columns) >= {column["name"] for column in columns["numbers"]}:
        inputs = {"numbers": np.asarray(Z, dtype=float)}
    else:
        for column in columns["numbers"]:
            if column["kind"] == "date":
                frame[column["name"]] = [date.fromisoformat(cell) for cell in frame[column["name"]]]
        inputs = onnx_inputs(written, frame)
    session = onnxruntime.InferenceSession(written.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, inputs), strict=True))


def require_same_on_dask(case: Any, model: Any, data: tuple[Any, Any, Any], Z: Any, allowed: float) -> None:
    """The same rows in unequal partitions give the same model on landmarks."""
    import dask
    import dask.array as da

    rows = len(data[0])
    ends = np.unique([0, rows // 3, rows // 3 + 1, rows])
    chunks = tuple(int(size) for size in np.diff(ends))
    parts = [None if each is None else da.from_array(each, chunks=(chunks, *(-1,) * (each.ndim - 1))) for each in data]
    with dask.config.set(scheduler="synchronous"):
        second = fit(made(case), *parts)
        require_near(answers(second, Z), answers(model, Z), allowed, "rows on Dask give the same model")
