"""Tables as people have them: the claimed score is that of new rows, or a doubt says why not.

Four defects that real tables have. New rows are drawn by the same recipe as the table, except for what the defect is:
other rows than the copied ones, other subjects, later days, other row numbers.
"""

import io
import json

import numpy as np
import pandas as pd
from rich.console import Console

from kernelect.cli._show import print_facts
from kernelect.cli.fit import write_report_for
from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table

N_NEW = 1000


def fitted(frame, target, **how):
    schema, rows, remarks = describe_table(frame, target, **how)
    options = MachineOptions("lssvm", kernel="rbf")
    return fit_table(rows, schema, options, FoldOptions(folds=4), remarks=tuple(remarks)), rows


def claimed(model):
    """The first score of the estimate that is shown."""
    quality = model.facts["quality"]
    estimate = next(one for one in quality["estimates"] if one["role"] == quality["shown"])
    return estimate["scores"][0]


def on_new_rows(model, frame):
    prediction = model.predict(model.schema.inputs(frame))
    truth = frame[model.schema.target].to_numpy()
    if model.schema.classes is None:
        return float(np.sqrt(np.mean((truth - prediction) ** 2)))
    return float(np.mean(truth != prediction))


def assert_holds(model, new):
    score = claimed(model)
    assert abs(on_new_rows(model, new) - score["value"]) < 2.0 * score["standard_error"]


def shown(model, rows, tmp_path):
    """What terminal, JSON and page say."""
    console = Console(file=io.StringIO(), width=400)
    print_facts(console, model.facts)
    page = tmp_path / "report.html"
    write_report_for(model, rows, page)
    return console.file.getvalue(), json.dumps(model.facts), page.read_text()


def noise(n, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    return frame.assign(y=rng.choice(["u", "v", "w"], n))


def test_three_copies_of_noise():
    table = pd.concat([noise(70, 0)] * 3, ignore_index=True).sample(frac=1.0, random_state=0, ignore_index=True)
    model, _ = fitted(table, "y")
    assert on_new_rows(model, noise(N_NEW, 1)) > 0.5
    assert_holds(model, noise(N_NEW, 1))
    left_out = model.assessment.leave_one_out.score("error")
    assert left_out.value > 0.5
    assert "copies" in [doubt["code"] for doubt in model.facts["doubts"]]


def sleep(n_subjects, seed):
    """Reaction times of subjects in ten nights, as in the sleep study of Belenky et al. (2003)."""
    rng = np.random.default_rng(seed)
    who, night = np.repeat(np.arange(n_subjects), 10), np.tile(np.arange(10.0), n_subjects)
    level, slope = 250.0 + 40.0 * rng.normal(size=n_subjects), 10.0 + 6.0 * rng.normal(size=n_subjects)
    names = rng.permutation(np.arange(300, 300 + 5 * n_subjects))[:n_subjects]
    reaction = level[who] + slope[who] * night + 20.0 * rng.normal(size=10 * n_subjects)
    return pd.DataFrame({"Reaction": reaction, "Days": night, "Subject": names[who]})


def test_subjects_that_come_back(tmp_path):
    table, new = sleep(18, 0), sleep(100, 1)
    model, rows = fitted(table, "Reaction", keep=["Subject"])
    score = claimed(model)
    assert on_new_rows(model, new) - score["value"] > 2.0 * score["standard_error"]
    doubt = next(doubt for doubt in model.facts["doubts"] if doubt["code"] == "groups")
    for words in shown(model, rows, tmp_path):
        assert doubt["sentence"][:40] in words
    model, _ = fitted(table, "Reaction")
    assert model.facts["data"]["words"].endswith("18 groups (Subject)")
    assert_holds(model, new)
    assert claimed(model)["standard_error"] > 2.0 * score["standard_error"]


def weather(first, n, seed):
    """Rain that lasts for weeks whatever the wind is, with a temperature that tells the season of one year."""
    rng = np.random.default_rng(seed)
    spells = np.repeat(rng.normal(size=n // 20 + 1), 20)[:n]
    day = first + np.arange(n)
    return pd.DataFrame(
        {
            "day": (pd.Timestamp("2020-01-01") + pd.to_timedelta(day, unit="D")).strftime("%Y-%m-%d"),
            "wind": rng.normal(size=n),
            "sun": 0.01 * day + 0.1 * rng.normal(size=n),
            "rain": np.where(spells + 0.5 * rng.normal(size=n) > 0, "yes", "no"),
        }
    )


def test_days_in_a_row(tmp_path):
    table = weather(0, 300, 0)
    later = pd.concat([weather(300 + 300 * k, 300, 1 + k) for k in range(4)], ignore_index=True)
    model, rows = fitted(table, "rain")
    score = claimed(model)
    assert on_new_rows(model, later) - score["value"] > 2.0 * score["standard_error"]
    codes = [doubt["code"] for doubt in model.facts["doubts"]]
    assert {"dates", "order"} <= set(codes)
    doubt = next(doubt for doubt in model.facts["doubts"] if doubt["code"] == "order")
    for words in shown(model, rows, tmp_path):
        assert doubt["sentence"][:40] in words
    model, _ = fitted(table, "rain", time="day")
    assert model.assessment.leave_one_out is None
    assert_holds(model, later)


def births(n, seed):
    """Births listed by weight class and then numbered, before the table was shuffled."""
    rng = np.random.default_rng(seed)
    weight = rng.normal(size=n)
    frame = pd.DataFrame({"age": rng.integers(15, 40, n), "smoke": rng.integers(0, 2, n)})
    low = np.where(weight - 0.5 * frame["smoke"] < -0.6, "low", "normal")
    order = np.argsort(np.argsort(low, kind="stable"))
    return frame.assign(rownames=4 + order + order // 5, low=low).sample(frac=1.0, random_state=0, ignore_index=True)


def test_shuffled_row_numbers():
    model, _ = fitted(births(190, 0), "low")
    assert [column.name for column in model.schema.columns] == ["age", "smoke"]
    assert_holds(model, births(N_NEW, 1))
    kept, _ = fitted(births(190, 0), "low", keep=["rownames"])
    assert claimed(kept)["value"] < 0.05
    assert "giveaway" in [doubt["code"] for doubt in kept.facts["doubts"]]
