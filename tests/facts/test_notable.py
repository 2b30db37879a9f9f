from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from kernelect import LSSVR, KernelClassifier
from kernelect.exceptions import InvalidArgument
from kernelect.explain import shapley_values
from kernelect.facts import gather_for_page
from kernelect.facts.cells import cell_words, columns_of_years
from kernelect.facts.explained import ExplainedRows, strongest_pairs
from kernelect.facts.explanations import Interactions
from kernelect.facts.held_out import HeldOutRelevance
from kernelect.facts.numbers import trimmed
from kernelect.kernels import ARD


@pytest.fixture(scope="module")
def pair():
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=["a", "b", "c"])
    y = (X["a"] * X["b"] + 0.2 * X["c"]).to_numpy(copy=True)
    y[17] += 6.0
    return LSSVR(ARD([0.5, 0.5, 0.1]), regularization=0.05).fit(X, y), X, y


def test_the_strongest_pair_is_found(pair):
    model, X, _ = pair
    explanation = shapley_values(model, X, interactions=True)
    record = Interactions.of(explanation)
    assert record.pairs[0] == "a & b"
    assert record.strength[0] == pytest.approx(2.0 * np.abs(explanation.interactions[:, 0, 1]).mean())
    each = 2.0 * np.abs(explanation.interactions[:, 0, 1])
    assert record.standard_error[0] == pytest.approx(each.std(ddof=1) / np.sqrt(len(each)))
    assert record.leader in (0, 1)
    assert Interactions.of(explanation, among={"a", "c"}).pairs == ("a & c",)
    with pytest.raises(InvalidArgument, match="explanation has no interactions"):
        Interactions.of(shapley_values(model, X))


def test_the_largest_miss_is_listed_first_and_explained(pair):
    model, X, y = pair
    shown = gather_for_page(model, X, y)
    worst = shown["worst_rows"][0]
    assert worst["row"] == 18
    assert float(worst["miss"]) == pytest.approx(y[17] - model.loo_prediction_[17], rel=1e-3)
    assert worst["reasons"].count(" = ") == 3
    falls = [picture for picture in shown["pictures"] if picture["kind"] == "waterfall"]
    assert falls[0]["title"] == "Row 18: far above its prediction"
    record = falls[0]["record"]
    assert record["base"] + sum(record["values"]) == pytest.approx(record["total"], rel=1e-4)
    assert record["total"] == pytest.approx(model.predict(X.iloc[[17]])[0], rel=1e-4)
    ends = f"{trimmed(record['base'], 4)}, to {trimmed(record['total'], 4)}, that of this row in the final model"
    assert ends in falls[0]["caption"]
    assert len({picture["title"].split(":")[0] for picture in falls}) == len(falls)


def test_columns_that_do_not_help_are_in_no_pair(pair):
    model, X, _ = pair
    found = shapley_values(model, X, interactions=True)
    rows = ExplainedRows(found, np.arange(len(X)), found)

    def held_out(*rises):
        return HeldOutRelevance(
            names=("a", "b", "c"),
            rise=np.array(rises),
            standard_error=np.full(3, 0.1),
            score="R²",
            n_rows=80,
        )

    assert len(next(strongest_pairs(rows)).pairs) == 3
    assert next(strongest_pairs(rows, held_out(0.3, 0.09, 0.11))).pairs == ("a & c",)
    assert list(strongest_pairs(rows, held_out(0.3, 0.09, 0.09))) == []
    broken = replace(found, feature_names=("a\nb", "b", "c"))  # pages write it in one line
    relevance = replace(held_out(0.3, 0.3, 0.09), names=("a b", "b", "c"))
    assert next(strongest_pairs(replace(rows, pairs=broken), relevance)).pairs == ("a b & b",)


def test_rows_have_the_numbers_of_their_table(pair):
    model, X, y = pair
    shown = gather_for_page(model, X, y, places=np.arange(80) + 5)
    assert shown["worst_rows"][0]["row"] == 23
    titles = [picture["title"] for picture in shown["pictures"] if picture["kind"] == "waterfall"]
    assert titles[0] == "Row 23: far above its prediction"
    plain = gather_for_page(model, X, y)["what_if"]["row_names"]
    first, moved = (int(names[0].split()[1]) for names in (plain, shown["what_if"]["row_names"]))
    assert moved == first + 5


def test_only_wrong_classes_are_misses():
    rng = np.random.default_rng(6)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    y = np.where(X["a"] > 0, "yes", "no")
    y[3] = "no" if y[3] == "yes" else "yes"
    model = KernelClassifier(effort="fast", random_state=0).fit(X, y)
    shown = gather_for_page(model, X, y)
    assert all(row["observed"] != row["predicted"] for row in shown["worst_rows"])
    assert shown["worst_rows"][0]["row"] == 4
    titles = [picture["title"] for picture in shown["pictures"] if picture["kind"] == "waterfall"]
    assert titles[0] == "Row 4: the largest surprise"
    assert shown["threshold"] is None  # leave-one-out does not rank rows alike


def test_dates_are_told_as_dates():
    assert cell_words(18262.0, "date") == "2020-01-01"
    assert cell_words(18262.0) == "18\u202f262"
    assert cell_words(None, "date") == "(missing)"
    assert cell_words(1e12, "date") == "1.000e+12"  # no such day


def test_years_are_told_by_their_column():
    frame = pd.DataFrame(
        {"built": [1990.0, None, 2017.0], "area": [990.0, 2010.0, 2017.0], "street": ["a", "b", "2017"]}
    )
    assert columns_of_years(frame) == {"built"}
    assert cell_words(2017.0, "year") == "2017"
    assert cell_words(2017.0) == "2\u202f017"
