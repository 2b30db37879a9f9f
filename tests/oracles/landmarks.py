"""The LS-SVM on landmarks by its normal equations, and leave-one-out by refits.

``cross`` holds kernel values between m landmarks and n rows, ``gram`` those between the landmarks.
"""

import numpy as np

EPSILON = 1e-8


def places(X, Z):
    """Return for every row of X which landmark it is, -1 if it is none."""
    return np.array([next((j for j, z in enumerate(Z) if np.array_equal(x, z)), -1) for x in X])


def landmark_matrix(gram):
    """M = k(Z, Z) + eps I."""
    return gram + EPSILON * np.mean(np.diag(gram)) * np.eye(len(gram))


def solve(cross, gram, targets, mu, weights):
    """Minimise mu/2 beta^T M beta + 1/2 sum s (y - K beta - b)^2 densely, without whitening."""
    m, n = cross.shape
    F = np.hstack([cross.T, np.ones((n, 1))])
    penalty = np.zeros((m + 1, m + 1))
    penalty[:m, :m] = mu * landmark_matrix(gram)
    theta = np.linalg.solve(F.T @ (weights[:, None] * F) + penalty, F.T @ (weights[:, None] * targets))
    return theta[:m], theta[m]


def leave_one_out_residuals(cross, gram, targets, mu, weights):
    """Refit n times, each time without one row; the landmarks stay."""
    residuals = np.zeros_like(targets)
    for i in range(len(targets)):
        rest = [j for j in range(len(targets)) if j != i]
        beta, b = solve(cross[:, rest], gram, targets[rest], mu, weights[rest])
        residuals[i] = targets[i] - (cross[:, i] @ beta + b)
    return residuals


def press(cross, gram, targets, mu, weights):
    residuals = leave_one_out_residuals(cross, gram, targets, mu, weights)
    return 0.5 * sum(weights[i] * residuals[i, k] ** 2 for i in range(len(targets)) for k in range(targets.shape[1]))


def hat_matrix(cross, gram, mu, weights):
    """The matrix that turns targets into fitted values, column by column."""
    n = cross.shape[1]
    columns = []
    for j in range(n):
        beta, b = solve(cross, gram, np.eye(n)[:, [j]], mu, weights)
        columns.append(cross.T @ beta[:, 0] + b[0])
    return np.array(columns).T


def gcv(cross, gram, targets, mu, weights):
    n = cross.shape[1]
    beta, b = solve(cross, gram, targets, mu, weights)
    errors = targets - cross.T @ beta - b
    room = 1.0 - np.trace(hat_matrix(cross, gram, mu, weights)) / n
    return float(np.sum(weights[:, None] * errors**2)) / n / room**2


def residuals_without_own_function(cross, gram, targets, mu, weights, landmark):
    """Refit n times; a row that is a landmark takes its column with it."""
    residuals = np.zeros_like(targets)
    epsilon = EPSILON * np.mean(np.diag(gram)) * np.eye(len(gram))
    for i in range(len(targets)):
        rest = [j for j in range(len(targets)) if j != i]
        kept = [j for j in range(len(gram)) if j != landmark[i]]
        F = np.hstack([cross[kept].T, np.ones((len(targets), 1))])
        penalty = np.zeros((len(kept) + 1, len(kept) + 1))
        penalty[:-1, :-1] = mu * (gram + epsilon)[np.ix_(kept, kept)]
        left = F[rest].T @ (weights[rest, None] * F[rest]) + penalty
        theta = np.linalg.solve(left, F[rest].T @ (weights[rest, None] * targets[rest]))
        residuals[i] = targets[i] - F[i] @ theta
    return residuals


def pivot_probabilities(gram, chosen):
    """Probability of every row to be drawn after ``chosen``: what they leave of the diagonal."""
    n = len(gram)
    if not len(chosen):
        left = np.diag(gram).copy()
    else:
        inverse = np.linalg.inv(gram[np.ix_(chosen, chosen)])
        left = np.array([gram[i, i] - gram[i, chosen] @ inverse @ gram[chosen, i] for i in range(n)])
    left[list(chosen)] = 0.0
    return np.maximum(left, 0.0) / np.maximum(left, 0.0).sum()


def leave_one_out_decisions_at(cross, gram, new, targets, mu, weights):
    """Decisions at new rows of the n machines that each lack one row, (n, q, k)."""
    decided = []
    for i in range(len(targets)):
        rest = [j for j in range(len(targets)) if j != i]
        beta, b = solve(cross[:, rest], gram, targets[rest], mu, weights[rest])
        decided.append(new.T @ beta + b)
    return np.array(decided)


def leave_groups_out_residuals(cross, gram, targets, mu, weights, groups, landmark=None):
    """Refit without one group after the other; rows that are landmarks take their columns with them, where told."""
    residuals = np.zeros_like(targets)
    epsilon = EPSILON * np.mean(np.diag(gram)) * np.eye(len(gram))
    for group in set(groups.tolist()):
        inside, rest = groups == group, groups != group
        gone = set() if landmark is None else set(landmark[inside].tolist())
        kept = [j for j in range(len(gram)) if j not in gone]
        F = np.hstack([cross[kept].T, np.ones((len(targets), 1))])
        penalty = np.zeros((len(kept) + 1, len(kept) + 1))
        penalty[:-1, :-1] = mu * (gram + epsilon)[np.ix_(kept, kept)]
        left = F[rest].T @ (weights[rest, None] * F[rest]) + penalty
        theta = np.linalg.solve(left, F[rest].T @ (weights[rest, None] * targets[rest]))
        residuals[inside] = targets[inside] - F[inside] @ theta
    return residuals


def group_press(cross, gram, targets, mu, weights, groups):
    residuals = leave_groups_out_residuals(cross, gram, targets, mu, weights, groups)
    return 0.5 * sum(weights[i] * residuals[i, k] ** 2 for i in range(len(targets)) for k in range(targets.shape[1]))
