"""Models on disk: what is written is read again, to the last bit."""

import json
import os
import stat
import subprocess
import sys
import zipfile
from dataclasses import dataclass, fields, is_dataclass, replace

import numpy as np
import pytest

import kernelect
from kernelect import kernels
from kernelect.exceptions import InvalidArgument, UnusableModel
from kernelect.kernels import RBF, SklearnKernel
from kernelect.model import Component, ForeignPart, FunctionPart, KernelPart
from kernelect.model.file import load
from kernelect.model.kinds import KINDS
from model.hand_made import MODELS, ROWS, given, kernel_part, number_model, numbers, table


def same(one, other):
    """Tell whether two records are equal in every field, except for factors that a file makes smaller."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and np.array_equal(one, other)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if is_dataclass(one):
        kept = [field.name for field in fields(one) if field.name != "roots"]
        return type(one) is type(other) and all(same(getattr(one, name), getattr(other, name)) for name in kept)
    return type(one) is type(other) and (one == other or not isinstance(one, str | int | float | bool | tuple))


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_read_as_it_was_written(name, tmp_path):
    model = MODELS[name]
    model.save(tmp_path / "m")
    loaded = kernelect.load(tmp_path / "m")
    assert same(model, loaded)
    answer = model.predict_proba if model.is_classifier else model.predict
    np.testing.assert_allclose(getattr(loaded, answer.__name__)(ROWS), answer(ROWS), rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(loaded.predict(ROWS), model.predict(ROWS))


@pytest.mark.parametrize("name", ["exact", "landmarks", "landmark-groups", "boxes", "relevance", "polynomial"])
def test_intervals_survive(name, tmp_path):
    MODELS[name].save(tmp_path / "m")
    for found, known in zip(
        load(tmp_path / "m", training=False).predict_interval(ROWS), MODELS[name].predict_interval(ROWS), strict=True
    ):
        np.testing.assert_allclose(found, known, rtol=1e-12)


def test_a_table_with_all_that_a_mixture_has(tmp_path):
    model, frame = table()
    model.save(tmp_path / "m")
    loaded = kernelect.load(tmp_path / "m")
    assert same(model, loaded)
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))
    assert loaded.coding == model.coding


def test_kernel_values(tmp_path):
    model = given()
    model.save(tmp_path / "m")
    rows = np.random.default_rng(0).normal(size=(3, 6))
    np.testing.assert_array_equal(kernelect.load(tmp_path / "m").predict_proba(rows), model.predict_proba(rows))


def test_predictions_need_no_training_rows(tmp_path):
    model, frame = table()
    model.save(tmp_path / "m")
    lean = load(tmp_path / "m", training=False)
    assert lean.training is None
    assert all(component.left_out is None for component in lean.components)
    np.testing.assert_array_equal(lean.predict(frame), model.predict(frame))
    with zipfile.ZipFile(tmp_path / "m") as archive:
        assert {"model.json", "training.json"} <= set(archive.namelist())


def test_equal_models_are_equal_files_and_arrays_are_written_once(tmp_path):
    model = MODELS["landmarks"]
    model.save(tmp_path / "a")
    kernelect.load(tmp_path / "a").save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    loaded = kernelect.load(tmp_path / "a").components[0]
    assert loaded.sampled.state.transform is loaded.spread.spread.state.transform


def test_every_kind_has_a_record_and_every_array_its_axes():
    for kind in KINDS:
        if not is_dataclass(kind.record):
            continue
        arrays = {
            field.name
            for field in fields(kind.record)
            if any(word in str(field.type) for word in ("Array", "Indices", "Mask"))
        }
        labels = {name for name, axes in kind.arrays.items() if axes.of == "labels"}  # of any type
        assert set(kind.arrays) - labels == arrays, kind.word
    assert len({kind.word for kind in KINDS}) == len(KINDS)


def test_a_file_names_no_type(tmp_path):
    model, _ = table()
    model.save(tmp_path / "m")
    with zipfile.ZipFile(tmp_path / "m") as archive:
        text = archive.read("model.json").decode()
    words = {kind.word for kind in KINDS}
    found = set()

    def visit(value):
        if isinstance(value, dict):
            found.update([value["is"]] if "is" in value else [])
            for each in value.values():
                visit(each)
        elif isinstance(value, list):
            for each in value:
                visit(each)

    visit(json.loads(text)["model"]["components"])
    assert found <= words
    assert "numpy" not in text
    assert "kernelect." not in text


@dataclass(frozen=True, eq=False)
class Cauchy(kernels.Stationary):
    gamma: object = "auto"
    elliptical: bool = False

    def profile(self, D):
        return 1.0 / (1.0 + D)

    def slope(self, D):
        return -1.0 / (1.0 + D) ** 2


def test_a_kernel_of_ones_own_goes_by_its_registered_name(tmp_path, monkeypatch):
    model = number_model(Component(parts=(kernel_part(Cauchy(0.3)),), constant=numbers(1)))
    with pytest.raises(InvalidArgument, match=r"kernelect.register\(Cauchy, 'my-cauchy'\)"):
        model.save(tmp_path / "m")
    monkeypatch.setattr(kernels.KERNELS, "_entries", list(kernels.KERNELS))
    kernelect.register(Cauchy, "cauchy")
    model.save(tmp_path / "m")
    np.testing.assert_array_equal(kernelect.load(tmp_path / "m").predict(ROWS), model.predict(ROWS))
    monkeypatch.undo()
    with pytest.raises(UnusableModel, match=r"a part named 'cauchy', which is not known here: import the module"):
        kernelect.load(tmp_path / "m")


def test_what_no_file_can_hold_is_an_error_before_anything_is_written(tmp_path):
    from sklearn.gaussian_process.kernels import ExpSineSquared

    from kernelect.dictionaries import Functions

    part = kernel_part(SklearnKernel(ExpSineSquared()))
    with pytest.raises(InvalidArgument, match="a kernel of scikit-learn without a counterpart here"):
        number_model(Component(parts=(part,), constant=numbers(1))).save(tmp_path / "m")
    built = Functions([np.sin]).build(ROWS)
    with pytest.raises(InvalidArgument, match="functions of your own, which a model file cannot hold"):
        number_model(
            Component(parts=(FunctionPart(coefficients=numbers(3, 1), functions=built),), constant=numbers(1))
        ).save(tmp_path / "m")
    foreign = ForeignPart(coefficients=np.ones((1, 1)), machine=object(), labels=False)
    with pytest.raises(InvalidArgument, match="a machine of another library"):
        number_model(Component(parts=(foreign,), constant=numbers(1))).save(tmp_path / "m")
    broken = replace(kernel_part(RBF(0.3)), coefficients=np.full((20, 1), np.nan))
    with pytest.raises(InvalidArgument, match="cannot be saved .*coefficients holds numbers that are not finite"):
        number_model(Component(parts=(broken,), constant=numbers(1))).save(tmp_path / "m")
    assert not os.listdir(tmp_path)
    assert isinstance(broken, KernelPart)


def test_only_the_owner_reads_a_new_file_and_a_replaced_one_keeps_its_mode(tmp_path):
    path = tmp_path / "m"
    MODELS["exact"].save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(InvalidArgument, match="is there already"):
        MODELS["exact"].save(path)
    path.chmod(0o640)
    MODELS["boxes"].save(path, force=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_the_type_of_a_field_is_imported_when_a_file_holds_one():
    """Landmarks bring machines along, which predictions do not need; a forged record is refused all the same."""
    code = (
        "import sys; from kernelect.model.kinds import fields_of; from kernelect.model import Component;"
        "fields = fields_of(Component); names = list(fields); before = 'kernelect.machines' in sys.modules;"
        "print(before, 'sampled' in names, fields['sampled'], 'kernelect.machines' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.startswith("False True kernelect.machines.lssvm.sampled.SampledRows | None True")
