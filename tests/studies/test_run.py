"""Running: the same numbers anywhere, nothing lost, nothing twice."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelect.exceptions import InvalidArgument
from kernelect.studies import Local, Plan, Results, ResultsError, check_plan, parse_study, run_study
from kernelect.studies.cells import DONE, FAILED, TIMED_OUT, Key
from kernelect.studies.definition import Method
from kernelect.studies.run import seed_of


def plan_of(study, **changes):
    return replace(Plan(study=study, datasets=tuple(study.datasets), methods=tuple(study.methods)), **changes)


def with_runner(tiny, name, **options):
    """The tiny study with one method whose cells are run by a function of ``cell_runners``."""
    method = Method(name="only", label="only", runner=f"studies.cell_runners:{name}", options=options)
    text = tiny.text  # what the file keeps need not be what is run
    return replace(tiny, methods={"only": method}, text=text, default=None)


def figures(path):
    with Results.open(path) as results:
        return {cell.key: cell.figures.get("error") for cell in results.cells()}


def test_processes_give_the_numbers_of_one_process(tiny, tmp_path):
    for name, engine in (("one", Local(1)), ("two", Local(2))):
        with Results.create(tmp_path / name, tiny) as results:
            progress = run_study(plan_of(tiny), results, engine)
        assert (progress.ended, progress.failures) == (18, 0)
    assert figures(tmp_path / "one") == figures(tmp_path / "two")


def test_a_second_run_does_what_is_missing(tiny, tmp_path):
    path = tmp_path / "r.sqlite"
    with Results.create(path, tiny) as results:
        run_study(plan_of(tiny, splits=1, methods=("ours",)), results)
        before = {cell.key: cell.ended for cell in results.cells()}
        progress = run_study(plan_of(tiny), results)
        after = {cell.key: cell.ended for cell in results.cells()}
    assert (progress.already, progress.ended) == (3, 15)
    assert len(after) == 18
    assert all(after[key] == ended for key, ended in before.items())


def test_order_is_split_by_split(tiny):
    assert [key.split for key in plan_of(tiny).cells()] == [0] * 6 + [1] * 6 + [2] * 6


def test_every_cell_tells_where_it_ran(tiny, tmp_path):
    with Results.create(tmp_path / "r", tiny) as results:
        run_study(plan_of(tiny, splits=1, datasets=("twonorm",), threads=2), results)
        for cell in results.cells():
            assert {"kernelect", "numpy", "scikit-learn"} <= set(cell.environment["packages"])
            assert cell.environment["threads"] == 2
            assert cell.seed >= 0
            assert cell.seconds > 0


def test_failures_are_results_and_are_tried_again_when_asked(tiny, tmp_path):
    with Results.create(tmp_path / "r", tiny) as results:
        broken = with_runner(tiny, "fails")
        progress = run_study(plan_of(broken, splits=1), results)
        assert progress.failures == 3
        cell = next(results.cells())
        assert (cell.state, cell.message) == (FAILED, "ValueError: broken on purpose")
        assert run_study(plan_of(broken, splits=1), results).ended == 0
        assert run_study(plan_of(broken, splits=1), results, retry_failed=True).ended == 3


@pytest.mark.parametrize("engine", [Local(1), Local(2)], ids=["here", "processes"])
def test_a_cell_that_leaves_the_program_is_a_failure(tiny, tmp_path, engine):
    with Results.create(tmp_path / "r", tiny) as results:
        progress = run_study(plan_of(with_runner(tiny, "leaves"), splits=1), results, engine)
        assert progress.failures == 3
        assert {cell.message for cell in results.cells()} == {"SystemExit: 0"}
        assert len(results.failed(plan_of(tiny).cells())) == 0  # of other methods
        assert len(results.failed(cell.key for cell in results.cells())) == 3


@pytest.mark.parametrize("engine", [Local(1), Local(2)], ids=["here", "processes"])
def test_a_cell_has_a_time_limit(tiny, tmp_path, engine):
    dawdling = with_runner(tiny, "dawdles")
    began = time.monotonic()
    with Results.create(tmp_path / "r", tiny) as results:
        run_study(plan_of(dawdling, splits=1, datasets=("twonorm",), time_limit=0.2), results, engine)
        cell = next(results.cells())
    assert (cell.state, cell.message) == (TIMED_OUT, "stopped at the time limit of 0.2 s")
    assert time.monotonic() - began < 30.0


def test_the_clock_leaves_quick_cells_alone(tiny, tmp_path):
    with Results.create(tmp_path / "r", tiny) as results:
        progress = run_study(plan_of(tiny, time_limit=60.0, splits=1), results)
    assert progress.failures == 0


def test_cells_of_a_dead_worker_run_again(tiny, tmp_path):
    dying = with_runner(tiny, "dies_once", folder=str(tmp_path))
    with Results.create(tmp_path / "r", tiny) as results:
        run_study(plan_of(dying, splits=1), results, Local(2))
        states = [cell.state for cell in results.cells()]
    assert states == [DONE] * 3


@pytest.mark.slow  # a worker dies in the test above too
def test_a_cell_that_kills_every_worker_is_a_failure(tiny, tmp_path):
    deadly = with_runner(tiny, "always_dies")
    with Results.create(tmp_path / "r", tiny) as results:
        run_study(plan_of(deadly, splits=1, datasets=("twonorm",)), results, Local(2))
        cell = next(results.cells())
    assert cell.state == FAILED
    assert "the worker process died 3 times" in cell.message


@pytest.mark.slow  # a worker dies in a quick test above
def test_cells_not_yet_handed_out_survive_the_death_of_a_worker(tiny, tmp_path):
    killer = seed_of(Key("twonorm", "only", 0), tiny.seed)
    dying = with_runner(tiny, "kills_first", folder=str(tmp_path), killer=killer)
    with Results.create(tmp_path / "r", tiny) as results:
        progress = run_study(plan_of(dying, splits=4), results, Local(2))
        states = [cell.state for cell in results.cells()]
    assert (tmp_path / "killed").exists()
    assert states == [DONE] * 12
    assert progress.left == 0


def test_figures_may_be_those_of_numpy(tiny, tmp_path):
    study = with_runner(tiny, "gives_numpy")
    with Results.create(tmp_path / "r", tiny) as results:
        run_study(plan_of(study, splits=1, datasets=("twonorm",)), results)
        assert dict(next(results.cells()).figures) == {
            "split_kind": "drawn",
            "error": 1.5,
            "mistakes": 3,
            "theta": [0, 1],
        }


def test_a_plan_is_checked_before_it_is_run(text, tmp_path):
    for old, new, words in (
        ("kernelect.LSSVC", "kernelect.LSSVD", "was not found"),
        ('kind = "draws"\nrows = 40', 'kind = "random"\nfraction = 0.99999', "leaves no rows"),
        ('kind = "draws"\nrows = 40', 'kind = "random"\nfraction = 1.0', "must lie between 0 and 1"),
        ('kind = "draws"\nrows = 40', 'kind = "blocks"\nrows = 9000', "cannot be made"),
    ):
        with pytest.raises(InvalidArgument, match=words):
            check_plan(plan_of(parse_study(text.replace(old, new))))


def test_what_needs_a_failed_cell_is_left(tiny, tmp_path):
    first = Method(name="first", label="first", runner="studies.cell_runners:fails")
    second = Method(name="second", label="second", runner="studies.cell_runners:doubles", needs="first")
    study = replace(tiny, methods={"first": first, "second": second}, default=None)
    with Results.create(tmp_path / "r", tiny) as results:
        assert run_study(Plan(study=study, datasets=("twonorm",), methods=("second",), splits=2), results).left == 2


def test_a_class_of_the_test_part_alone_costs_no_cell():
    from kernelect.studies.scoring import score
    from kernelect.studies.splits import Problem

    rng = np.random.default_rng(0)
    problem = Problem(
        X=rng.normal(size=(20, 2)), y=np.tile([0, 1], 10), X_test=rng.normal(size=(9, 2)), y_test=np.tile([0, 1, 2], 3)
    )
    figures = score(LogisticRegression().fit(problem.X, problem.y), problem)
    assert figures["error"] >= 100.0 / 3.0
    assert np.isfinite(figures["log_loss"])


def test_every_part_that_is_random_gets_the_seed():
    from kernelect.studies.scoring import seeded

    forest = make_pipeline(StandardScaler(), RandomForestClassifier())
    assert seeded(forest, 7).get_params()["randomforestclassifier__random_state"] == 7


def test_what_a_method_needs_is_run_first_and_handed_on(tiny, tmp_path):
    second = Method(name="second", label="second", runner="studies.cell_runners:doubles", needs="ours")
    study = replace(tiny, methods={"second": second, **tiny.methods})
    with Results.create(tmp_path / "r", tiny) as results:
        run_study(Plan(study=study, datasets=("twonorm",), methods=("second",), splits=2), results, Local(2))
        found = {cell.key: cell.figures["error"] for cell in results.cells()}
    for split in range(2):
        assert found[Key("twonorm", "second", split)] == 2.0 * found[Key("twonorm", "ours", split)]


def test_methods_without_their_package_are_skipped_with_a_sentence(tiny, tmp_path):
    study = replace(tiny, methods={"far": replace(tiny.methods["ours"], name="far", requires=("nowhere_to_be",))})
    plan = plan_of(study)
    assert plan.skipped() == {"far": "far is skipped: it needs nowhere_to_be, not installed here"}
    with Results.create(tmp_path / "r", tiny) as results:
        assert run_study(plan, results).total == 0


def test_time_left_is_what_like_cells_have_cost(tiny, tmp_path):
    seen = []
    with Results.create(tmp_path / "r", tiny) as results:
        run_study(plan_of(tiny, splits=2), results, observe=lambda _, progress: seen.append(progress.seconds_left))
    assert len(seen) == 12
    assert seen[-1] == 0.0
    assert all(value >= 0.0 for value in seen)


KILLED = """
import sys
from dataclasses import replace
from pathlib import Path
from kernelect.studies import Local, Plan, Results, parse_study, run_study
from kernelect.studies.definition import Method
from kernelect.studies.run import seed_of
study = parse_study(Path(sys.argv[1]).read_text())
options = {"folder": sys.argv[3], "seconds": 0.15}
method = Method(name="only", label="only", runner="studies.cell_runners:slow", options=options)
study = replace(study, methods={"only": method}, default=None)
plan = Plan(study=study, datasets=tuple(study.datasets), methods=("only",), splits=6)
with Results.create(Path(sys.argv[2]), study) as results:
    print("ready", flush=True)
    run_study(plan, results, Local(2))
"""


@pytest.mark.slow  # a study that was stopped resumes in a quick test above
def test_a_killed_client_resumes_with_nothing_lost_or_twice(text, tmp_path):
    definition, path, folder = tmp_path / "tiny.toml", tmp_path / "r.sqlite", tmp_path
    definition.write_text(text)
    script = tmp_path / "client.py"
    script.write_text(KILLED)
    paths = os.pathsep.join(entry for entry in sys.path if entry)
    command = [sys.executable, str(script), str(definition), str(path), str(folder)]
    client = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": paths}, stdout=subprocess.PIPE, text=True)
    client.stdout.readline()
    ran = folder / "ran.txt"
    deadline = time.monotonic() + 60.0
    while time.monotonic() < deadline and not (ran.exists() and len(ran.read_text().splitlines()) >= 4):
        time.sleep(0.02)
    client.send_signal(signal.SIGKILL)
    client.wait()
    client.stdout.close()
    before = figures(path)
    assert 0 < len(before) < 18
    subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, check=True, capture_output=True, timeout=120)
    after = figures(path)
    assert len(after) == 18
    assert before.items() <= after.items()
    # What was written before the kill was not run again: only cells under way then may appear twice.
    assert len(ran.read_text().splitlines()) <= 18 + 2 * 2


def test_results_of_another_study_are_not_mixed(tiny, tmp_path):
    Results.create(tmp_path / "r", tiny).close()
    with pytest.raises(ResultsError, match="holds the study 'tiny', and 'other' was asked for"):
        Results.create(tmp_path / "r", parse_study(tiny.text.replace('"tiny"', '"other"')))


def test_a_definition_may_grow_but_not_change_under_its_cells(text, tiny, tmp_path):
    path = tmp_path / "r"
    with Results.create(path, tiny) as results:
        run_study(plan_of(tiny, splits=1, datasets=("twonorm",), methods=("ours",)), results)
    grown = parse_study(text + '\n[methods.new]\nestimator = {call = "sklearn.svm.SVC"}\n')
    with Results.create(path, grown) as results:
        assert "new" in results.study.methods
    for old, new in (
        ("prior = {none = true}", 'prior = "auto"'),
        ("rows = 40", "rows = 41"),
        ("splits = 3", "seed = 3"),
    ):
        with pytest.raises(ResultsError, match="give another --out"):
            Results.create(path, parse_study(grown.text.replace(old, new)))


def test_names_that_mean_something_in_an_address(tiny, tmp_path):
    path = tmp_path / "r#1?a=b.sqlite"
    Results.create(path, tiny).close()
    with Results.open(path) as results:
        assert results.study.name == "tiny"


def test_a_database_of_something_else_is_left_alone(tiny, tmp_path):
    path = tmp_path / "mine.sqlite"
    with closing(sqlite3.connect(path)) as mine, mine:
        mine.execute("CREATE TABLE precious (x)")
    before = path.read_bytes()
    with pytest.raises(ResultsError, match="a database of something else"):
        Results.create(path, tiny)
    assert path.read_bytes() == before


def test_files_that_cannot_be_used(tiny, tmp_path):
    with pytest.raises(ResultsError, match="There is no results file"):
        Results.open(tmp_path / "none")
    with pytest.raises(ResultsError, match="is a folder"):
        Results.create(tmp_path, tiny)
    with pytest.raises(ResultsError, match="does not exist"):
        Results.create(tmp_path / "no" / "r", tiny)
    (tmp_path / "text").write_text("no database " * 100)
    with pytest.raises(ResultsError, match="not a results file"):
        Results.create(tmp_path / "text", tiny)
    assert (tmp_path / "text").read_text().startswith("no database")


def test_a_full_disk_is_said_and_earlier_cells_stay(text, tmp_path):
    """A limit on the size of files stands for the disk: SQLite meets it as a failed write."""
    pytest.importorskip("resource")
    study = parse_study(text)
    path = tmp_path / "r.sqlite"
    with Results.create(path, study) as results:
        run_study(plan_of(study, splits=1), results)
    script = (
        "import resource, sys\nfrom pathlib import Path\n"
        "from kernelect.studies import *\n"
        "study = parse_study(Path(sys.argv[2]).read_text())\n"
        "results = Results.create(Path(sys.argv[1]), study)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "plan = Plan(study=study, datasets=('twonorm', 'ringnorm'), methods=('ours',), splits=30)\n"
        "try:\n    run_study(plan, results)\n"
        "except ResultsError as error:\n    print(error)\n"
    )
    definition = tmp_path / "tiny.toml"
    definition.write_text(text)
    done = subprocess.run([sys.executable, "-c", script, str(path), str(definition)], capture_output=True, text=True)
    assert "free some space and run the same command again" in done.stdout, done.stderr
    assert len(figures(path)) == 6


def test_a_read_only_file_is_said_and_earlier_cells_stay(tiny, tmp_path):
    """SQLite's own switch stands for permissions, which root does not feel: the error is the same one."""
    path = tmp_path / "r.sqlite"
    with Results.create(path, tiny) as results:
        run_study(plan_of(tiny, splits=1), results)
        results._connection.execute("PRAGMA query_only = ON")
        with pytest.raises(ResultsError, match=r"readonly database\): the file or its folder cannot be written"):
            run_study(plan_of(tiny, splits=2), results)
    assert len(figures(path)) == 6


@contextmanager
def powerless(folder):
    """A folder that cannot be written; root becomes nobody, whom permissions hold."""
    folder.chmod(0o555)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)
        folder.chmod(0o755)


def open_to_all(path):
    """Let anyone pass through the folders above."""
    for folder in path.parents:
        if folder.stat().st_uid == os.geteuid() and not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o055)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of another kind")
def test_results_in_a_read_only_folder_can_be_read(tiny, tmp_path):
    folder = tmp_path / "archive"
    folder.mkdir()
    path = folder / "r.sqlite"
    with Results.create(path, tiny) as results:
        run_study(plan_of(tiny, splits=1, datasets=("twonorm",)), results)
    open_to_all(path)
    with powerless(folder), Results.open(path) as results:
        assert len(list(results.cells())) == 2
    assert os.listdir(folder) == ["r.sqlite"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("UPDATE cells SET figures = '{'", "holds a cell that cannot be read"),
        ("UPDATE cells SET figures = '3'", "holds a cell that cannot be read"),
        ("DELETE FROM study", "holds no definition"),
        ("UPDATE study SET definition = 'name = 3'", "holds a definition that cannot be read"),
        ("DROP TABLE study", "not those of kernelect study: give the file that kernelect study run wrote"),
    ],
)
def test_a_results_file_that_was_changed_by_others(tiny, tmp_path, change, words):
    path = tmp_path / "r"
    with Results.create(path, tiny) as results:
        run_study(plan_of(tiny, splits=1, datasets=("twonorm",)), results)
    with closing(sqlite3.connect(path)) as mine, mine:
        mine.execute(change)

    def read():
        with Results.open(path) as results:
            return list(results.cells())

    with pytest.raises(ResultsError, match=words):
        read()


def test_numbers_are_those_of_a_fit_by_hand(tiny, tmp_path):
    from kernelect import LSSVC
    from kernelect.studies.splits import make_problem

    with Results.create(tmp_path / "r", tiny) as results:
        plan = plan_of(tiny, splits=1, datasets=("twonorm",), methods=("ours",))
        run_study(plan, results)
        cell = next(results.cells())
    problem = make_problem(plan.load("twonorm"), tiny.protocol, 0, tiny.seed)
    model = LSSVC("rbf", prior=None).fit(problem.X, problem.y)
    assert cell.figures["error"] == 100.0 * np.mean(model.predict(problem.X_test) != problem.y_test)
