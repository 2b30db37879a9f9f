"""What relevance vector machines lose with their vectors, against refits without each row."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, log_expit, softmax

from instances import wavy
from kernelect import RVC, RVR
from kernelect.estimators import _rvm_base
from kernelect.estimators._rvm_fewer import deletions, shortened
from kernelect.estimators._rvm_held import loss_by_size
from kernelect.kernels import RBF
from kernelect.machines.rvm import Bernoulli, Normal, find_mode, moderated
from kernelect.model.relevance import Output, RelevanceModel
from oracles.rvm_fewer import centre_of, kept_of, left_out_latents, left_out_numbers

N = 50


def counts(weighted):
    weights = np.random.default_rng(1).integers(1, 4, size=N).astype(float)
    return weights / weights.mean() if weighted else np.ones(N)


def labels(classes):
    _, y, _ = wavy(N)
    noisy = y + np.random.default_rng(2).normal(scale=0.5, size=N)  # classes that overlap need more vectors
    return np.digitize(noisy, [0.0] if classes == 2 else [-0.5, 0.5])


def averaged(losses, whole, weights):
    """Return the mean and the standard error of the difference to the whole model, as textbooks define them."""
    difference = losses - whole
    mean = np.sum(weights * difference) / np.sum(weights)
    spread = np.sqrt(np.sum((weights / np.sum(weights)) ** 2 * (difference - mean) ** 2))
    return np.sum(weights * losses) / np.sum(weights), spread


def component_of(machine):
    (component,) = machine.model_.components
    return component


def losses_of(machine):
    return component_of(machine).spread.losses


def squared(y, variance):
    """Return losses of numbers y from latent means."""
    return lambda mean, _: (y - mean[:, 0]) ** 2 / variance


def logarithmic(index, temperature=1.0):
    """Return losses of labels from latent means and variances."""

    def losses(mean, variance):
        logits = temperature * mean / np.sqrt(1 + np.pi * variance / 8)
        logits = logits if logits.shape[1] > 1 else np.column_stack([np.zeros(len(logits)), logits])
        return -np.log(softmax(logits, axis=1)[np.arange(len(index)), index])

    return losses


def at_its_mode(component, X, targets, weights, losses):
    """Return the component with its posteriors exactly at their modes, to which a fit goes to some 1e-7 only."""
    numbers = component.link is None
    spread, values, outputs, slopes = component.spread, component.design(X), [], []
    for output, t in zip(spread.model.outputs, targets.T, strict=True):
        likelihood = Bernoulli(targets=t, sample_weight=weights)
        if numbers:
            precision = (spread.unit / spread.noise) ** 2
            likelihood = Normal(targets=t, sample_weight=weights, precision=precision, count=weights.sum())
        design, w = output.design(values), output.weights
        for _ in range(4):
            here = likelihood.slopes(design @ w)
            H = design.T @ (here.curvature[:, None] * design) + np.diag(output.alpha)
            w = w + np.linalg.solve(H, design.T @ here.error - output.alpha * w)
        outputs.append(replace(output, weights=w, covariance=np.linalg.inv(H)))
        slopes.append(likelihood.slopes(design @ w))
    model, centre = RelevanceModel(tuple(outputs), spread.model.n_vectors), component.constant
    if numbers:  # the constant that is added has moved too
        centre = centre_of(component) + spread.unit * model.coefficients()[1]
    found = loss_by_size(model, values, slopes, weights, losses)
    return replace(component, constant=centre, spread=replace(spread, model=model, losses=found))


def compare(component, losses, weights, rtol):
    """Check the loss of every size on the path."""
    model, found = component.spread.model, component.spread.losses
    count = model.n_vectors
    assert count >= 3
    assert len(found.loss) == len(found.standard_error) == count + 1
    whole = losses(component, kept_of(model, count))
    for size in range(count + 1):
        loss, error = averaged(losses(component, kept_of(model, size)), whole, weights)
        assert found.loss[size] == pytest.approx(loss, rel=rtol)
        assert found.standard_error[size] == pytest.approx(error, rel=rtol, abs=rtol * loss)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("centres", ["data", "movable"])
def test_numbers_are_left_out_exactly(centres, weighted):
    (X, y, _), s = wavy(N), counts(weighted)
    y = 5.0 + 300.0 * y
    component = component_of(RVR(RBF(0.5), centres=centres).fit(X, y, s))
    mean = np.average(y, weights=s)
    variance = np.average((y - mean) ** 2, weights=s)
    assert centre_of(component) == pytest.approx(mean, rel=1e-12)

    def losses(component, kept):
        return (y - left_out_numbers(component, X, y, s, kept)) ** 2 / variance

    compare(component, losses, s, 1e-6)
    t, unit = (y - mean) / component.spread.unit, component.spread.unit
    compare(at_its_mode(component, X, t[:, None], s, squared(t, variance / unit**2)), losses, s, 1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_two_classes(weighted):
    X, y, s = wavy(N)[0], labels(2), counts(weighted)
    component = component_of(RVC(RBF(0.5)).fit(X, y, s))

    def losses(component, kept):
        (output,) = component.spread.model.outputs
        mean, variance = left_out_latents(component, output, X, 2.0 * y - 1.0, s, kept)
        p = expit(mean / np.sqrt(1 + np.pi * variance / 8))
        return -np.log(np.where(y == 1, p, 1 - p))

    compare(component, losses, s, 1e-6)
    compare(at_its_mode(component, X, 2.0 * y[:, None] - 1.0, s, logarithmic(y)), losses, s, 1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_three_classes_at_the_temperature_of_the_model(weighted):
    X, y, s = wavy(N)[0], labels(3), counts(weighted)
    component, targets = component_of(RVC(RBF(0.5)).fit(X, y, s)), 2.0 * np.eye(3)[y] - 1.0
    model, temperature = component.spread.model, component.link.inverse_temperature
    assert any(len(output.columns) < model.n_vectors for output in model.outputs)
    assert temperature != 1.0

    def losses(component, kept):
        outputs = zip(component.spread.model.outputs, targets.T, strict=True)
        pairs = [left_out_latents(component, output, X, t, s, kept) for output, t in outputs]
        logits = np.column_stack([mean / np.sqrt(1 + np.pi * variance / 8) for mean, variance in pairs])
        return -np.log(softmax(temperature * logits, axis=1)[np.arange(N), y])

    compare(component, losses, s, 1e-6)
    compare(at_its_mode(component, X, targets, s, logarithmic(y, temperature)), losses, s, 1e-9)


def test_the_first_order_is_close_to_refits_of_the_whole_model():
    X, y = wavy(N)[0], labels(2)
    machine, t = RVC(RBF(0.5)).fit(X, y), 2.0 * labels(2) - 1.0
    component = component_of(machine)
    (output,) = component.spread.model.outputs
    design, said = output.design(component.design(X)), np.empty(N)
    for i in range(N):
        without = Bernoulli(targets=t, sample_weight=np.where(np.arange(N) == i, 0.0, 1.0))
        found = find_mode(design, output.alpha, without)
        variance = design[i] @ found.covariance @ design[i]
        said[i] = t[i] * moderated(design[i] @ found.weights, variance)
    slow = -log_expit(said).mean()
    seen = -log_expit(t * machine.decision_function(X)).mean()
    assert abs(losses_of(machine).loss[-1] - slow) < 0.25 * (slow - seen)


def test_a_part_of_many_rows_is_left_out(monkeypatch):
    X, y, _ = wavy(N)
    whole, asked = losses_of(RVR(RBF(0.5)).fit(X, y)), []
    monkeypatch.setattr(_rvm_base, "MOST_ROWS", 30)
    monkeypatch.setattr(
        _rvm_base,
        "loss_by_size",
        lambda model, values, *rest: asked.append(len(values)) or loss_by_size(model, values, *rest),
    )
    part, again = losses_of(RVR(RBF(0.5)).fit(X, y)), np.random.default_rng(0).permutation(N)
    assert asked == [30]
    assert len(part.loss) == len(whole.loss)
    assert not np.allclose(part.loss, whole.loss)
    np.testing.assert_allclose(losses_of(RVR(RBF(0.5)).fit(X[again], y[again])).loss, part.loss, rtol=1e-6)


def test_functions_without_vectors_have_no_losses():
    X, y, _ = wavy(N)
    assert losses_of(RVR(dictionary="polynomial").fit(X, y)) is None
    assert losses_of(RVR("precomputed").fit(RBF(0.5).gram(X), y)) is None


def test_a_constant_has_one_size():
    X, _, _ = wavy(N)
    found = losses_of(RVR(RBF(0.5)).fit(X, np.full(N, 3.0)))
    np.testing.assert_array_equal(found.loss, [0.0])
    np.testing.assert_array_equal(found.standard_error, [0.0])


def test_vectors_that_are_all_but_one_leave_positive_variances():
    """The second of two equal functions has, given the first, a variance below the rounding of its own."""
    covariance = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    output = Output(
        columns=np.arange(3), constant=False, weights=np.array([1.0, 1.0, 3.0]), alpha=np.ones(3), covariance=covariance
    )
    steps = list(deletions(RelevanceModel((output,), 3)))
    assert np.isfinite([step.gain for step in steps]).all()
    assert all((np.diagonal(each.covariance) > 0.0).all() for step in steps for each in step.after)


def test_smaller_models_are_those_of_the_path():
    X, _, _ = wavy(N)
    machine = RVC(RBF(0.5)).fit(X, labels(3))
    model = component_of(machine).spread.model
    for size in range(model.n_vectors + 1):
        assert set(shortened(model, size)[1]) == kept_of(model, size)
