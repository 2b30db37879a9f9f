"""Work on blocks of rows, several blocks at the same time.

SciPy's wrappers keep Python's lock during a call. Threads inside BLAS are the usual way to more than one core, but they
wait for each other by spinning: with other work on the machine two of them were measured at four times the
processor time of one. Threads that each work on their own block, with BLAS on a single thread, never wait. The
routines are SciPy's own, called without the lock at the addresses it publishes for compiled code
(``scipy.linalg.cython_blas``). There are as many threads as BLAS is allowed, which respects ``OMP_NUM_THREADS`` and
threadpoolctl's limits. Blocks are added in order, so the number of threads does not change the result.

All matrices are C-ordered; to BLAS such a matrix is its transpose in Fortran order. A block is (m, b): a column per row
of the data, as in kernel values between m rows that a model keeps and b others.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

import numpy as np
from scipy.linalg import cython_blas

from kernelect.numerics.threads import allowed_threads, single_blas_thread
from kernelect.typing import Array

_FLAGS = {flag: ctypes.byref(ctypes.c_char(flag)) for flag in (b"L", b"N", b"R", b"T")}
_NUMBERS = {number: ctypes.byref(ctypes.c_double(number)) for number in (-1.0, 0.0, 1.0)}


@cache
def _routine(name: str, n_arguments: int) -> Any:
    """Return a BLAS routine that takes addresses; calls through ctypes release the lock."""
    capsule = cython_blas.__pyx_capi__[name]
    get_name, get_pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = get_pointer(capsule, get_name(capsule))
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * n_arguments)(address)


def apply_lower(lower: Array, block: Array, transposed: bool = False) -> None:
    """Overwrite ``block`` (m, b) with ``lower @ block`` or ``lower.T @ block``.

    ``lower`` (m, m) is lower triangular in Fortran order; its upper triangle is not referenced.
    """
    _check(block, (len(lower), block.shape[1]))
    _check(lower.T, (len(lower), len(lower)))
    m, b = map(_integer, block.shape)
    side = _FLAGS[b"N" if transposed else b"T"]
    _routine("dtrmm", 11)(
        *(_FLAGS[b"R"], _FLAGS[b"L"], side, _FLAGS[b"N"], b, m, _NUMBERS[1.0], lower.ctypes.data, m),
        *(block.ctypes.data, b),
    )


def block_gram(block: Array) -> Array:
    """Return ``block @ block.T`` (m, m) in Fortran order, with the lower triangle filled and the rest 0."""
    _check(block, block.shape)
    m, b = map(_integer, block.shape)
    out = np.zeros((len(block), len(block)), order="F")
    _routine("dsyrk", 10)(
        *(_FLAGS[b"L"], _FLAGS[b"T"], m, b, _NUMBERS[1.0], block.ctypes.data, b, _NUMBERS[0.0], out.ctypes.data, m)
    )
    return out


def times_block(left: Array, block: Array) -> Array:
    """Return ``left @ block`` in C order, for C-ordered ``left`` (q, m) and ``block`` (m, b)."""
    _check(left, (len(left), len(block)))
    _check(block, block.shape)
    out = np.empty((len(left), block.shape[1]))
    (m, b), q = map(_integer, block.shape), _integer(len(left))
    _routine("dgemm", 13)(
        *(_FLAGS[b"N"], _FLAGS[b"N"], b, q, m, _NUMBERS[1.0], block.ctypes.data, b, left.ctypes.data, m),
        *(_NUMBERS[0.0], out.ctypes.data, b),
    )
    return out


def subtract_product(block: Array, left: Array, right: Array) -> None:
    """Subtract ``left @ right`` from ``block`` (m, b), for C-ordered ``left`` (m, q) and ``right`` (q, b)."""
    _check(block, (len(left), right.shape[1]))
    _check(left, (len(left), len(right)))
    _check(right, right.shape)
    (m, b), q = map(_integer, block.shape), _integer(len(right))
    _routine("dgemm", 13)(
        *(_FLAGS[b"N"], _FLAGS[b"N"], b, m, q, _NUMBERS[-1.0], right.ctypes.data, b, left.ctypes.data, q),
        *(_NUMBERS[1.0], block.ctypes.data, b),
    )


def _check(matrix: Array, shape: tuple[int, ...]) -> None:
    """Refuse what an address alone would not tell."""
    if matrix.ndim == 2 and matrix.shape == shape and matrix.flags.c_contiguous and matrix.dtype == np.float64:
        return
    raise ValueError(
        f"a contiguous float64 matrix of shape {shape} is needed, got {matrix.dtype} of shape {matrix.shape} "
        f"and strides {matrix.strides}: convert it with numpy.ascontiguousarray."
    )


def _integer(value: int) -> Any:
    return ctypes.byref(ctypes.c_int(value))


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
