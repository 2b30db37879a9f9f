"""The model: what ``fit`` ends in, as one record that everything else reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy.special import logsumexp

from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.inputs.coding import Coding
from kernelect.inputs.frame import as_array, as_frame
from kernelect.model.component import Component
from kernelect.model.decisions import Decision
from kernelect.model.heads import LabelHead, NumberHead, mixed
from kernelect.model.links import Link
from kernelect.model.parts import KernelPart
from kernelect.model.scales import TimeScale
from kernelect.model.spreads import Jackknife, Spread, check_coverage, jackknife_ends, jackknife_reach
from kernelect.typing import Array, Indices

#: New rows whose intervals are found at a time, and numbers that n machines may predict for them.
_BLOCK, _BLOCK_NUMBERS = 500, 1 << 23


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainingRows:
    """What a model keeps of the rows it was fitted on, beyond what predictions need.

    Attributes
    ----------
    numbers : ndarray of shape (n,)
        Which of the rows that ``fit`` was given these are.
    targets : ndarray of shape (n,) or (n, k)
        Places of classes, or numbers on the scale on which they are modelled.
    weights : ndarray of shape (n,)
        0 for rows that had no say.
    left_out : ndarray of shape (n, n_answers)
        What the model answers for every row when it is left out: probabilities, or numbers on the scale.
    groups : ndarray of shape (n,) or None
        The group with which each row leaves.
    """

    numbers: Indices
    targets: Array | Indices
    weights: Array
    left_out: Array
    groups: Indices | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Model:
    """A fitted model as plain arrays and words.

    Rows pass through the coding of columns and the view of each component; components add up their parts, and the head
    makes the answer of theirs. Explanations, exports, smaller models, reports and the model file read this record and
    nothing else.

    Attributes
    ----------
    components : tuple of Component
    head : LabelHead or NumberHead
    n_columns : int
    names : tuple of str or None
        Names of the columns, if they had any.
    coding : Coding or None
        How columns become inputs; None if they are inputs already.
    training : TrainingRows or None
        What is kept of the training rows: leave-one-out values, targets and weights.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelect import LSSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LSSVC("rbf").fit(X, y).model_
    >>> [type(part).__name__ for part in model.components[0].parts]
    ['KernelPart']
    >>> bool((model.predict(X) == y).mean() > 0.95)
    True
    """

    components: tuple[Component, ...]
    head: LabelHead | NumberHead
    n_columns: int
    names: tuple[str, ...] | None = None
    coding: Coding | None = None
    training: TrainingRows | None = field(default=None, repr=False)

    # What a model is.

    @property
    def is_classifier(self) -> bool:
        """Whether it predicts labels."""
        return isinstance(self.head, LabelHead)

    @property
    def labels(self) -> LabelHead:
        """The head of a model of labels, an error for a model of numbers."""
        if not isinstance(self.head, LabelHead):
            raise MissingCapability("This model predicts numbers and has no class probabilities: use predict.")
        return self.head

    @property
    def numbers(self) -> NumberHead:
        """The head of a model of numbers, an error for a model of labels."""
        if not isinstance(self.head, NumberHead):
            raise MissingCapability("This model predicts labels and has no intervals: use predict_proba.")
        return self.head

    @property
    def n_inputs(self) -> int:
        """Number of inputs that columns become."""
        return self.n_columns if self.coding is None else len(self.coding)

    @property
    def is_precomputed(self) -> bool:
        """Whether its inputs are kernel values."""
        return any(isinstance(part, KernelPart) and part.is_precomputed for c in self.components for part in c.parts)

    @property
    def jackknife(self) -> Jackknife | None:
        """The rows that intervals are made of; None if a component does not leave rows out."""
        spreads = [component.spread for component in self.components]
        return spreads[0] if all(isinstance(each, Jackknife) for each in spreads) else None  # type: ignore[return-value]

    # Rows as they are given.

    def inputs(self, X: Any) -> Array:
        """Return the inputs (m, d) of rows as the model takes them: an array, or a table with its columns."""
        if self.coding is not None:
            return self.coding(as_frame(X))
        values = as_array(X)
        if values.ndim != 2 or values.shape[1] != self.n_columns:
            raise InvalidArgument(f"X has shape {values.shape}, and the model takes rows of {self.n_columns} columns.")
        return values

    def predict(self, X: Any) -> Any:
        """Return labels, or numbers in the target's own unit; medians of times until an event, not risks."""
        Z = self.inputs(X)
        return self.chosen(Z) if self.is_classifier else self.predictions(Z)

    def predict_proba(self, X: Any) -> Array:
        """Return class probabilities (m, n_classes)."""
        return self.probabilities(self.inputs(X))

    def predict_log_proba(self, X: Any) -> Array:
        """Return logarithms (m, n_classes) of class probabilities."""
        return self.log_probabilities(self.inputs(X))

    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[Array, Array]:
        """Return lower and upper ends of prediction intervals."""
        return self.intervals(self.inputs(X), coverage)

    # Inputs.

    def answers(self, Z: Array) -> list[Array]:
        """Return what every component answers at inputs: probabilities, or numbers on the scale."""
        return [component.answers(component.view(Z)) for component in self.components]

    def decisions(self, Z: Array) -> Array:
        """Return decision values (m, k) of labels."""
        return self.labels.decisions([component.decision(component.view(Z)) for component in self.components])

    def probabilities(self, Z: Array) -> Array:
        """Return class probabilities (m, n_classes) at inputs."""
        link = self._link_behind_pool()
        return self.labels.probabilities(self.answers(Z)) if link is None else link.probabilities(self.decisions(Z))

    def log_probabilities(self, Z: Array) -> Array:
        """Return logarithms (m, n_classes) of class probabilities at inputs, from the link: none underflows."""
        link = self._link_behind_pool()
        if link is not None:
            return link.log_probabilities(self.decisions(Z))
        return self.labels.log_probabilities([c.log_answers(c.view(Z)) for c in self.components])

    def log_odds(self, Z: Array) -> Array:
        """Return log-odds at inputs: (m, 1) of the second of two classes, else (m, k) of each against the rest."""
        logs = self.log_probabilities(Z)
        if logs.shape[1] == 2:
            return logs[:, 1:] - logs[:, :1]
        rest = [logsumexp(np.delete(logs, place, axis=1), axis=1) for place in range(logs.shape[1])]
        return logs - np.column_stack(rest)

    def _link_behind_pool(self) -> Link | None:
        """Return the link that follows pooled log-odds; None if probabilities are pooled."""
        pools = self.labels.pool == "log-odds" and len(self.components) > 1
        return self.components[0].link if pools else None

    def chosen(self, Z: Array, shares: Array | None = None) -> Any:
        """Return labels at inputs: the most probable one, unless costs or a threshold decide.

        ``shares`` are the probabilities there, if they are known.
        """
        head = self.labels
        if head.decision is not None or len(self.components) > 1:
            return head.chosen(self.probabilities(Z) if shares is None else shares)
        (component,) = self.components
        V = component.view(Z)
        if component.link is not None and component.link.by_thresholds:
            return head.chosen(component.answers(V))
        if len(component.constant) == 1:  # no link moves the sign
            return head.classes[(component.mean(V)[:, 0] > 0.0).astype(np.intp)]
        return head.classes[np.argmax(component.decision(V), axis=1)]

    def predictions(self, Z: Array) -> Array:
        """Return predicted numbers at inputs."""
        head = self.numbers
        return head.shaped(head.scale.mean(head.on_scale(self.answers(Z))))

    def on_scale(self, Z: Array) -> tuple[Array, Array]:
        """Return mean and deviation (m, k) of new observations on the scale on which the target is modelled."""
        head, answers = self.numbers, self.answers(Z)
        found = [_spread(component).deviation(component, component.view(Z)) for component in self.components]
        deviation = head.deviation(answers, found)
        if head.noise is not None:
            deviation = deviation * head.noise(Z)
        return head.on_scale(answers), deviation

    def deviations(self, Z: Array) -> Array:
        """Return standard deviations of new observations at inputs."""
        return self.predictions_and_deviations(Z)[1]

    def predictions_and_deviations(self, Z: Array) -> tuple[Array, Array]:
        """Return predicted numbers, and standard deviations of new observations, at inputs."""
        head, (mean, deviation) = self.numbers, self.on_scale(Z)
        return head.shaped(head.scale.mean(mean)), head.shaped(head.scale.deviation(mean, deviation))

    def covariances(self, Z: Array) -> Array:
        """Return covariances of new observations at inputs: (m, m), or (m, m, k) for several targets."""
        head = self.numbers
        if len(self.components) > 1 or head.noise is not None or not head.scale.is_identity:
            raise MissingCapability(
                "This model mixes several machines, so that its predictions have no joint posterior: use "
                "return_std=True, predict_interval, or one machine such as LSSVR."
            )
        (component,) = self.components
        found = _spread(component).covariance(component, component.view(Z))
        return found[..., 0] if head.single else found

    def draws(self, Z: Array, count: int, generator: np.random.RandomState) -> Array:
        """Return observations drawn from the posterior at inputs: (m, count), or (m, k, count)."""
        means, covariances = self.predictions(Z), self.covariances(Z)
        if self.numbers.single:
            return np.asarray(generator.multivariate_normal(means, covariances, count).T, dtype=float)
        outputs = range(means.shape[1])
        each = [generator.multivariate_normal(means[:, k], covariances[..., k], count).T for k in outputs]
        return np.stack(each, axis=1)

    @property
    def is_of_times(self) -> bool:
        """Whether it predicts times until an event."""
        return isinstance(self.head, NumberHead) and isinstance(self.head.scale, TimeScale)

    def survival(self, Z: Array, times: Array) -> Array:
        """Return the probabilities (m, n_times) that the event of inputs comes later than each of the times."""
        head = self.numbers
        return head.survival(*self.on_scale(Z), head.scale.forward(times))

    def intervals(self, Z: Array, coverage: float) -> tuple[Array, Array]:
        """Return lower and upper ends of intervals: jackknife+ without refits, or normal ones."""
        check_coverage(coverage)
        head = self.numbers
        if self.jackknife is None:
            mean, deviation = self.on_scale(Z)
            tails = 0.5 - 0.5 * coverage, 0.5 + 0.5 * coverage
            return head.ends(*(head.quantiles(p, mean, deviation) for p in tails))
        residuals = self.interval_residuals()
        step = max(1, min(_BLOCK, _BLOCK_NUMBERS // max(len(residuals), 1)))
        batches = [np.asarray(Z[first : first + step], dtype=float) for first in range(0, max(len(Z), 1), step)]
        noises = [None if head.noise is None else head.noise(batch) for batch in batches]
        ends = [
            jackknife_ends(without, residuals, coverage, noise)
            for without, noise in zip(self._without(batches), noises, strict=True)
        ]
        return head.ends(*(np.concatenate(each) for each in zip(*ends, strict=True)))

    def _without(self, batches: list[Array]) -> Iterator[Array]:
        """Yield what the model without one of the rows of intervals each predicts for every batch, (n, m, k)."""
        head, machines = self.numbers, self.components
        for found in zip(*(_jackknife(c).without(c, map(c.view, batches)) for c in machines), strict=True):
            yield head.on_scale(found)

    # Rows left out.

    def interval_residuals(self) -> Array:
        """Return leave-one-out residuals (n, k) of the rows of intervals, in units of the spread if it differs."""
        found = [_jackknife(component).residuals for component in self.components]
        residuals = found[0] if len(found) == 1 else mixed(self.numbers.weights, found)
        return residuals if self.numbers.noise is None else residuals / self.noise_behind()

    def noise_behind(self) -> Array:
        """Return the spread (n, 1) at the rows of intervals."""
        assert self.numbers.noise is not None
        return self.numbers.noise.rows[_jackknife(self.components[0]).rows]

    def reach(self, coverage: float) -> Array:
        """Return how far (k,) from a prediction such a share of rows left out lies, in units of the spread."""
        return jackknife_reach(self.interval_residuals(), coverage)

    def left_out_ends(self, left_out: Array, coverage: float) -> tuple[Array, Array]:
        """Return ends of intervals around predictions (n, k) on the scale of all training rows left out."""
        reach = np.tile(self.reach(coverage), (len(left_out), 1))
        if self.numbers.noise is not None:
            reach[_jackknife(self.components[0]).rows] *= self.noise_behind()  # of rows of positive weight
        return self.numbers.ends(left_out - reach, left_out + reach)

    # Other models.

    def with_decision(self, decision: Decision | None) -> Self:
        """Return the model with another way from probabilities to classes."""
        return replace(self, head=replace(self.labels, decision=decision))

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the model to a file, which :func:`kernelect.load` reads.

        Only its owner may read a new file, since a model holds training rows; a file that is replaced keeps its
        permissions.

        Parameters
        ----------
        path : str or Path
            Such as ``"model.kernelect"``.
        force : bool
            Whether a file of that name may be replaced.
        """
        from kernelect.model.saving import save

        save(self, path, force=force)

    def lean(self) -> Self:
        """Return the model with what predictions need, and nothing else."""
        return replace(self, components=tuple(component.lean() for component in self.components), training=None)


def _spread(component: Component) -> Spread:
    if component.spread is None:
        raise MissingCapability("The model has no standard deviations: it keeps nothing of its training rows.")
    return component.spread


def _jackknife(component: Component) -> Jackknife:
    spread = _spread(component)
    assert isinstance(spread, Jackknife)
    return spread
