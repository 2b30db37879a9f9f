"""Efforts: lists of candidates, and which of them a task has.

For numbers there are many machines of least squares. For labels there are few of them, and posteriors of a latent
function: more of the former only took weight from the latter, whose probabilities are the better ones (41 tables). For
labels on landmarks posteriors take too long, and logistic regression refits the coefficients of least squares; fewer
kernels are as good then, in two thirds of the time. A forest and, with many rows, boosted trees are good at steps along
single inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kernelect.exceptions import InvalidArgument, unknown_name
from kernelect.mixture.base import (
    CANDIDATES,
    LABELS,
    LIMITS,
    NUMBERS,
    ORDER,
    TIMES,
    MixtureCandidate,
    MixtureTask,
)
from kernelect.mixture.boosting import BoostedTrees
from kernelect.mixture.filled import Filled
from kernelect.mixture.forest import RandomForest
from kernelect.mixture.gaussian_processes import GaussianProcess
from kernelect.mixture.kernel_machines import KernelMachine
from kernelect.mixture.logistic import LogisticRefit
from kernelect.mixture.own import OwnEstimator
from kernelect.mixture.survival_forest import SurvivalForest
from kernelect.mixture.words import AS_IS, WARPED

#: The first one goes the whole way of a selection, the others follow its widths.
_LEADER = KernelMachine(where=(NUMBERS, LABELS))

_LAPLACE = KernelMachine(view=WARPED, kernel="product-laplace", where=(NUMBERS, LABELS))
_ONE_WIDTH = KernelMachine(tied=True, where=(NUMBERS,))
_SMOOTH = tuple(
    KernelMachine(view=view, kernel=kernel, where=(NUMBERS,))
    for view, kernel in ((WARPED, "ard"), (AS_IS, "product-laplace"), (AS_IS, "matern32-ard"))
)
_ROUGH = KernelMachine(view=WARPED, kernel="matern32-ard", where=(NUMBERS, LABELS))
_LINEAR = KernelMachine(kernel="linear", where=(NUMBERS,))
_MORE = (
    KernelMachine(view=WARPED, tied=True, where=(NUMBERS,)),
    KernelMachine(view=WARPED, kernel="product-laplace", tied=True, where=(NUMBERS,)),
    *(
        KernelMachine(view=view, kernel=kernel, where=(NUMBERS,))
        for view, kernel in (
            (AS_IS, "product-matern32"),
            (WARPED, "product-matern32"),
            (AS_IS, "rational-quadratic-ard"),
            (WARPED, "linear"),
        )
    ),
)

#: Posteriors, the most useful ones first.
_LATENT = (LABELS, ORDER, LIMITS)
_GP = GaussianProcess(many_classes=True, where=_LATENT)
_GP_ONE_WIDTH = GaussianProcess(tied=True, many_classes=True, where=_LATENT)
_GP_WARPED = GaussianProcess(view=WARPED, where=_LATENT)
_GP_LINEAR = GaussianProcess(kernel="linear", where=_LATENT)
_MORE_GP = (
    GaussianProcess(kernel="product-laplace", where=_LATENT),
    GaussianProcess(view=WARPED, kernel="product-laplace", where=_LATENT),
    GaussianProcess(view=WARPED, kernel="linear", where=_LATENT),
)

#: The same for times until an event, of which so much is noise that one width for all inputs is mostly better: it
#: leads, and a machine with one width for each goes a few steps from there.
_TIMES = (GaussianProcess(tied=True, where=(TIMES,)), GaussianProcess(kernel="linear", where=(TIMES,)))
_MORE_TIMES = (
    GaussianProcess(view=WARPED, tied=True, where=(TIMES,)),
    GaussianProcess(view=WARPED, kernel="linear", where=(TIMES,)),
    GaussianProcess(where=(TIMES,)),
)
_ALL_TIMES = (
    GaussianProcess(kernel="product-laplace", tied=True, where=(TIMES,)),
    GaussianProcess(view=WARPED, where=(TIMES,)),
)


def _effort(
    squares: Sequence[KernelMachine],
    posteriors: Sequence[GaussianProcess],
    on_landmarks: Sequence[KernelMachine],
    *,
    max_iter: int,
    n_trees: int,
    n_rounds: int,
) -> tuple[MixtureCandidate, ...]:
    """Return a list of candidates; trees come right behind the leader, because they say most in little time."""
    refits = [LogisticRefit.of(each) for each in (_LEADER, *on_landmarks)]
    trees = RandomForest(n_trees=n_trees), BoostedTrees(n_rounds=n_rounds)
    following = [replace(each, max_iter=max_iter) for each in (*squares, *refits[1:], *posteriors)]
    filled = [Filled(each) for each in (*trees, *following[: len(squares)])]
    return (_LEADER, refits[0], trees[0], SurvivalForest(n_trees=n_trees), trees[1], *following, *filled)


_BALANCED = (_LAPLACE, _ONE_WIDTH, *_SMOOTH, _ROUGH, _LINEAR)

#: Candidates by effort; a task has those that take part in it.
EFFORTS: dict[str, tuple[MixtureCandidate, ...]] = {
    "fast": _effort(
        (_LAPLACE, _ONE_WIDTH),
        (_GP, _GP_LINEAR, *_TIMES),
        (_LAPLACE, _ONE_WIDTH),
        max_iter=8,
        n_trees=100,
        n_rounds=80,
    ),
    "balanced": _effort(
        _BALANCED,
        (_GP, _GP_ONE_WIDTH, _GP_WARPED, _GP_LINEAR, *_TIMES, *_MORE_TIMES),
        (_LAPLACE, _ONE_WIDTH, _ROUGH, _LINEAR),
        max_iter=10,
        n_trees=100,
        n_rounds=160,
    ),
    "best": _effort(
        (*_BALANCED, *_MORE),
        (
            _GP,
            _GP_ONE_WIDTH,
            replace(_GP_WARPED, many_classes=True),
            _GP_LINEAR,
            *_MORE_GP,
            *_TIMES,
            *_MORE_TIMES,
            *_ALL_TIMES,
        ),
        _BALANCED,
        max_iter=30,
        n_trees=300,
        n_rounds=320,
    ),
}


def candidates_of(effort: object) -> tuple[MixtureCandidate, ...]:
    """Return the candidates that an effort names, or those of a list of efforts, candidates and estimators."""
    if isinstance(effort, str):
        if effort not in EFFORTS:
            raise unknown_name("effort", effort, list(EFFORTS))
        return EFFORTS[effort]
    if not isinstance(effort, Sequence) or not effort:
        raise InvalidArgument(
            f"effort={effort!r} must be one of {', '.join(map(repr, EFFORTS))}, or a list of candidates such as "
            "['fast', LogisticRegression()]."
        )
    return tuple(candidate for each in effort for candidate in _listed(each))


def _listed(part: object) -> tuple[MixtureCandidate, ...]:
    """Return what a part of a list stands for: an effort, an estimator, a candidate or the name of one."""
    if isinstance(part, str) and part in EFFORTS:
        return EFFORTS[part]
    return (OwnEstimator(part) if OwnEstimator.is_one(part) else CANDIDATES.resolve(part),)


def taking_part(effort: object, task: MixtureTask) -> tuple[MixtureCandidate, ...]:
    """Return the candidates of an effort that take part in a task and differ on its inputs."""
    able = [each for each in candidates_of(effort) if each.takes_part(task)]
    if not able:
        raise InvalidArgument(f"effort={effort!r} has no candidate that takes part on these rows: add 'lssvm' to it.")
    leader = next((each for each in able if each.leads), able[0])
    return tuple(dict.fromkeys(each.adapted(task) for each in (leader, *able)))
