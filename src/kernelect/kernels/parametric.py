"""Parameters of a kernel, declared once: checks, theta, starts and the space of a search follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.kernels.base import Kernel, unset_parameter
from kernelect.parameters import ParameterSpace, check_positive
from kernelect.typing import Array, Indices

#: Scales (amplitudes, offsets) may move this far from their start, in logarithms.
SCALE_RANGE = 12.0


@dataclass(frozen=True)
class Parameter:
    """A positive parameter; the kernel has a field of the same name.

    Attributes
    ----------
    name : str
    start : float or callable
        What ``"auto"`` starts from, or a function of kernel and inputs that returns it.
    role : "width", "shape" or "scale"
        A width belongs to an input: a kernel whose ``elliptical`` is true has one per input,
        any other kernel has one for all. Priors and staged searches concern widths only.
    below, above : float
        How far a search may go from the start, in logarithms.
    """

    name: str
    start: float | Callable[[Any, Array], float | Array]
    role: Literal["width", "shape", "scale"] = "scale"
    _: KW_ONLY
    below: float = SCALE_RANGE
    above: float = SCALE_RANGE

    def checked(self, kernel: Parametric) -> object:
        """Return the kernel's value of this parameter, or an error that names it."""
        value = getattr(kernel, self.name)
        return check_widths(self.name, value) if self.many(kernel) else check_positive(self.name, value)

    def many(self, kernel: Parametric) -> bool:
        """Whether the kernel has one value per input."""
        return self.role == "width" and kernel.elliptical

    def started(self, kernel: Parametric, X: Array) -> float | Array:
        return self.start(kernel, X) if callable(self.start) else self.start

    def space(self, kernel: Parametric, started: Parametric) -> ParameterSpace:
        """Return the space of this parameter alone."""
        free, start = isinstance(getattr(kernel, self.name), str), started.logarithms(self.name)
        below, above = (self.below, self.above) if free else (0.0, 0.0)
        finite, width = np.isfinite(start), self.role == "width"
        return ParameterSpace(
            names=tuple(f"{self.name}[{j}]" for j in range(len(start))) if self.many(kernel) else (self.name,),
            start=start,
            lower=start - below,
            upper=start + above,
            free=finite & free,
            widths=(np.arange(len(start)),) if width else (),
            reference=np.where(finite, start, 0.0) if free and width else np.zeros(len(start)),
        )


class Parametric(Kernel):
    """A kernel whose parameters are fields of a frozen dataclass, declared in ``parameters``.

    theta holds their logarithms in the order of declaration; at most one of them is a width.
    """

    parameters: ClassVar[tuple[Parameter, ...]] = ()
    elliptical: bool = False

    def __post_init__(self) -> None:
        for parameter in self.parameters:
            object.__setattr__(self, parameter.name, parameter.checked(self))

    def value(self, name: str) -> float:
        """Return the number that a parameter stands at; an error while it is ``"auto"``."""
        return float(self._set(name))

    def logarithms(self, name: str) -> Array:
        """Return the logarithms of one parameter, (1,) or one per input."""
        with np.errstate(divide="ignore"):  # a width of exactly 0 switches its input off
            return np.log(np.atleast_1d(np.asarray(self._set(name), dtype=float)))

    def _set(self, name: str) -> Any:
        value = getattr(self, name)
        if isinstance(value, str):
            raise unset_parameter(type(self).__name__, name)
        return value

    @property
    def theta(self) -> Array:
        return np.concatenate([np.zeros(0), *(self.logarithms(parameter.name) for parameter in self.parameters)])

    def with_theta(self, theta: Array) -> Self:
        first = 0
        chosen: dict[str, float | Array] = {}
        for parameter in self.parameters:
            many = parameter.many(self)
            last = first + (len(theta) - len(self.parameters) + 1 if many else 1)
            values = self._numbers(parameter.name, theta[first:last])
            chosen[parameter.name] = values if many else float(values[0])
            first = last
        return replace(self, **chosen)  # type: ignore[type-var]

    def _numbers(self, name: str, logarithms: Array) -> Array:
        """Return what the logarithms stand for; if they are those of the present numbers, these to the last bit."""
        values = np.exp(logarithms)
        if isinstance(getattr(self, name), str) or (now := self.logarithms(name)).shape != values.shape:
            return values
        return np.where(now == logarithms, np.atleast_1d(getattr(self, name)), values)

    def start(self, X: Array) -> Self:
        chosen = {p.name: p.started(self, X) for p in self.parameters if isinstance(getattr(self, p.name), str)}
        return replace(self, **chosen)  # type: ignore[type-var]

    def space(self, X: Array) -> ParameterSpace:
        started = self.start(X)
        return ParameterSpace.joined([parameter.space(self, started) for parameter in self.parameters])

    def with_widths_reordered(self, columns: Indices) -> Self:
        """Return the kernel with the widths of inputs in another order, those of a wrong number as they are."""
        many = {p.name: getattr(self, p.name) for p in self.parameters if p.many(self)}
        chosen = {name: value[columns] for name, value in many.items() if np.shape(value) == columns.shape}
        return replace(self, **chosen)  # type: ignore[type-var]


def check_widths(name: str, value: object) -> Array | str:
    """Return one width per input as an array that cannot be written to, or ``"auto"``."""
    if isinstance(value, str):
        return check_positive(name, value)  # type: ignore[return-value]
    try:
        widths = np.array(value, dtype=float)
    except (TypeError, ValueError):
        widths = np.array(np.nan)
    if widths.ndim != 1 or not len(widths) or not np.all(np.isfinite(widths)) or np.any(widths < 0):
        raise InvalidArgument(
            f"{name}={value!r} must be one number >= 0 per input (0 switches an input off), or 'auto'."
        )
    widths.flags.writeable = False
    return widths


def widths_for(kernel: Any, X: Array) -> Array:
    """Return ``gamma`` for every input, checked against the inputs there are."""
    if isinstance(kernel.gamma, str):
        raise unset_parameter(type(kernel).__name__, "gamma")
    if not kernel.elliptical:
        return np.full(X.shape[1], kernel.gamma)
    gamma = np.asarray(kernel.gamma, dtype=float)
    if len(gamma) != X.shape[1]:
        raise InvalidArgument(
            f"gamma has {len(gamma)} widths but the data have {X.shape[1]} inputs: give one width per input."
        )
    return gamma
