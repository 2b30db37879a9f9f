"""What a user's type checker sees of the package."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import kernelect

SOURCE = Path(kernelect.__file__).parent.parent

SCRIPT = """\
import numpy as np
import kernelect
from kernelect import LSSVC, BasisSearchRegressor

reveal_type(LSSVC)
reveal_type(kernelect.RVR().fit(np.zeros((3, 1)), np.zeros(3)))
LSSVC(kernel="rbf", criterion="gcv")
BasisSearchRegressor(time_limit=1.0)
LSSVC(kernal="rbf")
kernelect.SVC(slak="linear")
kernelect.nonsense
"""


@pytest.mark.slow
def test_a_users_mypy_knows_the_estimators_and_their_arguments(tmp_path):
    pytest.importorskip("mypy")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", "--ignore-missing-imports", str(script)]
    environment = {**os.environ, "MYPYPATH": str(SOURCE), "MYPY_CACHE_DIR": str(tmp_path / "cache")}
    found = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)
    lines = found.stdout.splitlines()
    assert any("script.py:5: note: Revealed type is" in line and "LSSVC" in line for line in lines), found
    assert any("script.py:6: note: Revealed type is" in line and "RVR" in line for line in lines), found
    errors = [line for line in lines if ": error:" in line]
    assert [line.split(":")[1] for line in errors] == ["9", "10", "11"], found
    assert 'Unexpected keyword argument "kernal" for "LSSVC"' in errors[0]
    assert 'Unexpected keyword argument "slak" for "SVC"' in errors[1]
