"""The reference: one page per estimator and one per module, written from the public names themselves.

A page is written when the build begins, so a new public name appears without anybody adding it. A
docstring may name a part of the library by any path under which it can be imported; the reference
finds the public page of it, and a name that is nowhere is a warning.
"""

import inspect
import re
import sys
from importlib import import_module
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

import kernelect

logger = logging.getLogger(__name__)

#: Modules that are part of the public face without being a name of the package itself.
BESIDE = ("studies", "mixture", "inputs", "selection", "numerics", "exceptions")


def estimators() -> list[str]:
    """Return the estimators' names: what the package offers in upper case."""
    return [name for name in kernelect.__all__ if not name.islower()]


def modules() -> list[str]:
    """Return the public modules, those that the package names first."""
    return [name for name in kernelect.__all__ if inspect.ismodule(getattr(kernelect, name))] + list(BESIDE)


def public_names(module: str) -> list[str]:
    """Return the names that a public module offers."""
    loaded = import_module(f"kernelect.{module}")
    if hasattr(loaded, "__all__"):
        return list(loaded.__all__)
    return [name for name, value in vars(loaded).items() if getattr(value, "__module__", "") == loaded.__name__]


def _heading(text: str, line: str = "=") -> list[str]:
    return [text, line * len(text), ""]


def _estimator_page(name: str) -> str:
    options = [
        "   :members:",
        "   :inherited-members: BaseEstimator, ClassifierMixin, RegressorMixin, MultiOutputMixin",
    ]
    return "\n".join([*_heading(name), ".. currentmodule:: kernelect", "", f".. autoclass:: {name}", *options, ""])


def _entry(module: str, name: str) -> list[str]:
    value = getattr(import_module(f"kernelect.{module}"), name)
    home = _other_home(module, name, value)
    if home is not None:
        return [
            f".. {'class' if inspect.isclass(value) else 'function'}:: {name}",
            "",
            f"   The same as :obj:`{home}`.",
            "",
        ]
    if inspect.isclass(value):
        return [f".. autoclass:: {name}", "   :members:", ""]
    if callable(value):
        return [f".. autofunction:: {name}", ""]
    kind = type(value).__name__
    return [f".. data:: {name}", "", f"   {_data_words(value, kind)}", ""]


def _other_home(module: str, name: str, value: object) -> str | None:
    """Return the public name of what another page documents and this one hands on."""
    if name in estimators():
        return f"kernelect.{name}"
    homes = [other for other in modules() if str(getattr(value, "__module__", "")).startswith(f"kernelect.{other}.")]
    other = next((home for home in homes if home != module and name in public_names(home)), None)
    return None if other is None else f"kernelect.{other}.{name}"


def _data_words(value: object, kind: str) -> str:
    names = getattr(value, "names", None)
    if isinstance(names, tuple):
        return f"The registry of this kind ({kind}); names: {', '.join(f'``{name!r}``' for name in names)}."
    if isinstance(value, (tuple, frozenset, set, dict)):
        return ", ".join(f"``{item!r}``" for item in value)
    return f"``{value!r}``"


def _module_page(module: str) -> str:
    full = f"kernelect.{module}"
    lines = [*_heading(full), f".. automodule:: {full}", "   :no-members:", "", f".. currentmodule:: {full}", ""]
    names = public_names(module)
    values = {name: getattr(import_module(full), name) for name in names}
    kinds = {
        "Classes": [name for name in names if inspect.isclass(values[name])],
        "Functions": [name for name in names if callable(values[name]) and not inspect.isclass(values[name])],
        "Names": [name for name in names if not callable(values[name])],
    }
    for title, members in kinds.items():
        if members:
            lines += _heading(title, "-")
            for name in members:
                lines += _entry(module, name)
    return "\n".join(lines)


def _write(app: Sphinx) -> None:
    folder = Path(app.srcdir) / "api"
    pages = {name: _estimator_page(name) for name in estimators()} | {name: _module_page(name) for name in modules()}
    for name, text in pages.items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def _inside(target: str) -> bool:
    """Say whether some module of the library knows the name: then it is an internal one."""
    short = target.rpartition(".")[2]
    return any(hasattr(module, short) for name, module in list(sys.modules.items()) if name.startswith("kernelect"))


def _missing(app: Sphinx, env, node, contnode):
    """Point a name at the public page that documents it; show one that is internal, or elsewhere's, as text."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    objects = env.domaindata["py"]["objects"]
    ends = (".".join(target.split(".")[-2:]), target.rpartition(".")[2])
    found = next((full for end in ends for full in objects if full.endswith(f".{end}")), None)
    if found is not None:
        uri = app.builder.get_relative_uri(node["refdoc"], objects[found].docname)
        return nodes.reference("", "", contnode, internal=True, refuri=f"{uri}#{objects[found].node_id}")
    elsewhere = "." in target and not target.startswith("kernelect")
    return contnode if elsewhere or _inside(target) else None


def _bars(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Keep bars in a docstring bars: between two of them, reStructuredText looks for a substitution."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            parts = re.split(r"(``.*?``)", line)
            lines[number] = "".join(part if part.startswith("``") else part.replace("|", r"\|") for part in parts)


def _skip(app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object) -> bool | None:
    """Leave out what scikit-learn adds to every estimator for the routing of metadata."""
    return True if name == "get_metadata_routing" or re.fullmatch(r"set_\w+_request", name) else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before the sources are read; mend references after."""
    app.connect("builder-inited", _write)
    app.connect("autodoc-process-docstring", _bars, priority=900)
    app.connect("autodoc-skip-member", _skip)
    app.connect("missing-reference", _missing)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
