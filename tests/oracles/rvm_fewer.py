"""Slow definitions of what a relevance vector machine with fewer vectors says of rows left out: refits, row by row."""

import numpy as np
from scipy.special import expit


def centre_of(component):
    """Return the mean that the targets had before they were fitted."""
    (output,) = component.spread.model.outputs
    return float(component.constant[0]) - (component.spread.unit * output.weights[0] if output.constant else 0.0)


def design_of(component, output, X, kept):
    """Return the constant (where there is one) and the kept vectors' functions, and the weights' places of these."""
    part = component.kernel_part
    chosen = [place for place, column in enumerate(output.columns) if column in kept]
    functions = [part.kernel.cross(part.vectors[[output.columns[place]]], X)[0] for place in chosen]
    first = [np.ones(len(X))] if output.constant else []
    places = [0] * output.constant + [int(output.constant) + place for place in chosen]
    return np.array([*first, *functions]).reshape(len(places), len(X)).T, places


def kept_of(model, size):
    """Return the vectors that are left: at every step that one goes whose absence lowers the evidence least.

    The change of the evidence is that of a Gaussian of the weights, from the determinants with and without one of them.
    """
    kept = set(range(model.n_vectors))
    while len(kept) > size:
        falls = {vector: sum(_fall(output, kept, vector) for output in model.outputs) for vector in kept}
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


def left_out_numbers(component, X, y, s, kept):
    """Return what ridge regressions without each row, on the kept vectors, predict for it."""
    spread, centre = component.spread, centre_of(component)
    (output,) = spread.model.outputs
    Phi, places = design_of(component, output, X, kept)
    t, beta = (y - centre) / spread.unit, (spread.unit / spread.noise) ** 2
    said = np.empty(len(X))
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        A = Phi[others].T @ (beta * s[others, None] * Phi[others]) + np.diag(output.alpha[places])
        said[i] = Phi[i] @ np.linalg.solve(A, Phi[others].T @ (beta * s[others] * t[others]))
    return spread.unit * said + centre


def left_out_latents(component, output, X, t, s, kept):
    """Return means and variances of one output without each row.

    The log-likelihood of every row is replaced by its parabola at the whole model's latent value; a model is the
    maximum of the parabolas of the rows that it sees, on the kept vectors.
    """
    everything, _ = design_of(component, output, X, set(range(component.spread.model.n_vectors)))
    h = everything @ output.weights
    slope, bend = s * ((t + 1) / 2 - expit(h)), s * expit(h) * expit(-h)
    Phi, places = design_of(component, output, X, kept)
    mean, variance = np.empty(len(X)), np.empty(len(X))
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        H = Phi[others].T @ (bend[others, None] * Phi[others]) + np.diag(output.alpha[places])
        right = Phi[others].T @ (slope[others] + bend[others] * h[others])
        mean[i] = Phi[i] @ np.linalg.solve(H, right)
        variance[i] = Phi[i] @ np.linalg.solve(H, Phi[i])
    return mean, variance
