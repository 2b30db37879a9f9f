"""``kernelect app`` in a real browser: the whole flow, and everything that goes wrong in the middle of it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from app.driven import LONG, Server, Tab
from app.test_pages import table_of, working_in
from speeds import slowly


def labels(folder):
    table_of().to_csv(folder / "table.csv", index=False)
    return "y", "a"


def numbers(folder):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(60, 2)).round(3), columns=["a", "b"])
    frame.assign(y=(frame["a"] ** 2 + frame["b"] + 0.1 * rng.normal(size=60)).round(3)).to_csv(
        folder / "table.csv", index=False
    )
    return "y", "a"


def german(folder):
    """A title, semicolons, decimal commas, dates with points, umlauts and € in an old encoding, words for missing."""
    rng = np.random.default_rng(2)
    size, town = rng.normal(170, 10, 60), rng.choice(["Köln", "Düren", "k.A."], 60)
    lines = ["Umsätze 2024;;;", ";;;", "Größe;Aufnahme;Stadt;Erlös (€)"] + [
        f"{s:.1f};{day % 28 + 1:02d}.03.2024;{t};{10 * s + 20 * (t == 'Köln') + e:.2f}".replace(".", ",", 1)
        for day, (s, t, e) in enumerate(zip(size, town, rng.normal(size=60), strict=True))
    ]
    text = "\n".join(re.sub(r"(\d)\.(\d\d)$", r"\1,\2", line) for line in lines)
    (folder / "table.csv").write_bytes(text.encode("cp1252"))
    return "Erlös (€)", "Größe"


@pytest.mark.parametrize("make", [labels, *slowly(numbers, german)])
def test_from_a_file_to_a_decision(browser, own, tmp_path, make):
    tab, (target, first) = Tab(browser, own), make(tmp_path)
    tab.begin(tmp_path / "table.csv", target)
    assert tab.page.locator(".columns tr").count() >= 4
    tab.fit()
    tab.page.wait_for_selector("iframe", timeout=LONG)
    report = tab.page.frame_locator("iframe")
    assert target in report.locator("h1").text_content()
    before = report.locator("#wi-answer").text_content()
    report.locator("form.controls input[type=number]").first.fill("-2.5" if first == "a" else "140")
    assert report.locator("#wi-answer").text_content() != "" != before
    assert re.findall("--[a-z]+|kernelect [a-z]+ MODEL", report.locator("body").inner_text()) == []
    tab.go("predict")
    tab.drop(tmp_path / "table.csv")
    tab.page.get_by_text("Download all as CSV").wait_for(timeout=LONG)
    for form, read in (("CSV", pd.read_csv), ("Excel", pd.read_excel)):
        with tab.page.expect_download() as download:
            tab.page.get_by_text(f"Download all as {form}").click()
        assert len(read(download.value.path())) == 60
    tab.go("evaluate")
    tab.drop(tmp_path / "table.csv")
    tab.page.get_by_text("The rows predicted worst").wait_for(timeout=LONG)
    assert tab.page.get_by_text("60 of 60 rows stand in the training table").is_visible()
    assert "training rows" in tab.page.locator("section").filter(has_text="Are they like").text_content()
    tab.go("files")
    tab.page.get_by_role("button", name="Export to C").click()
    tab.page.get_by_role("link", name="model.h").wait_for(timeout=LONG)
    assert f"kernelect fit table.csv '--target={target}'".replace("'", "") in tab.page.locator(
        "pre"
    ).first.text_content().replace("'", "")
    assert tab.complaints == []
    assert {url for url in tab.requests if not url.startswith((own.root, "data:", "blob:"))} == set()


def test_a_wrong_file_gets_a_sentence_and_the_page_goes_on(tab, tmp_path):
    (tmp_path / "wrong.csv").write_bytes(b"\x80\x04pickle")
    tab.drop(tmp_path / "wrong.csv")
    assert "a pickle, which is never loaded" in tab.alert()
    labels(tmp_path)
    tab.drop(tmp_path / "table.csv")
    tab.page.wait_for_selector("#choice-0")
    assert tab.page.locator("#alert").is_hidden()
    tab.page.locator("#choice-0").select_option("y")
    tab.page.wait_for_selector("#role-0:not([disabled])")
    tab.page.locator("#role-1").select_option("date")
    assert "none of its cells is a date" in tab.alert()


def test_everything_that_can_end_a_fit(browser, own, tmp_path):
    """A reload and a second tab find it; Cancel, a killed worker and a killed server are told in a sentence each."""
    tab, server = Tab(browser, own), own
    table_of(400).to_csv(tmp_path / "table.csv", index=False)
    tab.begin(tmp_path / "table.csv", "y", "best")
    tab.fit()
    tab.page.reload()
    tab.page.wait_for_selector("#job:not([hidden])")
    other = Tab(browser, server, tab.context)
    other.go("data")
    other.page.wait_for_selector("#job:not([hidden])")
    began = time.monotonic()
    other.page.get_by_role("button", name="Cancel").click()
    for one in (other, tab):
        assert one.alert() == "Fit was cancelled. Files from before are unchanged."
        one.page.wait_for_selector("#job", state="hidden")
    assert time.monotonic() - began < 10.0  # a fit takes longer; on a quiet machine a second is enough
    other.page.reload()  # who opens a page later did not cancel anything
    other.page.wait_for_selector("#view[data-step=data]")
    assert other.page.locator("#alert").is_hidden()

    tab.fit()
    os.kill(working_in(server.folder)[0], signal.SIGKILL)
    assert "ended from outside (signal 9" in tab.alert()

    tab.fit()
    server.end(signal.SIGKILL)
    assert "start kernelect app again: projects are still there" in tab.alert()
    again = Server(server.folder)
    try:
        third = Tab(browser, again, tab.context)
        third.go("data")
        assert "The server ended while this command ran: start it again." in third.alert()
        assert third.page.locator("#choice-0").input_value() == "y"
        third.fit()
    finally:
        again.end()


HOSTILE = "<img src=x onerror=alert(1)>"


def test_script_in_names_and_cells_stays_text(tab, tmp_path):
    frame = table_of().rename(columns={"a": HOSTILE, "y": "</script><script>alert(2)</script>"})
    frame["place"] = frame["place"].map({"x": "<svg onload=alert(3)>", "y": '"><b>bold</b>'})
    frame.to_csv(tmp_path / "<b>table.csv", index=False)
    tab.begin(tmp_path / "<b>table.csv", "</script><script>alert(2)</script>")
    tab.page.get_by_role("row").filter(has_text=HOSTILE).first.wait_for()
    assert tab.page.locator("main img, main b, main script").count() == 0
    assert tab.complaints == []


def test_files_can_be_dropped(tab, tmp_path):
    labels(tmp_path)
    text = (tmp_path / "table.csv").read_text()
    make = "text => { const t = new DataTransfer(); t.items.add(new File([text], 'table.csv')); return t; }"
    files = tab.page.evaluate_handle(make, text)
    tab.page.dispatch_event(".drop", "dragover", {"dataTransfer": files})
    tab.page.wait_for_selector(".drop.over")
    tab.page.dispatch_event("footer", "drop", {"dataTransfer": files})  # beside the place: nothing happens
    tab.page.dispatch_event(".drop", "drop", {"dataTransfer": files})
    tab.page.wait_for_selector("#choice-0")
    assert tab.page.locator("h1").text_content() == "table"


def test_a_report_of_a_stranger_reaches_nothing(tab, server, tmp_path):
    """Its scripts run, as they have to for What if, and can neither ask the server nor touch the page around them."""
    (server.folder / "table" / ".app").mkdir(parents=True)
    (server.folder / "table" / "model.kernelect").write_bytes(b"no model")
    tries = [
        "await fetch('/api/projects')",
        "await fetch('http://127.0.0.1:9/')",
        "parent.document.title",
        "document.cookie",
        "localStorage.length",
        "top.location = 'http://127.0.0.1:9/'",
        "window.open('http://127.0.0.1:9/').closed",
    ]
    each = "".join(f"try {{ {one}; got.push({k}); }} catch {{}}\n" for k, one in enumerate(tries))
    text = f"<p>ran</p><script>const got = []; (async () => {{ {each} document.title = `got ${{got}}`; }})()</script>"
    (server.folder / "table" / "report.html").write_text(text)
    tab.go("report")
    frame = tab.page.frames[1]
    frame.wait_for_function("document.title.startsWith('got')")
    assert frame.evaluate("[document.title, origin]") == ["got", "null"]
    assert tab.page.url == f"{server.root}project/table#report"


def test_a_page_of_another_site_reaches_nothing(browser, tab, server, tmp_path):
    """A page on another port of this machine, whose requests carry the cookies of this one."""
    labels(tmp_path)
    tab.drop(tmp_path / "table.csv")
    tab.page.wait_for_selector("#choice-0")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "evil.html").write_text("<!doctype html><title>evil</title>")
    code = (
        "import functools, http.server as h\n"
        f"make = functools.partial(h.SimpleHTTPRequestHandler, directory={str(tmp_path / 'site')!r})\n"
        "server = h.ThreadingHTTPServer(('127.0.0.1', 0), make)\n"
        "print(server.server_address[1], flush=True)\nserver.serve_forever()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as evil:
        try:
            page = tab.context.new_page()
            page.goto(f"http://127.0.0.1:{int(evil.stdout.readline())}/evil.html")
            sent = """async (root) => {
              const out = [];
              for (const mode of ["cors", "no-cors"]) for (const method of ["GET", "POST"]) {
                try {
                  const address = root + "api/projects" + (method === "POST" ? "?file=evil.csv" : "");
                  const body = method === "POST" ? "a,b\\n1,2\\n3,4\\n" : undefined;
                  const answer = await fetch(address, { method, mode, body, credentials: "include" });
                  out.push(await answer.text());
                } catch { out.push(""); }
              }
              return out;
            }"""
            assert page.evaluate(sent, server.root) == ["", "", "", ""]
            page.evaluate(
                "root => { const f = document.createElement('iframe'); f.src = root; document.body.append(f); }",
                server.root,
            )
            page.wait_for_timeout(500)
            assert all("All projects" not in (frame.content() or "") for frame in page.frames[1:])
        finally:
            evil.kill()
    assert [path.name for path in server.folder.iterdir()] == ["table"]


def test_a_name_that_was_rebound_to_this_machine_reaches_nothing(tab, server):
    """The name of a stranger's site now means this machine: its page would be of the same site as ours."""
    port = server.root.rstrip("/").rpartition(":")[2]
    page = tab.context.new_page()
    for path in ("", "api/projects", server.address.rpartition("/")[2]):
        answer = page.goto(f"http://evil.example:{port}/{path}")
        assert answer.status == 403
        assert "does not answer to the name 'evil.example" in answer.text()
    assert all(cookie["domain"] == "127.0.0.1" for cookie in tab.context.cookies())


def test_300_megabytes_are_refused_before_they_are_sent(server):
    """Only the announcement is sent: the answer comes although no body follows."""
    token, port = server.address.rpartition("token=")[2], int(server.root.rstrip("/").rpartition(":")[2])
    lines = [
        "POST /api/projects?file=large.csv HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Authorization: Bearer {token}",
        "Content-Length: 300000000",
        "\r\n",
    ]
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall("\r\n".join(lines).encode())
        answer = connection.recv(65536).decode()
    assert answer.startswith("HTTP/1.1 413")
    assert list(server.folder.iterdir()) == []


#: Texts whose contrast with what is behind them is below that of the guidelines (WCAG 2, level AA).
FAINT = """() => {
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const linear = (part) => part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const behind = (one) => {
    const colour = parts(getComputedStyle(one).backgroundColor);
    return colour.length < 4 || colour[3] > 0 ? colour : behind(one.parentElement);
  };
  const written = (one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  const shown = (one) => one.offsetWidth && !one.closest(":disabled") && written(one);
  return [...document.querySelectorAll("body *")].filter(shown).filter((one) => {
    const both = [light(parts(getComputedStyle(one).color)), light(behind(one))];
    return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05) < 4.5;
  }).map((one) => one.outerHTML.slice(0, 80));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_pages_fit_their_window_and_can_be_read(browser, server, tmp_path, width, scheme):
    labels(tmp_path)
    tab = Tab(browser, server, color_scheme=scheme, viewport={"width": width, "height": 900})
    tab.drop(tmp_path / "table.csv")
    tab.page.wait_for_selector("#choice-0")
    wide, seen = tab.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert wide <= seen
    unnamed = "one => !(one.labels && one.labels.length) && !one.ariaLabel && !one.textContent.trim()"
    controls = tab.page.locator("button, input, select, a")
    assert controls.evaluate_all(f"all => all.filter({unnamed}).map(one => one.outerHTML)") == []
    assert tab.page.evaluate("[document.documentElement.lang, document.querySelectorAll('h1').length]") == ["en", 1]
    assert tab.page.evaluate(FAINT) == []
    tab.context.close()


@pytest.fixture(scope="module")
def axe():
    """The script of axe-core, which finds what screen readers and keyboards stumble over."""
    path = os.environ.get("KERNELECT_AXE", "")
    if not os.path.isfile(path):
        pytest.skip("set KERNELECT_AXE to the axe.min.js of axe-core: npm install axe-core")
    with open(path, encoding="utf-8") as file:
        return file.read()


def kernelect(*words, folder):
    subprocess.run([sys.executable, "-m", "kernelect", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_axe_finds_nothing_on_any_page(browser, server, tmp_path, axe, width, scheme):
    tab = Tab(browser, server, color_scheme=scheme, viewport={"width": width, "height": 900})
    labels(tmp_path)
    tab.begin(tmp_path / "table.csv", "y")
    folder = server.folder / "table"
    kernelect("fit", "table.csv", "--target=y", "--effort=fast", "--folds=0", "--quiet", folder=folder)
    kernelect("predict", "model.kernelect", "table.csv", "--out=predictions.csv", "--explain=2", folder=folder)
    with (folder / "evaluation.json").open("w") as out:
        words = ["evaluate", "model.kernelect", "table.csv", "--json"]
        subprocess.run([sys.executable, "-m", "kernelect", *words], cwd=folder, check=True, stdout=out)
    found = {}
    for step in ("data", "report", "predict", "evaluate", "compare", "files", "home"):
        tab.page.goto(server.root) if step == "home" else tab.go(step)
        tab.page.reload()
        tab.page.wait_for_selector(".drop" if step == "home" else f"#view[data-step={step}]")
        for frame in tab.page.frames:
            frame.wait_for_load_state()
            frame.evaluate(f"{axe};0")
            run = "async () => { const done = await axe.run(); return [done.passes.length, done.violations]; }"
            passed, violations = frame.evaluate(run)
            assert passed > 5
            found |= {(step, one["id"]): [node["html"] for node in one["nodes"]][:3] for one in violations}
    assert found == {}
    tab.context.close()


def test_the_keyboard_alone_gets_to_the_fit(browser, own, tmp_path):
    labels(tmp_path)
    tab = Tab(browser, own)
    page = tab.page
    page.on("filechooser", lambda _: None)  # from now on: beside the key it may be too late
    page.wait_for_selector("input[type=file]", state="attached")
    for _ in range(6):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.type") == "file":
            break
    else:
        pytest.fail("The keyboard does not reach the choice of a file.")
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Space")
    chooser.value.set_files(tmp_path / "table.csv")
    page.wait_for_selector("#choice-0")

    def tab_to(wanted):
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.id") == wanted:
                return
        pytest.fail(f"The keyboard does not reach {wanted}.")

    tab_to("choice-0")
    with page.expect_response(lambda answer: answer.url.endswith("/columns")):
        page.keyboard.press("End")
    page.wait_for_selector("#fit:not([disabled])")
    assert page.locator("#choice-0").input_value() == "y"

    assert page.evaluate("document.activeElement.id") == "choice-0"
    tab_to("fit")
    page.keyboard.press("Enter")
    page.wait_for_selector("#job:not([hidden])")
    page.locator("#job button").focus()
    page.keyboard.press("Enter")
    assert "cancelled" in tab.alert()
    page.locator(".skip").focus()
    page.keyboard.press("Tab")  # all projects
    for step in ("data", "report", "predict"):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.hash") == f"#{step}"
    page.keyboard.press("Enter")
    page.wait_for_selector("#view[data-step=predict]")


def test_controls_say_what_they_do(tab, tmp_path):
    """An order makes grades of classes, and an event makes times of numbers, before anything is fitted."""
    frame = table_of().assign(grade=np.array(["low", "mid", "high"])[np.arange(60) % 3], days=np.arange(60) + 0.5)
    frame.assign(status=np.arange(60) % 2).to_csv(tmp_path / "table.csv", index=False)
    tab.begin(tmp_path / "table.csv", "grade")
    tab.page.locator("summary").click()
    tab.choose(2, "best")
    assert tab.page.locator("#ordered").is_visible()
    answered = lambda answer: answer.url.endswith("/columns")  # noqa: E731
    with tab.page.expect_response(answered):
        tab.page.locator("#ordered").fill("low<mid<high")
        tab.page.locator("#ordered").press("Enter")
    tab.page.get_by_text("as found: classes with an order (3)").wait_for(state="attached")
    with tab.page.expect_response(answered):
        tab.page.locator("#ordered").fill("")
        tab.page.locator("#ordered").press("Enter")
    tab.choose(0, "days")
    with tab.page.expect_response(answered):
        tab.page.get_by_label("Role of status").select_option("event")
    tab.page.get_by_text("as found: times until an event").wait_for(state="attached")
    assert tab.page.get_by_role("row").filter(has_text="status").locator(".found").text_content() == "event"
    assert tab.page.locator("#alert").is_hidden()


def test_methods_are_called_by_words(tab, server, tmp_path):
    labels(tmp_path)
    tab.begin(tmp_path / "table.csv", "y")
    one = {"scores": [{"name": "error", "words": "10 %"}], "difference": None, "seconds": 1.0, "mark": ""}
    names = ("auto", "lssvm ard", "sklearn random forest", "guessing")
    found = {"target": "y", "folds": "5 outer folds", "score": "error", "remarks": ["leave it out with --drop 'a'"]}
    found["candidates"] = [{**one, "name": name} for name in names]
    (server.folder / "table" / "comparison.json").write_text(json.dumps(found))
    tab.go("compare")
    tab.page.reload()
    tab.page.get_by_text("the role “leave out” for 'a'").wait_for()
    shown = tab.page.locator("tbody th").all_text_contents()
    assert shown == ["mixture (what Fit makes)", "least-squares SVM, one width per column", "random forest", "guessing"]


def test_another_sheet_begins_anew(tab, tmp_path):
    with pd.ExcelWriter(tmp_path / "book.xlsx") as book:
        pd.DataFrame({"u": np.arange(20) ** 1.5, "v": np.arange(20) * 1.1}).to_excel(book, sheet_name="A", index=False)
        table_of().to_excel(book, sheet_name="Rows", index=False)
    tab.begin(tmp_path / "book.xlsx", "v")
    tab.page.locator("summary").click()
    with tab.page.expect_response(lambda answer: answer.url.endswith("/columns")):
        tab.page.locator("#sheet").fill("Rows")
        tab.page.locator("#sheet").press("Enter")
    tab.page.get_by_text("60 rows, 4 columns").wait_for()
    tab.choose(0, "y")
    assert tab.page.locator("#sheet").input_value() == "Rows"
    assert tab.page.locator("#alert").is_hidden()


@pytest.mark.slow
def test_times_until_an_event_are_fitted_predicted_and_scored(browser, own, tmp_path):
    tab, rng = Tab(browser, own), np.random.default_rng(3)
    x, left = rng.normal(size=60).round(3), rng.exponential(4, 60)
    days = np.exp(x + 0.3 * rng.normal(size=60))
    frame = pd.DataFrame(
        {"x": x, "days": (np.minimum(days, left) + 0.01).round(2), "status": (days <= left).astype(int)}
    )
    frame.to_csv(tmp_path / "table.csv", index=False)
    tab.begin(tmp_path / "table.csv", "days")
    with tab.page.expect_response(lambda answer: answer.url.endswith("/columns")):
        tab.page.get_by_label("Role of status").select_option("event")
    tab.page.wait_for_selector("#fit:not([disabled])")
    tab.fit()
    tab.page.wait_for_selector("iframe", timeout=LONG)
    tab.go("predict")
    tab.page.get_by_label("Intervals").select_option("0.8")
    tab.drop(tmp_path / "table.csv")
    tab.page.get_by_text("Download all as CSV").wait_for(timeout=LONG)
    assert tab.page.locator("thead th").all_text_contents()[-2:] == ["lower", "upper"]
    tab.go("evaluate")
    tab.drop(tmp_path / "table.csv")
    tab.page.get_by_text("the concordance is").wait_for(timeout=LONG)
    tab.go("files")
    assert "--event=status" in tab.page.locator("pre").first.text_content()
    assert tab.complaints == []
