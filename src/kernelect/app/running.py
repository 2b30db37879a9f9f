"""An application is put on a port: in this process, or in several that share the port."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.supervisors import Multiprocess

from kernelect.exceptions import KernelectError

#: Requests that are answered at a time; more are told to come again (503).
_MOST_REQUESTS = 100

#: Seconds that requests have to end once the server is told to.
_GRACE = 2

#: Seconds after which a process that says nothing is replaced: one that loads its model on a busy machine is not dead.
_SILENT = 60


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, since asyncio sends answers at once (TCP_NODELAY) on such sockets alone: others wait for 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()  # requests wait from now on, while the processes start
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or error
        raise KernelectError(
            f"The server cannot listen at {host} port {port} ({reason}): give another --host or --port."
        ) from error
    listener.set_inheritable(True)
    return listener


def address_of(listener: socket.socket) -> str:
    """Return the address of a server for browsers and programs."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run_server(make: Callable[[], Any], listener: socket.socket, workers: int = 1) -> None:
    """Answer requests until the process is told to end; ``make`` returns the application and can be pickled."""
    config = uvicorn.Config(
        make,
        factory=True,
        workers=workers,
        log_level="warning",
        limit_concurrency=_MOST_REQUESTS,
        timeout_graceful_shutdown=_GRACE,
        timeout_worker_healthcheck=_SILENT,
        server_header=False,
    )
    if workers > 1:
        Multiprocess(config, sockets=[listener]).run()
    else:
        uvicorn.Server(config).run(sockets=[listener])
