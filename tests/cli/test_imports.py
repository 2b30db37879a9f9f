"""What a command imports: to predict rows takes no estimator."""

import subprocess
import sys

import pytest

from oracles.tables import mixed_frame

_COUNT = """
import sys
from click.testing import CliRunner
from kernelect.cli.commands import kernelect
done = CliRunner().invoke(kernelect, ["predict", "model.kernelect", "mixed.csv", "--quiet"])
assert done.exit_code == 0, done.output
ours = sorted(name for name in sys.modules if name.split(".")[0] == "kernelect")
print(len(ours), *(name in sys.modules for name in ("sklearn", "scipy.stats", "kernelect.estimators")))
"""


@pytest.mark.parametrize(
    "words",
    [
        ("--target", "label", "--drop", "value", "--machine", "lssvm", "--kernel", "rbf"),
        ("--target", "value", "--drop", "label"),  # a mixture with deviations
    ],
)
def test_predict_imports_few_modules_and_no_estimator(run, tmp_path, words):
    mixed_frame().to_csv(tmp_path / "mixed.csv", index=False)
    run("fit", "mixed.csv", *words, "--folds", "0", "--no-report")
    found = subprocess.run([sys.executable, "-c", _COUNT], cwd=tmp_path, capture_output=True, text=True, check=True)
    count, *heavy = found.stdout.split()
    assert heavy == ["False"] * 3
    assert int(count) <= 80  # 379 before there was a record of the model
