"""Writes what follows from the registries: ``python docs/parts.py``.

These are the tables of parts in parts.md, each between ``<!-- parts: NAME -->`` and
``<!-- end of parts -->``, and the names that the commands' help lists without importing the numerics.
A test compares them with the registries, so a new part makes it fail until this script has run.
"""

import json
import re
from itertools import groupby
from pathlib import Path

import kernelect.mixture  # declares the doors  # noqa: F401
from kernelect.estimators import ESTIMATORS
from kernelect.kernels import KERNELS
from kernelect.priors import PRIORS
from kernelect.registry import REGISTRIES
from kernelect.search.registry import SEARCHES

HERE = Path(__file__).parent
PAGE = HERE / "parts.md"
NAMES = HERE.parent / "src" / "kernelect" / "cli" / "names.json"


def sections():
    """Return the text of every section by its name."""
    return {
        "criteria": _table(("criterion", "what it is", "estimators"), _criteria()),
        "kernels": _table(("kernel", "class", "what it is"), _described(KERNELS)),
        "priors": _table(("prior", "class", "what it is"), _described(PRIORS)),
        "searches": _table(("search", "class", "what it is"), _described(SEARCHES)),
        "strategies": _table(("strategy", "class", "what it is"), _described(REGISTRIES["strategy"])),
        "dictionaries": _table(("dictionary", "class", "what it is"), _described(REGISTRIES["dictionary"])),
    }


def written(text):
    """Return a page with all its sections as the registries have them."""
    made = sections()

    def section(found):
        return f"{found[1]}\n{made[found[2]]}\n{found[3]}"

    return re.sub(r"(<!-- parts: (\w+) -->)\n.*?\n(<!-- end of parts -->)", section, text, flags=re.DOTALL)


def names_text():
    """Return the file of the names that help lists."""
    from kernelect.mixture import EFFORTS
    from kernelect.tabular.read import FORMATS

    machines = ESTIMATORS.by_machine()
    criteria = {
        machine: tuple(dict.fromkeys(name for cls in classes.values() for name in cls.criterion_names()))
        for machine, classes in machines.items()
    }
    names = {
        "kernels": [name for name in KERNELS.names if name != "precomputed"],
        "priors": ["auto", *PRIORS.names, "none"],
        "criteria": {machine: found for machine, found in criteria.items() if found},
        "efforts": list(EFFORTS),
        "formats": list(FORMATS),
    }
    return json.dumps(names, indent=1) + "\n"


def _criteria():
    """Yield name, words and estimators of every criterion; the estimators that take it by themselves in bold."""
    rows = {}
    for each in ESTIMATORS.declarations:
        for name, cls in each.cls.criteria().items():
            mark = "**" if name == each.default_criterion else ""
            rows.setdefault((name, cls.words or name), []).append(f"{mark}`{each.cls.__name__}`{mark}")
    for (name, words), estimators in rows.items():
        yield _quoted(name), words, ", ".join(estimators)


def _described(registry):
    """Yield names, class and the first sentence of every class that goes by a name."""
    named = [entry for entry in registry if entry.name is not None]
    for cls, entries in groupby(named, key=lambda entry: entry.cls):
        names = ", ".join(_quoted(entry.name) for entry in entries)
        yield names, f"`{cls.__name__}`", cls.__doc__.strip().splitlines()[0].removesuffix(".").replace("``", "`")


def _quoted(name):
    return f'`"{name}"`'


def _table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
    NAMES.write_text(names_text())
