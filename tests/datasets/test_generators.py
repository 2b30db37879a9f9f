"""Generators against the definitions of their authors."""

import numpy as np
import pytest

from kernelect.datasets import ringnorm, sparse_inputs, twonorm, waveform


@pytest.mark.parametrize("generate", [twonorm, ringnorm, waveform, sparse_inputs])
def test_the_seed_decides_everything(generate):
    X, y = generate(50, random_state=3)
    again, labels = generate(50, random_state=3)
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, labels)
    assert set(np.unique(y)) == {-1, 1}


def test_twonorm_has_its_means_and_its_bayes_error():
    X, y = twonorm(20000, random_state=0)
    a = 2 / np.sqrt(20)
    np.testing.assert_allclose(X[y == 1].mean(axis=0), a, atol=0.05)
    np.testing.assert_allclose(X[y == -1].std(axis=0), 1.0, atol=0.05)
    assert np.mean(np.sign(X.sum(axis=1)) != y) == pytest.approx(0.023, abs=0.004)


def test_ringnorm_has_its_variances_and_its_bayes_error():
    X, y = ringnorm(20000, random_state=0)
    a = 2 / np.sqrt(20)
    np.testing.assert_allclose(X[y == 1].std(axis=0), 2.0, atol=0.06)
    np.testing.assert_allclose(X[y == -1].mean(axis=0), a, atol=0.05)
    wide = -0.5 * np.sum(X**2, axis=1) / 4 - 20 * np.log(2)
    narrow = -0.5 * np.sum((X - a) ** 2, axis=1)
    assert np.mean(np.where(wide > narrow, 1, -1) != y) == pytest.approx(0.013, abs=0.004)


def test_waveform_classes_have_the_means_of_their_waves():
    X, y = waveform(30000, random_state=0)
    position = np.arange(1, 22)
    first = np.maximum(6 - np.abs(position - 11), 0)
    second = np.maximum(6 - np.abs(position - 7), 0)
    np.testing.assert_allclose(X[y == 1].mean(axis=0), 0.5 * (first + second), atol=0.1)
    assert np.mean(y == 1) == pytest.approx(1 / 3, abs=0.01)


def test_only_the_first_inputs_matter():
    X, y = sparse_inputs(5000, n_features=6, n_relevant=2, random_state=0)
    by_signal = np.sign(np.sin(2 * X[:, :2]).sum(axis=1))
    assert np.mean(by_signal == y) > 0.9
    assert abs(np.corrcoef(X[:, 4], y)[0, 1]) < 0.05
