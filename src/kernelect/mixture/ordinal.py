"""The one door for classes with an order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from kernelect.estimators import given_order, ordered_classes
from kernelect.exceptions import InvalidArgument
from kernelect.inputs.frame import is_dask
from kernelect.mixture.classifier import KernelClassifier
from kernelect.typing import Indices


@dataclass(eq=False, repr=False, kw_only=True)
class KernelOrdinal(KernelClassifier):
    """A classifier for classes with an order, such as grades, in tables as they come.

    Works like :class:`KernelClassifier`, with other candidates. Gaussian processes with one latent function, which
    thresholds cut into classes, know the order: a row between "mild" and "severe" is "moderate"
    (:class:`OrdinalGPC` is one of them alone). Least squares and a forest do not know it, and their weights follow
    from the probabilities that they give to rows left out, as those of all others do.

    With two classes, beyond 2000 rows and with groups, the candidates are those of :class:`KernelClassifier`.

    Parameters
    ----------
    effort : "fast", "balanced", "best" or a list of candidates, default="balanced"
        As for :class:`KernelClassifier`.
    order : sequence of labels, optional
        All classes from the lowest to the highest. By default that of numbers, or of an ordered categorical of pandas;
        texts in no such column need it, if there are more than two.
    columns, time_limit, class_weight, random_state, n_jobs, verbose
        As for :class:`KernelClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        From the lowest to the highest; classes without a row are not among them.
    candidates_, loo_proba_, feature_importances_
        As for :class:`KernelClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelect import KernelOrdinal
    >>> X = np.linspace(0, 3, 60)[:, None]
    >>> grade = np.array(["mild", "moderate", "severe"])[X[:, 0].astype(int).clip(max=2)]
    >>> model = KernelOrdinal("fast", order=["mild", "moderate", "severe"]).fit(X, grade)
    >>> model.predict([[0.2], [1.5], [2.9]]).tolist()
    ['mild', 'moderate', 'severe']
    """

    order: Any = None

    _ordered = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the candidates and weight them.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Numbers, an ordered categorical, or the labels that ``order`` lists.
        sample_weight : array-like of shape (n_samples,), optional
        groups : array-like of shape (n_samples,), optional
            As for :class:`KernelClassifier`.
        """
        return super().fit(X, y, sample_weight, groups)

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        if is_dask(X):
            raise InvalidArgument("X is a Dask collection, and KernelOrdinal takes rows in memory: give X.compute().")
        super()._fit(X, y, sample_weight, groups)

    def _encoded(self, y: Any) -> tuple[Any, Indices]:
        return ordered_classes(*super()._encoded(y), given_order(self.order, y))
