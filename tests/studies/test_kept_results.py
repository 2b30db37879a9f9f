"""The cells that are kept beside the pages: small, and of the definitions as they are."""

from pathlib import Path

import pytest

from kernelect.studies.imports import read_cells

KEPT = sorted((Path(__file__).parents[2] / "docs" / "results" / "data").glob("*.csv"))


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_kept_cells_can_be_gone_on_from(path):
    study, cells = read_cells(path)
    assert study.name == path.stem
    assert cells
    assert path.stat().st_size < 1e6
