"""Which parts go together: every pair is a model, or one sentence that names both and what fits instead."""

import re

import pytest
from sklearn.base import clone

from contracts.declared import declared_classes
from contracts.parts import ESTIMATORS, sample, target_for
from kernelect.criteria.registry import CRITERIA
from kernelect.exceptions import KernelectError, MissingCapability
from kernelect.kernels import KERNELS, RBF
from kernelect.priors import PRIORS
from kernelect.registry import REGISTRIES
from kernelect.search.registry import SEARCHES

#: Every estimator of one machine, as it comes.
PLAIN = [cls.__name__ for cls in declared_classes("estimator") if cls.criterion_names()]


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("criterion", CRITERIA.names)
def test_a_criterion_that_does_not_fit_is_refused_by_name_with_those_that_fit(name, criterion):
    fitting = type(ESTIMATORS[name]).criterion_names()
    if criterion in fitting:
        return
    model = clone(ESTIMATORS[name]).set_params(criterion=criterion)
    with pytest.raises(KernelectError) as refused:
        model.fit(sample()[0], target_for(name))
    sentence = str(refused.value)
    assert f"criterion={criterion!r}" in sentence
    assert any(repr(other) in sentence for other in fitting), sentence


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("kind", ["kernel", "criterion", "prior", "search"])
def test_a_word_that_nobody_knows_is_refused_with_those_that_are_known(name, kind):
    if kind not in ESTIMATORS[name].get_params():
        return
    model = clone(ESTIMATORS[name]).set_params(**{kind: "no such thing"})
    with pytest.raises(KernelectError, match=f"{kind}='no such thing' is not known"):
        model.fit(sample()[0], target_for(name))


#: Estimators whose machine has a kernel and a prior.
WITH_PRIOR = [name for name in PLAIN if "prior" in ESTIMATORS[name].get_params()]


def joined(name, **parts):
    """Return what the estimator minimises with these parts; nothing is computed, but pairs are checked."""
    model = clone(ESTIMATORS[name]).set_params(**parts)
    X = sample(20)[0]
    rows = RBF(0.3).gram(X) if parts.get("kernel") == "precomputed" else X
    model._check_words() if hasattr(model, "_check_words") else None
    return model._problem(model._unweighted(rows, target_for(name, 20)))


def suggested(sentence, kind):
    """Return the names that a refusal suggests of one kind."""
    found = re.search(rf"use .*?{kind}=((?:'[^']+'|None)(?:(?:, | or )(?:'[^']+'|None))*)", sentence)
    return (
        [] if found is None else [None if word == "None" else word.strip("'") for word in re.split(", | or ", found[1])]
    )


def refusal(name, **parts):
    """Return the sentence of a refusal, nothing where the parts go together."""
    try:
        joined(name, **parts)
    except MissingCapability as refused:
        return str(refused)
    return ""


@pytest.mark.parametrize("prior", PRIORS.names)
@pytest.mark.parametrize("name", WITH_PRIOR)
def test_a_prior_and_a_criterion_go_together_or_the_sentence_names_both_and_priors_that_fit(name, prior):
    for criterion in type(ESTIMATORS[name]).criterion_names():
        sentence = refusal(name, criterion=criterion, prior=prior)
        if sentence:
            machine = joined(name, criterion=criterion, prior=None).machine.name
            assert f"prior={prior!r}" in sentence
            assert f"criterion={criterion!r}" in sentence or repr(machine) in sentence
            assert suggested(sentence, "prior")[-1] is None
            for other in suggested(sentence, "prior"):
                assert not refusal(name, criterion=criterion, prior=other), sentence


@pytest.mark.parametrize("kernel", KERNELS.names)
@pytest.mark.parametrize("name", WITH_PRIOR)
def test_a_kernel_and_a_prior_go_together_or_the_sentence_names_both_and_priors_that_fit(name, kernel):
    for prior in PRIORS.names:
        sentence = refusal(name, kernel=kernel, prior=prior)
        if sentence:
            fitting = suggested(sentence, "prior")
            assert f"prior={prior!r}" in sentence
            assert kernel in sentence or "differentiates" in sentence or "gradient" in sentence
            assert fitting
            assert not any(refusal(name, kernel=kernel, prior=other) for other in fitting), sentence


@pytest.mark.parametrize("kernel", KERNELS.names)
@pytest.mark.parametrize("name", WITH_PRIOR)
def test_a_kernel_and_a_criterion_go_together_or_the_sentence_names_both_and_kernels_that_fit(name, kernel):
    for criterion in type(ESTIMATORS[name]).criterion_names():
        sentence = refusal(name, kernel=kernel, criterion=criterion)
        if sentence:
            fitting = suggested(sentence, "kernel")
            assert f"criterion={criterion!r}" in sentence
            assert KERNELS.make(kernel).words in sentence
            assert fitting
            assert not any(refusal(name, kernel=other, criterion=criterion) for other in fitting), sentence


@pytest.mark.parametrize("search", SEARCHES.names)
@pytest.mark.parametrize("criterion", [entry.cls() for entry in CRITERIA], ids=lambda part: type(part).__name__)
def test_a_search_without_its_gradient_is_refused_with_searches_that_fit(criterion, search):
    if criterion.has_gradient or not SEARCHES.make(search).needs_gradient:
        SEARCHES.make(search).check(criterion.has_gradient, criterion.name)
        return
    with pytest.raises(MissingCapability) as refused:
        SEARCHES.make(search).check(criterion.has_gradient, criterion.name)
    sentence = str(refused.value)
    assert f"search={search!r}" in sentence
    assert f"criterion={criterion.name!r}" in sentence
    fitting = suggested(sentence, "search")
    assert set(fitting) == {entry.name for entry in SEARCHES if not entry.make().needs_gradient}
    for other in fitting:
        SEARCHES.make(other).check(criterion.has_gradient, criterion.name)


def test_an_estimator_refuses_the_search_before_it_computes():
    with pytest.raises(MissingCapability, match="search='lbfgs' needs a gradient and criterion='loo' has none"):
        clone(ESTIMATORS["SVC"]).set_params(criterion="loo", search="lbfgs").fit(sample()[0], target_for("SVC"))


@pytest.mark.parametrize("kind", ["kernel", "criterion", "prior", "search", "strategy", "dictionary", "likelihood"])
@pytest.mark.parametrize("name", PLAIN)
def test_a_class_in_the_place_of_an_object_is_answered_with_the_object(name, kind):
    if kind not in ESTIMATORS[name].get_params():
        return
    registry = REGISTRIES["subset criterion" if (name, kind) == ("BasisSearchRegressor", "criterion") else kind]
    cls = next(iter(registry)).cls
    model = clone(ESTIMATORS[name]).set_params(**{kind: cls})
    with pytest.raises(KernelectError, match=rf"^{kind}={cls.__name__} must be .*: give {cls.__name__}\(\)\.$"):
        model.fit(sample()[0], target_for(name))
