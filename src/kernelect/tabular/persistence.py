"""Models on disk: skops files with a short header, never unpickled.

A skops file names the types it needs before anything is built. Ours are listed here one by
one; scikit-learn's and NumPy's are those skops itself trusts; anything else is refused by name.
"""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from pathlib import Path
from typing import Any

import skops.io
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from kernelect.exceptions import UnusableModel
from kernelect.files import write_whole
from kernelect.tabular.pipeline import MACHINES
from kernelect.tabular.record import TableModel, current_versions

#: Counts changes of :class:`TableModel` that older files do not know.
FORMAT = 1

#: Member of the archive that is read before anything else.
_HEADER = "kernelect.json"

#: Bytes a model may take when unpacked.
_MOST_BYTES = 8 * 2**30

#: Packages whose version can change what a model predicts.
_TELLING = ("kernelect", "scikit-learn")

#: Our own types that a model file may hold: records and parts without behaviour on loading.
_OURS = {
    "dictionaries.base": ["InputScale"],
    "dictionaries.design": ["DictionaryDesign"],
    "dictionaries.functions": ["Bias", "Fourier", "Harmonics", "Linear", "Monomials", "Polynomial"],
    "dictionaries.kernel_functions": ["CentredKernels", "KernelFunctions"],
    "subsets.results": ["BasisSelection", "SearchTrace", "SubsetModel"],
    "dictionaries.union": ["JoinedCandidates", "Union"],
    "estimators._rvm_model": ["Output", "RelevanceModel"],
    "estimators._svm_members": ["PosteriorMember", "SupportMember"],
    "estimators.basis": ["BasisSearchRegressor"],
    "estimators.gpc": ["GPC"],
    "estimators.lssvm": ["LSSVC", "LSSVR"],
    "estimators.rvm": ["RVC", "RVR"],
    "estimators.svm": ["SVC"],
    "kernels.composite": ["Product", "Sum"],
    "kernels.dot_product": ["Constant", "Linear", "Polynomial"],
    "kernels.stationary": ["ARD", "RBF", "Matern"],
    "numerics.triangular": ["InverseFactor"],
    "machines.ep.machine": ["EP", "EPColumn", "EPState", "Sites"],
    "machines.ep.likelihoods": ["Hinge", "Probit", "SquaredHinge", "Tilted"],
    "results": ["Selection", "Trace"],
    "tabular.assess": ["Assessment"],
    "tabular.estimates": ["Estimate"],
    "tabular.record": ["TableModel"],
    "tabular.schema": ["Schema"],
    "tabular.scores": ["Score"],
}
#: Types inside a pipeline that skops does not trust by itself: they hold data and run nothing. Imputers keep NumPy's
#: dtype, scikit-learn 1.6 a list of left-over columns.
_HARMLESS = ("numpy.dtype", "sklearn.compose._column_transformer._RemainderColsList")

TRUSTED = frozenset([*_HARMLESS, *(f"kernelect.{module}.{name}" for module, names in _OURS.items() for name in names)])


def save_model(model: TableModel, path: Path, force: bool = False) -> None:
    """Write a model to a skops file, whole or not at all."""
    file = io.BytesIO()
    skops.io.dump(model, file, compression=zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile(file, "a", compression=zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_HEADER, json.dumps({"format": FORMAT, "versions": model.versions}))
    write_whole(path, file.getvalue(), force)


def load_model(path: str | Path) -> tuple[TableModel, list[str]]:
    """Return a model and remarks on versions that differ; nothing in the file is executed."""
    data, name = _bytes_of(Path(path)), Path(path).name
    versions = _header(data, name)
    _refuse_strangers(data, name)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions, which are compared below
            model = skops.io.loads(data, trusted=sorted(TRUSTED))
        _check_parts(model)
    except Exception as error:  # a damaged or forged file may fail anywhere
        raise UnusableModel(f"{name} cannot be loaded ({_short(error)}){_on_versions(versions)}.") from error
    return model, _version_remarks(versions)


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise UnusableModel(f"There is no model file {str(path)!r}: check the name and the folder.") from error
    except OSError as error:
        raise UnusableModel(f"The model file {str(path)!r} cannot be read ({error.strerror}).") from error


def _header(data: bytes, name: str) -> dict[str, str]:
    """Return the versions the model was saved with, or say what the file is instead."""
    if data[:1] == b"\x80":
        raise UnusableModel(f"{name} is a pickle, which could run any code: it is never loaded. Fit the model again.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(member.file_size for member in archive.infolist())
            if size > _MOST_BYTES:
                raise UnusableModel(f"{name} would unpack to {size / 2**30:.0f} GB and is refused.")
            header = json.loads(archive.read(_HEADER))
            found, versions = header["format"], {str(key): str(value) for key, value in header["versions"].items()}
    except UnusableModel:
        raise
    except Exception as error:  # no archive, no header, or a forged one
        raise UnusableModel(f"{name} is no model saved by kernelect fit (model.skops).") from error
    if found != FORMAT:
        raise UnusableModel(f"{name} has format {found!r} where {FORMAT} is known{_on_versions(versions)}.")
    return versions


def _refuse_strangers(data: bytes, name: str) -> None:
    """Raise if the file asks for types that are neither ours nor trusted by skops."""
    try:
        strangers = sorted(set(skops.io.get_untrusted_types(data=data)) - TRUSTED)
    except Exception as error:
        raise UnusableModel(f"{name} is damaged ({_short(error)}).") from error
    if strangers:
        raise UnusableModel(
            f"{name} asks for types that do not belong to a model and was refused: {', '.join(strangers[:5])}. "
            "Use it only if you know who made it, and load it yourself with skops."
        )


def _check_parts(model: Any) -> None:
    """Make sure that trusted types are put together as a model is."""
    if not isinstance(model, TableModel) or not isinstance(model.pipeline, Pipeline):
        raise UnusableModel("it holds no table model")
    machines = tuple(estimator for tasks in MACHINES.values() for estimator in tasks.values())
    names, parts = zip(*model.pipeline.steps, strict=True)
    if names != ("columns", "machine") or not isinstance(parts[0], ColumnTransformer):
        raise UnusableModel(f"its pipeline has the steps {names!r}")
    if not isinstance(parts[1], machines):
        raise UnusableModel(f"its machine is a {type(parts[1]).__name__}")


def _short(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")[:200]


def _differing(versions: dict[str, str]) -> list[tuple[str, str, str]]:
    """Return package, version then and version now where they differ."""
    now = current_versions()
    pairs = [(package, versions.get(package, "unknown"), now.get(package, "none")) for package in _TELLING]
    return [(package, then, here) for package, then, here in pairs if then != here]


def _on_versions(versions: dict[str, str]) -> str:
    """Return what to do about versions, where they may be the reason."""
    differing = [f"{package} {then} (here {here})" for package, then, here in _differing(versions)]
    return f"; it was saved with {' and '.join(differing)}: install that version, or fit again" if differing else ""


def _version_remarks(versions: dict[str, str]) -> list[str]:
    return [
        f"The model was saved with {package} {then} and is used with {here}: fit it again if predictions matter."
        for package, then, here in _differing(versions)
    ]
