"""Selection, solution and prediction shared by both relevance vector machines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kernelect.criteria import (
    Criterion,
    RVMCentreEvidence,
    RVMCrossValidation,
    RVMEvidence,
    RVMLeaveOneOut,
    RVMOccamEvidence,
)
from kernelect.criteria.rvm.parts import dealt_out
from kernelect.dictionaries import Candidates, DictionaryDesign, as_dictionary
from kernelect.estimators._base import SelfSelecting
from kernelect.estimators._relevance import function_relevances, relevances
from kernelect.estimators._rvm_model import on_centres, on_rows
from kernelect.estimators._sklearn import validate_data
from kernelect.exceptions import InvalidArgument, MissingCapability, unknown_name
from kernelect.kernels import Kernel
from kernelect.kernels.centres import GaussianCentres
from kernelect.machines import RVM, Classical, Sequential
from kernelect.machines.rvm.centres import moved_centres
from kernelect.machines.rvm.likelihoods import Likelihood
from kernelect.machines.rvm.linear import Dictionary
from kernelect.machines.rvm.sizes import evidence_by_size
from kernelect.numerics import blas_threads_for, canonical_order, require_memory
from kernelect.priors import as_prior
from kernelect.search import LBFGS, Scan, Search, Stay, as_search
from kernelect.selection import CentreObjective, RelevanceObjective, select
from kernelect.typing import Array, Indices

CRITERIA: dict[str, type[Criterion]] = {
    criterion.name: criterion
    for criterion in (RVMEvidence, RVMCentreEvidence, RVMOccamEvidence, RVMCrossValidation, RVMLeaveOneOut)
}

_ALGORITHMS = {"sequential": Sequential, "classical": Classical}

_CENTRES = ("data", "movable")

#: n x n arrays that a fit with a function at every row holds at its peak.
_SQUARES = 6.0

#: Training rows per function in a model, at least, as far as BLAS threads are concerned.
_ROWS_PER_FUNCTION = 4


class RVMBase(SelfSelecting):
    """An RVM: candidate functions at the training rows, or a dictionary's."""

    #: Real targets with normal noise, or labels of +-1.
    _regression: bool

    functions_: Candidates

    @property
    def _is_precomputed(self) -> bool:
        return self.dictionary is None and super()._is_precomputed

    def _kernel(self) -> Kernel:
        if self.dictionary is None:
            return super()._kernel()
        return DictionaryDesign(as_dictionary(self.dictionary))

    def _search(self) -> Search:
        if not (isinstance(self.search, str) and self.search == "auto"):
            return as_search(self.search)
        if self._criterion_class().has_gradient:
            return Scan(then=LBFGS())
        return Scan(then=Stay(), finest=0.5)  # an error on rows held out is too rough to tell closer widths apart

    def _fit_machine(self, X: Array, targets: Array, weights: Array) -> None:
        """Select, solve and set the fitted attributes; ``targets`` is (n, k)."""
        self._check_precomputed(X)
        self._check_words()
        positive = np.flatnonzero(weights > 0.0)
        if len(positive) < 2:
            raise InvalidArgument(
                f"sample_weight leaves {len(positive)} row(s) of positive weight: at least 2 are needed."
            )
        order = self._row_order(X, targets, weights, positive)
        kept = positive[order]
        design = X[np.ix_(kept, kept)] if self._is_precomputed else X[kept]
        kernel = self._kernel()
        require_memory(len(kept), _squares(kernel, design))
        objective = self._objective(kernel, design, targets[kept], weights[kept], order)
        options = self._options()
        options.search.check(objective.criterion.has_gradient, objective.criterion.name)
        # What is factorised is the model, which has far fewer rows than the data.
        with blas_threads_for(len(kept) // _ROWS_PER_FUNCTION):
            selection, objective = select(objective, options)
            self._keep(objective, selection.theta, kept)
            self._calibrate(objective, selection.theta)
        constant = "; no function raised the evidence, so the model is a constant"
        self.selection_ = selection if len(self.support_) else replace(selection, ending=selection.ending + constant)
        self.n_iter_ = selection.n_evaluations
        self._warn_if_doubtful(selection)

    def _row_order(self, X: Array, targets: Array, weights: Array, rows: Indices) -> Indices:
        """Return the order in which the rows are fitted, whatever the order in which they were given.

        Two candidate functions that gain the same, or the same but for rounding, are told apart by it.
        """
        inputs = np.sort(X[np.ix_(rows, rows)], axis=1) if self._is_precomputed else X[rows]
        return canonical_order(np.column_stack([inputs, targets[rows], weights[rows]]))

    def _check_words(self) -> None:
        if self.centres not in _CENTRES:
            raise unknown_name("centres", self.centres, list(_CENTRES))
        if self.algorithm not in _ALGORITHMS:
            raise unknown_name("algorithm", self.algorithm, list(_ALGORITHMS))
        if self._moves_centres() and (self._is_precomputed or self.dictionary is not None):
            raise MissingCapability(
                "Centres that move (centres='movable', criterion='centre-evidence') need a Gaussian kernel of the "
                "inputs: use kernel='rbf' or 'ard', without dictionary."
            )

    def _moves_centres(self) -> bool:
        return self.centres == "movable" or self._criterion_class() is RVMCentreEvidence

    def _criterion_class(self) -> type[Criterion]:
        if isinstance(self.criterion, tuple(CRITERIA.values())):
            return type(self.criterion)
        if not isinstance(self.criterion, str) or self.criterion not in CRITERIA:
            raise unknown_name("criterion", self.criterion, list(CRITERIA))
        return CRITERIA[self.criterion]

    def _criterion(self, X: Array, targets: Array, weights: Array, order: Indices | None) -> Criterion:
        """Return the criterion; parts for cross-validation do not depend on the rows' order."""
        kind = self._criterion_class()
        criterion = self.criterion if isinstance(self.criterion, kind) else kind()
        if not isinstance(criterion, RVMCrossValidation):
            return criterion
        dealt = self._dealt(criterion, X, targets, weights)
        return dealt if criterion.parts is None or order is None else dealt.on_rows(order)

    def _dealt(self, criterion: RVMCrossValidation, X: Array, targets: Array, weights: Array) -> RVMCrossValidation:
        """Return the criterion with a part for every row."""
        parts = criterion.parts
        if parts is None:
            inputs = np.sort(X, axis=1) if self._is_precomputed else X
            parts = dealt_out(inputs, targets, weights, criterion.n_parts)
        elif len(parts) != len(X):
            raise InvalidArgument(
                f"parts has {len(parts)} entries for {len(X)} rows of positive weight: give one for each of them."
            )
        return replace(criterion, parts=parts, centred_on_rows=self.dictionary is None)

    def _objective(
        self, kernel: Kernel, X: Array, targets: Array, weights: Array, order: Indices | None = None
    ) -> RelevanceObjective:
        """Return what is minimised; ``order`` is that of the rows among those the user gave parts for."""
        # The data's scale is that of distinct rows, so that a row given twice is the same as a row of weight 2.
        distinct = X if self._is_precomputed else np.unique(X, axis=0)
        space, start = kernel.space(distinct), kernel.start(distinct)
        prior = as_prior(self.prior, space) if space.free.any() or self.prior != "auto" else None
        machine = RVM(self._regression, _ALGORITHMS[self.algorithm]())
        criterion = self._criterion(X, targets, weights, order)
        parts = (X, targets, weights, start, space, machine, criterion, prior)
        if isinstance(criterion, RVMCentreEvidence):
            GaussianCentres.of(start, X)
            return CentreObjective(*parts, tau=criterion.tau)
        return RelevanceObjective(*parts)

    def _objective_on(self, X: Array, y: Array) -> RelevanceObjective:
        return self._objective(self._kernel(), X, *self._targets(y))

    def evidence_by_size(self, X: Any, y: Any) -> tuple[Array, Array]:
        """Return sizes and ln evidence as the model's functions are taken away, the weakest first.

        Parameters
        ----------
        X, y
            What the machine was fitted on.

        Returns
        -------
        size, log_evidence : ndarray of shape (n_models,)
            The constant counts as a function. Centres are at the data; several one-against-rest
            machines, for more than two classes, have no single size and are refused.
        """
        check_is_fitted(self)
        objective = self._objective_on(np.asarray(X, dtype=float), np.asarray(y))
        if objective.targets.shape[1] > 1:
            raise MissingCapability(
                f"evidence_by_size is for one machine, and {objective.targets.shape[1]} tell the classes apart: "
                "fit two classes, or a regression."
            )
        design, _ = objective.kernel_at(self.selection_.theta).linearize(objective.X)
        targets, weights = objective.targets[:, 0], objective.weights
        return evidence_by_size(Dictionary.of(design[:, self.support_]), objective.machine.likelihood(targets, weights))

    def _keep(self, objective: RelevanceObjective, theta: Array, rows: Indices) -> None:
        """Set the fitted attributes at ``theta``; ``rows`` are those of the user that were fitted."""
        fits, kernel = objective.fits(theta), objective.kernel_at(theta)
        columns, model = on_rows(fits)
        likelihood = fits[0].likelihood
        vectors = None if self._is_precomputed or self.dictionary is not None else objective.X[columns]
        if self.centres == "movable":
            geometry = GaussianCentres.of(kernel, objective.X)
            moved = [moved_centres(fit, objective.X, geometry) for fit in fits]
            vectors, model = on_centres(moved)
            likelihood = moved[0][0].likelihood
            columns = _origins(objective.X, np.vstack([fit.origins for fit, _ in moved]))
        if self.dictionary is None:
            columns = rows[columns]
            order = np.argsort(columns, kind="stable")
            columns, model = columns[order], model.reordered(order)
            vectors = None if vectors is None else vectors[order]
        for stale in ("kernel_", "functions_", "basis_", "relevance_vectors_", "feature_importances_"):
            self.__dict__.pop(stale, None)
        self.support_ = columns
        if isinstance(kernel, DictionaryDesign):
            self.functions_ = kernel.dictionary.build(objective.X).take(columns)
            self.basis_ = self.functions_.describe()
        else:
            self.kernel_ = kernel
        if vectors is not None:
            self.relevance_vectors_ = vectors
        self._model = model
        self._keep_noise(likelihood)
        dual_coef, intercept = self._model.coefficients()
        single = len(intercept) == 1
        self.dual_coef_ = dual_coef[:, 0] if single else dual_coef
        self.intercept_ = float(intercept[0]) if single else intercept
        if vectors is not None:
            self.feature_importances_ = relevances(kernel, objective.X, dual_coef, vectors)
        elif not self._is_precomputed:
            self.feature_importances_ = function_relevances(self.functions_, objective.X, dual_coef)

    def __getattr__(self, name: str) -> Any:
        if name == "feature_importances_" and "support_" in self.__dict__:
            raise AttributeError(
                "kernel='precomputed' has no feature_importances_, because the inputs behind the kernel are not known: "
                "fit with a kernel of the inputs, such as kernel='ard'."
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _calibrate(self, objective: RelevanceObjective, theta: Array) -> None:
        """Set what probabilities need besides the model: nothing for one machine."""

    def _keep_noise(self, likelihood: Likelihood) -> None:
        """Set what the likelihood has learned: nothing for labels."""

    def _values(self, X: Array) -> Array:
        """Return the values (m, n_vectors) of the model's functions at rows ``X``."""
        if self.dictionary is not None:
            return self.functions_.evaluate(X) if len(self.support_) else np.zeros((len(X), 0))
        if self._is_precomputed:
            return X[:, self.support_]
        if not len(self.relevance_vectors_):
            return np.zeros((len(X), 0))
        return np.ascontiguousarray(self.kernel_.cross(self.relevance_vectors_, X).T)

    def _latent(self, X: Any) -> tuple[Array, Array]:
        """Return means and variances of the latent functions, (m, k) each."""
        values = self._values(self._validated(X))
        return self._model.predict(values)

    def _validated(self, X: Any) -> Array:
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, reset=False, dtype=np.float64), dtype=float)


def _squares(kernel: Kernel, X: Array) -> float:
    """Return how many n x n arrays a fit needs: fewer where a dictionary has fewer functions than rows."""
    if not isinstance(kernel, DictionaryDesign):
        return _SQUARES
    return _SQUARES * len(kernel.dictionary.build(X)) / len(X)


def _origins(X: Array, rows: Array) -> Indices:
    """Return the first place of every one of ``rows`` in ``X``."""
    return np.array([np.flatnonzero((row == X).all(axis=1))[0] for row in rows], dtype=np.intp)
