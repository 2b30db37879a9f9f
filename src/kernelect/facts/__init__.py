"""What is known of a fitted model, in one place and in one form.

:func:`gather` returns it as a plain dict, :class:`Facts`: what was selected, how good it is, what to
doubt, which columns matter, how long it took. Terminal, JSON, page and pictures only show it.
"""

from kernelect.lazy import offered

__getattr__, __all__ = offered(__name__)
