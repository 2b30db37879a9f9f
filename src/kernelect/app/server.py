"""A model of a table as a web application: predictions, explanations, health, and a description of its columns."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kernelect import __version__
from kernelect.app.guard import Guard, Refused, pieces_of, refusal
from kernelect.exceptions import KernelectError
from kernelect.spreadsheets import csv_of_frame
from kernelect.tabular import Column, Table, TableModel, Wanted, explain_table, load_model, match_columns, predict_rows
from kernelect.tabular.read import parse_table

_LOG = logging.getLogger(__name__)

#: Forms of a body by its content type.
_FORMS = {"application/json": "json", "text/csv": "csv"}

#: How an address asks for what commands have options for.
_ASKED = {"--interval": "?interval=", "--fill-missing": "?fill_missing=1"}

#: Bodies that are worked on at a time, by one process.
_MOST_AT_WORK = 4


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one request may hold at most."""

    bytes: int = 20_000_000
    rows: int = 100_000


def serve_file(path: Path, *, token: str, hosts: frozenset[str], limits: Limits) -> Starlette:
    """Return the application that answers for the model in a file; see :func:`model_server`."""
    return model_server(load_model(path, training=False, report=False)[0], token=token, hosts=hosts, limits=limits)


def model_server(model: TableModel, *, token: str, hosts: frozenset[str], limits: Limits) -> Starlette:
    """Return the application that answers for a model.

    Parameters
    ----------
    model : TableModel
        From :func:`kernelect.tabular.load_model`.
    token : str
        What requests have to carry.
    hosts : frozenset of str
        Names by which the server may be called.
    limits : Limits
    """
    at_work = CapacityLimiter(_MOST_AT_WORK)

    def answering(answer: Callable[[TableModel, Table, Request], Response]) -> Callable[[Request], Any]:
        async def respond(request: Request) -> Response:
            try:
                form = _form(request)
                pieces = pieces_of(request, limits.bytes, "send fewer rows at a time")
                body = b"".join([piece async for piece in pieces])
                rows = lambda: answer(model, _table(model, body, form, limits), request)  # noqa: E731
                return await to_thread.run_sync(rows, limiter=at_work)
            except Refused as error:
                return refusal(error.status, str(error))
            except KernelectError as error:
                return refusal(422, _as_asked(str(error)))
            except Exception:  # what goes on inside is not for strangers
                _LOG.exception("A request failed")
                return refusal(500, "The server failed on these rows: check them, or look at its log.")

        return respond

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok", "target": model.schema.target, "kernelect": __version__})

    async def description(_: Request) -> Response:
        return JSONResponse(describe_server(model, limits))

    return Starlette(
        routes=[
            Route("/predict", answering(_predictions), methods=["POST"]),
            Route("/explain", answering(_explanations), methods=["POST"]),
            Route("/health", health),
            Route("/openapi.json", description),
        ],
        middleware=[Middleware(Guard, hosts=hosts, token=token)],
    )


def _as_asked(sentence: str) -> str:
    """Return a sentence about options as one about addresses."""
    for option, words in _ASKED.items():
        sentence = sentence.replace(f"{option} ", words) if words.endswith("=") else sentence.replace(option, words)
    return sentence


def _form(request: Request) -> str:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _FORMS:
        raise Refused(415, f"The Content-Type is {kind!r}: send rows as {' or '.join(_FORMS)}.")
    return _FORMS[kind]


def _table(model: TableModel, body: bytes, form: str, limits: Limits) -> Table:
    try:
        table = parse_table(body, "The request", form, spelled=model.schema.spelled)
    except KernelectError as error:
        raise Refused(400, str(error)) from error
    if len(table.frame) > limits.rows:
        raise Refused(413, f"A request may hold {limits.rows} rows, and got {len(table.frame)}: send fewer at a time.")
    return table


def _predictions(model: TableModel, table: Table, request: Request) -> Response:
    frame, remarks = predict_rows(model, table, _wanted(request.query_params))
    if "text/csv" in request.headers.get("accept", ""):
        return Response(csv_of_frame(frame), media_type="text/csv")
    return JSONResponse({"predictions": _records(frame), "remarks": remarks})


def _wanted(asked: Mapping[str, str]) -> Wanted:
    unknown = next((name for name in asked if name not in ("interval", "fill_missing")), None)
    if unknown is not None:
        raise Refused(400, f"There is no {unknown!r} to ask for: ask for interval or fill_missing.")
    try:
        interval = None if "interval" not in asked else float(asked["interval"])
    except ValueError:
        raise Refused(400, f"?interval={asked['interval']} must be a number between 0 and 1, such as 0.9.") from None
    return Wanted(interval, fill_missing=asked.get("fill_missing", "0") != "0")


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return rows as JSON knows them: plain numbers, and None for missing cells."""
    cells = frame.astype(object).where(frame.notna(), None)
    plain = {name: [getattr(cell, "item", lambda cell=cell: cell)() for cell in cells[name]] for name in cells}
    return [dict(zip(plain, row, strict=True)) for row in zip(*plain.values(), strict=True)]


def _explanations(model: TableModel, table: Table, request: Request) -> Response:
    wanted = _wanted(request.query_params)
    X, remarks = match_columns(model.schema, table, wanted.fill_missing)
    found = explain_table(model, X)
    rows = [
        {
            "prediction": towards,
            "base": float(base),
            "total": float(total),
            "effects": dict(zip(found.columns, effects.tolist(), strict=True)),
        }
        for towards, base, total, effects in zip(found.towards, found.base, found.total, found.effects, strict=True)
    ]
    remarks = [*table.remarks, *remarks, *found.explanation.remarks]
    return JSONResponse({"explained": found.explanation.explained, "rows": rows, "remarks": remarks})


def describe_server(model: TableModel, limits: Limits) -> dict[str, Any]:
    """Return the OpenAPI description: paths, and the columns with their names, types and ranges."""
    columns = {column.name: _described(column) for column in model.schema.columns}
    row = {"type": "object", "properties": columns, "required": list(columns)}
    content = {
        "application/json": {"schema": {"type": "array", "items": row, "maxItems": limits.rows}},
        "text/csv": {"schema": {"type": "string", "maxLength": limits.bytes}},
    }
    words = {
        "200": "Answers",
        "400": "No table",
        "401": "No token",
        "403": "Another host or site",
        "413": "Too large",
        "415": "Neither JSON nor CSV",
        "422": "Rows that the model cannot use",
    }
    fill = _parameter("fill_missing", "integer", "1 if absent columns count as missing cells")
    interval = _parameter("interval", "number", "Share that intervals cover, such as 0.9 (numbers only)")
    post = {
        "requestBody": {"required": True, "content": content},
        "responses": {code: {"description": text} for code, text in words.items()},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": f"Predicts {model.schema.target} (fitted on {model.title})", "version": __version__},
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{"token": []}],
        "paths": {
            "/predict": {"post": {"summary": "Predict rows", "parameters": [interval, fill], **post}},
            "/explain": {"post": {"summary": "Why rows are predicted so", "parameters": [fill], **post}},
            "/health": {"get": {"responses": {"200": {"description": "The server answers"}}}},
        },
    }


def _parameter(name: str, kind: str, words: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": {"type": kind}, "description": words}


def _described(column: Column) -> dict[str, Any]:
    """Return the type of a column's cells; its range is that of the training table, and no limit."""
    if column.kind == "category":
        return {"type": ["string", "null"], "examples": list(column.categories)}
    if column.low is None or column.high is None:
        return {"type": ["number", "null"]}
    if column.kind == "date":
        ends = [str(date(1970, 1, 1) + timedelta(days=end)) for end in (column.low, column.high)]
        words = f"In training from {ends[0]} to {ends[1]}."
        return {"type": ["string", "null"], "format": "date", "description": words, "examples": ends}
    words = f"In training from {column.low:g} to {column.high:g}."
    return {"type": ["number", "null"], "description": words, "examples": [column.low, column.high]}
