"""The hyper-parameter vector theta: names, log transforms, bounds, pack and unpack.

Every hyper-parameter is positive and lives as its natural logarithm in one flat vector
``theta``. A space says which entries are free (``"auto"``) and which are fixed numbers,
where a search starts and how far it may go, and which entries are widths of inputs
(``gamma``), because priors and staged searches speak of widths only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.typing import Array, Indices, Mask

#: An entry this close to its bound (in log units) lies at it, as the status reports.
AT_BOUND = 1e-6


def check_positive(name: str, value: object) -> float | str:
    """Return ``value`` as a positive float or ``"auto"``; anything else is an error."""
    if isinstance(value, str):
        if value == "auto":
            return value
    elif isinstance(value, int | float | np.integer | np.floating) and np.isfinite(value) and value > 0:
        return float(value)
    raise InvalidArgument(f"{name}={value!r} must be a positive number, or 'auto' to have it selected.")


@dataclass(frozen=True, kw_only=True)
class ParameterSpace:
    """Names, start, bounds and roles of the entries of theta (all in logarithms).

    Attributes
    ----------
    names : tuple of str
    start, lower, upper : ndarray of shape (n_parameters,)
    free : ndarray of bool
        Entries the search may move.
    widths : tuple of index arrays
        One array per stationary kernel: the entries that are its ``gamma``. An array with
        more than one entry is an elliptical kernel.
    reference : ndarray of shape (n_parameters,)
        What "equal widths" means: elliptical widths are equal when ``theta - reference`` is
        constant. Zero for numbers given by the user; the inputs' own scale for ``"auto"``,
        so that a column measured in other units is not a different problem.
    amplitudes : ndarray of int
        The entries that multiply a kernel as a whole.
    """

    names: tuple[str, ...]
    start: Array
    lower: Array
    upper: Array
    free: Mask
    widths: tuple[Indices, ...] = ()
    reference: Array = field(default_factory=lambda: np.zeros(0))
    amplitudes: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def single(
        cls, name: str, start: float, *, below: float = 0.0, above: float = 0.0, free: bool = True
    ) -> ParameterSpace:
        """Return the space of one parameter with bounds ``below`` and ``above`` its start."""
        at = np.array([start])
        return cls(
            names=(name,),
            start=at,
            lower=at - below,
            upper=at + above,
            free=np.array([free]),
            widths=(),
            reference=np.zeros(1),
        )

    @classmethod
    def joined(cls, spaces: Sequence[ParameterSpace]) -> ParameterSpace:
        """Concatenate spaces, none of them gives the empty one; names that occur twice are distinguished by part."""
        times = Counter(name for space in spaces for name in space.names)
        unique = tuple(
            f"part{number}.{name}" if times[name] > 1 else name
            for number, space in enumerate(spaces, start=1)
            for name in space.names
        )
        offsets = np.cumsum([0, *(len(space) for space in spaces)])

        def column(name: str) -> Array:
            return np.concatenate([np.zeros(0), *(getattr(space, name) for space in spaces)])

        return cls(
            names=unique,
            start=column("start"),
            lower=column("lower"),
            upper=column("upper"),
            free=column("free").astype(bool),
            widths=tuple(
                group + offset for space, offset in zip(spaces, offsets[:-1], strict=True) for group in space.widths
            ),
            reference=column("reference"),
            amplitudes=column("amplitudes").astype(np.intp)
            + np.repeat(offsets[:-1], [len(space.amplitudes) for space in spaces]),
        )

    @property
    def all_widths(self) -> Indices:
        """Indices of every width, fixed or free, that is not switched off."""
        if not self.widths:
            return np.zeros(0, dtype=np.intp)
        entries = np.concatenate(self.widths)
        return entries[np.isfinite(self.start[entries])]

    @property
    def elliptical(self) -> bool:
        """Whether some kernel has more than one width that is not switched off."""
        return any(np.isfinite(self.start[group]).sum() > 1 for group in self.widths)

    def named_by(self, columns: Sequence[int]) -> ParameterSpace:
        """Return the space for inputs that are these columns of a table: names have the table's numbers."""

        def renamed(name: str) -> str:
            return re.sub(r"\[(\d+)\]$", lambda found: f"[{columns[int(found[1])]}]", name)

        return replace(self, names=tuple(renamed(name) for name in self.names))

    def moved(self, start: Array) -> ParameterSpace:
        """Return the space with another start; an entry at ``-inf`` (a width of 0) is not free."""
        return replace(self, start=start, free=self.free & np.isfinite(start))

    def at_bound(self, theta: Array) -> tuple[str, ...]:
        """Return the names of free entries that lie at a bound."""
        free = np.flatnonzero(self.free)
        near = (theta[free] - self.lower[free] < AT_BOUND) | (self.upper[free] - theta[free] < AT_BOUND)
        return tuple(self.names[index] for index in free[near])
