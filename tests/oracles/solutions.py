"""A machine solved on data, as a criterion sees it."""

import numpy as np

from kernelect.machines import Fitted


def solved(machine, gram, targets, constant=1.0, weights=None, warm=None):
    """Return the record of a machine's solution; all rows weigh the same unless told."""
    weights = np.ones(len(gram)) if weights is None else weights
    return record(machine, gram, targets, constant, weights, machine.fit(gram, targets, constant, weights, warm))


def record(machine, gram, targets, constant, weights, state):
    """Return the record of a state that is known already."""
    return Fitted(
        machine=machine,
        gram=gram,
        targets=targets,
        weights=weights,
        regularization=constant,
        state=state,
        n_residuals=len(gram),
    )
