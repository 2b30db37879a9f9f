"""The least-squares support vector classifier that selects its kernel and ridge."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from kernelect.criteria.calibration import classes_of, fit_temperature
from kernelect.estimators._attributes import ReadsLabels
from kernelect.estimators._bases import ClassifierMixin
from kernelect.estimators._elsewhere import PartedTraining, labelled_parts
from kernelect.estimators._lazy import lazily
from kernelect.estimators._lssvm_base import LSSVMBase
from kernelect.estimators._lssvm_solved import Solved
from kernelect.estimators._relevance import relevances
from kernelect.estimators._targets import encode_groups, labelled_rows, targets_of
from kernelect.estimators._training import LabelledTraining, labelled
from kernelect.exceptions import InvalidArgument
from kernelect.machines.lssvm.landmarks import LandmarkState
from kernelect.model import Component, LabelHead, Tempered
from kernelect.numerics import stratified
from kernelect.selection import Rows
from kernelect.selection.landmarks import FIGURE_ROWS
from kernelect.typing import Array

#: Landmarks of which sums over all rows are kept, so that a smaller model can be made of them.
_SUMMED = 1000


@dataclass(eq=False, repr=False, kw_only=True)
class LSSVC(ClassifierMixin, ReadsLabels, LSSVMBase):
    """Least-squares support vector classifier that selects its kernel and ridge in ``fit``.

    ``fit`` minimises the exact leave-one-out error (PRESS) over the ridge and all kernel parameters, using its
    analytic gradient. A prior keeps many kernel parameters from over-fitting the selection. There is no grid search
    and no cross-validation. One factorisation serves all classes. A step costs about six Cholesky factorisations,
    however many inputs there are: O(n^3 + d n^2) for n rows and d inputs, or O(n m^2 + d n m) on m landmarks.
    Predicting a row costs O(d n), or O(d m).

    Parameters
    ----------
    kernel : str, Kernel or callable, default="ard"
        ``"ard"``, ``"rbf"``, ``"matern32"``, ``"matern52"`` (also with ``"-ard"``),
        ``"linear"``, ``"polynomial"``, ``"precomputed"``, an object of
        :mod:`kernelect.kernels` (used exactly as given) or one of
        ``sklearn.gaussian_process.kernels``.
    regularization : "auto" or float, default="auto"
        The ridge mu of Cawley & Talbot (2007): the machine solves a linear system in K + mu I.
    landmarks : "auto", None, int or array of shape (m, n_features)
        A few rows, the landmarks, that span the others. On landmarks, the cost of the machine grows with the number
        of rows, not with its cube, and leave-one-out is just as exact. ``"auto"`` is the exact machine up to 2000
        rows. With more rows it doubles the landmarks until leave-one-out stops improving, and the status reports it. A
        criterion or prior that does not work on landmarks keeps the exact machine. None is the exact machine at any
        size. A number of landmarks, or the landmarks themselves, are used as given.
    criterion : str or Criterion, default="press"
        ``"press"``, the exact leave-one-out squared error; ``"evidence"``, that of the Gaussian process with this
        kernel, which over-fits less with few rows and many inputs; ``"gcv"``, generalised cross-validation, which
        gives all rows the same leverage; or an object of :mod:`kernelect.criteria` that judges least-squares machines.
    prior : "auto", "shrinkage", "gaussian", "laplace", "curvature", "slope", "evidence" or None
        Prior over the widths. ``"auto"`` is shrinkage for elliptical kernels, none otherwise.
    search : "lbfgs", "scg" or "nelder-mead", default="lbfgs"
    n_restarts : int, default=0
        Number of further searches from scattered starts; the best result is kept.
    max_iter : int, default=200
        Iterations of each search.
    tol : float, default=1e-5
        Relative decrease of the criterion at which a search has converged.
    time_limit : float, optional
        Seconds after which the search stops, keeps the best point so far and warns once.
    recalibrate : "auto" or bool, default="auto"
        Choose ridge and overall width once more at the end, by the leave-one-out log-loss of the calibrated
        probabilities instead of squared errors. On the papers' data this lowers the error
        (docs/results/cawley2007.md). ``"auto"`` does so only with ``prior="auto"``. With a prior given by name, or
        None, the criterion alone decides, as in the papers.
    class_weight : dict, "balanced" or None
    random_state : int, RandomState or None
        For scattered starts and the choice of landmarks. None is 0: every fit of the same data is the same one.
    n_jobs : int, optional
        How many restarts run at the same time.
    verbose : bool, int or callable, default=0
        A line per evaluation on standard error, or a callable that receives each
        :class:`kernelect.results.Evaluation`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    kernel_ : Kernel
        With the selected parameters.
    regularization_ : float
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
    intercept_ : float or ndarray of shape (n_classes,)
    landmarks_ : ndarray of shape (m, n_features) or None
        None for the exact machine.
    X_fit_ : ndarray of shape (n_samples, n_features)
        The rows that the coefficients belong to: all rows of positive weight, or the landmarks.
    loo_decision_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Exact leave-one-out decision values: what a machine trained on all other rows (or groups) gives each row.
    loo_rows_ : ndarray of int or None
        Numbers of the rows that ``loo_decision_`` covers, if a Dask collection has more than 100 000 rows; None if it
        covers all rows.
    feature_importances_ : ndarray of shape (n_features,)
        Relevance of each input, summing to 1.
    selection_ : Selection
        Value, status sentence and trace of the selection. With a prior the value is in nats and includes the prior's
        penalty, also that of widths given as numbers; with ``prior=None`` it is the criterion alone.
    n_iter_ : int
        Evaluations of the criterion.

    References
    ----------
    G. C. Cawley, N. L. C. Talbot. Preventing over-fitting during model selection via Bayesian
    regularisation of the hyper-parameters. JMLR 8 (2007) 841-861.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelect import LSSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LSSVC(kernel="rbf").fit(X, y)
    >>> bool((model.loo_decision_.argmax(axis=1) == y).mean() > 0.95)
    True
    """

    recalibrate: Any = "auto"
    class_weight: Any = None

    _keeps_spread = False
    _keeps_fewer = _SUMMED

    @property
    def loo_decision_(self) -> Array:
        """Leave-one-out decision values of the training rows."""
        decisions = self._component.left_out
        if decisions is None:
            raise AttributeError("This model keeps nothing of its training rows, so that it has no loo_decision_.")
        return decisions[:, 0] if decisions.shape[1] == 1 else decisions

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Select the hyper-parameters and fit the machine.

        Parameters
        ----------
        X : array-like, sparse matrix or Dask collection of shape (n_samples, n_features)
            With ``kernel="precomputed"``, the kernel values between all rows. The rows of a Dask array or DataFrame
            stay where they are (docs/large-data.md).
        y : array-like of shape (n_samples,)
            Labels of two or more classes. If ``X`` is a Dask collection, ``y`` has the same partitions.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight 2 is the same as a row given twice: copies count as one row of their joint weight, and
            leave-one-out removes it whole. See the example "What does a weight of two mean?".
        groups : array-like of shape (n_samples,), optional
            Rows with the same label, such as the visits of one patient, are left out together: in the selection, in
            ``loo_decision_`` and in the calibration of probabilities.
        """
        return self._fit_anew(X, y, sample_weight, groups)

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        parts = self._parts(X, y, sample_weight, groups)
        data: LabelledTraining | PartedTraining
        if parts is not None:
            data = labelled_parts(self, parts, self.class_weight)
        else:
            data = labelled(
                self, X, y, sample_weight, self.class_weight, counts=False, as_it_is=not self._is_precomputed
            )
            data = self._merged(replace(data, groups=encode_groups(groups, data.kept)))
        solved = self._solved(data, recalibrate=self._recalibrates())
        self._keep(solved, data.classes)

    def _keep(self, solved: Solved, classes: Any, *, refitted: bool = False) -> None:
        """Set the model, at the temperature that rows left out ask for."""
        decisions, targets, weights = solved.training.left_out, solved.training.targets, solved.training.weights
        part, index = stratified(len(decisions), FIGURE_ROWS), classes_of(np.asarray(targets, dtype=float))
        link = Tempered(inverse_temperature=fit_temperature(decisions[part], index[part], weights[part]))
        answers = link.probabilities(decisions)
        component = Component(
            parts=(solved.part,),
            constant=solved.constant,
            link=link,
            spread=solved.spread,
            left_out=decisions,
            sampled=solved.sampled,
            refitted=refitted,
        )
        training = replace(solved.training, targets=index, left_out=answers)
        self.model_ = self._record((component,), LabelHead(classes=classes, weights=np.ones(1)), training)

    def refitted(self, state: LandmarkState, decisions: Array, rows: Array) -> Self:
        """Return the machine with the coefficients that the log-loss found on its own landmarks.

        Parameters
        ----------
        state : LandmarkState
        decisions : ndarray of shape (n, k)
            Of the training rows, each left out.
        rows : ndarray of shape (m, d)
            Where relevances are measured.
        """
        other, component, training = copy(self), self.model_.components[0], self.model_.training
        assert training is not None
        part = replace(component.kernel_part, coefficients=state.dual_coef)
        n_classes = len(self.classes_)
        solved = Solved(
            part=part,
            constant=np.atleast_1d(state.intercept),
            ridge=self.regularization_,
            training=replace(
                training, targets=targets_of(np.asarray(training.targets, dtype=np.intp), n_classes), left_out=decisions
            ),
            spread=None,
            sampled=component.sampled,
        )
        other._keep(solved, self.classes_, refitted=True)
        other.feature_importances_ = relevances(part.kernel, rows, part.coefficients, part.vectors)
        return other

    def _unweighted(self, X: Array, y: Array) -> Rows:
        return replace(labelled_rows(X, y, self.class_weight), groups=self._known_groups())

    def _recalibrates(self) -> bool:
        if self.recalibrate not in ("auto", True, False):
            raise InvalidArgument(f"recalibrate={self.recalibrate!r} must be 'auto', True or False.")
        if self.recalibrate == "auto":
            return isinstance(self.prior, str) and self.prior == "auto"
        return bool(self.recalibrate)

    @lazily("decisions")
    def decision_function(self, X: Any) -> Array:
        """Return decision values, (n,) for two classes (positive: ``classes_[1]``), else (n, n_classes)."""
        values = self.model_.decisions(self._validated(X))
        return values[:, 0] if values.shape[1] == 1 else values

    @lazily("probabilities")
    def predict_proba(self, X: Any) -> Array:
        """Return class probabilities, calibrated on the exact leave-one-out decision values."""
        return self.model_.probabilities(self._validated(X))
