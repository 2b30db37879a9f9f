"""What a page shows of how a machine was found: kept with the model, since only the fitted machine can tell it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kernelect.facts.history import SearchHistory, Sizes
from kernelect.facts.material import RECORDS, picture
from kernelect.facts.mixtures import Weights
from kernelect.facts.page_record import PictureFacts
from kernelect.facts.plain import record_from_plain
from kernelect.facts.surface import Surface
from kernelect.typing import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class KeptPicture:
    """A picture of the search: its record, and what to see in it."""

    title: str
    caption: str
    record: Weights | SearchHistory | Surface | Sizes

    @classmethod
    def of(cls, shown: PictureFacts) -> KeptPicture:
        """Return the picture that plain facts describe."""
        record: Any = record_from_plain(RECORDS[shown["kind"]], shown["record"])
        return cls(title=shown["title"], caption=shown["caption"], record=record)

    def shown(self) -> PictureFacts:
        """Return the picture as plain facts."""
        return picture("found", self.record, self.title, self.caption)


@dataclass(frozen=True, eq=False, kw_only=True)
class Kept:
    """What pages need of a fitted machine beside its model.

    Attributes
    ----------
    relevance : ndarray of shape (n_columns,) or None
        The relevance of every column of the table; None if it is not known.
    pictures : tuple of KeptPicture
    complete : bool
        Whether there was time for all of them.
    """

    relevance: Array | None
    pictures: tuple[KeptPicture, ...] = field(repr=False)
    complete: bool = True
