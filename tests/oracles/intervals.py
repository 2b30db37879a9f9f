"""The plain jackknife, row by row."""

import math


def jackknife_interval(predicted, residuals, spread_of_rows, spread, coverage):
    """Return the ends around one prediction: as many spreads away as the residuals of enough rows are."""
    sizes = sorted(abs(r) / s for r, s in zip(residuals, spread_of_rows, strict=True))
    reach = sizes[math.ceil(coverage * (len(sizes) + 1)) - 1]
    return predicted - reach * spread, predicted + reach * spread
