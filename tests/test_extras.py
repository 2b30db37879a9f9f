import gc
import sys

import pytest

from kernelect.cli import main
from kernelect.exceptions import KernelectError, MissingExtra
from kernelect.extras import load_extra


def test_what_is_installed_is_returned():
    assert load_extra("json.decoder", caller="x", extra="y") is sys.modules["json.decoder"]


def test_what_is_not_installed_is_named_with_its_caller_and_its_extra():
    with pytest.raises(MissingExtra) as caught:
        load_extra("no_such_package.part", caller="--engine tcp://a:1", extra="dask")
    assert str(caught.value) == (
        "--engine tcp://a:1 needs no_such_package: install it with pip install 'kernelect[dask]'."
    )
    assert isinstance(caught.value, KernelectError)
    assert isinstance(caught.value, ImportError)


def test_a_broken_package_is_not_called_missing(tmp_path, monkeypatch):
    (tmp_path / "half_installed.py").write_text("import no_such_package")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="No module named 'no_such_package'") as caught:
        load_extra("half_installed", caller="x", extra="y")
    assert not isinstance(caught.value, MissingExtra)


def test_the_command_line_without_click_ends_with_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "click", None)
    before = gc.get_threshold()
    try:
        with pytest.raises(SystemExit, match=r"The command line needs click: .*kernelect\[cli\]"):
            main()
    finally:
        gc.set_threshold(*before)
