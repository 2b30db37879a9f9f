"""Facts of mixtures: candidates, weights, and what the best one alone would lose."""

import math
from copy import copy
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from kernelect import LSSVC, KernelClassifier, KernelRegressor
from kernelect.exceptions import MissingCapability
from kernelect.facts import Facts, GatherOptions, Sizes, Surface, Weights, gather, with_error
from kernelect.facts.doubts import Severity, what_was_checked
from kernelect.facts.mixtures import _loss, describe_mixture
from kernelect.facts.numbers import NOT_KNOWN
from kernelect.results import Status


def frame(n=70, seed=5):
    """A table with numbers, a category, dates over two years and missing cells."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.normal(50.0, 9.0, size=n),
            "ward": rng.choice(["north", "south"], size=n),
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 700, size=n), unit="D"),
        }
    )
    value = 0.1 * X["age"] + 2.0 * (X["ward"] == "north") + 0.3 * rng.normal(size=n)
    X.loc[::9, "age"] = np.nan
    return X, value.to_numpy(), np.where(value > np.median(value), "yes", "no")


@pytest.fixture(scope="module")
def classifier():
    X, _, label = frame()
    return KernelClassifier("fast", random_state=0).fit(X, label)


@pytest.fixture(scope="module")
def facts(classifier):
    X, _, label = frame()
    return gather(classifier, X, label, GatherOptions(title="t.csv", target="sick"))


def test_the_candidates_are_those_of_the_mixture(classifier, facts):
    shown, found = facts["mixture"]["candidates"], classifier.candidates_.to_frame()
    assert len(shown) == len(found) == 5
    names = [classifier.candidates_.candidate[place].words for place in classifier.candidates_.order()]
    assert [one["name"] for one in shown] == names
    for one, (_, row) in zip(shown, found.iterrows(), strict=True):
        assert (one["view"], one["kernel"], one["machine"], one["status"]) == (
            row["view"],
            row["kernel"],
            row["machine"],
            row["status"],
        )
        for key in ("score", "standard_error", "weight", "seconds"):
            assert one[key] == pytest.approx(row[key], rel=1e-5)
        assert one["words"] == with_error(row["score"], row["standard_error"])
    weights = [one["weight"] for one in shown]
    assert weights == sorted(weights, reverse=True)
    assert sum(weights) == pytest.approx(1.0, abs=1e-5)
    assert facts["mixture"]["effort"] == "fast"


def test_the_facts_have_the_usual_parts_and_one_more(facts):
    assert set(facts) == set(Facts.__annotations__) - {"decision", "peers"}  # of tables alone
    assert facts["data"]["words"] == "70 rows, 3 columns (7 inputs after coding), 2 classes, 8 missing cells"
    machine = facts["machine"]
    heaviest = facts["mixture"]["candidates"][0]
    assert machine["sentence"] == (
        "A mixture of kernel classifiers: 5 candidates, weighted by their leave-one-out log-loss; the heaviest "
        f"({heaviest['name']}) has {heaviest['weight_words']} of the weight."
    )
    assert machine["status"] == "fitted all candidates"
    assert machine["seconds"] == facts["seconds"] > 0.0
    assert "the end of the search," in what_was_checked(facts)


def test_how_a_search_ended_names_inputs_and_not_their_numbers(classifier):
    label, other = frame()[2], copy(classifier)
    names = classifier.coding.names
    place = names.index("seen (weekday)")
    status = (f"at the bound of the search: gamma[{place}]",) * len(classifier.candidates_)
    other.candidates_ = replace(classifier.candidates_, status=status)
    found = describe_mixture(other, label)["candidates"][0]
    assert found["status"] == "at the bound of the search: gamma of seen (weekday)"


def slow_loss(mixture, ours, loss, weights):
    """Return mean paired loss of the best member minus the mixture's, and its error, by loops."""
    total = sum(weights)
    means = [sum(w * loss(i, member.left_out[i]) for i, w in enumerate(weights)) / total for member in mixture.members]
    best = mixture.members[means.index(min(means))]
    paired = [loss(i, best.left_out[i]) - loss(i, ours[i]) for i in range(len(weights))]
    mean = sum(w * each for w, each in zip(weights, paired, strict=True)) / total
    spread = sum((w * (each - mean)) ** 2 for w, each in zip(weights, paired, strict=True))
    return best.candidate.words, mean, math.sqrt(spread) / total


def test_what_the_best_candidate_would_lose_is_paired_row_by_row(classifier, facts):
    label = frame()[2]
    places = [list(classifier.classes_).index(each) for each in label]
    expected = slow_loss(
        classifier, classifier.loo_proba_, lambda i, row: -math.log(row[places[i]]), [1.0] * len(label)
    )
    found = facts["mixture"]["loss"]
    assert found["best"] == expected[0]
    assert (found["value"], found["standard_error"]) == pytest.approx(expected[1:], rel=1e-4)


def test_rows_count_by_their_weights():
    X, value, _ = frame()
    weights = np.linspace(0.2, 1.8, len(value))
    model = KernelRegressor("fast", random_state=0).fit(X, value, sample_weight=weights)
    found = describe_mixture(model, value, weights)
    variance = float(np.var(value))
    expected = slow_loss(
        model, model.loo_prediction_, lambda i, said: (value[i] - float(np.ravel(said)[0])) ** 2 / variance, weights
    )
    assert found["score"] == "unexplained variance"
    assert found["loss"]["best"] == expected[0]
    assert (found["loss"]["value"], found["loss"]["standard_error"]) == pytest.approx(expected[1:], rel=1e-9)
    plain = describe_mixture(model, value)
    assert plain["loss"]["value"] != pytest.approx(expected[1], rel=1e-6)


@pytest.mark.parametrize(
    ("right", "words"),
    [(0.9999, "the candidate alone is worse by 0."), (0.1, "on these rows, the candidate alone does as well")],
)
def test_the_sentence_says_whether_the_best_candidate_would_lose_anything(classifier, right, words):
    label, record = frame()[2], classifier.model_
    truth = label[:, None] == classifier.classes_
    training = replace(record.training, left_out=np.where(truth, right, 1.0 - right))
    other = classifier.with_model(replace(record, training=training))
    found = describe_mixture(other, label)["loss"]
    assert (found["value"] > 0) == (right > 0.5)
    assert words in found["sentence"]
    assert f"({found['best']})" in found["sentence"]


def test_a_single_candidate_is_not_said_to_share_the_weight(classifier):
    losses = np.full(70, 0.5)
    alone = SimpleNamespace(members=classifier.members[:1], left_out_losses=lambda y: (losses, [losses]))
    sentence = _loss(alone, np.zeros(70), "log-loss", None)["sentence"]
    name = classifier.members[0].candidate.words
    assert sentence == f"There is one candidate ({name}), with a leave-one-out log-loss of 0.500."


def test_quality_comes_from_rows_left_out_without_a_pooled_area(classifier, facts):
    label = frame()[2]
    estimate = next(one for one in facts["quality"]["estimates"] if one["role"] == "leave-one-out")
    scores = {one["name"]: one["value"] for one in estimate["scores"]}
    assert list(scores) == ["error", "log-loss", "Brier score"]
    wrong = classifier.classes_[classifier.loo_proba_.argmax(axis=1)] != label
    assert scores["error"] == pytest.approx(wrong.mean(), abs=1e-5)
    assert scores["log-loss"] == pytest.approx(facts["mixture"]["loss"]["mixture"], rel=1e-4)
    assert facts["calibration"] is not None


def test_relevance_is_that_of_the_columns(classifier, facts):
    shares = {one["name"]: one["share"] for one in facts["relevance"]["shares"]}
    expected = dict(zip(frame()[0].columns, classifier.feature_importances_, strict=True))
    assert shares == pytest.approx(expected, abs=1e-5)


def test_pictures_of_a_single_selection_are_left_out_and_weights_are_drawn(classifier, facts):
    kinds = [picture["kind"] for picture in facts["pictures"]]
    assert kinds[:7] == ["relevance", *["dependence"] * 3, "confusion", "recalls", "calibration"]
    assert not {"trace", "surface", "sizes"} & set(kinds)
    assert {"swarm", "waterfall", "vectors", "learning"} <= set(kinds)
    record = Weights.from_estimator(make_pipeline(classifier))
    assert facts["pictures"][kinds.index("weights")]["record"]["names"] == list(record.names)
    assert record.weight.sum() == pytest.approx(1.0)
    for show in (Sizes.from_estimator, Surface.from_estimator):
        with pytest.raises(MissingCapability, match="KernelClassifier mixes several machines, each with a selection"):
            show(classifier, *frame()[::2])
    with pytest.raises(MissingCapability, match="LSSVC is one machine and has no candidates"):
        Weights.from_estimator(LSSVC())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_candidates_without_time_are_told():
    X, _, label = frame()
    model = KernelClassifier("fast", random_state=0, time_limit=1e-9).fit(X, label)
    found = gather(model, X, label, GatherOptions(pictures=False))
    assert found["machine"]["status"] == "ran out of time after 1 of 5 candidates"
    last = found["mixture"]["candidates"][-1]
    assert (last["words"], last["weight_words"], last["score"]) == (NOT_KNOWN, NOT_KNOWN, None)
    assert last["status"] == "not fitted: no time was left"
    (doubt,) = [each for each in found["doubts"] if each["code"] == "not-all-tried"]
    assert doubt["sentence"] == "The time limit ended the fit before 4 of the 5 models to be mixed were tried."
    assert doubt["severity"] == Severity.DETAIL  # what is claimed was measured on this model
    assert not any(each["code"] == "not-converged" for each in found["doubts"])
    assert len(Weights.from_estimator(model).names) == 1


def test_a_candidate_that_left_with_another_one_was_tried():
    X, _, label = frame(40)
    model = KernelClassifier("fast", random_state=0).fit(X, label)
    model.time_limit, table = 100.0, model.candidates_
    gone = np.arange(len(table)) == len(table) - 1
    score, weight = np.where(gone, np.nan, table.score), np.where(gone, 0.0, table.weight)
    for tried, doubts in ((True, 0), (False, 1)):
        seconds = np.where(gone, 0.0, table.seconds)  # its own part of the race took no time
        model.candidates_ = replace(table, score=score, weight=weight, seconds=seconds, tried=~gone | tried)
        found = gather(model, X, label, GatherOptions(pictures=False))["doubts"]
        assert sum(each["code"] == "not-all-tried" for each in found) == doubts


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_machine_that_the_time_limit_ended_is_a_detail(monkeypatch):
    X, _, label = frame(40)
    model = KernelClassifier("fast", random_state=0).fit(X, label)
    leader = replace(model.members[0], outcome=Status.TIME_LIMIT, ending=Status.TIME_LIMIT.value)
    monkeypatch.setattr(model, "_members", (leader, *model.members[1:]))
    found = gather(model, X, label, GatherOptions(pictures=False))
    assert found["machine"]["status"].endswith("which stopped at the time limit with the best point so far")
    (doubt,) = [each for each in found["doubts"] if each["code"] in ("not-all-tried", "not-converged")]
    assert doubt["sentence"] == "The time limit ended the fit before it was tuned."
    assert doubt["severity"] == Severity.DETAIL


def test_advice_names_nothing_that_a_mixture_does_not_take():
    X, _, label = frame(12)
    model = KernelClassifier("fast", random_state=0).fit(X, label)
    found = gather(model, X, label, GatherOptions(pictures=False))
    codes = {doubt["code"]: doubt["advice"] for doubt in found["doubts"]}
    assert "few-per-input" in codes
    assert not any("kernel" in advice for advice in codes.values())
