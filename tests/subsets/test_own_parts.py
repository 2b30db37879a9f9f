"""A part of the user's own stands wherever a name does, and goes by its own name once it is registered."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import kernelect
from kernelect import RVC, RVR, BasisSearchRegressor
from kernelect.dictionaries import DICTIONARIES, Candidates, Dictionary
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.registry import REGISTRIES
from kernelect.subsets import STRATEGIES, SUBSET_CRITERIA, EvidenceCriterion, MarginalLikelihood, Strategy


class Penalised(EvidenceCriterion):
    """The likelihood less two nats per function."""

    name = "penalised"

    def value(self, profile, peak):
        return peak.height - 2.0 * len(profile.eigenvalues)

    def null(self, moments):
        return MarginalLikelihood().null(moments)


@dataclass(frozen=True)
class FirstTwo(Strategy):
    """The two functions that gain most, one after the other."""

    def run(self, walk):
        walk.add_best()
        walk.add_best()
        return walk.best_of_size[2]


@dataclass(frozen=True, eq=False)
class Steps(Candidates):
    places: tuple

    def __len__(self):
        return len(self.places)

    def evaluate(self, X):
        return (X[:, :1] > np.array(self.places)).astype(float)

    def take(self, chosen):
        return replace(self, places=tuple(self.places[i] for i in chosen))

    def describe(self):
        return [f"x0 > {place:g}" for place in self.places]


@dataclass(frozen=True)
class StepFunctions(Dictionary):
    def build(self, X):
        return Steps((-1.0, 0.0, 1.0))


@pytest.fixture
def data(rng):
    X = rng.uniform(-2, 2, size=(80, 1))
    return X, np.where(X[:, 0] > 0.0, 1.0, -1.0) + 0.1 * rng.normal(size=80)


@pytest.fixture
def forgotten():
    """Undo registrations."""
    kinds = {kind: list(registry) for kind, registry in REGISTRIES.items()}
    yield
    for kind, entries in kinds.items():
        REGISTRIES[kind]._entries[:] = entries


def test_objects_are_taken_as_they_are(data):
    X, y = data
    model = BasisSearchRegressor(StepFunctions(), strategy=FirstTwo(), criterion=Penalised()).fit(X, y)
    assert len(model.basis_) == 2
    assert "x0 > 0" in model.basis_
    assert model.selection_.criterion == "penalised"
    for machine, target in ((RVR(dictionary=StepFunctions()), y), (RVC(dictionary=StepFunctions()), y > 0)):
        assert "x0 > 0" in machine.fit(X, target).basis_


def test_registered_parts_go_by_their_names(data, forgotten):
    X, y = data
    kernelect.registry.register(Penalised)
    kernelect.registry.register(FirstTwo, "first-two")
    kernelect.registry.register(StepFunctions, "steps")
    model = BasisSearchRegressor("steps", strategy="first-two", criterion="penalised").fit(X, y)
    assert len(model.basis_) == 2
    assert "penalised" in BasisSearchRegressor.criterion_names()
    known = {entry.cls for registry in REGISTRIES.values() for entry in registry}
    assert {Penalised, FirstTwo, StepFunctions} <= known


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"criterion": "evidenc"}, "criterion='evidenc' is not known. Did you mean 'evidence'"),
        ({"strategy": "sfs"}, "strategy='sfs' is not known. Did you mean 'sffs'"),
        ({"dictionary": "linea"}, "dictionary='linea' is not known. Did you mean 'linear'"),
        ({"dictionary": 3}, "dictionary=3 must be a name .*'rbf'"),
    ],
)
def test_unknown_names_are_answered_with_the_known_ones(data, options, message):
    with pytest.raises(InvalidArgument, match=message):
        BasisSearchRegressor(**options).fit(*data)


def test_a_criterion_of_machines_values_no_subset(data):
    with pytest.raises(MissingCapability, match="criterion='press' judges a machine"):
        BasisSearchRegressor(criterion="press").fit(*data)
    with pytest.raises(MissingCapability, match="values subsets of a dictionary"):
        RVR(criterion=Penalised()).fit(*data)


def test_every_registered_part_can_be_made():
    for registry in (SUBSET_CRITERIA, STRATEGIES, DICTIONARIES):
        assert len(registry.names) >= 3
        for name in registry.names:
            assert isinstance(registry.make(name), registry.base)
