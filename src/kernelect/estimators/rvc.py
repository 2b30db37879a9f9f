"""The relevance vector classifier that chooses its kernel.

Notation as in machines/rvm/posterior.py: w weights, Sigma their covariance, h = phi(x)^T w the
latent value, v = phi(x)^T Sigma phi(x) its variance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.criteria import RVMCrossValidation
from kernelect.criteria.calibration import fit_temperature, log_losses
from kernelect.estimators._attributes import ReadsLabels
from kernelect.estimators._bases import ClassifierMixin
from kernelect.estimators._rvm_base import RVMBase
from kernelect.estimators._rvm_held import Losses
from kernelect.estimators._targets import labelled_rows
from kernelect.estimators._training import labelled
from kernelect.machines import Fitted
from kernelect.model import LabelHead, Moderated, Tempered
from kernelect.selection import RelevanceObjective, Rows
from kernelect.typing import Array


@dataclass(eq=False, repr=False, kw_only=True)
class RVC(ClassifierMixin, ReadsLabels, RVMBase):
    """Relevance vector classifier: few vectors, honest probabilities, a kernel that is selected.

    This is a sparse Bayesian model with one precision per candidate function. Most precisions go to infinity, which
    takes their functions out of the model. The sequential algorithm adds, re-estimates or deletes one function at a
    time, so a fit costs O(n m) per vector that is kept, with m candidates. The exact gradient then raises the
    evidence to a stationary point. ``criterion`` selects the kernel's widths. With many rows, the search for them
    begins on a part of the rows.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="ard"
        ``"ard"``, ``"rbf"``, ``"matern32"``, ``"matern52"`` (also with ``"-ard"``),
        ``"linear"``, ``"polynomial"``, ``"precomputed"``, an object of
        :mod:`kernelect.kernels` (used exactly as given) or one of
        ``sklearn.gaussian_process.kernels``. Every training row (or landmark) gives one candidate
        function k(., x_i); a constant is always among the candidates.
    criterion : {"cv", "evidence", "occam-evidence", "centre-evidence", "loo"}, default="cv"
        What selects the widths. In this order: the five-fold log-loss; minus ln evidence; the same with a charge for
        each fitted precision; minus ln evidence with the centres integrated out (generalised RVM); the leave-one-out
        error rate. The three evidences have a gradient, so that each input's width can be chosen by itself. With the
        others, the widths of an elliptical kernel are tied to the inputs' spread. ``"cv"`` also tries the relative
        widths that a least-squares machine selects, and takes them if they lower the log-loss of rows held out by more
        than two standard errors. An object of :mod:`kernelect.criteria` is accepted too. The default measured best on
        14 data sets, and is among the cheapest.
    centres : "data" or "movable"
        Whether functions stay on their training rows or move to the joint mode of weights
        and centres (Gaussian kernels only).
    landmarks : "auto", None, int or array of shape (m, n_features)
        The rows at which candidate functions are centred. A fit costs rows times candidates. ``"auto"`` is every row
        up to 2000 rows. With more rows, it is 1000 landmarks that span the others at the widths where the search on
        all rows begins. None is every row, however many there are. A number draws that many landmarks, and rows of X
        are used as given.
    algorithm : "sequential" or "classical"
        Add one function at a time, or start with all and prune (O(n^3)).
    dictionary : str, Dictionary, callable or list of these, optional
        Candidate functions that replace the kernel, as for :class:`kernelect.BasisSearchRegressor`: ``"rbf"``,
        ``"linear"``, ``"polynomial"``, ``"fourier"``, ``"precomputed"`` (X is the design matrix), an object of
        :mod:`kernelect.dictionaries`, or a function of X that returns one column or several. A list stands for their
        union. Widths that are ``"auto"`` are selected like those of a kernel.
    prior : "auto", "shrinkage", "gaussian", "laplace", "curvature", "slope", "evidence" or None
        Prior over the widths. ``"auto"`` is shrinkage for elliptical kernels, none otherwise.
    search : "auto", "lbfgs", "scg", "nelder-mead" or "scan"
        ``"auto"`` scans a single width, or the widths of all inputs tied to their spread. If the criterion has a
        gradient, L-BFGS then moves each width by itself.
    n_restarts, max_iter, tol, time_limit, random_state, n_jobs, verbose
        As for :class:`kernelect.LSSVC`.
    class_weight : dict, "balanced" or None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    kernel_ : Kernel
        With the selected parameters; absent with a ``dictionary``.
    basis_ : list of str
        With a ``dictionary``, a phrase for each function in the model.
    functions_ : Candidates
        With a ``dictionary``, these functions: ``functions_.evaluate(X)`` gives their values.
    support_ : ndarray of shape (n_vectors,)
        Training rows (columns of the dictionary) whose functions are in the model.
    relevance_vectors_ : ndarray of shape (n_vectors, n_features)
        Their inputs, or where their centres have moved to.
    landmarks_ : ndarray of shape (m, n_features) or None
        Where candidate functions were centred; None if every row has one.
    dual_coef_ : ndarray of shape (n_vectors,) or (n_vectors, n_classes)
    intercept_ : float or ndarray of shape (n_classes,)
        0 if the constant was pruned.
    feature_importances_ : ndarray of shape (n_features,)
        Relevance of each input, summing to 1, also with a ``dictionary``. Absent with ``kernel="precomputed"``, whose
        inputs are not known.
    n_iter_ : int
        Evaluations of the criterion.
    selection_ : Selection
        Value of the criterion (summed over one-against-rest machines for more than two
        classes), status sentence and trace of the selection.

    Notes
    -----
    With more than two classes, there are one-against-rest machines with one kernel. A softmax turns their log-odds
    into probabilities, at the temperature with the smallest log-loss on five parts left out in turn. Probabilities
    divided by their sum would be far too unsure on separable classes, and too sure on overlapping ones.

    References
    ----------
    M. E. Tipping. Sparse Bayesian learning and the relevance vector machine. JMLR 1 (2001) 211-244.
    M. E. Tipping, A. C. Faul. Fast marginal likelihood maximisation for sparse Bayesian models.
    AISTATS 2003.
    D. Kropotov, N. Ptashko, D. Vetrov. The use of Bayesian framework for kernel selection in
    vector machines classifiers.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from kernelect import RVC
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> model = RVC(kernel="rbf").fit(X, y)
    >>> bool(model.score(X, y) > 0.95), len(model.support_) < 20
    (True, True)
    """

    criterion: Any = "cv"
    class_weight: Any = None

    _regression = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Select the kernel and fit the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            With ``kernel="precomputed"``, the kernel values between all rows.
        y : array-like of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight 2 counts as two rows; a row of weight 0 is left out.
        """
        return self._fit_anew(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        data = self._merged(labelled(self, X, y, sample_weight, self.class_weight))
        component = self._fit_machine(data)
        self.model_ = self._record((component,), LabelHead(classes=data.classes, weights=np.ones(1)))

    def _unweighted(self, X: Array, y: Array) -> Rows:
        return labelled_rows(X, y, self.class_weight)

    def decision_function(self, X: Any) -> Array:
        """Return log-odds averaged over the posterior of the weights (Laplace).

        With two classes these are the log-odds of ``classes_[1]``, (n,). With more, they are those of each class
        against the rest, (n, n_classes).
        """
        logits = self.model_.decisions(self._validated(X))
        return logits[:, 0] if logits.shape[1] == 1 else logits

    def predict_proba(self, X: Any) -> Array:
        """Return class probabilities, averaged over the posterior of the weights (Laplace).

        With more than two classes, they are the softmax of the classes' log-odds at the temperature that fits rows
        left out best.
        """
        return self.model_.probabilities(self._validated(X))

    def _losses(self, targets: Array, weights: Array, link: Tempered | None) -> Losses:
        assert link is not None
        index = targets.argmax(axis=1) if targets.shape[1] > 1 else (targets[:, 0] > 0.0).astype(int)
        return lambda mean, variance: log_losses(link.decision(mean, variance), index, link.inverse_temperature)

    def _link(self, objective: RelevanceObjective, theta: Array) -> Tempered:
        targets, weights = objective.targets, objective.weights
        if targets.shape[1] == 1:
            return Moderated(inverse_temperature=1.0)
        folds = self._dealt(RVMCrossValidation(), Rows(X=objective.X, targets=targets, weights=weights))
        if objective.centres is not None:
            folds = folds.centred_on(objective.centres.rows)
        gram, _ = objective.design(theta)
        fitted = Fitted(
            machine=objective.machine,
            gram=gram,
            targets=targets,
            weights=weights,
            regularization=1.0,
            state=None,
            n_residuals=len(gram),
        )
        decision, index = folds.held_out_log_odds(fitted), targets.argmax(axis=1)
        known = np.isfinite(decision[:, 0])  # not of all parts if time is up
        temperature = fit_temperature(decision[known], index[known], weights[known], counts=True)
        return Moderated(inverse_temperature=temperature)
