"""Leave-one-out of a least-squares machine on given landmarks, by fitting it again without each row or group."""

import numpy as np


def left_out_by_refits(machine, X, y, weights=None, groups=None):
    """Return decisions or predictions (n, k) of every row by a machine without it, and without the landmarks it is."""
    groups = np.arange(len(X)) if groups is None else groups
    weights = np.ones(len(X)) if weights is None else weights
    found = [None] * len(X)
    for group in np.unique(groups):
        gone = groups == group
        own = [any((row == point).all() for row in X[gone]) for point in machine.landmarks_]
        fresh = type(machine)(
            machine.kernel_,
            regularization=machine.regularization_,
            landmarks=machine.landmarks_[~np.array(own)],
            prior=None,
        )
        fresh.fit(X[~gone], y[~gone], weights[~gone])
        said = fresh.decision_function(X[gone]) if hasattr(fresh, "classes_") else fresh.predict(X[gone])
        for place, value in zip(np.flatnonzero(gone), said, strict=True):
            found[place] = np.atleast_1d(value)
    return np.array(found)
