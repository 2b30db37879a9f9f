"""Fitted attributes of scikit-learn's form, read off the model."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from kernelect.estimators._base import Estimator
from kernelect.estimators._lazy import lazily
from kernelect.exceptions import InvalidArgument
from kernelect.kernels import Kernel
from kernelect.model import Component, KernelPart, LabelHead, Model, NumberHead, TrainingRows
from kernelect.results import ModelSize
from kernelect.typing import Array, Indices


class ReadsModel(Estimator):
    """An estimator whose learned attributes are those of its model."""

    model_: Model

    def __getattr__(self, name: str) -> Any:
        if name == "model_":
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet: call fit first.")
        declared = getattr(type(self), name, None)
        if isinstance(declared, property) and declared.fget is not None:
            return declared.fget(self)  # Python asks here once more after its sentence, which would be lost
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def with_model(self, model: Model, kept: Indices | None = None) -> Self:
        """Return the estimator with another model, such as a smaller one; the estimator itself stays as it is.

        Parameters
        ----------
        model : Model
        kept : ndarray of int, optional
            Which components, or which vectors of a sparse model, stay.
        """
        other = copy(self)
        other.model_ = model
        return other

    @property
    def _training(self) -> TrainingRows:
        """What the model keeps of its training rows."""
        if self.model_.training is None:
            raise AttributeError("This model keeps nothing of its training rows, so that nothing is left out.")
        return self.model_.training

    def _record(
        self, components: tuple[Component, ...], head: LabelHead | NumberHead, training: TrainingRows | None = None
    ) -> Model:
        """Return the model of these components, on the columns that ``fit`` was given."""
        names = getattr(self, "feature_names_in_", None)
        return Model(
            components=components,
            head=head,
            n_columns=self.n_features_in_,
            names=None if names is None else tuple(map(str, names)),
            training=training,
        )


class ReadsLabels(ReadsModel):
    """The same for labels."""

    @property
    def classes_(self) -> Any:
        """The labels, sorted."""
        return self.model_.labels.classes

    @lazily("labels")
    def predict(self, X: Any) -> Any:
        """Return the most probable class."""
        return self.model_.chosen(self._validated(X))

    @lazily("probabilities")
    def predict_log_proba(self, X: Any) -> Array:
        """Return logarithms of class probabilities, also of those that are too small for a number."""
        return self.model_.log_probabilities(self._validated(X))


class ReadsLeftOutLabels(ReadsLabels):
    """The same with probabilities of the training rows."""

    @property
    def loo_proba_(self) -> Array:
        """Leave-one-out probabilities of the training rows."""
        return self._training.left_out


class ReadsNumbers(ReadsModel):
    """The same for numbers."""

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> Array | tuple[Array, Array]:
        """Return predictions; with ``return_std``, also return the standard deviation of a new observation.

        With ``return_cov``, return predictions and the covariance matrix of new observations, (m, m) or (m, m, k) for
        several targets, if the model has a joint posterior.
        """
        if return_std and return_cov:
            raise InvalidArgument("return_std=True and return_cov=True exclude each other: choose one of them.")
        Z = self._validated(X)
        if return_std:
            return self.model_.predictions_and_deviations(Z)
        mean = self.model_.predictions(Z)
        return (mean, self.model_.covariances(Z)) if return_cov else mean

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Array:
        """Draw observations from the posterior at rows, if the model has a joint one.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        n_samples : int
        random_state : int, RandomState or None

        Returns
        -------
        y : ndarray of shape (m, n_samples) or (m, n_targets, n_samples)
        """
        return self.model_.draws(self._validated(X), n_samples, check_random_state(random_state))


class ReadsSlopes(ReadsModel):
    """The same for machines that are linear in their inputs if their kernel is."""

    @property
    def coef_(self) -> Array:
        """Weights of inputs, for linear kernels: (1, d) or (n_classes, d) for labels, (d,) or (k, d) for numbers."""
        parts = self._linear_parts()
        if not parts:
            raise AttributeError(
                f"This {type(self).__name__} is not linear in its inputs and has no coef_: use kernel='linear', or "
                "feature_importances_."
            )
        found = sum(_slopes(part) for part in parts)
        single = not self.model_.is_classifier and self.model_.numbers.single
        return found[0] if single else found  # type: ignore[index,return-value]

    @property
    def intercept_(self) -> Any:
        """The constant, a number or one for every output: it belongs to ``coef_``, or else to ``dual_coef_``."""
        parts, component = self._linear_parts(), self.model_.components[0]
        constant = component.mean(np.zeros((1, parts[0].vectors.shape[1])))[0] if parts else self._constant(component)
        return float(constant[0]) if len(constant) == 1 else constant

    def _constant(self, component: Component) -> Array:
        """Return what is added to values of the kernel times ``dual_coef_``."""
        raise AttributeError(f"This {type(self).__name__} has no intercept_: its kernel holds the constant.")

    def _linear_parts(self) -> list[KernelPart]:
        """Return the parts of a model that is linear in its inputs, none of any other."""
        components = self.model_.components
        parts = [p for p in components[0].parts if isinstance(p, KernelPart) and p.kernel.is_affine]
        return parts if len(components) == 1 and len(parts) == len(components[0].parts) else []


def _slopes(part: KernelPart) -> Array:
    """Return the derivative (k, d) of a part that is linear in its inputs."""
    origin = np.zeros((1, part.vectors.shape[1]))
    columns = [part.coefficients[:, [k]] for k in range(part.coefficients.shape[1])]
    return np.vstack([part.kernel.points_pullback(part.vectors, origin, column) for column in columns])


class ReadsMachine(ReadsSlopes):
    """The same for one machine."""

    @property
    def _component(self) -> Component:
        """The machine, or the first of several."""
        return self.model_.components[0]

    @property
    def _expansion(self) -> KernelPart:
        part = self._component.parts[0]
        if not isinstance(part, KernelPart):
            raise AttributeError(f"This {type(self).__name__} has functions of a dictionary in the place of a kernel.")
        return part

    def _vectors(self) -> Array:
        if self._expansion.is_precomputed:
            raise AttributeError("kernel='precomputed' takes kernel values, so that there are no vectors.")
        return self._expansion.vectors

    @property
    def kernel_(self) -> Kernel:
        """The kernel with its selected parameters."""
        return self._expansion.kernel

    @property
    def dual_coef_(self) -> Array:
        """Coefficients of the vectors, (n,) or (n, k)."""
        coefficients = self._component.parts[0].coefficients
        return coefficients[:, 0] if coefficients.shape[1] == 1 else coefficients

    @property
    def X_fit_(self) -> Array:  # noqa: N802
        """The inputs of the rows with coefficients."""
        return self._vectors()

    def model_size(self) -> ModelSize:
        """Return what a prediction uses: all rows, if the machine has no sparse solution."""
        return ModelSize(count=len(self.dual_coef_), what="row", everything=True)

    def selected_kernel(self) -> Kernel | None:
        """Return the kernel with its selected parameters."""
        return self.kernel_


class ReadsConstant(ReadsMachine):
    """The same for a machine with an intercept."""

    def _constant(self, component: Component) -> Array:
        return component.constant
