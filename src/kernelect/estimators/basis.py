"""Regression on a few basis functions, chosen from a dictionary by their evidence.

Notation of subsets/moments.py: Phi (N, m) the chosen columns, lambda = alpha / beta the ratio of
prior to noise precision, H = Phi^T Phi + lambda I.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, Self

import numpy as np

from kernelect.criteria import CRITERIA, Criterion
from kernelect.dictionaries import as_dictionary
from kernelect.estimators._attributes import ReadsNumbers
from kernelect.estimators._base import check_number
from kernelect.estimators._bases import RegressorMixin
from kernelect.estimators._relevance import function_relevances
from kernelect.estimators._training import Training, measured
from kernelect.exceptions import InvalidArgument, MissingCapability, unknown_name
from kernelect.model import Component, FunctionPart, NumberHead, SubsetSpread
from kernelect.numerics import best_blas_threads, canonical_order
from kernelect.results import Evaluation, ModelSize
from kernelect.search import Budget
from kernelect.subsets import (
    STRATEGIES,
    SUBSET_CRITERIA,
    EvidenceCriterion,
    FitOptions,
    FittedSubset,
    MacKayEvidence,
    SubsetRows,
    WalkOptions,
    constant_subset,
    fit_subset,
)
from kernelect.typing import Mask

_RANKINGS = ("likelihood", "evidence")


@dataclass(eq=False, repr=False, kw_only=True)
class BasisSearchRegressor(RegressorMixin, ReadsNumbers):
    """Linear model on a subset of a dictionary of functions, found by a search guided by the evidence.

    ``fit`` streams over the rows once to compute the dictionary's Gram matrix, in O(n M^2) for n rows and M
    functions. The search then adds and removes functions in O(m M), however many rows there are. It values each
    subset by its evidence, the probability of the data with weights, noise and prior integrated out. This balances
    size and fit without validation rows. The model without functions is always one of those compared.

    Parameters
    ----------
    dictionary : str, Dictionary, callable or list of these, default="rbf"
        ``"rbf"`` (Gaussian functions at the data, one width per input), ``"linear"``,
        ``"polynomial"``, ``"fourier"``, ``"bias"``, ``"precomputed"`` (X is the design matrix),
        an object of :mod:`kernelect.dictionaries`, or a function of X. A list stands for their union.
    strategy : str or Strategy, default="pta"
        ``"forward"``, ``"backward"``, ``"pta"`` (plus 2, take away 1), ``"sffs"`` (smallest models),
        ``"oscillating"``, ``"ols"`` (orthogonal least squares), ``"abf"`` (no search: all basis
        functions), or an object such as ``PTA(3, 1)``, ``SFFS()``, ``Oscillating(5)``.
    criterion : "evidence", "mackay-evidence" or "marginal-likelihood", default="evidence"
        In this order: the evidence by quadrature, equation (4) of Barrio et al., and the likelihood at the best alpha
        and beta.
    fit_intercept : bool, default=True
        Whether to add a constant with a flat prior, integrated out. The paper's model has no constant.
    max_size : int, optional
        Number of functions in the largest model. It always leaves three residuals (degrees of freedom).
    patience : "auto" or int, default="auto"
        The search ends when the model has this many functions more than the best one;
        ``"auto"`` is max(15, 0.3 times the best one's size).
    slack : float, default=0.3
        How far, in posterior deviations, ln lambda may be from its best value while candidates are ranked. This costs
        slack^2 / 2 nats at most. With 0, ln lambda is always at its best.
    ranking : "likelihood" or "evidence", default="likelihood"
        What orders the candidates of a step: the likelihood at the present lambda, with the noise at its best, or
        MacKay's evidence at the present alpha and beta (equation 8 of the paper). For one target.
    epsilon : float, optional
        By default every subset is valued at its best alpha and beta. With a number, as in the paper (0.1), they are
        re-estimated in turn from those of the last subset, until both would move by less than this many posterior
        deviations. For one target and ``criterion="mackay-evidence"``.
    max_width_rows : int, default=512
        Rows used to find widths that are ``"auto"``.
    max_iter : int, default=200
        Iterations of the search for widths.
    tol : float, default=1e-5
        Relative decrease at which the search for widths has converged.
    time_limit : float, optional
        Seconds after which the search stops, keeps the best subset so far and warns once.
    random_state : int, RandomState or None
        For the rows that ``OLS(stop="validation")`` keeps aside.
    verbose : bool, int or callable, default=0
        1: a line a second on standard error; 2: a line per step; a callable receives every
        :class:`kernelect.subsets.Step` (and every evaluation of the search for widths).

    Attributes
    ----------
    coef_ : ndarray of shape (n_functions,) or (n_targets, n_functions)
    intercept_ : float or ndarray of shape (n_targets,)
    basis_ : list of str
        A phrase for each chosen function.
    functions_ : Candidates
        The chosen functions: ``functions_.evaluate(X)`` gives the design matrix.
    support_ : ndarray of shape (n_functions,)
        Their indices in the dictionary.
    regularization_ : float
        lambda = alpha / beta.
    noise_ : float or ndarray of shape (n_targets,)
        Standard deviation of the noise.
    feature_importances_ : ndarray of shape (n_features,)
        Relevance of each input, summing to 1.
    selection_ : BasisSelection
        Value (minus ln evidence), status, trace and the best subset of every size.
    n_iter_ : int
        Additions and removals, at least 1.

    Notes
    -----
    Several targets share the subset and lambda, and each has its own noise. A sample weight of 2 counts the row
    twice. Copies of a row (equal inputs and equal targets) say nothing about the noise, so weights and copies together
    count for no more rows than there are distinct ones: weights of 3 for all rows give the model of weights of 1.

    References
    ----------
    I. Barrio, E. Romero, L. Belanche. Search strategies guided by the evidence for the
    selection of basis functions in regression.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelect import BasisSearchRegressor
    >>> X = np.linspace(-1, 1, 60)[:, None]
    >>> y = 1.0 + X[:, 0] - 2.0 * X[:, 0] ** 3
    >>> from kernelect.dictionaries import PolynomialTerms
    >>> model = BasisSearchRegressor(PolynomialTerms(degree=6)).fit(X, y + 0.01 * np.cos(40 * X[:, 0]))
    >>> model.basis_
    ['x0', 'x0^3']
    """

    dictionary: Any = field(default="rbf", kw_only=False)
    strategy: Any = "pta"
    criterion: Any = "evidence"
    fit_intercept: bool = True
    max_size: int | None = None
    patience: Any = "auto"
    slack: float = 0.3
    ranking: str = "likelihood"
    epsilon: float | None = None
    max_width_rows: int = 512
    max_iter: int = 200
    tol: float = 1e-5
    time_limit: float | None = None
    random_state: Any = None
    verbose: Any = 0

    _takes_several = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find widths, search for a subset and fit it; an error or Ctrl-C leaves the model as it was.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            With ``dictionary="precomputed"``, the design matrix.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), optional
        """
        return self._fit_anew(X, y, sample_weight)

    def model_size(self) -> ModelSize:
        """Return how many functions a prediction uses."""
        return ModelSize(count=len(self.basis_), what="basis function")

    def selected_functions(self) -> list[tuple[str, float]]:
        """Return names and coefficients (of the first output) of the chosen functions."""
        return list(zip(self.basis_, np.atleast_2d(self.coef_)[0].tolist(), strict=True))

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        options = self._options()
        dictionary = as_dictionary(self.dictionary)
        data = measured(self, X, y, sample_weight, several=True, counts=True)
        sample = self._sample(data)
        self._check_protocol(sample.T.shape[1])
        varying = sample.varying
        with best_blas_threads(self._deadline):
            if varying.any():
                found = fit_subset(dictionary, replace(sample, T=sample.T[:, varying]), options)
            else:
                found = constant_subset(dictionary, sample, options)
        self._keep(found, sample if found.rows is None else sample.rows(found.rows), varying, single=data.single)

    def _options(self) -> FitOptions:
        """Return the options of the search, all arguments checked."""
        if self.max_size is not None:
            check_number("max_size", self.max_size, Integral, 1, "a whole number of at least 1, or None")
        if self.patience != "auto":
            check_number("patience", self.patience, Integral, 1, "a whole number of at least 1, or 'auto'")
        check_number("slack", self.slack, Real, 0, "a number of at least 0")
        if self.ranking not in _RANKINGS:
            raise unknown_name("ranking", self.ranking, list(_RANKINGS))
        if self.epsilon is not None:
            check_number("epsilon", self.epsilon, Real, 0, "a number of at least 0, or None")
        check_number("max_width_rows", self.max_width_rows, Integral, 2, "a whole number of at least 2")
        check_number("max_iter", self.max_iter, Integral, 1, "a whole number of at least 1")
        check_number("tol", self.tol, Real, 0, "a number of at least 0")
        deadline = self._deadline
        walk = WalkOptions(
            criterion=self._criterion(),
            max_size=self.max_size,
            patience=self.patience,
            slack=float(self.slack),
            ranking="evidence" if self.ranking == "evidence" else "likelihood",
            epsilon=self.epsilon,
            deadline=deadline,
            observe=_progress(self.verbose, type(self).__name__),
        )
        return FitOptions(
            strategy=STRATEGIES.resolve(self.strategy),
            walk=walk,
            max_width_rows=self.max_width_rows,
            # At most half of the time for the widths: they are no model without a search.
            width_budget=Budget(max_iter=self.max_iter, tol=self.tol, deadline=deadline.part(0.5).at),
            generator=np.random.default_rng(self._seed()),
        )

    def _check_protocol(self, n_targets: int) -> None:
        """Raise if the paper's steps are asked for where they are not defined."""
        if n_targets > 1 and (self.epsilon is not None or self.ranking == "evidence"):
            raise MissingCapability(
                f"ranking='evidence' and epsilon follow the noise of one target, and y has {n_targets}: fit each by "
                "itself, or leave ranking='likelihood' and epsilon=None."
            )
        if self.epsilon is not None and not isinstance(self._criterion(), MacKayEvidence):
            raise MissingCapability(
                f"epsilon={self.epsilon!r} stops alpha and beta short of their best, where only MacKay's evidence is "
                f"defined, and criterion={self.criterion!r}: use criterion='mackay-evidence', or epsilon=None."
            )

    @classmethod
    def criteria(cls) -> Mapping[str, type[EvidenceCriterion]]:
        """Return the criteria that value subsets, by name."""
        return {entry.name: entry.cls for entry in SUBSET_CRITERIA if entry.name is not None}

    def _criterion(self) -> EvidenceCriterion:
        judges = isinstance(self.criterion, Criterion) or (
            self.criterion in CRITERIA and self.criterion not in SUBSET_CRITERIA
        )
        if judges:
            raise MissingCapability(
                f"criterion={self.criterion!r} judges a machine, and BasisSearchRegressor values subsets of a "
                f"dictionary: use {', '.join(map(repr, SUBSET_CRITERIA.names))} instead."
            )
        return SUBSET_CRITERIA.resolve(self.criterion)

    def _sample(self, data: Training) -> SubsetRows:
        """Return the rows as the search counts them."""
        total = float(data.weights.sum())
        if total <= 1.0:
            raise InvalidArgument(
                f"sample_weight sums to {total:.4g}: weights count rows here, so they have to sum to more "
                "than 1. Multiply them by a constant."
            )
        rows = data.merged(counts=True).rows()
        sample = SubsetRows(X=rows.X, T=rows.targets, weights=rows.weights, intercept=bool(self.fit_intercept))
        # One order of the rows, whatever the one they were given in: sums are then the same to the last bit.
        return sample.rows(canonical_order(np.column_stack([sample.X, sample.T, sample.weights])))

    def _keep(self, found: FittedSubset, sample: SubsetRows, varying: Mask, *, single: bool) -> None:
        """Set the learned attributes; targets that never vary get their constant."""
        k, m = sample.T.shape[1], len(found.indices)
        coef, noise = np.zeros((k, m)), np.zeros(k)
        coef[varying], noise[varying] = found.posterior.coef.T, found.posterior.noise
        intercept = sample.target_means - coef @ found.means
        self.functions_, self.support_ = found.functions, found.indices
        self.basis_ = found.functions.describe()
        self.coef_ = coef[0] if single else coef
        self.intercept_ = float(intercept[0]) if single else intercept
        self.noise_ = float(noise[0]) if single else noise
        self.regularization_ = found.regularization
        spread = SubsetSpread(
            means=found.means,
            root=found.posterior.root,
            constant=1.0 / float(sample.weights.sum()) if sample.intercept else 0.0,
            noise=noise,
        )
        part = FunctionPart(functions=found.functions, coefficients=coef.T.copy())
        component = Component(parts=(part,), constant=np.asarray(intercept, dtype=float), spread=spread)
        self.model_ = self._record((component,), NumberHead(weights=np.ones(1), single=single))
        self.feature_importances_ = function_relevances(self.functions_, sample.X, np.atleast_2d(self.coef_).T)
        self.selection_ = found.selection
        self.n_iter_ = max(len(found.selection.trace), 1)


def _progress(verbose: object, name: str) -> Callable[[Any], None] | None:
    """Return the observer that ``verbose`` asks for; with 1 it writes at most one line a second."""
    if callable(verbose):
        return verbose
    if not verbose:
        return None
    pause, last = 0.0 if isinstance(verbose, int) and verbose > 1 else 1.0, [time.monotonic()]

    def write(row: Any) -> None:
        if time.monotonic() - last[0] < pause:
            return
        last[0] = time.monotonic()
        if isinstance(row, Evaluation):
            what = f"widths, evaluation {row.number}: {row.value:.6g}"
        else:
            what = f"step {row.number}: {row.size} functions, {row.value:.6g}"
        sys.stderr.write(f"[{name}] {what} (best {row.best_value:.6g}, {row.seconds:.1f} s)\n")

    return write
