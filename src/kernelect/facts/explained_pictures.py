"""Pictures of what a model's own rows tell: which columns move predictions, and which act together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kernelect.facts.explained import explained_rows, strongest_pairs
from kernelect.facts.explanations import Interactions
from kernelect.facts.material import Material, picture
from kernelect.facts.numbers import counted, fixed
from kernelect.facts.page_record import PictureFacts


def explained_pictures(material: Material) -> Iterator[PictureFacts]:
    """Yield the swarm of effects, the strongest pairs, and how the strongest of them acts."""
    found = None if material.carried is None else explained_rows(material.carried, material.X, largest_class(material))
    if found is None:
        return
    yield picture(
        "matters",
        found.swarm,
        "What moves predictions",
        f"Each point is a row ({_part(len(found.places), material)}): how far its value of the column moves the "
        f"{found.swarm.label}. Points to the right raise it. Colours tell low values of the column from high ones; "
        "grey points are texts or missing cells. Columns with the largest mean effect come first. These are exact "
        "Shapley values, and those of a row add up.",
    )
    for record in strongest_pairs(found, material.assessment.held_out):
        if isinstance(record, Interactions):
            yield picture(
                "matters",
                record,
                "Columns that act together",
                f"Mean size of what a pair of columns adds to the {record.label} beyond the sum of both. Where it is "
                "small, each column can be read by itself. Bars are two standard errors."
                + ("" if material.assessment.held_out is None else " Columns that do not help are left out."),
            )
        else:
            yield picture(
                "matters",
                record,
                f"{record.name}, depending on {record.partner}",
                f"Effect of {record.name} on the {record.label}, a point for every row ("
                f"{_part(len(record.values), material)}). Where the colours separate, "
                f"the effect depends on {record.partner}.",
            )


def _part(count: int, material: Material) -> str:
    """Return how many of the rows were explained."""
    rows = counted(count, "row")
    return rows if count == len(material.y) else f"{rows} of {fixed(len(material.y), 0)}"


def largest_class(material: Material) -> Any:
    """Return the class that is explained if there are more than two: the most frequent one."""
    if material.task != "classification":
        return None
    classes, counts = np.unique(material.y, return_counts=True)
    return classes[int(np.argmax(counts))]
