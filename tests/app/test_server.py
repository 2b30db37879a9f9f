import os
import socket
import subprocess
import sys

import httpx2 as httpx
import numpy as np
import pandas as pd
import pytest
from starlette.testclient import TestClient

from kernelect.app.running import listen
from kernelect.app.server import Limits, model_server
from kernelect.exceptions import KernelectError
from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table, predict_table, save_model
from speeds import slowly

TOKEN = "a-token"
ROWS = [{"a": 0.5, "place": "x"}, {"a": -1.0, "place": "y"}]
CSV = {"content": "a,place\n0.5,x\n-1.0,y\n", "headers": {"Content-Type": "text/csv"}}


def as_csv(text):
    return {"content": text, "headers": {"Content-Type": "text/csv"}}


def as_json(text):
    return {"content": text, "headers": {"Content-Type": "application/json"}}


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=40), "place": rng.choice(["x", "y"], 40)})
    frame["y"] = frame["a"] + (frame["place"] == "x") + 0.1 * rng.normal(size=40)
    schema, rows, _ = describe_table(frame, "y")
    return fit_table(rows, schema, MachineOptions(machine="lssvm"), FoldOptions(0))


def client_of(model):
    app = model_server(model, token=TOKEN, hosts=frozenset({"localhost"}), limits=Limits(bytes=2000, rows=50))
    return TestClient(app, base_url="http://localhost", headers={"Authorization": f"Bearer {TOKEN}"})


@pytest.fixture(scope="module")
def client(model):
    return client_of(model)


def test_rows_as_json_and_csv_are_predicted_as_by_the_model(model, client):
    wanted = predict_table(model, pd.DataFrame(ROWS))["prediction"].tolist()
    for sent in ({"json": ROWS}, CSV):
        found = client.post("/predict", **sent).json()["predictions"]
        assert [row["prediction"] for row in found] == pytest.approx(wanted)
    lines = client.post("/predict", json=ROWS, headers={"Accept": "text/csv"}).text.splitlines()
    assert lines[0].startswith("prediction,")
    assert [float(line.split(",")[0]) for line in lines[1:]] == pytest.approx(wanted)


def test_intervals_and_missing_columns_can_be_asked_for(client):
    for row in client.post("/predict?interval=0.9", json=ROWS).json()["predictions"]:
        assert row["lower"] < row["prediction"] < row["upper"]
    found = client.post("/predict?fill_missing=1", json=[{"a": 1.0}]).json()
    assert any("'place'" in remark for remark in found["remarks"])


def test_effects_add_up(client):
    for row in client.post("/explain", json=ROWS).json()["rows"]:
        assert row["base"] + sum(row["effects"].values()) == pytest.approx(row["prediction"])


def test_the_description_has_names_types_and_ranges(model, client):
    found = client.get("/openapi.json").json()["paths"]["/predict"]["post"]["requestBody"]["content"]
    columns = found["application/json"]["schema"]["items"]["properties"]
    assert columns["a"]["type"] == ["number", "null"]
    assert columns["a"]["examples"] == [model.schema.columns[0].low, model.schema.columns[0].high]
    assert columns["place"]["examples"] == ["x", "y"]
    assert client.get("/health").json()["status"] == "ok"


@pytest.mark.parametrize(
    ("address", "sent", "status", "words"),
    [
        ("/predict", as_json("{"), 400, "JSON without a table"),
        ("/predict", as_csv(""), 400, "empty"),
        ("/predict?interval=x", {"json": ROWS}, 400, "?interval=x"),
        ("/predict?worst=3", {"json": ROWS}, 400, "'worst'"),
        ("/predict", {"content": "a", "headers": {"Content-Type": "text/html"}}, 415, "text/html"),
        ("/predict", {"json": [{"a": 1.0}]}, 422, "with ?fill_missing=1"),
        ("/predict?interval=2", {"json": ROWS}, 422, "?interval=2 must be"),
        ("/predict", {"json": ROWS * 100}, 413, "2000 bytes"),
        ("/predict", as_csv("a\n" + "1\n" * 51), 413, "50 rows"),
        ("/predict", {"json": ROWS, "headers": {"Host": "evil.example"}}, 403, "evil.example"),
        ("/predict", {"json": ROWS, "headers": {"Host": "[localhost"}}, 403, "[localhost"),
        ("/predict", {"json": ROWS, "headers": {"Origin": "http://evil.example"}}, 403, "evil.example"),
        ("/predict", {"json": ROWS, "headers": {"Origin": "null"}}, 403, "null"),
        ("/predict", {"json": ROWS, "headers": {"Authorization": "Bearer b"}}, 401, "token"),
    ],
)
def test_what_is_refused_gets_a_sentence(client, address, sent, status, words):
    answer = client.post(address, **sent)
    assert answer.status_code == status
    assert words in answer.json()["error"]


def test_a_body_of_unknown_length_is_refused_as_soon_as_it_is_too_large(client):
    pieces = iter([b"x" * 1000] * 10)
    assert client.post("/predict", content=pieces, headers={"Content-Type": "text/csv"}).status_code == 413


def test_a_compressed_body_is_no_table(client):
    import gzip

    answer = client.post("/predict", **as_csv(gzip.compress(CSV["content"].encode())))
    assert answer.status_code in (400, 422)


def test_failures_inside_are_logged_and_not_shown(model, client, monkeypatch, caplog):
    monkeypatch.setattr("kernelect.app.server.predict_rows", lambda *_: 1 / 0)
    answer = client.post("/predict", json=ROWS)
    assert (answer.status_code, "ZeroDivisionError" in answer.text) == (500, False)
    assert "ZeroDivisionError" in caplog.text


def test_answers_do_not_wait_for_more_to_send():
    """Asyncio sets TCP_NODELAY on connections that are named as TCP, and they are if the listener is."""
    with (
        listen("127.0.0.1", 0) as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as accepted,
    ):
        assert accepted.proto == socket.IPPROTO_TCP


def test_a_port_that_is_taken_is_named():
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(KernelectError, match=f"port {port} .*another --host or --port"):
            listen("127.0.0.1", port)


@pytest.mark.parametrize("workers", ["1", *slowly("2")])
def test_the_command_answers(model, tmp_path, workers):
    save_model(model, tmp_path / "model.kernelect")
    command = [sys.executable, "-m", "kernelect", "serve", str(tmp_path / "model.kernelect"), "--port", "0"]
    environment = {**os.environ, "KERNELECT_TOKEN": TOKEN}
    with subprocess.Popen(
        [*command, "--workers", workers], env=environment, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            line = process.stderr.readline()  # the port is open, and requests wait until the model is loaded
            address = line.split()[0]
            assert line == f"{address} predicts 'y'; token: that of KERNELECT_TOKEN\n"
            words = {"headers": {"Authorization": f"Bearer {TOKEN}"}, "timeout": 60}
            assert httpx.get(f"{address}/health", **words).json()["target"] == "y"
            assert len(httpx.post(f"{address}/predict", json=ROWS, **words).json()["predictions"]) == 2
        finally:
            process.terminate()
            process.wait(20)
