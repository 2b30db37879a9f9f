"""The kinds of records that a model file holds: the word of each, its class, and the shapes of its arrays.

A file holds words of this table and nothing that names a type. Fields and their types are those of the dataclass; what
is written here in addition is the word, and the axes of arrays by letter. Letters that a record hands on to those in it
(:mod:`kernelect.model.checks`): z inputs of the model, d inputs in the component's view, k outputs, v functions of the
component's first part.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any

from kernelect.exceptions import InvalidArgument, UnusableModel
from kernelect.model.axes import Axes, labels, numbers, places, targets, truths
from kernelect.registry import REGISTRIES


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of record.

    Attributes
    ----------
    word : str
        As files have it.
    home : str
        Module and class, imported when a file holds the word.
    arrays : mapping of str to Axes
        The axes of each field that is an array, or a tuple of arrays.
    """

    word: str
    home: str
    arrays: Mapping[str, Axes] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def record(self) -> type[Any]:
        """The class of the record."""
        module, _, name = self.home.rpartition(".")
        found = getattr(import_module(module), name)
        assert isinstance(found, type)
        return found


def _kind(word: str, home: str, **arrays: Axes) -> Kind:
    return Kind(word=word, home=f"kernelect.{home}", arrays=MappingProxyType(arrays))


_WIDTHS = {"gamma": numbers("d")}
_CENTRED = {"centre": numbers("d")}

#: What files are made of, in the order of the format's page.
KINDS: tuple[Kind, ...] = (
    # the model
    _kind("model", "model.record.Model"),
    _kind("component", "model.component.Component", constant=numbers("k"), left_out=numbers("n .", finite=False)),
    _kind(
        "training-rows",
        "model.record.TrainingRows",
        numbers=places("n"),
        targets=targets("n .."),
        weights=numbers("n"),
        left_out=numbers("n .", finite=False),
        groups=places("n"),
    ),
    # parts
    _kind(
        "kernel-part",
        "model.parts.KernelPart",
        coefficients=numbers("p k"),
        vectors=numbers(". ."),
        places=places("p", below="d"),
    ),
    _kind("function-part", "model.parts.FunctionPart", coefficients=numbers("p k")),
    _kind("box-part", "model.parts.BoxPart", coefficients=numbers("p k")),
    _kind(
        "trees",
        "model.trees.Trees",
        roots=places("t", below="N"),
        feature=places("N", least=-1),
        threshold=numbers("N"),
        right=places("N"),
        boxes=numbers("L ."),
    ),
    # tables
    _kind("schema", "tabular.schema.Schema"),
    _kind("column", "tabular.columns.Column"),
    _kind("stakes", "facts.stakes.Stakes"),
    # views and coding
    _kind("view", "model.views.View"),
    _kind("warp", "inputs.warp.Warp", warped=places("w", below="z"), knots=numbers("."), heights=numbers(".")),
    _kind(
        "indicators",
        "inputs.indicators.Indicators",
        numeric=places("m", below="z"),
        column=places("i", below="z"),
        level=numbers("i"),
    ),
    _kind("coding", "inputs.coding.Coding"),
    _kind("role", "inputs.roles.Role"),
    _kind("reading", "inputs.readings.Reading"),
    _kind("number-code", "inputs.coding.NumberCode"),
    _kind("missing-code", "inputs.coding.MissingCode"),
    _kind("category-code", "inputs.coding.CategoryCode"),
    # heads and links
    _kind("label-head", "model.heads.LabelHead", classes=labels("c"), weights=numbers("j")),
    _kind(
        "number-head",
        "model.heads.NumberHead",
        weights=numbers("j"),
        limits=numbers("2 ."),
        calibration=numbers("."),
        floor=numbers("."),
    ),
    _kind("decision", "model.decisions.Decision"),
    _kind("noise-model", "model.heads.NoiseModel", rows=numbers("n 1")),
    _kind("target-scale", "model.scales.TargetScale"),
    _kind("tempered", "model.links.Tempered"),
    _kind("moderated", "model.links.Moderated"),
    _kind("predictive", "model.links.Predictive"),
    _kind("given", "model.links.Given"),
    _kind("probit", "machines.ep.likelihoods.Probit"),
    _kind("hinge", "machines.ep.likelihoods.Hinge"),
    _kind("squared-hinge", "machines.ep.likelihoods.SquaredHinge"),
    # spreads
    _kind("posterior-spread", "model.spreads.PosteriorSpread", roots=numbers(". v"), usual=numbers("k")),
    _kind("weight-spread", "model.spreads.WeightSpread"),
    _kind("relevance-model", "model.relevance.RelevanceModel"),
    _kind(
        "relevance-output",
        "model.relevance.Output",
        columns=places("m", below="v"),
        weights=numbers("w"),
        alpha=numbers("w"),
        covariance=numbers("w w"),
    ),
    _kind("loss-by-size", "model.relevance.LossBySize", loss=numbers("s"), standard_error=numbers("s")),
    _kind(
        "subset-spread",
        "model.spreads.SubsetSpread",
        means=numbers("v"),
        root=numbers("v ."),
        noise=numbers("k"),
    ),
    _kind(
        "exact-jackknife",
        "model.spreads.ExactJackknife",
        rows=places("v"),
        residuals=numbers("v k"),
        weights=numbers("v"),
        precision=numbers("v"),
        scale=numbers("k"),
        groups=places("v"),
        gram=numbers("v v"),
    ),
    _kind("landmark-jackknife", "model.spreads.LandmarkJackknife", rows=places("q")),
    _kind(
        "landmark-spread",
        "machines.lssvm.spread.LandmarkSpread",
        inputs=numbers("q d"),
        residuals=numbers("q k"),
        weights=numbers("q"),
        precision=numbers("n"),
        scale=numbers("k"),
    ),
    _kind(
        "landmark-state",
        "machines.lssvm.landmarks.LandmarkState",
        transform=numbers("m m"),
        offset=numbers("m"),
        projected=numbers("m k"),
        target_mean=numbers("k"),
    ),
    _kind(
        "group-pulls",
        "machines.lssvm.spread.GroupPulls",
        pulls=numbers("g v k"),
        shifts=numbers("g k"),
        owners=places("q", below="g"),
    ),
    _kind(
        "sampled-rows",
        "machines.lssvm.sampled.SampledRows",
        places=places("m", below="v"),
        numbers=places("q"),
        inputs=numbers("q d"),
        targets=numbers("q k"),
        weights=numbers("q"),
        own=places("q", below="m", least=-1),
        equal=places("q", below="m", least=-1),
        groups=places("q"),
    ),
    _kind(
        "bag-jackknife",
        "model.spreads.BagJackknife",
        rows=places("q"),
        residuals=numbers("q k"),
        out=truths("q ."),
        mean_square=numbers("k"),
    ),
    _kind(
        "plain-jackknife",
        "model.spreads.PlainJackknife",
        rows=places("q"),
        residuals=numbers("q k"),
        mean_square=numbers("k"),
    ),
    # kernels
    _kind("rbf", "kernels.stationary.RBF"),
    _kind("ard", "kernels.stationary.ARD", **_WIDTHS),
    _kind("matern", "kernels.stationary.Matern", **_WIDTHS),
    _kind("rational-quadratic", "kernels.rational_quadratic.RationalQuadratic", **_WIDTHS),
    _kind("product-laplace", "kernels.products.ProductLaplace", **_WIDTHS),
    _kind("product-matern32", "kernels.products.ProductMatern", **_WIDTHS),
    _kind("category", "kernels.categories.Category", **_WIDTHS),
    _kind("agreement", "kernels.categories.Agreement"),
    _kind("linear", "kernels.dot_product.Linear", **_CENTRED),
    _kind("polynomial", "kernels.dot_product.Polynomial", **_CENTRED),
    _kind("constant", "kernels.dot_product.Constant"),
    _kind("precomputed", "kernels.precomputed.Precomputed"),
    _kind("sum", "kernels.composite.Sum"),
    _kind("product", "kernels.composite.Product"),
    _kind("on-columns", "kernels.columns.OnColumns"),
    # functions of dictionaries
    _kind("monomials", "dictionaries.functions.Monomials"),
    _kind("input-scale", "dictionaries.base.InputScale", centre=numbers("d"), spread=numbers("d")),
    _kind("harmonics", "dictionaries.functions.Harmonics", lower=numbers("d"), period=numbers("d")),
    _kind("design-columns", "dictionaries.functions.DesignColumns", columns=places("u", below="d")),
    _kind("centred-kernels", "dictionaries.kernel_functions.CentredKernels", centres=numbers("u d")),
    _kind("joined-functions", "dictionaries.union.JoinedCandidates"),
    # reports
    _kind("assessment", "facts.estimates.Assessment"),
    _kind(
        "estimate",
        "facts.estimates.Estimate",
        y_true=labels("n"),
        prediction=labels("n"),
        probability=numbers("n ."),
        interval=numbers("n 2"),
        rows=places("n"),
    ),
    _kind("score", "facts.scores.Score"),
    _kind("held-out-relevance", "facts.held_out.HeldOutRelevance", rise=numbers("n"), standard_error=numbers("n")),
    _kind("kept", "facts.kept.Kept", relevance=numbers(".")),
    _kind("kept-picture", "facts.kept.KeptPicture"),
    _kind("weights", "facts.mixtures.Weights", weight=numbers("n")),
    _kind(
        "search-history",
        "facts.history.SearchHistory",
        value=numbers("n", finite=False),
        best=numbers("n", finite=False),
        run=numbers("n"),
    ),
    _kind(
        "surface",
        "facts.surface.Surface",
        at=numbers("p s"),
        rise=numbers("s ..", finite=False),
        chosen=numbers("p"),
    ),
    _kind(
        "sizes",
        "facts.history.Sizes",
        size=numbers("n"),
        evidence=numbers("n", finite=False),
        path_size=numbers("m"),
        path_evidence=numbers("m", finite=False),
    ),
)

#: Records around objects of Python, which no file can hold.
_NEVER = {
    "kernelect.model.parts.ForeignPart": "a machine of another library",
    "kernelect.kernels.translation.SklearnKernel": "a kernel of scikit-learn without a counterpart here",
    "kernelect.kernels.function.FunctionKernel": "a kernel that is a function of your own",
    "kernelect.dictionaries.functions.CallableColumns": "functions of your own",
}

_BY_WORD = {kind.word: kind for kind in KINDS}
_BY_HOME = {kind.home: kind for kind in KINDS}


def kind_named(word: object, bases: tuple[type, ...]) -> Kind:
    """Return the kind that a file means by a word, one of the library's or a registered part of one's own."""
    if isinstance(word, str) and word in _BY_WORD:
        return _BY_WORD[word]
    for registry in REGISTRIES.values():
        if any(issubclass(base, registry.base) or issubclass(registry.base, base) for base in bases):
            for entry in registry:
                if entry.name == word:
                    return _own(entry.cls, str(word))
    raise UnusableModel(
        f"The model holds a part named {str(word)[:60]!r}, which is not known here: import the module that registers "
        "it (kernelect.register) first, or fit the model again."
    )


def kind_of(record: object) -> Kind:
    """Return the kind of a record that is to be written."""
    cls = type(record)
    home = f"{cls.__module__}.{cls.__qualname__}"
    if home in _BY_HOME:
        return _BY_HOME[home]
    if home in _NEVER:
        raise InvalidArgument(
            f"The model has {_NEVER[home]}, which a model file cannot hold: keep the estimator with pickle or joblib."
        )
    for registry in REGISTRIES.values():
        for entry in registry:
            if entry.cls is cls and entry.name is not None and entry.name not in _BY_WORD:
                return _own(cls, entry.name)
    raise InvalidArgument(
        f"The model holds a {cls.__name__}, which a file cannot name: register the class under a name first "
        f"(kernelect.register({cls.__name__}, 'my-{cls.__name__.lower()}')), or keep the estimator with pickle."
    )


def _own(cls: type[Any], word: str) -> Kind:
    return _OwnKind(word=word, home=f"{cls.__module__}.{cls.__qualname__}", cls=cls)


@dataclass(frozen=True, kw_only=True)
class _OwnKind(Kind):
    """A registered part of one's own, whose class need not be found by its name."""

    cls: type[Any] = object

    @property
    def record(self) -> type[Any]:
        return self.cls
