"""Laws of every machine: it solves what it says, whatever the order of the rows and however they are counted."""

import numpy as np
import pytest

from contracts.declared import require_instances
from contracts.optimality import DEFINITIONS
from contracts.parts import MACHINES, gram_and_targets, targets_of
from kernelect.machines import EP
from oracles.differences import gradient


def over(machines):
    return pytest.mark.parametrize("machine", machines.values(), ids=machines)


every_machine = over(MACHINES)

CONSTANT = 1.5


def problem(machine):
    gram, y, labels, weights = gram_and_targets()
    return gram, targets_of(machine, y, labels), weights


def decisions(machine, gram, targets, weights, rows=slice(None), warm=None):
    state = machine.fit(gram, targets, CONSTANT, weights, warm)
    return machine.decide(state, gram[:, rows])


def close(found, expected, machine):
    """Compare decisions; the evidence of an RVM is flat at its peak, so its weights have fewer digits."""
    digits = 1e-3 if type(machine).__name__ == "RVM" else 1e-6
    np.testing.assert_allclose(found, expected, atol=digits * np.abs(expected).max())


def test_every_machine_has_an_instance():
    require_instances("machine", MACHINES.values(), "MACHINES")
    likelihoods = [machine.likelihood for machine in MACHINES.values() if isinstance(machine, EP)]
    require_instances("likelihood", likelihoods, "MACHINES")
    undefined = {type(machine).__name__ for machine in MACHINES.values()} - {cls.__name__ for cls in DEFINITIONS}
    assert not undefined, f"say in tests/contracts/optimality.py what {', '.join(undefined)} solves."


@every_machine
@pytest.mark.parametrize("weighted", [False, True], ids=["weights of 1", "whole weights"])
def test_the_solution_is_that_of_the_definition(machine, weighted):
    gram, targets, weights = problem(machine)
    weights = weights if weighted else np.ones(len(gram))
    distance, allowed = DEFINITIONS[type(machine)]
    state = machine.fit(gram, targets, CONSTANT, weights)
    assert distance(machine, state, gram, targets, CONSTANT, weights) < allowed


@every_machine
def test_the_order_of_the_rows_does_not_matter(machine):
    gram, targets, weights = problem(machine)
    order = np.random.default_rng(5).permutation(len(gram))
    shuffled = decisions(machine, gram[np.ix_(order, order)], targets[order], weights[order])
    close(shuffled, decisions(machine, gram, targets, weights)[order], machine)


@every_machine
def test_a_row_twice_is_a_row_of_twice_the_weight(machine):
    gram, targets, _ = problem(machine)
    rows = np.concatenate([np.arange(len(gram)), [3, 7]])
    weights = np.bincount(rows).astype(float)
    repeated = decisions(machine, gram[np.ix_(rows, rows)], targets[rows], np.ones(len(rows)), slice(len(gram)))
    close(repeated, decisions(machine, gram, targets, weights), machine)


@every_machine
def test_columns_of_targets_are_machines_of_their_own(machine):
    gram, targets, weights = problem(machine)
    both = decisions(machine, gram, np.column_stack([targets, np.roll(targets, 5)]), weights)
    one, other = (decisions(machine, gram, column, weights) for column in (targets, np.roll(targets, 5)))
    close(both, np.column_stack([one, other]), machine)


@over({name: machine for name, machine in MACHINES.items() if machine.warm_starts})
def test_a_warm_start_changes_nothing_at_the_end(machine):
    gram, targets, weights = problem(machine)
    near = machine.fit(gram**1.1, targets, 1.1 * CONSTANT, weights)
    close(decisions(machine, gram, targets, weights, warm=near), decisions(machine, gram, targets, weights), machine)


@over({name: machine for name, machine in MACHINES.items() if machine.differentiable})
def test_coefficients_are_differentiated(machine, rng):
    gram, targets, weights = problem(machine)
    cotangent = rng.normal(size=targets.shape)

    def total(K, constant=CONSTANT):
        return float(np.sum(cotangent * machine.fit(0.5 * (K + K.T), targets, constant, weights).dual_coef))

    by_gram, by_constant = machine.coefficient_pullback(
        machine.fit(gram, targets, CONSTANT, weights), weights, cotangent
    )
    np.testing.assert_allclose(by_gram, gradient(total, gram), rtol=1e-5, atol=1e-7)
    assert by_constant == pytest.approx(float(gradient(lambda c: total(gram, float(c)), np.array(CONSTANT))), rel=1e-5)


@every_machine
def test_a_fit_changes_nothing_that_it_is_given(machine):
    gram, targets, weights = problem(machine)
    for array in (given := [gram.copy(), targets.copy(), weights.copy()]):
        array.flags.writeable = False
    machine.fit(given[0], given[1], CONSTANT, given[2])
