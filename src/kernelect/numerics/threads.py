"""How many threads BLAS may use.

Below some hundred rows a second thread gains nothing, and on a busy machine it loses: BLAS
threads wait for each other by spinning, and a fit of 0.2 s was measured at 30 s.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

#: Rows up to which one thread is used.
SINGLE_THREAD_ROWS = 700


@cache
def _controller() -> Any:
    return ThreadpoolController()


def blas_threads_for(n_rows: int) -> AbstractContextManager[Any]:
    """Return a context in which matrices of ``n_rows`` rows are treated best."""
    if n_rows > SINGLE_THREAD_ROWS:
        return nullcontext()
    limits: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limits
