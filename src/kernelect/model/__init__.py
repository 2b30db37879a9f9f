"""The model: one record of arrays and words that ``fit`` ends in, and that everything else reads.

Columns are coded (:mod:`kernelect.inputs`), every component sees the inputs through a :class:`View`, adds up its
:class:`Part` s and turns the sum into probabilities by a :class:`Link`; the head weights components and makes the
answer. ``estimator.model_`` is a :class:`Model`.
"""

from kernelect.lazy import offered

__getattr__, __all__ = offered(__name__)
