"""Reading the file of a model: what predictions need, and beside it what is kept of the training rows.

``model.json`` holds the model without its training rows, ``training.json`` the rest; arrays are members of their own,
and are read if something refers to them. Nothing in a file is executed, and nothing names a type.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from kernelect.exceptions import UnusableModel
from kernelect.model.archive import Archive, Text, opened
from kernelect.model.checks import check_model
from kernelect.model.component import Component
from kernelect.model.kinds import fields_of
from kernelect.model.reading import Reader
from kernelect.model.record import Model

#: Counts changes of the format that older readers do not know.
VERSION = 1

#: The word by which a text says what it is.
FORMAT = "kernelect-model"

#: Fields of a component that predictions do not need.
APART = ("left_out", "sampled")


def load(path: str | Path, *, training: bool = True) -> Model:
    """Return the model of a file; nothing in the file is executed, and no estimator is imported.

    Parameters
    ----------
    path : str or Path
    training : bool
        Whether to read what is kept of the training rows as well. Predictions do not need it.

    Examples
    --------
    >>> import tempfile
    >>> import kernelect
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kernelect.LSSVC("rbf").fit(X, y).model_.save(f"{folder}/model.kernelect")
    ...     model = kernelect.load(f"{folder}/model.kernelect")
    >>> bool((model.predict(X) == y).mean() > 0.95)
    True
    """
    with opened(path) as archive:
        return read_model(archive, training=training)


def read_model(archive: Archive, *, training: bool = True) -> Model:
    """Return the model of an opened file."""
    text = archive.text("model.json") if "model.json" in archive else None
    _check_format(archive, text)
    assert text is not None
    archive.check_names()
    reader = Reader(archive)
    model = reader.record(text.get("model"), (Model,), "model")
    if training and "training.json" in archive:
        model = _joined(model, archive.text("training.json"), reader)
    check_model(model)
    assert isinstance(model, Model)
    return model


def _check_format(archive: Archive, text: Text | None) -> None:
    if text is None and "schema.json" in archive:
        raise UnusableModel(
            f"{archive.name} is a skops file, as kernelect wrote before 0.1: it is no longer read. Fit the model again."
        )
    if text is None or text.get("format") != FORMAT:
        raise UnusableModel(f"{archive.name} is not a model file: give the model.kernelect that kernelect wrote.")
    version = text.get("version")
    if version != VERSION:
        raise UnusableModel(
            f"{archive.name} has version {str(version)[:20]} of the format, and this kernelect reads version "
            f"{VERSION}: install a newer kernelect, or fit the model again."
        )


def _joined(model: Model, text: Text, reader: Reader) -> Model:
    """Return a model with what its file keeps of the training rows."""
    rest = text.get("components")
    if rest is not None:
        if not isinstance(rest, list) or len(rest) != len(model.components):
            raise ValueError("its training.json is of other components")
        model = replace(model, components=tuple(map(_with, model.components, rest, [reader] * len(rest))))
    return replace(model, training=reader.value(text.get("rows"), fields_of(Model)["training"], "training"))


def _with(component: Component, text: Any, reader: Reader) -> Component:
    if not isinstance(text, dict) or text.keys() - set(APART):
        raise ValueError("its training.json is no record of components")
    hints = fields_of(Component)
    return replace(component, **{name: reader.value(each, hints[name], name) for name, each in text.items()})
