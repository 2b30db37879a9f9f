"""Each verdict appears on its side of the threshold, and only there."""

import copy

import pytest

from kernelect import LSSVR, facts
from kernelect.datasets import sparse_inputs
from kernelect.facts import Assessment, Estimate, Score
from kernelect.facts.doubts import ModelEvidence
from kernelect.facts.quality import describe_quality
from kernelect.facts.rules.baseline import NotBetter
from kernelect.facts.verdict import CLEAR, FEW_ROWS, VERDICTS, WEAK, VerdictLevel, describe_verdict, saved_share


def labels(error=0.1, deviation=0.01, loss=0.3):
    def estimate(name, *scores):
        return Estimate(name=name, scores=tuple(Score(*one) for one in scores))

    found = estimate("5 outer folds", ("error", error, deviation), ("log-loss", loss, 0.01))
    guess = estimate("always the most frequent class", ("error", 0.4, None), ("log-loss", 0.6, None))
    assessment = Assessment(classes=("a", "b"), leave_one_out=None, outer_folds=found, baseline=guess)
    return describe_quality(assessment, "classification")


def numbers(rmse=2.0, deviation=0.1, explained=0.8, spread=0.02):
    found = Estimate(name="5 outer folds", scores=(Score("RMSE", rmse, deviation), Score("R²", explained, spread)))
    guess = Estimate(name="always the mean", scores=(Score("RMSE", 4.5, None), Score("R²", 0.0, None)))
    assessment = Assessment(classes=None, leave_one_out=None, outer_folds=found, baseline=guess)
    return describe_quality(assessment, "regression")


def doubt(code, severity, **figures):
    return {"code": code, "severity": severity, "sentence": "S.", "advice": f"Mend {code}.", "figures": figures}


def check(obstacle):
    return {"code": "giveaway", "about": "leaks", "outcome": "not looked for", "obstacle": obstacle, "why": "W"}


SOUND = {"title": "t.csv", "data": {"rows": 500}, "quality": labels(), "doubts": [], "learning": None}


def verdict(**changes):
    return describe_verdict({**copy.deepcopy(SOUND), **changes})


def test_a_model_without_doubts_is_used_as_it_is():
    found = verdict()
    assert (found["level"], found["code"], found["words"]) == (5, "sound", "Use it as it is")
    assert found["good"] == (
        "Of 100 new rows it predicts about 90 right; always predicting the most frequent class gets 60 right."
    )
    assert found["sure"] == (
        "Measured by 5 outer folds on rows that the model had not seen: probably 88 to 92 of 100 rows right."
    )
    assert found["todo"] == "Predict new rows of the same kind (kernelect predict MODEL TABLE)."
    assert verdict(title="")["todo"] == "Predict new rows of the same kind (model.predict(X))."


@pytest.mark.parametrize(
    ("changes", "code", "level"),
    [
        ({"doubts": [doubt("baseline", 4, better=[])]}, "no-gain", 1),
        ({"doubts": [doubt("worse-than-baseline", 4, better=[])]}, "no-gain", 1),
        ({"doubts": [doubt("worse-than-baseline", 4, better=["AUC"])]}, "void", 2),  # the probabilities are of use
        ({"doubts": [doubt("giveaway", 4)]}, "void", 2),
        ({"doubts": [doubt("order", 3)]}, "doubted", 4),
        ({"quality": labels(loss=0.6 * (1.0 - WEAK) + 1e-6)}, "weak", 3),
        ({"quality": labels(loss=0.6 * (1.0 - WEAK) - 1e-6)}, "sound", 5),
        ({"quality": numbers(explained=WEAK - 1e-6)}, "weak", 3),
        ({"quality": numbers(explained=WEAK + 1e-6)}, "sound", 5),
        ({"quality": numbers(rmse=4.0, deviation=0.5 / CLEAR + 1e-6, spread=0.3)}, "unclear", 3),
        ({"quality": numbers(rmse=4.0, deviation=0.5 / CLEAR - 1e-6, spread=0.3)}, "sound", 5),
        ({"quality": numbers(deviation=9.0, spread=0.8 / CLEAR + 1e-6)}, "unclear", 3),  # R² is sure where RMSE is not
        ({"quality": numbers(deviation=9.0, spread=0.8 / CLEAR - 1e-6)}, "sound", 5),
        ({"data": {"rows": FEW_ROWS - 1}}, "few-rows", 3),
        ({"data": {"rows": FEW_ROWS}}, "sound", 5),
        ({"doubts": [doubt("imbalance", 2)]}, "doubted", 4),
        ({"doubts": [doubt("few-per-input", 1)]}, "sound", 5),
        ({"checks": [check("time")]}, "unchecked", 4),
        ({"checks": [check("few-rows")]}, "sound", 5),
    ],
)
def test_each_verdict_on_both_sides_of_its_threshold(changes, code, level):
    found = verdict(**changes)
    assert (found["code"], found["level"]) == (code, level)


def test_what_there_was_no_time_to_look_for_is_the_advice():
    said = "Fit again with a longer time limit: there was no time to look for leaks."
    assert verdict(checks=[check("time"), check("few-rows")])["todo"] == said


def test_the_advice_is_that_of_the_gravest_doubt():
    found = verdict(doubts=[doubt("imbalance", 2), doubt("order", 3)])
    assert found["todo"] == "Mend order."
    assert ", but new rows may be different (see what to doubt): probably 88" in found["sure"]
    for severity in (2, 4):  # weakness of a part; of no use for any rows
        assert "different" not in verdict(doubts=[doubt("imbalance", severity)])["sure"]
    assert verdict(doubts=[doubt("giveaway", 4), doubt("baseline", 4)])["todo"] == "Mend baseline."


def test_the_learning_curve_tells_whether_to_collect_rows():
    curve = {"rows": 40, "gain": 0.1, "standard_error": 0.02, "helps": True, "sentence": "They help."}
    few = {"data": {"rows": 40}}
    assert verdict(**few)["todo"] == "Collect more rows, or add columns that should matter."
    assert verdict(**few, learning=curve)["todo"] == "Collect more rows. They help."
    assert verdict(**few, learning={**curve, "helps": False})["todo"] == "Add columns that should matter. They help."
    assert verdict(learning=curve)["todo"].endswith("They help.")
    assert not verdict(learning={**curve, "helps": False})["todo"].endswith("They help.")


def test_numbers_and_other_metrics_in_words():
    found = verdict(quality=numbers())
    assert found["good"] == (
        "Predictions of new rows are off by 2.00, and the model explains 80 % of the differences between rows (always "
        "predicting the mean is off by 4.50)."
    )
    assert "explains 99.9 %" in verdict(quality=numbers(explained=0.99989))["good"]
    assert "explains 99.6 %" in verdict(quality=numbers(explained=0.996))["good"]
    assert found["sure"].endswith(": the RMSE is probably 1.80 to 2.20.")
    assert verdict(quality=numbers(deviation=2.0))["sure"].endswith("probably 0.0 to 6.0.")
    salary = verdict(quality=numbers(1_014_652.0, deviation=53_210.0))
    assert " off by 1\N{NARROW NO-BREAK SPACE}015\N{NARROW NO-BREAK SPACE}000, and" in salary["good"]
    assert "probably 908 000 to 1 121 000." in salary["sure"].replace("\N{NARROW NO-BREAK SPACE}", " ")
    loss = {**labels(), "main": "log-loss"}
    assert verdict(quality=loss)["good"].startswith("The log-loss on new rows is 0.300; always predicting")
    assert "about 99.6 right" in verdict(quality=labels(error=0.004))["good"]
    assert "about 100 right" in verdict(quality=labels(error=0.0))["good"]


def test_an_order_of_times_in_words():
    found = Estimate(name="5 outer folds", scores=(Score("concordance", 0.744, 0.048),))
    guess = Estimate(name="one curve for all rows (Kaplan-Meier)", scores=(Score("concordance", 0.5, None),))
    assessment = Assessment(classes=None, leave_one_out=None, outer_folds=found, baseline=guess)
    said = verdict(quality=describe_quality(assessment, "regression", "concordance"))
    assert said["good"] == (
        "Of 100 pairs of new rows it predicts for about 74 which event comes first; one curve for all rows "
        "(Kaplan-Meier) gets 50."
    )
    assert said["sure"].endswith(": probably 65 to 84 of 100 pairs right.")


def test_what_was_not_measured_is_not_judged():
    bare = describe_quality(None, "classification")
    assert saved_share({**SOUND, "quality": bare}) is None
    found = verdict(quality=bare, doubts=[doubt("not-measured", 4)])
    assert (found["level"], found["todo"]) == (2, "Mend not-measured.")
    assert (found["good"], found["sure"]) == (
        "How good it is on new rows was not measured.",
        "No row was left out of the fit, so nothing is known about new rows.",
    )


@pytest.mark.parametrize(("spread", "doubted"), [(0.401, True), (0.399, False)])
def test_r_squared_tells_a_gain_that_two_rmses_do_not(spread, doubted):
    found = NotBetter().look(ModelEvidence({"quality": numbers(rmse=4.0, deviation=3.0, spread=spread)}))
    assert (found is not None) == doubted


def test_every_level_has_a_rule_and_words():
    assert {rule.level for rule in VERDICTS} == set(VerdictLevel)
    assert len({level.words for level in VerdictLevel}) == len(VerdictLevel)


def test_facts_begin_with_the_verdict():
    X, _ = sparse_inputs(80, n_features=3, random_state=0)
    found = facts.gather(LSSVR().fit(X, X[:, 0]), X, X[:, 0], facts.GatherOptions(pictures=False))
    assert next(iter(found)) == "verdict"
    assert found["verdict"]["level"] in set(VerdictLevel)
    assert found["learning"]["rows"] == 80
