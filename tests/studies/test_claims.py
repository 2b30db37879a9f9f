"""The paper's sentences beside what was found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kernelect.exceptions import InvalidArgument
from kernelect.studies import parse_study, read_study
from kernelect.studies.cells import DONE, Key, Outcome
from kernelect.studies.claims import claims_table
from studies.conftest import TEXT

CLAIM = """
[[claims]]
says = "ours against theirs"
first = "ours"
second = "theirs"
better = ["twonorm", "ringnorm"]
"""


def cell(dataset, method, split, error):
    key = Key(dataset, method, split)
    return Outcome(key=key, state=DONE, message="", figures={"error": error}, seconds=0.1, seed=0, environment={})


def cells(**errors):
    """Two splits of each: {dataset: (errors of ours, errors of theirs)}."""
    return [
        cell(dataset, method, split, error)
        for dataset, pair in errors.items()
        for method, values in zip(("ours", "theirs"), pair, strict=True)
        for split, error in enumerate(values)
    ]


@pytest.fixture
def study():
    return parse_study(TEXT + CLAIM)


def test_said_and_found_stand_side_by_side(study):
    found = cells(
        twonorm=([1.0, 1.2], [4.0, 4.2]), ringnorm=([3.0, 5.0], [3.5, 4.5]), waveform=([9.0, 9.2], [6.0, 6.2])
    )
    (table,) = claims_table(study, found)
    ((says, said, own, better, said_worse, own_worse, worse, agree, p),) = table.rows
    assert says.text == "ours against theirs"
    assert (said.text, said_worse.text) == ("twonorm, ringnorm", "none")
    # means 1.1 and 4.1, standard errors 0.1: z = -3 / sqrt(0.02)
    assert better.text == "twonorm (\N{MINUS SIGN}21.2)"
    assert worse.text == "waveform (+21.2)"
    assert agree.text == "1 of 3"
    assert own.text == own_worse.text == "none"  # only one of the methods has a published column
    assert float(p.text) > 0.05


def test_the_paper_is_held_against_its_own_table(study):
    published = {"error": {"column": {"twonorm": (5.0, 0.3)}, "theirs": {"twonorm": (6.0, 0.4)}}}
    (table,) = claims_table(replace(study, published=published), cells(twonorm=([1.0, 1.2], [1.0, 1.2])))
    row = table.rows[0]
    assert row[2].text == "twonorm (\N{MINUS SIGN}2.0)"  # -1 / 0.5
    assert (row[3].text, row[7].text) == ("none", "0 of 1")


def test_data_sets_with_one_split_are_left_out_and_nothing_is_no_table(study):
    single = [cell("twonorm", "ours", 0, 1.0), cell("twonorm", "theirs", 0, 2.0)]
    assert claims_table(study, single) == []
    assert claims_table(replace(study, claims=()), cells(twonorm=([1.0, 1.2], [4.0, 4.2]))) == []


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('second = "theirs"', 'second = "theirz"', "a method of the claim 'ours against theirs'"),
        ('"ringnorm"]', '"ringnrm"]', "a data set of the claim"),
        ("[[claims]]", "[claims]", r"must be a list: write each claim below \[\[claims\]\]"),
    ],
)
def test_a_claim_of_what_is_not_there_is_refused(before, after, words):
    with pytest.raises(InvalidArgument, match=words):
        parse_study(TEXT + CLAIM.replace(before, after))


def test_the_sentences_of_cawley_and_talbot_follow_from_their_own_table():
    """With their standard errors each sentence is right, but for what the test lists."""
    study = read_study("cawley2007")
    wrong = {}
    for claim in study.claims:
        first, second = (study.published["error"][study.methods[m].published] for m in (claim.first, claim.second))
        for name in study.datasets:
            (a, ea), (b, eb) = first[name], second[name]
            z = (a - b) / (ea**2 + eb**2) ** 0.5
            said = (name in claim.worse) - (name in claim.better)
            if said != (abs(z) > 1.64) * (1 if z > 0 else -1):
                wrong[claim.says, name] = round(z, 2)
    assert wrong == {}


def test_a_quick_version_makes_no_claims():
    assert read_study("cawley2007", quick=True).claims == ()
