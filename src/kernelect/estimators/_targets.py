"""Targets and groups as ``fit`` is given them: labels as +1 and -1, numbers, and which rows belong together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from kernelect.exceptions import InvalidArgument
from kernelect.numerics import canonical_classes, copied_rows, linked_groups
from kernelect.selection import Rows
from kernelect.typing import Array, Indices, Mask

#: Real targets between which squares are still numbers.
_LARGEST, _LEAST = 1e150, 1e-150


def encode_labels(y: Any) -> tuple[Any, Indices, Array]:
    """Return the classes, every label's index among them, and the (n, k) targets of +-1."""
    require_one_label(y)
    _require_one_kind(y)
    check_classification_targets(y)
    classes, index = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise InvalidArgument(
            f"y holds one class only ({classes.tolist()[0]!r}): a classifier needs at least two classes."
        )
    return classes, index, targets_of(index, len(classes))


def targets_of(index: Indices, n_classes: int) -> Array:
    """Return the (n, k) targets of +-1 for every label's index among the classes."""
    if n_classes == 2:
        return np.where(index == 1, 1.0, -1.0)[:, None]
    return np.where(index[:, None] == np.arange(n_classes), 1.0, -1.0)


def nameless_targets(X: Array, targets: Array, weights: Array) -> Array:
    """Return the (n, k) targets of +-1 as they would be if the classes had names by their rows.

    What follows their order is then the same whatever the classes are called.
    """
    two = targets.shape[1] == 1
    index = (targets[:, 0] > 0).astype(np.intp) if two else np.argmax(targets, axis=1)
    places = canonical_classes(X, index, weights)
    return targets_of(places[index], len(places))


def require_one_label(y: Any) -> None:
    """Raise if every row has several labels: an indicator matrix, or several columns of classes."""
    shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape  # np.shape is for arrays alone
    if len(shape) > 1 and shape[1] > 1:
        raise InvalidArgument(
            f"y has shape {shape}, and should be a 1d array with one label per row: for several labels per row use "
            "sklearn.multioutput.MultiOutputClassifier around this estimator."
        )


def _require_one_kind(y: Any) -> None:
    """Raise if text stands beside numbers: no order tells which class comes first."""
    if np.asarray(y).dtype.kind != "O":
        return
    texts = [label for label in y if isinstance(label, str)]
    others = [label for label in y if not isinstance(label, str)]
    if texts and others:
        raise InvalidArgument(
            f"y mixes text and other labels ({texts[0]!r} and {others[0]!r}): make all labels text, or all numbers."
        )


def require_size(y: Array) -> None:
    """Raise if squares of real targets would overflow, or vanish."""
    require_spread(float(np.abs(y).max()), float(np.abs(y - y.mean(axis=0)).max()))


def require_spread(size: float, spread: float) -> None:
    """Raise if squares of real targets of this size, which differ from their mean by so much, would not work."""
    if size > _LARGEST:
        raise InvalidArgument(f"y holds values as large as {size:.0e}, whose powers overflow: rescale y.")
    if 0.0 < spread < _LEAST:
        raise InvalidArgument(f"y differs from its mean by {spread:.0e} at most, whose powers vanish: rescale y.")


def labelled_rows(X: Array, y: Any, class_weight: object) -> Rows:
    """Return all rows of a classification, without sample weights."""
    classes, index, targets = encode_labels(y)
    return Rows(X=X, targets=targets, weights=class_weights(class_weight, classes, index))


def class_weights(class_weight: object, classes: Any, index: Indices) -> Array:
    """Return each sample's class weight."""
    if class_weight is None:
        return np.ones(len(index))
    return np.asarray(weight_by_class(class_weight, classes, np.bincount(index))[index], dtype=float)


def weight_by_class(class_weight: object, classes: Any, counts: Indices) -> Array:
    """Return the weight of every class, of which there are so many rows."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        return np.asarray(counts.sum() / (len(classes) * counts), dtype=float)
    by_class = compute_class_weight(class_weight, classes=classes, y=classes)
    if not np.all(np.isfinite(by_class) & (by_class > 0)):
        raise InvalidArgument(f"class_weight={class_weight!r} must be positive numbers by class, or 'balanced'.")
    return np.asarray(by_class, dtype=float)


def encode_groups(groups: Any, kept: Mask) -> Indices | None:
    """Return the number of every row's group, None if no groups are given.

    Parameters
    ----------
    groups : array-like of shape (n,) or None
        Labels of any kind; rows with the same label leave together.
    kept : ndarray of bool
        The rows of positive weight, which have to be of at least two groups.
    """
    if groups is None:
        return None
    labels = np.asarray(groups, dtype=object)
    if labels.shape != kept.shape:
        raise InvalidArgument(
            f"groups has the shape {labels.shape}, but {kept.shape} is expected: give one group per row of X."
        )
    numbers: dict[Any, int] = {}
    for place, label in enumerate(labels.tolist()):
        if label is None or label != label:  # NaN is not itself
            raise InvalidArgument(f"groups[{place}] is {label!r}: give every row a group, or leave the row out.")
        numbers.setdefault(label, len(numbers))
    index = np.array([numbers[label] for label in labels.tolist()], dtype=np.intp)
    if len(np.unique(index[kept])) < 2:
        raise InvalidArgument(
            f"groups has one group only ({labels[0]!r}): give at least two, or leave groups out if rows are "
            "independent."
        )
    return index


def joined_groups(groups: Indices | None, kept: Mask, *tables: Array) -> Indices | None:
    """Return the groups, of which those with copies of the same rows are one; tables as ``copied_rows`` takes them."""
    if groups is None:
        return None
    linked = linked_groups(groups, copied_rows(*tables, among=np.flatnonzero(kept)))
    if len(np.unique(linked[kept])) < 2:
        raise InvalidArgument(
            "groups hold copies of the same rows (equal inputs and equal targets), so that leaving one out would leave "
            "its rows in another: give copies the same group, or leave the copies out."
        )
    return linked


def given_order(order: Any, y: Any) -> list[Any] | None:
    """Return all classes from the lowest to the highest: those given, those of an ordered categorical, or None."""
    if order is not None:
        return list(order)
    kind = getattr(y, "dtype", None)
    return list(kind.categories) if getattr(kind, "ordered", False) else None  # type: ignore[union-attr]


def ordered_classes(classes: Any, index: Indices, order: Sequence[Any] | None) -> tuple[Any, Indices]:
    """Return the classes from the lowest to the highest, and every row's place among them."""
    if order is None:
        if len(classes) > 2 and not np.issubdtype(classes.dtype, np.number):
            raise InvalidArgument(
                f"y holds labels without an order, such as {classes.tolist()[:3]}: list them from the lowest to the "
                "highest in order=, or give numbers or an ordered categorical."
            )
        return classes, index
    known = classes.tolist()
    unknown = [label for label in known if label not in order]
    if unknown or len(set(order)) < len(order):
        raise InvalidArgument(
            f"order={list(order)!r} must list every class once, and y also holds {unknown[0]!r}."
            if unknown
            else f"order={list(order)!r} must list every class once."
        )
    places = np.array([known.index(label) for label in order if label in known])
    return classes[places], np.argsort(places)[index]
