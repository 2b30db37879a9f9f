"""Shapley values and interactions by their definition: all coalitions, one after the other."""

from dataclasses import replace
from itertools import combinations, product
from math import factorial

import numpy as np

from kernelect.dictionaries.kernel_functions import CentredKernels
from kernelect.dictionaries.union import JoinedCandidates
from kernelect.kernels import ARD, RBF, Constant, Linear, Product, Sum
from kernelect.model import FunctionPart, KernelPart


def coalitions(players):
    for size in range(len(players) + 1):
        for members in combinations(players, size):
            yield frozenset(members)


def shapley(value, n_players):
    """phi_j = sum_S |S|! (d - 1 - |S|)! / d! (v(S + j) - v(S)), and v of nobody."""
    d = n_players
    v = {S: np.asarray(value(S)) for S in coalitions(range(d))}
    phi = []
    for j in range(d):
        others = [player for player in range(d) if player != j]
        phi.append(
            sum(
                factorial(len(S)) * factorial(d - 1 - len(S)) / factorial(d) * (v[S | {j}] - v[S])
                for S in coalitions(others)
            )
        )
    return np.array(phi), v[frozenset()]


def interactions(value, n_players):
    """shap's convention: I_jk / 2 off the diagonal, what is left of phi_j on it."""
    d = n_players
    v = {S: np.asarray(value(S)) for S in coalitions(range(d))}
    phi, _ = shapley(value, d)
    out = np.zeros((d, d, *np.shape(phi[0])))
    for j, k in combinations(range(d), 2):
        others = [player for player in range(d) if player not in (j, k)]
        out[j, k] = out[k, j] = 0.5 * sum(
            factorial(len(S))
            * factorial(d - 2 - len(S))
            / factorial(d - 1)
            * (v[S | {j, k}] - v[S | {j}] - v[S | {k}] + v[S])
            for S in coalitions(others)
        )
    for j in range(d):
        out[j, j] = phi[j] - out[j].sum(axis=0)
    return out


def interventional(f, x, background, groups):
    """v(S): the mean of f over background rows, in which the players of S have the values of x."""

    def value(S):
        rows = np.array(background, dtype=float)
        for player in S:
            rows[:, groups[player]] = x[groups[player]]
        return np.mean(f(rows), axis=0)

    return value


def marginals(f, x, background, groups):
    """v(S): the mean of f where every player outside S has the values of a background row of its own."""

    def value(S):
        absent = [player for player in range(len(groups)) if player not in S]
        rows = []
        for drawn in product(range(len(background)), repeat=len(absent)):
            row = np.array(x, dtype=float)
            for player, b in zip(absent, drawn, strict=True):
                row[groups[player]] = background[b][groups[player]]
            rows.append(row)
        return np.mean(f(np.array(rows)), axis=0)

    return value


def neutral(expansion, x):
    """v(S): factors of inputs outside S are 1 in kernels and boxes; functions of such inputs are left out."""

    def value(S):
        players = np.isin(np.arange(len(x)), list(S))
        total = expansion.intercept.copy()
        for each in expansion.parts:
            inputs, present = each.view.inputs(x[None])[0], players[each.view.owners]
            total += _known(each.part, inputs, present) @ each.part.coefficients
        return total[0] if expansion.single else total

    return value


def _known(part, inputs, present):
    """Return what every coefficient of a part counts where only some inputs are present."""
    if isinstance(part, KernelPart):
        return _among(part.kernel, present, part.vectors, inputs)
    if isinstance(part, FunctionPart):
        return _left(part.functions, inputs, present)
    lower, upper = part.trees.bounds()
    return (((lower < inputs) & (inputs <= upper)) | ~present).all(axis=1).astype(float)


def _among(kernel, present, Z, x):
    """Return a kernel of the present inputs alone, between rows Z and x."""
    if isinstance(kernel, Sum | Product):
        parts = [_among(part, present, Z, x) for part in kernel.parts]
        return np.sum(parts, axis=0) if isinstance(kernel, Sum) else np.prod(parts, axis=0)
    if isinstance(kernel, Linear):
        x = np.where(present, x, kernel.centre)
    elif not isinstance(kernel, Constant):
        kernel = ARD(np.full(len(x), kernel.gamma)) if isinstance(kernel, RBF) else kernel
        kernel = replace(kernel, gamma=np.where(present, kernel.gamma, 0.0))
    return kernel.cross(Z, x[None])[:, 0]


def _left(functions, x, present):
    """Return the values of functions at x, 0 where one changes with an input that is not present."""
    if isinstance(functions, JoinedCandidates):
        return np.concatenate([_left(part, x, present) for part in functions.parts])
    if isinstance(functions, CentredKernels):
        return _among(functions.kernel, present, functions.centres, x)
    values = functions.evaluate(x[None])[0]
    for j in np.flatnonzero(~present):
        moved = x + 0.37 * (np.arange(len(x)) == j)
        values = np.where(functions.evaluate(moved[None])[0] == values, values, 0.0)
    return values
