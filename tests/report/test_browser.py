"""The page in a real browser: drawn, quiet, self-contained, light and dark, wide and narrow."""

import shutil

import numpy as np
import pandas as pd
import pytest

from kernelect.facts import gather_for_page
from kernelect.report import write_report
from kernelect.report.listing import tables_of
from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table
from kernelect.tabular.predict import survival_table
from oracles.hostile import LONG, MARKUP, hostile_model, hostile_table
from speeds import slowly

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="the browser test needs Playwright: pip install playwright"
    )
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("the browser test needs a browser: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory, hostile_facts):
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(path, hostile_facts)
    return path.as_uri()


class Visit:
    """An open page, with every request and complaint since it was opened."""

    def __init__(self, browser, address, **options):
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.goto(address)


@pytest.fixture(scope="module", params=["light", "dark"])
def scheme(request):
    return request.param


@pytest.fixture(scope="module", params=[1280, *slowly(380)])
def visit(browser, address, scheme, request):
    viewport = {"width": request.param, "height": 900}
    opened = Visit(browser, address, color_scheme=scheme, viewport=viewport)
    yield opened
    opened.context.close()


def test_every_picture_is_drawn_and_nothing_is_said_or_asked_for(visit, address, hostile_facts):
    visit.page.locator("details.experts").evaluate("one => { one.open = true; }")  # how it was found is folded away
    pictures = visit.page.locator("figure svg")
    assert pictures.count() == len(hostile_facts["pictures"])
    for index in range(pictures.count()):
        box = pictures.nth(index).bounding_box()
        assert box["width"] > 200
        assert box["height"] > 100
        shapes = (
            pictures.nth(index)
            .locator("path")
            .evaluate_all("paths => paths.filter(path => path.getBoundingClientRect().width > 0).length")
        )
        assert shapes > 3
        assert pictures.nth(index).locator("text").count() > 3
    assert visit.complaints == []
    assert [url for url in visit.requests if not url.startswith("data:")] == [address]


def test_the_page_does_not_scroll_sideways(visit):
    for details in visit.page.locator("details").all():
        details.evaluate("one => { one.open = true; }")
    wide, seen = visit.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert wide <= seen
    out = visit.page.locator("figure svg text").evaluate_all(
        "texts => texts.filter(text => text.getBoundingClientRect().right > window.innerWidth).map(t => t.textContent)"
    )
    assert out == []


def test_names_are_not_executed(visit):
    assert visit.page.title().startswith("</title><script>")
    assert visit.page.locator("img").count() == 0
    assert visit.page.locator("figure svg script").count() == 0


def test_colours_follow_the_reader(visit, scheme):
    page = visit.page
    background, ink, axis = page.evaluate(
        """() => [
          getComputedStyle(document.body).backgroundColor,
          getComputedStyle(document.querySelector("figure svg text")).fill,
          getComputedStyle(document.querySelector("h1")).color,
        ].map(colour => colour.match(/\\d+/g).slice(0, 3).map(Number).reduce((a, b) => a + b) / 3)"""
    )
    assert (background > 128) == (scheme == "light")
    assert abs(ink - background) > 100
    assert abs(axis - background) > 150


def test_a_table_is_copied_as_text_with_tabs(browser, address, hostile_facts):
    visit = Visit(browser, address, permissions=["clipboard-read", "clipboard-write"])
    page = visit.page
    page.locator('button[data-table="table-relevance"]').click()
    page.wait_for_function("document.querySelector('button[data-table=table-relevance]').textContent === 'Copied'")
    lines = [line.split("\t") for line in page.evaluate("navigator.clipboard.readText()").split("\n")]
    table = next(table for table in tables_of(hostile_facts) if table["key"] == "relevance")
    assert lines[0] == table["columns"]
    assert len(lines) == len(table["rows"]) + 1
    assert "'=1+1" in [line[0] for line in lines]  # no formula for a spreadsheet
    visit.context.close()


def test_copying_works_without_the_clipboard_interface(browser, address):
    visit = Visit(browser, address)
    visit.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed')); }")
    visit.page.locator('button[data-table="table-relevance"]').focus()
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_function(
        "document.querySelector('button[data-table=table-relevance]').textContent === 'Copied'"
    )
    visit.context.close()


def test_on_paper_all_tables_are_open_and_no_button_is_left(browser, address):
    visit = Visit(browser, address, color_scheme="dark")
    visit.page.emulate_media(media="print")
    assert visit.page.locator("button:visible").count() == 0
    assert visit.page.locator("table:visible").count() == visit.page.locator("table").count()
    background = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == "rgb(255, 255, 255)"
    visit.context.close()


@pytest.fixture
def what_if(browser, address):
    opened = Visit(browser, address)
    yield opened
    assert opened.complaints == []
    opened.context.close()


def place_of(facts, name):
    return [control["name"] for control in facts["what_if"]["controls"]].index(name)


def test_the_model_in_the_page_says_what_python_says(what_if, hostile_facts):
    X, _ = hostile_table()
    X = X.iloc[:25].copy()
    X.loc[3, "名前"] = "never seen"
    cells = X.astype(object).where(X.notna(), None).to_numpy().tolist()
    found = what_if.page.evaluate("rows => rows.map(row => kernelectModel.predict(row).probabilities)", cells)
    model = hostile_model()
    np.testing.assert_allclose(found, model.predict_proba(X), rtol=0, atol=1e-9)
    reasons = what_if.page.evaluate("rows => rows.map(row => kernelectModel.explain(row).values)", cells[:5])
    background = X.columns.to_list()
    assert what_if.page.evaluate("kernelectModel.players") == background
    total = np.sum(np.array(reasons)[..., 0], axis=1)
    decision = model.decision_function(X.iloc[:5])
    base = what_if.page.evaluate("row => kernelectModel.explain(row).base[0]", cells[0])
    np.testing.assert_allclose(base + total, decision, rtol=0, atol=1e-9)


def test_controls_move_the_prediction_at_once(what_if, hostile_facts):
    page, X = what_if.page, hostile_table()[0]
    facts, number = hostile_facts["what_if"], place_of(hostile_facts, MARKUP)
    row = pd.DataFrame([facts["rows"][0]], columns=X.columns)
    row[MARKUP] = 2.5
    page.locator(f"#wi-{number}").fill("2.5")
    expected = hostile_model().predict_proba(row)[0]
    shown = page.locator("#wi-shares .amount").all_text_contents()
    assert shown == [f"{100 * share:.1f}\xa0%" for share in expected]
    assert page.locator("#wi-answer").text_content() == hostile_model().classes_[expected.argmax()]
    assert page.locator("#wi-reasons li").first.locator(".name").text_content().startswith(f"{MARKUP} = 2.5")
    slider = page.locator(f"[data-control='{number}'] input[type=range]")
    assert float(slider.input_value()) == pytest.approx(min(2.5, facts["controls"][number]["high"]))
    page.locator("#wi-reset").click()
    assert page.locator("#wi-shares .amount").all_text_contents() != shown


def test_cells_can_be_missing_and_lie_outside(what_if, hostile_facts):
    page, X, facts = what_if.page, hostile_table()[0], hostile_facts["what_if"]
    number = place_of(hostile_facts, LONG)
    row = pd.DataFrame([facts["rows"][0]], columns=X.columns)
    page.locator(f"#wi-{number}-missing").check()
    row[LONG] = np.nan
    expected = hostile_model().predict_proba(row)[0]
    assert page.locator("#wi-shares .amount").first.text_content() == f"{100 * expected[0]:.1f}\xa0%"
    assert page.locator(f"#wi-{number}").is_disabled()
    assert page.locator("#wi-outside").is_hidden()
    page.locator(f"#wi-{place_of(hostile_facts, '=1+1')}").fill("99")
    assert "Beyond all rows of the table in =1+1" in page.locator("#wi-outside").text_content()
    page.locator(f"#wi-{place_of(hostile_facts, '=1+1')}").fill("")
    said = page.locator("#wi-outside").text_content()
    assert said.startswith("=1+1 is empty: the prediction is still that for 99.")
    page.locator("#wi-reset").click()
    assert page.locator("#wi-outside").is_hidden()


def test_what_if_works_by_keyboard_and_is_named_for_screen_readers(what_if, hostile_facts):
    page, X = what_if.page, hostile_table()[0]
    place = place_of(hostile_facts, "名前")
    page.locator(f"#wi-{place}").focus()
    before = page.locator("#wi-shares .amount").all_text_contents()
    page.keyboard.press("ArrowDown" if page.locator(f"#wi-{place}").input_value() == "0" else "ArrowUp")
    assert page.locator("#wi-shares .amount").all_text_contents() != before
    page.locator("#wi-row").select_option("5")
    number = place_of(hostile_facts, MARKUP)
    cell = hostile_facts["what_if"]["rows"][5][number]
    assert float(page.locator(f"#wi-{number}").input_value()) == pytest.approx(cell, rel=1e-6)
    page.locator(f"[data-control='{number}'] input[type=range]").focus()
    page.keyboard.press("Home")
    assert float(page.locator(f"#wi-{number}").input_value()) == pytest.approx(X[MARKUP].min(), rel=1e-6)
    unnamed = "part => !(part.labels && part.labels.length) && !part.ariaLabel && !part.textContent"
    parts = page.locator("form.controls :is(input, select, button)")
    assert parts.evaluate_all(f"parts => parts.filter({unnamed}).length") == 0
    assert page.locator("#wi-answer").get_attribute("role") == "status"


def test_the_threshold_counts_what_is_found_and_what_it_costs(what_if, hostile_facts):
    page, facts = what_if.page, hostile_facts["threshold"]
    probability, truth = np.array(facts["probability"]), np.array(facts["truth"])
    slider = page.locator("#th-at")
    assert float(slider.input_value()) == facts["at"]  # not rounded to a step: the figures are the model's
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert float(slider.input_value()) == pytest.approx(facts["at"] + 0.01, abs=1e-6)
    page.locator("#th-at").fill("0.3")
    flagged = probability >= 0.3
    hits, missed, alarms = truth[flagged].sum(), truth[~flagged].sum(), (1 - truth[flagged]).sum()
    assert page.locator("#th-words").text_content() == "30.0\xa0%"
    assert page.locator("#th-found").text_content() == f"{100 * hits / truth.sum():.1f}\xa0%"
    assert page.locator("#th-right").text_content() == f"{100 * hits / flagged.sum():.1f}\xa0%"
    assert page.locator("#th-missed").text_content() == f"{missed} of {truth.sum()}"
    page.locator("#th-miss").fill("5")
    assert float(page.locator("#th-cost").text_content()) == pytest.approx(
        100 * (5 * missed + alarms) / len(truth), rel=5e-3
    )
    page.locator("#th-best").click()
    costs = [5 * (truth[probability < at]).sum() + (1 - truth[probability >= at]).sum() for at in np.arange(201) / 200]
    best = float(page.locator("#th-at").input_value())
    assert costs[round(200 * best)] == min(costs)


def test_what_if_prints_as_an_example(browser, address, hostile_facts):
    visit = Visit(browser, address)
    visit.page.emulate_media(media="print")
    assert visit.page.locator("form.controls :is(input, button):visible").count() == 0
    printed = visit.page.locator(".field .printed:visible")
    assert printed.count() == len(hostile_facts["what_if"]["controls"])
    assert all(printed.all_text_contents())
    assert visit.page.locator("#wi-answer:visible").count() == 1
    visit.context.close()


def test_no_table_is_cut_on_paper(browser, address):
    visit = Visit(browser, address)
    visit.page.emulate_media(media="print")
    visit.page.set_viewport_size({"width": 720, "height": 1000})
    hidden = "parts => parts.filter(part => getComputedStyle(part).overflowX !== 'visible').length"
    assert visit.page.locator(".scroll").evaluate_all(hidden) == 0
    visit.context.close()


def test_many_classes_fit_on_paper(browser, hostile_facts, tmp_path):
    names = [f"alternarialeaf-spot-{letter}" for letter in "abcdefghijkl"]
    record = {"classes": names, "counts": np.eye(12).tolist()}
    pictures = [
        {**one, "record": {**one["record"], **record}} if one["kind"] == "confusion" else one
        for one in hostile_facts["pictures"]
    ]
    write_report(tmp_path / "report.html", {**hostile_facts, "pictures": pictures})
    visit = Visit(browser, (tmp_path / "report.html").as_uri(), viewport={"width": 720, "height": 900})
    visit.page.emulate_media(media="print")
    assert visit.page.locator("#table-confusion").evaluate("part => part.getBoundingClientRect().right") < 720.0
    visit.context.close()


def test_no_row_of_pictures_is_half_empty(browser, address):
    """The last picture that is seen ends where its section does: on paper the threshold is not seen."""
    ends = """parts => parts.filter(part => !part.querySelector("[data-tall]")).map(part => {
      const seen = [...part.children].filter(child => child.offsetWidth);
      return part.getBoundingClientRect().right - seen[seen.length - 1].getBoundingClientRect().right; })"""
    for media, width in (("print", 720), ("screen", 1280), ("screen", 800)):
        visit = Visit(browser, address, viewport={"width": width, "height": 1000})
        visit.page.emulate_media(media=media)
        assert max(map(abs, visit.page.locator(".pictures").evaluate_all(ends))) < 1.0
        visit.context.close()


def test_without_scripts_the_page_shows_the_first_row(browser, address, hostile_facts):
    visit = Visit(browser, address, java_script_enabled=False)
    assert visit.page.locator("#wi-answer").text_content() == hostile_facts["what_if"]["start"]["answer"]
    assert visit.page.locator("#wi-reasons li").count() == len(hostile_facts["what_if"]["start"]["reasons"])
    visit.context.close()


@pytest.fixture(scope="module")
def counts(tmp_path_factory):
    """The page of a model of counts with rows held out, beside other methods; and its facts."""
    rng = np.random.default_rng(0)
    sexes, years = rng.choice(["f", "m"], 60), rng.integers(1950, 2005, 60)
    frame = pd.DataFrame({"dose": rng.uniform(0, 3, 60), "sex": sexes, "born": years})
    frame["visits"] = rng.poisson(np.exp(0.6 * frame["dose"]))
    schema, rows, _ = describe_table(frame, "visits", task="regression")
    model = fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), FoldOptions(folds=2))
    peer = {"name": "forest", "scores": [], "difference": None, "seconds": 1.0, "mark": "failed", "remark": ""}
    words = {"title": "t.csv", "target": "visits", "folds": "2 outer folds", "score": "RMSE", "remarks": []}
    shown = gather_for_page(model, rows.X, rows.y, assessment=model.assessment)
    facts = {**model.facts, **shown, "peers": {**words, "candidates": [peer]}}
    path = tmp_path_factory.mktemp("counts") / "report.html"
    write_report(path, facts)
    return path.as_uri(), facts


@pytest.mark.parametrize("width", [1280, *slowly(800), 380])
def test_pictures_of_numbers_and_other_methods(browser, counts, width):
    address, facts = counts
    kinds = {one["kind"] for one in facts["pictures"]}
    assert {"held out", "relevance", "dependence", "residuals", "trend", "learning", "swarm", "waterfall"} <= kinds
    visit = Visit(browser, address, viewport={"width": width, "height": 900})
    boxes = visit.page.locator("figure svg").evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")
    assert len(boxes) == len(facts["pictures"])
    assert min(boxes) > 200
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    assert "failed" in visit.page.locator("#table-peers").inner_text()
    clear = visit.page.locator(".answer .card", has_text="columns clearly matter")
    assert f"{facts['relevance']['certain']} of 3" in clear.inner_text()
    sure = [one["name"] for one in facts["relevance"]["held_out"] if one["rise"] > 2.0 * one["standard_error"]]
    assert all(name in clear.inner_text() for name in sure)
    # The range around the prediction follows the row.
    lower, upper = facts["what_if"]["start"]["interval"]
    band = "kernelectModel.predict(row).interval"
    found = visit.page.evaluate(f"rows => rows.map(row => {band})", facts["what_if"]["rows"])
    np.testing.assert_allclose(found[0], [lower, upper], rtol=1e-9, atol=1e-9)
    said = visit.page.locator("#wi-band").inner_text().replace("\N{MINUS SIGN}", "-").split(" to ")
    np.testing.assert_allclose([float(end) for end in said], [lower, upper], rtol=1e-3)
    assert "Its ends differ from these by" in visit.page.locator("#wi-band").locator("xpath=..").inner_text()
    # Years have no space, wherever they stand.
    place = place_of(facts, "born")
    years, born = facts["what_if"]["controls"][place], visit.page.locator(f"[data-control='{place}']")
    slider, words = born.locator("input[type=range]"), born.locator(".printed").text_content()
    assert slider.get_attribute("aria-label").endswith(f"from {years['low']:.0f} to {years['high']:.0f}")
    assert slider.get_attribute("aria-valuetext") == words == f"{facts['what_if']['rows'][0][place]:.0f}"
    # Terms say what they mean to whoever points at them.
    assert "typical size of a mistake" in visit.page.locator("abbr", has_text="RMSE").first.get_attribute("title")
    assert visit.complaints == []
    visit.context.close()


def test_terms_options_and_names_stay_on_one_line(browser, address):
    """A part that fits on a line is not cut at its hyphens: its height is that of one line."""
    visit = Visit(browser, address, viewport={"width": 380, "height": 900})
    cut = "parts => parts.filter(part => part.getClientRects().length > 1).map(part => part.textContent)"
    parts = visit.page.locator("abbr:not(table abbr), .option")
    assert parts.count() > 10
    assert parts.evaluate_all(cut) == []
    assert "--max-vectors" in parts.all_text_contents()
    visit.context.close()


def test_reasons_look_the_same_with_and_without_scripts(browser, address):
    """Names with values, effects with the same decimals, and a bar in the colour of its direction."""
    colours = "bars => bars.map(bar => getComputedStyle(bar).backgroundColor)"
    seen = []
    for scripts in (True, False):
        visit = Visit(browser, address, java_script_enabled=scripts)
        if scripts:
            visit.page.wait_for_function("document.getElementById('wi-reasons').ariaBusy === 'false'")
        reasons = visit.page.locator("#wi-reasons")
        words = [reasons.locator(part).all_text_contents() for part in (".name", ".amount")]
        seen.append([*words, reasons.locator(".fill").evaluate_all(colours)])
        visit.context.close()
    assert seen[0] == seen[1]
    names, amounts, fills = seen[0]
    assert all(" = " in name for name in names if name != "all other columns")
    assert len({len(amount.partition(".")[2]) for amount in amounts}) == 1
    for amount, fill in zip(amounts, fills, strict=True):
        if float(amount.replace("\N{MINUS SIGN}", "-")):
            assert (amount[0] == "+") == (fill == fills[[one[0] for one in amounts].index("+")])


@pytest.mark.parametrize("media", ["screen", "print"])
def test_the_scores_fit_beside_each_other(browser, counts, media):
    """On a telephone, and on paper, where nothing scrolls."""
    visit = Visit(browser, counts[0], viewport={"width": 380 if media == "screen" else 720, "height": 900})
    visit.page.emulate_media(media=media)
    room = "part => part.getBoundingClientRect().right - part.querySelector('table').getBoundingClientRect().right"
    assert visit.page.locator(".answer .scroll").evaluate(room) > -1.0
    visit.context.close()


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A table of times until an event, and the address of a page on a model of it."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    time, end = np.exp(3.0 + frame["a"] + 0.3 * rng.normal(size=60)), rng.exponential(60.0, 60)
    frame = frame.assign(days=np.minimum(time, end).round(1), status=(time <= end).astype(int))
    schema, rows, _ = describe_table(frame, "days", event="status")
    model = fit_table(rows, schema, MachineOptions(effort="fast"), FoldOptions(0))
    path = tmp_path_factory.mktemp("study") / "report.html"
    page = gather_for_page(model, rows.X, rows.y, assessment=model.assessment)
    write_report(path, {**model.facts, **page})
    return model, rows, page["what_if"]["survival"]["times"], path.as_uri()


def test_what_if_draws_survival_as_python_says_it(browser, study):
    model, rows, times, address = study
    opened = Visit(browser, address)
    expected = survival_table(model, rows.X, np.array(times))
    names = opened.page.locator("#wi-row option").all_text_contents()
    answers, moved = [], []
    for choice in (0, 3, 11):
        place = int(names[choice].split("row ")[-1].split()[0]) - 1
        opened.page.select_option("#wi-row", str(choice))
        points = opened.page.get_attribute("#wi-survival", "points").split()[1:]
        shown = 1.0 - np.array([float(point.split(",")[1]) for point in points]) / 120.0
        np.testing.assert_allclose(shown, expected[place], atol=0.003)
        opened.page.wait_for_function("document.getElementById('wi-reasons').ariaBusy === 'false'")
        amounts = opened.page.locator("#wi-reasons .amount").all_text_contents()
        moved.append(sum(float(amount.replace("\N{MINUS SIGN}", "-")) for amount in amounts))
        answers.append(float(opened.page.locator("#wi-answer").text_content()))
    np.testing.assert_allclose(np.diff(moved), np.diff(answers), atol=0.02 * max(answers))  # in days, as the prediction
    assert opened.complaints == []
    opened.context.close()
