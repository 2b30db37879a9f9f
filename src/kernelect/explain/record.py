"""The record of an explanation: every row's prediction as a base value plus one value per column."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.extras import load_extra
from kernelect.typing import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class Explanation:
    """Shapley values: ``base_values`` plus the sum of ``values`` over the columns is what is explained.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_columns) or (n_rows, n_columns, n_outputs)
        The last axis if there are more than two classes or several targets.
    base_values : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        What the model answers when no column is known.
    data : ndarray of shape (n_rows, n_columns)
        The explained rows, as they were given.
    feature_names : tuple of str
    output_names : tuple
        Classes, or numbers of targets. For two classes there is one name, that of the second.
    explained : str
        "decision value", "prediction" (or "logarithm of the prediction" and the like), "latent mean" (the mean of
        the latent function, if the decision value is
        no linear function of it), or "log-odds" of a mixture's members, averaged.
    absent : str
        What stands in for a column that is not known: "marginals", "interventional" or "neutral".
    background : str
        The rows that stood in, in words.
    method : "exact" or "permutation"
    error : float
        Largest measured difference between the explained value and base plus values.
    standard_errors : ndarray of the shape of ``values``, or None
        Of a permutation estimate.
    interactions : ndarray of shape (n_rows, n_columns, n_columns[, n_outputs]), or None
        The interaction of two columns is split in halves on either side of the diagonal. The diagonal holds what is
        left of a column's value, so that rows sum to ``values``.
    remarks : tuple of str
        What to know about the values, in sentences.
    """

    values: Array
    base_values: Array
    data: Any
    feature_names: tuple[str, ...]
    output_names: tuple[Any, ...]
    explained: str
    absent: str
    background: str
    method: str
    error: float
    standard_errors: Array | None = None
    interactions: Array | None = None
    remarks: tuple[str, ...] = field(default=())

    @property
    def is_of_number(self) -> bool:
        """Whether the explanation is of a number, or of a function of it, and not of a class."""
        return is_of_number(self.explained)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of ``values``."""
        return self.values.shape

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> Explanation:
        """Return the explanation of some rows: a number, slice, mask or list of places."""
        chosen = [rows] if isinstance(rows, int | np.integer) else rows
        return self._mapped(lambda array: array[chosen])

    def of_output(self, output: Any) -> Explanation:
        """Return the explanation of one output: a class or the number of a target."""
        if output not in self.output_names:
            raise InvalidArgument(f"output={output!r} is not known: choose one of {list(self.output_names)}.")
        place = self.output_names.index(output)
        if len(self.output_names) == 1:
            return self
        picked = self._mapped(lambda array: array[..., place], data=False)
        return replace(picked, output_names=(output,))

    def _mapped(self, change: Any, data: bool = True) -> Explanation:
        return replace(
            self,
            values=change(self.values),
            base_values=change(self.base_values),
            data=change(self.data) if data else self.data,
            standard_errors=None if self.standard_errors is None else change(self.standard_errors),
            interactions=None if self.interactions is None else change(self.interactions),
        )

    @property
    def totals(self) -> Array:
        """Base value plus all values: what the model answers, (n_rows,) or (n_rows, n_outputs)."""
        return np.asarray(self.base_values + self.values.sum(axis=1), dtype=float)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a line for every row, output and column.

        Columns ``row``, ``output`` (if there are several), ``feature``, ``data``, ``value``, and
        ``standard_error`` for an estimate; a row's lines stand in the order of the columns.
        """
        pd = load_extra("pandas", caller="to_frame()", extra="frames")
        m, n_columns = self.values.shape[:2]
        k = len(self.output_names)
        lines: dict[str, Any] = {"row": np.repeat(np.arange(m), k * n_columns)}
        if self.values.ndim == 3:
            lines["output"] = np.tile(np.repeat(np.array(self.output_names, dtype=object), n_columns), m)
        lines["feature"] = np.tile(np.array(self.feature_names, dtype=object), m * k)
        lines["data"] = np.repeat(np.asarray(self.data, dtype=object), k, axis=0).ravel()
        lines["value"] = _by_lines(self.values)
        if self.standard_errors is not None:
            lines["standard_error"] = _by_lines(self.standard_errors)
        return pd.DataFrame(lines)

    def to_shap(self) -> Any:
        """Return a ``shap.Explanation``, for shap's own plots."""
        shap = load_extra("shap", caller="to_shap()", extra="shap")
        several = self.values.ndim == 3
        numeric = np.asarray(self.data).dtype.kind in "iufb"
        return shap.Explanation(
            values=self.values,
            base_values=self.base_values,
            data=self.data if numeric else _as_codes(self.data),
            display_data=None if numeric else self.data,
            feature_names=list(self.feature_names),
            output_names=[str(name) for name in self.output_names] if several else None,
        )


def is_of_number(explained: str) -> bool:
    """Return whether what is explained is a number, or a function of it, and not a class; an order is one number."""
    return explained.endswith(("prediction", "higher class"))


def _by_lines(values: Array) -> Array:
    """Return values in the order row, output, column."""
    return values.ravel() if values.ndim == 2 else values.transpose(0, 2, 1).ravel()


def _as_codes(data: Any) -> Array:
    """Return cells as numbers, texts as the places of their levels: shap colours points by them."""
    return np.column_stack([_codes(column) for column in np.asarray(data, dtype=object).T])


def _codes(column: Any) -> Array:
    try:
        return np.asarray(column, dtype=float)
    except (TypeError, ValueError):
        return np.unique([str(cell) for cell in column], return_inverse=True)[1].astype(float)
