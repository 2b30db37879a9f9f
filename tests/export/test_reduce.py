import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, log_softmax
from scipy.stats import multivariate_normal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from instances import wavy
from kernelect import LSSVC, LSSVR
from kernelect.criteria.calibration import fit_temperature
from kernelect.estimators._rvm_fewer import shortened
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.export import reduce, size_curve, to_c
from kernelect.export.evaluate import evaluate
from kernelect.export.fewer import known_rows, shared_landmarks
from kernelect.export.models import program_of
from kernelect.export.reduce import vectors_of
from kernelect.kernels import RBF, Linear
from kernelect.mixture import heads
from kernelect.mixture.weights import probability_weights, residual_weights
from kernelect.model.relevance import Output, RelevanceModel
from oracles.exported import GAUSSIAN, THREE, answers, mixture, model, new_rows, rows_for, table


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_labels_and_weights_are_found_again(classes, weighted):
    X, y, _ = wavy(80)
    labels = np.array(["a", "b", "c"])[np.digitize(y, [0.0] if classes == 2 else [-0.5, 0.5])]
    weights = np.random.default_rng(0).uniform(0.7, 1.4, size=80) if weighted else np.ones(80)
    machine = LSSVC(GAUSSIAN, regularization=0.1).fit(X, labels, weights)
    known = known_rows(machine.model_)
    found, shares = machine.classes_[known.targets], known.weights
    np.testing.assert_array_equal(found, labels)
    np.testing.assert_allclose(shares / shares.mean(), weights / weights.mean(), rtol=1e-6)


def test_targets_are_found_again():
    X, y, _ = wavy(60)
    targets = np.column_stack([y, y**2])
    weights = np.arange(1.0, 61.0)
    known = known_rows(LSSVR(GAUSSIAN, regularization=0.1).fit(X, targets, weights).model_)
    found, shares = known.targets, known.weights
    np.testing.assert_allclose(found, targets, atol=1e-9)
    np.testing.assert_allclose(shares / shares.mean(), weights / weights.mean())


def test_a_smaller_model_with_its_loss():
    X, _, labels = wavy(200)
    whole = LSSVC(GAUSSIAN, regularization=0.3).fit(X, labels)
    found = reduce(whole, 40)
    assert len(found.model.X_fit_) == found.vectors == 40
    assert found.vectors_before == 200
    own = expit(whole.model_.components[0].link.inverse_temperature * whole.loo_decision_ * labels)
    assert found.loss_before == pytest.approx(-np.log(own).mean())
    assert abs(found.loss - found.loss_before) < 5.0 * found.standard_error + 0.01
    assert np.mean(found.model.predict(X) == whole.predict(X)) > 0.97
    assert "40 of 200 vectors are kept: the leave-one-out log-loss is" in found.in_words()


def test_the_loss_is_that_of_machines_without_each_row():
    X, y, _ = wavy(40)
    whole = LSSVR(GAUSSIAN, regularization=0.3).fit(X, y)
    found = reduce(whole, 8)
    landmarks, missed = found.model.landmarks_, []
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        without = LSSVR(GAUSSIAN, regularization=0.3, landmarks=landmarks).fit(X[others], y[others])
        missed.append((y[i] - without.predict(X[i : i + 1])[0]) ** 2)
    assert found.loss == pytest.approx(np.mean(missed) / y.var(), rel=1e-6)


def test_groups_are_left_out_of_smaller_models_too():
    X, y, _ = wavy(60)
    groups = np.arange(60) // 6
    found = reduce(LSSVR(GAUSSIAN, regularization=0.3).fit(X, y, groups=groups), 8)
    landmarks, missed = found.model.landmarks_, []
    for group in range(10):
        others = groups != group
        without = LSSVR(GAUSSIAN, regularization=0.3, landmarks=landmarks).fit(X[others], y[others])
        missed.append((y[~others] - without.predict(X[~others])) ** 2)
    assert found.loss == pytest.approx(np.mean(missed) / y.var(), rel=1e-6)


def test_pipelines_and_models_that_are_small_enough():
    X, y, _ = wavy(40)
    pipeline = make_pipeline(StandardScaler(), LSSVR(GAUSSIAN, regularization=0.3)).fit(X, y)
    found = reduce(pipeline, 10)
    assert len(found.model[-1].X_fit_) == 10
    np.testing.assert_allclose(found.model.predict(X), found.model[-1].predict(pipeline[:-1].transform(X)))
    same = reduce(pipeline, 40)
    assert same.loss == same.loss_before
    assert "all of them are kept" in same.in_words()


def loss_of_machines(whole, labels):
    """Return the leave-one-out loss of a mixture of the least-squares members alone, weighed and sharpened again."""
    members = [member for member in whole.members if member.candidate.machine == "lssvm"]
    said, widths = [member.left_out for member in members], np.array([m.component.widths for m in members])
    y, ones = np.searchsorted(whole.classes_, table()[1]) if labels else table()[2], np.ones(len(table()[2]))
    if labels:
        weights = probability_weights(np.column_stack([each[np.arange(len(y)), y] for each in said]), ones, widths)
    else:
        residuals = np.stack([(y[:, None] - each) / y.std() for each in said], axis=-1)
        weights = residual_weights(residuals, ones, widths)
    mixed = sum(weight * each for weight, each in zip(weights, said, strict=True))
    if not labels:
        return np.mean((y - mixed[:, 0]) ** 2) / y.var()
    sharpness = fit_temperature(np.log(mixed), y, np.ones(len(y)), doubt=heads._DOUBT, deviation=heads._SHARPNESS)
    logs = log_softmax(sharpness * np.log(mixed), axis=1)
    return -np.mean(logs[np.arange(len(y)), y])


def test_a_kernel_of_low_rank_does_not_keep_the_vectors_of_others_few():
    """Few rows span all others of a linear kernel: a machine beside it with a narrow kernel needs more of them."""
    X, y, _ = wavy(60)
    linear, narrow = (LSSVR(kernel, regularization=0.1).fit(X, y) for kernel in (Linear(), RBF(5.0)))
    own, shared = (
        shared_landmarks([each.model_.components[0] for each in machines], 25, np.random.default_rng(0))
        for machines in ([linear], [linear, narrow])
    )
    assert len(own) == X.shape[1] < len(shared) == len(set(shared.tolist())) == 25
    assert set(own.tolist()) < set(shared.tolist())


@pytest.mark.parametrize("labels", [True, False])
def test_mixtures_share_their_landmarks(labels):
    whole, (rows, _) = mixture(labels), new_rows()
    found = reduce(whole, 25)
    others = sum(member.candidate.machine != "lssvm" for member in whole.members)
    assert len(found.model.members) == len(whole.members) - others
    processes = sum(member.candidate.machine == "gp" for member in whole.members)
    named = "a Gaussian process" if processes == 1 else f"{processes} Gaussian processes"
    named = f"{named} and the forest" if labels else "the forest"
    assert f"Left out to save room: {named}, with " in found.remarks[0]
    told = re.search(
        rf"That alone moves the leave-one-out {found.score} from ([0-9.]+) to ([0-9.]+)\.", found.remarks[0]
    )
    assert float(told[1]) == pytest.approx(found.loss_before, rel=1e-3)
    assert float(told[2]) == pytest.approx(loss_of_machines(whole, labels), rel=1e-3)
    assert {len(member.component.kernel_part.vectors) for member in found.model.members} == {25}
    assert found.model.shares.sum() == pytest.approx(1.0)
    assert len(to_c(found.model)) < len(to_c(whole))
    if labels:
        assert np.mean(found.model.predict(rows) == whole.predict(rows)) > 0.8
    else:
        spread = np.std(table()[2])
        assert np.sqrt(np.mean((answers(found.model, rows) - answers(whole, rows)) ** 2)) < 0.5 * spread
        assert np.all(found.model.predict(rows, return_std=True)[1] > 0.0)


def test_rows_that_are_landmarks_do_not_widen_all_deviations():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = np.sin(X[:, 0]) + 0.2 * rng.normal(size=60)
    small = reduce(LSSVR(RBF(0.3), regularization=0.001).fit(X, y), 25).model
    usual = np.sqrt(np.mean((y - small.loo_prediction_) ** 2))
    assert 0.3 * usual < np.median(small.predict(X, return_std=True)[1]) < 1.5 * usual  # once five times


def test_the_curve_falls_to_the_whole_model():
    X, y, _ = wavy(120)
    curve = size_curve(LSSVR(GAUSSIAN, regularization=0.1).fit(X, y), sizes=(5, 20, 60, 500))
    assert curve.vectors.tolist() == [5, 20, 60, 120]
    assert curve.loss[0] > curve.loss[1] > curve.loss[-1] - 0.02
    assert curve.standard_error[-1] == 0.0


def losses_by_size(machine):
    return machine.model_.components[0].spread.losses


@pytest.mark.parametrize("name", ["RVR", "RVC"])
def test_relevance_vectors_are_left_out_one_after_the_other(name):
    whole = model(name)
    count = len(whole.relevance_vectors_)
    found = reduce(whole, count - 2)
    assert len(found.model.relevance_vectors_) == found.vectors == count - 2
    score, known = "log-loss" if name == "RVC" else "unexplained variance", losses_by_size(whole)
    assert f"{count - 2} of {count} vectors are kept: the leave-one-out {score} is {found.loss:.4g}" in found.in_words()
    assert (found.loss_before, found.loss) == (known.loss[count], known.loss[count - 2])
    assert found.standard_error == known.standard_error[count - 2] > 0.0
    assert len(reduce(whole, count).model.relevance_vectors_) == count
    coefficients = found.model.dual_coef_.reshape(count - 2, -1)
    values = whole.kernel_.cross(found.model.relevance_vectors_, X := rows_for(name)).T
    latent = values @ coefficients + found.model.intercept_
    own = found.model.predict(X)[:, None] if name == "RVR" else found.model.model_.components[0].latent(X)[0]
    np.testing.assert_allclose(latent, own, atol=1e-9)
    rows = rows_for(name)
    program = program_of(found.model)
    np.testing.assert_allclose(evaluate(program, rows)[-1], answers(found.model, rows), rtol=1e-9, atol=1e-9)
    assert len(whole.relevance_vectors_) == count  # the model that was given stays what it is


def test_the_ln_evidence_is_told_where_the_leave_one_out_is_not_known():
    """Files that were written before leave-one-out was kept, and machines that have been reduced already."""
    whole = model("RVC")
    (component,), count = whole.model_.components, len(whole.relevance_vectors_)
    forgetful = replace(component, spread=replace(component.spread, losses=None))
    old = whole.with_model(replace(whole.model_, components=(forgetful,)))
    found = reduce(old, count - 1)
    words = f"{count - 1} of {count} vectors are kept: the ln evidence changes by"
    assert found.in_words().startswith(words)
    assert found.score == size_curve(old).score == "ln evidence"
    with pytest.raises(MissingCapability, match="What this RVC loses with fewer vectors was not kept, .*: fit it"):
        vectors_of(old)
    again = reduce(reduce(whole, count - 1).model, count - 2)
    assert again.score == "ln evidence"
    np.testing.assert_allclose(again.model.dual_coef_, reduce(whole, count - 2).model.dual_coef_)
    assert vectors_of(reduce(whole, count).model) == vectors_of(whole) == count  # nothing is lost with all vectors


def test_the_curve_of_relevance_vectors_has_small_sizes():
    whole = model("RVR")
    count = len(whole.relevance_vectors_)
    curve = size_curve(make_pipeline(StandardScaler(), whole))
    assert curve.vectors.tolist() == [size for size in (1, 2, 3, 5, 7, 10, 20, 50) if size < count] + [count]
    np.testing.assert_array_equal(curve.loss, losses_by_size(whole).loss[curve.vectors])
    assert curve.loss[0] > 2.0 * curve.loss[-1]
    assert curve.standard_error[-1] == 0.0 < curve.standard_error[0]


def test_without_a_vector_the_posterior_and_the_evidence_are_those_of_the_others():
    rng = np.random.default_rng(0)
    design, alpha, beta = rng.normal(size=(20, 5)), np.array([1.0, 0.5, 2.0, 1.5, 0.8]), 4.0
    y = design @ np.array([0.3, 1.0, 0.0, -1.0, 0.5]) + 0.5 * rng.normal(size=20)

    def solved(columns):
        covariance = np.linalg.inv(np.diag(alpha[columns]) + beta * design[:, columns].T @ design[:, columns])
        marginal = design[:, columns] @ np.diag(1.0 / alpha[columns]) @ design[:, columns].T + np.eye(20) / beta
        evidence = multivariate_normal(np.zeros(20), marginal).logpdf(y)
        return beta * covariance @ design[:, columns].T @ y, covariance, evidence

    every = np.arange(5)
    weights, covariance, evidence = solved(every)
    whole = RelevanceModel(
        (Output(columns=every[:4], constant=True, weights=weights, alpha=alpha, covariance=covariance),), 4
    )
    small, kept, lost = shortened(whole, 3)
    gone = int(np.setdiff1d(every[:4], kept)[0])
    falls = [evidence - solved(np.delete(every, 1 + place))[2] for place in range(4)]
    assert gone == np.argmin(falls)
    assert lost == pytest.approx(falls[gone])
    others, spread, _ = solved(np.delete(every, 1 + gone))
    np.testing.assert_allclose(small.outputs[0].weights, others, atol=1e-10)
    np.testing.assert_allclose(small.outputs[0].covariance, spread, atol=1e-10)


def test_what_cannot_be_reduced():
    X, y = THREE
    on_landmarks = LSSVC(GAUSSIAN, regularization=0.1, landmarks=5).fit(X, y)
    assert reduce(on_landmarks, 5).in_words() == "The model has 5 vectors, and all of them are kept."
    assert size_curve(on_landmarks, (10, 20)).vectors.tolist() == [5]
    with pytest.raises(MissingCapability, match="GPC cannot be reduced to fewer vectors: use LSSVC"):
        reduce(model("GPC"), 3)
    with pytest.raises(MissingCapability, match="RVC cannot be reduced to fewer vectors: use LSSVC"):
        reduce(model("RVC, dictionary"), 3)
    with pytest.raises(InvalidArgument, match="max_vectors=0 must be a whole number of at least 1"):
        reduce(model("LSSVC"), 0)
