"""Prints the oldest versions that pyproject.toml allows, as constraints for pip: ``make test-oldest``."""

import re
import sys
import tomllib
from pathlib import Path

EXTRAS = ("cli", "parquet")


def bounds(project, extras):
    """Return ``name==version`` for every lower bound of the dependencies and of some extras, with those they name."""
    optional = project["optional-dependencies"]
    wanted, lines = [*project["dependencies"]], []
    for extra in extras:
        wanted += optional[extra]
    while wanted:
        line = wanted.pop(0)
        inner = re.fullmatch(r"kernelect\[(.+)\]", line)
        if inner:
            wanted += [each for name in inner[1].split(",") for each in optional[name]]
        else:
            lines.append(line.replace(">=", "=="))
    return sorted(set(lines))


if __name__ == "__main__":
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
    sys.stdout.write("\n".join(bounds(project, EXTRAS)) + "\n")
