"""Doubts about a table itself: each appears where it should, and not just beside it."""

import numpy as np
import pandas as pd
import pytest

from kernelect.facts.doubts import doubts_of, examine, what_was_checked
from kernelect.numerics import Deadline
from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table
from kernelect.tabular.evidence import TableEvidence
from kernelect.tabular.rules.subjects import grouping_columns


def codes(frame, target="y", **how):
    schema, rows, _ = describe_table(frame, target, **how)
    return {doubt["code"]: doubt for doubt in doubts_of(examine(TableEvidence(rows, schema)))}


def groups_in(frame):
    schema, rows, _ = describe_table(frame, "y")
    return list(grouping_columns(rows, schema))


@pytest.fixture
def rng():
    return np.random.default_rng(3)


@pytest.fixture
def plain(rng):
    return pd.DataFrame({"a": rng.normal(size=120), "b": rng.normal(size=120), "y": rng.normal(size=120)})


def test_an_ordinary_table_raises_none(plain):
    assert codes(plain) == {}
    assert codes(plain.assign(y=np.where(plain["y"] + plain["a"] > 0, "up", "down"))) == {}


def test_copies(plain):
    assert "6 rows of 126 are copies" not in str(codes(pd.concat([plain, plain[:6]])))
    assert codes(pd.concat([plain, plain[:12]]))["copies"]["sentence"].startswith("12 rows of 132 are copies")


def test_replicates_raise_no_doubt(plain):
    assert codes(pd.concat([plain, plain[:12].assign(y=9.0)])) == {}


def test_no_doubt_advises_to_remove_rows(plain):
    doubt = codes(pd.concat([plain, plain[:12]]))["copies"]
    assert "remove" not in doubt["sentence"] + doubt["advice"]


@pytest.mark.parametrize("labels", ["numbers", "texts"])
@pytest.mark.parametrize("shape", ["blocks", "even", "constant within"])
def test_repeated_subjects(rng, labels, shape):
    subject = np.repeat(np.arange(15), 8) if shape != "constant within" else np.sort(rng.integers(0, 15, 120))
    order = np.arange(120) if shape == "blocks" else rng.permutation(120)
    height = np.round(rng.normal(size=15), 1)[subject] if shape == "constant within" else rng.normal(size=120)
    names = rng.permutation(np.arange(300, 400))[:15][subject]
    frame = pd.DataFrame(
        {
            "who": names if labels == "numbers" else [f"s{name}" for name in names],
            "height": height,
            "y": rng.normal(size=15)[subject] + 0.5 * rng.normal(size=120),
        }
    ).iloc[order]
    assert [(name, found["groups"]) for name, found in groups_in(frame)] == [("who", 15)]


def test_amounts_and_ordinary_categories_are_no_subjects(rng):
    """Ages with age groups, a category of uneven sizes that matters, and a design whose blocks do not matter."""
    age = rng.integers(20, 70, 200)
    aged = pd.DataFrame({"age": age, "decade": age // 10, "y": 0.1 * age + rng.normal(size=200)})
    assert groups_in(aged) == []
    job = rng.choice(12, 200, p=np.arange(1, 13) / 78.0)
    jobs = pd.DataFrame({"job": [f"j{j}" for j in job], "x": rng.normal(size=200), "y": job + rng.normal(size=200)})
    assert groups_in(jobs) == []
    pads = np.tile(np.repeat(np.arange(10), 10), 4)  # a factor of a design, in blocks and equally often
    design = pd.DataFrame(
        {"pad": [f"p{p}" for p in pads], "x": rng.normal(size=400), "y": pads % 3 + rng.normal(size=400)}
    )
    assert groups_in(design) == []
    blocks = pd.DataFrame(
        {"block": np.repeat(list("abcdefgh"), 20), "x": rng.normal(size=160), "y": rng.normal(size=160)}
    )
    assert groups_in(blocks) == []


@pytest.mark.parametrize("matters", [False, True])
def test_a_doubt_about_subjects_is_about_those_whose_rows_predict_each_other(rng, matters):
    """The makers of cars: their prices differ, and what is known of a car says all of it, or else its maker helps."""
    maker = np.repeat(np.arange(15), 8)
    level = rng.normal(size=15)[maker]
    power = level + 0.3 * rng.normal(size=120) if not matters else rng.normal(size=120)
    y = (power if not matters else level) + 0.1 * rng.normal(size=120)
    frame = pd.DataFrame({"maker": [f"m{k}" for k in maker], "power": power, "y": y})
    assert len(groups_in(frame)) == 1
    schema, rows, _ = describe_table(frame, "y")
    doubts = fit_table(rows, schema, MachineOptions("lssvm"), FoldOptions(0)).facts["doubts"]
    found = next((doubt for doubt in doubts if doubt["code"] == "groups"), None)
    assert (found is not None) == matters
    if found is not None:
        assert "Rows with the same maker belong together (15 values, 8.0 rows each)" in found["sentence"]
        assert "--group 'maker'" in found["advice"]
        schema, rows, _ = describe_table(frame, "y", group="maker")
        named = fit_table(rows, schema, MachineOptions("lssvm"), FoldOptions(0))
        assert "groups" not in [doubt["code"] for doubt in named.facts["doubts"]]


def test_dates(plain):
    dated = plain.assign(seen=pd.date_range("2024-01-01", periods=120).strftime("%Y-%m-%d"))
    assert "--time 'seen'" in codes(dated)["dates"]["advice"]
    assert "--time 'seen'" in codes(dated, keep=["seen"])["dates"]["advice"]  # a trend, which is worse
    assert "dates" not in codes(dated, time="seen")


def test_a_column_that_gives_the_target_away(plain, rng):
    leaked = plain.assign(later=2.0 * plain["y"] + 0.01 * rng.normal(size=120))
    assert codes(leaked)["giveaway"]["sentence"].startswith("Column later alone predicts the target almost without")
    assert "giveaway" not in codes(plain.assign(good=plain["y"] + 0.3 * rng.normal(size=120)))
    labels = np.where(plain["y"] > 0, "ill", "well")
    told = plain.assign(y=labels, treated=np.where(labels == "ill", "drug", "none"))
    assert "--drop 'treated'" in codes(told)["giveaway"]["advice"]


def test_trees_on_single_columns_are_tried_as_long_as_there_is_time_and_lines_always(plain):
    told = np.round(np.tile(np.linspace(-1.0, 1.0, 61), 5), 3)
    told = np.concatenate([told, told + 1e-4])  # neither a line nor a list of values: no value has five rows
    told = told + 1e-6 * np.arange(len(told))
    by_a_tree = pd.DataFrame({"a": told[::-1] ** 3 % 0.1, "told": told, "y": np.where(abs(told) < 0.5, "in", "out")})
    by_a_line = plain.assign(told=2.0 * plain["y"])
    assert "giveaway" in codes(by_a_tree)
    with Deadline.after(0.0).watched(firmly=False):
        assert "giveaway" in codes(by_a_line)
        assert codes(by_a_tree) == {}
        assert obstacle(by_a_tree, "giveaway").why == "time was up after 0 of 2 columns"


def obstacle(frame, code):
    schema, rows, _ = describe_table(frame, "y")
    return next(check.obstacle for check in examine(TableEvidence(rows, schema)) if check.rule.name == code)


def test_a_table_too_small_to_look_for_leaks_is_not_called_checked(plain):
    """46 rows with a column that tells the target: nothing can be found, and nothing is claimed."""
    leaked = plain.assign(told=2.0 * plain["y"])
    assert "giveaway" in codes(leaked[:50])
    assert obstacle(leaked[:49], "giveaway").why == "this takes at least 50 rows"
    schema, rows, _ = describe_table(leaked[:46], "y")
    model = fit_table(rows, schema, MachineOptions("lssvm", kernel="linear"), FoldOptions(0))
    checked, not_checked = what_was_checked(model.facts).split("Not checked:")
    assert "columns that tell the target" not in checked
    assert "columns that tell the target (this takes at least 50 rows)" in not_checked


def test_leaks_are_looked_for_in_some_rows_of_many_and_not_among_too_many_columns(rng):
    frame = pd.DataFrame({"a": rng.normal(size=6000), "y": rng.normal(size=6000)})
    assert "giveaway" in codes(frame.assign(told=2.0 * frame["y"]))
    wide = pd.DataFrame(rng.normal(size=(60, 302)), columns=[f"c{j}" for j in range(301)] + ["y"])
    assert obstacle(wide, "giveaway").why == "there are more than 300 columns"
    assert obstacle(wide.drop(columns="c0"), "giveaway") is None


def test_a_list_of_values_that_tells_the_class(rng):
    """The type of a place tells its category; no tree with leaves of five rows has a leaf for each of 40 types."""
    kinds = rng.integers(0, 40, 600)
    of_kind = rng.permutation(np.repeat(["in", "out", "other", "none"], 10))
    frame = pd.DataFrame({"x": rng.normal(size=600), "location_type": [f"t{k}" for k in kinds], "y": of_kind[kinds]})
    assert "Column location_type alone" in codes(frame)["giveaway"]["sentence"]
    often_otherwise = frame["y"].where(rng.random(600) > 0.1, "other")
    assert not {"giveaway", "together"} & set(codes(frame.assign(y=often_otherwise)))


def test_copies_of_rows_are_no_list_of_values(plain):
    labels = np.where(plain["b"] > 0, "ill", "well")
    copied = pd.concat([plain.assign(y=labels, a=np.round(plain["a"], 9))] * 6)
    assert "giveaway" not in codes(copied.drop(columns="b"))


@pytest.fixture
def ranges(rng):
    """Lower and upper ends of which neither tells the middle."""
    middle, width = rng.normal(size=300), rng.gamma(2.0, size=300)
    return pd.DataFrame({"x": rng.normal(size=300), "lower": middle - width, "upper": middle + width, "y": middle})


def test_ends_of_a_range_tell_its_middle(ranges, rng):
    doubt = codes(ranges)["together"]
    assert doubt["sentence"].startswith("Columns lower and upper together predict the target almost without error")
    assert "0.500 \N{MULTIPLICATION SIGN} lower + 0.500 \N{MULTIPLICATION SIGN} upper" in doubt["sentence"]
    assert "--drop 'lower,upper'" in doubt["advice"]
    nearly = ranges["y"] + 0.05 * rng.normal(size=300)
    assert "together" in codes(ranges.assign(y=nearly))
    assert codes(ranges.assign(y=ranges["y"] + 0.1 * rng.normal(size=300))) == {}  # 1 % is left: a good model


def test_a_product_a_sum_of_several_and_a_table_of_two_tell_the_target(rng):
    a, b, c, d = np.exp(rng.normal(size=(4, 400)))
    numbers = pd.DataFrame({"a": a, "b": b, "c": c, "d": d})
    assert "(y goes with a \N{MULTIPLICATION SIGN} b^" in codes(numbers.assign(y=a / b))["together"]["sentence"]
    total = codes(numbers.assign(y=a + b + c))["together"]
    assert total["figures"]["columns"] == ["a", "b", "c"]
    assert "(y goes with a + b + c)" in total["sentence"]
    assert codes(numbers.assign(y=a + b + c + 0.1 * rng.normal(size=400))) == {}
    i, j = rng.integers(0, 5, (2, 400))
    prices = rng.normal(size=(5, 5))[i, j]
    listed = pd.DataFrame({"size": [f"s{k}" for k in i], "make": [f"m{k}" for k in j], "x": c, "y": prices})
    assert codes(listed)["together"]["figures"]["columns"] == ["size", "make"]
    assert "together" not in codes(listed.assign(y=prices + 0.2 * rng.normal(size=400)))


def test_a_difference_of_two_columns_tells_the_class(rng):
    frame = pd.DataFrame(rng.normal(size=(600, 4)), columns=list("abcd"))
    won = frame.assign(y=np.where(frame["c"] > frame["b"], "home", "away"))
    assert codes(won)["together"]["figures"]["columns"] == ["b", "c"]
    noisy = frame["c"] - frame["b"] + 0.1 * rng.normal(size=600) > 0
    assert "together" not in codes(frame.assign(y=np.where(noisy, "home", "away")))


def test_a_column_that_tells_the_target_alone_is_not_told_again(plain, rng):
    told = pd.concat([plain, plain + 0.1]).assign(z=rng.normal(size=240))
    assert set(codes(told.assign(later=2.0 * told["y"] + 0.1 * rng.normal(size=240)))) == {"giveaway"}


def test_pairs_that_were_not_tried_are_not_called_checked(plain, rng):
    labels = pd.DataFrame(rng.normal(size=(120, 50))).add_prefix("c").assign(y=np.where(plain["y"] > 0, "u", "d"))
    assert obstacle(labels, "together").why == "1000 of 1225 pairs of columns were tried"
    assert obstacle(plain[:99], "together").why == "this takes at least 100 rows"
    with Deadline.after(0.0).watched(firmly=False):
        assert obstacle(labels, "together").why == "0 of 1225 pairs of columns were tried"
