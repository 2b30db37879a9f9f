"""The LS-SVM by its bordered system, and leave-one-out by refits."""

import numpy as np


def solve_bordered(gram, targets, mu, weights):
    """Solve [[K + mu diag(1/s), 1], [1^T, 0]] [alpha; b] = [y; 0] densely."""
    n = len(gram)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = gram + mu * np.diag(1.0 / weights)
    system[:n, n] = 1.0
    system[n, :n] = 1.0
    solution = np.linalg.solve(system, np.vstack([targets, np.zeros((1, targets.shape[1]))]))
    return solution[:n], solution[n]


def leave_one_out_residuals(gram, targets, mu, weights):
    """Refit n times, each time without one row."""
    residuals = np.zeros_like(targets)
    for i in range(len(gram)):
        rest = [j for j in range(len(gram)) if j != i]
        alpha, b = solve_bordered(gram[np.ix_(rest, rest)], targets[rest], mu, weights[rest])
        residuals[i] = targets[i] - (gram[i, rest] @ alpha + b)
    return residuals


def press(gram, targets, mu, weights):
    residuals = leave_one_out_residuals(gram, targets, mu, weights)
    return 0.5 * sum(weights[i] * residuals[i, k] ** 2 for i in range(len(gram)) for k in range(targets.shape[1]))


def gcv(gram, targets, mu, weights):
    """n sum_i s_i e_i^2 / tr(I - H)^2, the hat matrix H column by column from targets of one 1."""
    n = len(gram)
    hat = np.zeros((n, n))
    for j in range(n):
        alpha, b = solve_bordered(gram, np.eye(n)[:, [j]], mu, weights)
        hat[:, j] = gram @ alpha[:, 0] + b[0]
    trace = sum(1.0 - hat[i, i] for i in range(n))
    residuals = targets - hat @ targets
    squares = sum(weights[i] * residuals[i, k] ** 2 for i in range(n) for k in range(targets.shape[1]))
    return n * squares / trace**2


def restricted_evidence(gram, targets, mu, weights):
    """y^T A (A^T M A)^-1 A^T y / (n - 1) * |A^T M A|^(1 / (n - 1)), with contrasts A that sum to 0."""
    n = len(gram)
    contrasts = np.linalg.svd(np.ones((1, n)))[2][1:].T
    covariance = contrasts.T @ (gram + mu * np.diag(1.0 / weights)) @ contrasts
    seen = contrasts.T @ targets
    square = sum(seen[:, k] @ np.linalg.solve(covariance, seen[:, k]) for k in range(targets.shape[1]))
    return square / (n - 1) * np.linalg.det(covariance) ** (1.0 / (n - 1))


def leave_one_out_predictions_at(gram, cross, targets, mu, weights):
    """Predictions at new rows of the n machines that each lack one training row, (n, m)."""
    predictions = []
    for i in range(len(gram)):
        rest = [j for j in range(len(gram)) if j != i]
        alpha, b = solve_bordered(gram[np.ix_(rest, rest)], targets[rest], mu, weights[rest])
        predictions.append(cross[rest].T @ alpha[:, 0] + b[0])
    return np.array(predictions)


def leave_groups_out_residuals(gram, targets, mu, weights, groups):
    """Refit once per group, each time without its rows."""
    residuals = np.zeros_like(targets)
    for group in set(groups.tolist()):
        out = [i for i in range(len(gram)) if groups[i] == group]
        rest = [i for i in range(len(gram)) if groups[i] != group]
        alpha, b = solve_bordered(gram[np.ix_(rest, rest)], targets[rest], mu, weights[rest])
        residuals[out] = targets[out] - (gram[np.ix_(out, rest)] @ alpha + b)
    return residuals


def group_press(gram, targets, mu, weights, groups):
    residuals = leave_groups_out_residuals(gram, targets, mu, weights, groups)
    return 0.5 * sum(weights[i] * residuals[i, k] ** 2 for i in range(len(gram)) for k in range(targets.shape[1]))
