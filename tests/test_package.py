"""The package as a newcomer meets it."""

import ast
import inspect
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import kernelect

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("name", kernelect.__all__)
def test_public_names_are_there(name):
    assert getattr(kernelect, name) is not None
    assert name in dir(kernelect)


def names_of(package):
    """Return what a package offers, without its own packages."""
    loaded = import_module(package)
    if hasattr(loaded, "__all__"):
        return {name for name in loaded.__all__ if not inspect.ismodule(getattr(loaded, name))}
    own = {name for name, value in vars(loaded).items() if getattr(value, "__module__", "") == package}
    return {name for name in own if not name.startswith("_")}


def test_the_list_of_public_names_is_complete():
    page = (ROOT / "docs" / "api" / "public.md").read_text()
    rows = re.findall(r"^\| `([\w.]+)` \| (.*) \|$", page, flags=re.MULTILINE)
    listed = {package: set(re.findall(r"`(\w+)`", names)) for package, names in rows}
    packages = {f"kernelect.{name}" for name in kernelect.__all__ if inspect.ismodule(getattr(kernelect, name))}
    assert packages | {"kernelect"} <= set(listed)
    for package, names in listed.items():
        changed = sorted(names_of(package) ^ names)
        assert not changed, f"add or take away in docs/api/public.md, in the row of {package}: {', '.join(changed)}"


def test_unknown_names_are_not():
    with pytest.raises(AttributeError, match="no attribute 'LSSVM'"):
        _ = kernelect.LSSVM


def test_the_readmes_python_runs(capsys):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert capsys.readouterr().out


def test_the_readmes_commands_are_in_the_makefile():
    commands = re.findall(r"^make (\w+)", (ROOT / "README.md").read_text(), flags=re.MULTILINE)
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert {"demo", "test"} <= set(commands) <= set(targets)


def test_citation_and_package_say_the_same():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = dict(re.findall(r"^([\w-]+): (\S+)$", (ROOT / "CITATION.cff").read_text(), flags=re.MULTILINE))
    assert citation["version"] == project["version"] == kernelect.__version__
    assert citation["license"] == project["license"]
    assert citation["repository-code"] == project["urls"]["Source"] == project["urls"]["Homepage"]
    assert citation["url"] == project["urls"]["Documentation"]
    assert set(project["urls"]) == {"Homepage", "Documentation", "Source", "Issues", "Changelog"}


def test_no_file_holds_more_than_350_lines():
    lengths = {path: len(path.read_text().splitlines()) for path in (ROOT / "src").rglob("*.py")}
    assert lengths
    long = {str(path.relative_to(ROOT)): length for path, length in lengths.items() if length > 350}
    assert not long, f"split what holds two ideas: {long}"


#: Parts that users build from numbers of their own; the order of these stands in the documentation.
PARTS = {
    "GradientAscent",
    "HMCEvidence",
    "Harmonics",
    "KernelFunctions",
    "LogNormal",
    "PTA",
    "Polynomial",
    "RandomWalk",
    "Shrinkage",
    "Span",
}


def positional_types(record):
    """Return the types of the fields that a dataclass takes by their place."""
    types = []
    for line in record.body:
        if not isinstance(line, ast.AnnAssign):
            continue
        hint, value = ast.unparse(line.annotation), ast.unparse(line.value) if line.value else ""
        if "KW_ONLY" in hint:
            break
        if "ClassVar" not in hint and "init=False" not in value:
            types.append(hint)
    return types


def test_records_take_fields_of_one_type_by_name():
    """Two numbers in the wrong order are no error that anything but a name would show."""
    mixed_up = []
    for path in (ROOT / "src").rglob("*.py"):
        for found in ast.walk(ast.parse(path.read_text())):
            marks = [ast.unparse(mark) for mark in getattr(found, "decorator_list", [])]
            records = [mark for mark in marks if mark.startswith("dataclass") and "kw_only=True" not in mark]
            if isinstance(found, ast.ClassDef) and records and found.name not in PARTS:
                types = positional_types(found)
                mixed_up += [found.name] if len(set(types)) < len(types) else []
    assert not mixed_up, f"write @dataclass(kw_only=True), or list a part above: {mixed_up}"


def needed(*extras):
    """Return what the package and some of its extras need, by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = list(project["dependencies"])
    for extra in extras:
        for line in project["optional-dependencies"][extra]:
            inner = re.fullmatch(r"kernelect\[(.+)\]", line)
            lines += [f"{name}>={bound}" for name, bound in needed(*inner[1].split(",")).items()] if inner else [line]
    return dict(line.split(">=") for line in lines)


def test_the_conda_recipe_needs_what_the_command_line_needs():
    recipe = (ROOT / "recipe" / "recipe.yaml").read_text()
    run = dict(re.findall(r"^    - ([\w-]+) >=([\d.]+)$", recipe.split("  run:")[1].split("tests:")[0], re.MULTILINE))
    run["matplotlib"] = run.pop("matplotlib-base")  # conda's name for it without a window system
    assert run == needed("cli")
    assert f'version: "{kernelect.__version__}"' in recipe


def test_paper_and_citation_have_the_same_authors():
    paper, citation = (ROOT / "paper" / "paper.md").read_text(), (ROOT / "CITATION.cff").read_text()
    names = r"^  - name: (.+)$"
    assert re.findall(names, paper.split("affiliations:")[0], re.MULTILINE) == re.findall(names, citation, re.MULTILINE)
    cited = set(re.findall(r"@(\w+)", paper.split("\n---\n")[1]))
    assert cited == set(re.findall(r"^@\w+\{(\w+),$", (ROOT / "paper" / "paper.bib").read_text(), re.MULTILINE))
    assert len(re.sub(r"<!--.*?-->", "", paper).split()) < 1100
