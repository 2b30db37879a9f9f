"""A report inside a notebook: the verdict, the scores, the doubts and the main pictures of a fitted model."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kernelect.facts import Facts, GatherOptions, gather
from kernelect.report.page import render, write_report

#: Pictures that a notebook shows, in this order, and how many of a kind: a page has them all.
_MAIN = {"held out": 1, "relevance": 1, "confusion": 1, "observed": 1, "calibration": 1, "dependence": 2}


@dataclass(frozen=True)
class ShownReport:
    """What :func:`show` returns: a notebook displays it, elsewhere it is the verdict in words.

    Attributes
    ----------
    facts : Facts
        All that is known of the model, as :func:`kernelect.facts.gather` returned it.
    height : int
        Of the frame in a notebook, in pixels.
    """

    facts: Facts = field(repr=False)
    height: int = 720

    def __repr__(self) -> str:
        verdict = self.facts["verdict"]
        return f"{verdict['words']}. {verdict['good']} {verdict['sure']} What to do: {verdict['todo']}"

    def _repr_html_(self) -> str:
        """Return the main parts of the page in a frame, where its style and its script stay by themselves."""
        page = html.escape(render(_with_main_pictures(self.facts)), quote=True)
        style = f"width: 100%; height: {self.height}px; border: 0"
        return f'<iframe srcdoc="{page}" style="{style}" title="kernelect report"></iframe>'

    def save(self, path: str | Path) -> None:
        """Write the whole page with all its pictures to a file."""
        write_report(path, self.facts)


def show(model: Any, X: Any, y: Any, *, options: GatherOptions | None = None, height: int = 720) -> ShownReport:
    """Return the report on a fitted model for a notebook, which displays it when it ends a cell.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted; a pipeline's last step is one of kernelect's estimators.
    X, y : DataFrame or array, array-like
        What it was fitted on.
    options : GatherOptions, optional
        Such as the names of table and target; by default the target has the name of ``y``.
    height : int
        Of the frame, in pixels.

    Examples
    --------
    >>> from kernelect import LSSVC, report
    >>> from kernelect.datasets import sparse_inputs
    >>> X, y = sparse_inputs(60, n_features=3, random_state=0)
    >>> shown = report.show(LSSVC().fit(X, y), X, y)
    >>> shown.facts["verdict"]["level"] in range(1, 6)
    True
    """
    if options is None:
        options = GatherOptions(title="", target=str(getattr(y, "name", None) or "target"))
    return ShownReport(gather(model, X, y, options), height)


def _with_main_pictures(facts: Facts) -> Facts:
    left = dict(_MAIN)
    chosen = []
    for picture in facts["pictures"]:
        if left.get(picture["kind"], 0):
            left[picture["kind"]] -= 1
            chosen.append(picture)
    return {**facts, "pictures": chosen}
