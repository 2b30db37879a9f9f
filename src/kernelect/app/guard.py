"""Who may ask: hosts, origins and the token are checked before a request is read."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from kernelect.exceptions import KernelectError

#: Names of this machine for itself.
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def refusal(status: int, sentence: str) -> JSONResponse:
    """Return an answer that says in one sentence what is wrong."""
    return JSONResponse({"error": sentence}, status)


class Refused(KernelectError):
    """A request that is not answered, with the status and the sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


async def pieces_of(request: Request, most: int, advice: str) -> AsyncIterator[bytes]:
    """Yield what was sent; a body that is too large is refused before it is read, or as soon as it shows."""
    too_large = Refused(413, f"A request may hold {most} bytes: {advice}.")
    announced = request.headers.get("content-length", "0")
    if not announced.isdecimal() or int(announced) > most:
        raise too_large
    read = 0
    async for piece in request.stream():
        read += len(piece)
        if read > most:
            raise too_large
        yield piece


#: The answer to the address with the token. A redirect would come without the cookie if another page has the link.
_OPENED = (
    '<!doctype html><html lang="en"><meta http-equiv="refresh" content="0;url={}"><link rel="icon" href="data:,">'
    "<title>kernelect</title></html>"
)


class Guard:
    """Passes on requests to known hosts, from no other site, with the token.

    A page of a stranger can make a browser send requests here (cross-site requests), or give its own name our address
    (DNS rebinding); both name another origin or host. Pages on another port of this machine count as strangers too.

    Parameters
    ----------
    app : ASGI application
    hosts : set of str
        Names by which the server may be called.
    token : str
        What the header ``Authorization: Bearer ...`` has to hold.
    cookie : str, optional
        Name of the cookie that may hold the token instead; browsers get it at the address ``/?token=...``.
    """

    def __init__(self, app: Any, *, hosts: frozenset[str], token: str, cookie: str | None = None) -> None:
        self._app, self._hosts, self._token, self._cookie = app, hosts, token, cookie

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, or refuse it."""
        answer = self._answer(Request(scope)) if scope["type"] == "http" else None
        await (self._app if answer is None else answer)(scope, receive, send)

    def _answer(self, request: Request) -> Response | None:
        """Return a refusal, or the cookie to who shows the token; None if the request is passed on."""
        headers = request.headers
        host, origin = headers.get("host", ""), headers.get("origin")
        if _name_in(f"//{host}") not in self._hosts:
            return refusal(403, f"This server does not answer to the name {host!r}: allow it with --allow-host.")
        if origin not in (None, f"http://{host}", f"https://{host}"):
            return refusal(403, f"Pages of {origin!r} may not ask this server: ask it from a program.")
        if self._is(headers.get("authorization", ""), "Bearer "):
            return None
        if self._cookie is None:
            return refusal(401, "Send the token of the server as the header Authorization: Bearer TOKEN.")
        if request.url.path == "/" and self._is(request.query_params.get("token", "")):
            project = quote(request.query_params.get("project", ""), safe="")
            opened = HTMLResponse(_OPENED.format(f"/project/{project}" if project else "/"))
            opened.set_cookie(self._cookie, self._token, httponly=True, samesite="strict")
            return opened
        if not self._is(request.cookies.get(self._cookie, "")):
            return refusal(401, "Open the address that kernelect app printed when it started: it holds the token.")
        changes = request.method not in ("GET", "HEAD")
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") or (changes and origin is None):
            return refusal(403, "Only the pages of this server may ask it: open its own address.")
        return None

    def _is(self, shown: str, before: str = "") -> bool:
        return secrets.compare_digest(shown.encode(), f"{before}{self._token}".encode())


def _name_in(address: str) -> str:
    """Return the host without its port; empty if it is none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
