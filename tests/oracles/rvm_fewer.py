"""Slow definitions of what a relevance vector machine with fewer vectors says of rows left out: refits, row by row."""

import numpy as np
from scipy.special import expit


def design_of(machine, output, X, kept):
    """Return the constant (where there is one) and the kept vectors' functions, and the weights' places of these."""
    chosen = [place for place, column in enumerate(output.columns) if column in kept]
    functions = [machine.kernel_.cross(machine.relevance_vectors_[[output.columns[place]]], X)[0] for place in chosen]
    first = [np.ones(len(X))] if output.constant else []
    places = [0] * output.constant + [int(output.constant) + place for place in chosen]
    return np.array([*first, *functions]).reshape(len(places), len(X)).T, places


def kept_of(machine, size):
    """Return the vectors that are left: at every step that one goes whose absence lowers the evidence least.

    The change of the evidence is that of a Gaussian of the weights, from the determinants with and without one of them.
    """
    kept = set(range(machine._model.n_vectors))
    while len(kept) > size:
        falls = {vector: sum(_fall(output, kept, vector) for output in machine._model.outputs) for vector in kept}
        kept.remove(min(falls, key=falls.get))
    return kept


def _fall(output, kept, vector):
    return _height(output, kept) - _height(output, kept - {vector})


def _height(output, kept):
    """Return the ln evidence on the kept vectors, up to a constant: b^T H^-1 b / 2 + ln |A| / 2 - ln |H| / 2."""
    places = [0] * output.constant
    places += [int(output.constant) + i for i, column in enumerate(output.columns) if column in kept]
    H = np.linalg.inv(output.covariance)
    b, H = (H @ output.weights)[places], H[np.ix_(places, places)]
    return 0.5 * (b @ np.linalg.solve(H, b) + np.log(output.alpha[places]).sum() - np.linalg.slogdet(H)[1])


def left_out_numbers(machine, X, y, s, kept):
    """Return what ridge regressions without each row, on the kept vectors, predict for it."""
    (output,) = machine._model.outputs
    Phi, places = design_of(machine, output, X, kept)
    t, beta = (y - machine._centre) / machine._unit, (machine._unit / machine.noise_) ** 2
    said = np.empty(len(X))
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        A = Phi[others].T @ (beta * s[others, None] * Phi[others]) + np.diag(output.alpha[places])
        said[i] = Phi[i] @ np.linalg.solve(A, Phi[others].T @ (beta * s[others] * t[others]))
    return machine._unit * said + machine._centre


def left_out_latents(machine, output, X, t, s, kept):
    """Return means and variances of one output without each row.

    The log-likelihood of every row is replaced by its parabola at the whole model's latent value; a model is the
    maximum of the parabolas of the rows that it sees, on the kept vectors.
    """
    everything, _ = design_of(machine, output, X, set(range(machine._model.n_vectors)))
    h = everything @ output.weights
    slope, bend = s * ((t + 1) / 2 - expit(h)), s * expit(h) * expit(-h)
    Phi, places = design_of(machine, output, X, kept)
    mean, variance = np.empty(len(X)), np.empty(len(X))
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        H = Phi[others].T @ (bend[others, None] * Phi[others]) + np.diag(output.alpha[places])
        right = Phi[others].T @ (slope[others] + bend[others] * h[others])
        mean[i] = Phi[i] @ np.linalg.solve(H, right)
        variance[i] = Phi[i] @ np.linalg.solve(H, Phi[i])
    return mean, variance
