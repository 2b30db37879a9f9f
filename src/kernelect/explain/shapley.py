"""The front door: Shapley values of a fitted model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument, MissingCapability, unknown_name
from kernelect.explain.exact import KEPT, Prepared, exact_interactions, exact_values
from kernelect.explain.expansion import Expansion, expansion_of
from kernelect.explain.permutation import permutation_values
from kernelect.explain.record import Explanation
from kernelect.explain.summands import Summand
from kernelect.kernels.scale import spread_rows
from kernelect.typing import Array

ABSENT = ("marginals", "interventional", "neutral")
METHODS = ("auto", "exact", "permutation")

#: Background rows of interventional values, whose cost grows with them, if none are given.
_FEW_ROWS = 100

#: Share of a prediction from which a difference counts.
_VISIBLE = 1e-6

#: Explained rows that may stand in for training rows that a sparse model did not keep.
ENOUGH_ROWS = 20


def shapley_values(
    model: Any,
    X: Any,
    background: Any = None,
    interactions: bool = False,
    *,
    absent: str = "marginals",
    method: str = "auto",
    n_permutations: int = 100,
    random_state: int = 0,
) -> Explanation:
    """Return the Shapley values of every column for every row.

    A column's value is its share in f(x) - base, averaged over all orders in which the columns can become known.
    For kernels that are sums of products over inputs the values are exact, by quadrature, at a cost of at most
    O(n_vectors n_columns^2) a row.

    Parameters
    ----------
    model : estimator, Pipeline or TableModel
        A fitted estimator of this library, a pipeline that ends in one, or a table model. All inputs that a
        pipeline made of one column (one-hot, missing or not) are one player.
    X : array-like or DataFrame of shape (n_rows, n_columns)
        Rows to explain, as the model takes them.
    background : array-like or DataFrame, optional
        Rows from which unknown columns are filled in; by default the training rows. A sparse model keeps only some of
        those. For it the default is the rows of ``X``, if there are at least 20.
    interactions : bool, default=False
        Whether to compute the interaction of every pair of columns too, at n_columns / 2 times the cost.
    absent : "marginals", "interventional" or "neutral", default="marginals"
        What stands in for unknown columns. ``"marginals"``: the background's marginal distributions, each column by
        itself. ``"interventional"``: whole background rows, as in shap; this multiplies the cost by their number, by
        default 100 spread over the training rows. ``"neutral"``: nothing at all; the kernel's factor is 1, the share
        in an inner product 0, and functions of the column are left out.
    method : "auto", "exact" or "permutation", default="auto"
        "auto" is exact if the kernel has such a form; if not, it is the permutation estimate and says so.
    n_permutations : int, default=100
        Rounds of a permutation estimate, two orders each.
    random_state : int, default=0
        For the permutation estimate.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_friedman1
    >>> from kernelect import LSSVR
    >>> from kernelect.explain import shapley_values
    >>> X, y = make_friedman1(100, noise=0.5, random_state=0)
    >>> model = LSSVR("rbf").fit(X, y)
    >>> found = shapley_values(model, X[:5])
    >>> bool(np.allclose(found.base_values + found.values.sum(axis=1), model.predict(X[:5])))
    True
    """
    return Explainer.of(model, background, absent=absent, method=method, spare=X).explain(
        X, interactions, n_permutations=n_permutations, random_state=random_state
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Explainer:
    """A model with its background, prepared once for any number of rows.

    Attributes
    ----------
    expansion : Expansion
    background : list of ndarray or None
        Every part's inputs of the background rows.
    words : str
        What the background is.
    absent : str
    prepared : list of list of Prepared or None, or None
        Every part's summands; None for a part, or all parts, that permutations estimate.
    remarks : tuple of str
    """

    expansion: Expansion
    background: list[Array] | None
    words: str
    absent: str
    prepared: list[list[Prepared] | None] | None
    remarks: tuple[str, ...]

    @classmethod
    def of(
        cls, model: Any, background: Any = None, *, absent: str = "marginals", method: str = "auto", spare: Any = None
    ) -> Explainer:
        """Return the explainer of a model; arguments as in :func:`shapley_values`.

        ``spare`` are rows that may serve as background if none is given and the model kept none.
        """
        if absent not in ABSENT:
            raise unknown_name("absent", absent, list(ABSENT))
        if method not in METHODS:
            raise unknown_name("method", method, list(METHODS))
        expansion = expansion_of(model)
        rows, words = _background(expansion, background, absent, spare, type(model).__name__)
        bare = cls(
            expansion=expansion, background=rows, words=words, absent=absent, prepared=None, remarks=expansion.remarks
        )
        return bare if method == "permutation" else bare._made_exact(method)

    def _made_exact(self, method: str) -> Explainer:
        """Return the explainer with the exact form of all parts that have one: values add up over parts."""
        summands: list[list[Summand] | None] = []
        reasons: dict[str, None] = {}
        for part in self.expansion.parts:
            try:
                summands.append(part.summands())
            except MissingCapability as error:
                if method == "exact":
                    raise
                summands.append(None)
                reasons[str(error).split(", so ")[0]] = None
        whole = all(found is None for found in summands) and bool(summands)
        share = "the values are" if whole else "its share of the values is"
        remarks = [*self.remarks, *(f"{reason}: {share} estimated by permutations." for reason in reasons)]
        if whole:
            return replace(self, remarks=tuple(remarks))
        known = [found for found in summands if found is not None]
        blocks: list[Any] = self.background or [None] * len(summands)
        keep = KEPT // max(1, sum(len(found) for found in known))
        prepared = [
            None
            if found is None
            else [Prepared.of(summand, part.view.owners, rows, self.absent, keep) for summand in found]
            for part, rows, found in zip(self.expansion.parts, blocks, summands, strict=True)
        ]
        return replace(self, prepared=prepared, remarks=tuple(remarks))

    @property
    def is_exact(self) -> bool:
        """Whether nothing is estimated."""
        return self.prepared is not None and all(found is not None for found in self.prepared)

    def explain(
        self, X: Any, interactions: bool = False, *, n_permutations: int = 100, random_state: int = 0
    ) -> Explanation:
        """Return the explanation of rows; arguments as in :func:`shapley_values`."""
        inputs = _checked(self.expansion, X, "X")
        values, base = self._exact(inputs)
        errors = pairs = None
        if not self.is_exact:
            rest, errors, more = self._estimated(inputs, interactions, n_permutations, random_state)
            values, base = values + rest, base + more
        elif interactions:
            pairs = exact_interactions(self._paired(inputs), values)
        decided = self.expansion.decide(inputs)
        gap = float(np.abs(decided - base - values.sum(axis=1)).max(initial=0.0))
        record = self._record(X, values, np.tile(base, (len(values), 1)), errors, pairs, gap)
        return replace(record, remarks=(*record.remarks, *_on_limits(self.expansion, X, decided)))

    def _exact(self, inputs: list[Array]) -> tuple[Array, Array]:
        """Return values and base of the parts that have an exact form, and of the intercept."""
        paired = self._paired(inputs)
        shape = (len(inputs[0]), len(self.expansion.players), len(self.expansion.outputs))
        base = self.expansion.intercept + sum((one.base() for one, _ in paired), np.zeros(1))
        return exact_values(paired, shape), np.asarray(base, dtype=float)

    def _paired(self, inputs: list[Array]) -> list[tuple[Prepared, Array]]:
        prepared = self.prepared or [None] * len(inputs)
        return [(one, rows) for found, rows in zip(prepared, inputs, strict=True) for one in found or ()]

    def _estimated(self, inputs: list[Array], interactions: bool, rounds: int, seed: int) -> tuple[Array, Array, Array]:
        if interactions:
            raise MissingCapability(
                "interactions=True needs an exact form, and these values are estimated by permutations: leave it out, "
                "or use a kernel that is a product over inputs, such as 'ard'."
            )
        if self.background is None:
            raise MissingCapability(
                "absent='neutral' needs an exact form, and these values are estimated by permutations: use "
                "absent='marginals' or 'interventional'."
            )
        if isinstance(rounds, bool) or not isinstance(rounds, int | np.integer) or rounds < 2:
            raise InvalidArgument(f"n_permutations={rounds!r} must be a whole number of at least 2.")
        missing = [found is None for found in self.prepared or [None] * len(inputs)]
        return permutation_values(
            self.expansion.among(missing),
            [rows for rows, each in zip(inputs, missing, strict=True) if each],
            [rows for rows, each in zip(self.background, missing, strict=True) if each],
            marginals=self.absent == "marginals",
            rounds=int(rounds),
            generator=np.random.default_rng(seed),
        )

    def _record(
        self, X: Any, values: Array, base: Array, errors: Array | None, pairs: Array | None, gap: float
    ) -> Explanation:
        single = self.expansion.single

        def shaped(array: Array | None) -> Any:
            return array[..., 0] if single and array is not None else array

        return Explanation(
            values=shaped(values),
            base_values=shaped(base),
            data=_cells(X, self.expansion),
            feature_names=self.expansion.players,
            output_names=self.expansion.outputs,
            explained=self.expansion.explained,
            absent=self.absent,
            background=self.words,
            method="exact" if self.is_exact else "permutation",
            error=gap,
            standard_errors=shaped(errors),
            interactions=shaped(pairs),
            remarks=self.remarks,
        )


def _background(
    expansion: Expansion, background: Any, absent: str, spare: Any, name: str
) -> tuple[list[Array] | None, str]:
    """Return every part's inputs of the rows that stand in, and what they are in words."""
    if absent == "neutral":
        if background is not None:
            raise InvalidArgument("background must be left out with absent='neutral', which fills in no rows.")
        return None, "none"
    if background is not None:
        rows = _checked(expansion, background, "background")
        return rows, f"{len(rows[0])} given rows"
    rows, words = expansion.training or [], "training rows"
    if not rows:
        count = 0 if spare is None else len(spare)
        if count < ENOUGH_ROWS:
            raise InvalidArgument(
                f"background=None needs training rows, and {name} does not keep all of them: give background=, such as "
                f"the training rows (or at least {ENOUGH_ROWS} rows to explain, which then stand in for them)."
            )
        rows, words = _checked(expansion, spare, "X"), "explained rows"
    if absent == "interventional" and len(rows[0]) > _FEW_ROWS:
        chosen = spread_rows(rows[0], _FEW_ROWS)
        return [block[chosen] for block in rows], f"{_FEW_ROWS} of {len(rows[0])} {words}"
    return rows, f"{len(rows[0])} {words}"


def _on_limits(expansion: Expansion, X: Any, decided: Array) -> tuple[str, ...]:
    """Return a remark on rows for which the model keeps a part of the sum within limits."""
    if expansion.limited is None:
        return ()
    off = np.abs(expansion.limited(X) - decided) > _VISIBLE * (1.0 + np.abs(decided))
    count = int(off.any(axis=1).sum())
    if not count:
        return ()
    return (
        f"In {count} of {len(decided)} rows a candidate goes far beyond the targets seen and is held there: the "
        "effects add up to what it would say without that limit.",
    )


def _checked(expansion: Expansion, X: Any, name: str) -> list[Array]:
    """Return every part's inputs of rows, or say what is wrong with them."""
    if np.ndim(X) != 2 or not len(X):
        raise InvalidArgument(f"{name} must hold rows and columns, got shape {np.shape(X)}: give at least one row.")
    inputs = expansion.inputs(X)
    for part, block in zip(expansion.parts, inputs, strict=True):
        if block.shape[1] != len(part.view.owners):
            raise InvalidArgument(f"{name} has {block.shape[1]} columns, but the model has {len(part.view.owners)}.")
        if not np.isfinite(block).all():
            raise InvalidArgument(f"{name} holds NaN or infinite values: leave those rows out, or impute them.")
    return inputs


def _cells(X: Any, expansion: Expansion) -> Any:
    """Return the rows as they were given, a column per player."""
    cells = np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X)
    if all(len(columns) == 1 for columns in expansion.columns):
        return cells[:, [columns[0] for columns in expansion.columns]]
    joined = np.empty((len(cells), len(expansion.columns)), dtype=object)
    for player, columns in enumerate(expansion.columns):
        texts = [" & ".join(str(cell) for cell in row) for row in cells[:, columns]]
        joined[:, player] = cells[:, columns[0]] if len(columns) == 1 else texts
    return joined
