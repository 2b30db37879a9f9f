import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.datasets import make_friedman1, make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from kernelect import GPC, LSSVC, LSSVR, RVR, KernelClassifier, KernelRegressor
from kernelect.exceptions import MissingCapability
from kernelect.explain import shapley_values
from kernelect.export.evaluate import coded_rows, evaluate
from kernelect.export.models import program_of
from kernelect.export.reduce import in_single
from kernelect.facts import gather_for_page
from kernelect.facts.bands import _apart, ends_at
from kernelect.facts.carried import carried_model
from kernelect.facts.judge import Judge
from kernelect.facts.numbers import trimmed
from kernelect.facts.what_if import _start, _units, describe_what_if
from kernelect.inputs.numerals import CLOCK, DURATION
from kernelect.kernels import RBF, Polynomial
from kernelect.model.decisions import Decision
from kernelect.report.page import _between
from oracles.scripts import run_script


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.normal(size=120), "b": rng.integers(0, 4, 120), "c": rng.exponential(size=120)})
    y = (X["a"] * X["c"] + X["b"] + 0.1 * rng.normal(size=120)).to_numpy()
    return LSSVR(regularization=0.1).fit(X.to_numpy(), y), X.to_numpy(), y


def facts_of(model, X, y):
    return describe_what_if(model, X, y, Judge(y, None).assess(model), np.random.default_rng(0))


def test_controls_have_the_ranges_of_the_training_rows(numbers):
    model, X, y = numbers
    facts, _ = facts_of(model, X, y)
    assert [control["kind"] for control in facts["controls"]] == ["number"] * 3
    assert [control["whole"] for control in facts["controls"]] == [False, True, False]
    ranges = [[control["low"], control["high"]] for control in facts["controls"]]
    np.testing.assert_array_equal(ranges, np.column_stack([X.min(axis=0), X.max(axis=0)]))
    assert not any(control["missing"] for control in facts["controls"])


def test_the_first_row_is_typical_and_told_as_python_tells_it(numbers):
    model, X, y = numbers
    facts, carried = facts_of(model, X, y)
    first = np.array(facts["rows"][0])
    place = int(np.flatnonzero((first == X).all(axis=1))[0])
    assert facts["row_names"][0].startswith(f"row {place + 1} (observed ")
    assert len(facts["rows"]) == len(X)
    assert abs(np.mean(X[:, 0] < first[0]) - 0.5) < 0.35
    assert facts["start"]["numbers"] == pytest.approx(model.predict(X[[place]]))
    values = shapley_values(model, X[[place]], X[np.sort(np.random.default_rng(0).permutation(len(X))[:100])]).values[0]
    order = np.argsort(-np.abs(values))
    assert [reason["effect"] for reason in facts["start"]["reasons"]] == pytest.approx(values[order])
    cells = [trimmed(first[j], 4) for j in order]
    assert [reason["name"] for reason in facts["start"]["reasons"]] == [
        f"x{j} = {cell}" for j, cell in zip(order, cells, strict=True)
    ]
    reach = np.sort(np.abs(y - model.loo_prediction_))[int(np.ceil(0.9 * 121)) - 1]
    assert facts["start"]["interval"] == pytest.approx(model.predict(X[[place]])[0] + np.array([-reach, reach]))
    assert carried.model is model


def test_a_model_that_is_too_large_is_reduced_and_the_loss_is_told(numbers):
    model, X, _ = numbers
    whole = carried_model(model, X, np.random.default_rng(0))
    rounded = carried_model(model, X, np.random.default_rng(0), most_bytes=len(whole.script) - 1)
    small = carried_model(model, X, np.random.default_rng(0), most_bytes=len(rounded.script) - 1)
    assert whole.remarks == ()
    assert len(small.script) < len(whole.script)
    assert "60 of 120 vectors are kept: the leave-one-out unexplained variance is" in small.remarks[0]
    with pytest.raises(MissingCapability, match="more than 0.001 MB, also with 60 vectors"):
        carried_model(model, X, np.random.default_rng(0), most_bytes=1000)


def test_coefficients_are_rounded_before_vectors_are_dropped(numbers):
    model, X, y = numbers
    whole = carried_model(model, X, np.random.default_rng(0))
    rounded = carried_model(model, X, np.random.default_rng(0), most_bytes=len(whole.script) - 1)
    assert rounded.remarks[0].startswith("So that this page stays small, its model has coefficients of seven digits.")
    assert 0.0 < np.abs(rounded.model.predict(X) - model.predict(X)).max() < 1e-5 * np.std(y)
    script = run_script(rounded.script.replace("kernelectModel", "model"), X[:5].tolist())
    np.testing.assert_allclose([one["values"][0] for one in script], rounded.model.predict(X[:5]), rtol=1e-9)


def test_variances_are_rounded_before_gaussian_processes_are_dropped():
    """Their roots are most of a mixture's numbers: with seven digits, and without idle directions, they take half."""
    X, y = make_moons(120, noise=0.2, random_state=0)
    model = GPC().fit(X, y)
    whole = carried_model(model, X, np.random.default_rng(0))
    rounded = carried_model(model, X, np.random.default_rng(0), most_bytes=len(whole.script) // 2)
    assert rounded.remarks[0].startswith("So that this page stays small, its model has coefficients of seven digits.")
    assert 0.0 < np.abs(rounded.model.predict_proba(X) - model.predict_proba(X)).max() < 1e-5
    script = run_script(rounded.script.replace("kernelectModel", "model"), X[:5].tolist())
    shares = [one["probabilities"] for one in script]
    np.testing.assert_allclose(shares, rounded.model.predict_proba(X[:5]), rtol=1e-9)


def test_coefficients_that_nearly_cancel_each_other_keep_their_digits():
    X, y = make_friedman1(300, random_state=0)
    model = LSSVR(RBF(0.01), regularization=1e-9).fit(X, y)
    assert np.abs(in_single(model).predict(X) - model.predict(X)).max() > 0.01 * np.std(y)
    whole = carried_model(model, X, np.random.default_rng(0))
    small = carried_model(model, X, np.random.default_rng(0), most_bytes=len(whole.script) - 1)
    assert "vectors are kept" in small.remarks[0]


def test_a_large_model_on_landmarks_keeps_fewer_of_them_and_says_how_far_off_it_is(numbers, monkeypatch):
    _, X, y = numbers
    monkeypatch.setattr("kernelect.facts.carried._SIZES", (30, 20))
    model = LSSVR(RBF(0.5), regularization=0.1, landmarks=60).fit(X, y)
    whole = carried_model(model, X, np.random.default_rng(0))
    rounded = carried_model(model, X, np.random.default_rng(0), most_bytes=len(whole.script) - 1)
    small = carried_model(model, X, np.random.default_rng(0), most_bytes=len(rounded.script) - 1)
    assert whole.remarks == ()
    assert len(small.model.landmarks_) == 30
    assert "30 of 60 vectors are kept: the leave-one-out unexplained variance is" in small.remarks[0]
    told = float(re.search(r"by ([0-9.e-]+) \(root mean square over 120 rows\)", small.remarks[0])[1])
    assert told == pytest.approx(np.sqrt(np.mean((small.model.predict(X) - model.predict(X)) ** 2)), rel=0.05)


def test_controls_say_what_their_numbers_are_read_in():
    columns = [
        SimpleNamespace(name=name, reading=SimpleNamespace(unit=unit))
        for name, unit in (("wait", DURATION), ("at", CLOCK), ("dose", "mg"), ("x", ""))
    ]
    assert _units(SimpleNamespace(columns=columns)) == {"wait": "hours", "at": "hours", "dose": "mg", "x": ""}
    assert _units(None) == {}


def test_a_model_without_reasons_or_without_a_script_says_so(numbers):
    _, X, y = numbers
    bent = LSSVR(Polynomial(2, gamma=0.1, coef0=1.0), regularization=0.1).fit(X, y)
    facts, _ = facts_of(bent, X, y)
    assert facts["script"]
    assert facts["explained"] == ""
    assert facts["remarks"] == [
        "There are no reasons here: Polynomials of degree 2 have no explanation in JavaScript: use kernelect explain, "
        "in Python."
    ]
    own = make_pipeline(FunctionTransformer(np.cbrt), LSSVR(RBF(0.5), regularization=0.1)).fit(X, y)
    facts, carried = describe_what_if(own, X, y, Judge(y, None).assess(own[-1]), np.random.default_rng(0))
    assert carried is None
    assert facts["script"] == ""
    assert facts["remarks"][0].startswith("This page does not carry the model. ")


@pytest.mark.parametrize("target", ["identity", "log", "count"])
def test_the_band_follows_the_spread_and_the_scale(target):
    rng = np.random.default_rng(8)
    X = pd.DataFrame({"a": rng.normal(size=150), "b": rng.uniform(-1.0, 1.0, 150)})
    y = (X["a"] + 0.3 * np.exp(2.0 * X["b"]) * rng.normal(size=150)).to_numpy()
    y = {"identity": y, "log": np.exp(y), "count": rng.poisson(np.exp(X["a"])).astype(float)}[target]
    model = KernelRegressor(effort="fast", random_state=0, target=target).fit(X, y)
    facts = gather_for_page(model, X, y)["what_if"]
    program = program_of(model, 0.9)
    coded = coded_rows(program, facts["rows"])
    ends = evaluate(program.with_outputs([program.ends]), coded)[-1]
    np.testing.assert_allclose(facts["start"]["interval"], ends[0])
    assert (facts["band"]["share"], facts["band"]["source"]) == ("90 %", "leave-one-out")
    assert 85 < int(facts["band"]["held"].split()[0]) <= 100
    widths = ends[:, 1] - ends[:, 0]
    assert widths.max() > 2.0 * widths.min()
    exact = np.column_stack(model.predict_interval(X))
    off = np.abs(exact - ends_at(program, X.to_numpy())).max(axis=1) / (exact[:, 1] - exact[:, 0])
    form = r"by ([0-9.e-]+) % of the width on average and ([0-9.e-]+) % at most \(150 rows\)"
    said = re.search(form, facts["band"]["apart"])
    assert [float(share) for share in said.groups()] == pytest.approx([100 * off.mean(), 100 * off.max()], rel=0.05)
    if target != "identity":
        assert ends.min() >= 0.0
        assert facts["explained"] == "prediction"  # effects are in its units, on whatever scale they add up
        assert facts["own"]["name"] == {"log": "log", "count": "sqrt"}[target]
    assert _between([-0.0, 12345.6], years=False) == "0 to 12\u202f346"


def test_a_range_by_a_formula_is_that_of_python(numbers):
    _, X, y = numbers
    model = RVR(kernel=RBF(0.3)).fit(X, y)
    facts, carried = facts_of(model, X, y)
    mean, deviation = model.predict(X, return_std=True)
    reach = norm.ppf(0.95) * deviation
    np.testing.assert_allclose(ends_at(carried.program, X), np.column_stack([mean - reach, mean + reach]), rtol=1e-9)
    assert facts["band"]["apart"] == ""


def test_what_makes_the_range_of_the_page_differ_is_said():
    exact, shown = np.array([[0.0, 10.0], [0.0, 20.0]]), np.array([[0.1, 10.0], [0.0, 19.0]])
    assert "it uses models that each lack one row" in _apart(exact, shown, is_whole=True)
    small = _apart(exact, shown, is_whole=False)
    assert "it uses the whole model, and models that each lack one row" in small
    assert small.endswith("by 3.0 % of the width on average and 5.0 % at most (2 rows).")
    assert _apart(exact, exact + 1e-9, is_whole=True) == ""
    assert _apart(exact, exact + 1e-7, is_whole=True) != ""


def test_years_are_written_as_years(numbers):
    _, X, y = numbers
    frame = pd.DataFrame({"built": 1980 + 10 * X[:, 1], "area": 990 + 600 * X[:, 1], "c": X[:, 2]})
    model = LSSVR(RBF(0.5), regularization=0.1).fit(frame, np.round(1990 + y))
    facts, _ = facts_of(model, frame, np.round(1990 + y))
    assert [control["years"] for control in facts["controls"]] == [True, False, False]
    assert facts["years"] is True
    assert "\u202f" not in facts["start"]["answer"] + facts["row_names"][0]
    assert facts_of(model, frame, np.round(1990 + y) - 1000)[0]["years"] is False


def test_the_answer_follows_the_model_s_decision(numbers):
    X, y = numbers[1], np.where(numbers[2] > np.median(numbers[2]), "yes", "no")
    machine = LSSVC(RBF(0.2), regularization=0.1).fit(X, y)
    carried = carried_model(machine, X, np.random.default_rng(0))
    rules = [Decision("cost", 1, threshold, None) for threshold in (0.0, 1.0)]
    chosen = [replace(carried, program=replace(carried.program, choice=rule)) for rule in rules]
    assert [_start(each, X[:1], X[0], years=False)["answer"] for each in chosen] == ["yes", "no"]


def test_texts_missing_cells_and_dates():
    rng = np.random.default_rng(2)
    days = rng.integers(0, 800, 90)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=90),
            "colour": rng.choice(["red", "green"], 90),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(days, "D"),
        }
    )
    y = np.where(X["size"] + (X["colour"] == "red") + 0.3 * rng.normal(size=90) > 0.5, "yes", "no")
    X.loc[::8, "colour"] = None
    model = KernelClassifier(effort="fast", random_state=0).fit(X, y)
    facts = gather_for_page(model, X, y)["what_if"]
    kinds = {control["name"]: control for control in facts["controls"]}
    assert (kinds["colour"]["levels"], kinds["colour"]["missing"]) == (["green", "red"], True)
    assert (kinds["day"]["kind"], kinds["day"]["low"]) == ("date", 18262.0 + days.min())
    assert facts["start"]["classes"] == ["no", "yes"]
    assert sum(facts["start"]["numbers"]) == pytest.approx(1.0)
    assert facts["band"] is None
    assert facts["explained"] == "log-odds"
