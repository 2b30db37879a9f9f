"""Estimators with a latent function, on all rows or on landmarks."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelect.criteria import Criterion
from kernelect.estimators._attributes import ReadsMachine
from kernelect.estimators._base import SelfSelecting
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.numerics import require_memory
from kernelect.results import Selection
from kernelect.selection import Lead, SelectionObjective, SelectionOptions
from kernelect.selection.landmarks import LandmarkEvidence, LandmarkRequest, as_request, select_on_landmarks
from kernelect.typing import Array

#: Peak of a fit on landmarks in m x n arrays, beside two for every output.
_LANDMARK_ARRAYS = 6.0


class ReadsLatent(ReadsMachine):
    """The attributes of a machine with a latent function, on all rows or on landmarks."""

    @property
    def landmarks_(self) -> Array | None:
        """The landmarks, None if all rows have coefficients."""
        training = self.model_.training
        some = training is not None and len(self.dual_coef_) < int(np.sum(training.weights > 0.0))
        return self._vectors() if some else None

    def latent_mean_and_variance(self, X: Any) -> tuple[Array, Array]:
        """Return mean and variance of the latent function.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        mean, variance : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        self._require_inputs()
        mean, variance = self._component.latent(self._validated(X))
        return (mean[:, 0], variance[:, 0]) if mean.shape[1] == 1 else (mean, variance)

    def _require_inputs(self) -> None:
        if self._expansion.is_precomputed:
            raise MissingCapability(
                "kernel='precomputed' does not tell k(x, x) of new rows, which probabilities need: "
                "use predict, or give a kernel instead."
            )


def latent_landmarks(
    estimator: SelfSelecting, criterion: Criterion, n_rows: int, needs_all: str = ""
) -> LandmarkRequest | None:
    """Return which landmarks an estimator asks for, None for the exact machine.

    ``needs_all`` says which argument needs all rows, if one does; those that all latent functions have are found here.
    With such an argument "auto" stands for the exact machine.
    """
    given: Any = estimator
    request = None if given.landmarks is None else as_request(given.landmarks, n_rows, given.n_features_in_)
    flags = [f"{name}=True" for name in ("early_stopping", "ensemble") if getattr(given, name, False)]
    if given._is_precomputed:
        flags.append("kernel='precomputed'")
    if criterion.moves_sites or criterion.sampled:
        flags.append(f"criterion={criterion.name!r}")
    if request is None or not (flags or needs_all):
        return request
    if isinstance(given.landmarks, str):
        return None
    shown = "rows" if isinstance(given.landmarks, np.ndarray) else repr(given.landmarks)
    raise InvalidArgument(
        f"landmarks={shown} and {needs_all or flags[0]} exclude each other, because the latter needs all rows: leave "
        "one of them out."
    )


def selected_on_landmarks(
    objective: SelectionObjective, request: LandmarkRequest, options: SelectionOptions, lead: Lead | None, seed: int
) -> tuple[Selection, LandmarkEvidence]:
    """Return what the evidence on landmarks selects, if there is memory for it."""
    (n, k), count = objective.targets.shape, request.first
    require_memory(n, (_LANDMARK_ARRAYS + 2 * k) * min(count, n) / n, lambda: "Give fewer landmarks")
    return select_on_landmarks(objective, request, options, lead, seed)
