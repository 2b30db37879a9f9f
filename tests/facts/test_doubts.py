"""Each doubt appears where it should, and only there."""

import copy
import re
from types import SimpleNamespace

import numpy as np
import pytest

from kernelect.facts import Assessment, Estimate, Score
from kernelect.facts import rules as _rules  # noqa: F401
from kernelect.facts.doubts import (
    DOES_NOT_APPLY,
    RULES,
    Check,
    DoubtRule,
    ModelEvidence,
    Severity,
    Words,
    doubts_of,
    examine,
    what_was_checked,
)
from kernelect.facts.quality import describe_quality
from kernelect.facts.rules.sizes import Unfound
from kernelect.registry import register


def estimate(name, error, deviation):
    return Estimate(name=name, scores=(Score("error", error, deviation),))


def quality(folds=(0.1, 0.01), left_out=(0.1, 0.01), baseline=0.4):
    return describe_quality(
        Assessment(
            classes=("a", "b"),
            leave_one_out=estimate("leave-one-out", *left_out),
            outer_folds=estimate("5 outer folds", *folds),
            baseline=estimate("always the most frequent class", baseline, None),
        ),
        "classification",
    )


def classes(**rows):
    return [{"name": name, "rows": count} for name, count in rows.items()]


def parameter(name, kind, at_bound=None):
    return {"name": name, "kind": kind, "value": 2.0, "at_bound": at_bound}


SOUND = {
    "data": {"rows": 500, "inputs": 10, "classes": classes(a=300, b=200)},
    "machine": {
        "outcome": "CONVERGED",
        "converged": True,
        "status": "converged",
        "parameters": [parameter("regularization", "regularization"), parameter("gamma of x", "width")],
    },
    "quality": quality(),
    "influence": [
        {"name": "regularization", "kind": "regularization", "below": 9.0, "above": 4.0},
        {"name": "gamma of x", "kind": "width", "below": 0.1, "above": 0.2},
    ],
    "calibration": {"ece": 0.02, "chance": 0.015, "brier": 0.1},
}


def find_doubts(facts):
    return doubts_of(examine(ModelEvidence(facts)))


def checked(facts):
    checks = examine(ModelEvidence(facts))
    return what_was_checked({"checks": [check.describe() for check in checks], "doubts": doubts_of(checks)})


def changed(path, value):
    facts = copy.deepcopy(SOUND)
    *way, last = path
    inner = facts
    for step in way:
        inner = inner[step]
    inner[last] = value
    return facts


def test_nothing_is_doubted_where_all_is_sound():
    assert find_doubts(SOUND) == []


def test_where_nothing_is_doubted_the_sentence_lists_what_was_checked_and_no_more():
    assert checked(SOUND) == (
        "No doubts were found. Checked: the gain over the baseline, the calibration of probabilities, whether the "
        "error was measured, scores that are too good, the agreement of leave-one-out and outer folds, how well the "
        "rows determine the selected values, the end of the search, the bounds of the search, rows per class, the "
        "balance of the classes and rows per input."
    )


def test_what_was_not_looked_for_is_listed_with_the_reason():
    facts = changed(["data", "rows"], 90)
    facts["calibration"] = None
    assert checked(facts).endswith(
        "Not checked: the calibration of probabilities (there are no probabilities of rows left out) and scores that "
        "are too good (this takes at least 100 rows)."
    )
    facts["data"]["classes"] = classes(a=80, b=10)
    words = checked(facts)
    assert words.startswith("Also checked: the gain over the baseline,")  # there are doubts, of other things
    assert "rows per class" not in words


def test_what_no_score_was_measured_for_is_not_called_checked():
    words = checked(changed(["quality"], describe_quality(None, "classification")))
    assert "the gain over the baseline (no row was left out)" in words.split("Not checked:")[1]


def test_the_gravest_doubt_comes_first():
    facts = changed(["quality"], quality(folds=(0.39, 0.01), left_out=(0.33, 0.01)))
    facts["data"]["inputs"] = 200
    facts["machine"]["converged"] = False
    found = find_doubts(facts)
    assert [doubt["code"] for doubt in found] == ["baseline", "disagreement", "not-converged", "few-per-input"]
    assert [doubt["severity"] for doubt in found] == [4, 3, 2, 1]
    assert found[3]["figures"] == {"rows": 500, "inputs": 200, "mixture": False}


def test_every_check_ends_in_one_of_three_ways():
    facts = changed(["data", "inputs"], 200)
    facts["calibration"] = None
    ends = {check.rule.name: check.outcome for check in examine(ModelEvidence(facts))}
    assert (ends["few-per-input"], ends["imbalance"]) == ("found", "not found")
    assert (ends["calibration"], ends["spread"]) == ("not looked for", "not looked for")


def test_a_rule_of_ones_own_is_one_class(request):
    """As the guide shows it: it is registered once, and everything else follows."""

    class Heaped(DoubtRule[ModelEvidence]):
        name = "heaped"
        about = "heaps"
        severity = Severity.DETAIL

        def look(self, evidence):
            return {"rows": evidence.facts["data"]["rows"]}

        def words(self, found):
            return Words(f"There are {found['rows']} rows.", "Count them.")

    entries = list(RULES)
    request.addfinalizer(lambda: RULES._entries.__setitem__(slice(None), entries))
    register(Heaped)
    (doubt,) = find_doubts(SOUND)
    assert doubt == {
        "code": "heaped",
        "severity": 1,
        "sentence": "There are 500 rows.",
        "advice": "Count them.",
        "figures": {"rows": 500},
    }


def test_rules_have_codes_of_their_own_and_say_what_they_look_for():
    assert len(set(RULES.names)) == len(list(RULES))
    assert all(entry.cls.about and isinstance(entry.cls.severity, Severity) for entry in RULES)


CASES = [
    (
        "worse-than-baseline",
        ["quality"],
        quality(folds=(0.45, 0.04), left_out=(0.45, 0.04)),
        "45.0 ± 4.0 % is worse than the 40.0 % of always predicting the most frequent class.$",
    ),
    (
        "baseline",
        ["quality"],
        quality(folds=(0.39, 0.01), left_out=(0.39, 0.01)),
        "39.0 ± 1.0 % is not clearly",
    ),
    (
        "disagreement",
        ["quality"],
        quality(left_out=(0.05, 0.01)),
        "differ by more .* explain: error 5.0 ± 1.0 % against 10.0 ± 1.0 %",
    ),
    ("not-converged", ["machine", "converged"], False, "The search did not converge: it converged"),
    ("at-bound", ["machine", "parameters", 0, "at_bound"], "upper edge", r"regularization = 2.00 \(upper edge\)"),
    ("at-bound", ["machine", "parameters", 1, "at_bound"], "upper edge", "gamma of x = 2.00"),
    ("loose", ["influence", 0], {"name": "C", "kind": "C", "below": 0.1, "above": 0.3}, "is flat: .* C, .* 0.30 nats"),
    (
        "calibration",
        ["calibration", "ece"],
        0.06,
        "off by 6.0 percentage points on .* alone would give 1.5",
    ),
    ("imbalance", ["data", "classes", 0, "rows"], 1001, "a has 5.0 times as many rows as b"),
    (
        "few-in-class",
        ["data", "classes"],
        classes(a=60, b=19),
        "Class b has only 19 rows",
    ),
    (
        "few-in-class",
        ["data", "classes"],
        classes(a=60, b=19, c=18, d=60, e=17, f=16),
        r"^4 classes have fewer than 20 rows: f \(16\), e \(17\), c \(18\) and 1 more\.$",
    ),
    ("few-per-input", ["data", "inputs"], 101, "500 rows for 101 inputs of the machine, 5.0 per input"),
    ("too-good", ["quality"], quality(folds=(0.0, 0.0), left_out=(0.0, 0.0)), "None of the 500 rows is misclassified"),
    ("not-measured", ["quality"], describe_quality(None, "classification"), "The error on new rows was not measured"),
]


@pytest.mark.parametrize(("code", "path", "value", "words"), CASES, ids=[f"{c[0]}-{i}" for i, c in enumerate(CASES)])
def test_a_doubt_appears_alone_and_says_its_figure(code, path, value, words):
    (doubt,) = find_doubts(changed(path, value))
    assert doubt["code"] == {"loose": "flat"}.get(code, code)
    assert re.search(words, doubt["sentence"])
    assert doubt["advice"].endswith(".")


def test_a_rare_class_that_is_never_recognised_is_named():
    """An error no larger than that of a constant may hide that the model is one."""
    facts = changed(["data", "classes"], classes(a=470, b=30))
    (doubt,) = find_doubts(facts)
    assert "recognised" not in doubt["sentence"]
    for found in facts["quality"]["estimates"]:
        found["scores"].append({**found["scores"][0], "name": "F1", "value": 0.0})
    (doubt,) = find_doubts(facts)
    assert doubt["sentence"].endswith("No new row of b is recognised.")


UNFOUND = Unfound()


@pytest.mark.parametrize(("hits", "rows"), [(0, 20), (1, 20), (2, 20), (0, 19), (9, 100)])
def test_a_class_that_is_hardly_ever_found_is_named(hits, rows):
    """With 20 rows or more, fewer than a tenth of them right; of two classes the gain over the baseline tells it."""
    truth = np.array(["a"] * 60 + ["b"] * 60 + ["c"] * rows)
    said = truth.copy()
    said[120 + hits :] = "a"
    source = SimpleNamespace(y_true=truth, prediction=said)
    facts = changed(["data", "classes"], classes(a=170, b=170, c=160))
    evidence = ModelEvidence(facts, SimpleNamespace(best_source=source))
    found = doubts_of([Check(UNFOUND, UNFOUND.look(evidence))])
    if rows < 20 or hits >= 0.1 * rows:
        assert found == []
        return
    assert found[0]["sentence"] == f"Class c ({hits} of {rows} rows) is hardly ever found."
    assert "merge classes" in found[0]["advice"]
    two = changed(["data", "classes"], classes(a=250, c=250))
    assert UNFOUND.look(ModelEvidence(two, SimpleNamespace(best_source=source))) is DOES_NOT_APPLY
    assert UNFOUND.look(ModelEvidence(facts)) is None
    several = UNFOUND.words({"classes": [["a", 0, 30], ["b", 1, 40]]})
    assert several.sentence == "2 classes are hardly ever found: a (0 of 30 rows), b (1 of 40 rows)."


def test_a_parameter_the_rows_leave_open_is_named_where_others_are_determined():
    assert (
        find_doubts(changed(["influence", 1], {"name": "offset", "kind": "offset", "below": 0.1, "above": 0.2})) == []
    )
    facts = changed(["influence", 1], {"name": "amplitude", "kind": "amplitude", "below": 0.1, "above": 0.2})
    (doubt,) = find_doubts(facts)
    assert doubt["code"] == "loose"
    assert "hardly determine amplitude" in doubt["sentence"]


def test_a_width_at_its_lower_edge_is_an_answer_and_no_doubt():
    assert find_doubts(changed(["machine", "parameters", 1, "at_bound"], "lower edge")) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["quality"], quality(folds=(0.37, 0.014), left_out=(0.37, 0.014))),  # 2.1 standard errors
        (["quality"], quality(left_out=(0.073, 0.01))),  # 1.9 of the difference
        (["calibration", "ece"], 0.049),
        (["data", "classes", 0, "rows"], 999),
        (["data", "classes"], classes(a=60, b=20)),
        (["data", "inputs"], 100),
        (["calibration"], None),
        (["influence"], []),
    ],
)
def test_just_below_its_threshold_a_doubt_does_not_appear(path, value):
    assert find_doubts(changed(path, value)) == []


def test_regression_is_judged_by_its_root_mean_square():
    def scores(rmse):
        return (Score("RMSE", rmse, 1.0), Score("R²", 0.5, None))

    folds = Estimate(name="5 outer folds", scores=scores(49.0))
    mean = Estimate(name="always the mean", scores=scores(50.0))
    found = Assessment(classes=None, leave_one_out=None, outer_folds=folds, baseline=mean)
    facts = changed(["quality"], describe_quality(found, "regression"))
    facts["data"]["classes"] = facts["calibration"] = None
    assert [doubt["code"] for doubt in find_doubts(facts)] == ["baseline"]
    assert facts["quality"]["headline"] == (
        "Predictions for new rows are off by 49.0 ± 1.0 (root mean square, R² 0.500), measured by 5 outer folds. For "
        "comparison, always predicting the mean: 50.0 ± 1.0."
    )


def scored(name, **scores):
    return Estimate(name=name, scores=tuple(Score(score.replace("_", "-"), *pair) for score, pair in scores.items()))


def test_a_rare_class_that_can_be_told_apart_is_not_called_empty():
    """One row in 46: no error is below that of the larger class, but the order of the rows is clearly right."""
    baseline = scored("always the most frequent class", error=(0.02, 0.01), log_loss=(0.1, 0.02), AUC=(0.5, None))
    for area, codes in ((0.8, []), (0.58, ["baseline"])):
        folds = scored("5 outer folds", error=(0.02, 0.01), log_loss=(0.09, 0.02), AUC=(area, 0.05))
        found = Assessment(classes=("a", "b"), leave_one_out=None, outer_folds=folds, baseline=baseline)
        facts = changed(["quality"], describe_quality(found, "classification"))
        assert [doubt["code"] for doubt in find_doubts(facts)] == codes


def test_an_error_worse_than_the_baseline_is_doubted_also_if_probabilities_are_better():
    baseline = scored("always the most frequent class", error=(0.234, 0.028), log_loss=(0.54, 0.03), AUC=(0.5, None))
    for error, codes in ((0.279, ["worse-than-baseline"]), (0.263, [])):  # by 1.5 and by 0.97 standard errors
        folds = scored("5 outer folds", error=(error, 0.03), log_loss=(0.5, 0.01), AUC=(0.7, 0.04))
        found = Assessment(classes=("a", "b"), leave_one_out=None, outer_folds=folds, baseline=baseline)
        doubts = find_doubts(changed(["quality"], describe_quality(found, "classification")))
        assert [doubt["code"] for doubt in doubts] == codes
    facts = changed(["quality"], quality(folds=(0.45, 0.04), left_out=(0.45, 0.04)))
    assert find_doubts(facts)[0]["advice"].startswith("Do not use the model.")
    found = Assessment(
        classes=("a", "b"),
        leave_one_out=None,
        outer_folds=scored("5 outer folds", error=(0.279, 0.03), log_loss=(0.5, 0.01), AUC=(0.7, 0.04)),
        baseline=baseline,
    )
    (doubt,) = find_doubts(changed(["quality"], describe_quality(found, "classification")))
    assert doubt["sentence"] == (
        "The error of 27.9 ± 3.0 % is worse than the 23.4 ± 2.8 % of always predicting the most frequent class, "
        "although log-loss and AUC are better."
    )


def test_estimates_are_compared_on_every_score():
    folds = scored("5 outer folds", error=(0.1, 0.01), log_loss=(0.5, 0.02))
    left_out = scored("leave-one-out", error=(0.1, 0.01), log_loss=(0.3, 0.02))
    baseline = scored("always the most frequent class", error=(0.4, None))
    found = Assessment(classes=("a", "b"), leave_one_out=left_out, outer_folds=folds, baseline=baseline)
    (doubt,) = find_doubts(changed(["quality"], describe_quality(found, "classification")))
    assert doubt["code"] == "disagreement"
    assert "log-loss 0.300 ± 0.020 against 0.500 ± 0.020" in doubt["sentence"]
    assert "error" not in doubt["sentence"].replace("standard errors", "")


def test_a_target_explained_completely_is_doubted():
    scores = (Score("RMSE", 0.001, None), Score("R²", 0.99995, None))
    folds = Estimate(name="5 outer folds", scores=scores)
    mean = Estimate(name="always the mean", scores=(Score("RMSE", 50.0, None),))
    found = Assessment(classes=None, leave_one_out=None, outer_folds=folds, baseline=mean)
    facts = changed(["quality"], describe_quality(found, "regression"))
    (doubt,) = find_doubts(facts)
    assert (doubt["code"], "explain the target completely" in doubt["sentence"]) == ("too-good", True)
    facts["data"]["rows"] = 99
    assert find_doubts(facts) == []
