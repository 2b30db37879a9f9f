"""Artificial problems of the papers, drawn fresh.

Breiman's twonorm, ringnorm and waveform as in the Raetsch collection and in Gold & Sollich
(2003); labels are -1 and +1.
"""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from kernelect.typing import Array

_N_INPUTS = 20


def twonorm(n_samples: int = 400, *, n_features: int = _N_INPUTS, random_state: object = None) -> tuple[Array, Array]:
    """Return two unit normals centred at +-(a, ..., a), a = 2 / sqrt(20); the best error is 2.3 %."""
    generator = check_random_state(random_state)
    y = generator.choice([-1, 1], size=n_samples)
    X = generator.normal(size=(n_samples, n_features)) + y[:, None] * 2.0 / np.sqrt(_N_INPUTS)
    return X, y


def ringnorm(n_samples: int = 400, *, n_features: int = _N_INPUTS, random_state: object = None) -> tuple[Array, Array]:
    """Return a wide normal around 0 (+1) and a unit one at (a, ..., a) (-1); the best error is 1.3 %."""
    generator = check_random_state(random_state)
    y = generator.choice([-1, 1], size=n_samples)
    noise = generator.normal(size=(n_samples, n_features))
    X = np.where(y[:, None] == 1, 2.0 * noise, noise + 2.0 / np.sqrt(_N_INPUTS))
    return X, y


def waveform(n_samples: int = 400, *, random_state: object = None) -> tuple[Array, Array]:
    """Return mixtures of two of three triangular waves in 21 inputs; +1 is the first pair of waves."""
    generator = check_random_state(random_state)
    position = np.arange(1, 22)
    waves = np.array([np.maximum(6.0 - np.abs(position - centre), 0.0) for centre in (11, 7, 15)])
    pairs = np.array([(0, 1), (0, 2), (1, 2)])
    kind = generator.randint(3, size=n_samples)
    share = generator.uniform(size=(n_samples, 1))
    first, second = waves[pairs[kind, 0]], waves[pairs[kind, 1]]
    X = share * first + (1.0 - share) * second + generator.normal(size=(n_samples, 21))
    return X, np.where(kind == 0, 1, -1)


def sparse_inputs(
    n_samples: int = 400, *, n_features: int = 20, n_relevant: int = 3, random_state: object = None
) -> tuple[Array, Array]:
    """Return a nonlinear problem in which only the first ``n_relevant`` inputs matter.

    The label is the sign of a sum of sines of the relevant inputs, with a little noise.
    """
    generator = check_random_state(random_state)
    X = generator.normal(size=(n_samples, n_features))
    signal = np.sin(2.0 * X[:, :n_relevant]).sum(axis=1) + 0.2 * generator.normal(size=n_samples)
    return X, np.where(signal > 0, 1, -1)
