"""Evidence of subsets from N x N covariances, and strategies that recompute everything at every move."""

from fractions import Fraction
from itertools import combinations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

LOWEST, HIGHEST = 1e-12, 1e2


def log_likelihood(Phi, T, alpha, betas):
    """sum_k ln N(t_k | 0, I / beta_k + Phi Phi^T / (lambda beta_k)), alpha_k = lambda beta_k, by dense matrices.

    ``alpha`` is lambda = alpha / beta here: outputs share it.
    """
    total = 0.0
    for t, beta in zip(T.T, betas, strict=True):
        C = (np.eye(len(t)) + Phi @ Phi.T / alpha) / beta
        _, logdet = np.linalg.slogdet(C)
        total += -0.5 * (len(t) * np.log(2 * np.pi) + logdet + t @ np.linalg.solve(C, t))
    return total


def best_noise(Phi, T, lam):
    """beta_k = N / (t^T (I + Phi Phi^T / lambda)^-1 t)."""
    K = np.eye(len(T)) + Phi @ Phi.T / lam
    return np.array([len(t) / (t @ np.linalg.solve(K, t)) for t in T.T])


def profile(Phi, T, lam):
    """max over beta of the ln likelihood at lambda, from the stacked matrix [Phi; sqrt(lambda) I].

    A = min |t - Phi w|^2 + lambda |w|^2 and |Phi^T Phi + lambda I| come from its QR, without the
    squared condition number that costs the dense covariance its digits at small lambda.
    """
    N, m = Phi.shape
    Q, R = np.linalg.qr(np.vstack([Phi, np.sqrt(lam) * np.eye(m)]))
    logdet = 2.0 * np.sum(np.log(np.abs(np.diag(R)))) - m * np.log(lam)
    total = 0.0
    for t in T.T:
        t = np.append(t, np.zeros(m))
        rest = t - Q @ (Q.T @ t)
        total += -0.5 * (N * np.log(2 * np.pi * (rest @ rest) / N) + N + logdet)
    return total


def bounds(Phi):
    largest = np.linalg.svd(Phi, compute_uv=False)[0] ** 2
    return LOWEST * largest, HIGHEST * largest


def best_regularization(Phi, T):
    """The lambda with the largest likelihood: a fine grid, then a bounded search around its best point."""
    low, high = np.log(bounds(Phi))
    grid = np.linspace(low, high, 97)
    at = int(np.argmax([profile(Phi, T, np.exp(u)) for u in grid]))
    around = grid[max(at - 1, 0)], grid[min(at + 1, 96)]
    found = minimize_scalar(
        lambda u: -profile(Phi, T, np.exp(u)), bounds=around, method="bounded", options={"xatol": 1e-9}
    )
    candidates = [found.x, *around]
    return np.exp(max(candidates, key=lambda u: profile(Phi, T, np.exp(u))))


def marginal_likelihood(Phi, T):
    if Phi.shape[1] == 0:
        N = len(T)
        return sum(-0.5 * N * (np.log(2 * np.pi * (t @ t) / N) + 1.0) for t in T.T)
    return profile(Phi, T, best_regularization(Phi, T))


def mackay(Phi, t, lam=None):
    """Equation (4) as printed, one output, at the best lambda or a given one."""
    N, m = Phi.shape
    lam = best_regularization(Phi, t[:, None]) if lam is None else lam
    beta = best_noise(Phi, t[:, None], lam)[0]
    alpha = lam * beta
    gamma = m - alpha * np.trace(np.linalg.inv(beta * Phi.T @ Phi + alpha * np.eye(m)))
    C = np.eye(N) / beta + Phi @ Phi.T / alpha
    return (
        -0.5 * (N * np.log(2 * np.pi) + np.linalg.slogdet(C)[1] + t @ np.linalg.solve(C, t))
        + 0.5 * np.log(2 / gamma)
        + 0.5 * np.log(2 / (N - gamma))
    )


def mackay_at(Phi, t, alpha, beta):
    """Equation (4) as printed, at any alpha and beta."""
    N, m = Phi.shape
    C = np.eye(N) / beta + Phi @ Phi.T / alpha
    gamma = m - alpha * np.trace(np.linalg.inv(beta * Phi.T @ Phi + alpha * np.eye(m)))
    likelihood = -0.5 * (N * np.log(2 * np.pi) + np.linalg.slogdet(C)[1] + t @ np.linalg.solve(C, t))
    return likelihood + 0.5 * np.log(2 / gamma) + 0.5 * np.log(2 / (N - gamma))


def reestimated(Phi, t, alpha, beta, epsilon):
    """Equations (2), repeated until (5) holds."""
    N, m = Phi.shape
    while True:
        Sigma = np.linalg.inv(beta * Phi.T @ Phi + alpha * np.eye(m))
        mu, gamma = beta * Sigma @ Phi.T @ t, m - alpha * np.trace(Sigma)
        new_alpha, new_beta = gamma / np.sum(mu**2), (N - gamma) / np.sum((t - Phi @ mu) ** 2)
        still_beta = abs(np.log(new_beta) - np.log(beta)) < epsilon * np.sqrt(2 / (N - gamma))
        still_alpha = abs(np.log(new_alpha) - np.log(alpha)) < epsilon * np.sqrt(2 / gamma)
        if still_alpha and still_beta:
            return alpha, beta
        alpha, beta = new_alpha, new_beta


def evidence_by_grid(Phi, T, count=4001):
    """ln of the integral over ln lambda of what is left when ln beta is integrated in closed form, by a fine grid."""
    N = len(T)
    if Phi.shape[1] == 0:
        return sum(_noise_free(t @ t, N) for t in T.T)
    low, high = np.log(bounds(Phi))
    u = np.linspace(low, high, count)
    values, vectors = np.linalg.eigh(Phi @ Phi.T)
    heights = np.zeros(count)
    for t in T.T:
        p = (vectors.T @ t) ** 2
        K = 1.0 + np.maximum(values, 0.0) / np.exp(u)[:, None]  # eigenvalues of I + Phi Phi^T / lambda
        heights += _noise_free(np.sum(p / K, axis=1), N) - 0.5 * np.sum(np.log(K), axis=1)
    top = heights.max()
    return top + np.log(np.trapezoid(np.exp(heights - top), u) / (high - low))


def _noise_free(misfit, N):
    return gammaln(0.5 * N) - 0.5 * N * np.log(0.5 * misfit) - 0.5 * N * np.log(2 * np.pi)


def evidence_by_two_dimensions(Phi, t, count=401):
    """ln of the double integral of P(t | lambda beta, beta) over ln lambda (prior 1 / W) and ln beta, on a grid."""
    low, high = np.log(bounds(Phi))
    N = len(t)
    values, vectors = np.linalg.eigh(Phi @ Phi.T)
    p = (vectors.T @ t) ** 2
    u = np.linspace(low, high, 4 * count + 1)
    misfits = np.array([np.sum(p / (1.0 + np.maximum(values, 0.0) / np.exp(v))) for v in u])
    centre = np.log(N / np.median(misfits))
    spread = np.log(misfits.max() / misfits.min())
    v = np.linspace(centre - spread - 6.0, centre + spread + 6.0, 4 * count + 1)
    height = np.empty((len(u), len(v)))
    for i, lam in enumerate(np.exp(u)):
        determinant = np.sum(np.log(1.0 + np.maximum(values, 0.0) / lam))
        height[i] = -0.5 * (N * np.log(2 * np.pi) - N * v + determinant + np.exp(v) * misfits[i])
    top = height.max()
    inner = np.trapezoid(np.exp(height - top), v, axis=1)
    return top + np.log(np.trapezoid(inner, u) / (high - low))


def exact_misfit(Phi, t, lam):
    """t^T t - b^T (Phi^T Phi + lambda I)^-1 b in rational arithmetic, elimination without rounding."""
    Phi = [[Fraction(float(v)) for v in row] for row in Phi]
    t, lam, m = [Fraction(float(v)) for v in t], Fraction(float(lam)), len(Phi[0])
    b = [sum(row[i] * s for row, s in zip(Phi, t, strict=True)) for i in range(m)]
    H = [[sum(row[i] * row[j] for row in Phi) + (lam if i == j else 0) for j in range(m)] + [b[i]] for i in range(m)]
    misfit = sum(s * s for s in t)
    for i in range(m):  # LDL^T of the bordered matrix: the misfit is its last pivot
        misfit -= H[i][m] ** 2 / H[i][i]
        for r in range(i + 1, m):
            factor = H[r][i] / H[i][i]
            H[r] = [x - factor * y for x, y in zip(H[r], H[i], strict=True)]
    return float(misfit)


class SlowWalk:
    """The two moves by brute force: every candidate by a dense likelihood at the model's best lambda."""

    def __init__(self, D, T, value):
        self.D, self.T, self.value = D, T, value
        self.chosen, self.sequence = [], []
        self.best = (value(D[:, []], T), ())
        self.best_of_size = {0: self.best}

    def _lam(self):
        return best_regularization(self.D[:, self.chosen], self.T)

    def best_addition(self):
        candidates = [j for j in range(self.D.shape[1]) if j not in self.chosen]
        if not candidates:
            return None
        if not self.chosen:  # largest normalised projection
            return max(candidates, key=lambda j: np.sum((self.D[:, j] @ self.T) ** 2) / np.sum(self.D[:, j] ** 2))
        lam = self._lam()
        return max(candidates, key=lambda j: profile(self.D[:, [*self.chosen, j]], self.T, lam))

    def worst(self):
        if len(self.chosen) == 1:
            return self.chosen[0]
        lam = self._lam()
        return max(self.chosen, key=lambda j: profile(self.D[:, [i for i in self.chosen if i != j]], self.T, lam))

    def add(self, j):
        self.chosen.append(j)
        self._arrived("add", j)

    def remove(self, j):
        self.chosen.remove(j)
        self._arrived("remove", j)

    def value_without(self, j):
        return self.value(self.D[:, [i for i in self.chosen if i != j]], self.T)

    def _arrived(self, action, j):
        self.sequence.append((action, j))
        here = (self.value(self.D[:, self.chosen], self.T), tuple(sorted(self.chosen)))
        if here[0] > self.best_of_size.get(len(self.chosen), (-np.inf,))[0] + 1e-7:
            self.best_of_size[len(self.chosen)] = here
        if here[0] > self.best[0] + 1e-7:
            self.best = here

    def goes_on(self, patience):
        return len(self.chosen) <= len(self.best[1]) + patience


class PaperWalk(SlowWalk):
    """The two moves as Barrio et al. make them: ranked by equation (4) at the alpha and beta of the last model."""

    def __init__(self, D, T, epsilon):
        t = T[:, 0]
        super().__init__(D, T, lambda Phi, T: -np.inf)
        self.t, self.epsilon = t, epsilon
        self.alpha, self.beta = 1e-3, len(t) / (0.1 * t @ t)

    def _ranked(self, chosen):
        return mackay_at(self.D[:, chosen], self.t, self.alpha, self.beta)

    def best_addition(self):
        candidates = [j for j in range(self.D.shape[1]) if j not in self.chosen]
        if not self.chosen:
            return super().best_addition()
        return max(candidates, key=lambda j: self._ranked([*self.chosen, j])) if candidates else None

    def worst(self):
        if len(self.chosen) == 1:
            return self.chosen[0]
        return max(self.chosen, key=lambda j: self._ranked([i for i in self.chosen if i != j]))

    def _followed(self, chosen):
        return reestimated(self.D[:, chosen], self.t, self.alpha, self.beta, self.epsilon)

    def value_without(self, j):
        rest = [i for i in self.chosen if i != j]
        return mackay_at(self.D[:, rest], self.t, *self._followed(rest)) if rest else -np.inf

    def _arrived(self, action, j):
        if self.chosen:
            self.alpha, self.beta = self._followed(self.chosen)
            self.value = lambda Phi, T: mackay_at(Phi, self.t, self.alpha, self.beta)
        super()._arrived(action, j)


def backward(walk, patience):
    """From all functions, remove the worst until the model is so much smaller than the best one."""
    walk.chosen = list(range(walk.D.shape[1]))
    whole = (walk.value(walk.D, walk.T), tuple(walk.chosen))
    walk.best = max(walk.best, whole)
    walk.best_of_size[len(walk.chosen)] = whole
    while walk.chosen and len(walk.best[1]) <= len(walk.chosen) + patience:
        walk.remove(walk.worst())
    return walk.best[1]


def pta(walk, plus, minus, patience):
    while walk.goes_on(patience):
        for _ in range(plus):
            j = walk.best_addition()
            if j is None:
                return walk.best[1]
            walk.add(j)
        for _ in range(minus):
            walk.remove(walk.worst())
    return walk.best[1]


def sffs(walk, patience):
    while walk.goes_on(patience):
        j = walk.best_addition()
        if j is None:
            break
        walk.add(j)
        while walk.chosen:
            j = walk.worst()
            if walk.value_without(j) <= walk.best_of_size[len(walk.chosen) - 1][0] + 1e-7:
                break
            walk.remove(j)
    return walk.best[1]


def oscillating(walk, depths, patience):
    best = walk.best_of_size[len(pta(walk, 1, 0, patience))]
    depth = 1
    while depth <= depths and best[1]:
        walk.chosen = list(best[1])
        size = len(best[1])
        for _ in range(depth):
            j = walk.best_addition()
            if j is not None:
                walk.add(j)
        while len(walk.chosen) > max(size - depth, 1):
            walk.remove(walk.worst())
        while len(walk.chosen) < size:
            walk.add(walk.best_addition())
        found = walk.best_of_size[size]
        depth = 1 if found[0] > best[0] + 1e-7 else depth + 1
        best = max(found, best)
    return best[1]


def best_subset(D, T, value):
    """The subset with the largest value among all of them."""
    subsets = [list(s) for size in range(D.shape[1] + 1) for s in combinations(range(D.shape[1]), size)]
    return tuple(max(subsets, key=lambda subset: value(D[:, subset], T)))
