"""``kernelect serve``: a saved model that answers by HTTP."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import click

from kernelect import tabular
from kernelect.cli import _guard as options
from kernelect.cli._terminal import echo
from kernelect.extras import load_extra


@click.command(cls=options.GuardedCommand)
@options.model_argument
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at; 0.0.0.0 opens it to all.")
@options.whole("--port", "Port; 0 takes a free one.", 0, 8000, 65535)
@click.option(
    "--allow-host", multiple=True, metavar="NAME", help="Further name by which requests may call this server."
)
@options.whole("--workers", "Processes that answer.", default=1, most=64)
@options.whole("--max-rows", "Rows that one request may hold.", default=100_000)
@options.whole("--max-bytes", "Bytes that one request may hold.", default=20_000_000)
def serve_command(
    model: Path, host: str, port: int, allow_host: tuple[str, ...], workers: int, max_rows: int, max_bytes: int
) -> None:
    """Answer requests by MODEL (a model.kernelect): POST rows to /predict or /explain, as JSON or CSV.

    Only this machine can ask unless --host says otherwise. Requests carry a token: that of the
    environment variable KERNELECT_TOKEN, or a new one, which is printed.
    """
    from functools import partial

    for package in ("starlette", "uvicorn"):
        load_extra(package, caller="kernelect serve", extra="app")
    from kernelect.app.guard import LOOPBACK
    from kernelect.app.running import address_of, listen, run_server
    from kernelect.app.server import Limits, serve_file

    # What is wrong with the file is said here.
    loaded, remarks = tabular.load_model(model, training=False, report=False)
    given = os.environ.get("KERNELECT_TOKEN")
    token = given or secrets.token_urlsafe(24)
    make = partial(
        serve_file,
        model,
        token=token,
        hosts=LOOPBACK | {host, *allow_host},
        limits=Limits(bytes=max_bytes, rows=max_rows),
    )
    with listen(host, port) as listener:
        for remark in remarks:
            echo(remark, err=True)
        said = "that of KERNELECT_TOKEN" if given else token
        echo(f"{address_of(listener)} predicts {loaded.schema.target!r}; token: {said}", err=True)
        run_server(make, listener, workers)
