"""Where selection starts: kernels at the data's scale, the machine's constant, and their bounds.

In machines without an intercept, a kernel's name means amplitude * kernel + offset, all selected. A
latent function needs an amplitude and, instead of an intercept, a constant. Without the constant,
errors are several times as frequent on problems whose classes differ in spread. The two constants
are named amplitude and offset, so that a status can name them.

Parts of the rows that stand for all of them are single rows or, if rows are left out together, whole groups. Which rows
they are depends neither on the order of rows nor on that of columns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.kernels import Constant, Kernel, Precomputed, as_kernel
from kernelect.kernels.parametric import SCALE_RANGE
from kernelect.kernels.scale import median_width, spread_rows, without_offset
from kernelect.machines import Groups, RidgePath
from kernelect.numerics import canonical_order, hashed_order, mean_diagonal, sampled_rows
from kernelect.parameters import ParameterSpace, check_positive
from kernelect.typing import Array, Indices


def spread_part(X: Array, groups: Groups | None, count: int) -> Indices:
    """Return at most ``count`` rows, or whole groups of about as many; the same in any unit of the columns."""
    if groups is None or len(X) <= count:
        return spread_rows(X, count)
    return groups.part(canonical_order(X), count)


def sampled_part(X: Array, groups: Groups | None, count: int) -> Indices:
    """Return the same of many rows, without sorting the columns."""
    if groups is None or len(X) <= count:
        return sampled_rows(X, count)
    return groups.part(hashed_order(X), count)


#: Logarithm of the median scaled squared distance between which starts are kept: far above 0 the
#: Gram matrix is a multiple of the identity, far below it is constant, and every criterion is flat.
_SETTLED = (-2.0, 1.0)

#: Bounds of the ridge, relative to the spread of the kernel (the mean of k(x, x) less that of all entries).
_RIDGE_BOUNDS = (1e-9, 1e4)

#: A ridge beyond this or its inverse is none that can be divided by.
_SMALLEST_RIDGE = 1e-300

#: Rows used to find the first ridge at the start kernel, and fewer where another selection leads.
_RIDGE_ROWS, _LED_RIDGE_ROWS = 600, 200

#: Multiple of the median weight beyond which a row says nothing about the weight of the others.
_OUTWEIGHS = 1e3

#: C: start and bounds beside an amplitude; and as multiples of 1 / mean k(x, x) without one.
_C_BESIDE_AMPLITUDE = (0.6, 0.05, 200.0)
_C_ALONE = (1.0, 1e-3, 1e4)


@dataclass(frozen=True, kw_only=True)
class Rows:
    """What a machine is trained on: inputs (or kernel values), targets, positive weights, and groups to leave out."""

    X: Array
    targets: Array  # (n, k)
    weights: Array  # (n,)
    groups: Groups | None = None


@dataclass(frozen=True, kw_only=True)
class StartedKernel:
    """A kernel with numbers for all parameters, and the space of those parameters."""

    kernel: Kernel
    space: ParameterSpace
    full: bool = False  # whether amplitude and offset were added
    pairwise: bool = False  # whether its rows are kernel values, not inputs


@dataclass(frozen=True, kw_only=True)
class Scales:
    """Start, lower and upper bound of the amplitude (times the mean of k(x, x)) and of the offset."""

    amplitude: tuple[float, float, float] = (1.0, np.exp(-SCALE_RANGE), np.exp(SCALE_RANGE))
    offset: tuple[float, float, float] = (1.0, np.exp(-SCALE_RANGE), np.exp(SCALE_RANGE))


#: Beside a slack constant C.
SCALES_BESIDE_C = Scales(amplitude=(1.0, 0.01, 3000.0), offset=(0.2, 1e-4, 100.0))


def started_as_given(kernel: Kernel, X: Array, *, pairwise: bool) -> StartedKernel:
    """Return the kernel, exactly as given, at the scale of the rows ``X``."""
    return StartedKernel(kernel=kernel.start(X), space=kernel.space(X), pairwise=pairwise)


def started_in_full(name: str, X: Array, scales: Scales) -> StartedKernel:
    """Return amplitude * kernel + offset at the scale of the rows ``X``.

    A polynomial kernel has an amplitude already, its ``gamma`` and ``coef0``.
    """
    base = as_kernel(name)
    scaled, begun = name != "polynomial", base.start(X)
    if scaled:
        full, started = Constant("auto") * base + Constant("auto"), Constant(1.0) * begun + Constant(1.0)
    else:
        full, started = base + Constant("auto"), begun + Constant(1.0)
    space = full.space(X)
    if scaled:
        space = _with_scalar(space, 0, "amplitude", scales.amplitude, _mean_diagonal(name, begun, X))
    space = _with_scalar(space, len(space) - 1, "offset", scales.offset)
    kernel = started.with_theta(space.start)
    return StartedKernel(kernel=kernel, space=space, full=True, pairwise=isinstance(base, Precomputed))


def ridge_space(ridge: object, started: StartedKernel, data: Rows, *, led: bool = False) -> ParameterSpace:
    """Return the ridge's start (best at the start kernel) and bounds, or its fixed value.

    Groups leave together: a ridge that is best for rows left out one by one fits their groups.
    ``led``: another selection leads, so that the start need not be as good.
    """
    X, groups, weights = data.X, data.groups, data.weights
    ridge = check_positive("regularization", ridge)
    if not isinstance(ridge, str):
        return ParameterSpace.single("regularization", float(np.log(ridge)), free=False)
    rows = np.arange(len(X)) if started.pairwise else spread_part(X, groups, _LED_RIDGE_ROWS if led else _RIDGE_ROWS)
    with np.errstate(over="ignore", invalid="ignore"):  # mean_diagonal says it better
        gram = started.kernel.gram(X[rows])
    # The intercept absorbs what all entries of the kernel matrix have in common.
    scale = mean_diagonal(gram) - float(gram.mean())
    scale = (scale if scale > 0 else abs(mean_diagonal(gram)) or 1.0) * float(without_outweighing(weights).mean())
    lower, upper = (bound * scale for bound in _RIDGE_BOUNDS)
    if not _SMALLEST_RIDGE < lower < upper < 1.0 / _SMALLEST_RIDGE:
        raise InvalidArgument(
            f"X gives kernel values of {scale:.0e}, whose inverses double precision does not hold: rescale X, or use "
            "a kernel with widths, such as kernel='rbf'."
        )
    own = None if groups is None else groups.of(rows)
    path = RidgePath(gram, data.targets[rows], weights[rows], own if own is not None and len(own) > 1 else None)
    start = np.log(path.best_ridge(lower * 10, upper / 10))
    return _between("regularization", float(start), float(np.log(lower)), float(np.log(upper)))


def slack_space(C: object, started: StartedKernel, X: Array, *, scale_invariant: bool) -> ParameterSpace:
    """Return start and bounds of C, or its fixed value, which is 1 if an amplitude has the same effect as C."""
    C = check_positive("C", C)
    if not isinstance(C, str):
        return ParameterSpace.single("C", float(np.log(C)), free=False)
    if started.full and scale_invariant:
        return ParameterSpace.single("C", 0.0, free=False)
    numbers = np.array(_C_BESIDE_AMPLITUDE if started.full else _C_ALONE)
    if not started.full:
        diagonal = np.diagonal(X) if started.pairwise else started.kernel.diagonal(X)
        numbers = numbers / (float(np.mean(diagonal)) or 1.0)
    start, lower, upper = map(float, np.log(numbers))
    return _between("C", start, lower, upper)


def settle_widths(X: Array, space: ParameterSpace, theta: Array) -> Array:
    """Return ``theta`` with the widths of each kernel scaled so that it does not start on a plateau."""
    theta = theta.copy()
    for group in space.widths:
        group = group[space.free[group]]
        if not len(group):
            continue
        gamma = np.exp(theta[group])
        scaled = without_offset(X) * np.sqrt(gamma) if len(gamma) == X.shape[1] or len(gamma) == 1 else X
        distance = -float(np.log(median_width(scaled)))
        theta[group] += np.clip(distance, *_SETTLED) - distance
    return theta


def without_outweighing(weights: Array) -> Array:
    """Return the weights, cutting those of rows that outweigh all others, so that they do not set what is typical."""
    return np.minimum(weights, _OUTWEIGHS * np.median(weights))


def squared_scale(residuals: Array, precision: Array, weights: Array) -> Array:
    """Return the unit (k,) in which residuals of rows left out have the variance that their precision claims.

    The sum of their squares is the sum of those variances. The mean of squares over variances would be the same if the
    variances were right. They are not for rows of equal inputs and different targets at a tiny ridge: each claims
    almost none, and one such row would set the unit of all others.
    """
    weights = without_outweighing(weights)
    square = np.average(residuals**2, axis=0, weights=weights)
    return np.asarray(square / np.average(1.0 / precision, weights=weights), dtype=float)


def _between(name: str, start: float, lower: float, upper: float) -> ParameterSpace:
    return ParameterSpace.single(name, start, below=start - lower, above=upper - start)


def _mean_diagonal(name: str, begun: Kernel, X: Array) -> float:
    """Return the mean of k(x, x) of a kernel at its start, 1 if it is 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        diagonal = np.diagonal(X) if isinstance(begun, Precomputed) else begun.diagonal(X)
        size = float(np.mean(diagonal))
    if not np.isfinite(size):
        raise InvalidArgument(
            f"kernel={name!r} overflows on these inputs: check them for extreme values and scale them."
        )
    return size if size > 0 else 1.0


def _with_scalar(
    space: ParameterSpace, index: int, name: str, numbers: tuple[float, float, float], unit: float = 1.0
) -> ParameterSpace:
    """Return the space with another name, start and bounds of one entry, which is measured in 1 / ``unit``."""
    start, lower, upper, reference = (
        space.start.copy(),
        space.lower.copy(),
        space.upper.copy(),
        space.reference.copy(),
    )
    start[index], lower[index], upper[index] = np.log(numbers) - np.log(unit)
    reference[index] = -np.log(unit)
    names = tuple(name if i == index else old for i, old in enumerate(space.names))
    return replace(space, names=names, start=start, lower=lower, upper=upper, reference=reference)
