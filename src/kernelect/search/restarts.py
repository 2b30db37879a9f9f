"""Several searches from scattered starts, of which the best is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from kernelect.results import SearchResult, Trace
from kernelect.search.base import Budget, Search
from kernelect.typing import Array, Objective, Observer

#: Standard deviation of scattered starts around the first one, in log units.
SCATTER = 1.0


def scattered_starts(start: Array, lower: Array, upper: Array, count: int, generator: np.random.Generator) -> Array:
    """Return ``count`` starts: the first as given, the others scattered around it within bounds.

    All coordinates of a start share a common shift besides their own, so that the starts
    differ in overall scale too.
    """
    own = generator.normal(scale=SCATTER, size=(count - 1, len(start)))
    shared = generator.normal(scale=SCATTER, size=(count - 1, 1))
    return np.vstack([start, np.clip(start + own + shared, lower, upper)])


@dataclass(frozen=True)
class Restarts:
    """Runs ``search`` from every start and keeps the best result and all traces.

    Threads suffice (the work is in BLAS), so the observer and a joblib backend such as Dask
    both work; results do not depend on ``n_jobs``.
    """

    search: Search
    n_jobs: int | None = None

    def minimize(
        self,
        make_objective: Callable[[], Objective],
        starts: Array,
        lower: Array,
        upper: Array,
        *,
        budget: Budget | None = None,
        observe: Observer | None = None,
    ) -> SearchResult:
        """Minimise from each row of ``starts``; ties go to the earlier start.

        ``make_objective`` is called once per start: an objective may remember its last state.
        """
        options: dict[str, Any] = {"budget": budget, "observe": observe}
        if len(starts) == 1:
            return self.search.minimize(make_objective(), starts[0], lower, upper, **options)
        results = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self.search.minimize)(make_objective(), start, lower, upper, run=run, **options)
            for run, start in enumerate(starts)
        )
        best = min(results, key=lambda result: result.value)
        # Every search counts its own time; runs are numbered through when traces are joined.
        traces = [replace(result.trace, run=np.zeros(len(result.trace))) for result in results]
        return replace(best, trace=Trace.joined(traces))
