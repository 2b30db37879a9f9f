"""Candidates: a view of the inputs, a kernel and a machine, each of which selects its own parameters.

Views: the inputs as they are, and warped to normal quantiles. Kernels: smooth and rough ones with one
width per variable, and linear. Machines: least squares judged by exact leave-one-out and, for labels,
the Gaussian process whose cavities give leave-one-out probabilities in closed form; on landmarks logistic regression
takes its place. There are also a forest, the kernel of random partitions and, with many rows, boosted partitions.
These are good at steps along single inputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from kernelect.estimators import GPC, LSSVC, LSSVR
from kernelect.exceptions import unknown_name
from kernelect.extras import load_extra
from kernelect.kernels import Agreement, Category, Constant, Kernel, as_kernel
from kernelect.registry import stored
from kernelect.typing import Array, Indices

AS_IS, WARPED = "as it is", "warped"
LSSVM, GP, FOREST, BOOSTING = "lssvm", "gp", "forest", "boosting"

#: Machines whose boxes are the same in every view, and which select no kernel.
PARTITIONS = (FOREST, BOOSTING)


@stored
@dataclass(frozen=True, kw_only=True)
class Candidate:
    """What one member of the mixture is made of."""

    view: str
    kernel: str
    machine: str
    tied: bool = False  # whether all widths are in proportion to the data's own scale

    def __str__(self) -> str:
        return f"{self.machine}, {self.kernel_in_words}, {self.view}"

    @property
    def kernel_in_words(self) -> str:
        """The kernel's name, and whether it has one width only."""
        return f"{self.kernel} with one width" if self.tied else self.kernel


#: The first one goes the whole way of a selection, the others follow its widths.
_LEADER = Candidate(view=AS_IS, kernel="ard", machine=LSSVM)

_LAPLACE = Candidate(view=WARPED, kernel="product-laplace", machine=LSSVM)
_ROUGH = Candidate(view=WARPED, kernel="matern32-ard", machine=LSSVM)
_LINEAR = Candidate(view=AS_IS, kernel="linear", machine=LSSVM)
_ONE_WIDTH = Candidate(view=AS_IS, kernel="ard", machine=LSSVM, tied=True)

#: For numbers: least squares, by effort.
_FAST = (_LAPLACE, _ONE_WIDTH)
_BALANCED = (
    *_FAST,
    Candidate(view=WARPED, kernel="ard", machine=LSSVM),
    Candidate(view=AS_IS, kernel="product-laplace", machine=LSSVM),
    Candidate(view=AS_IS, kernel="matern32-ard", machine=LSSVM),
    _ROUGH,
    _LINEAR,
)
_BEST = (
    *_BALANCED,
    Candidate(view=WARPED, kernel="ard", machine=LSSVM, tied=True),
    Candidate(view=WARPED, kernel="product-laplace", machine=LSSVM, tied=True),
    Candidate(view=AS_IS, kernel="product-matern32", machine=LSSVM),
    Candidate(view=WARPED, kernel="product-matern32", machine=LSSVM),
    Candidate(view=AS_IS, kernel="rational-quadratic-ard", machine=LSSVM),
    Candidate(view=WARPED, kernel="linear", machine=LSSVM),
)

#: For labels: few machines of least squares, and posteriors of a latent function. More of the former only took weight
#: from the latter, whose probabilities are the better ones (41 tables). The most useful ones come first.
_GP_ARD, _GP_LINEAR = (
    Candidate(view=AS_IS, kernel="ard", machine=GP),
    Candidate(view=AS_IS, kernel="linear", machine=GP),
)
_FAST_LABELS = (_LAPLACE,), (_GP_ARD, _GP_LINEAR)
_BALANCED_LABELS = (
    (_LAPLACE, _ROUGH),
    (
        _GP_ARD,
        Candidate(view=AS_IS, kernel="ard", machine=GP, tied=True),
        Candidate(view=WARPED, kernel="ard", machine=GP),
        _GP_LINEAR,
    ),
)
_BEST_LABELS = (
    _BALANCED_LABELS[0],
    (
        *_BALANCED_LABELS[1],
        Candidate(view=AS_IS, kernel="product-laplace", machine=GP),
        Candidate(view=WARPED, kernel="product-laplace", machine=GP),
        Candidate(view=WARPED, kernel="linear", machine=GP),
    ),
)

#: For labels on landmarks: posteriors take too long, and logistic regression refits the coefficients of least squares
#: (mixture/logistic.py). Fewer kernels are as good then, in two thirds of the time.
_BALANCED_LANDMARKS = (*_FAST, _ROUGH, _LINEAR)

#: Classes from which only the first half of the posteriors take part: each class costs one of its own.
_MANY_CLASSES = 5

#: They come right behind the leader: where time is short, trees say most in little of it.
_OF_BOXES = tuple(Candidate(view=AS_IS, kernel="partitions", machine=machine) for machine in PARTITIONS)

_OF_EFFORT = {
    "fast": (_FAST, _FAST_LABELS, _FAST),
    "balanced": (_BALANCED, _BALANCED_LABELS, _BALANCED_LANDMARKS),
    "best": (_BEST, _BEST_LABELS, _BALANCED),
}
EFFORTS = tuple(_OF_EFFORT)


def candidates_for(effort: object, n_classes: int | None, *, on_landmarks: bool = False) -> tuple[Candidate, ...]:
    """Return the candidates of an effort for so many classes, with machines on landmarks or exact ones.

    None is for numbers, and for labels for which there are no posteriors: groups are left out, or many rows have many
    classes.
    """
    if not isinstance(effort, str) or effort not in EFFORTS:
        raise unknown_name("effort", effort, list(EFFORTS))
    of_numbers, of_labels, of_labels_on_landmarks = _OF_EFFORT[effort]
    if n_classes is None:
        return (_LEADER, *_OF_BOXES, *of_numbers)
    if on_landmarks:
        return (_LEADER, *_OF_BOXES, *of_labels_on_landmarks)
    squares, posteriors = of_labels
    few = len(posteriors) // 2 if n_classes >= _MANY_CLASSES else len(posteriors)
    return (_LEADER, *_OF_BOXES, *squares, *posteriors[:few])


def kernel_of(name: str, numeric: Indices, categorical: Indices) -> Kernel:
    """Return the kernel of numeric inputs and categories, with one width per variable.

    Smooth and rough kernels are multiplied by that of the categories; a linear one is added to
    theirs, since a product would be 0 wherever a number is at its mean.
    """
    linear = name == "linear"
    levels: Kernel = Agreement() if linear else Category()
    if not len(numeric):
        return levels
    if not len(categorical):
        return as_kernel(name)
    numbers, levels = as_kernel(name).on(numeric.tolist()), levels.on(categorical.tolist())
    return numbers + levels if linear else numbers * levels


def estimator_of(candidate: Candidate, kernel: Kernel, *, labels: bool, **options: Any) -> LSSVC | LSSVR | GPC:
    """Return the estimator of a candidate, unfitted."""
    if candidate.machine == GP:
        # Its latent function needs an amplitude and, in the place of an intercept, a constant.
        options.pop("landmarks", None)
        return GPC(Constant("auto") * kernel + Constant("auto"), **options)
    return LSSVC(kernel, **options) if labels else LSSVR(kernel, **options)


@stored
@dataclass(frozen=True, kw_only=True)
class Candidates:
    """The candidates of a fitted mixture in columns, the heaviest first where they are shown.

    Attributes
    ----------
    candidate : tuple of Candidate
    score, standard_error : ndarray of shape (n_candidates,)
        Leave-one-out log-loss of labels, or root mean squared error over the targets' deviation;
        NaN where a candidate was not fitted.
    weight : ndarray of shape (n_candidates,)
    seconds : ndarray of shape (n_candidates,)
    status : tuple of str
    """

    candidate: tuple[Candidate, ...]
    score: Array
    standard_error: Array
    weight: Array
    seconds: Array
    status: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.candidate)

    def order(self) -> Indices:
        """Return the places of the candidates, the heaviest first."""
        return np.argsort(-self.weight, kind="stable")

    def _repr_html_(self) -> str:
        """Return a table for notebooks, the heaviest candidate first."""
        lines = "".join(f"<tr>{self._cells(int(place))}</tr>" for place in self.order())
        heads = "".join(f"<th>{name}</th>" for name in ("candidate", "leave-one-out", "weight", "seconds", "status"))
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"

    def _cells(self, place: int) -> str:
        score, error = float(self.score[place]), float(self.standard_error[place])
        cells = (
            str(self.candidate[place]),
            f"{score:.3f} \N{PLUS-MINUS SIGN} {error:.3f}" if np.isfinite(score) else "",
            f"{self.weight[place]:.1%}",
            f"{self.seconds[place]:.1f}",
            self.status[place],
        )
        return "".join(f"<td>{escape(cell)}</td>" for cell in cells)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row per candidate, the heaviest first."""
        pandas = load_extra("pandas", caller="Candidates.to_frame", extra="frames")
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
