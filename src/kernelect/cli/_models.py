"""Model files, for commands: skops in a third of the time it takes to import.

skops lists every estimator of scikit-learn when it is imported, and for that imports all of scikit-learn, with
Dask and pytest where they are installed. It trusts these classes in a file. Our files are held against a shorter list
(:mod:`kernelect.tabular.audit`), so a command does without. Only here, where the process is a command's own: a
program that uses kernelect may use skops for other files.
"""

from unittest import mock

with mock.patch("sklearn.utils.all_estimators", return_value=[]):
    import skops.io  # noqa: F401

from kernelect.tabular import load_model, save_model

__all__ = ["load_model", "save_model"]
