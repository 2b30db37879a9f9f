"""Survival curves of groups of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelect.facts.numbers import trimmed
from kernelect.facts.survival import SurvivalCalibration, SurvivalCurves
from kernelect.plots.style import COLOURS, QUIET, RecordDisplay


class SurvivalDisplay(RecordDisplay[SurvivalCurves]):
    """The share of rows without an event over time, with two standard errors; below, the rows that are still there."""

    inches = (6.2, 4.2)

    def _draw(self, ax: Any, colour: str) -> None:
        record = self.record
        for place, name in enumerate(record.groups):
            alive, reach, colour = 100.0 * record.alive[place], 200.0 * record.error[place], COLOURS[place]
            ax.step(record.time, alive, where="post", color=colour, lw=1.8, label=name)
            low, high = np.clip(alive - reach, 0.0, 100.0), np.clip(alive + reach, 0.0, 100.0)
            ax.fill_between(record.time, low, high, step="post", color=colour, alpha=0.15, lw=0.0)
        counts = ["\n".join(f"{count:.0f}" for count in column) for column in record.at_risk.T]
        marks = [f"{trimmed(float(at), 3)}\n{words}" for at, words in zip(record.marks, counts, strict=True)]
        ax.set_xticks(record.marks, marks)
        ax.set_ylim(0.0, 102.0)
        ax.set_xlabel("time, and the rows of each group that are still there then")
        ax.set_ylabel("% without an event")
        ax.legend()


class SurvivalCalibrationDisplay(RecordDisplay[SurvivalCalibration]):
    """What was said of survival at a few times against what came of it, with two standard errors."""

    inches = (5.2, 4.6)

    def _draw(self, ax: Any, colour: str) -> None:
        record = self.record
        ax.plot([0.0, 100.0], [0.0, 100.0], color=QUIET, lw=1.0, ls="--")
        for place, at in enumerate(record.times):
            said, alive = 100.0 * record.said[place], 100.0 * record.alive[place]
            reach = 200.0 * record.error[place]
            ends = np.array([np.minimum(reach, alive), np.minimum(reach, 100.0 - alive)])
            style = {"color": COLOURS[place], "label": f"until {trimmed(at, 3)}"}
            ax.errorbar(said, alive, yerr=ends, fmt="o-", ms=5.0, lw=1.2, elinewidth=1.2, **style)
        ax.set_xlim(-2.0, 102.0)
        ax.set_ylim(-2.0, 102.0)
        ax.set_xlabel("% said to be without an event")
        ax.set_ylabel("% without an event")
        ax.legend(loc="upper left")
