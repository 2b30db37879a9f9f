"""Built-in tables with named columns, for trying things out."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

_SEED = 8


def patients(n_samples: int = 300, random_state: int = _SEED) -> Any:
    """Return a made-up clinic's table: text categories, missing cells, dates, an id, a name.

    Recovery depends on age, dose (best in the middle), smoking and the clinic; the blood
    pressure is missing more often where it would have been high.
    """
    import pandas as pd

    generator = np.random.default_rng(random_state)
    age = generator.integers(20, 90, n_samples)
    dose = generator.uniform(0.0, 10.0, n_samples).round(1)
    pressure = generator.normal(130.0, 15.0, n_samples).round(0)
    smoker = generator.choice(["never", "former", "daily"], n_samples, p=[0.5, 0.3, 0.2])
    clinic = generator.choice(["North", "South", "Harbour", "Old Town"], n_samples)
    logit = 2.5 - 0.06 * (age - 55) - 0.15 * (dose - 5.0) ** 2 - 0.05 * (pressure - 130.0)
    logit += np.select([smoker == "daily", smoker == "former"], [-1.5, -0.5], 0.0) + np.where(clinic == "North", 0.8, 0)
    recovered = np.where(generator.logistic(size=n_samples) < logit, "yes", "no")
    frame = pd.DataFrame(
        {
            "patient": np.arange(1, n_samples + 1),
            "admitted": pd.date_range("2024-01-01", periods=n_samples).strftime("%Y-%m-%d"),
            "age": age,
            "dose": dose,
            "pressure": pressure,
            "smoker": smoker,
            "clinic": clinic,
            "recovered": recovered,
        }
    )
    frame["pressure"] = frame["pressure"].mask(generator.uniform(size=n_samples) < np.where(pressure > 140, 0.4, 0.1))
    frame["smoker"] = frame["smoker"].mask(generator.uniform(size=n_samples) < 0.08)
    return frame


def sample_table(name: str) -> tuple[Any, str]:
    """Return a built-in table as a DataFrame and the name of its target.

    Parameters
    ----------
    name : "patients", "wine", "breast_cancer" or "diabetes"
    """
    if name == "patients":
        return patients(), "recovered"
    if name == "diabetes":
        return load_diabetes(as_frame=True, scaled=False).frame.rename(columns={"target": "progression"}), "progression"
    load, target = {"wine": (load_wine, "cultivar"), "breast_cancer": (load_breast_cancer, "diagnosis")}[name]
    bunch = load(as_frame=True)
    labels = bunch.target_names[bunch.target]
    return bunch.data.rename(columns=lambda column: column.replace(" ", "_")).assign(**{target: labels}), target
