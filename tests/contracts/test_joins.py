"""Which parts go together: every pair is a model, or one sentence that names both and what fits instead."""

import pytest
from sklearn.base import clone

from contracts.declared import declared_classes
from contracts.parts import ESTIMATORS, sample, target_for
from kernelect.criteria.registry import CRITERIA
from kernelect.exceptions import KernelectError

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
