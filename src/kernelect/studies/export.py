"""All cells as one flat table, for other tools."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kernelect.exceptions import unknown_name
from kernelect.files import write_whole
from kernelect.studies.store import Results


def rows(results: Results) -> Iterator[dict[str, Any]]:
    """Yield one flat dict per cell: what it was, what came out, where it ran."""
    for cell in results.cells():
        yield {
            "study": results.study.name,
            **cell.key._asdict(),
            "state": cell.state,
            "message": cell.message,
            "seconds": cell.seconds,
            "seed": cell.seed,
            "ended": cell.ended,
            **{name: value for name, value in cell.figures.items() if not isinstance(value, dict)},
            "environment": cell.environment,
        }


def export(results: Results, path: Path, force: bool = False) -> int:
    """Write all cells to a .csv, .json or .jsonl file and return their number."""
    if path.suffix not in _WRITERS:
        raise unknown_name("the ending of --out", path.suffix, list(_WRITERS))
    found = list(rows(results))
    text = io.StringIO(newline="")
    _WRITERS[path.suffix](found, text)
    write_whole(path, text.getvalue().encode(), force)
    return len(found)


def _write_csv(found: list[dict[str, Any]], file: Any) -> None:
    names = list(dict.fromkeys(name for row in found for name in row))
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    for row in found:
        writer.writerow({k: json.dumps(v) if isinstance(v, dict | list) else v for k, v in row.items()})


def _write_json(found: list[dict[str, Any]], file: Any) -> None:
    json.dump(found, file, indent=1)


def _write_lines(found: list[dict[str, Any]], file: Any) -> None:
    file.writelines(json.dumps(row) + "\n" for row in found)


_WRITERS = {".csv": _write_csv, ".json": _write_json, ".jsonl": _write_lines}
