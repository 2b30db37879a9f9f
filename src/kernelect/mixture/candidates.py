"""Candidates: a view of the inputs, a kernel and a machine, each of which selects its own parameters.

Views: the inputs as they are, and warped to normal quantiles. Kernels: smooth and rough ones with one
width per variable, and linear. Machines: least squares judged by exact leave-one-out and, for labels,
the Gaussian process whose cavities give leave-one-out probabilities in closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.estimators import GPC, LSSVC, LSSVR
from kernelect.exceptions import unknown_name
from kernelect.extras import load_extra
from kernelect.kernels import Category, Constant, Kernel, Linear, as_kernel
from kernelect.registry import stored
from kernelect.typing import Array, Indices

AS_IS, WARPED = "as it is", "warped"
LSSVM, GP = "lssvm", "gp"

EFFORTS = ("fast", "balanced", "best")


@stored
@dataclass(frozen=True)
class Candidate:
    """What one member of the mixture is made of."""

    view: str
    kernel: str
    machine: str

    def __str__(self) -> str:
        return f"{self.machine}, {self.kernel}, {self.view}"


#: The first one goes the whole way of a selection, the others follow its widths.
_LEADER = Candidate(AS_IS, "ard", LSSVM)

_SMOOTH_AND_ROUGH = (
    Candidate(WARPED, "ard", LSSVM),
    Candidate(AS_IS, "product-laplace", LSSVM),
    Candidate(WARPED, "product-laplace", LSSVM),
    Candidate(AS_IS, "matern32-ard", LSSVM),
    Candidate(WARPED, "matern32-ard", LSSVM),
    Candidate(AS_IS, "linear", LSSVM),
)

_POSTERIORS = (Candidate(AS_IS, "ard", GP), Candidate(WARPED, "ard", GP))

_MORE = (
    Candidate(AS_IS, "product-matern32", LSSVM),
    Candidate(WARPED, "product-matern32", LSSVM),
    Candidate(AS_IS, "rational-quadratic-ard", LSSVM),
    Candidate(WARPED, "linear", LSSVM),
)

_MORE_POSTERIORS = (Candidate(AS_IS, "product-laplace", GP), Candidate(WARPED, "product-laplace", GP))


def candidates_for(effort: object, *, labels: bool) -> tuple[Candidate, ...]:
    """Return the candidates of an effort; ``labels`` tells classification from regression."""
    if not isinstance(effort, str) or effort not in EFFORTS:
        raise unknown_name("effort", effort, list(EFFORTS))
    if effort == "fast":
        return (_LEADER, _SMOOTH_AND_ROUGH[2], *(_POSTERIORS[:1] if labels else _SMOOTH_AND_ROUGH[3:4]))
    balanced = (_LEADER, *_SMOOTH_AND_ROUGH, *(_POSTERIORS if labels else ()))
    if effort == "balanced":
        return balanced
    return (*balanced, *_MORE, *(_MORE_POSTERIORS if labels else ()))


def kernel_of(name: str, numeric: Indices, categorical: Indices) -> Kernel:
    """Return the kernel of numeric inputs times that of categories, with one width per variable."""
    if not len(categorical):
        return as_kernel(name)
    levels = Category().on(categorical.tolist())
    if not len(numeric):
        return levels
    numbers = as_kernel(name).on(numeric.tolist())
    # A product with a linear kernel would be 0 wherever a number is at its mean.
    return numbers + Constant("auto") * levels if isinstance(as_kernel(name), Linear) else numbers * levels


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

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row per candidate, the heaviest first."""
        pandas = load_extra("pandas", caller="Candidates.to_frame", extra="frames")
        return pandas.DataFrame(
            {
                "view": [self.candidate[i].view for i in self.order()],
                "kernel": [self.candidate[i].kernel for i in self.order()],
                "machine": [self.candidate[i].machine for i in self.order()],
                "score": self.score[self.order()],
                "standard_error": self.standard_error[self.order()],
                "weight": self.weight[self.order()],
                "seconds": self.seconds[self.order()],
                "status": [self.status[i] for i in self.order()],
            }
        )
