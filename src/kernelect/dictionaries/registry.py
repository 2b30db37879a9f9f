"""Dictionaries by name, and conversion of other things into dictionaries."""

from __future__ import annotations

from kernelect.dictionaries.base import Dictionary
from kernelect.dictionaries.functions import Bias, DesignMatrix, Fourier, Functions, LinearTerms, PolynomialTerms
from kernelect.dictionaries.kernel_functions import KernelFunctions
from kernelect.dictionaries.union import Union
from kernelect.exceptions import InvalidArgument
from kernelect.registry import Registry

DICTIONARIES: Registry[Dictionary] = Registry("dictionary", Dictionary)  # type: ignore[type-abstract]

DICTIONARIES.register(KernelFunctions, "rbf")
DICTIONARIES.register(LinearTerms, "linear")
DICTIONARIES.register(PolynomialTerms, "polynomial")
DICTIONARIES.register(Fourier, "fourier")
DICTIONARIES.register(Bias, "bias")
DICTIONARIES.register(DesignMatrix, "precomputed")
DICTIONARIES.register(Union)


def as_dictionary(dictionary: object) -> Dictionary:
    """Return a :class:`Dictionary`; ``dictionary`` is its name, a dictionary, a callable, or a list of these."""
    if isinstance(dictionary, Dictionary | str | type):
        return DICTIONARIES.resolve(dictionary)
    if isinstance(dictionary, list | tuple):
        return Union.of(*(as_dictionary(part) for part in dictionary))
    if callable(dictionary):
        return Functions([dictionary])
    raise InvalidArgument(
        f"dictionary={dictionary!r} must be a name ({', '.join(map(repr, DICTIONARIES.names))}), an object of "
        "kernelect.dictionaries, a function of X, or a list of these."
    )
