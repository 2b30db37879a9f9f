"""Which columns matter: what was made of one column (one-hot inputs, marks of missing cells) is summed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.facts.held_out import HeldOutRelevance
from kernelect.facts.names import plain_name, told_apart
from kernelect.facts.numbers import percent
from kernelect.facts.record import HeldOutFacts, InputShare, RelevanceFacts, ShareFacts
from kernelect.facts.sources import column_labels, column_names, input_names, input_sources, machine_of
from kernelect.typing import Array

#: Share of the relevance that the "carrying" columns have together.
_CARRIED = 0.9


@dataclass(frozen=True, kw_only=True)
class Relevance:
    """Relevance of columns, the largest first; the shares of all columns sum to 1.

    Attributes
    ----------
    names : tuple of str
    relevance : ndarray of shape (n_names,)
    n_inputs : int
        More than there are names where the least relevant were put together.
    """

    names: tuple[str, ...]
    relevance: Array
    n_inputs: int

    @classmethod
    def from_values(cls, relevance: Any, names: Any = None) -> Self:
        """Return the record, sorted."""
        relevance = np.asarray(relevance, dtype=float)
        words = [f"x{j}" for j in range(len(relevance))] if names is None else [plain_name(name) for name in names]
        order = ranked(relevance)
        return cls(names=tuple(words[j] for j in order), relevance=relevance[order], n_inputs=len(relevance))

    @classmethod
    def from_estimator(cls, estimator: Any) -> Self:
        """Return the record of a fitted estimator or pipeline; a pipeline's by columns of its table."""
        columns, relevance = relevance_by_column(estimator)
        return cls.from_values(relevance, columns)

    def gathered(self, most: int) -> Self:
        """Return the record of the ``most`` relevant columns and one entry for all others."""
        if len(self.names) <= most + 1:
            return self
        rest = f"{len(self.names) - most} others together"
        relevance = np.append(self.relevance[:most], self.relevance[most:].sum())
        return type(self)(names=(*self.names[:most], rest), relevance=relevance, n_inputs=self.n_inputs)


def ranked(relevance: Array) -> list[int]:
    """Return places in the order of relevance, the largest first, the earlier of equals first."""
    return [int(j) for j in np.argsort(-relevance, kind="stable")]


def carrying(relevance: Array) -> list[int]:
    """Return the fewest places that together have nine tenths of the relevance, the largest first."""
    order = ranked(relevance)
    return order[: int(np.searchsorted(np.cumsum(relevance[order]), _CARRIED)) + 1]


def relevance_of(machine: Any) -> Array:
    """Return the relevance of each input, or say why there is none."""
    relevance = relevance_if_known(machine)
    if relevance is None:
        raise MissingCapability(
            f"{type(machine).__name__} has no feature_importances_: a precomputed kernel or a dictionary does not tell "
            "which inputs matter. Use a kernel of the inputs such as 'ard'."
        )
    return relevance


def relevance_if_known(machine: Any) -> Array | None:
    """Return the relevance of each input; None if there is none, as where kernel values are precomputed."""
    relevance = getattr(machine, "feature_importances_", None)  # as scikit-learn asks for it
    return None if relevance is None else np.asarray(relevance, dtype=float)


def relevance_by_column(estimator: Any) -> tuple[list[str], Array]:
    """Return the names of the table's columns, and the relevance of all that was made of each.

    Where a step before the machine mixes columns, the inputs of the machine take their place.
    """
    relevance, sources = relevance_of(machine_of(estimator)), input_sources(estimator)
    if sources is None:
        return input_names(estimator), relevance
    names = column_names(estimator)
    return names, np.asarray(np.bincount(sources, weights=relevance, minlength=len(names)), dtype=float)


def most_relevant(estimator: Any, count: int) -> list[Any]:
    """Return the ``count`` most relevant columns, the first one first: names in a table, places in an array."""
    if input_sources(estimator) is None:
        raise MissingCapability(
            "The steps before the machine mix columns, so that no column has a relevance of its own: name the column."
        )
    labels = column_labels(estimator)
    return [labels[j] for j in ranked(relevance_by_column(estimator)[1])[:count]]


def most_important(estimator: Any, count: int, held_out: HeldOutRelevance | None) -> list[Any]:
    """Return the ``count`` columns that predictions of rows held out lose most without, the first one first.

    Where no rows were held out, the most relevant ones inside the model.
    """
    if held_out is None:
        return most_relevant(estimator, count)
    labels = column_labels(estimator)
    known = dict(zip(told_apart([plain_name(label) for label in labels]), labels, strict=True))
    return [known[name] for name in held_out.names if name in known][:count]


def describe_relevance(estimator: Any) -> RelevanceFacts | None:
    """Return the relevance of every column, and how few of them carry nine tenths; None if it is not known."""
    try:
        columns, relevance = relevance_by_column(estimator)
    except MissingCapability:
        return None
    order = ranked(relevance)
    names, parts = told_apart(columns), _inputs_by_column(estimator)
    return RelevanceFacts(
        columns=len(order),
        carrying=len(carrying(relevance)),
        shares=[
            ShareFacts(name=names[j], share=float(relevance[j]), words=percent(relevance[j]), inputs=parts.get(j, []))
            for j in order
        ],
    )


def _inputs_by_column(estimator: Any) -> dict[int, list[InputShare]]:
    """Return the inputs of each column that more than one was made of."""
    sources = input_sources(estimator)
    if sources is None:
        return {}
    relevance, names = relevance_of(machine_of(estimator)), input_names(estimator)
    several = np.flatnonzero(np.bincount(sources) > 1)
    return {
        int(column): [
            InputShare(name=names[j], share=float(relevance[j]), words=percent(relevance[j]))
            for j in np.flatnonzero(sources == column)
        ]
        for column in several
    }


def by_importance(relevance: RelevanceFacts) -> list[tuple[ShareFacts, HeldOutFacts | None]]:
    """Return the columns, each with what shuffling it costs on rows held out, the dearest first.

    Where that is not known, they are in the order of their shares inside the model, which favour columns of many
    levels.
    """
    shares = {one["name"]: one for one in relevance["shares"]}
    held_out = [one for one in relevance.get("held_out", []) if one["name"] in shares]
    named = {one["name"] for one in held_out}
    return [(shares[one["name"]], one) for one in held_out] + [
        (one, None) for one in relevance["shares"] if one["name"] not in named
    ]
