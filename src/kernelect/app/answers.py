"""What every answer of the pages has in common: headers, refusals in a sentence, and how bodies are read."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from kernelect.app.guard import Refused, pieces_of, refusal
from kernelect.app.wording import in_page_words
from kernelect.exceptions import KernelectError
from kernelect.files import writing_whole

_LOG = logging.getLogger(__name__)

#: Bytes of a file at most, and of all else that pages send.
MOST_BYTES, _MOST_JSON = 200_000_000, 1_000_000

_PAGE = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

#: A report may come from a stranger: it runs its scripts as a page of no site, and can reach nothing.
REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)

HEADERS = {
    "Content-Security-Policy": _PAGE,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def answering(answer: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers a request in any case: what is refused gets a sentence, and every answer the headers."""

    async def respond(request: Request) -> Response:
        try:
            found = await answer(request)
        except Refused as error:
            found = refusal(error.status, str(error))
        except KernelectError as error:
            found = refusal(422, in_page_words(str(error)))
        except MemoryError:
            found = refusal(422, "This needs more memory than is free: leave out rows or columns, or close programs.")
        except Exception:
            _LOG.exception("A request failed")
            found = refusal(500, "The server failed on this: look at what it printed in the terminal.")
        for name, value in HEADERS.items():
            found.headers.setdefault(name, value)
        return found

    return respond


def packaged(package: str, name: str, kind: str) -> Response:
    """Return a file of a package."""
    return Response(files(package).joinpath(name).read_bytes(), media_type=kind)


async def receive_file(request: Request, place: Path) -> None:
    """Write what is sent to a file, whole or not at all."""
    advice = f"that is {MOST_BYTES // 1_000_000} MB; fit larger tables with kernelect fit"
    pieces = pieces_of(request, MOST_BYTES, advice)
    first = await anext(pieces, b"")  # refused before there is a file
    with writing_whole(place, force=True) as file:
        file.write(first)
        async for piece in pieces:
            file.write(piece)


async def settings_sent(request: Request) -> dict[str, Any]:
    """Return the JSON object that a page sent."""
    body = b"".join([piece async for piece in pieces_of(request, _MOST_JSON, "change fewer roles")])
    try:
        found = json.loads(body)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Refused(400, "Send the settings as a JSON object.")
    return found


def number_asked(text: str, name: str) -> float:
    """Return a number that stands in an address."""
    try:
        return float(text)
    except ValueError:
        raise Refused(422, f"{name} is {text!r}: give a number.") from None
