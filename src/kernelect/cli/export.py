"""``kernelect export``: a saved model as a file that needs no Python."""

from __future__ import annotations

import pkgutil
from pathlib import Path
from typing import Any

import click

import kernelect
from kernelect import tabular
from kernelect.cli import _guard as options
from kernelect.cli._terminal import echo
from kernelect.files import check_free, write_whole

#: Names of the files in kernelect/export/targets: help imports none of them.
TARGETS = sorted(
    found.name for found in pkgutil.iter_modules([str(Path(kernelect.__file__).parent / "export" / "targets")])
)


@click.command(cls=options.GuardedCommand)
@options.model_argument
@click.option("--to", "format_", type=click.Choice(TARGETS), required=True, help="What to write.")
@options.file_to_write("File to write; such as model.onnx, model.h or model.js unless given.")
@click.option("--float", "single", is_flag=True, help="Single precision (C and ONNX).")
@options.whole(
    "--max-vectors", "Reduce the model to so many vectors first (machines auto and lssvm); the loss is printed."
)
@click.option("--bits", type=click.Choice(["16", "8"]), help="Store vectors and coefficients in so many bits (C).")
@click.option("--name", default="model", show_default=True, help="What names in C and JavaScript begin with.")
@options.force
@options.as_json
def export_command(
    model: Path,
    format_: str,
    out: Path | None,
    single: bool,
    max_vectors: int | None,
    bits: str | None,
    name: str,
    force: bool,
    as_json: bool,
) -> None:
    """Write MODEL (a model.kernelect) as C, ONNX or JavaScript: raw table values go in, predictions come out.

    Imputation, categories, scaling and calibration are inside. The file is compared with the model
    before it is written.
    """
    from kernelect.cli._show import Terminal, print_json, print_remarks
    from kernelect.export.targets import ExportOptions, check_options, target_of

    wanted = ExportOptions(single=single, bits=None if bits is None else int(bits), name=name)
    check_options(format_, wanted, {"single": "--float", "bits": f"--bits {bits}"})
    target = target_of(format_)
    place = out or Path(target.file)
    loaded, remarks = tabular.load_model(model, report=False)
    check_free(place, force)
    reduced, more = _reduced(loaded, max_vectors)
    data = target.write(reduced, wanted)
    write_whole(place, data, force)
    remarks = [*remarks, *more]
    if as_json:
        print_json({"file": str(place), "bytes": len(data), "format": format_, "remarks": remarks})
        return
    print_remarks(Terminal(stderr=True), remarks)
    echo(f"Written: {place} ({len(data) / 1024:.0f} kB)")


def _reduced(loaded: Any, max_vectors: int | None) -> tuple[Any, list[str]]:
    """Return a model with at most so many vectors, and what that costs."""
    if max_vectors is None:
        return loaded, []
    from kernelect.export import reduce

    found = reduce(loaded, max_vectors)
    return found.model, [found.in_words(), *found.remarks]
