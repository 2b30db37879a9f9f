"""Errors and warnings of the library, each kind under one root.

Every message names the argument, the value that was got and the way out.
"""


class KernelectError(Exception):
    """Root of the library's own errors."""


class InvalidArgument(KernelectError, ValueError):
    """An argument has a value that cannot be used."""


class MissingCapability(KernelectError, ValueError):
    """Two parts were joined of which one lacks what the other needs."""


class SingularSystem(KernelectError, ValueError):
    """A matrix that has to be positive definite is not, beyond what jitter can mend."""


class NotEnoughMemory(KernelectError, MemoryError):
    """The estimated peak of a fit is larger than the memory that is free."""


class OutOfTime(KernelectError):
    """Time is up: raised inside a fit and caught where a result is at hand; no user sees it."""

    def __init__(self) -> None:
        super().__init__("The time limit of the fit was reached.")


class MissingExtra(KernelectError, ImportError):
    """Something was asked for that needs a package which is not installed."""


class UnusableTable(KernelectError, ValueError):
    """A file of rows and columns cannot be read, or no model can be made of what it holds."""


class UnwritableFile(KernelectError, OSError):
    """A file cannot be written."""


class UnusableModel(KernelectError, ValueError):
    """A model file cannot be loaded, or does not fit what is asked of it."""


class KernelectWarning(UserWarning):
    """Root of the library's own warnings; a fit that has not converged warns with scikit-learn's."""


class LostCellsWarning(KernelectWarning):
    """Cells of a table that hold something count as missing."""


def unknown_name(argument: str, got: object, known: list[str]) -> InvalidArgument:
    """Return the error for a misspelt option, with the nearest known spelling."""
    from difflib import get_close_matches

    close = get_close_matches(str(got), known, n=1)
    hint = f" Did you mean {_spelled(close[0])}?" if close else ""
    hint = " Give None without quotes." if got == "None" and got in known else hint
    return InvalidArgument(f"{argument}={got!r} is not known.{hint} Choose one of {', '.join(map(_spelled, known))}.")


def _spelled(name: str) -> str:
    """Return a name as it is given: None is no text."""
    return name if name == "None" else repr(name)


def reason_of(error: BaseException) -> str:
    """Return what another library says in the first line of its error, in few words: it may quote a whole file."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")[:200]
