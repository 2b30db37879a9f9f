"""What a mixture is made of: its candidates, their weights, and what the best one alone would lose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.estimators import ESTIMATORS
from kernelect.exceptions import MissingCapability
from kernelect.facts.names import in_options, plain_name, with_input_names
from kernelect.facts.numbers import NOT_KNOWN, counted, duration, percent, with_error
from kernelect.facts.record import CandidateFacts, LossFacts, MachineFacts, MixtureFacts
from kernelect.facts.sources import input_names, machine_of
from kernelect.mixture import Door
from kernelect.typing import Array


@dataclass(frozen=True, kw_only=True)
class Weights:
    """Weights of the candidates of a mixture, the heaviest first; they sum to 1.

    Attributes
    ----------
    names : tuple of str
    weight : ndarray of shape (n_candidates,)
    """

    names: tuple[str, ...]
    weight: Array

    @classmethod
    def from_estimator(cls, estimator: Any) -> Self:
        """Return the record of a fitted mixture, or of a pipeline around one; candidates without a fit are left out."""
        found = _mixture_of(estimator).candidates_
        order = [place for place in found.order() if found.weight[place] > 0.0]
        return cls(names=tuple(found.candidate[place].words for place in order), weight=found.weight[order])


def describe_mixture(estimator: Any, y: Any, weights: Array | None = None) -> MixtureFacts:
    """Return the candidates, the heaviest first, and what the best of them alone would lose.

    Parameters
    ----------
    estimator : fitted mixture, or a pipeline around one
    y : array-like of shape (n,)
        What it was fitted on.
    weights : ndarray of shape (n,), optional
        Weights of the rows.
    """
    mixture = _mixture_of(estimator)
    candidates = [_candidate(mixture, int(place)) for place in mixture.candidates_.order()]
    return MixtureFacts(
        effort=mixture.effort_in_words,
        score=mixture.loss_name,
        candidates=candidates,
        loss=_loss(mixture, np.asarray(y), mixture.loss_name, weights),
    )


def describe_machine_of_mixture(estimator: Any, facts: MixtureFacts) -> MachineFacts:
    """Return name, candidates in a sentence, size and the end of the search."""
    mixture = _mixture_of(estimator)
    fitted = [one for one in facts["candidates"] if one["score"] is not None]
    seconds = float(mixture.candidates_.seconds.sum())
    evaluations = sum(member.n_evaluations for member in mixture.members)
    status, size = _status(mixture), mixture.model_size().count
    rows = counted(size // len(mixture.members), "row")
    name = ESTIMATORS.words_of(type(mixture))
    heaviest = f"the heaviest ({fitted[0]['name']}) has {fitted[0]['weight_words']} of the weight"
    return {
        "class": type(mixture).__name__,
        "name": name[0].upper() + name[1:],
        "kernel": " and ".join(dict.fromkeys(one["kernel"] for one in fitted)),
        "criterion": "leave-one-out",
        "criterion_in_words": f"the leave-one-out {facts['score']} of every candidate",
        "prior": "each candidate's own",
        "sentence": f"A {name}: {counted(len(fitted), 'candidate')}, weighted by their leave-one-out {facts['score']}; "
        f"{heaviest}.",
        "search": f"{counted(evaluations, 'evaluation')} in {duration(seconds)}; {status}.",
        "size": f"all {rows}, in {counted(len(mixture.members), 'machine')}",
        "vectors": size,
        "status": status,
        "outcome": mixture.members[0].outcome.name,
        "converged": not mixture.doubt(),
        "value": facts["loss"]["mixture"],
        "evaluations": evaluations,
        "seconds": seconds,
        "parameters": [],
        "parameters_not_listed": 0,
    }


def inputs_of_machine(estimator: Any) -> list[str]:
    """Return the names of the inputs that hyper-parameters count; a mixture makes them of its columns itself."""
    machine = machine_of(estimator)
    return _coded(machine) if isinstance(machine, Door) else input_names(estimator)


def _coded(mixture: Door) -> list[str]:
    return [plain_name(name) for name in mixture.coding.names]


def _mixture_of(estimator: Any) -> Door:
    machine = machine_of(estimator)
    if not isinstance(machine, Door):
        raise MissingCapability(
            f"{type(machine).__name__} is one machine and has no candidates: use KernelClassifier, KernelRegressor, "
            "KernelSurvival or KernelOrdinal."
        )
    return machine


def _status(mixture: Door) -> str:
    """Return how the search ended, as the end of a sentence that begins with "it"."""
    candidates, missing = len(mixture.candidates_), mixture.n_without_time
    if missing:
        return f"ran out of time after {candidates - missing} of {candidates} candidates"
    leader = mixture.members[0]
    if not leader.outcome.trustworthy:
        ended = in_options(with_input_names(leader.ending, _coded(mixture)))
        return f"stopped early in one candidate ({leader.candidate.words}), which {ended}"
    doubt = in_options(with_input_names(mixture.doubt(), _coded(mixture)))
    return f"stopped early: {doubt}" if doubt else "fitted all candidates"


def _candidate(mixture: Door, place: int) -> CandidateFacts:
    found = mixture.candidates_
    candidate, weight = found.candidate[place], float(found.weight[place])
    score, error = float(found.score[place]), float(found.standard_error[place])
    fitted = bool(np.isfinite(score))
    return CandidateFacts(
        name=candidate.words,
        view=candidate.view,
        kernel=candidate.kernel_in_words,
        machine=candidate.machine,
        score=score if fitted else None,
        standard_error=error if fitted else None,
        words=with_error(score, error) if fitted else NOT_KNOWN,
        weight=weight,
        weight_words=percent(weight) if fitted else NOT_KNOWN,
        seconds=float(found.seconds[place]),
        tried=bool(found.tried[place]),
        status=in_options(with_input_names(found.status[place], _coded(mixture))),
    )


def _loss(mixture: Door, y: Any, score: str, weights: Array | None) -> LossFacts:
    """Return how much worse the best single candidate is on rows left out, row by row."""
    weights = np.ones(len(y)) if weights is None else weights
    mixed, alone = mixture.left_out_losses(y)
    place = int(np.argmin([float(np.average(losses, weights=weights)) for losses in alone]))
    best, paired = mixture.members[place].candidate.words, alone[place] - mixed
    value = float(np.average(paired, weights=weights))
    error = float(np.sqrt(np.sum((weights * (paired - value)) ** 2)) / weights.sum())
    own = float(np.average(mixed, weights=weights))
    return LossFacts(
        best=best,
        mixture=own,
        value=value,
        standard_error=error,
        sentence=_on_best(best, score, own, value, error)
        if len(alone) > 1
        else f"There is one candidate ({best}), with a leave-one-out {score} of {with_error(own, None)}.",
    )


def _on_best(name: str, score: str, own: float, value: float, error: float) -> str:
    theirs, ours = with_error(own + value, None), with_error(own, None)
    beginning = (
        f"The leave-one-out {score} of the mixture is {ours}, that of the best single candidate ({name}) {theirs}"
    )
    if value > 0.0:
        return f"{beginning}: the candidate alone is worse by {with_error(value, error)}."
    return (
        f"{beginning}: on these rows, the candidate alone does as well. It does not get all the weight, because "
        "leave-one-out flatters the candidate that looks best."
    )
