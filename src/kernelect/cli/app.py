"""``kernelect app``: pages on this machine, from a file to predictions."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import click

from kernelect.cli import _guard as options
from kernelect.cli._terminal import echo
from kernelect.exceptions import InvalidArgument
from kernelect.extras import load_extra
from kernelect.files import make_folder


@click.command(cls=options.GuardedCommand)
@click.argument("place", metavar="[PLACE]", required=False, type=click.Path(path_type=Path))
@options.whole("--port", "Port; 0 takes a free one.", 0, 0, 65535)
@click.option("--no-browser", is_flag=True, help="Print the address and open no browser.")
def app_command(place: Path | None, port: int, no_browser: bool) -> None:
    """Open pages in the browser: choose a table, fit, read the report, predict new rows.

    PLACE is a folder of projects (default: the folder kernelect in your home), or a model.kernelect
    or its folder, which is opened. A project is a folder with the files that the commands write.
    Only this machine can reach the pages, and nothing leaves it. Ctrl-C ends them.
    """
    import webbrowser
    from functools import partial
    from urllib.parse import quote

    for package in ("starlette", "uvicorn"):
        load_extra(package, caller="kernelect app", extra="app")
    from kernelect.app.guard import LOOPBACK
    from kernelect.app.pages import pages_server
    from kernelect.app.running import address_of, listen, run_server

    folder, project = _folder_and_project(Path.home() / "kernelect" if place is None else place.absolute())
    token = os.environ.get("KERNELECT_TOKEN") or secrets.token_urlsafe(24)
    with listen("127.0.0.1", port) as listener:
        cookie = f"kernelect-{listener.getsockname()[1]}"
        at = f"{address_of(listener)}/?token={quote(token)}" + (f"&project={quote(project)}" if project else "")
        echo(f"{at} has the pages; projects are folders in {folder}. Ctrl-C ends it.", err=True)
        if not no_browser:
            webbrowser.open(at)
        run_server(partial(pages_server, folder, token=token, hosts=LOOPBACK, cookie=cookie), listener)


def _folder_and_project(place: Path) -> tuple[Path, str]:
    """Return the folder of the projects, and the project to open, if there is one."""
    if place.is_file():
        if place.name != "model.kernelect":
            raise InvalidArgument(f"PLACE {str(place)!r} is no folder: give one, or a model.kernelect.")
        place = place.parent
    if (place / "model.kernelect").is_file():
        return place.parent, place.name
    make_folder(place)
    return place, ""
