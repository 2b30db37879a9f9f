"""Sums over blocks of rows, several blocks at the same time.

One thread per block, with BLAS on a single thread inside: no thread waits for another, so a busy machine makes this
slower but wastes nothing (see unlocked.py). There are as many threads as BLAS is allowed, so that ``OMP_NUM_THREADS``
and threadpoolctl's limits are kept. Blocks are added in their own order: the number of threads changes no result.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from kernelect.numerics.threads import allowed_threads, single_blas_thread

Block = TypeVar("Block")
Result = TypeVar("Result")


def over_blocks(function: Callable[[Block], Result], blocks: Iterable[Block]) -> Iterator[Result]:
    """Yield ``function(block)`` for every block, in order; at most one result per thread is ahead of the consumer."""
    threads = min(allowed_threads(), len(blocks)) if isinstance(blocks, Sized) else allowed_threads()
    with single_blas_thread():
        if threads <= 1:
            yield from map(function, blocks)
            return
        with ThreadPoolExecutor(threads) as pool:
            ahead: deque[Future[Result]] = deque()
            try:
                for block in blocks:
                    ahead.append(pool.submit(function, block))
                    if len(ahead) > threads:
                        yield ahead.popleft().result()
                while ahead:
                    yield ahead.popleft().result()
            finally:
                for future in ahead:  # an error, or a consumer that stopped
                    future.cancel()


def sum_over_blocks(function: Callable[[Block], Any], blocks: Iterable[Block]) -> Any:
    """Return the sum of ``function(block)`` over all blocks."""
    total = None
    for part in over_blocks(function, blocks):
        total = part if total is None else total + part
    if total is None:
        raise ValueError("blocks is empty: at least one block of rows is needed.")
    return total
