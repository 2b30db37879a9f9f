"""What the criteria of the LS-SVM are tried on."""

import pytest

from kernelect.kernels import RBF


@pytest.fixture
def problem(data):
    """A Gram matrix of twelve rows, targets of two outputs, and weights."""
    X, targets, weights = data
    return RBF(0.2).gram(X[:12]), targets[:12], weights[:12]
