"""Tables of studies as texts."""

import numpy as np

from kernelect.studies.formats import as_csv
from kernelect.studies.records import StudyTable, TableEntry


def test_csv_holds_plain_numbers_with_all_digits():
    numbers = {"mean": np.float64(0.1) + 0.2, "spread": np.float64("nan"), "splits": 20, "rows": np.int64(3)}
    table = StudyTable(
        title="t", heads=("data", "a"), rows=((TableEntry(text="d"), TableEntry(text="x", numbers=numbers)),)
    )
    assert as_csv([table]).splitlines()[1:] == [
        "t,d,a,mean,0.30000000000000004",
        "t,d,a,spread,nan",
        "t,d,a,splits,20",
        "t,d,a,rows,3",
    ]
