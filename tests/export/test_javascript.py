import json
import subprocess
from shutil import which

import numpy as np
import pytest

from kernelect.exceptions import InvalidArgument
from kernelect.export import to_javascript
from oracles.exported import MODELS, answers, hostile_pipeline, model, rows_for

needs_node = pytest.mark.skipif(which("node") is None, reason="there is no node")

_RUN = """
const rows = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(rows.map((row) => model.predict(row))));
"""


def run(source, rows):
    cells = [[None if cell is None or cell != cell else cell for cell in row] for row in rows]
    done = subprocess.run(
        ["node", "-e", source + _RUN], input=json.dumps(cells), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_node
@pytest.mark.parametrize("name", MODELS)
def test_every_estimator(name):
    rows, expected = rows_for(name), answers(model(name), rows_for(name))
    found = run(to_javascript(model(name)), rows.tolist())
    values = [each.get("values") or each["probabilities"] for each in found]
    np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-9)
    if hasattr(model(name), "classes_"):
        assert [each["label"] for each in found] == model(name).classes_[expected.argmax(axis=1)].tolist()
        decision = model(name).decision_function(rows).reshape(len(rows), -1)
        np.testing.assert_allclose([each["decision"] for each in found], decision, rtol=1e-7, atol=1e-7)


@needs_node
def test_hostile_names_missing_cells_and_unseen_levels():
    pipeline, rows = hostile_pipeline()
    source = to_javascript(pipeline)
    assert source.isascii()
    assert "</script" not in source
    found = run(source, rows.to_numpy(dtype=object).tolist())
    np.testing.assert_allclose([each["probabilities"] for each in found], answers(pipeline, rows), atol=1e-9)


def test_bad_names():
    with pytest.raises(InvalidArgument, match="name='1st' must be a name of JavaScript"):
        to_javascript(model("LSSVR"), name="1st")
