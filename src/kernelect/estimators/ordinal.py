"""Classes with an order, such as grades, by Gaussian processes.

Notation: N(m, v) the latent function at a row, h_1 < ... < h_K-1 thresholds. Class k is where the latent function plus
unit normal noise lies between h_k and h_k+1 (h_0 = -inf, h_K = inf).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from kernelect.estimators._attributes import ReadsLeftOutLabels
from kernelect.estimators._bases import ClassifierMixin
from kernelect.estimators._interval_base import IntervalMachine
from kernelect.estimators._targets import encode_labels, given_order, ordered_classes
from kernelect.estimators._training import labelled
from kernelect.model import LabelHead, Ordered, TrainingRows
from kernelect.parameters import ParameterSpace
from kernelect.selection import Rows, ordered_space
from kernelect.typing import Array


@dataclass(eq=False, repr=False, kw_only=True)
class OrdinalGPC(ClassifierMixin, ReadsLeftOutLabels, IntervalMachine):
    """Classifier for classes with an order, by a Gaussian process that selects itself.

    One latent function plus normal noise decides, and thresholds cut it into classes: a row between "mild" and
    "severe" is "moderate". Expectation propagation gives the posterior; kernel and thresholds maximise the evidence,
    with its analytic gradient. With two classes this is :class:`GPC`.

    Up to 2000 rows a step costs O(n^3 + d n^2) for n rows and d inputs, some ten Cholesky factorisations, however many
    classes there are. Beyond, m landmarks span the latent function: O(n m^2 + d n m).

    Parameters
    ----------
    kernel : str, Kernel or callable, default="ard"
        As for :class:`GPC`.
    order : sequence of labels, optional
        All classes from the lowest to the highest. By default that of numbers, or of an ordered categorical of pandas;
        texts in no such column need it, if there are more than two.
    prior, search, landmarks, n_restarts, max_iter, tol, time_limit, random_state, n_jobs, verbose
        As for :class:`GPC`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        From the lowest to the highest; classes without a row are not among them.
    thresholds_ : ndarray of shape (n_classes - 1,)
        Where one class ends and the next begins; the first is 0.
    kernel_ : Kernel
    dual_coef_ : ndarray of shape (n_samples,), or (n_landmarks,)
    X_fit_ : ndarray of shape (n_samples, n_features)
        The rows that have coefficients: all, or the landmarks.
    landmarks_ : ndarray of shape (n_landmarks, n_features) or None
    loo_proba_ : ndarray of shape (n_samples, n_classes)
        Leave-one-out probabilities, from the cavities of expectation propagation.
    loo_log_likelihood_ : ndarray of shape (n_samples,)
        Log probability of each row's own class when the row is left out.
    feature_importances_ : ndarray of shape (n_features,)
    log_marginal_likelihood_value_ : float
    n_iter_ : int
    selection_ : Selection
        ``value`` is minus (1/n) ln evidence.

    References
    ----------
    W. Chu, Z. Ghahramani. Gaussian processes for ordinal regression. Journal of Machine Learning Research 6 (2005)
    1019-1041.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelect import OrdinalGPC
    >>> X = np.linspace(0, 3, 60)[:, None]
    >>> grade = np.array(["mild", "moderate", "severe"])[X[:, 0].astype(int).clip(max=2)]
    >>> model = OrdinalGPC("rbf", order=["mild", "moderate", "severe"]).fit(X, grade)
    >>> model.predict([[0.2], [1.5], [2.9]]).tolist()
    ['mild', 'moderate', 'severe']
    """

    order: Any = None
    landmarks: Any = "auto"
    tol: float = 1e-4

    @property
    def thresholds_(self) -> Array:
        """Where one class ends and the next begins."""
        link = self._component.link
        assert isinstance(link, Ordered)
        return link.thresholds

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Select kernel and thresholds and find the posterior.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Numbers, an ordered categorical, or the labels that ``order`` lists.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w rows: its log-likelihood is multiplied by w.
        """
        return self._fit_anew(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        order = given_order(self.order, y)
        data = labelled(self, X, np.asarray(y) if order is not None else y, sample_weight, None)
        classes, index = ordered_classes(data.classes, data.index, order)
        data = replace(data, classes=classes, index=index, targets=index[:, None].astype(float))
        found = self._solved(data)
        data = found.data
        thresholds = found.objective.thresholds(found.theta)[1:-1]
        link = Ordered(thresholds=thresholds)
        component = found.component(link)
        left_out = link.decision(*found.left_out(component))
        component = replace(component, left_out=left_out)
        probability = component.left_out_answers()
        logs = link.log_probabilities(left_out)
        self.loo_log_likelihood_ = logs[np.arange(len(logs)), data.index]
        training = TrainingRows(
            numbers=np.arange(len(data.X)),
            targets=data.index,
            weights=np.where(data.kept, data.weights, 0.0),
            left_out=probability,
        )
        self.model_ = self._record((component,), LabelHead(classes=classes, weights=np.ones(1)), training)

    def _own_space(self, rows: Rows) -> ParameterSpace:
        return ordered_space(int(rows.targets.max()) + 1)

    def _unweighted(self, X: Array, y: Any) -> Rows:
        classes, index, _ = encode_labels(y)
        _, index = ordered_classes(classes, index, given_order(self.order, y))
        return Rows(X=X, targets=index[:, None].astype(float), weights=np.ones(len(X)))

    def decision_function(self, X: Any) -> Array:
        """Return log-odds: (n,) of the second of two classes, else (n, n_classes) of each against the rest."""
        z = self.model_.log_odds(self._validated(X))
        return z[:, 0] if z.shape[1] == 1 else z

    def predict_proba(self, X: Any) -> Array:
        """Return class probabilities, integrated over the posterior of the latent function."""
        return self.model_.probabilities(self._validated(X))
