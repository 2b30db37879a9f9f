"""Fitted attributes of scikit-learn's form, read off the model."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

from sklearn.exceptions import NotFittedError

from kernelect.estimators._base import Estimator
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

    def predict_log_proba(self, X: Any) -> Array:
        """Return logarithms of class probabilities, also of those that are too small for a number."""
        return self.model_.log_probabilities(self._validated(X))


class ReadsMachine(ReadsModel):
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

    @property
    def intercept_(self) -> Any:
        """The constant that is added, a number or one for every output."""
        constant = self._component.constant
        return float(constant[0]) if len(constant) == 1 else constant
