"""The record of a model of a table: the model, how cells are read, and what is known of both."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelect.exceptions import UnusableModel
from kernelect.model.decisions import Decision
from kernelect.model.record import Model
from kernelect.tabular.schema import Schema

if TYPE_CHECKING:
    from kernelect.facts import Assessment, Facts
    from kernelect.facts.kept import Kept


#: Edges between parts of a column's numbers (none for categories), and training rows in each part.
Seen = tuple[tuple[float, ...], tuple[int, ...]]


@dataclass(frozen=True, kw_only=True)
class TableReport:
    """What reports show of a model, and predictions do not need.

    Attributes
    ----------
    assessment : Assessment
    facts : Facts
        All that is shown of the model, as :func:`kernelect.facts.gather` returned it, without pictures.
    kept : Kept
        What a page needs of the fitted machine beside its model.
    remarks : tuple of str
        What was noticed on the way, in sentences.
    seconds : float
        Time of the fit, without the outer folds.
    seed : int
    """

    assessment: Assessment
    facts: Facts = field(repr=False)
    kept: Kept = field(repr=False)
    remarks: tuple[str, ...]
    seconds: float
    seed: int


@dataclass(frozen=True, kw_only=True)
class TableModel:
    """A model and the table it was fitted on.

    Attributes
    ----------
    model : Model
        It takes the columns of the schema, as :meth:`Schema.inputs` returns them.
    schema : Schema
        Target, task, input columns and classes of the training table.
    machine : str
        Such as ``"lssvm"``.
    estimator : str
        The class behind it, such as ``"LSSVC"``.
    versions : dict
        Package -> version at the time of the fit.
    title : str
        Name of the training table.
    n_rows : int
        Training rows.
    seen : dict of str to Seen
        What the training rows had in every column, with which new rows are compared.
    report : TableReport or None
        None if it was not read from the file.
    """

    model: Model = field(repr=False)
    schema: Schema
    machine: str
    estimator: str
    versions: dict[str, str] = field(repr=False)
    title: str
    n_rows: int
    seen: dict[str, Seen] = field(default_factory=dict, repr=False)
    report: TableReport | None = field(default=None, repr=False)

    @property
    def decision(self) -> Decision | None:
        """How probabilities become classes; None if the most probable class is predicted."""
        return self.model.labels.decision if self.model.is_classifier else None

    @property
    def known(self) -> TableReport:
        """The report, an error if it was not read."""
        if self.report is None:
            raise UnusableModel("The model was loaded without its report: load it with report=True.")
        return self.report

    @property
    def facts(self) -> Facts:
        """All that is shown of the model."""
        return self.known.facts

    @property
    def kept(self) -> Kept:
        """What a page needs of the fitted machine beside its model."""
        return self.known.kept

    @property
    def assessment(self) -> Assessment:
        """How good the model is."""
        return self.known.assessment

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was noticed on the way, in sentences."""
        return self.known.remarks

    def predict(self, X: Any) -> np.ndarray:
        """Return predicted numbers, or classes as the model decides by its threshold or costs."""
        return np.asarray(self.model.predict(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return class probabilities."""
        return self.model.predict_proba(X)

    # As estimators have it, so that pages and pictures read both alike.

    @property
    def n_features_in_(self) -> int:
        """Number of input columns."""
        return len(self.schema.columns)

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Names of the input columns."""
        return np.array([column.name for column in self.schema.columns], dtype=object)

    @property
    def classes_(self) -> np.ndarray:
        """The labels, sorted; absent from a model of numbers."""
        if not self.model.is_classifier:
            raise AttributeError("This model predicts numbers and has no classes_.")
        return np.asarray(self.model.labels.classes)

    @property
    def feature_importances_(self) -> np.ndarray:
        """The relevance of every column; absent if it is not known."""
        found = self.known.kept.relevance
        if found is None:
            raise AttributeError("The relevance of the columns of this model is not known.")
        return found

    @property
    def is_mixture(self) -> bool:
        """Whether several machines are mixed."""
        return "mixture" in self.facts
