import numpy as np
import pandas as pd
import pytest

from kernelect.facts import gather_for_page
from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table, load_model, save_model


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(90, 2)), columns=["strong", "noise"])
    frame["word"] = rng.choice(["a", "b"], 90)
    frame["y"] = 2.0 * frame["strong"] + (frame["word"] == "a") + 0.1 * rng.normal(size=90)
    schema, rows, _ = describe_table(frame, "y")
    return fit_table(rows, schema, MachineOptions(machine="lssvm"), FoldOptions(3)), rows


def test_columns_that_matter_cost_most_when_shuffled(fitted):
    model, rows = fitted
    found = model.assessment.held_out
    assert found.names[0] == "strong"
    assert set(found.names) == {"strong", "noise", "word"}
    assert found.score == "R²"
    assert found.n_rows == len(rows.y)
    by_name = dict(zip(found.names, zip(found.rise, found.standard_error, strict=True), strict=True))
    assert by_name["strong"][0] > 10 * by_name["strong"][1] / 2
    assert abs(by_name["noise"][0]) < 0.02
    assert by_name["word"][0] > 2 * by_name["word"][1]
    assert [one["name"] for one in model.facts["relevance"]["held_out"]] == list(found.names)


def test_the_first_picture_of_what_matters_is_that_of_rows_held_out(fitted):
    model, rows = fitted
    pictures = gather_for_page(model, rows.X, rows.y, assessment=model.assessment)["pictures"]
    first = next(picture for picture in pictures if picture["section"] == "matters")
    assert first["kind"] == "held out"
    assert "2 of 3 columns clearly matter" in first["caption"]


def test_it_is_kept_with_the_model(fitted, tmp_path):
    save_model(fitted[0], tmp_path / "model.kernelect")
    loaded, _ = load_model(tmp_path / "model.kernelect")
    np.testing.assert_array_equal(loaded.assessment.held_out.rise, fitted[0].assessment.held_out.rise)
