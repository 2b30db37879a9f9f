"""The one door for labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d

from kernelect.estimators import (
    ClassifierMixin,
    ReadsLeftOutLabels,
    Surveyed,
    class_weights,
    encode_groups,
    encode_labels,
    lazily,
    require_one_label,
    weight_by_class,
)
from kernelect.exceptions import InvalidArgument
from kernelect.inputs import Wishes
from kernelect.mixture._door import Door
from kernelect.mixture.base import MixtureTask
from kernelect.mixture.folds import folds_of
from kernelect.mixture.heads import label_head, label_shares
from kernelect.mixture.rows import MixtureRows, checked_weights, rows_in_memory
from kernelect.model import Component, LabelHead
from kernelect.model.heads import LEAST
from kernelect.numerics import Deadline
from kernelect.typing import Array, Indices


@dataclass(eq=False, repr=False, kw_only=True)
class KernelClassifier(ClassifierMixin, ReadsLeftOutLabels, Door):
    """A classifier for tables as they come: several kernel machines, mixed by exact leave-one-out.

    A candidate combines a view of the inputs (as they are, or warped to normal quantiles), a kernel and a machine
    (least squares or Gaussian process). The kernel of random partitions, a forest and, with many rows, boosted trees
    are candidates too. Each candidate selects its own parameters. Its weight follows from the probabilities it gives
    to rows left out (in closed form, or by trees and logistic machines that have not seen them). Accepts arrays and
    DataFrames (pandas, polars) with numbers, text, categories, booleans, dates and missing cells.

    A step of a candidate's search costs O(n^3 + d n^2) for n rows and d inputs. Beyond 2000 rows, least squares works
    on m landmarks, in O(n m^2 + d n m). Logistic regression then takes the place of the Gaussian process: it refits the
    coefficients on the same landmarks, and the log-loss of rows left out decides which of the two stays. Predicting a
    row costs O(d n) for each candidate, or O(d m).

    Parameters
    ----------
    effort : "fast", "balanced", "best" or a list of candidates, default="balanced"
        How many candidates there are: five, eight or eleven for classes (four, six or seven if there are five classes
        or more; four, six or nine beyond 2000 rows), and four, nine or fifteen for numbers. If Gaussian processes
        would take too long (1500 rows of seven classes, 900 of thirty), classes have the candidates of numbers. From
        1000 rows on, boosted trees are one more. From 700 rows on, all of them are first fitted to 40 % of the rows, at
        most 600, and those that the others can do without are not fitted to all rows; from 6000 rows on, the others
        race again on 3000. A list takes estimators of your own as members too, judged on five folds:
        ``["balanced", LogisticRegression()]`` (docs/extending/member.md).
    columns : dict of column name to "number", "category" or "date", optional
        The kind of columns of a DataFrame whose cells suggest another kind: ``{"race": "category"}`` for a race coded
        1, 2, 3. The cells decide the kind of all other columns. A DataFrame's 999, -99 and the like, far from all other
        numbers of a column, count as missing unless its kind is given as "number"; ``fit`` warns of them.
    time_limit : float, optional
        Seconds for the whole fit. If candidates cannot be fitted in this time, they are left out and one warning says
        so.
    class_weight : dict, "balanced" or None
    random_state : int, RandomState or None
        None is 0: every fit of the same data is the same one.
    n_jobs : int, optional
        How many candidates are fitted at the same time.
    verbose : bool, int or callable, default=0
        A line per candidate on standard error, or a callable that receives each fitted member.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    candidates_ : CandidateTable
        View, kernel, machine, leave-one-out log-loss with standard error, weight, seconds and
        status of every candidate; ``to_frame()`` gives a DataFrame.
    loo_proba_ : ndarray of shape (n_samples, n_classes)
        Leave-one-out probabilities of the mixture.
    loo_rows_ : ndarray or None
        Numbers of the rows that ``loo_proba_`` covers, if a Dask collection has more than 100 000 rows; None if it
        covers all.
    feature_importances_ : ndarray of shape (n_features,)
        How much each column matters, summing to 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelect import KernelClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = KernelClassifier(effort="fast").fit(X, y)
    >>> bool((model.loo_proba_.argmax(axis=1) == y).mean() > 0.93)
    True
    """

    class_weight: Any = None

    _labels = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the candidates and weight them.

        Parameters
        ----------
        X : array-like, DataFrame or Dask collection of shape (n_samples, n_features)
            The rows of a Dask array or DataFrame stay where they are (docs/guide/large.md).
        y : array-like of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array-like of shape (n_samples,), optional
        groups : array-like of shape (n_samples,), optional
            Rows with the same label, such as the visits of one patient, are left out together: in every selection,
            ``loo_proba_``, the weights of candidates and calibration.
        """
        return self._fit_anew(X, y, sample_weight, groups)

    def _rows(self, X: Any, y: Any, sample_weight: Any, groups: Any, wishes: Wishes) -> MixtureRows:
        frame = self._frame(X, reset=True)
        if y is None:
            raise InvalidArgument("requires y to be passed, but the target y is None: give one label per row.")
        require_one_label(y)
        classes, index = self._encoded(y)
        check_consistent_length(frame.columns[0], index)
        weights = checked_weights(sample_weight, len(frame))
        groups = encode_groups(groups, weights > 0)
        by_class = class_weights(self.class_weight, classes, index)
        return rows_in_memory(frame, index, weights, groups, wishes, classes, by_class)

    def _weight_by_class(self, found: Surveyed) -> Array | None:
        return weight_by_class(self.class_weight, found.classes, found.rows_by_class)

    def _encoded(self, y: Any) -> tuple[Any, Indices]:
        """Return the classes in their order, and every row's place among them."""
        labels = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y")
        return encode_labels(labels)[:2]

    def _head(self, task: MixtureTask, deadline: Deadline) -> tuple[LabelHead, Array]:
        components = [member.component for member in self._members]
        return label_head(components, task.classes, task.y, task.weights, folds_of(task, self._origin))

    def _shares(self, components: Sequence[Component], task: MixtureTask) -> Array:
        return label_shares(components, task.y, task.weights)

    def _scores(self, left_out: Array, y: Any) -> Array:
        return -np.log(np.maximum(left_out[np.arange(len(y)), y], LEAST))

    def _loss_in_words(self, loss: float) -> str:
        return f"log-loss {loss:.3f}"

    def _targets_of(self, y: Any) -> Any:
        sorter = np.argsort(self.classes_)  # classes with an order need not be sorted
        return sorter[np.searchsorted(self.classes_, y, sorter=sorter)]

    def _values(self, answers: Array) -> Array:
        logs = np.log(np.clip(answers, 1e-6, 1.0))
        return np.asarray(logs - logs.mean(axis=1, keepdims=True), dtype=float)

    @lazily("probabilities")
    def predict_proba(self, X: Any) -> Array:
        """Return class probabilities: the candidates' weighted ones, at the temperature found on rows left out."""
        return self.model_.probabilities(self._validated(X))

    @lazily("decisions")
    def decision_function(self, X: Any) -> Array:
        """Return log-odds: (n,) those of ``classes_[1]`` if there are two classes, else (n, n_classes).

        With more than two classes, they are those of each class against the rest.
        """
        odds = self.model_.log_odds(self._validated(X))
        return odds[:, 0] if odds.shape[1] == 1 else odds
