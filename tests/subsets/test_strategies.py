"""Whole searches against searches that recompute everything by dense matrices."""

import numpy as np
import pytest

from kernelect import subsets
from kernelect.dictionaries import DesignMatrix
from kernelect.exceptions import InvalidArgument
from kernelect.numerics import Deadline
from kernelect.results import Status
from kernelect.subsets import (
    ABF,
    OLS,
    PTA,
    SFFS,
    MacKayEvidence,
    MarginalLikelihood,
    Oscillating,
    QuadratureEvidence,
    SubsetRows,
    Walk,
    WalkOptions,
    gathered_moments,
    search_subset,
)
from kernelect.subsets.holdout import Holdout
from kernelect.subsets.reestimation import Precisions
from oracles import basis as slow
from speeds import slowly


def moments_of(D, T):
    return gathered_moments(DesignMatrix().build(D), SubsetRows(X=D, T=T, weights=np.ones(len(D)), intercept=False))


def problem(seed, M=9, k=1):
    """Correlated columns, so that forward selection makes mistakes that removals mend."""
    rng = np.random.default_rng(seed)
    D = rng.normal(size=(30, M)) + 1.5 * rng.normal(size=(30, 1))
    coef = np.where(rng.uniform(size=(M, 1)) < 0.5, 0.0, rng.normal(size=(M, k)))
    return D, D @ coef + 0.7 * rng.normal(size=(30, k))


def sequence(outcome):
    return list(zip(outcome.trace.action.tolist(), outcome.trace.function.tolist(), strict=True))


SLOW_VALUES = {
    MarginalLikelihood: slow.marginal_likelihood,
    QuadratureEvidence: lambda Phi, T: slow.evidence_by_grid(Phi, T, 801),
}

STRATEGIES = [
    pytest.param(PTA(1, 0), lambda walk: slow.pta(walk, 1, 0, 4), id="forward"),
    pytest.param(PTA(2, 1), lambda walk: slow.pta(walk, 2, 1, 4), id="pta21"),
    pytest.param(PTA(3, 2), lambda walk: slow.pta(walk, 3, 2, 4), id="pta32"),
    pytest.param(PTA(0, 1), lambda walk: slow.backward(walk, 4), id="backward"),
    pytest.param(SFFS(), lambda walk: slow.sffs(walk, 4), id="sffs"),
    pytest.param(Oscillating(2), lambda walk: slow.oscillating(walk, 2, 4), id="oscillating"),
]


@pytest.mark.parametrize("seed", [0, *slowly(1, 2)])
@pytest.mark.parametrize("criterion", [MarginalLikelihood, QuadratureEvidence])
@pytest.mark.parametrize(("strategy", "slow_strategy"), STRATEGIES)
def test_the_sequence_of_moves_is_that_of_exhaustive_recomputation(strategy, slow_strategy, criterion, seed):
    D, T = problem(seed)
    options = WalkOptions(criterion=criterion(), patience=4, slack=0.0)
    outcome = search_subset(moments_of(D, T), strategy, options)
    walk = slow.SlowWalk(D, T, SLOW_VALUES[criterion])
    chosen = slow_strategy(walk)
    assert sequence(outcome) == walk.sequence
    assert outcome.chosen.functions == chosen
    for model in outcome.best_per_size:
        value, functions = walk.best_of_size[len(model)]
        assert model.functions == functions
        assert -model.value == pytest.approx(value, abs=2e-5)


@pytest.mark.parametrize("epsilon", [0.1, 1e-6])
@pytest.mark.parametrize(("strategy", "slow_strategy"), [STRATEGIES[1], STRATEGIES[4]])
def test_the_papers_own_steps_are_those_of_its_equations(strategy, slow_strategy, epsilon):
    """Ranked by equation 8 and re-estimated up to equation 5, from the paper's first alpha and beta."""
    D, T = problem(3)
    options = WalkOptions(criterion=MacKayEvidence(), patience=4, ranking="evidence", epsilon=epsilon)
    outcome = search_subset(moments_of(D, T), strategy, options)
    walk = slow.PaperWalk(D, T, epsilon)
    chosen = slow_strategy(walk)
    assert sequence(outcome) == walk.sequence
    assert outcome.chosen.functions == chosen
    assert -outcome.chosen.value == pytest.approx(walk.best[0], abs=1e-6)


def test_alpha_and_beta_stop_where_the_papers_rule_stops_them():
    D, T = problem(4)
    moments, chosen = moments_of(D, T), np.array([1, 4, 6])
    first = Precisions.first(moments)
    ends = []
    for epsilon in (0.3, 0.1, 1e-5):
        found, scored = first.settled(moments, chosen, epsilon)
        alpha, beta = slow.reestimated(D[:, chosen], T[:, 0], first.alpha, first.beta, epsilon)
        assert (found.alpha, found.beta) == pytest.approx((alpha, beta), rel=1e-8)
        assert scored.value == pytest.approx(slow.mackay_at(D[:, chosen], T[:, 0], alpha, beta), abs=1e-8)
        ends.append(found.alpha)
    assert len(set(ends)) == 3  # a subset has no value of its own


def test_backward_elimination_keeps_to_the_largest_size_allowed(rng):
    D, T = rng.normal(size=(40, 12)), rng.normal(size=(40, 1))
    T = T + 3.0 * D @ np.ones((12, 1))  # all functions are needed
    free = search_subset(moments_of(D, T), PTA(0, 1))
    assert len(free.chosen) == 12
    assert len(search_subset(moments_of(D, T), PTA(0, 1), WalkOptions(max_size=5, patience=2)).chosen) <= 5


def test_several_outputs_share_one_sequence():
    D, T = problem(11, k=2)
    options = WalkOptions(criterion=MarginalLikelihood(), patience=4, slack=0.0)
    walk = slow.SlowWalk(D, T, slow.marginal_likelihood)
    j = int(np.argmax(Walk(moments_of(D, T), options).factored.addition_gains()))
    walk.best_addition = lambda first=walk.best_addition: first() if walk.chosen else j
    slow.pta(walk, 2, 1, 4)
    assert sequence(search_subset(moments_of(D, T), PTA(2, 1), options)) == walk.sequence


@pytest.mark.parametrize("seed", range(3))
def test_floating_search_often_finds_the_best_of_all_subsets_and_never_beats_it(seed):
    D, T = problem(seed, M=7)
    value = SLOW_VALUES[QuadratureEvidence]
    best = value(D[:, list(slow.best_subset(D, T, value))], T)
    found = -search_subset(moments_of(D, T), SFFS()).chosen.value
    assert found <= best + 1e-5
    assert found > best - 1.5


def test_better_searches_have_at_least_the_evidence_of_forward_selection(rng):
    D = rng.normal(size=(60, 25)) + rng.normal(size=(60, 1))
    T = D[:, :5] @ rng.normal(size=(5, 1)) + rng.normal(size=(60, 1))
    moments = moments_of(D, T)
    forward = search_subset(moments, PTA(1, 0)).chosen
    assert search_subset(moments, Oscillating(3)).chosen.value <= forward.value + 1e-9
    assert len(search_subset(moments, Oscillating(3)).chosen) == len(forward)


def test_no_subset_is_visited_twice_in_a_row_by_floating_search(rng):
    """The trap of half-converged lambda: a subset that beats itself."""
    D = rng.normal(size=(80, 20)) + 2.0 * rng.normal(size=(80, 1))
    T = D[:, :6] @ rng.normal(size=(6, 1)) + rng.normal(size=(80, 1))
    outcome = search_subset(moments_of(D, T), SFFS())
    current, removals_to = set(), []
    for action, function in sequence(outcome):
        current = current ^ {function}
        if action == "remove":
            removals_to.append(frozenset(current))
    assert len(removals_to) == len(set(removals_to))


def test_slack_in_lambda_costs_little(rng):
    D = rng.normal(size=(60, 25)) + rng.normal(size=(60, 1))
    T = D[:, :5] @ rng.normal(size=(5, 1)) + rng.normal(size=(60, 1))
    exact = search_subset(moments_of(D, T), PTA(1, 0), WalkOptions(slack=0.0)).chosen
    lazy = search_subset(moments_of(D, T), PTA(1, 0), WalkOptions(slack=0.3)).chosen
    assert lazy.value == pytest.approx(exact.value, abs=0.5)


def test_patience_ends_the_search_and_max_size_bounds_it(rng):
    D, T = rng.normal(size=(100, 60)), rng.normal(size=(100, 1))
    short = search_subset(moments_of(D, T), PTA(1, 0), WalkOptions(patience=3))
    assert short.trace.size[-1] == len(short.chosen) + 4
    bounded = search_subset(moments_of(D, T), PTA(1, 0), WalkOptions(max_size=2))
    assert bounded.trace.size.max() == 2


def test_the_null_model_wins_on_noise():
    wins = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        outcome = search_subset(moments_of(rng.normal(size=(50, 3)), rng.normal(size=(50, 1))), PTA(1, 0))
        wins += len(outcome.chosen) == 0
    assert wins >= 3


def test_a_time_limit_ends_with_the_best_so_far(rng):
    D, T = rng.normal(size=(100, 60)), rng.normal(size=(100, 1))
    outcome = search_subset(moments_of(D, T), SFFS(), WalkOptions(deadline=Deadline.after(0.0)))
    assert outcome.status is Status.TIME_LIMIT
    assert len(outcome.trace) == 1


def test_all_functions_are_all(rng):
    D = rng.normal(size=(40, 6))
    assert search_subset(moments_of(D, D @ rng.normal(size=(6, 1))), ABF()).chosen.functions == tuple(range(6))


def test_ols_with_evidence_follows_the_training_error(rng):
    D = rng.normal(size=(40, 8)) + rng.normal(size=(40, 1))
    T = D @ rng.normal(size=(8, 1)) + 0.1 * rng.normal(size=(40, 1))
    outcome = search_subset(moments_of(D, T), OLS(stop="evidence"))
    chosen = []
    for _, function in sequence(outcome):
        rest = [j for j in range(8) if j not in chosen]

        def error(j, so_far=tuple(chosen)):
            Phi = D[:, [*so_far, j]]
            return np.sum((T - Phi @ np.linalg.lstsq(Phi, T, rcond=None)[0]) ** 2)

        assert function == min(rest, key=error)
        chosen.append(function)


def test_ols_with_validation_cuts_the_path_where_the_error_aside_is_smallest(rng):
    D = rng.normal(size=(60, 12)) + rng.normal(size=(60, 1))
    T = D[:, :4] @ rng.normal(size=(4, 1)) + rng.normal(size=(60, 1))
    sample = SubsetRows(X=D, T=T, weights=np.ones(60), intercept=False)
    holdout = Holdout.split(DesignMatrix().build(D), sample, 0.4, np.random.default_rng(5))
    aside = np.random.default_rng(5).permutation(60)[:24]
    rest = np.setdiff1d(np.arange(60), aside)
    path, errors = [], [np.mean(T[aside] ** 2)]
    for _ in range(12):
        fits = {j: least_squares(D[rest][:, [*path, j]], T[rest]) for j in range(12) if j not in path}
        path.append(min(fits, key=lambda j: fits[j][1]))
        errors.append(np.mean((T[aside] - D[aside][:, path] @ fits[path[-1]][0]) ** 2))
    found = search_subset(moments_of(D, T), OLS(), holdout=holdout).chosen.functions
    assert set(found) == set(path[: int(np.argmin(errors))])
    assert 0 < len(found) < 12


def least_squares(Phi, T):
    coef = np.linalg.lstsq(Phi, T, rcond=None)[0]
    return coef, np.sum((T - Phi @ coef) ** 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PTA(1, 1), "never grows or shrinks: give l larger than r"),
        (lambda: PTA(1.5, 0), "l=1.5 must be"),
        (lambda: PTA(2, -1), "r=-1 must be"),
        (lambda: Oscillating(0), "c=0 must be"),
        (lambda: OLS(stop="luck"), "stop='luck' is not known"),
        (lambda: OLS(share=1.0), "share=1.0 must be"),
        (lambda: subsets.STRATEGIES.resolve("fowards"), "Did you mean 'forward'"),
        (lambda: subsets.STRATEGIES.resolve(3), "strategy=3 is not known"),
    ],
)
def test_bad_strategies_are_named(make, message):
    with pytest.raises(InvalidArgument, match=message):
        make()
