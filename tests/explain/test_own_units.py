"""Effects on numbers that are modelled on another scale, in their own units: against the integral along the way."""

import numpy as np
import pandas as pd
import pytest

from kernelect import KernelRegressor
from kernelect.explain import Explanation, shapley_values
from kernelect.explain.own_units import OwnUnits, own_units_of
from kernelect.mixture.kernel_machines import KernelMachine
from kernelect.model import TimeScale

TIMES = TimeScale(knots=np.array([0.0, 1.0, 2.5]), heights=np.array([-1.0, 2.5, 3.0]))
BACK = {"log": np.exp, "log1p": np.expm1, "sqrt": lambda t: t**2 - 0.3, "times": TIMES.backward}


def explanation(values, base, interactions=None):
    return Explanation(
        values=values,
        base_values=base,
        data=values,
        feature_names=("a", "b", "c"),
        output_names=(0,),
        explained="logarithm of the prediction",
        absent="marginals",
        background="",
        method="exact",
        error=0.0,
        interactions=interactions,
        remarks=("The target is modelled by its logarithm.", "Another one."),
    )


@pytest.mark.parametrize("name", BACK)
def test_values_are_the_integral_of_the_gradient_along_the_straight_way(name, rng):
    values, base = rng.normal(size=(5, 3)), rng.uniform(2.0, 4.0, 5)
    values[4] -= values[4].mean()  # the row ends where it began
    own = OwnUnits(name=name, more=0.3 * (name == "sqrt"), times=TIMES if name == "times" else None)
    found = own.of(explanation(values, base, np.ones((5, 3, 3))))
    back, shares = BACK[name], (np.arange(4000) + 0.5) / 4000
    for row in range(5):
        way = base[row] + shares * values[row].sum()
        slope = np.mean((back(way + 1e-6) - back(way - 1e-6)) / 2e-6)
        np.testing.assert_allclose(found.values[row], slope * values[row], rtol=1e-4)
        np.testing.assert_allclose(found.interactions[row], slope, rtol=1e-4)
    np.testing.assert_allclose(found.base_values, back(base))
    np.testing.assert_allclose(found.totals, back(base + values.sum(axis=1)))
    assert found.explained == "prediction"


def test_a_sentence_takes_the_place_of_that_on_the_scale(rng):
    remarks = OwnUnits(name="log").of(explanation(rng.normal(size=(2, 3)), np.zeros(2))).remarks
    assert remarks == (
        "Another one.",
        "The target is modelled by its logarithm, where effects add up; they are given in the target's own units, in "
        "proportion.",
    )


@pytest.mark.parametrize("name", ["log", "sqrt", "identity"])
def test_values_of_a_model_add_up_to_its_predictions(name, rng):
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    y = np.exp(1.5 + X["a"] + 0.1 * rng.normal(size=60)).round() + 1.0
    model = KernelRegressor([KernelMachine()], random_state=0, target=name).fit(X, y)
    own = own_units_of(model)
    if name == "identity":
        assert own is None
        return
    assert own.name == name
    inside = np.argsort(y)[10:50]  # predictions that no limit cuts off
    found = own.of(shapley_values(model, X.iloc[inside]))
    np.testing.assert_allclose(found.totals, model.predict(X.iloc[inside]), rtol=1e-8)
