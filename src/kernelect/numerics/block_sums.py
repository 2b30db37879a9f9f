"""Sums over blocks of rows, several blocks at the same time.

Each block has one thread, and BLAS uses a single thread inside. No thread waits for another, so a busy machine makes
this slower but wastes nothing (see unlocked.py). There are as many threads as BLAS is allowed, which respects
``OMP_NUM_THREADS`` and threadpoolctl's limits. Blocks are added in order, so the number of threads does not change
the result.
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
    """Yield ``function(block)`` for every block, in order; each thread computes at most one result in advance."""
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


#: Terms that are added one after the other before their sum is a term itself.
BRANCHES = 8


class TreeSum:
    """A sum in a tree: rounding grows with the logarithm of the number of terms, not with its root.

    Sums over a million rows are solved afterwards, which magnifies what rounding left of them: added one block after
    the other they were seven times farther from the sums that a cluster finds. None is nothing.
    """

    def __init__(self) -> None:
        self._levels: list[tuple[int, Any]] = []

    def add(self, term: Any) -> None:
        """Add a term."""
        level = 0
        while term is not None:
            if level == len(self._levels):
                self._levels.append((0, None))
            count, before = self._levels[level]
            count, term = count + 1, term if before is None else before + term
            full = count == BRANCHES
            self._levels[level] = (0, None) if full else (count, term)
            level, term = level + 1, term if full else None

    def total(self) -> Any:
        """Return the sum, None if there was no term."""
        total = None
        for _, part in self._levels:
            if part is not None:
                total = part if total is None else part + total
        return total


def tree_sum(terms: Iterable[Any]) -> Any:
    """Return the sum of terms, None if there are none."""
    found = TreeSum()
    for term in terms:
        found.add(term)
    return found.total()


def sum_over_blocks(function: Callable[[Block], Any], blocks: Iterable[Block]) -> Any:
    """Return the sum of ``function(block)`` over all blocks, added in order."""
    total = tree_sum(over_blocks(function, blocks))
    if total is None:
        raise ValueError("blocks is empty: at least one block of rows is needed.")
    return total
