"""Pages that people follow say what the code says, without building the site."""

import ast
import importlib
import importlib.util
import re
from pathlib import Path

import click
import pytest

import kernelect as library
from kernelect.cli.commands import kernelect
from kernelect.facts.doubts import RULES
from kernelect.results import Status

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("[!_]*/*.md")), *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
TROUBLE = (ROOT / "docs" / "guide" / "troubleshooting.md").read_text()


def commands_of(text):
    """Yield the words of every command line in the shell blocks of a page."""
    for block in re.findall(r"```(?:sh|\{commands\})\n(.*?)```", text, flags=re.DOTALL):
        for line in re.sub(r"\\\n", " ", block).splitlines():
            if line.startswith("kernelect "):
                yield line.split("#")[0].split(">")[0].split()[1:]


def misused(words):
    """Return the words of a command line that no command or option of that command answers to."""
    command = kernelect
    while isinstance(command, click.Group):
        name, *words = words
        if name not in command.list_commands(click.Context(command)):
            return [name]
        command = command.get_command(click.Context(command), name)
    known = {spelling for parameter in command.params for spelling in parameter.opts} | {"--help"}
    return [word for word in words if word.startswith("--") and word not in known]


@pytest.fixture(scope="module")
def reference():
    pytest.importorskip("sphinx")
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs" / "_ext" / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def imported_from(source):
    """Yield module and name of what a source takes from the library."""
    for module, many, few in re.findall(
        r"^(?:>>> )?from kernelect\.?(\S*) import (?:\(([^)]+)\)|([^\n#]+))", source, re.MULTILINE
    ):
        yield from ((module, name.split(" as ")[0].strip()) for name in (many or few).split(",") if name.strip())


#: Parts whose public names are names of the package itself, or commands.
INNER = {"app", "cli", "estimators", "mixture"}


def missing_from_reference(reference):
    """Return the public names that no page of the reference documents."""
    pages = {name: reference._module_page(name) for name in reference.modules()}
    wanted = [(module, name) for module in pages for name in reference.public_names(module)]
    for path in [*PAGES, *EXAMPLES]:
        wanted += [(module, name) for module, name in imported_from(path.read_text()) if module]
    entry = r"^\.\. (?:autoclass|autofunction|data|class|function):: {}$"
    lost = [f"{m}.{name}" for m, name in wanted if not re.search(entry.format(name), pages.get(m, ""), re.MULTILINE)]
    folders = {path.parent.name for path in (ROOT / "src" / "kernelect").glob("*/__init__.py")}
    lost += sorted(folders - INNER - set(pages))
    known = (*pages, *reference.estimators(), "load", "register")
    return lost + [name for name in library.__all__ if name not in known]


def test_every_public_name_is_in_the_reference(reference):
    assert missing_from_reference(reference) == []


def test_a_public_name_without_a_page_is_noticed(reference, monkeypatch):
    monkeypatch.setattr(reference, "BESIDE", ())
    assert "studies" in missing_from_reference(reference)
    monkeypatch.setattr(reference, "estimators", lambda: ["LSSVC"])
    assert "LSSVR" in missing_from_reference(reference)


def test_every_picture_of_the_site_is_made_by_code():
    pictures = [path for path in (ROOT / "docs").rglob("*.*") if path.suffix in (".png", ".svg", ".jpg", ".gif")]
    built = {path for path in pictures if "_build" in path.parts or path.name.startswith("sphx_glr_")}
    kept = {path.name for path in pictures if path not in built}
    assert {name for name in kept if name not in (ROOT / "docs" / "pictures.py").read_text()} == set()
    for page in PAGES:
        text = page.read_text()
        assert "<svg" not in text
        for target in re.findall(r"!\[[^]]*\]\(([^)]+)\)|^```\{(?:image|figure)\} (\S+)", text, re.MULTILINE):
            name = Path("".join(target)).name
            example = re.fullmatch(r"sphx_glr_(plot_\w+)_\d+\.png", name)
            assert name in kept or (example and (ROOT / "examples" / f"{example[1]}.py") in EXAMPLES), target


def test_every_page_is_in_a_table_of_contents():
    docs = ROOT / "docs"
    listed = {docs / "index.md"}
    for page in docs.rglob("*.md"):
        for block in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(), flags=re.DOTALL):
            entries = [line for line in block.splitlines() if line and not line.startswith(":")]
            assert not any("*" in entry for entry in entries), "a page that a pattern lists stands there twice"
            listed |= {
                ((docs if entry[0] == "/" else page.parent) / f"{entry.lstrip('/')}.md").resolve() for entry in entries
            }
    pages = {page.resolve() for page in docs.rglob("*.md") if "_build" not in page.parts}
    assert pages - {page.resolve() for page in listed} == set()


def test_pages_name_commands_and_options_that_exist():
    lines = [(page, words) for page in PAGES for words in commands_of(page.read_text())]
    assert len(lines) > 40
    wrong = [f"{page.name}: kernelect {' '.join(words)}" for page, words in lines if misused(words)]
    assert not wrong


def test_guides_can_share_a_folder():
    """No two of them write the same files: each fit has an --out of its own, or is the only one without."""
    guides = [page for page in PAGES if page.parent.name in ("start", "guide")]
    built = "\n".join(re.findall(r"```\{commands\}\n.*?```", "\n".join(map(Path.read_text, guides)), flags=re.DOTALL))
    fits = [words for words in commands_of(built) if words[0] == "fit"]
    places = [words[words.index("--out") + 1] if "--out" in words else "" for words in fits]
    assert len(places) > 6
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("line", ["fit a.csv --tarket b", "fitt a.csv", "study runn x"])
def test_a_misspelt_command_is_noticed(line):
    assert misused(line.split())


@pytest.mark.parametrize("status", list(Status))
def test_every_status_is_explained(status):
    assert f"| {status.value} |" in TROUBLE


def test_every_doubt_is_explained():
    importlib.import_module("kernelect.facts.rules")
    importlib.import_module("kernelect.tabular.rules")
    assert {"flat", "groups"} <= set(RULES.names)
    assert [code for code in RULES.names if f"| `{code}` |" not in TROUBLE] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "results").glob("*.md")), ids=lambda page: page.stem)
def test_a_page_of_results_begins_with_words_for_a_user(page):
    title, _, first = page.read_text().splitlines()[:3]
    assert title.startswith("# ")
    assert not re.match(r"```|    |\||`[^`]*(python|kernelect) ", first), "a command or a table comes first"
    assert len(first.split()) > 12


#: Functions that put a status or a warning of a fit into words, and the folders in which none is.
SPEAKING = {"doubt", "_doubt", "remark", "told", "status", "_sentence", "_reason_to_stop", "_within_time", "_ended"}
SPEAKING |= {"NOT_FITTED", "_CONSTANT", "ending", "message"}
SILENT = ("cli", "tabular", "facts", "report", "studies", "plots", "export", "explain", "inputs")


def named(node):
    """Return the name of a function, of a constant or of an argument that is given by name, else nothing."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return {ast.FunctionDef: "name", ast.keyword: "arg"}.get(type(node)) and getattr(node, node._fields[0])


def phrases_of(path):
    """Yield the phrases, of three words or more, of which the statuses and warnings in a file are made."""
    for node in ast.walk(ast.parse(path.read_text())):
        if named(node) in SPEAKING:
            docstring = isinstance(node, ast.FunctionDef) and ast.get_docstring(node, clean=False)
            for part in ast.walk(node):
                text = part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else ""
                if text != docstring and len(text.split()) > 2:
                    yield text.strip(" ;,:")


def test_every_sentence_of_a_status_or_warning_is_explained():
    source = ROOT / "src" / "kernelect"
    files = [path for path in source.rglob("*.py") if path.relative_to(source).parts[0] not in SILENT]
    phrases = {phrase for path in files for phrase in phrases_of(path)}
    assert {"that span all rows", "left no time for", "not fitted: no time was left"} <= phrases
    assert len(phrases) > 30
    assert {phrase for phrase in phrases if phrase not in TROUBLE} == set()


def test_every_picture_of_a_report_is_explained():
    page = (ROOT / "docs" / "guide" / "report.md").read_text()
    titles = set()
    for path in (ROOT / "src" / "kernelect" / "facts").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "picture":
                titles |= {node.args[2].value if isinstance(node.args[2], ast.Constant) else path.stem}
    assert len(titles) > 15
    assert {title for title in titles if f"| {title} |" not in page} == {
        "explained_pictures",
        "kept",
        "notable",
        "pictures",
    }


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_asks_one_question_and_ends_with_an_answer(path):
    source = path.read_text()
    title = ast.get_docstring(ast.parse(source)).splitlines()[0]
    assert title.endswith("?")
    steps = re.findall(r"^# (.+)\n# -{4,}$", source, flags=re.MULTILINE)
    assert steps[-1] == "Answer"
    assert len(steps) > 2


def test_the_gallery_has_its_examples():
    assert len(EXAMPLES) >= 15
