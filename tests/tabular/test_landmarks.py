"""Table models on landmarks: saved, loaded, described and used like any other."""

import numpy as np
import pytest

from kernelect.export import reduce
from kernelect.export.fewer import landmarks_of
from kernelect.facts import gather_for_page
from kernelect.model.checks import check_model
from kernelect.selection.landmarks import request as requests
from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table, load_model, save_model
from oracles.tables import mixed_frame
from speeds import slowly


@pytest.fixture(params=["label", "value"])
def model(request, monkeypatch):
    return fitted(request.param, monkeypatch)


def fitted(target, monkeypatch, rows=60, group=None, machine="lssvm"):
    monkeypatch.setattr(requests, "EXACT_ROWS", 30)
    monkeypatch.setattr(requests, "FIRST", 20)
    frame = mixed_frame(rows).drop(columns={"label": "value", "value": "label"}[target])
    if group is not None:
        frame[group] = [f"subject {place // 5}" for place in range(rows)]
    schema, table, _ = describe_table(frame, target, group=group)
    options = MachineOptions(machine, effort="fast" if machine == "auto" else None)
    return fit_table(table, schema, options, FoldOptions(folds=0)), table


def landmarks(model):
    return model.model.components[0].kernel_part.vectors


def test_a_model_comes_back_the_same(model, tmp_path):
    model, rows = model
    assert len(landmarks(model)) < 60
    save_model(model, tmp_path / "m.kernelect")
    loaded, remarks = load_model(tmp_path / "m.kernelect")
    assert remarks == []
    assert loaded.facts == model.facts
    np.testing.assert_array_equal(loaded.predict(rows.X), model.predict(rows.X))


@pytest.mark.parametrize("group", [None, "who"])
def test_intervals_and_deviations_come_back_too(monkeypatch, tmp_path, group):
    model, rows = fitted("value", monkeypatch, group=group)
    names = [estimate["name"] for estimate in model.facts["quality"]["estimates"]]
    assert names[0] == ("leave-one-out" if group is None else "leave-one-out by who")
    save_model(model, tmp_path / "m.kernelect")
    loaded, _ = load_model(tmp_path / "m.kernelect")
    here, there, Z = model.model, loaded.model, model.model.inputs(rows.X)
    np.testing.assert_array_equal(there.deviations(Z), here.deviations(Z))
    np.testing.assert_array_equal(there.intervals(Z, 0.9), here.intervals(Z, 0.9))


def test_facts_count_the_landmarks(model):
    model, _ = model
    count = len(landmarks(model))
    assert f"{count} landmarks" in str(model.facts)


@pytest.mark.parametrize("machine", ["lssvm", *slowly("auto")])
@pytest.mark.parametrize("target", ["label", "value"])
def test_the_report_shows_how_small_the_model_can_be(monkeypatch, tmp_path, machine, target):
    model, rows = fitted(target, monkeypatch, machine=machine)
    save_model(model, tmp_path / "m.kernelect")
    loaded, _ = load_model(tmp_path / "m.kernelect")
    assert landmarks_of(loaded) > 10
    shown = gather_for_page(loaded, rows.X, rows.y, assessment=loaded.assessment, random_state=loaded.known.seed)
    (curve,) = [each for each in shown["pictures"] if each["kind"] == "vectors"]
    assert "when fewer landmarks are kept" in curve["caption"]
    assert curve["record"]["vectors"] == [10, landmarks_of(loaded)]
    found = reduce(loaded, 10)
    np.testing.assert_allclose(curve["record"]["loss"], [found.loss, found.loss_before], rtol=1e-3)
    assert "10 of" in found.in_words()
    assert "the leave-one-out" in found.in_words()


@pytest.mark.parametrize("name", ["transform", "offset", "projected"])
def test_a_forged_spread_is_refused(name, monkeypatch):
    model, _ = fitted("value", monkeypatch)
    state = model.model.jackknife.spread.state
    object.__setattr__(state, name, getattr(state, name)[:-1])
    with pytest.raises(ValueError, match=name):
        check_model(model.model)
