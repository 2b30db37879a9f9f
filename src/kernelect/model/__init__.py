"""The model: one record of arrays and words that ``fit`` ends in, and that everything else reads.

Columns are coded (:mod:`kernelect.inputs`), every component sees the inputs through a :class:`View`, adds up its
:class:`Part` s and turns the sum into probabilities by a :class:`Link`; the head weights components and makes the
answer. ``estimator.model_`` is a :class:`Model`.
"""

from kernelect.model.component import Component
from kernelect.model.decisions import Decision
from kernelect.model.heads import LabelHead, NoiseModel, NumberHead
from kernelect.model.links import Given, Link, Moderated, Predictive, Tempered
from kernelect.model.parts import BoxPart, ForeignPart, FunctionPart, KernelPart, Part
from kernelect.model.record import Model, TrainingRows
from kernelect.model.scales import TargetScale
from kernelect.model.spreads import (
    BagJackknife,
    ExactJackknife,
    Jackknife,
    LandmarkJackknife,
    LatentSpread,
    PlainJackknife,
    PosteriorSpread,
    Spread,
    SubsetSpread,
    WeightSpread,
)
from kernelect.model.trees import Trees
from kernelect.model.views import AS_GIVEN, View

__all__ = [
    "AS_GIVEN",
    "BagJackknife",
    "BoxPart",
    "Component",
    "Decision",
    "ExactJackknife",
    "ForeignPart",
    "FunctionPart",
    "Given",
    "Jackknife",
    "KernelPart",
    "LabelHead",
    "LandmarkJackknife",
    "LatentSpread",
    "Link",
    "Model",
    "Moderated",
    "NoiseModel",
    "NumberHead",
    "Part",
    "PlainJackknife",
    "PosteriorSpread",
    "Predictive",
    "Spread",
    "SubsetSpread",
    "TargetScale",
    "Tempered",
    "TrainingRows",
    "Trees",
    "View",
    "WeightSpread",
]
