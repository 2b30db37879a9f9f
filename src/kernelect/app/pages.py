"""The pages of ``kernelect app``: projects, columns, fits in worker processes, reports, predictions, files."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import anyio
from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from kernelect import __version__
from kernelect.app.answers import (
    HEADERS,
    MOST_BYTES,
    REPORT_POLICY,
    answering,
    number_asked,
    packaged,
    receive_file,
    settings_sent,
)
from kernelect.app.guard import Guard, Refused
from kernelect.app.jobs import Jobs
from kernelect.app.looking import look_at
from kernelect.app.predicted import first_rows, write_sheet
from kernelect.app.projects import (
    COMPARISON,
    EVALUATION,
    EXPORTS,
    MODEL,
    PREDICTIONS,
    PRIVATE,
    REPORT,
    SHEET,
    Project,
    Projects,
    last_of,
    spelled_anew,
)
from kernelect.app.settings import python_lines, repeated, settings_from
from kernelect.app.wording import facts_in_page_words, in_page_words
from kernelect.exceptions import KernelectError, UnusableTable
from kernelect.tabular import load_model

#: Requests that are worked on at a time, seconds between two events, and rows of predictions that are shown.
_AT_WORK, _TICK, _SHOWN = 4, 0.3, 20

#: Address -> package, file and type of what the pages consist of.
_PARTS = {
    "/app.js": ("kernelect.app", "static/app.js", "text/javascript"),
    "/app.css": ("kernelect.app", "static/app.css", "text/css"),
    "/report.css": ("kernelect.report", "templates/report.css", "text/css"),
}


class Pages:
    """What the pages ask for.

    Parameters
    ----------
    folder : Path
        That of the projects.
    """

    def __init__(self, folder: Path) -> None:
        self._projects, self._jobs, self._limiter = Projects(folder), Jobs(), CapacityLimiter(_AT_WORK)

    def routes(self) -> list[Route]:
        """Return addresses and what answers at them."""
        one = "/api/projects/{name}"
        asked: list[tuple[str, str, Callable[[Request], Awaitable[Response]]]] = [
            ("GET", "/", self.page),
            ("GET", "/project/{name}", self.page),
            *(("GET", address, self.part) for address in _PARTS),
            ("GET", "/api/projects", self.listed),
            ("POST", "/api/projects", self.begin),
            ("GET", one, self.shown),
            ("GET", f"{one}/columns", self.columns),
            ("PUT", f"{one}/settings", self.choose),
            ("POST", f"{one}/fit", self.fit),
            ("POST", f"{one}/compare", self.compare),
            ("POST", f"{one}/predict", self.predict),
            ("POST", f"{one}/evaluate", self.evaluate),
            ("POST", f"{one}/export", self.export),
            ("POST", f"{one}/cancel", self.cancel),
            ("GET", f"{one}/events", self.events),
            ("GET", f"{one}/predictions", self.predictions),
            ("GET", "/files/{name}/{file}", self.file),
        ]
        return [Route(address, answering(answer), methods=[method]) for method, address, answer in asked]

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """End all commands when the server ends."""
        yield
        await to_thread.run_sync(self._jobs.close)

    async def _do(self, work: Callable[[], Any]) -> Any:
        return await to_thread.run_sync(work, limiter=self._limiter)

    def _named(self, request: Request) -> Project:
        return self._projects.named(request.path_params["name"])

    async def page(self, _: Request) -> Response:
        """Return the page, which is the same for all projects."""
        return packaged("kernelect.app", "static/index.html", "text/html")

    async def part(self, request: Request) -> Response:
        """Return a script or a style sheet."""
        return packaged(*_PARTS[request.url.path])

    async def listed(self, _: Request) -> Response:
        """Return all projects."""
        found = [
            {
                "name": one.name,
                "target": one.settings().target,
                "fitted": one.has(MODEL),
                "state": self._jobs.state(one).get("state", ""),
                "changed": one.changed,
            }
            for one in await self._do(self._projects.listed)
        ]
        return JSONResponse({"folder": str(self._projects.folder), "most_bytes": MOST_BYTES, "projects": found})

    async def begin(self, request: Request) -> Response:
        """Make a project of a table or of a model."""
        name = request.query_params.get("file", "")
        is_model = name.lower().endswith(Path(MODEL).suffix)
        project = await self._do(partial(self._projects.new, name))
        try:
            place = project.folder / (MODEL if is_model else spelled_anew(name))
            await receive_file(request, place)
            if is_model:
                await self._do(partial(load_model, place, training=False))
            else:
                settings = replace(project.settings(), table=place.name)
                await self._do(partial(look_at, place, settings))
                project.choose(settings)
        except BaseException as error:  # cancelled in the middle of an upload, too
            project.remove()
            if isinstance(error, UnusableTable):  # with the name that its owner knows
                raise Refused(
                    422, in_page_words(str(error).replace(place.name, last_of(name) or place.name))
                ) from error
            raise
        return JSONResponse({"name": project.name}, 201)

    async def shown(self, request: Request) -> Response:
        """Return all about a project but its columns."""
        project = self._named(request)
        settings = project.settings()
        return JSONResponse(
            {
                "name": project.name,
                "folder": str(project.folder),
                "table": settings.table,
                "settings": {name: value for name, value in vars(settings).items() if name != "table"},
                "files": project.files(),
                "job": self._jobs.state(project),
                "model": await self._do(partial(_model_facts, project)),
                "evaluation": _written(project, EVALUATION),
                "comparison": _written(project, COMPARISON),
                "repeat": None
                if settings.target is None
                else {"command": repeated(settings), "python": python_lines(settings)},
                "version": __version__,
            }
        )

    async def columns(self, request: Request) -> Response:
        """Return the columns of the table, read as was chosen."""
        project = self._named(request)
        settings = project.settings()
        if settings.table is None:
            raise Refused(404, f"The project {project.name!r} has no table: begin a new project with one.")
        return JSONResponse(await self._do(partial(look_at, project.folder / settings.table, settings)))

    async def choose(self, request: Request) -> Response:
        """Keep what was chosen about the table."""
        project = self._named(request)
        project.choose(settings_from(await settings_sent(request), project.settings().table))
        return await self.columns(request)

    async def fit(self, request: Request) -> Response:
        """Start ``kernelect fit``."""
        project = self._named(request)
        settings = project.settings()
        return await self._start(project, "fit", settings.command(), settings.time_limit)

    async def compare(self, request: Request) -> Response:
        """Start ``kernelect compare``."""
        project = self._named(request)
        return await self._start(project, "compare", project.settings().command("compare"))

    async def predict(self, request: Request) -> Response:
        """Start ``kernelect predict`` for the rows that are sent."""
        asked = dict(request.query_params)
        options = [f"--out={PREDICTIONS}"]
        options += [f"--interval={number_asked(asked['interval'], 'interval'):g}"] if asked.get("interval") else []
        options += [f"--explain={number_asked(asked['reasons'], 'reasons'):.0f}"] if asked.get("reasons") else []
        options += ["--fill-missing"] if asked.get("fill_missing") == "1" else []
        return await self._with_rows(request, "predict", options)

    async def evaluate(self, request: Request) -> Response:
        """Start ``kernelect evaluate`` for the rows that are sent."""
        by = request.query_params.get("by")
        return await self._with_rows(request, "evaluate", [f"--by={by}"] if by else [])

    async def _with_rows(self, request: Request, kind: str, options: list[str]) -> Response:
        project = self._named(request)
        project.file(MODEL)
        place = project.rows_file(request.query_params.get("file", ""))
        await receive_file(request, place)
        rows, sheet = place.relative_to(project.folder).as_posix(), request.query_params.get("sheet")
        options += [f"--sheet={sheet}"] if sheet else []
        return await self._start(project, kind, [kind, MODEL, rows, *options])

    async def export(self, request: Request) -> Response:
        """Start ``kernelect export``, or ``kernelect report`` for one without rows."""
        project, to = self._named(request), request.query_params.get("to", "")
        project.file(MODEL)
        if to == "report":
            settings = project.settings()
            if settings.table is None:
                raise Refused(422, "A report is made from the table, and this project has a model alone.")
            sheet = [] if settings.sheet is None else [f"--sheet={settings.sheet}"]
            words = ["report", MODEL, settings.table, *sheet, "--private", f"--out={PRIVATE}"]
            return await self._start(project, "export", words)
        if to not in EXPORTS:
            raise Refused(422, f"There is no export to {to!r}: use one of {', '.join(EXPORTS)}.")
        return await self._start(project, "export", ["export", MODEL, f"--to={to}", f"--out={EXPORTS[to]}"])

    async def _start(self, project: Project, kind: str, words: list[str], limit: float | None = None) -> Response:
        await self._do(partial(self._jobs.start, project, kind, words, limit))
        return JSONResponse(self._jobs.state(project), 202)

    async def cancel(self, request: Request) -> Response:
        """End the command that runs."""
        project = self._named(request)
        await self._do(partial(self._jobs.cancel, project))
        return JSONResponse(self._jobs.state(project))

    async def events(self, request: Request) -> Response:
        """Send how far the command is, until it has ended."""
        project = self._named(request)

        async def told() -> AsyncIterator[str]:
            while True:
                state = self._jobs.state(project)
                yield f"data: {json.dumps(state)}\n\n"
                if state.get("state") != "running":
                    return
                await anyio.sleep(_TICK)

        return StreamingResponse(told(), media_type="text/event-stream", headers=HEADERS)

    async def predictions(self, request: Request) -> Response:
        """Return the first predictions."""
        path = self._named(request).file(PREDICTIONS)
        return JSONResponse(await self._do(partial(first_rows, path, _SHOWN)))

    async def file(self, request: Request) -> Response:
        """Return a file that a command wrote: reports to be read, all others to be kept."""
        project, name = self._named(request), request.path_params["file"]
        if name == SHEET:
            await self._do(partial(write_sheet, project.file(PREDICTIONS), project.folder / SHEET))
        path = project.file(name)
        if path.name == REPORT and "keep" not in request.query_params:
            headers = {**HEADERS, "Content-Security-Policy": REPORT_POLICY}
            return FileResponse(path, media_type="text/html", headers=headers)
        return FileResponse(path, media_type="application/octet-stream", filename=path.name, headers=HEADERS)


def pages_server(folder: Path, *, token: str, hosts: frozenset[str], cookie: str) -> Starlette:
    """Return the application with all pages.

    Parameters
    ----------
    folder : Path
        That of the projects.
    token : str
        What requests have to carry, in the cookie or in a header.
    hosts : frozenset of str
        Names by which the server may be called.
    cookie : str
        Name of the cookie: browsers send the cookies of one port to all others too.
    """
    pages = Pages(folder)
    guard = Middleware(Guard, hosts=hosts, token=token, cookie=cookie)
    return Starlette(routes=pages.routes(), middleware=[guard], lifespan=pages.lifespan)


def _model_facts(project: Project) -> dict[str, Any] | None:
    """Return what the model predicts, and how well; the reason, if it cannot be read."""
    if not project.has(MODEL):
        return None
    path = project.file(MODEL)
    return _facts_of(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=32)
def _facts_of(path: Path, _: int) -> dict[str, Any]:
    try:
        model, remarks = load_model(path, training=False)
        facts = model.facts
    except KernelectError as error:
        return {"error": str(error)}
    return {
        "target": model.schema.target,
        "task": model.schema.task,
        "title": model.title,
        "columns": [column.name for column in model.schema.columns],
        "verdict": facts["verdict"]["words"],
        "level": facts["verdict"]["level"],
        "remarks": remarks,
    }


def _written(project: Project, name: str) -> Any:
    """Return what a command printed as JSON, its remarks in the words of the page; None if it has not run."""
    try:
        found = facts_in_page_words(json.loads(project.file(name).read_bytes()))
        return {**found, "remarks": [str(remark) for remark in found["remarks"]]}
    except (Refused, OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
