"""What ``kernelect export --to`` writes: each module of this folder is one target, and its name is the file's name.

>>> target_of("c").file
'model.h'
"""

from __future__ import annotations

import pkgutil
from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

from kernelect.exceptions import InvalidArgument, unknown_name


@dataclass(frozen=True, kw_only=True)
class ExportOptions:
    """What a user may ask for; the defaults mean nothing special.

    Attributes
    ----------
    single : bool
        Single precision.
    bits : int or None
        Bits in which vectors and coefficients are stored.
    name : str
        What names in the file begin with.
    """

    single: bool = False
    bits: int | None = None
    name: str = "model"


class ExportTarget(ABC):
    """A language or format that models are written in.

    Attributes
    ----------
    words : str
        What sentences call it.
    file : str
        What the file is called unless the user chooses another.
    takes : tuple of str
        The options that it can follow: fields of :class:`ExportOptions`.
    """

    words: ClassVar[str]
    file: ClassVar[str]
    takes: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def write(self, model: Any, options: ExportOptions) -> bytes:
        """Return the file of a fitted estimator, pipeline or table model."""


def target_names() -> tuple[str, ...]:
    """Return the names of all targets."""
    return tuple(sorted(found.name for found in pkgutil.iter_modules(__path__)))


def target_of(name: str) -> ExportTarget:
    """Return the target that has this name."""
    if name not in target_names():
        raise unknown_name("target", name, list(target_names()))
    module = import_module(f"{__name__}.{name}")
    (found,) = (
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, ExportTarget) and value.__module__ == module.__name__
    )
    made: ExportTarget = found()
    return made


def check_options(name: str, options: ExportOptions, flags: dict[str, str]) -> None:
    """Refuse options that a target cannot follow; ``flags`` has them as the user wrote them."""
    usual = ExportOptions()
    for option, flag in flags.items():
        if getattr(options, option) == getattr(usual, option) or option in target_of(name).takes:
            continue
        able = [other for other in target_names() if option in target_of(other).takes]
        words = " and ".join(target_of(other).words for other in able)
        raise InvalidArgument(f"{flag} is for {words}, and --to {name} was asked for: leave it out.")
