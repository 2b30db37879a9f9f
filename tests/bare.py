"""Uses the library as a user with nothing but its own dependencies would: ``make dist``."""

import importlib.util
import sys

from sklearn.datasets import load_diabetes, load_iris

import kernelect


def main():
    """Fit, predict and ask for a picture; exit where an extra is installed."""
    for extra in ("matplotlib", "pandas", "click", "jinja2"):
        if importlib.util.find_spec(extra):
            sys.exit(f"{extra} is installed: the environment is not bare")
    X, y = load_iris(return_X_y=True)
    assert kernelect.LSSVC("rbf").fit(X, y).score(X, y) > 0.95
    assert kernelect.KernelClassifier("fast").fit(X, y).score(X, y) > 0.95
    X, y = load_diabetes(return_X_y=True)
    lower, upper = kernelect.LSSVR("rbf").fit(X[:100], y[:100]).predict_interval(X[100:], coverage=0.9)
    assert (lower < upper).all()
    try:
        kernelect.plots.RelevanceDisplay.from_values([0.5, 0.5]).plot()
    except kernelect.exceptions.MissingExtra as error:
        sys.stdout.write(f"kernelect {kernelect.__version__} works without extras; a picture says: {error}\n")


if __name__ == "__main__":
    main()
