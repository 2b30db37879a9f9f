"""What ``candidates_`` shows of a fitted mixture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import Any

import numpy as np

from kernelect.extras import load_extra
from kernelect.mixture.base import MixtureCandidate
from kernelect.mixture.fitting import Field
from kernelect.typing import Array, Indices, Mask

_HEADS = ("candidate", "leave-one-out", "weight", "seconds", "status")

#: Status of a candidate that time_limit left no time for.
NOT_FITTED = "not fitted: no time was left"

#: Status of a member that predictions do without, before that of its fit.
_FOLDED = "without a say: its weight was below 1 %"

#: Columns of a terminal, and of them those of a candidate's name.
_WIDTH, _NAME_WIDTH = 80, 50


def _line(cells: tuple[str, ...]) -> str:
    name, score, weight, seconds = cells
    return f"{name:<{_NAME_WIDTH}} {score:<13} {weight:>6} {seconds:>7}"


@dataclass(frozen=True, kw_only=True, repr=False)
class CandidateTable:
    """The candidates of a fitted mixture in columns, the heaviest first if they are shown.

    Attributes
    ----------
    candidate : tuple of MixtureCandidate
    score, standard_error : ndarray of shape (n_candidates,)
        Leave-one-out log-loss of labels, squared error over the targets' variance, or, of targets known in part, minus
        the log-likelihood on their scale;
        NaN if a candidate was not fitted.
    weight : ndarray of shape (n_candidates,)
        0 if a candidate has no say in predictions: it was not fitted, or rows left out are predicted as well
        without it.
    seconds : ndarray of shape (n_candidates,)
    status : tuple of str
    tried : ndarray of bool of shape (n_candidates,)
        Which candidates there was time for: those that were fitted, or left a race.
    """

    candidate: tuple[MixtureCandidate, ...]
    score: Array
    standard_error: Array
    weight: Array
    seconds: Array
    status: tuple[str, ...]
    tried: Mask

    @classmethod
    def of(
        cls,
        wanted: tuple[MixtureCandidate, ...],
        found: Field,
        losses: Sequence[Array],
        weights: Array,
        shares: Mapping[MixtureCandidate, float],
    ) -> CandidateTable:
        """Return the table of candidates, fitted or not.

        Parameters
        ----------
        wanted : tuple of MixtureCandidate
        found : Field
        losses : sequence of ndarray of shape (n,)
            Of rows left out, under every member of the field.
        weights : ndarray of shape (n,)
        shares : mapping of MixtureCandidate to float
            Weights of those that have a say.
        """
        score, error = np.full(len(wanted), np.nan), np.full(len(wanted), np.nan)
        weight, seconds, status = np.zeros(len(wanted)), np.zeros(len(wanted)), [NOT_FITTED] * len(wanted)
        for each in found.left:
            place = wanted.index(each.candidate)
            seconds[place], status[place] = each.seconds, each.status
        for member, own in zip(found.members, losses, strict=True):
            place, candidate = wanted.index(member.candidate), member.candidate
            score[place], error[place] = np.average(own, weights=weights), own.std() / np.sqrt(len(own))
            weight[place], seconds[place] = shares.get(candidate, 0.0), member.seconds
            status[place] = member.in_words if candidate in shares else f"{_FOLDED}; {member.in_words}"
        known = {each.candidate for each in found.left} | {each.candidate for each in found.members}
        return cls(
            candidate=wanted,
            score=score,
            standard_error=error,
            weight=weight,
            seconds=seconds,
            status=tuple(status),
            tried=np.array([each in known for each in wanted]),
        )

    def __len__(self) -> int:
        return len(self.candidate)

    def order(self) -> Indices:
        """Return the places of the candidates, the heaviest first."""
        return np.argsort(-self.weight, kind="stable")

    def __repr__(self) -> str:
        """Return a table in plain text of at most 80 columns, the heaviest candidate first."""
        rows = [self._cells(int(place)) for place in self.order()]
        lines = [_line(_HEADS[:-1])]
        for (name, *figures, _), place in zip(rows, self.order(), strict=True):
            first, *more = wrap(name, _NAME_WIDTH, subsequent_indent="  ")
            fitted = np.isfinite(self.score[place])
            lines.append(
                _line((first, *figures)) if fitted else f"{first:<{_NAME_WIDTH}} {self.status[place]}"[:_WIDTH]
            )
            lines += more
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return a table for notebooks, the heaviest candidate first."""
        rows = [self._cells(int(place)) for place in self.order()]
        lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        heads = "".join(f"<th>{name}</th>" for name in _HEADS)
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"

    def _cells(self, place: int) -> tuple[str, ...]:
        score, error = float(self.score[place]), float(self.standard_error[place])
        return (
            self.candidate[place].words,
            f"{score:.3f} \N{PLUS-MINUS SIGN} {error:.3f}" if np.isfinite(score) else "",
            f"{self.weight[place]:.1%}" if self.weight[place] else "none",
            f"{self.seconds[place]:.1f}",
            self.status[place],
        )

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row per candidate, the heaviest first."""
        pandas = load_extra("pandas", caller="CandidateTable.to_frame", extra="frames")
        return pandas.DataFrame(
            {
                "view": [self.candidate[i].view for i in self.order()],
                "kernel": [self.candidate[i].kernel_in_words for i in self.order()],
                "machine": [self.candidate[i].machine for i in self.order()],
                "score": self.score[self.order()],
                "standard_error": self.standard_error[self.order()],
                "weight": self.weight[self.order()],
                "seconds": self.seconds[self.order()],
                "status": [self.status[i] for i in self.order()],
            }
        )
