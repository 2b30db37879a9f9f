"""Dictionaries: families of candidate functions. A search or a relevance vector machine chooses among them.

>>> from kernelect.dictionaries import KernelFunctions, Linear
>>> dictionary = Linear() + KernelFunctions("ard")
"""

from typing import TYPE_CHECKING

from kernelect.lazy import lazily

if TYPE_CHECKING:
    from kernelect.dictionaries.base import Candidates, Dictionary
    from kernelect.dictionaries.design import DictionaryDesign
    from kernelect.dictionaries.functions import Bias, DesignMatrix, Fourier, Functions, LinearTerms, PolynomialTerms
    from kernelect.dictionaries.kernel_functions import KernelFunctions
    from kernelect.dictionaries.registry import DICTIONARIES, as_dictionary
    from kernelect.dictionaries.union import Union

__all__ = [
    "DICTIONARIES",
    "Bias",
    "Candidates",
    "DesignMatrix",
    "Dictionary",
    "DictionaryDesign",
    "Fourier",
    "Functions",
    "KernelFunctions",
    "LinearTerms",
    "PolynomialTerms",
    "Union",
    "as_dictionary",
]

if not TYPE_CHECKING:  # so that type checkers report unknown names
    __getattr__ = lazily(
        __name__,
        {
            "base": ["Candidates", "Dictionary"],
            "design": ["DictionaryDesign"],
            "functions": ["Bias", "Fourier", "Functions", "LinearTerms", "PolynomialTerms", "DesignMatrix"],
            "kernel_functions": ["KernelFunctions"],
            "registry": ["DICTIONARIES", "as_dictionary"],
            "union": ["Union"],
        },
    )
