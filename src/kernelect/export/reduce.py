"""Models with fewer vectors: least squares and mixtures on landmarks, relevance vector machines on their own path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.export.fewer import check_inputs, landmarks_of, least_squares_of
from kernelect.export.reduced import cannot, is_sparse, smaller
from kernelect.export.reduction import Reduction
from kernelect.model import Component, KernelPart, Model, PosteriorSpread, WeightSpread
from kernelect.model.smaller import fewer_rows
from kernelect.model.subject import subject_of
from kernelect.numerics import best_blas_threads
from kernelect.typing import Array, Indices

#: Sizes of a curve, of which those below the number of vectors are tried, and those before for machines of few vectors.
_SIZES, _FEW = (10, 20, 50, 100, 200, 500, 1000), (1, 2, 3, 5, 7)

#: Share of k(x, x) by which a variance of seven digits may differ.
_ROUNDED = 1e-7


@dataclass(frozen=True, eq=False, kw_only=True)
class SizeCurve:
    """Leave-one-out loss against the number of vectors.

    Attributes
    ----------
    vectors : ndarray of shape (n_sizes,)
        Increasing; the last one is the whole model.
    loss, standard_error : ndarray of shape (n_sizes,)
        The standard error is that of the difference to the whole model.
    score : str
    """

    vectors: Indices
    loss: Array
    standard_error: Array
    score: str


def reduce(model: Any, max_vectors: int, *, random_state: int = 0) -> Reduction:
    """Return a model with at most ``max_vectors`` vectors.

    Randomly pivoted Cholesky at the model's own widths chooses landmarks among the training rows. The coefficients
    are then fitted again to all rows. A mixture keeps its least-squares machines, with new weights. It loses its
    Gaussian processes, because their variance needs a matrix of all rows, and its trees, which grow with the rows
    however few vectors there are; ``remarks`` tells what that alone costs. Relevance vector machines lose the vectors
    that add least to their evidence, one after the other. Their leave-one-out loss holds the functions and precisions
    fixed, as is usual: it is exact for numbers and of first order for labels. ``fit`` measures it for all sizes, on up
    to 2000 rows, because the rows are not kept. A machine that was reduced before tells its ln evidence instead.

    Parameters
    ----------
    model : LSSVC, LSSVR, RVC, RVR, KernelClassifier, KernelRegressor, Pipeline that ends in one, or TableModel
        Fitted. Models on landmarks lose some of them. They keep the sums over all rows, which give the coefficients of
        a refit, and up to 4000 rows (or whole groups), which give its exact leave-one-out. Classifiers keep these sums
        for 1000 landmarks at most.
    max_vectors : int
    random_state : int

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelect import LSSVC
    >>> from kernelect.export import reduce
    >>> X, y = load_iris(return_X_y=True)
    >>> reduce(LSSVC("rbf").fit(X, y), 20).vectors
    20
    """
    if isinstance(max_vectors, bool) or not isinstance(max_vectors, Integral) or max_vectors < 1:
        raise InvalidArgument(f"max_vectors={max_vectors!r} must be a whole number of at least 1.")
    subject = subject_of(model)
    with best_blas_threads():
        found, kept = smaller(subject.model, int(max_vectors), np.random.default_rng(random_state), subject.title)
    return replace(found, model=model if found.model is subject.model else _around(model, found.model, kept))


def in_single(model: Any) -> Any:
    """Return a model whose coefficients and variances have seven digits; it keeps its vectors and members.

    Parameters
    ----------
    model : estimator, Pipeline, TableModel or Model
    """
    whole = subject_of(model).model
    components = tuple(_rounded(component) for component in whole.components)
    return _around(model, replace(whole, components=components), None)


def _rounded(component: Component) -> Component:
    parts = tuple(
        replace(part, coefficients=_single(part.coefficients)) if isinstance(part, KernelPart) else part
        for part in component.parts
    )
    spread = component.spread
    if isinstance(spread, PosteriorSpread):
        part = component.kernel_part
        spread = replace(spread, roots=tuple(_single(fewer_rows(root, part, _ROUNDED)) for root in spread.roots))
    return replace(component, parts=parts, spread=spread)


def _single(values: Array) -> Array:
    """Return numbers with the digits of single precision, as they are if it cannot hold them."""
    with np.errstate(over="ignore"):
        found = values.astype(np.float32).astype(float)
    return found if np.all(np.isfinite(found) == np.isfinite(values)) else values


def _around(given: Any, small: Model, kept: Indices | None) -> Any:
    """Return what was given with the smaller model at its end."""
    if isinstance(given, Model):
        return small
    if getattr(given, "schema", None) is not None:  # a table model
        return replace(given, model=small)
    if hasattr(given, "steps") and not hasattr(given, "model_"):
        name, machine = given.steps[-1]
        return type(given)([*given.steps[:-1], (name, _around(machine, small, kept))])
    return given.with_model(small, kept)


def sizes_of(model: Any) -> tuple[int, ...]:
    """Return the sizes that a curve shows, as far as the model has more vectors: relevance vectors are few."""
    return (*_FEW, *_SIZES) if is_sparse(subject_of(model).model) else _SIZES


def size_curve(model: Any, sizes: Sequence[int] | None = None, *, random_state: int = 0) -> SizeCurve:
    """Return how the leave-one-out loss falls with the number of vectors.

    Parameters
    ----------
    model : as for :func:`reduce`
    sizes : sequence of int, optional
        Sizes that are not below the model's own number of vectors are left out. By default 10, 20, 50, 100, 200, 500
        and 1000, for relevance vector machines also 1, 2, 3, 5 and 7.
    random_state : int
    """
    sizes = sizes_of(model) if sizes is None else sizes
    found = [reduce(model, size, random_state=random_state) for size in sorted(set(sizes))]
    found = [each for each in found if each.vectors < each.vectors_before]
    whole = reduce(model, 10**9)
    return SizeCurve(
        vectors=np.array([*(each.vectors for each in found), whole.vectors]),
        loss=np.array([*(each.loss for each in found), whole.loss_before]),
        standard_error=np.array([*(each.standard_error for each in found), 0.0]),
        score=whole.score,
    )


def vectors_of(model: Any) -> int:
    """Return how many vectors a model has whose loss with fewer of them is known, an error otherwise."""
    subject = subject_of(model)
    component, machines = subject.model.components[0], least_squares_of(model)
    if isinstance(component.spread, WeightSpread) and component.spread.losses is not None:
        return int(component.spread.model.n_vectors)
    if is_sparse(subject.model):
        raise MissingCapability(
            f"What this {subject.title} loses with fewer vectors was not kept, because it was reduced before: fit it "
            "again."
        )
    if not machines:
        raise cannot(subject.title)
    check_inputs(machines)
    return landmarks_of(model) or len(machines[0].kernel_part.vectors)
