"""The pages of ``kernelect app`` by their addresses: from a file to predictions, and what is refused."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from urllib.parse import quote

import httpx2 as httpx
import numpy as np
import pandas as pd
import pytest
from openpyxl import load_workbook
from starlette.testclient import TestClient

from kernelect.app.answers import MOST_BYTES
from kernelect.app.looking import look_at
from kernelect.app.pages import pages_server
from kernelect.app.predicted import write_sheet
from kernelect.app.projects import FILES, Projects, spelled_anew
from kernelect.app.settings import Settings, python_lines
from kernelect.exceptions import KernelectError
from kernelect.tabular import load_model, predict_table

TOKEN, COOKIE = "a-token", "kernelect-test"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
ADDRESS = "http://127.0.0.1:8001"


def table_of(rows=60):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=rows).round(3), "place": rng.choice(["x", "y"], rows)})
    frame["name"] = [f"row {k}" for k in range(rows)]
    frame["y"] = np.where(frame["a"] + 0.3 * rng.normal(size=rows) > 0, "yes", "no")
    return frame


CSV = table_of().to_csv(index=False).encode()


def client_of(folder, headers=BEARER):
    app = pages_server(folder, token=TOKEN, hosts=frozenset({"127.0.0.1"}), cookie=COOKIE)
    return TestClient(app, base_url=ADDRESS, headers=headers)


def ended(client, project):
    """Return the last event; the stream ends with the command."""
    text = client.get(f"/api/projects/{project}/events").text
    return json.loads(text.strip().rpartition("data: ")[2])


@pytest.fixture
def client(tmp_path):
    with client_of(tmp_path) as started:
        yield started


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A client, and the folder of a project that was fitted through it."""
    folder = tmp_path_factory.mktemp("projects")
    with client_of(folder) as client:
        assert client.post("/api/projects?file=table.csv", content=CSV).json() == {"name": "table"}
        client.put("/api/projects/table/settings", json={"target": "y", "effort": "fast"})
        began = client.post("/api/projects/table/fit")
        assert (began.status_code, began.json()["state"]) == (202, "running")
        assert client.post("/api/projects/table/fit").status_code == 409
        assert ended(client, "table")["state"] == "done"
        yield client, folder / "table"


def test_a_file_becomes_a_model_a_report_and_predictions(fitted):
    client, folder = fitted
    assert {"table.csv", "model.kernelect", "report.html", "columns.toml"} <= {path.name for path in folder.iterdir()}
    found = client.get("/api/projects/table").json()
    assert found["model"]["target"] == "y"
    assert client.get("/api/projects").json()["projects"][0]["fitted"]
    new = table_of().drop(columns="y").head(25)
    sent = client.post("/api/projects/table/predict?file=new.csv&reasons=1", content=new.to_csv(index=False))
    assert sent.status_code == 202
    assert ended(client, "table")["state"] == "done"
    shown = client.get("/api/projects/table/predictions").json()
    assert len(shown) == 21
    sheet = client.get("/files/table/predictions.xlsx")
    assert sheet.headers["content-disposition"] == 'attachment; filename="predictions.xlsx"'
    kept = client.get("/files/table/predictions.csv")
    assert kept.headers["content-disposition"] == 'attachment; filename="predictions.csv"'
    wanted = predict_table(load_model(folder / "model.kernelect")[0], new)["prediction"]
    (folder / "kept.csv").write_bytes(kept.content)
    assert pd.read_csv(folder / "kept.csv")["prediction"].tolist() == wanted.tolist()
    (folder / "kept.xlsx").write_bytes(sheet.content)
    pd.testing.assert_frame_equal(pd.read_excel(folder / "kept.xlsx"), pd.read_csv(folder / "kept.csv"))


def test_a_sheet_has_the_cells_of_the_predictions_it_is_made_of(tmp_path):
    path, sheet = tmp_path / "predictions.csv", tmp_path / "predictions.xlsx"
    for count in (1, 2):
        path.write_text("number,prediction,share,ü\n" + "007,3,0.1,'=1+1\n,-2.5,1e-05,x\n" * count)
        later = 2_000_000_000 + count
        os.utime(path, (later, later))
        write_sheet(path, sheet)
        cells = [list(row) for row in load_workbook(sheet).active.iter_rows(values_only=True)]
        assert cells[0] == ["number", "prediction", "share", "ü"]
        assert cells[1:] == [["007", 3, 0.1, "'=1+1"], [None, -2.5, 1e-05, "x"]] * count
        os.utime(sheet, (later, later))
    (before,) = {sheet.stat().st_ino}
    write_sheet(path, sheet)
    assert sheet.stat().st_ino == before


def test_the_report_runs_as_a_page_of_no_site(fitted):
    client, folder = fitted
    answer = client.get("/files/table/report.html")
    assert answer.content == (folder / "report.html").read_bytes()
    assert answer.headers["content-security-policy"].startswith("sandbox allow-scripts; default-src 'none'")
    assert "allow-same-origin" not in answer.headers["content-security-policy"]
    assert "attachment" in client.get("/files/table/report.html?keep").headers["content-disposition"]


def test_rows_with_truth_are_scored(fitted):
    client, folder = fitted
    client.post("/api/projects/table/evaluate?file=known.csv&by=place", content=table_of(40).to_csv(index=False))
    assert ended(client, "table")["state"] == "done"
    found = client.get("/api/projects/table").json()["evaluation"]
    assert (found["rows"], found["by"]) == (40, "place")
    assert {"columns", "sentence"} <= set(found["drift"])
    assert (folder / "evaluation.json").exists()


def test_other_methods_are_tried_on_the_same_table(fitted):
    client, _ = fitted
    client.put("/api/projects/table/settings", json={"target": "y", "effort": "fast", "time_limit": 5})
    client.post("/api/projects/table/compare")
    client.put("/api/projects/table/settings", json={"target": "y", "effort": "fast"})
    assert ended(client, "table")["state"] == "done"
    found = client.get("/api/projects/table").json()["comparison"]
    assert any("forest" in one["name"] for one in found["candidates"])
    assert any("“Kind of answer”" in remark for remark in found["remarks"])
    assert not any("--" in remark for remark in found["remarks"])


def test_the_model_is_exported(fitted):
    client, _ = fitted
    client.post("/api/projects/table/export?to=c")
    assert ended(client, "table")["state"] == "done"
    assert b"#include" in client.get("/files/table/model.h").content
    assert client.post("/api/projects/table/export?to=exe").status_code == 422


def test_a_command_that_fails_has_its_sentence(fitted):
    client, _ = fitted
    client.post("/api/projects/table/predict?file=new.csv", content="a\n1\n")
    state = ended(client, "table")
    assert state["state"] == "failed"
    assert state["sentence"].startswith("new.csv lacks 1 column the model needs: 'place'")


@pytest.mark.slow
def test_what_is_shown_to_repeat_does_the_same(fitted, tmp_path):
    client, folder = fitted
    repeat = client.get("/api/projects/table").json()["repeat"]
    first, second = repeat["command"].splitlines()
    assert first == "kernelect fit table.csv --target=y --effort=fast"
    assert second == "kernelect predict model.kernelect new.csv --out=predictions.csv"
    (tmp_path / "table.csv").write_bytes(CSV)
    table_of().drop(columns="y").to_csv(tmp_path / "new.csv", index=False)
    subprocess.run([sys.executable, "-c", repeat["python"]], cwd=tmp_path, check=True)
    wanted = predict_table(load_model(folder / "model.kernelect")[0], table_of())
    found = pd.read_csv(tmp_path / "predictions.csv")
    np.testing.assert_allclose(found["probability:yes"], wanted["probability:yes"], rtol=0, atol=1e-9)


def test_projects_outlive_the_server_and_models_of_the_command_line_are_projects(fitted, tmp_path):
    _, folder = fitted
    (tmp_path / "by hand").mkdir()
    (tmp_path / "by hand" / "model.kernelect").write_bytes((folder / "model.kernelect").read_bytes())
    with client_of(tmp_path) as client:
        found = client.get("/api/projects/by hand").json()
        assert (found["model"]["target"], found["table"]) == ("y", None)
        assert client.get("/api/projects/by hand/columns").status_code == 404
        sent = client.post("/api/projects?file=model.kernelect", content=(folder / "model.kernelect").read_bytes())
        assert sent.json() == {"name": "model"}
        bad = client.post("/api/projects?file=bad.kernelect", content=b"PK nonsense")
        assert bad.status_code == 422
        assert sorted(one["name"] for one in client.get("/api/projects").json()["projects"]) == ["by hand", "model"]
    with client_of(folder.parent) as client:
        assert client.get("/api/projects/table").json()["settings"]["target"] == "y"


def begun(client, **settings):
    client.post("/api/projects?file=table.csv", content=table_of(400).to_csv(index=False))
    client.put("/api/projects/table/settings", json={"target": "y", "effort": "best", **settings})
    assert client.post("/api/projects/table/fit").status_code == 202


def test_cancel_ends_the_command(client, tmp_path):
    begun(client)
    time.sleep(1.0)
    began = time.monotonic()
    assert client.post("/api/projects/table/cancel").json()["state"] in ("cancelled", "running")
    assert ended(client, "table")["state"] == "cancelled"
    assert time.monotonic() - began < 10.0  # a fit takes longer; on a quiet machine a second is enough
    assert not (tmp_path / "table" / "model.kernelect").exists()


def test_a_killed_worker_is_told_in_a_sentence(client, tmp_path):
    begun(client)
    os.kill(working_in(tmp_path)[0], signal.SIGKILL)
    state = ended(client, "table")
    assert state["state"] == "failed"
    assert "ended from outside (signal 9" in state["sentence"]
    assert client.post("/api/projects/table/fit").status_code == 202


def working_in(folder):
    """Return the processes that work in a folder: they are no part of any answer."""
    if not os.path.isdir("/proc"):
        pytest.skip("processes are found by /proc, which Linux has")

    def works(process):
        try:
            return os.readlink(f"/proc/{process}/cwd").startswith(str(folder))
        except OSError:
            return False

    return [process for process in map(int, filter(str.isdigit, os.listdir("/proc"))) if works(process)]


def test_a_command_ends_with_its_server(tmp_path):
    with client_of(tmp_path) as client:
        begun(client)
        time.sleep(0.5)
    assert working_in(tmp_path) == []


def test_a_killed_server_takes_its_worker_along_and_the_next_one_says_so(tmp_path):
    command = [sys.executable, "-m", "kernelect", "app", str(tmp_path), "--no-browser"]
    environment = {**os.environ, "KERNELECT_TOKEN": TOKEN}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        address = re.match(r"(http://127\.0\.0\.1:\d+)/\?token=a-token has the pages", server.stderr.readline())[1]
        with httpx.Client(base_url=address, headers=BEARER, timeout=60) as client:
            begun(client)
            time.sleep(1.0)
        server.kill()
    deadline = time.monotonic() + 5.0
    while working_in(tmp_path):
        assert time.monotonic() < deadline, "The worker goes on without its server."
        time.sleep(0.1)
    with client_of(tmp_path) as client:
        found = client.get("/api/projects/table").json()
        assert found["job"]["state"] == "failed"
        assert "The server ended while this command ran" in found["job"]["sentence"]
        assert found["settings"]["target"] == "y"


def test_a_sheet_is_chosen_for_the_fit_and_for_rows(fitted, tmp_path):
    client, _ = fitted
    with pd.ExcelWriter(tmp_path / "book.xlsx") as book:
        pd.DataFrame({"note": ["made up", "by hand"]}).to_excel(book, sheet_name="About", index=False)
        table_of().to_excel(book, sheet_name="Rows", index=False)
    found = look_at(tmp_path / "book.xlsx", Settings())
    assert (found["names"], "“Sheet”" in found["remarks"][0]) == (["note"], True)
    settings = Settings(table="book.xlsx", sheet="Rows", target="y")
    assert look_at(tmp_path / "book.xlsx", settings)["names"] == ["a", "place", "name", "y"]
    assert "--sheet=Rows" in settings.command()
    assert "read_table('book.xlsx', target='y', sheet='Rows')" in python_lines(settings)
    data = (tmp_path / "book.xlsx").read_bytes()
    for asked, state in (("", "failed"), ("&sheet=2", "done")):
        client.post(f"/api/projects/table/predict?file=book.xlsx{asked}", content=data)
        assert ended(client, "table")["state"] == state


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("patients.csv", "patients.csv"),
        ("Größe 2024.xlsx", "Größe 2024.xlsx"),
        ("../../etc/passwd", "passwd.csv"),
        ("..\\..\\boot.ini", "boot.ini.csv"),
        ("/etc/cron.d/x.csv", "x.csv"),
        ("a\0b.csv", "a_b.csv"),
        ("--engine=tcp.csv", "engine_tcp.csv"),
        (".bashrc", "bashrc.csv"),
        ("numpy.py", "numpy.py.csv"),
        ("x.csv.gz", "x.csv.gz"),
        ("predictions.csv", "table-predictions.csv"),
        ("CON.csv", "table-CON.csv"),
        ("..", "table.csv"),
        ("", "table.csv"),
        ("<script>alert(1)</script>.csv", "script.csv"),
        ("x" * 300 + ".csv", "x" * 80 + ".csv"),
    ],
)
def test_names_of_files_are_spelled_anew(sent, kept, tmp_path):
    assert spelled_anew(sent) == kept
    assert spelled_anew(kept) == kept
    assert Projects(tmp_path).new(sent).folder.parent == tmp_path


def test_no_address_leads_out_of_a_project(fitted, tmp_path):
    client, folder = fitted
    (folder / "secret.txt").write_text("secret")
    (folder.parent / "model.kernelect").write_text("secret")
    for name in ("..", ".", ".app", "", "table/..", "../table", "..%2f..", "%2e%2e", str(folder)):
        assert client.get(f"/files/{quote(name)}/model.kernelect").status_code in (404, 405)
        assert client.get(f"/files/{name}/model.kernelect").status_code in (404, 405)
    for file in ("secret.txt", "../model.kernelect", "..%2fmodel.kernelect", ".app%2flog", "table.csv", "%00"):
        assert client.get(f"/files/table/{file}").status_code == 404
    (folder / "model.js").symlink_to(folder / ".." / "model.kernelect")
    assert client.get("/files/table/model.js").status_code == 404
    (folder / "model.js").unlink()
    assert "model.js" in FILES


def test_a_project_from_a_stranger_leads_nowhere(tmp_path):
    """Its links are not followed, and what is written in it is checked."""
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n3,4\n")
    for name in ("rows", "own", "table", "nonsense"):
        (tmp_path / "all" / name).mkdir(parents=True)
        if name != "own":
            (tmp_path / "all" / name / ".app").mkdir()
    (tmp_path / "all" / "rows" / "rows").symlink_to(tmp_path)
    (tmp_path / "all" / "own" / ".app").symlink_to(tmp_path)
    (tmp_path / "all" / "table" / "secret.csv").symlink_to(tmp_path / "secret.csv")
    (tmp_path / "all" / "table" / ".app" / "settings.json").write_text('{"table": "secret.csv"}')
    for file in ("evaluation.json", "comparison.json", ".app/settings.json", ".app/job.json"):
        (tmp_path / "all" / "nonsense" / file).write_text("[" * 100_000 if file.startswith("e") else '{"remarks": 3}')
    with client_of(tmp_path / "all") as client:
        assert {one["name"] for one in client.get("/api/projects").json()["projects"]} == {"table", "nonsense"}
        assert client.get("/api/projects/table").json()["table"] is None
        found = client.get("/api/projects/nonsense").json()
        assert (found["evaluation"], found["comparison"]) == (None, None)


def test_an_upload_that_breaks_off_leaves_nothing_behind(tmp_path):
    command = [sys.executable, "-m", "kernelect", "app", str(tmp_path), "--no-browser"]
    environment = {**os.environ, "KERNELECT_TOKEN": TOKEN}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        port = int(re.search(r":(\d+)/", server.stderr.readline())[1])
        asked = f"POST /api/projects?file=t.csv HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {TOKEN}\r\n"
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            connection.sendall(f"{asked}Content-Length: 1000000\r\n\r\n".encode() + CSV)
            deadline = time.monotonic() + 20.0
            while not list(tmp_path.iterdir()):
                assert time.monotonic() < deadline, "The upload does not begin."
                time.sleep(0.05)
        while list(tmp_path.iterdir()):
            assert time.monotonic() < deadline, "What was sent stays."
            time.sleep(0.05)
        server.terminate()


def test_a_file_that_is_no_table_leaves_nothing_behind(client, tmp_path):
    for content, words in ((b"", "is empty"), (b"\x80\x04pickled", "pickle"), (b"a,b\n", "no rows")):
        answer = client.post("/api/projects?file=wrong.csv", content=content)
        assert (answer.status_code, words in answer.json()["error"]) == (422, True)
    answer = client.post("/api/projects?file=..%2Fletter.docx", content=b"\x80\x04")
    assert answer.json()["error"].startswith("'letter.docx' is a pickle")
    assert list(tmp_path.iterdir()) == []


def test_what_does_not_fit_into_memory_is_refused_and_the_pages_go_on(client, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("kernelect.tabular.read.available_bytes", lambda: 1000)
        answer = client.post("/api/projects?file=large.csv", content=CSV)
        assert (answer.status_code, "GiB are free" in answer.json()["error"]) == (422, True)
    with monkeypatch.context() as patched:
        patched.setattr("kernelect.app.looking.find_columns", lambda _: np.empty(2**50))
        answer = client.post("/api/projects?file=larger.csv", content=CSV)
        assert (answer.status_code, "more memory than is free" in answer.json()["error"]) == (422, True)
    assert list(tmp_path.iterdir()) == []


def test_300_megabytes_are_refused_before_they_are_read(client, tmp_path):
    answer = client.post("/api/projects?file=t.csv", content=b"", headers={"Content-Length": str(300_000_000)})
    assert (answer.status_code, "200 MB" in answer.json()["error"]) == (413, True)
    assert list(tmp_path.iterdir()) == []


def test_a_body_of_unknown_length_is_refused_as_soon_as_it_is_too_large(client, tmp_path, monkeypatch):
    monkeypatch.setattr("kernelect.app.answers.MOST_BYTES", 5000)
    pieces = iter([b"x" * 1000] * 10)
    assert client.post("/api/projects?file=t.csv", content=pieces).status_code == 413
    assert list(tmp_path.iterdir()) == []
    assert MOST_BYTES == 200_000_000


def test_files_of_a_project_are_no_modules(client, tmp_path):
    client.post("/api/projects?file=table.csv", content=CSV)
    for module in ("click", "numpy", "kernelect", "runpy"):
        (tmp_path / "table" / f"{module}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    client.put("/api/projects/table/settings", json={"target": "y", "time_limit": 0.001})
    client.post("/api/projects/table/fit")
    ended(client, "table")
    assert not (tmp_path / "ran").exists()


#: Who asks, and whether it is answered.
ASKING = {
    "the page": ({"Origin": ADDRESS, "Sec-Fetch-Site": "same-origin"}, COOKIE, 201),
    "another site": ({"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}, COOKIE, 403),
    "another port": ({"Origin": "http://127.0.0.1:9999", "Sec-Fetch-Site": "same-site"}, COOKIE, 403),
    "a file": ({"Origin": "null"}, COOKIE, 403),
    "no origin": ({}, COOKIE, 403),
    "a rebound name": ({"Host": "evil.example", "Origin": "http://evil.example"}, COOKIE, 403),
    "no cookie": ({"Origin": ADDRESS}, None, 401),
    "the cookie of another port": ({"Origin": ADDRESS}, "kernelect-9999", 401),
}


@pytest.mark.parametrize("who", ASKING)
def test_only_the_pages_may_change_something(tmp_path, who):
    headers, cookie, status = ASKING[who]
    with client_of(tmp_path, {}) as client:
        if cookie is not None:
            client.cookies.set(cookie, TOKEN)
        answer = client.post("/api/projects?file=t.csv", content=CSV, headers=headers)
    assert answer.status_code == status
    assert (tmp_path / "t").exists() == (status == 201)


def test_pages_of_others_cannot_read(tmp_path):
    with client_of(tmp_path, {}) as client:
        client.cookies.set(COOKIE, TOKEN)
        for site, status in (("same-origin", 200), ("none", 200), ("same-site", 403), ("cross-site", 403)):
            assert client.get("/api/projects", headers={"Sec-Fetch-Site": site}).status_code == status


def test_the_address_with_the_token_gives_the_cookie(tmp_path):
    with client_of(tmp_path, {}) as client:
        assert client.get("/").status_code == 401
        assert client.get("/?token=wrong").status_code == 401
        assert client.get("/api/projects?token=a-token").status_code == 401
        answer = client.get("/?token=a-token&project=a%22b")
        assert {"HttpOnly", "SameSite=strict"} <= set(answer.headers["set-cookie"].split("; "))
        assert "url=/project/a%22b" in answer.text
        assert "<title>kernelect</title>" in client.get("/").text


def test_pages_hold_their_own_parts_alone(client):
    for address in ("/", "/project/x", "/app.js", "/app.css", "/report.css"):
        answer = client.get(address)
        assert answer.status_code == 200
        assert answer.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert not re.search(r"https?://(?!www\.w3\.org)", answer.text)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b", client.get("/app.js").text)


def test_the_command_opens_a_model_or_its_folder(fitted):
    from kernelect.cli.app import _folder_and_project

    _, folder = fitted
    for place in (folder, folder / "model.kernelect"):
        assert _folder_and_project(place) == (folder.parent, "table")
    with pytest.raises(KernelectError, match="is no folder: give one, or a model"):
        _folder_and_project(folder / "table.csv")
