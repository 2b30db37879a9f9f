"""Where parts are declared: one registry per kind, each part once.

What a name in an argument stands for, the names in messages, the choices of the command line, the
types a model file may hold and the laws of the tests all follow from the registries.

>>> from kernelect.search.registry import SEARCHES
>>> "lbfgs" in SEARCHES.names
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Generic, TypeVar

from kernelect.exceptions import InvalidArgument, unknown_name

T = TypeVar("T")
C = TypeVar("C", bound=type)

#: All registries by their kind, in the order in which they were made.
REGISTRIES: dict[str, Registry[object]] = {}

#: Modules that make a registry: a contract may be imported without the registry of its kind.
_HOMES = (
    *("kernels.registry", "machines.ep.likelihoods", "machines.registry", "criteria.registry", "priors.registry"),
    *("search.registry", "subsets.registry", "dictionaries.registry", "estimators.registry", "mixture.base"),
    "facts.doubts",
)


@dataclass(frozen=True)
class Entry(Generic[T]):
    """One part: its class, the name it goes by (none if it is only built from other parts), and how to make it."""

    cls: type[T]
    name: str | None
    make: Callable[[], T]


class Registry(Generic[T]):
    """The parts of one kind.

    Parameters
    ----------
    kind : str
    base : type
        Contract that every part of this kind fulfils.
    argument : str, optional
        Name of the argument that chooses among them, as messages say it; the kind unless given.
    """

    def __init__(self, kind: str, base: type[T], argument: str | None = None) -> None:
        self.kind, self.base, self.argument = kind, base, argument or kind
        self._entries: list[Entry[T]] = []
        REGISTRIES[kind] = self  # type: ignore[assignment]

    def register(self, cls: type[T], name: str | None = None, *, make: Callable[[], T] | None = None) -> type[T]:
        """Declare a part, so that its name is known and models with it can be saved and loaded.

        Parameters
        ----------
        cls : type
        name : str, optional
            What the part is called in arguments; several names may share a class.
        make : callable, optional
            Returns the part that the name stands for, the class itself unless given.
        """
        if not (isinstance(cls, type) and issubclass(cls, self.base)):
            raise InvalidArgument(f"{cls!r} must be a class derived from {self.base.__name__} to be a {self.kind}.")
        taken = self._taken(cls, name) if name is not None else None
        if taken is not None and taken.cls is not cls:
            raise InvalidArgument(
                f"name={name!r} already stands for the {self.kind} {taken.cls.__name__}: choose another name."
            )
        if taken is None:
            self._entries.append(Entry(cls, name, make or cls))
        return cls

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in the order of declaration."""
        return tuple(entry.name for entry in self._entries if entry.name is not None)

    def __iter__(self) -> Iterator[Entry[T]]:
        return iter(self._entries)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name) is not None

    def make(self, name: object, choices: tuple[str, ...] | None = None) -> T:
        """Return the part that ``name`` stands for; an unknown one is an error that lists ``choices``."""
        entry = self._find(name) if isinstance(name, str) else None
        if entry is None:
            raise unknown_name(self.argument, name, list(self.names if choices is None else choices))
        return entry.make()

    def resolve(self, part: object, choices: tuple[str, ...] | None = None) -> T:
        """Return ``part`` itself if it is one of this kind, else what its name stands for, as :meth:`make` does."""
        if isinstance(part, type):
            raise InvalidArgument(
                f"{self.argument}={part.__name__} must be a name or an object, and this is a class: give "
                f"{part.__name__}()."
            )
        return part if isinstance(part, self.base) else self.make(part, choices)

    def _taken(self, cls: type[T], name: str) -> Entry[T] | None:
        """Return the part with which ``cls`` would share its name, if names have to be unique."""
        return self._find(name)

    def _find(self, name: str) -> Entry[T] | None:
        return next((entry for entry in self._entries if entry.name == name), None)


def register(cls: C, name: str | None = None) -> C:
    """Declare your own part: a kernel, criterion, prior, search, machine or other registered kind.

    Its name is then accepted wherever a name of its kind is, and models that hold it can be saved
    and loaded. The kind follows from the contract that the class fulfils.

    Parameters
    ----------
    cls : type
    name : str, optional
        What it is called in arguments; by default the ``name`` that the class declares, if any.
    """
    for home in _HOMES:
        import_module(f"kernelect.{home}")
    for registry in REGISTRIES.values():
        if isinstance(cls, type) and issubclass(cls, registry.base):
            declared = getattr(cls, "name", None)
            registry.register(cls, name or (declared if isinstance(declared, str) else None))
            return cls
    kinds = ", ".join(f"{registry.base.__name__} ({kind})" for kind, registry in REGISTRIES.items())
    raise InvalidArgument(f"{cls!r} cannot be registered: derive it from one of {kinds}.")
