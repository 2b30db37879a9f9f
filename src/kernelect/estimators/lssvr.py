"""The least-squares support vector regressor that selects its kernel and ridge."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from kernelect.estimators._attributes import ReadsNumbers
from kernelect.estimators._bases import RegressorMixin
from kernelect.estimators._elsewhere import GivenRows, measured_parts
from kernelect.estimators._lazy import lazily
from kernelect.estimators._lssvm_base import LSSVMBase
from kernelect.estimators._targets import encode_groups
from kernelect.estimators._training import measured
from kernelect.model import Component, NumberHead
from kernelect.numerics import binary_unit
from kernelect.selection import Rows
from kernelect.typing import Array


@dataclass(eq=False, repr=False, kw_only=True)
class LSSVR(RegressorMixin, ReadsNumbers, LSSVMBase):
    """Least-squares support vector regressor (kernel ridge with intercept) that selects itself.

    Works like :class:`LSSVC`, for one or several real targets that share kernel and ridge. Standard deviations and
    intervals come from the closed-form leave-one-out, without refits.

    Parameters
    ----------
    kernel, regularization, landmarks, criterion, prior, search, n_restarts, max_iter, tol, time_limit, \
random_state, n_jobs, verbose
        As for :class:`LSSVC`.

    Attributes
    ----------
    kernel_ : Kernel
    regularization_ : float
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
    intercept_ : float or ndarray of shape (n_targets,)
    landmarks_ : ndarray of shape (m, n_features) or None
        None for the exact machine.
    X_fit_ : ndarray of shape (n_samples, n_features)
        The rows that the coefficients belong to: all rows of positive weight, or the landmarks.
    loo_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Exact leave-one-out predictions.
    loo_rows_ : ndarray of int or None
        Numbers of the rows that ``loo_prediction_`` covers, if a Dask collection has more than 100 000 rows; None if
        it covers all rows.
    feature_importances_ : ndarray of shape (n_features,)
    selection_ : Selection
    n_iter_ : int

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from kernelect import LSSVR
    >>> X, y = make_friedman1(200, noise=1.0, random_state=0)
    >>> model = LSSVR().fit(X, y)
    >>> lower, upper = model.predict_interval(X, coverage=0.9)
    >>> bool((lower < upper).all())
    True
    """

    _keeps_spread = True

    _takes_several = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Select the hyper-parameters and fit the machine.

        Parameters
        ----------
        X : array-like, sparse matrix or Dask collection of shape (n_samples, n_features)
            With ``kernel="precomputed"``, the kernel values between all rows. The rows of a Dask array or DataFrame
            stay where they are (docs/large-data.md).
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            If ``X`` is a Dask collection, ``y`` has the same partitions.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight 2 is the same as a row given twice: copies count as one row of their joint weight, and
            leave-one-out removes it whole. See the example "What does a weight of two mean?".
        groups : array-like of shape (n_samples,), optional
            Rows with the same label, such as the visits of one patient, are left out together: in the selection, in
            ``loo_prediction_``, in standard deviations and in intervals.
        """
        return self._fit_anew(X, y, sample_weight, groups)

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        parts, own_unit = self._parts(X, y, sample_weight, groups), self._criterion().rescales
        data: GivenRows
        if parts is not None:
            data = measured_parts(self, parts, own_unit=own_unit)
            unit = data.unit
        else:
            data = measured(self, X, y, sample_weight, several=True, counts=False, as_it_is=not self._is_precomputed)
            data = self._merged(replace(data, groups=encode_groups(groups, data.kept)))
            # In a unit of their own, so that nothing depends on the user's.
            kept = data.targets[data.kept]
            unit = binary_unit((kept - kept.mean(axis=0)).ravel()) if own_unit else 1.0
            data = replace(data, targets=data.targets / unit)
        solved = self._solved(data, unit)
        component = Component(
            parts=(solved.part,),
            constant=solved.constant,
            spread=solved.spread,
            left_out=solved.training.left_out,
            sampled=solved.sampled,
        )
        head = NumberHead(weights=np.ones(1), single=data.single)
        self.model_ = self._record((component,), head, solved.training)

    @property
    def loo_prediction_(self) -> Array:
        """Leave-one-out predictions of the training rows."""
        return self.model_.numbers.shaped(self._training.left_out)

    def _unweighted(self, X: Array, y: Array) -> Rows:
        return Rows(
            X=X, targets=y.astype(float).reshape(len(y), -1), weights=np.ones(len(y)), groups=self._known_groups()
        )

    @lazily("numbers", pair_if="return_std")
    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> Array | tuple[Array, Array]:
        """Return predictions; with ``return_std``, also return the standard deviation of a new observation.

        With ``return_cov``, return predictions and the covariance matrix of new observations, which machines on all
        rows have. Both come from the Gaussian process with the same mean. The scale of the process is set so that the
        leave-one-out residuals have the variance it claims. This costs one Cholesky factorisation.
        """
        return super().predict(X, return_std, return_cov)

    @lazily("numbers", pair=True)
    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[Array, Array]:
        """Return lower and upper ends of prediction intervals by jackknife+.

        The leave-one-out predictions at a new row need no refit: with h = P k(x) (extended by
        the intercept) they are f(x) - r_i h_i(x). Over many data sets the intervals cover at
        least 2 * coverage - 1 of new observations, and in practice about ``coverage`` (Barber, Candes, Ramdas &
        Tibshirani 2021). This ignores that the selected kernel and ridge saw all rows.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        coverage : float in (0, 1)

        Returns
        -------
        lower, upper : ndarray of the shape of ``predict(X)``
        """
        return self.model_.intervals(self._validated(X), coverage)
