"""What a terminal shows, however narrow it is; and what is said while one waits."""

import gc
import io
import sys
from types import SimpleNamespace

import pytest
from rich.console import Console

from kernelect import cli
from kernelect.cli._progress import Watch
from kernelect.cli._show import figures, peer_table, print_doubts, print_remarks, say
from kernelect.cli.compare import _on_candidates
from kernelect.mixture import Member

ROWS = {
    "a label that is rather long, as labels are": {"first figure": "0.123 ± 0.045", "second figure": "44.4 ± 5.5 %"},
    "short": {"first figure": "1 234", "note": "out of time"},
}


def shown(thing, width):
    console = Console(file=io.StringIO(), width=width)
    console.print(thing)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [30, 60, 80, 120])
def test_labels_and_figures_are_never_cut(width):
    text = shown(figures("A title", "candidate", ROWS, ["first figure", "second figure", "note"]), width)
    assert "…" not in text
    assert "0.123 ± 0.045" in text
    assert "44.4 ± 5.5 %" in text
    assert "out of time" in text
    assert "short" in text
    assert all(word in text for word in ["a", "label", "that", "is", "rather", "long,", "as", "labels", "are"])


@pytest.mark.parametrize("width", range(40, 100, 3))
def test_a_long_heading_breaks_and_takes_no_room_from_others(width):
    names = ["weight", "leave-one-out unexplained variance", "seconds"]
    rows = {"lssvm, ard with one width, as it is": dict(zip(names, ["12.9 %", "0.236 ± 0.026", "0.3"], strict=True))}
    text = shown(figures("Candidates", "machine, kernel, view of the inputs", rows, names), width)
    for words in (*next(iter(rows)).split(), "12.9 %", "0.236 ± 0.026", "0.3", "seconds"):
        assert words in text
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("width", range(12, 40))
def test_no_line_ends_within_a_number(width):
    number = "73\u202f268"
    sentence = f"always predicting the mean: {number} off"
    console = Console(file=io.StringIO(), width=width)
    say(console, sentence)
    print_remarks(console, [sentence])
    print_doubts(console, [{"code": "far-off", "sentence": sentence, "advice": sentence}], sentence)
    lines = [line.strip(" ·") for line in console.file.getvalue().splitlines()]
    assert " ".join(lines).strip() == f"{sentence} {sentence} What to doubt {sentence} {sentence} {sentence}"


def test_long_labels_break_before_a_table_becomes_a_list():
    names = ["weight", "leave-one-out unexplained variance", "seconds"]
    label = "Least squares, steps, one width per column, evened values"
    rows = {label: dict(zip(names, ["12.9 %", "0.236 ± 0.026", "0.3"], strict=True))}
    table, several = shown(figures("t", "c", rows, names), 60), shown(figures("t", "c", rows, names), 45)
    assert "───" in table
    assert label not in table
    assert all(word in table for word in label.split())
    assert "───" not in several  # labels of less than 24 letters a line are no help


def test_a_wide_terminal_has_a_table_and_a_narrow_one_a_list():
    wide, narrow = (shown(figures("t", "c", ROWS, ["first figure", "second figure"]), width) for width in (100, 50))
    assert "───" in wide
    assert "───" not in narrow
    assert "  first figure" in narrow


def test_a_comparison_is_a_table_at_eighty_columns_and_marks_who_did_not_run():
    def candidate(name, behind, mark):
        scores = [{"name": "AUC", "words": "0.811 ± 0.034"}, {"name": "error", "words": "28.4 ± 3.6 %"}]
        scores = [] if mark == "not run" else scores
        difference = {"words": behind} if behind else None
        return {"name": name, "scores": scores, "difference": difference, "seconds": 5.5, "mark": mark}

    found = [
        candidate("sklearn gradient boosting", "0.031 ± 0.035", ""),
        candidate("svm rbf", None, "not run"),
    ]
    text = shown(peer_table({"score": "AUC", "candidates": found}, "Compared"), 80)
    assert "───" in text
    assert "not run" in next(line for line in text.splitlines() if "svm rbf" in line)
    late = [candidate("sklearn SVR grid", "0.05 ± 0.01", ""), candidate("lssvm rbf", "0.05 ± 0.01", "out of time")]
    text = shown(peer_table({"score": "AUC", "candidates": late}, "Compared"), 80)
    assert next(line for line in text.splitlines() if "lssvm rbf" in line).strip().endswith("5.5 *")
    assert "* ran out of time" in text
    assert " *" not in shown(peer_table({"score": "AUC", "candidates": late[:1]}, "Compared"), 80)
    best = shown(peer_table({"score": "AUC", "candidates": [candidate("auto", None, "out of time")]}, "Compared"), 80)
    assert "the best" in best
    without = [candidate("svm", None, "no AUC")]
    assert "no AUC" in shown(peer_table({"score": "AUC", "candidates": without}, "Compared"), 80)
    remarks = [{"name": name, "remark": "the time limit came first", "mark": ""} for name in ("svm", "gp")]
    remarks.append({"name": "auto", "remark": "stopped at the time limit", "mark": "out of time"})
    assert _on_candidates({"candidates": remarks}) == ["svm, gp: the time limit came first"]


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def watched(terminal=False, quiet=False):
    console, clock = Console(file=io.StringIO(), force_terminal=terminal, width=100), Clock()
    return Watch(console, quiet, clock), clock, console.file


def test_off_a_terminal_a_line_now_and_then():
    watch, clock, file = watched()
    watch.plan("fit", "outer folds")
    show = watch.folds("outer folds", 5)
    with watch:
        for done in range(6):
            show(done)
            clock.now += 6.0
    assert file.getvalue().splitlines() == [
        "12.0 s · stage 2 of 2, outer folds: 2 of 5, about 18.0 s left",
        "24.0 s · stage 2 of 2, outer folds: 4 of 5, about 6.0 s left",
    ]


@pytest.mark.parametrize(("seconds", "lines"), [(1.0, 0), (11.0, 2)])
def test_a_new_stage_is_told_at_once_unless_the_run_is_short(seconds, lines):
    watch, clock, file = watched()
    watch.plan("outer folds", "report")
    with watch:
        clock.now += seconds
        watch.folds("outer folds", 5)(5)
        clock.now += 0.1
        watch.stage("report")
    assert len(file.getvalue().splitlines()) == lines
    assert file.getvalue().endswith("stage 2 of 2, report\n" if lines else "")


def member(name, loss, score, of=4):
    return Member(candidate=SimpleNamespace(words=name), component=None, status="", of=of, loss=loss, score=score)


def test_the_best_candidate_so_far_is_told_by_its_score():
    watch, clock, file = watched()
    watch.plan("fit", "report")
    with watch:
        for words in ("log-loss {:.3f}", "R² {:.3f}"):
            show = watch.fit("fit")
            for name, loss in (("one", 0.5), ("two", 0.25), ("three", 0.75)):
                clock.now += 11.0
                show(member(name, loss, words.format(loss)))
        clock.now += 11.0
        watch.stage("report")
    *both, last = [line.split(" · ")[1] for line in file.getvalue().splitlines()]
    told = ["{} 0.500 (one)", "{} 0.250 (two)", "{} 0.250 (two)"]
    told = [one.format(name) for name in ("log-loss", "R²") for one in told]
    lefts = 2 * ["33.0 s", "22.0 s", "11.0 s"]
    assert both == [
        f"stage 1 of 2, fit: {k % 3 + 1} of 4 fitted, best so far {one}, about {left} left"
        for k, (one, left) in enumerate(zip(told, lefts, strict=True))
    ]
    assert last == "stage 2 of 2, report"


def test_the_best_only_falls_and_quiet_is_quiet():
    watch, clock, file = watched()
    show = watch.fit("fit")
    for number, value in enumerate([3.0, 1.0, 2.0]):
        clock.now += 11.0
        show(SimpleNamespace(number=number, best_value=value, run=number))
    assert [line.split("best ")[1] for line in file.getvalue().splitlines()] == ["3", "1", "1"]
    assert "search 3, evaluation 3" in file.getvalue()
    watch, clock, file = watched(quiet=True)
    clock.now = 99.0
    watch.folds("outer folds", 5)(1)
    assert file.getvalue() == ""


def test_a_terminal_sees_candidates_with_markup_as_it_stands():
    watch, _, file = watched(terminal=True)
    with watch:
        watch.fit("fit of [red]")(member("gp", 0.5, "log-loss 0.500", of=8))
        watch._progress.refresh()
    assert "fit of [red]: 1 of 8 fitted, best so far log-loss 0.500 (gp)" in file.getvalue()


def test_remarks_have_a_dot_each():
    console = Console(file=io.StringIO(), width=40)
    print_remarks(console, ["one [bold]", "two"])
    assert [line.strip() for line in console.file.getvalue().splitlines()] == ["· one [bold]", "· two"]


def test_imports_are_not_searched_for_garbage(monkeypatch):
    """It takes a tenth of the start, which counts towards a time limit."""
    before, during = gc.get_threshold(), []
    gc.set_threshold(700, 10, 10)
    monkeypatch.setattr(cli, "load_extra", lambda *_, **__: during.append(gc.get_threshold()))
    monkeypatch.setattr(sys, "argv", ["kernelect", "--version"])
    try:
        with pytest.raises(SystemExit):
            cli.main()
    finally:
        gc.set_threshold(*before)
    assert during[0][0] > 10 * 700
