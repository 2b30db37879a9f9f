"""Support vector machines that select their kernel and C.

Notation as in machines/svm/machine.py: beta signed dual variables, z margins, C the machine's constant.
"""

from __future__ import annotations

from typing import Any, Self

from kernelect.criteria.calibration import classes_of
from kernelect.estimators._bases import ClassifierMixin
from kernelect.estimators._svm_base import SVMBase
from kernelect.typing import Array


class SVC(ClassifierMixin, SVMBase):
    """Support vector classifier that selects its kernel and C in ``fit``.

    ``fit`` chooses C and all kernel parameters by analytic gradients, without grid search or cross-validation. It
    maximises the evidence of the machine, read as a probabilistic model, by expectation propagation or Monte Carlo,
    or it minimises an estimate of the leave-one-out error. The offset is part of the kernel, so there is no
    intercept.

    A step costs O(n^3 + d n^2) for n rows and d inputs: some twenty Cholesky factorisations for the evidence,
    one to two solutions of the machine for the other criteria. Predicting a row costs O(d n), or O(d s) with
    s support vectors and ``predictor="svm"``.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="ard"
        A name stands for amplitude * kernel + offset, whose parameters are all selected: ``"ard"``, ``"rbf"``,
        ``"matern32"``, ``"matern52"`` (also with ``"-ard"``), ``"linear"``, ``"polynomial"``. ``"precomputed"``, an
        object of :mod:`kernelect.kernels` or one of ``sklearn.gaussian_process.kernels`` is used as it is.
    slack : "linear" or "quadratic", default="linear"
        Penalty C xi or C xi^2 / 2 for a row that misses its margin by xi.
    C : "auto" or float, default="auto"
        A larger C means less regularisation. If the kernel has its own amplitude, C stays at 1 for criteria that see
        only the product of the two (all but the evidence).
    criterion : str or criterion, default="ep-evidence"
        ``"ep-evidence"`` (by expectation propagation), ``"hmc-evidence"`` (exact up to sampling
        error, slow), ``"span"`` (smoothed; several times faster), ``"laplace-evidence"``, ``"gacv"`` (linear
        slack), ``"radius-margin"``, ``"loo"`` (exact, by retraining), ``"unsmoothed-span"``,
        ``"jaakkola-haussler"``, ``"support-vectors"``, or an object of :mod:`kernelect.criteria`.
    predictor : "auto", "posterior-mean" or "svm", default="auto"
        ``"posterior-mean"`` predicts with the posterior of the latent function, which uses all rows. ``"svm"``
        predicts with the plain machine at the selected hyper-parameters. ``"auto"`` is ``"posterior-mean"`` for
        ``"ep-evidence"`` and ``"hmc-evidence"``, and ``"svm"`` for other criteria, which have no posterior.
    prior : "auto", "log-normal", "shrinkage", "gaussian", "laplace", "evidence" or None
        Prior over hyper-parameters. For ``"ep-evidence"`` and ``"hmc-evidence"``, ``"auto"`` is a weak normal prior
        on the logarithms of amplitude, length scales (about their mean) and C, if amplitude or widths are selected.
        For other criteria it is shrinkage, if several widths are selected.
    search : "auto", "lbfgs", "scg", "nelder-mead", "random-walk" or "gradient-ascent", default="auto"
        ``"auto"`` is L-BFGS, gradient ascent for ``"hmc-evidence"``, or the random walk for criteria
        without gradient.
    landmarks : "auto", None, int or array of shape (n_landmarks, n_features), default="auto"
        As for :class:`GPC`, if the posterior mean predicts and the evidence is found by expectation propagation. Other
        machines are exact at any size.
    n_restarts : int, default=0
        Number of further searches from scattered starts; the best result is kept.
    ensemble : bool, default=False
        Average the decision functions (the probabilities, for the posterior mean) at the optima of all starts,
        instead of taking the best. Needs ``n_restarts`` of at least 1; 5 to 10 is a good number.
    early_stopping : bool, default=False
        Set rows aside, take the point along the search with the smallest error on them, then solve the machine on all
        rows.
    validation_fraction : float, default=0.2
        Share of the rows set aside for early stopping.
    max_iter : int, default=200
        Iterations of each search.
    tol : float, default=1e-5
        Relative decrease of the criterion at which a search has converged.
    time_limit : float, optional
        Seconds after which the search stops, keeps the best point so far and warns once.
    class_weight : dict, "balanced" or None
    random_state : int, RandomState or None
        For scattered starts, the random walk, sampled evidence and the rows set aside.
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
    C_ : float
    support_ : ndarray of shape (n_support,)
        Indices of the training rows that are support vectors (of any class's machine); all rows
        of positive weight for the posterior mean, or the landmarks (-1 for landmarks that were given).
    support_vectors_ : ndarray of shape (n_support, n_features)
        Empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_support,) or (n_support, n_classes)
        Signed dual variables; the posterior mean is the kernel values times these.
    intercept_ : float
        What belongs to ``coef_``; 0 for other kernels, which hold the offset.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of the inputs in the mean of the posterior; for linear kernels only.
    log_marginal_likelihood_value_ : float
        The logarithm of the evidence, without a prior; if the posterior mean predicts.
    feature_importances_ : ndarray of shape (n_features,)
        Relevance of each input, summing to 1.
    n_iter_ : int
        Evaluations of the criterion.
    selection_ : Selection
        Value, status sentence and trace of the selection, and the optima of all starts. For an evidence, the value is
        minus (1/n) ln evidence; with a prior, the evidence is multiplied by the prior.

    Notes
    -----
    With more than two classes, there is one machine for each class against the rest. The machines share kernel and C,
    and the criterion is summed over them.

    The model behind the evidence is a Gaussian process prior over the decision function and
    Q(y | theta) = kappa(C) exp(-C l(y theta)), l the slack's penalty. Probabilities of the
    posterior mean are E Q(1) / (E Q(1) + E Q(-1)) over the posterior, divided by their sum if
    there are more than two classes. Those of the plain machine are calibrated on the
    leave-one-out decision values that the span rule gives.

    References
    ----------
    C. Gold, P. Sollich. Model selection for support vector machine classification.
    Neurocomputing 55 (2003) 221-249.

    Examples
    --------
    >>> from kernelect import SVC
    >>> from kernelect.datasets import twonorm
    >>> X, y = twonorm(200, random_state=0)
    >>> model = SVC(kernel="rbf").fit(X, y)
    >>> X_new, y_new = twonorm(1000, random_state=1)
    >>> bool(model.score(X_new, y_new) > 0.95)
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Select the hyper-parameters and fit the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            With ``kernel="precomputed"``, the kernel values between all rows.
        y : array-like of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array-like of shape (n_samples,), optional
            Multiplies C row by row.
        """
        return self._fit_anew(X, y, sample_weight)

    def decision_function(self, X: Any) -> Array:
        """Return decision values, (n,) for two classes (positive: ``classes_[1]``), else (n, n_classes).

        For the posterior mean these are log-odds, ln E Q(1) - ln E Q(-1), which have the sign of the mean. For a
        precomputed kernel they are the mean itself, because such a kernel does not tell k(x, x).
        """
        values = self.model_.decisions(self._validated(X))
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, X: Any) -> Array:
        """Return the class with the largest decision value, which is also the most probable one."""
        decision = self.decision_function(X)
        return self.classes_[classes_of(decision)]

    def predict_proba(self, X: Any) -> Array:
        """Return class probabilities, from the model or calibrated (see Notes)."""
        return self.model_.probabilities(self._validated(X))
