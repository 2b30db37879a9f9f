"""A target of ``kernelect export`` is one file: its name, its options and the command follow from it."""

import numpy as np
import pytest

from kernelect import LSSVR, export
from kernelect.cli.export import TARGETS
from kernelect.exceptions import InvalidArgument
from kernelect.export import ExportOptions, targets

OWN = """
from kernelect.export.targets import ExportTarget

class Weight(ExportTarget):
    words, file, takes = "weights", "model.txt", ("name",)

    def write(self, model, options):
        return f"{options.name}: {len(model.dual_coef_)}".encode()
"""


@pytest.fixture(scope="module")
def model():
    X = np.random.default_rng(0).normal(size=(12, 2))
    return LSSVR("linear").fit(X, X[:, 0])


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / "weights.py").write_text(OWN)
    monkeypatch.setattr(targets, "__path__", [*targets.__path__, str(tmp_path)])


def test_the_command_offers_all_files_of_the_folder():
    assert tuple(TARGETS) == targets.target_names() == ("c", "javascript", "onnx")


def test_a_new_target_is_one_file(own, model):
    assert "weights" in targets.target_names()
    assert targets.target_of("weights").write(model, ExportOptions(name="mine")) == b"mine: 12"
    with pytest.raises(InvalidArgument, match=r"--float is for C and ONNX, and --to weights was asked for: leave it"):
        targets.check_options("weights", ExportOptions(single=True), {"single": "--float", "bits": "--bits 8"})


def test_targets_write_what_the_functions_return(model):
    options = ExportOptions(single=True, bits=16, name="mine")
    assert targets.target_of("c").write(model, options).decode() == export.to_c(
        model, real="float", bits=16, name="mine"
    )
    assert targets.target_of("javascript").write(model, options).decode() == export.to_javascript(model, name="mine")
    assert targets.target_of("onnx").write(model, options) == export.to_onnx(model, real="float32").SerializeToString()


@pytest.mark.parametrize("name", ["onnx", "javascript"])
def test_options_of_other_targets_are_refused(name):
    with pytest.raises(InvalidArgument, match=rf"^--bits 8 is for C, and --to {name} was asked for: leave it out\.$"):
        targets.check_options(name, ExportOptions(bits=8), {"single": "--float", "bits": "--bits 8"})
    targets.check_options(name, ExportOptions(), {"single": "--float", "bits": "--bits None"})


def test_unknown_targets_are_refused():
    with pytest.raises(InvalidArgument, match="target='rust' is not known"):
        targets.target_of("rust")
