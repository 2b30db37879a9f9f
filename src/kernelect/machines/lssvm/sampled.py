"""Training rows that a machine on landmarks keeps, so that its leave-one-out is known with fewer landmarks too.

Notation as in landmarks.py. The state holds the sums over all rows, and thus the machine on any of its landmarks; what
leave-one-out needs beyond that are the rows that are left out, of which a sample stands for all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernelect.machines.lssvm.groups import Groups
from kernelect.machines.lssvm.groups_left_out import left_out, without_own_function
from kernelect.machines.lssvm.landmarks import LandmarkState, MachineRows, WhitenedFrame
from kernelect.machines.lssvm.left_out import LeftOut
from kernelect.numerics import taken
from kernelect.typing import Array, Indices


@dataclass(frozen=True, kw_only=True)
class SampledRows:
    """Some training rows of a machine on landmarks, and the machine's sums over all rows.

    Attributes
    ----------
    state : LandmarkState
        On some of the landmarks, or all of them.
    places : ndarray of shape (p,)
        Which of the machine's landmarks these are.
    numbers : ndarray of shape (q,)
        Which training rows these are, sorted.
    inputs : ndarray of shape (q, d)
    targets : ndarray of shape (q, k)
    weights : ndarray of shape (q,)
    own, equal : ndarray of shape (q,)
        Which of these landmarks leaves with each row, and which one has the inputs of the row; -1 if none.
    groups : ndarray of shape (q,) or None
        If whole groups are left out, the group of each row; every group is whole.
    """

    state: LandmarkState
    places: Indices
    numbers: Indices
    inputs: Array
    targets: Array
    weights: Array
    own: Indices
    equal: Indices
    groups: Indices | None = None

    def times(self, unit: float) -> SampledRows:
        """Return the rows for targets that are ``unit`` times as large."""
        return replace(self, state=self.state.times(unit), targets=unit * self.targets)

    def among(self, chosen: Indices) -> SampledRows:
        """Return the rows for the machine on some of these landmarks."""
        later = np.full(len(self.places) + 1, -1)  # the last one for rows that are no landmark
        later[chosen] = np.arange(len(chosen))
        return replace(
            self,
            state=self.state.among(chosen),
            places=np.arange(len(chosen)),
            own=later[self.own],
            equal=later[self.equal],
        )

    def thinned(self, places: Indices) -> SampledRows:
        """Return the rows with the sums of some landmarks alone, if these are all landmarks of the machine."""
        return replace(self.among(places), places=places)

    def renumbered(self, order: Indices) -> SampledRows:
        """Return the rows with other numbers, ``order`` of those that they have."""
        numbers = order[self.numbers]
        rows = np.argsort(numbers, kind="stable")
        renamed = replace(self, numbers=numbers)
        return taken(renamed, rows, "numbers", "inputs", "targets", "weights", "own", "equal", "groups")

    def left_out(self, cross: Array) -> LeftOut:
        """Return the rows, or whole groups, left out of the machine together with the landmarks that they are.

        ``cross`` has kernel values between landmarks and rows, (m, q).
        """
        groups = None if self.groups is None else Groups(self.groups)
        rows = MachineRows(cross=cross.copy(), targets=self.targets, weights=self.weights, groups=groups)
        return without_own_function(self.state, left_out(self.state, rows), self.own)

    def unspanned(self, frame: WhitenedFrame, prior: Array, cross: Array) -> Array:
        """Return what the landmarks leave of k(x, x) = ``prior`` (q,) at each row; at a landmark, what others leave."""
        left = np.maximum(prior - frame.spanned(frame.whitened(cross.copy())), 0.0)
        at = self.equal >= 0
        left[at] = frame.unspanned_by_others()[self.equal[at]]
        return left
