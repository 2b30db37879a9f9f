"""The package's __init__ is its interface."""

import ast
import re
from pathlib import Path

import kernelect

SOURCE = Path(kernelect.__file__).parent

#: Packages whose modules are their own affair.
CLOSED = ("kernelect.machines.rvm", "kernelect.criteria.rvm")


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def test_nobody_else_imports_its_modules():
    named = {path: list(imports(path)) for path in SOURCE.rglob("*.py")}
    assert len(named) > 100
    for package in CLOSED:
        own = SOURCE.parent / package.replace(".", "/")
        strangers = [path for path in named if own not in path.parents]
        assert not [(path.name, name) for path in strangers for name in named[path] if name.startswith(package + ".")]


def test_no_module_asks_what_kind_of_likelihood_it_has():
    """A likelihood declares what it does."""
    folders = [SOURCE.parent / package.replace(".", "/") for package in CLOSED]
    texts = {path.name: path.read_text() for folder in folders for path in folder.glob("*.py")}
    assert len(texts) > 10
    asking = re.compile(r"isinstance\([^)]*(likelihood|Normal|Bernoulli)")
    assert not [name for name, text in texts.items() if asking.search(text)]
