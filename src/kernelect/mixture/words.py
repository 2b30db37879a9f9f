"""What a table of candidates calls a machine, its kernel and its view."""

from __future__ import annotations

AS_IS, WARPED = "as it is", "warped"

#: Names of machines, kernels and views in words; any other name stands for itself.
_MACHINES = {
    "lssvm": "Least squares",
    "gp": "Gaussian process",
    "forest": "Random forest",
    "survival forest": "Survival forest",
    "boosting": "Boosted trees",
}
_KERNELS = {
    "ard": "",
    "matern32-ard": "rough",
    "product-laplace": "steps",
    "product-matern32": "bends",
    "rational-quadratic-ard": "near and far",
    "category": "categories",
}
_WIDTHS = {"ard", "matern32-ard", "product-laplace", "product-matern32", "rational-quadratic-ard", "category"}
_VIEWS = {AS_IS: "raw values", WARPED: "evened values"}
_WITHOUT_KERNEL = {"forest", "survival forest", "boosting"}


def candidate_words(machine: str, kernel: str, view: str, *, tied: bool) -> str:
    """Return machine, kernel and view of a candidate; ``tied`` widths are in proportion to the data's own scale."""
    noun, shape = _MACHINES.get(machine, machine), _KERNELS.get(kernel, kernel)
    if machine in _WITHOUT_KERNEL:
        return noun
    widths = ("one width" if tied else "one width per column") if kernel in _WIDTHS else ""
    return ", ".join([noun, *filter(None, (shape, widths)), _VIEWS.get(view, view)])
