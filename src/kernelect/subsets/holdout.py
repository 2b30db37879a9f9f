"""Held-out rows, stored as sums that give the squared error of any linear model in O(m^2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.dictionaries.base import Candidates
from kernelect.exceptions import InvalidArgument
from kernelect.numerics import NEVER, Deadline
from kernelect.subsets.moments import SubsetMoments, SubsetRows, gather_about, gathered_moments
from kernelect.typing import Array, Indices

#: Rows below which none can be spared.
_FEWEST = 5


@dataclass(frozen=True, kw_only=True)
class Holdout:
    """Moments of the training part, and of the held-out rows about the means of the training part."""

    training: SubsetMoments
    aside: SubsetMoments

    @classmethod
    def split(
        cls,
        candidates: Candidates,
        sample: SubsetRows,
        share: float,
        generator: np.random.Generator,
        deadline: Deadline = NEVER,
    ) -> Holdout:
        """Hold out a random ``share`` of the rows."""
        if len(sample) < _FEWEST:
            raise InvalidArgument(
                f"{len(sample)} rows are too few to keep some aside for validation: give at least {_FEWEST} rows, "
                "or use OLS(stop='evidence')."
            )
        order = generator.permutation(len(sample))
        count = min(max(round(share * len(sample)), 1), len(sample) - 1)
        aside, training = sample.rows(np.sort(order[:count])), sample.rows(np.sort(order[count:]))
        moments = gathered_moments(candidates, training, deadline)
        kept = candidates.take(moments.candidates)
        centre = training.target_means if moments.rows is None else training.rows(moments.rows).target_means
        return cls(training=moments, aside=gather_about(kept, aside, moments.means, centre, deadline))

    def error(self, columns: Indices, coefficients: Array) -> float:
        """Return the mean squared error on held-out rows for ``coefficients`` (m, k) of the training part's columns."""
        G = self.aside.gram[np.ix_(columns, columns)]
        b = self.aside.projections[columns]
        squares = self.aside.energy - np.sum(coefficients * (2.0 * b - G @ coefficients), axis=0)
        return float(np.maximum(squares, 0.0).sum() / self.aside.n_rows)
