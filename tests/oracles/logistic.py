"""Logistic regression on landmarks by plain minimisation, one fold after the other, without scores.

``cross`` holds kernel values between m landmarks and n rows, ``gram`` those between the landmarks.
"""

import numpy as np
from scipy.optimize import minimize

from oracles.landmarks import landmark_matrix


def loss(beta, b, mean, cross, gram, index, weights, penalty):
    """Sum of -s_i ln p_i + penalty/2 beta^T M beta + |c|^2/2, row by row; two classes have one column.

    c is what is said at the mean of the kernel values, where scores are 0.
    """
    decision = cross.T @ beta + b
    total = 0.5 * penalty * np.sum(beta * (landmark_matrix(gram) @ beta)) + 0.5 * np.sum((mean @ beta + b) ** 2)
    for row, f in enumerate(decision):
        f = np.array([0.0, f[0]]) if len(f) == 1 else f
        total += weights[row] * (np.log(np.sum(np.exp(f - f.max()))) + f.max() - f[index[row]])
    return total


def fit(cross, mean, gram, index, weights, penalty, n_outputs):
    """Minimise it, the coefficients whitened so that the search gets to the end."""
    m = len(gram)
    half = np.linalg.cholesky(np.linalg.inv(landmark_matrix(gram)))

    def of(x):
        x = x.reshape(m + 1, n_outputs)
        return loss(half @ x[:m], x[m], mean, cross, gram, index, weights, penalty)

    found = minimize(of, np.zeros((m + 1) * n_outputs), method="BFGS", options={"gtol": 1e-7, "maxiter": 2000})
    x = found.x.reshape(m + 1, n_outputs)
    return half @ x[:m], x[m]


def folds(cross, gram, index, weights, penalty, n_outputs, fold):
    """Return coefficients and intercepts of the machines without each fold."""
    found, mean = [], np.average(cross, axis=1, weights=weights)
    for number in range(fold.max() + 1):
        rest = np.flatnonzero(fold != number)
        found.append(fit(cross[:, rest], mean, gram, index[rest], weights[rest], penalty, n_outputs))
    return found
