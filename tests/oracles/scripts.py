"""Exports in JavaScript run by node, over rows on standard input."""

import json
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

_PREDICT = """
const rows = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(rows.map((row) => model.predict(row))));
"""


def run_script(source, rows, ask=_PREDICT):
    """Return what a script says of rows of cells."""
    cells = [[None if cell is None or cell != cell else cell for cell in row] for row in rows]
    with TemporaryDirectory() as folder:
        script = Path(folder) / "model.js"  # too long for an argument
        script.write_text(source + ask, encoding="utf-8")
        done = subprocess.run(["node", script], input=json.dumps(cells), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
